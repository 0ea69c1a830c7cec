// Waiting for something, but not for ever.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withDeadline } from "../../src/in-time.edge.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const takes = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), ms));

describe("what is waited for", () => {
	it("is given when it comes in time, and no timer is left", async () => {
		const waited = withDeadline(takes(10, "answer"), 20, () => "late");
		await vi.advanceTimersByTimeAsync(10);
		expect(await waited).toBe("answer");
		expect(vi.getTimerCount()).toBe(0);
	});

	it("is replaced when it comes too late", async () => {
		const waited = withDeadline(takes(30, "answer"), 20, () => "late");
		await vi.advanceTimersByTimeAsync(20);
		expect(await waited).toBe("late");
	});

	it("may be a failure when it comes too late", async () => {
		const waited = withDeadline(takes(30, "answer"), 20, () => {
			throw new Error("too late");
		});
		const failure = expect(waited).rejects.toThrow("too late");
		await vi.advanceTimersByTimeAsync(20);
		await failure;
	});

	it("passes its own failure on, and no timer is left", async () => {
		await expect(withDeadline(Promise.reject(new Error("refused")), 20, () => "late")).rejects.toThrow("refused");
		expect(vi.getTimerCount()).toBe(0);
	});
});

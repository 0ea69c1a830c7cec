// Long texts are scanned with rests in between, in which other requests are answered.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";

type Scans = typeof import("../../../src/compliance/scans.edge.ts");

const LONG = "x".repeat(1_048_576);

let scanned: Scans["scanConversation"];
let done: string[];
const scan = (name: string, text: string) => scanned(plainConversation(text), () => done.push(name));

beforeEach(async () => {
	vi.useFakeTimers();
	vi.resetModules();
	({ scanConversation: scanned } = await import("../../../src/compliance/scans.edge.ts"));
	done = [];
});
afterEach(() => vi.useRealTimers());

describe("a scan of a long text", () => {
	it("begins at once where none was before, and hands on what it found", async () => {
		await expect(scanned(plainConversation(LONG, "b"), ({ texts }) => texts.length)).resolves.toBe(2);
	});

	it("waits while others have the isolate after the one before, in the order of arrival", async () => {
		const all = ["first", "second", "third"].map((name) => scan(name, LONG));
		await vi.advanceTimersByTimeAsync(0);
		expect(done).toEqual(["first"]);
		await vi.advanceTimersByTimeAsync(100);
		expect(done).toEqual(["first"]);
		await vi.advanceTimersByTimeAsync(30);
		expect(done).toEqual(["first", "second"]);
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(done).toEqual(["first", "second", "third"]);
	});

	it("is not overtaken by one that comes later", async () => {
		const slow = (name: string) =>
			scanned(plainConversation(LONG), () => {
				vi.setSystemTime(Date.now() + 1_000);
				return done.push(name);
			});
		const early = ["first", "second", "third"].map(slow);
		await vi.advanceTimersByTimeAsync(127);
		const late = slow("late");
		await vi.runAllTimersAsync();
		await Promise.all([...early, late]);
		expect(done).toEqual(["first", "second", "third", "late"]);
	});

	it("is not held up by one that has left while it waited", async () => {
		await scan("first", LONG);
		const never = vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce(setTimeout(() => undefined, 0));
		void scan("left", LONG);
		const next = scan("next", LONG);
		await vi.runAllTimersAsync();
		await next;
		never.mockRestore();
		expect(done).toEqual(["first", "next"]);
	});

	it("holds up no short one", async () => {
		const long = [scan("long", LONG), scan("next", LONG)];
		await vi.advanceTimersByTimeAsync(0);
		await scan("short", "hello");
		expect(done).toEqual(["long", "short"]);
		await vi.runAllTimersAsync();
		await Promise.all(long);
	});

	it("rests no longer after a text that is too long to be read", async () => {
		await scan("huge", "x".repeat(16_777_216));
		const next = scan("next", LONG);
		await vi.advanceTimersByTimeAsync(512);
		expect(done).toEqual(["huge", "next"]);
		await next;
	});

	it("that fails holds up nobody", async () => {
		const failing = scanned(plainConversation(LONG), () => {
			throw new Error("broken");
		});
		await expect(failing).rejects.toThrow("broken");
		await expect(scan("next", LONG)).resolves.toBe(1);
		expect(done).toEqual(["next"]);
	});
});

// How long a batch of calls is waited for: by what others took, by what is expected, and never without an answer to go on with.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { leaveHung } from "../../../src/inference/hung-calls.edge.ts";

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

const PATIENCE = { patiencePercent: 200 };

/** A batch of calls that take so long, or hang until they are left; when it was left is null where it was not. */
function batch(takesMs: readonly (number | null)[], times: { expectedMs: number[]; earlierMs: number | null }) {
	const startedAtMs = Date.now();
	const left = { atMs: null as number | null };
	const leaving = Promise.withResolvers<void>();
	const calls = takesMs.map(async (ms) => {
		if (ms === null) await leaving.promise;
		else await new Promise((resolve) => setTimeout(resolve, ms));
		return { ok: ms !== null };
	});
	const results = leaveHung(calls, { ...times, ...PATIENCE }, () => {
		left.atMs = Date.now() - startedAtMs;
		leaving.resolve();
	});
	return { left, results };
}

describe("a call that hangs", () => {
	it.each([
		["beside two that answered, after twice their time", [3_000, 4_000, null], [0, 0, 0], null, 8_000],
		["beside fast ones, after two seconds", [10, 20, null], [0, 0, 0], null, 2_000],
		["of a slow model, after twice what is expected of it", [10, 20, null], [1, 1, 9_000], null, 18_000],
		["alone after others, after twice their time", [null], [500], 6_000, 12_000],
		["alone after others, after twice what is expected of it", [null], [7_000], 100, 14_000],
		["with all of its batch after others, with all of them", [null, null], [100, 4_000], 100, 8_000],
	])("%s", async (_, takesMs, expectedMs, earlierMs, atMs) => {
		const { left, results } = batch(takesMs, { expectedMs, earlierMs });
		await vi.advanceTimersByTimeAsync(60_000);
		expect((await results).map(({ ok }) => ok)).toEqual(takesMs.map((ms) => ms !== null));
		expect(left.atMs).toBe(atMs);
	});

	it.each([
		["is the first of its workflow", [null], null],
		["has fewer than half of its batch answered", [10, null, null], null],
	])("is waited for where it %s", async (_, takesMs, earlierMs) => {
		const { left } = batch(takesMs, { expectedMs: takesMs.map(() => 100), earlierMs });
		await vi.advanceTimersByTimeAsync(600_000);
		expect(left.atMs).toBeNull();
	});

	it("is left by nobody once it has answered", async () => {
		const { left, results } = batch([10, 20, 30], { expectedMs: [0, 0, 0], earlierMs: 5 });
		await vi.advanceTimersByTimeAsync(600_000);
		expect(await results).toHaveLength(3);
		expect(left.atMs).toBeNull();
	});
});

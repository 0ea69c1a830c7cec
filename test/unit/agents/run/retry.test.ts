import { describe, expect, it } from "vitest";
import {
	nextTry,
	nextTryAfterDeath,
	orderForRetry,
	orderPanel,
	triedInVain,
} from "../../../../src/agents/run/retry.ts";
import type { Failure } from "../../../../src/failure.ts";
import type { Panel } from "../../../../src/orchestration/strategy.ts";

const WAITS_MS = [250, 1_000, 4_000];

function noAnswer(retryAfterMs: number | null = null): Extract<Failure, { reason: "all_models_failed" }> {
	return { reason: "all_models_failed", attempts: ["a: status 500"], costUsd: 0, retryAfterMs };
}

describe("the next try of a step", () => {
	it("comes three times, each after a longer wait", () => {
		const first = nextTry(noAnswer(), null, ["a"], WAITS_MS, 1_000);
		expect(first).toEqual({ failedTries: 1, deaths: 0, notBeforeMs: 1_250, askLast: ["a"] });
		const second = nextTry(noAnswer(), first, ["b", "a"], WAITS_MS, 2_000);
		expect(second).toEqual({ failedTries: 2, deaths: 0, notBeforeMs: 3_000, askLast: ["a", "b"] });
		const third = nextTry(noAnswer(), second, [], WAITS_MS, 4_000);
		expect(third).toEqual({ failedTries: 3, deaths: 0, notBeforeMs: 8_000, askLast: ["a", "b"] });
		expect(nextTry(noAnswer(), third, [], WAITS_MS, 9_000)).toBeNull();
	});

	it("comes as often as there are waits", () => {
		const only = nextTry(noAnswer(), null, [], [7], 0);
		expect(only?.notBeforeMs).toBe(7);
		expect(nextTry(noAnswer(), only, [], [7], 7)).toBeNull();
	});

	it.each([
		[null, 250],
		[100, 250],
		[2_000, 2_000],
		[600_000, 600_000],
		[600_001, null],
	])("after a Retry-After of %s ms comes after %s ms", (retryAfterMs, waitMs) => {
		expect(nextTry(noAnswer(retryAfterMs), null, [], WAITS_MS, 0)?.notBeforeMs ?? null).toBe(waitMs);
	});

	it("does not come after a refusal, and comes after a reservation that could not be made", () => {
		expect(nextTry({ ...noAnswer(), isFinal: true }, null, [], WAITS_MS, 0)).toBeNull();
		const refused: Failure = { reason: "upstream_rejected", message: "no", provider: "p", upstreamStatus: 400 };
		expect(nextTry(refused, null, [], WAITS_MS, 0)).toBeNull();
		expect(nextTry({ reason: "storage_unavailable", message: "later" }, null, [], WAITS_MS, 0)?.notBeforeMs).toBe(250);
	});
});

describe("the next try after a death", () => {
	it("comes at once, and not after the third", () => {
		const first = nextTryAfterDeath(null, 1_000);
		expect(first).toEqual({ failedTries: 0, deaths: 1, notBeforeMs: 1_000, askLast: [] });
		const second = nextTryAfterDeath(first, 2_000);
		expect(second).toEqual({ failedTries: 0, deaths: 2, notBeforeMs: 2_000, askLast: [] });
		expect(nextTryAfterDeath(second, 3_000)).toBeNull();
	});

	it("counts no failed try, and a failed try counts no death", () => {
		const failed = nextTry(noAnswer(), nextTryAfterDeath(null, 0), ["a"], WAITS_MS, 0);
		expect(nextTryAfterDeath(failed, 5)).toEqual({ failedTries: 1, deaths: 2, notBeforeMs: 5, askLast: ["a"] });
	});
});

describe("the order of models", () => {
	it("puts those that failed last", () => {
		expect(orderForRetry(["a", "b", "c"], ["a"])).toEqual(["b", "c", "a"]);
		expect(orderForRetry(["a", "b"], ["a", "b"])).toEqual(["a", "b"]);
		expect(orderForRetry(["a"], [])).toEqual(["a"]);
	});

	it("reorders every member of a panel, its judge and its comparer, and changes nothing else", () => {
		const panel: Panel = { members: [["a", "b"], ["c"]], judge: ["a", "c"], comparer: ["a", "d"], rounds: 2 };
		const ordered = { members: [["b", "a"], ["c"]], judge: ["c", "a"], comparer: ["d", "a"], rounds: 2 };
		expect(orderPanel(panel, ["a"])).toEqual(ordered);
		expect(orderPanel(panel, [])).toEqual(panel);
	});
});

describe("models that were tried in vain", () => {
	it("are done without from the fourth try on", () => {
		const vainAfter = (failedTries: number) =>
			triedInVain({ failedTries, deaths: 0, notBeforeMs: 0, askLast: ["a", "b"] });
		expect([triedInVain(null), vainAfter(2), vainAfter(3)]).toEqual([[], [], ["a", "b"]]);
	});
});

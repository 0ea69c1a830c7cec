// What recent calls say of a model: slow answers and failures count, more when they are new, and few calls say little.
import { describe, expect, it } from "vitest";
import { RecentCalls } from "../../../src/providers/recent-calls.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const MINUTE_MS = 60_000;

function afterCalls(calls: number, note: (recent: RecentCalls) => void): RecentCalls {
	const recent = new RecentCalls();
	for (let call = 0; call < calls; call++) note(recent);
	return recent;
}

describe("recent calls", () => {
	it("say nothing of a model that was not called, or answers as expected or sooner", () => {
		expect(new RecentCalls().find("m", NOW)).toEqual({});
		const quick = afterCalls(100, (recent) => recent.noteAnswer("m", 10, 2_000, NOW));
		expect(quick.find("m", NOW)).toEqual({});
		expect(quick.find("other", NOW)).toEqual({});
	});

	it("show a model that has become slow, at most eight times, and forget it", () => {
		const slow = (calls: number) => afterCalls(calls, (recent) => recent.noteAnswer("m", 60_000, 1_500, NOW));
		const few = slow(1).find("m", NOW).slowdown ?? 1;
		const many = slow(100).find("m", NOW).slowdown ?? 1;
		expect(few).toBeGreaterThan(1);
		expect(many).toBeGreaterThan(few);
		expect(many).toBeLessThanOrEqual(8);
		expect(slow(100).find("m", NOW + 90 * MINUTE_MS)).toEqual({});
	});

	it("show the share of calls that failed", () => {
		const failing = afterCalls(10, (recent) => {
			recent.noteFailure("m", NOW);
			recent.noteAnswer("m", 100, 100, NOW);
		});
		expect(failing.find("m", NOW)).toEqual({ failureShare: 0.42 });
		expect(failing.find("m", NOW + 20 * MINUTE_MS).failureShare).toBeLessThan(0.3);
		failing.clear();
		expect(failing.isEmpty).toBe(true);
	});

	it("are bounded", () => {
		const recent = new RecentCalls();
		for (let model = 0; model < 3_000; model++) recent.noteFailure(`m${model}`, NOW);
		expect(recent.find("m0", NOW)).toEqual({});
		expect(recent.find("m2999", NOW).failureShare).toBeGreaterThan(0);
	});
});

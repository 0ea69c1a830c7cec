// What recent calls say of a model: slow answers and failures count, more when they are new, and few calls say little.
import { describe, expect, it } from "vitest";
import { RecentCalls } from "../../../src/providers/recent-calls.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const MINUTE_MS = 60_000;
const U = "user one";
const V = "user two";

function afterCalls(calls: number, note: (recent: RecentCalls) => void): RecentCalls {
	const recent = new RecentCalls();
	for (let call = 0; call < calls; call++) note(recent);
	return recent;
}

describe("recent calls", () => {
	it("say nothing of a model that was not called, or answers as expected or sooner", () => {
		expect(new RecentCalls().find("m", U, NOW)).toEqual({});
		const quick = afterCalls(100, (recent) => recent.noteAnswer("m", U, 10, 2_000, NOW));
		expect(quick.find("m", U, NOW)).toEqual({});
		expect(quick.find("other", U, NOW)).toEqual({});
	});

	it("show a model that has become slow, at most eight times, and forget it", () => {
		const slow = (calls: number) => afterCalls(calls, (recent) => recent.noteAnswer("m", U, 60_000, 1_500, NOW));
		const few = slow(1).find("m", U, NOW).slowdown ?? 1;
		const many = slow(100).find("m", U, NOW).slowdown ?? 1;
		expect(few).toBeGreaterThan(1);
		expect(many).toBeGreaterThan(few);
		expect(many).toBeLessThanOrEqual(8);
		for (const user of [U, V]) expect(slow(100).find("m", user, NOW + 90 * MINUTE_MS)).toEqual({});
	});

	it("show the share of calls that failed", () => {
		const failing = afterCalls(10, (recent) => {
			recent.noteFailure("m", U, NOW);
			recent.noteAnswer("m", U, 100, 100, NOW);
		});
		expect(failing.find("m", U, NOW)).toEqual({ failureShare: 0.42 });
		expect(failing.find("m", U, NOW + 9 * MINUTE_MS).failureShare).toBeLessThan(0.4);
		failing.clear();
		expect(failing.isEmpty).toBe(true);
	});

	it("are bounded", () => {
		const recent = new RecentCalls();
		for (let model = 0; model < 11_000; model++) for (let i = 0; i < 2; i++) recent.noteFailure(`m${model}`, U, NOW);
		for (const user of [U, V]) expect(recent.find("m0", user, NOW)).toEqual({});
		for (const user of [U, V]) expect(recent.find("m10999", user, NOW).failureShare).toBeGreaterThan(0);
	});

	it("are shown exactly to who made them, and rounded down to who did not call the model for ten minutes", () => {
		const recent = afterCalls(10, (calls) => {
			calls.noteFailure("m", U, NOW);
			calls.noteAnswer("m", U, 60_000, 1_500, NOW);
		});
		expect(recent.find("m", U, NOW)).toEqual({ failureShare: 0.42, slowdown: 4.4 });
		expect(recent.find("m", V, NOW)).toEqual({ failureShare: 0.25, slowdown: 4 });
		// One call of its own, and all that others met is gone from what a user is shown.
		recent.noteAnswer("m", V, 10, 2_000, NOW);
		expect(recent.find("m", V, NOW + 10 * MINUTE_MS - 1)).toEqual({});
		expect(recent.find("m", V, NOW + 10 * MINUTE_MS)).toEqual({ failureShare: 0.25, slowdown: 3 });
	});

	it("tell nobody else of a call or two", () => {
		const recent = new RecentCalls();
		recent.noteFailure("m", U, NOW);
		recent.noteAnswer("n", U, 60_000, 1_500, NOW);
		for (const model of ["m", "n"]) {
			expect(recent.find(model, U, NOW)).not.toEqual({});
			expect(recent.find(model, V, NOW)).toEqual({});
		}
	});

	it("of a clock that went back since do not count", () => {
		const recent = afterCalls(10, (calls) => calls.noteFailure("m", U, NOW + 60 * MINUTE_MS));
		for (const user of [U, V]) expect(recent.find("m", user, NOW)).toEqual({});
		recent.noteFailure("m", U, NOW);
		expect(recent.find("m", U, NOW)).toEqual({ failureShare: 0.2 });
	});
});

// What recent calls say of a model: slow answers and failures count, more when they are new, and few calls say little.
import { describe, expect, it } from "vitest";
import { RecentCalls } from "../../../src/providers/recent-calls.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const MINUTE_MS = 60_000;
const U = "user one";
const V = "user two";
const called = (model: string, provider = "p") => ({ provider, model });

function afterCalls(calls: number, note: (recent: RecentCalls) => void): RecentCalls {
	const recent = new RecentCalls();
	for (let call = 0; call < calls; call++) note(recent);
	return recent;
}

describe("recent calls", () => {
	it("say nothing of a model that was not called, or answers as expected or sooner", () => {
		expect(new RecentCalls().find(called("m"), U, NOW)).toEqual({});
		const quick = afterCalls(100, (recent) => recent.noteAnswer(called("m"), U, 10, 2_000, NOW));
		expect(quick.find(called("m"), U, NOW)).toEqual({});
		expect(quick.find(called("other"), U, NOW)).toEqual({});
	});

	it("show a model that has become slow, at most eight times, and forget it", () => {
		const slow = (calls: number) =>
			afterCalls(calls, (recent) => recent.noteAnswer(called("m"), U, 60_000, 1_500, NOW));
		const few = slow(3).find(called("m"), U, NOW).slowdown ?? 1;
		const many = slow(100).find(called("m"), U, NOW).slowdown ?? 1;
		expect(few).toBeGreaterThan(1);
		expect(many).toBeGreaterThan(few);
		expect(many).toBeLessThanOrEqual(8);
		for (const user of [U, V]) expect(slow(100).find(called("m"), user, NOW + 90 * MINUTE_MS)).toEqual({});
	});

	it("show the share of calls that failed", () => {
		const failing = afterCalls(10, (recent) => {
			recent.noteFailure(called("m"), U, NOW);
			recent.noteAnswer(called("m"), U, 100, 100, NOW);
		});
		expect(failing.find(called("m"), U, NOW)).toEqual({ failureShare: 0.25 });
		expect(failing.find(called("m"), U, NOW + 9 * MINUTE_MS).failureShare).toBeLessThan(0.2);
		failing.clear();
		expect(failing.isEmpty).toBe(true);
	});

	it("are bounded", () => {
		const recent = new RecentCalls();
		for (let model = 0; model < 11_000; model++)
			for (let i = 0; i < 2; i++) recent.noteFailure(called(`m${model}`), U, NOW);
		for (const user of [U, V]) expect(recent.find(called("m0"), user, NOW)).toEqual({});
		for (const user of [U, V]) expect(recent.find(called("m10999"), user, NOW).failureShare).toBeGreaterThan(0);
	});

	it("are shown exactly to who made them, and rounded down to who did not call the model for ten minutes", () => {
		const recent = afterCalls(40, (calls) => {
			calls.noteFailure(called("m"), U, NOW);
			calls.noteAnswer(called("m"), U, 60_000, 1_500, NOW);
		});
		expect(recent.find(called("m"), U, NOW)).toEqual({ failureShare: 0.4, slowdown: 4 });
		expect(recent.find(called("m"), V, NOW)).toEqual({ failureShare: 0.25, slowdown: 4 });
		// One call of its own, and all that others met is gone from what a user is shown.
		recent.noteAnswer(called("m"), V, 10, 2_000, NOW);
		expect(recent.find(called("m"), V, NOW + 10 * MINUTE_MS - 1)).toEqual({});
		expect(recent.find(called("m"), V, NOW + 10 * MINUTE_MS)).toEqual({ failureShare: 0.25, slowdown: 2 });
	});

	it("tell nobody else of a few", () => {
		const recent = afterCalls(3, (calls) => {
			calls.noteFailure(called("m"), U, NOW);
			calls.noteAnswer(called("n"), U, 60_000, 1_500, NOW);
		});
		for (const model of ["m", "n"]) {
			expect(recent.find(called(model), U, NOW)).not.toEqual({});
			expect(recent.find(called(model), V, NOW)).toEqual({});
		}
	});

	it("say little while they are few: one failure is one in twenty-one, and answers after it make it less", () => {
		const recent = new RecentCalls();
		recent.noteFailure(called("m"), U, NOW);
		expect(recent.find(called("m"), U, NOW).failureShare).toBe(0.05);
		for (let call = 0; call < 60; call++) recent.noteAnswer(called("m"), U, 100, 100, NOW);
		expect(recent.find(called("m"), U, NOW)).toEqual({});
	});

	it("count beside what is usual at the provider, which other models' calls show for a day", () => {
		const recent = afterCalls(100, (calls) => {
			calls.noteFailure(called("other"), U, NOW);
			for (let i = 0; i < 3; i++) calls.noteAnswer(called("other"), U, 100, 100, NOW);
		});
		const later = NOW + 60 * MINUTE_MS;
		recent.noteFailure(called("m"), V, later);
		recent.noteFailure(called("m", "elsewhere"), V, later);
		expect(recent.find(called("m"), V, later)).toEqual({ failureShare: 0.24 });
		expect(recent.find(called("m", "elsewhere"), V, later)).toEqual({ failureShare: 0.05 });
	});

	it("are not counted twice, as a model's and as its provider's", () => {
		const failing = afterCalls(5, (recent) => recent.noteFailure(called("m"), U, NOW));
		expect(failing.find(called("m"), U, NOW)).toEqual({ failureShare: 0.2 });
	});

	it("of a clock that went back since do not count", () => {
		const recent = afterCalls(10, (calls) => calls.noteFailure(called("m"), U, NOW + 60 * MINUTE_MS));
		for (const user of [U, V]) expect(recent.find(called("m"), user, NOW)).toEqual({});
		recent.noteFailure(called("m"), U, NOW);
		expect(recent.find(called("m"), U, NOW)).toEqual({ failureShare: 0.05 });
	});
});

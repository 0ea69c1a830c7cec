// What an isolate repeats of a meter's refusal: for its wait, a few seconds at most, and for a bounded number of users.
import { describe, expect, it } from "vitest";
import { type LimitRefusal, Refusals } from "../../../src/meter/refusals.ts";

function caller(userId: string, keyId = `key of ${userId}`) {
	return { userId, keyId };
}

function verdict(
	retryAfterMs: number,
	reason: LimitRefusal["reason"] = "rate_limit_exceeded",
	limitOf: LimitRefusal["limitOf"] = "plan",
): LimitRefusal {
	const quota = { plan: "free", rpm: 10, remaining: 0, resetMs: 59_000, dailyLimit: 1_000, usedToday: 10 } as const;
	return { admitted: false, reason, limitOf, quota, retryAfterMs };
}

describe("a refusal", () => {
	it("is repeated for its wait, with what is left of it", () => {
		const refusals = new Refusals();
		refusals.remember(caller("a"), verdict(2_000), 1_000);
		expect(refusals.find(caller("a"), true, 1_500)).toMatchObject({ retryAfterMs: 1_500, quota: { resetMs: 58_500 } });
		expect(refusals.find(caller("a"), true, 2_999)).toMatchObject({ retryAfterMs: 1 });
		expect(refusals.find(caller("a"), true, 3_000)).toBeNull();
		expect(refusals.find(caller("b"), true, 1_500)).toBeNull();
	});

	it("is repeated for five seconds at most, and not by a clock that stepped back", () => {
		const refusals = new Refusals();
		refusals.remember(caller("a"), verdict(50_000), 1_000);
		expect(refusals.find(caller("a"), true, 5_999)).not.toBeNull();
		expect(refusals.find(caller("a"), true, 6_000)).toBeNull();
		refusals.remember(caller("a"), verdict(50_000), 1_000);
		expect(refusals.find(caller("a"), true, 999)).toBeNull();
	});

	it("at the daily limit holds for what counts towards the day", () => {
		const refusals = new Refusals();
		refusals.remember(caller("a"), verdict(50_000, "daily_limit_exceeded"), 0);
		expect(refusals.find(caller("a"), false, 1)).toBeNull();
		expect(refusals.find(caller("a"), true, 1)).not.toBeNull();
	});

	it("of a key holds for that key only, and of a plan for all keys of the user", () => {
		const refusals = new Refusals();
		refusals.remember(caller("a", "first"), verdict(5_000, "rate_limit_exceeded", "key"), 0);
		expect(refusals.find(caller("a", "first"), true, 1)).not.toBeNull();
		expect(refusals.find(caller("a", "second"), true, 1)).toBeNull();
		refusals.remember(caller("b", "third"), verdict(5_000), 0);
		expect(refusals.find(caller("b", "fourth"), true, 1)).not.toBeNull();
	});

	it("is forgotten when it is said so, and when too many others came after it", () => {
		const refusals = new Refusals();
		for (const user of ["a", "b"]) refusals.remember(caller(user), verdict(5_000), 0);
		refusals.forget("b");
		expect(refusals.find(caller("b"), true, 1)).toBeNull();
		for (let others = 0; others < 10_000; others++) refusals.remember(caller(`other-${others}`), verdict(5_000), 0);
		expect(refusals.find(caller("a"), true, 1)).toBeNull();
		expect(refusals.find(caller("other-9999"), true, 1)).not.toBeNull();
	});
});

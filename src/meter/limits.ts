// Compares windows with limits: those of a user's plan, and those of a key. Pure; the clock is an argument.
import type { PlanId } from "../catalog/plans.ts";
import type { Quota } from "./meter-calls.ts";
import type { LimitWindows } from "./packed-windows.ts";
import type { LimitRefusal } from "./refusals.ts";

/** What is left of limits. */
export function toQuota(
	plan: PlanId,
	{ rpm, dailyLimit }: Pick<Quota, "rpm" | "dailyLimit">,
	{ minute, day }: LimitWindows,
	nowMs: number,
): Quota {
	return {
		plan,
		rpm,
		remaining: Math.max(0, rpm - minute.count(nowMs)),
		resetMs: minute.msUntilEmpty(nowMs),
		dailyLimit,
		usedToday: day.count(nowMs),
	};
}

/** The refusal of a request that is over a limit; null when it fits. */
export function refuseOverLimit(
	limitOf: LimitRefusal["limitOf"],
	quota: Quota,
	countsTowardsDay: boolean,
	{ minute, day }: LimitWindows,
	nowMs: number,
): LimitRefusal | null {
	if (quota.remaining === 0) {
		const retryAfterMs = minute.msUntilSlot(nowMs);
		return { admitted: false, reason: "rate_limit_exceeded", limitOf, quota, retryAfterMs };
	}
	if (!countsTowardsDay || quota.dailyLimit === null || quota.usedToday < quota.dailyLimit) return null;
	return { admitted: false, reason: "daily_limit_exceeded", limitOf, quota, retryAfterMs: day.msUntilSlot(nowMs) };
}

/** Of a plan's quota and a key's, the one that leaves fewer requests a minute. */
export function narrowerQuota(ofPlan: Quota, ofKey: Quota | null): Quota {
	return ofKey && ofKey.remaining <= ofPlan.remaining ? ofKey : ofPlan;
}

// What an isolate was told by meters: users over a limit, and for how long. Pure; the clock is an argument.
import type { AdmitVerdict } from "./meter-calls.ts";

/** A meter's refusal that will be another after a known wait. */
export type OverLimit = Extract<AdmitVerdict, { admitted: false; retryAfterMs: number }>;

/** Longest that a refusal is repeated unasked: a user who has just got a higher plan waits no longer. */
const MAX_REMEMBERED_MS = 5_000;
const MAX_USERS = 10_000;

/** Refusals by user, so that a flood of one key costs neither its meter nor the reading of bodies. */
export class Refusals {
	#byUser = new Map<string, { verdict: OverLimit; toldAtMs: number }>();

	remember(userId: string, verdict: OverLimit, nowMs: number): void {
		// The oldest goes first: a map keeps the order in which its keys came.
		this.#byUser.delete(userId);
		if (this.#byUser.size === MAX_USERS) this.#byUser.delete(this.#byUser.keys().next().value ?? "");
		this.#byUser.set(userId, { verdict, toldAtMs: nowMs });
	}

	/** What the meter would say now, as far as it is known; null when it has to be asked. */
	find(userId: string, countsTowardsDay: boolean, nowMs: number): OverLimit | null {
		const known = this.#byUser.get(userId);
		if (!known) return null;
		const { verdict, toldAtMs } = known;
		const passedMs = nowMs - toldAtMs;
		if (passedMs < 0 || passedMs >= Math.min(verdict.retryAfterMs, MAX_REMEMBERED_MS)) {
			this.#byUser.delete(userId);
			return null;
		}
		if (verdict.reason === "daily_limit_exceeded" && !countsTowardsDay) return null;
		const quota = { ...verdict.quota, resetMs: Math.max(0, verdict.quota.resetMs - passedMs) };
		return { ...verdict, quota, retryAfterMs: verdict.retryAfterMs - passedMs };
	}

	/** For a user whose plan or keys have changed. */
	forget(userId: string): void {
		this.#byUser.delete(userId);
	}
}

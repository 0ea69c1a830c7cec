// Refusals that an isolate remembers: which users are over a limit, and for how long. Pure; the clock is an argument.
import type { AdmitVerdict } from "./meter-calls.ts";

/** A meter's refusal that ends after a known wait. */
export type LimitRefusal = Extract<AdmitVerdict, { admitted: false; retryAfterMs: number }>;

/** How long a refusal is repeated without asking the meter, at most: a user with a new plan waits no longer. */
const MAX_REMEMBERED_MS = 5_000;
const MAX_USERS = 10_000;

/** Refusals by user. A flood of requests under one key then reaches no meter, and no body of it is read. */
export class Refusals {
	#byUser = new Map<string, { verdict: LimitRefusal; refusedAtMs: number }>();

	remember(userId: string, verdict: LimitRefusal, nowMs: number): void {
		// Deleted first, so that the map's order is by age; the oldest is dropped.
		this.#byUser.delete(userId);
		if (this.#byUser.size === MAX_USERS) this.#byUser.delete(this.#byUser.keys().next().value ?? "");
		this.#byUser.set(userId, { verdict, refusedAtMs: nowMs });
	}

	/** The refusal that the meter would answer now; null when the meter must be asked. */
	find(userId: string, countsTowardsDay: boolean, nowMs: number): LimitRefusal | null {
		const known = this.#byUser.get(userId);
		if (!known) return null;
		const { verdict, refusedAtMs } = known;
		const passedMs = nowMs - refusedAtMs;
		if (passedMs < 0 || passedMs >= Math.min(verdict.retryAfterMs, MAX_REMEMBERED_MS)) {
			this.#byUser.delete(userId);
			return null;
		}
		if (verdict.reason === "daily_limit_exceeded" && !countsTowardsDay) return null;
		const quota = { ...verdict.quota, resetMs: Math.max(0, verdict.quota.resetMs - passedMs) };
		return { ...verdict, quota, retryAfterMs: verdict.retryAfterMs - passedMs };
	}

	/** Forgets a user whose plan or keys have changed. */
	forget(userId: string): void {
		this.#byUser.delete(userId);
	}
}

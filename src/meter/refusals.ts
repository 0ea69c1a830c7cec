// Refusals that an isolate remembers: which users and keys are over a limit, and for how long. Pure; the clock is an argument.
import type { AdmitVerdict } from "./meter-calls.ts";

/** A meter's refusal that ends after a known wait. */
export type LimitRefusal = Extract<AdmitVerdict, { admitted: false; retryAfterMs: number }>;

/** How long a refusal is repeated without asking the meter, at most: a user with a new plan waits no longer. */
const MAX_REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** Who is refused. */
export interface LimitedCaller {
	userId: string;
	keyId: string;
}

/** Refusals by user or key. A flood of requests under one key then reaches no meter, and no body of it is read. */
export class Refusals {
	#byId = new Map<string, { verdict: LimitRefusal; refusedAtMs: number }>();

	remember({ userId, keyId }: LimitedCaller, verdict: LimitRefusal, nowMs: number): void {
		const id = verdict.limitOf === "key" ? keyId : userId;
		// Deleted first, so that the map's order is by age; the oldest is dropped.
		this.#byId.delete(id);
		if (this.#byId.size === MAX_REMEMBERED) this.#byId.delete(this.#byId.keys().next().value ?? "");
		this.#byId.set(id, { verdict, refusedAtMs: nowMs });
	}

	/** The refusal that the meter would answer now; null when the meter must be asked. */
	find({ userId, keyId }: LimitedCaller, countsTowardsDay: boolean, nowMs: number): LimitRefusal | null {
		return this.#find(userId, countsTowardsDay, nowMs) ?? this.#find(keyId, countsTowardsDay, nowMs);
	}

	#find(id: string, countsTowardsDay: boolean, nowMs: number): LimitRefusal | null {
		const known = this.#byId.get(id);
		if (!known) return null;
		const { verdict, refusedAtMs } = known;
		const passedMs = nowMs - refusedAtMs;
		if (passedMs < 0 || passedMs >= Math.min(verdict.retryAfterMs, MAX_REMEMBERED_MS)) {
			this.#byId.delete(id);
			return null;
		}
		if (verdict.reason === "daily_limit_exceeded" && !countsTowardsDay) return null;
		const quota = { ...verdict.quota, resetMs: Math.max(0, verdict.quota.resetMs - passedMs) };
		return { ...verdict, quota, retryAfterMs: verdict.retryAfterMs - passedMs };
	}

	/** Forgets a user whose plan or keys have changed, or a key. */
	forget(id: string): void {
		this.#byId.delete(id);
	}
}

// What a meter sends once a minute: sums of days to D1, and metrics to object `Metrics`. The meter says when, with an admission or its alarm.
import { database } from "../db/client.edge.ts";
import { logError } from "../http/log.edge.ts";
import type { MeterAccount } from "./meter-account.edge.ts";
import type { MeterMetrics } from "./meter-metrics.edge.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { forgetEarlierSums, highestRevision, recordUsageDays } from "./usage-days.store.ts";

/** D1 gets sums once in this time, at most. */
export const SUMS_EVERY_MS = 60_000;
/** Sums of one statement: about 200 bytes each, and D1 takes 2 MB. */
const SUMS_AT_ONCE = 2_000;

export class MinuteSums {
	/** Null while nobody reads metrics. */
	metrics: MeterMetrics | null = null;
	/** Whether both are to be sent before they are due. */
	areWanted = false;
	#env: Env;
	#account: MeterAccount;
	#state: MeterState;
	#arm: (atMs: number) => void;
	#sentAtMs = Date.now();
	#metricsTriedAtMs = Date.now();
	#hasSent = false;

	/** @param arm sets the meter's alarm. The earlier time wins. */
	constructor(env: Env, account: MeterAccount, state: MeterState, arm: (atMs: number) => void) {
		this.#env = env;
		this.#account = account;
		this.#state = state;
		this.#arm = arm;
	}

	/** Whether this instance has sent sums. Until then its alarm sends them, which may be why it woke. */
	get hasSent(): boolean {
		return this.#hasSent;
	}

	get hasUnsent(): boolean {
		return this.#state.hasUnsent || (this.metrics?.hasUnsent ?? false);
	}

	/** Whether sums or metrics are to be sent. */
	isDue(nowMs: number): boolean {
		return this.#areSumsDue(nowMs) || this.#areMetricsDue(nowMs);
	}

	#areSumsDue(nowMs: number): boolean {
		const isDue = this.areWanted || Math.abs(nowMs - this.#sentAtMs) >= SUMS_EVERY_MS;
		return isDue && this.#state.hasUnsent;
	}

	#areMetricsDue(nowMs: number): boolean {
		const isDue = this.areWanted || Math.abs(nowMs - this.#metricsTriedAtMs) >= SUMS_EVERY_MS;
		return isDue && (this.metrics?.hasUnsent ?? false);
	}

	/** Sets the alarm that sends what is unsent. Not for an object that wakes: what it has not folded may have been sent before. */
	armForSending(notBeforeMs: number): void {
		if (this.#state.hasUnsent) this.#arm(Math.max(this.#sentAtMs + SUMS_EVERY_MS, notBeforeMs));
		if (this.metrics?.hasUnsent) this.#arm(Math.max(this.#metricsTriedAtMs + SUMS_EVERY_MS, notBeforeMs));
	}

	/** Writes sums to D1 where they are due; false when they are not. @throws when D1 refuses. */
	async write(): Promise<boolean> {
		const { userId, revisionBase } = this.#account;
		if (userId === null || !this.#areSumsDue(Date.now())) return false;
		const db = database(this.#env.DB);
		const base = revisionBase ?? (await highestRevision(db, userId));
		// D1 may have sums of a later state than the one that was restored.
		if (revisionBase === null) this.#state.markAllUnsent();
		const sums = this.#state.unsentSums(base);
		for (let from = 0; from < sums.length; from += SUMS_AT_ONCE) {
			const some = sums.slice(from, from + SUMS_AT_ONCE);
			await recordUsageDays(db, userId, some);
			this.#state.markSent(some, base);
		}
		if (revisionBase === null) {
			await forgetEarlierSums(db, userId, base);
			this.#account.setRevisionBase(base);
		}
		this.#sentAtMs = Date.now();
		this.#hasSent = true;
		return true;
	}

	/** Sends metrics where they are due. While object `Metrics` is away, nothing else waits for it: the next minute sends the same. */
	async sendMetrics(): Promise<false> {
		const nowMs = Date.now();
		if (!this.#areMetricsDue(nowMs)) return false;
		this.#metricsTriedAtMs = nowMs;
		try {
			await this.metrics?.send();
		} catch (error) {
			logError("metrics_not_sent", error);
			this.#arm(nowMs + SUMS_EVERY_MS);
		}
		return false;
	}
}

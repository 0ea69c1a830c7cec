// How models have answered lately: how slowly, and how often not at all. Older calls count less. Pure; the clock is an argument.
import { BoundedMap } from "../bounded-map.ts";

/** After this time a call counts half. */
const HALF_LIFE_MS = 10 * 60_000;
/** More models and provider keys than one isolate calls. */
const MAX_RECORDS = 1_000;
/** A few calls say little: so many calls without failures, and as fast as the catalog says, are counted with them. */
const PRIOR_CALLS = 4;
/** Way to the provider and back, which the catalog's times do not have. */
const NETWORK_MS = 500;
const MAX_SLOWDOWN = 8;
/** Less than this is noise. */
const MIN_SLOWDOWN = 1.2;
const MIN_FAILURE_SHARE = 0.02;

interface CallRecord {
	atMs: number;
	failures: number;
	answers: number;
	/** Sum of the logarithms of the answers' slowdowns. */
	logSlowdowns: number;
}

/** What recent calls of a model say; members that say nothing are left out. */
interface RecentCallsFinding {
	/** How many times as long as expected its answers took. */
	slowdown?: number;
	/** The share of its calls that failed. */
	failureShare?: number;
}

/** A record as it counts at a later time. */
function decayed(record: CallRecord | undefined, nowMs: number): CallRecord {
	if (!record) return { atMs: nowMs, failures: 0, answers: 0, logSlowdowns: 0 };
	const weight = 2 ** -(Math.max(0, nowMs - record.atMs) / HALF_LIFE_MS);
	return {
		atMs: nowMs,
		failures: record.failures * weight,
		answers: record.answers * weight,
		logSlowdowns: record.logSlowdowns * weight,
	};
}

/** The recent calls of one isolate, by model and provider key. */
export class RecentCalls {
	readonly #records = new BoundedMap<string, CallRecord>(MAX_RECORDS);

	/**
	 * Notes an answer. One that came sooner than expected counts as expected: else a model that is called would look faster than
	 * those that nobody calls.
	 */
	noteAnswer(key: string, tookMs: number, expectedMs: number, nowMs: number): void {
		const slowdown = Math.min(MAX_SLOWDOWN, Math.max(1, tookMs / (expectedMs + NETWORK_MS)));
		const record = decayed(this.#records.get(key), nowMs);
		record.answers += 1;
		record.logSlowdowns += Math.log(slowdown);
		this.#records.set(key, record);
	}

	/** Notes a call that its provider failed. */
	noteFailure(key: string, nowMs: number): void {
		const record = decayed(this.#records.get(key), nowMs);
		record.failures += 1;
		this.#records.set(key, record);
	}

	/** What is known at a time, rounded: decisions are made with the figures that are shown. */
	find(key: string, nowMs: number): RecentCallsFinding {
		const known = this.#records.get(key);
		if (!known) return {};
		const { answers, failures, logSlowdowns } = decayed(known, nowMs);
		const slowdown = Math.round(10 * Math.exp(logSlowdowns / (answers + PRIOR_CALLS))) / 10;
		const failureShare = Math.round((100 * failures) / (answers + failures + PRIOR_CALLS)) / 100;
		return {
			...(slowdown >= MIN_SLOWDOWN ? { slowdown } : {}),
			...(failureShare >= MIN_FAILURE_SHARE ? { failureShare } : {}),
		};
	}

	get isEmpty(): boolean {
		return this.#records.size === 0;
	}

	clear(): void {
		this.#records.clear();
	}
}

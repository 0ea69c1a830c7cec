// How models have answered lately: how slowly, and how often not at all. Older calls count less. A user who called a model lately
// is shown those calls and no others, exactly; everybody else the calls of all, rounded. Pure; the
// clock is an argument.
import { BoundedMap } from "../bounded-map.ts";

/** After this time a call counts half. */
const HALF_LIFE_MS = 10 * 60_000;
/** More models and provider keys than one isolate calls. */
const MAX_RECORDS = 1_000;
/** Records of single users; the least recently written are forgotten first. */
const MAX_OWN_RECORDS = 10_000;
/** A user's own calls stand for the model until the last of them is so old. */
const OWN_MS = 600_000;
/** A few calls say little: so many calls without failures, and as fast as the catalog says, are counted with them. */
const PRIOR_CALLS = 4;
/** Way to the provider and back, which the catalog's times do not have. */
const NETWORK_MS = 500;
const MAX_SLOWDOWN = 8;
/** Less than this is noise. */
const MIN_SLOWDOWN = 1.2;
const MIN_FAILURE_SHARE = 0.02;
/** What is shown of the calls of all: the highest of these steps that is reached. */
const SLOWDOWN_STEPS = [8, 6, 4, 3, 2];
const FAILURE_SHARE_STEPS = [0.75, 0.5, 0.25];

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

/** A record as it counts at a later time. One of a time to come is of a clock that went back since: it does not count. */
function decayed(record: CallRecord | undefined, nowMs: number): CallRecord {
	if (!record || record.atMs > nowMs) return { atMs: nowMs, failures: 0, answers: 0, logSlowdowns: 0 };
	const weight = 2 ** -((nowMs - record.atMs) / HALF_LIFE_MS);
	return {
		atMs: nowMs,
		failures: record.failures * weight,
		answers: record.answers * weight,
		logSlowdowns: record.logSlowdowns * weight,
	};
}

/** The figures of a record at a time, as exact as they say something. */
function toFigures(record: CallRecord, nowMs: number): { slowdown: number; failureShare: number } {
	const { answers, failures, logSlowdowns } = decayed(record, nowMs);
	return {
		slowdown: Math.round(10 * Math.exp(logSlowdowns / (answers + PRIOR_CALLS))) / 10,
		failureShare: Math.round((100 * failures) / (answers + failures + PRIOR_CALLS)) / 100,
	};
}

/** The recent calls of one isolate, by model and provider key (callKey of health.ts). Users are short hashes. */
export class RecentCalls {
	readonly #ofAll = new BoundedMap<string, CallRecord>(MAX_RECORDS);
	readonly #ofUsers = new BoundedMap<string, CallRecord>(MAX_OWN_RECORDS);

	#note(key: string, user: string, nowMs: number, add: (record: CallRecord) => void): void {
		for (const [records, name] of [
			[this.#ofAll, key],
			[this.#ofUsers, `${user} ${key}`],
		] as const) {
			const record = decayed(records.get(name), nowMs);
			add(record);
			records.set(name, record);
		}
	}

	/**
	 * Notes an answer. One that came sooner than expected counts as expected: else a model that is called would look faster than
	 * those that nobody calls.
	 */
	noteAnswer(key: string, user: string, tookMs: number, expectedMs: number, nowMs: number): void {
		const slowdown = Math.min(MAX_SLOWDOWN, Math.max(1, tookMs / (expectedMs + NETWORK_MS)));
		this.#note(key, user, nowMs, (record) => {
			record.answers += 1;
			record.logSlowdowns += Math.log(slowdown);
		});
	}

	/** Notes a call that its provider failed. */
	noteFailure(key: string, user: string, nowMs: number): void {
		this.#note(key, user, nowMs, (record) => {
			record.failures += 1;
		});
	}

	/** What a user is shown of a model at a time. Decisions are made with the figures that are shown. */
	find(key: string, user: string, nowMs: number): RecentCallsFinding {
		const own = this.#ofUsers.get(`${user} ${key}`);
		if (own && own.atMs <= nowMs && nowMs - own.atMs < OWN_MS) {
			const { slowdown, failureShare } = toFigures(own, nowMs);
			return {
				...(slowdown >= MIN_SLOWDOWN ? { slowdown } : {}),
				...(failureShare >= MIN_FAILURE_SHARE ? { failureShare } : {}),
			};
		}
		const ofAll = this.#ofAll.get(key);
		if (!ofAll) return {};
		const exact = toFigures(ofAll, nowMs);
		const slowdown = SLOWDOWN_STEPS.find((step) => exact.slowdown >= step);
		const failureShare = FAILURE_SHARE_STEPS.find((step) => exact.failureShare >= step);
		return {
			...(slowdown === undefined ? {} : { slowdown }),
			...(failureShare === undefined ? {} : { failureShare }),
		};
	}

	get isEmpty(): boolean {
		return this.#ofAll.size === 0;
	}

	clear(): void {
		this.#ofAll.clear();
		this.#ofUsers.clear();
	}
}

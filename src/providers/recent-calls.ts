// How models have answered lately: how slowly, and how often not at all. Older calls count less, and a few say little beside what is
// usual at the provider. A user who called a model lately is shown those calls and no others, exactly; everybody else the calls of
// all, rounded. Pure; the clock is an argument.
import { BoundedMap } from "../bounded-map.ts";

/** After this time a call counts half. */
const HALF_LIFE_MS = 10 * 60_000;
/** The same for what is usual at a provider. */
const USUAL_HALF_LIFE_MS = 24 * 3_600_000;
/** More models and provider keys than one isolate calls. */
const MAX_RECORDS = 1_000;
/** Records of single users; the least recently written are forgotten first. */
const MAX_OWN_RECORDS = 10_000;
/** A user's own calls stand for the model until the last of them is so old. */
const OWN_MS = 600_000;
/** A few calls say little: so many, as fast as the catalog says and failing as usual at the provider, are counted with them. */
const PRIOR_CALLS = 20;
/** Way to the provider and back, which the catalog's times do not have. */
const NETWORK_MS = 500;
const MAX_SLOWDOWN = 8;
/** Less than this is noise. */
const MIN_SLOWDOWN = 1.2;
const MIN_FAILURE_SHARE = 0.02;
/** What is shown of the calls of all: the highest of these steps that is reached. */
const SLOWDOWN_STEPS = [8, 6, 4, 3, 2];
const FAILURE_SHARE_STEPS = [0.75, 0.5, 0.25];
/** The same for what is usual at a provider. */
const USUAL_SHARE_STEPS = [0.5, 0.3, 0.2, 0.1];

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

/** A model under one provider key. */
interface CalledModel {
	/** The provider under its keys: breakerKey of health.ts. */
	provider: string;
	model: string;
}

/** A record as it counts at a later time. One of a time to come is of a clock that went back since: it does not count. */
function decayed(record: CallRecord | undefined, nowMs: number, halfLifeMs = HALF_LIFE_MS): CallRecord {
	if (!record || record.atMs > nowMs) return { atMs: nowMs, failures: 0, answers: 0, logSlowdowns: 0 };
	const weight = 2 ** -((nowMs - record.atMs) / halfLifeMs);
	return {
		atMs: nowMs,
		failures: record.failures * weight,
		answers: record.answers * weight,
		logSlowdowns: record.logSlowdowns * weight,
	};
}

function toKey({ provider, model }: CalledModel): string {
	return `${provider} ${model}`;
}

/** The highest step that is reached. */
function roundDown(value: number, steps: readonly number[]): number | undefined {
	return steps.find((step) => value >= step);
}

/** The share of calls that failed, with calls counted in of which a usual share fails. */
function shrunkShare({ answers, failures }: Pick<CallRecord, "answers" | "failures">, usualShare: number): number {
	return (failures + PRIOR_CALLS * usualShare) / (answers + failures + PRIOR_CALLS);
}

/** The figures of a record at a time, as exact as they say something. */
function toFigures(record: CallRecord, usualShare: number, nowMs: number): { slowdown: number; failureShare: number } {
	const recent = decayed(record, nowMs);
	return {
		slowdown: Math.round(10 * Math.exp(recent.logSlowdowns / (recent.answers + PRIOR_CALLS))) / 10,
		failureShare: Math.round(100 * shrunkShare(recent, usualShare)) / 100,
	};
}

/** The recent calls of one isolate. Users are short hashes. */
export class RecentCalls {
	readonly #ofAll = new BoundedMap<string, CallRecord>(MAX_RECORDS);
	/** By provider key, and by model: what is usual. */
	readonly #usual = new BoundedMap<string, CallRecord>(MAX_RECORDS);
	readonly #ofUsers = new BoundedMap<string, CallRecord>(MAX_OWN_RECORDS);

	#note(called: CalledModel, user: string, nowMs: number, add: (record: CallRecord) => void): void {
		const key = toKey(called);
		for (const [records, name, halfLifeMs] of [
			[this.#ofAll, key, HALF_LIFE_MS],
			[this.#ofUsers, `${user} ${key}`, HALF_LIFE_MS],
			[this.#usual, key, USUAL_HALF_LIFE_MS],
			[this.#usual, called.provider, USUAL_HALF_LIFE_MS],
		] as const) {
			const record = decayed(records.get(name), nowMs, halfLifeMs);
			add(record);
			records.set(name, record);
		}
	}

	/** The share of calls that usually fail at a provider with other models. Rounded down: these are all users' calls. */
	#usualShare(called: CalledModel, nowMs: number): number {
		const usual = (name: string) => decayed(this.#usual.get(name), nowMs, USUAL_HALF_LIFE_MS);
		const [all, own] = [usual(called.provider), usual(toKey(called))];
		const answers = Math.max(0, all.answers - own.answers);
		const failures = Math.max(0, all.failures - own.failures);
		return roundDown(shrunkShare({ answers, failures }, 0), USUAL_SHARE_STEPS) ?? 0;
	}

	/**
	 * Notes an answer. One that came sooner than expected counts as expected: else a model that is called would look faster than
	 * those that nobody calls.
	 */
	noteAnswer(called: CalledModel, user: string, tookMs: number, expectedMs: number, nowMs: number): void {
		const slowdown = Math.min(MAX_SLOWDOWN, Math.max(1, tookMs / (expectedMs + NETWORK_MS)));
		this.#note(called, user, nowMs, (record) => {
			record.answers += 1;
			record.logSlowdowns += Math.log(slowdown);
		});
	}

	/** Notes a call that its provider failed. */
	noteFailure(called: CalledModel, user: string, nowMs: number): void {
		this.#note(called, user, nowMs, (record) => {
			record.failures += 1;
		});
	}

	/** What a user is shown of a model at a time. Decisions are made with the figures that are shown. */
	find(called: CalledModel, user: string, nowMs: number): RecentCallsFinding {
		const key = toKey(called);
		const usualShare = this.#usualShare(called, nowMs);
		const own = this.#ofUsers.get(`${user} ${key}`);
		if (own && own.atMs <= nowMs && nowMs - own.atMs < OWN_MS) {
			const { slowdown, failureShare } = toFigures(own, usualShare, nowMs);
			return {
				...(slowdown >= MIN_SLOWDOWN ? { slowdown } : {}),
				...(failureShare >= MIN_FAILURE_SHARE ? { failureShare } : {}),
			};
		}
		const ofAll = this.#ofAll.get(key);
		if (!ofAll) return {};
		const exact = toFigures(ofAll, usualShare, nowMs);
		const slowdown = roundDown(exact.slowdown, SLOWDOWN_STEPS);
		const failureShare = roundDown(exact.failureShare, FAILURE_SHARE_STEPS);
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
		this.#usual.clear();
		this.#ofUsers.clear();
	}
}

// How long settled requests took, and how many others were refused or failed, by day, API key and model. Pure.
import { type DayPlace, dayPart } from "./day-sums.ts";
import { addTime, EMPTY_HISTOGRAM, mergeHistograms, type TimeHistogram } from "./time-histogram.ts";

/** What is summed up of one place. */
export interface TimeCounts {
	/** From a request's arrival to its settlement. */
	latency: TimeHistogram;
	/** From its arrival to its first token. */
	firstToken: TimeHistogram;
	/** Requests without a bill that called no provider. */
	refused: number;
	/** Other requests without a bill. */
	failed: number;
}

/** Its model is the one that the request counts for; empty for one that called none. */
export type TimeSum = DayPlace & TimeCounts;

export const NO_TIMES: TimeCounts = { latency: EMPTY_HISTOGRAM, firstToken: EMPTY_HISTOGRAM, refused: 0, failed: 0 };

export function addTimes(a: TimeCounts, b: TimeCounts): TimeCounts {
	return {
		latency: mergeHistograms(a.latency, b.latency),
		firstToken: mergeHistograms(a.firstToken, b.firstToken),
		refused: a.refused + b.refused,
		failed: a.failed + b.failed,
	};
}

/** A settled request as it is counted. */
export interface TimedRequest {
	created_at: string;
	api_key_id: string;
	model: string;
	latency_ms: number;
	firstTokenMs: number | null;
}

/** Sums by place. */
export class TimeSums {
	#byPlace = new Map<string, TimeSum>();

	add(sum: TimeSum): void {
		const key = `${sum.day} ${sum.api_key_id} ${sum.model}`;
		const known = this.#byPlace.get(key);
		this.#byPlace.set(key, known ? { ...known, ...addTimes(known, sum) } : sum);
	}

	addRequest({ created_at, api_key_id, model, latency_ms, firstTokenMs }: TimedRequest): void {
		// Nobody knows how long a request took whose process died.
		const latency = latency_ms > 0 ? addTime(EMPTY_HISTOGRAM, latency_ms) : EMPTY_HISTOGRAM;
		const firstToken = firstTokenMs === null ? EMPTY_HISTOGRAM : addTime(EMPTY_HISTOGRAM, firstTokenMs);
		this.add({ day: dayPart(created_at), api_key_id, model, ...NO_TIMES, latency, firstToken });
	}

	all(): TimeSum[] {
		return [...this.#byPlace.values()];
	}

	clear(): void {
		this.#byPlace.clear();
	}
}

/** Of all keys. */
export const EVERY_KEY = "";
/** Of all models, which no request's model is called. */
export const EVERY_MODEL = "*";

/**
 * The sums of a table with larger ones beside them: of all keys by model, of months, and one for all of a day. So a year is read in few
 * rows.
 */
export function withLargerTimes(sums: readonly TimeSum[]): TimeSum[] {
	const all = new TimeSums();
	for (const sum of sums) {
		const month = { ...sum, day: sum.day.slice(0, "YYYY-MM".length) };
		all.add(sum);
		all.add(month);
		all.add({ ...sum, api_key_id: EVERY_KEY });
		all.add({ ...month, api_key_id: EVERY_KEY });
		all.add({ ...sum, api_key_id: EVERY_KEY, model: EVERY_MODEL });
	}
	return all.all();
}

/** Sums of one name. */
export interface NamedTimes extends TimeCounts {
	name: string;
}

/** Sums of the same names together. */
export function mergeTimes(times: readonly NamedTimes[]): NamedTimes[] {
	const byName = new Map<string, NamedTimes>();
	for (const each of times) {
		const known = byName.get(each.name);
		byName.set(each.name, known ? { name: each.name, ...addTimes(known, each) } : each);
	}
	return [...byName.values()];
}

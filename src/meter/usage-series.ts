// Usage over time: requests of a range added up in steps, in one series for each name, with how long they took. Pure.

/** What series are of; null for one series of everything. */
export type SeriesColumn = "api_key" | "model" | "provider" | "session_id" | "end_user";

/** A range of time in steps. */
export interface SeriesSteps {
	/** When each step begins, ms since the epoch, in order. */
	startsMs: readonly number[];
	/** When the last one ends. */
	endMs: number;
}

export interface SeriesQuery extends SeriesSteps {
	/** Whether each step is a day: then sums of UTC days may stand in for it. */
	isByDay: boolean;
	column: SeriesColumn | null;
	/** Of some keys alone; null for all. */
	apiKeyIds: readonly string[] | null;
	/** Series that are told apart: those that cost most. */
	mostNames: number;
}

/** What is counted of a step. */
export interface SeriesCounts {
	requests: number;
	/** Those that got no answer after upstream calls. */
	failed: number;
	/** Those that got none before any. */
	refused: number;
	tokens: number;
	input_tokens: number;
	cost_nano_usd: number;
}

/** What a meter's series were read from: `rows` says everything, `days` are the sums of UTC days. */
export type SeriesSource = "rows" | "days";

/** A meter's series, and what they were read from. */
export interface MeterSeries extends UsageSeries {
	source: SeriesSource;
}

/** A row as series count it. */
export interface SeriesRow {
	created_at_ms: number;
	name: string;
	outcome: string;
	tokens: number;
	input_tokens: number;
	nano_usd: number;
	latency_ms: number;
	first_token_ms: number | null;
	/** How many requests it stands for. */
	count: number;
}

/** Half of the requests took at most `p50`, ms, and 95 of 100 at most `p95`. */
export interface Percentiles {
	p50: number;
	p95: number;
}

/** One name's counts, a member for each step. */
export interface NamedSeries {
	name: string;
	points: SeriesCounts[];
}

export interface UsageSeries {
	/** When each step begins, ms since the epoch: those that were asked for, or UTC days. */
	startsMs: readonly number[];
	/** Largest cost first. */
	series: NamedSeries[];
	/** Of all names that are not told apart; null where all are. */
	others: SeriesCounts[] | null;
	/** Of each step, and of all of them; null where nothing was answered. */
	latency: (Percentiles | null)[];
	totalLatency: Percentiles | null;
	firstToken: (Percentiles | null)[];
	totalFirstToken: Percentiles | null;
	/** From when on requests are counted, ms since the epoch: there were too many before; null where all are. */
	countedFromMs: number | null;
}

export const NO_SERIES_COUNTS: SeriesCounts = {
	requests: 0,
	failed: 0,
	refused: 0,
	tokens: 0,
	input_tokens: 0,
	cost_nano_usd: 0,
};

export function addSeriesCounts(a: SeriesCounts, b: SeriesCounts): SeriesCounts {
	return {
		requests: a.requests + b.requests,
		failed: a.failed + b.failed,
		refused: a.refused + b.refused,
		tokens: a.tokens + b.tokens,
		input_tokens: a.input_tokens + b.input_tokens,
		cost_nano_usd: a.cost_nano_usd + b.cost_nano_usd,
	};
}

/** The nearest-rank percentiles of durations; null of none. Sorts its argument. */
export function toPercentiles(durations: number[]): Percentiles | null {
	if (durations.length === 0) return null;
	durations.sort((a, b) => a - b);
	const rank = (share: number) => durations[Math.max(0, Math.ceil(share * durations.length) - 1)] ?? 0;
	return { p50: rank(0.5), p95: rank(0.95) };
}

/** The step of a time; -1 outside of all. */
export function findStep({ startsMs, endMs }: SeriesSteps, atMs: number): number {
	if (atMs >= endMs) return -1;
	let [low, high] = [0, startsMs.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((startsMs[middle] ?? 0) <= atMs) low = middle + 1;
		else high = middle;
	}
	return low - 1;
}

function toCounts({ outcome, tokens, input_tokens, nano_usd, count }: SeriesRow): SeriesCounts {
	const isRefused = outcome === "refused";
	const isFailed = outcome === "failed";
	return {
		// What got no answer counts in no total.
		requests: isRefused || isFailed ? 0 : count,
		failed: isFailed ? count : 0,
		refused: isRefused ? count : 0,
		tokens,
		input_tokens,
		cost_nano_usd: nano_usd,
	};
}

/** Counts by step: of every step, or only of those that have some. */
type StepCounts = Pick<ReadonlyMap<number, SeriesCounts> | readonly SeriesCounts[], "entries">;

/** Counts of each of so many steps. */
function sumSteps(parts: readonly StepCounts[], steps: number): SeriesCounts[] {
	const points = new Array<SeriesCounts>(steps).fill(NO_SERIES_COUNTS);
	for (const part of parts)
		for (const [step, counts] of part.entries())
			points[step] = addSeriesCounts(points[step] ?? NO_SERIES_COUNTS, counts);
	return points;
}

/**
 * Splits series into those that cost most, of equal costs those of most requests, and the sum of all others.
 * @param steps how many points a series has.
 */
export function keepLargest(
	all: readonly { name: string; points: StepCounts }[],
	most: number,
	steps: number,
): Pick<UsageSeries, "series" | "others"> {
	const total = ({ points }: { points: StepCounts }) =>
		[...points.entries()].reduce((sum, [, counts]) => addSeriesCounts(sum, counts), NO_SERIES_COUNTS);
	const sized = all.map((each) => ({ each, total: total(each) }));
	sized.sort(
		(a, b) =>
			b.total.cost_nano_usd - a.total.cost_nano_usd ||
			b.total.requests - a.total.requests ||
			(a.each.name < b.each.name ? -1 : 1),
	);
	const series = sized
		.slice(0, most)
		.map(({ each: { name, points } }) => ({ name, points: sumSteps([points], steps) }));
	const rest = sized.slice(most).map(({ each }) => each.points);
	return { series, others: rest.length === 0 ? null : sumSteps(rest, steps) };
}

/** Adds up rows as they are read. */
export class SeriesSum {
	#steps: SeriesSteps;
	/** By name, then by step: there may be as many names as rows. */
	#points = new Map<string, Map<number, SeriesCounts>>();
	#latency: number[][];
	#firstToken: number[][];

	constructor(steps: SeriesSteps) {
		this.#steps = steps;
		this.#latency = steps.startsMs.map(() => []);
		this.#firstToken = steps.startsMs.map(() => []);
	}

	add(row: SeriesRow): void {
		const step = findStep(this.#steps, row.created_at_ms);
		if (step < 0) return;
		let points = this.#points.get(row.name);
		if (!points) {
			points = new Map();
			this.#points.set(row.name, points);
		}
		const counts = toCounts(row);
		points.set(step, addSeriesCounts(points.get(step) ?? NO_SERIES_COUNTS, counts));
		if (counts.requests === 0) return;
		// Nobody knows how long a request took whose process died.
		if (row.latency_ms > 0) this.#latency[step]?.push(row.latency_ms);
		if (row.first_token_ms !== null) this.#firstToken[step]?.push(row.first_token_ms);
	}

	/** @param mostNames series that are told apart. */
	finish(mostNames: number): Omit<UsageSeries, "countedFromMs"> {
		return {
			startsMs: this.#steps.startsMs,
			...keepLargest(
				[...this.#points].map(([name, points]) => ({ name, points })),
				mostNames,
				this.#steps.startsMs.length,
			),
			totalLatency: toPercentiles(this.#latency.flat()),
			totalFirstToken: toPercentiles(this.#firstToken.flat()),
			latency: this.#latency.map(toPercentiles),
			firstToken: this.#firstToken.map(toPercentiles),
		};
	}
}

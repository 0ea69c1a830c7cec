// Series of a meter's usage: exact from its rows while they are few, else from the sums of UTC days.
import { listDays } from "./day-sums.ts";
import type { SumColumn, SumRange } from "./fold-table.edge.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { firstNumberAt, numberTimeMs } from "./request-number.ts";
import type { KeptRequests } from "./request-reader.edge.ts";
import { EMPTY_HISTOGRAM, readPercentile, type TimeHistogram } from "./time-histogram.ts";
import { addTimes, NO_TIMES, type TimeCounts } from "./time-sums.ts";
import {
	keepLargest,
	type NamedSeries,
	NO_SERIES_COUNTS,
	type Percentiles,
	type SeriesColumn,
	type SeriesCounts,
	type SeriesQuery,
	type SeriesSource,
	SeriesSum,
	type UsageSeries,
} from "./usage-series.ts";

/** Rows that one answer reads: some 20 MB. */
const MOST_ROWS = 20_000;

/** Columns that the sums of days have: each model has a provider, whose name the meter does not know. */
const SUM_COLUMNS: Partial<Record<SeriesColumn, Exclude<SumColumn, "day">>> = {
	api_key: "api_key",
	model: "model",
	provider: "model",
};

function utcDay(atMs: number): string {
	return new Date(atMs).toISOString().slice(0, 10);
}

/** How many requests the sums have in the days of a range. */
function countRequests(state: MeterState, { startsMs, endMs, apiKeyIds }: SeriesQuery): number {
	const range = { since: utcDay(startsMs[0] ?? endMs), until: utcDay(endMs - 1), apiKeyIds };
	return state.sumsBy("day", range).reduce((sum, { requests }) => sum + requests, 0);
}

/** Whether rows are read: always where the sums do not have the column or the steps. */
export function chooseSource(
	state: MeterState,
	kept: Pick<KeptRequests, "firstKept" | "archivesOf">,
	query: SeriesQuery,
): SeriesSource {
	if (!query.isByDay || (query.column !== null && !SUM_COLUMNS[query.column])) return "rows";
	const range = { from: firstNumberAt(query.startsMs[0] ?? 0), before: firstNumberAt(query.endMs) };
	const isWhole = range.from >= kept.firstKept && kept.archivesOf(range).length === 0;
	return isWhole && countRequests(state, query) <= MOST_ROWS ? "rows" : "days";
}

/** From rows, newest first, as many as are read at once. Those that an archive has, or that are no longer kept, are not counted. */
export function readRowSeries(
	state: MeterState,
	kept: Pick<KeptRequests, "firstKept" | "archivesOf"> & { heldFromMs: number },
	query: SeriesQuery,
): UsageSeries {
	const sum = new SeriesSum(query);
	const begin = firstNumberAt(query.startsMs[0] ?? query.endMs);
	const range = { from: Math.max(kept.firstKept, begin), before: firstNumberAt(query.endMs) };
	let [read, last] = [0, range.from];
	for (const row of state.table.seriesRows(range, query, MOST_ROWS)) {
		sum.add(row);
		read++;
		last = row.n;
	}
	const missing = [
		read < MOST_ROWS ? [] : numberTimeMs(last),
		kept.archivesOf(range).length === 0 ? [] : kept.heldFromMs,
		range.from === begin ? [] : numberTimeMs(range.from),
	].flat();
	return { ...sum.finish(query.mostNames), countedFromMs: missing.length === 0 ? null : Math.max(...missing) };
}

/** Percentiles of a histogram, whole ms and within 5 %; null where nothing was timed. */
function toPercentilesOf(histogram: TimeHistogram): Percentiles | null {
	const [p50, p95] = [readPercentile(histogram, 0.5), readPercentile(histogram, 0.95)];
	return p50 === null || p95 === null ? null : { p50: Math.round(p50), p95: Math.round(p95) };
}

/** How long the requests of each day took, and those of all of them. */
function readDayTimes(state: MeterState, range: SumRange, days: readonly string[]) {
	const times = new Map(state.timesBy("day", range).map((each) => [each.name, each]));
	const whole = [...times.values()].reduce<TimeCounts>(addTimes, NO_TIMES);
	const each = (member: "latency" | "firstToken") =>
		days.map((day) => toPercentilesOf(times.get(day)?.[member] ?? EMPTY_HISTOGRAM));
	return {
		latency: each("latency"),
		firstToken: each("firstToken"),
		totalLatency: toPercentilesOf(whole.latency),
		totalFirstToken: toPercentilesOf(whole.firstToken),
	};
}

/** From the sums of UTC days. Of providers, the names are those of their models, and all are told apart. */
export function readDaySeries(state: MeterState, query: SeriesQuery): UsageSeries {
	const { endMs, column, apiKeyIds, mostNames } = query;
	const range = { since: utcDay(query.startsMs[0] ?? endMs), until: utcDay(endMs - 1), apiKeyIds };
	const days = listDays(range.since, range.until);
	const stepOf = new Map(days.map((day, step) => [day, step]));
	const byName = new Map<string, NamedSeries>();
	const add = (day: string, name: string, counts: Partial<SeriesCounts>) => {
		const step = stepOf.get(day);
		if (step === undefined) return;
		const series = byName.get(name) ?? { name, points: days.map(() => NO_SERIES_COUNTS) };
		byName.set(name, series);
		series.points[step] = { ...(series.points[step] ?? NO_SERIES_COUNTS), ...counts };
	};
	const sumColumn = column === null ? null : (SUM_COLUMNS[column] ?? null);
	for (const { day, name, ...sum } of state.sumsByDay(sumColumn, range)) {
		const { tokens, input_tokens, cost_nano_usd } = sum;
		const requests = sumColumn === "model" ? sum.model_requests : sum.requests;
		add(day, name, { requests, tokens, input_tokens, cost_nano_usd });
	}
	for (const { day, name, failed, refused } of state.failuresByDay(sumColumn, range))
		add(day, name, { failed, refused });
	return {
		startsMs: days.map((day) => Date.parse(day)),
		...keepLargest([...byName.values()], column === "provider" ? byName.size : mostNames, days.length),
		...readDayTimes(state, range, days),
		countedFromMs: null,
	};
}

// Series of a meter's usage: exact from its rows while they are few, else from the sums of UTC days.
import { listDays } from "./day-sums.ts";
import type { SumColumn } from "./fold-table.edge.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { firstNumberAt, numberTimeMs } from "./request-number.ts";
import type { KeptRequests } from "./request-reader.edge.ts";
import {
	keepLargest,
	type NamedSeries,
	NO_SERIES_COUNTS,
	type SeriesColumn,
	type SeriesQuery,
	type SeriesSource,
	SeriesSum,
	type UsageSeries,
} from "./usage-series.ts";

/** Rows that one answer reads: some 20 MB. */
const MOST_ROWS = 20_000;

/** Columns that the sums of days have. */
const SUM_COLUMNS: Partial<Record<SeriesColumn, SumColumn>> = { api_key: "api_key", model: "model" };

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

/** From rows, newest first, as many as are read at once. */
export function readRowSeries(state: MeterState, firstKept: number, query: SeriesQuery): UsageSeries {
	const sum = new SeriesSum(query);
	const from = Math.max(firstKept, firstNumberAt(query.startsMs[0] ?? query.endMs));
	const range = { from, before: firstNumberAt(query.endMs) };
	let [read, last] = [0, from];
	for (const row of state.table.seriesRows(range, query, MOST_ROWS)) {
		sum.add(row);
		read++;
		last = row.n;
	}
	return { ...sum.finish(query.mostNames), countedFromMs: read < MOST_ROWS ? null : numberTimeMs(last) };
}

/** From the sums of UTC days. How long requests took, and which failed, they do not say. */
export function readDaySeries(state: MeterState, query: SeriesQuery): UsageSeries {
	const { endMs, column, apiKeyIds, mostNames } = query;
	const range = { since: utcDay(query.startsMs[0] ?? endMs), until: utcDay(endMs - 1), apiKeyIds };
	const days = listDays(range.since, range.until);
	const stepOf = new Map(days.map((day, step) => [day, step]));
	const byName = new Map<string, NamedSeries>();
	const sumColumn = column === null ? null : (SUM_COLUMNS[column] ?? null);
	for (const sum of state.sumsByDay(sumColumn, range)) {
		const { day, name, tokens, input_tokens, cost_nano_usd } = sum;
		const step = stepOf.get(day);
		if (step === undefined) continue;
		const series = byName.get(name) ?? { name, points: days.map(() => NO_SERIES_COUNTS) };
		byName.set(name, series);
		const requests = column === "model" ? sum.model_requests : sum.requests;
		series.points[step] = { ...NO_SERIES_COUNTS, requests, tokens, input_tokens, cost_nano_usd };
	}
	const unknown = days.map(() => null);
	return {
		startsMs: days.map((day) => Date.parse(day)),
		...keepLargest([...byName.values()], mostNames, days.length),
		latency: unknown,
		firstToken: unknown,
		totalLatency: null,
		totalFirstToken: null,
		countedFromMs: null,
	};
}

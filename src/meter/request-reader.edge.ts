// What is read of the requests in a meter or in an archive: pages of the list, and the rows of one day. Long readings go in slices, and let
// other calls in between.
import { type PagePart, toPagePart } from "../http/list-page.ts";
import { DAY_MS } from "./budget-period.ts";
import { type DaySum, DaySums } from "./day-sums.ts";
import type { UnbilledOutcome } from "./failed-request.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { numbersOfStart, toCondition } from "./request-conditions.ts";
import type { NumberedRequest, RequestSource } from "./request-look.edge.ts";
import { firstNumberAt, type NumberRange, requestNumber } from "./request-number.ts";
import {
	type ListedRequest,
	type MeterPage,
	type RequestFilter,
	type RequestPageQuery,
	type RequestRangeQuery,
	toRequestPosition,
} from "./request-page.ts";
import { toCountedRow } from "./stored-request.ts";

/** Rows that one page looks at. */
const MOST_LOOKED_AT = 20_000;
/** Rows of one slice. */
const SLICE_ROWS = 1_000;
const FIRST_DAY = "0000-01-01";
const LAST_DAY = "9999-12-31";

/** Lets other calls of the object run. */
export function yieldTurn(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Where a page begins: the lowest numbers that the pages before it had. */
interface PageStart {
	settled: number;
	failed: number;
}

/** A failed request stands before a settled one of the same number. */
function pageStart(state: MeterState, { after }: RequestPageQuery): PageStart {
	if (!after) return { settled: Number.MAX_SAFE_INTEGER, failed: Number.MAX_SAFE_INTEGER };
	const failed = state.failed.numberOf(after.id);
	if (failed !== null) return { settled: failed + 1, failed };
	const settled = state.table.find(after.id)?.n ?? requestNumber(after.id);
	return { settled, failed: settled };
}

/** The row numbers that the filter's times and its start of ids leave. @param firstKept the lowest one that is kept. */
function filteredRange(firstKept: number, { since, until, idStart }: RequestFilter): NumberRange {
	const ofStart = idStart === undefined ? null : numbersOfStart(idStart);
	const from = since === undefined ? 0 : firstNumberAt(Date.parse(since));
	const before = until === undefined ? Number.MAX_SAFE_INTEGER : firstNumberAt(Date.parse(until));
	return {
		from: Math.max(from, firstKept, ofStart?.from ?? 0),
		before: Math.min(before, ofStart?.before ?? Number.MAX_SAFE_INTEGER),
	};
}

/** The row numbers of a range that settled requests of a page may have; null when the sums know that there are none. */
function settledRange(
	state: MeterState,
	{ from, before }: NumberRange,
	{ filter: { since, until, model, apiKeyIds }, after }: RequestPageQuery,
): NumberRange | null {
	if (model === undefined && apiKeyIds === undefined) return { from, before };
	const range = {
		since: since?.slice(0, 10) ?? FIRST_DAY,
		until: [until, after?.created_at].flatMap((time) => time?.slice(0, 10) ?? []).sort()[0] ?? LAST_DAY,
		apiKeyIds: apiKeyIds ?? null,
	};
	const day = state.newestDay(range, model);
	if (day === null) return null;
	return { from, before: Math.min(before, firstNumberAt(Date.parse(day) + DAY_MS)) };
}

/** What of its requests a meter does not have any more. */
export interface KeptRequests {
	/** The first day of which requests are kept; null while none was removed. */
	keptSince: string | null;
	/** The lowest number that is kept. */
	firstKept: number;
	/** Numbers of the archives that may have requests of a range, newest first. */
	archivesOf(range: NumberRange): number[];
}

/** The meter's requests of a page, one more than it holds if there are more: settled ones, and those that failed without a bill. */
export async function readRequestPage(
	state: MeterState,
	kept: KeptRequests,
	query: RequestPageQuery,
): Promise<MeterPage> {
	const { filter, limit } = query;
	const { keptSince } = kept;
	const start = pageStart(state, query);
	const filtered = filteredRange(kept.firstKept, filter);
	const rangeUpTo = (before: number) => ({ ...filtered, before: Math.min(filtered.before, before) });
	const isUnbilled = UNBILLED_ALONE.has(filter.outcome ?? "");
	const range = isUnbilled ? null : settledRange(state, rangeUpTo(start.settled), query);
	const settled = range ? await readRange(state.table, { range, filter, limit }) : NOTHING_READ;
	const failedRange = { range: rangeUpTo(start.failed), filter, limit };
	const failed = filter.isBilled ? NOTHING_READ : await readRange(state.failed, failedRange);
	const part = toPart(mergeRead(failed, settled), limit);
	if (range === null) return { ...part, range, archives: [], keptSince };
	// Afterwards: what was moved meanwhile is found there.
	const from = part.readTo ? requestNumber(part.readTo.id) : range.from;
	return { ...part, range, archives: kept.archivesOf({ ...range, from }), keptSince };
}

/** Outcomes that no settled request has. */
const UNBILLED_ALONE: ReadonlySet<string> = new Set<UnbilledOutcome>(["refused", "failed"]);

/** What was read of one table, newest first. */
interface ReadRows {
	entries: readonly NumberedRequest[];
	/** The last row that was looked at, where others are left that were not; null where all were. */
	readTo: NumberedRequest | null;
}

const NOTHING_READ: ReadRows = { entries: [], readTo: null };

/** Merges what two tables have, up to where both have been looked at. Of the same number, the first one's stands first. */
function mergeRead(first: ReadRows, second: ReadRows): ReadRows {
	const ends = [first.readTo, second.readTo].flatMap((end) => end ?? []);
	const [readTo = null] = ends.toSorted((a, b) => b.n - a.n);
	const seen = ({ n }: NumberedRequest) => readTo === null || n >= readTo.n;
	const entries = [...first.entries, ...second.entries].filter(seen).toSorted((a, b) => b.n - a.n);
	return { entries, readTo };
}

/** What was read as a part of a page. */
function toPart({ entries, readTo }: ReadRows, limit: number): PagePart<ListedRequest> {
	const requests = entries.slice(0, limit + 1).map(({ request }) => request);
	if (requests.length > limit) return toPagePart(requests, limit, toRequestPosition);
	return { entries: requests, readTo: readTo && toRequestPosition(readTo.request) };
}

/** Requests of a range that match, one more than a page holds if there are more. */
export async function readRequestRange(
	table: RequestSource,
	query: RequestRangeQuery,
): Promise<PagePart<ListedRequest>> {
	return toPart(await readRange(table, query), query.limit);
}

async function readRange(table: RequestSource, { range, filter, limit }: RequestRangeQuery): Promise<ReadRows> {
	const sliceRows = toCondition(filter) ? SLICE_ROWS : limit + 1;
	const entries: NumberedRequest[] = [];
	let { before } = range;
	for (let lookedAt = 0; ; await yieldTurn()) {
		const slice = table.look({ range: { from: range.from, before }, filter, limit: sliceRows });
		const found = slice.found.sort((a, b) => b - a).slice(0, limit + 1 - entries.length);
		entries.push(...table.listed(found));
		lookedAt += slice.lookedAt;
		before = slice.last;
		if (entries.length > limit) return { entries, readTo: entries.at(-1) ?? null };
		if (slice.lookedAt < sliceRows) return { entries, readTo: null };
		if (lookedAt < MOST_LOOKED_AT) continue;
		const [last = null] = table.listed([before]);
		return { entries, readTo: last };
	}
}

/** The sums of a day as its rows say them, up to a change. */
export async function recomputeDay(state: MeterState, day: string, upTo: number): Promise<DaySum[]> {
	const sums = new DaySums();
	const before = firstNumberAt(Date.parse(day) + DAY_MS);
	let after = firstNumberAt(Date.parse(day)) - 1;
	for (;;) {
		const rows = state.table.wholeAfter(after, before, SLICE_ROWS);
		for (const whole of rows) if (whole.settled <= upTo) sums.addRow(toCountedRow(whole));
		const last = rows.at(-1);
		if (!last || rows.length < SLICE_ROWS) return sums.all();
		after = last.n;
		await yieldTurn();
	}
}

// What is read of the requests in a meter or in an archive: pages of the list, and the rows of one day. Long readings go in slices, and let
// other calls in between.
import { type PagePart, toPagePart } from "../http/list-page.ts";
import { DAY_MS } from "./budget-period.ts";
import { type DaySum, DaySums } from "./day-sums.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { firstNumberAt, type NumberRange, requestNumber } from "./request-number.ts";
import {
	type ListedRequest,
	type MeterPage,
	type RequestPageQuery,
	type RequestRangeQuery,
	toRequestPosition,
} from "./request-page.ts";
import type { RequestTable } from "./request-table.edge.ts";
import { toCountedRow, toListedRequest } from "./stored-request.ts";

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

/** The row numbers that a page may have; null when the sums know that there are none. @param firstKept the lowest one that is kept. */
function pageRange(
	state: MeterState,
	firstKept: number,
	{ filter: { since, until, model, apiKeyIds }, after }: RequestPageQuery,
): NumberRange | null {
	const ends = [Number.MAX_SAFE_INTEGER];
	if (until !== undefined) ends.push(firstNumberAt(Date.parse(until)));
	if (after) ends.push(state.table.find(after.id)?.n ?? requestNumber(after.id));
	if (model !== undefined || apiKeyIds !== undefined) {
		const range = {
			since: since?.slice(0, 10) ?? FIRST_DAY,
			until: [until, after?.created_at].flatMap((time) => time?.slice(0, 10) ?? []).sort()[0] ?? LAST_DAY,
			apiKeyIds: apiKeyIds ?? null,
		};
		const day = state.newestDay(range, model);
		if (day === null) return null;
		ends.push(firstNumberAt(Date.parse(day) + DAY_MS));
	}
	const from = since === undefined ? 0 : firstNumberAt(Date.parse(since));
	return { from: Math.max(from, firstKept), before: Math.min(...ends) };
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

/** The meter's requests of a page, one more than it holds if there are more. */
export async function readRequestPage(
	state: MeterState,
	kept: KeptRequests,
	query: RequestPageQuery,
): Promise<MeterPage> {
	const { filter, limit } = query;
	const { keptSince } = kept;
	const range = pageRange(state, kept.firstKept, query);
	if (range === null) return { entries: [], readTo: null, range, archives: [], keptSince };
	const part = await readRequestRange(state.table, { range, filter, limit });
	// Afterwards: what was moved meanwhile is found there.
	const from = part.readTo ? requestNumber(part.readTo.id) : range.from;
	return { ...part, range, archives: kept.archivesOf({ ...range, from }), keptSince };
}

/** Requests of a range that match, one more than a page holds if there are more. */
export async function readRequestRange(
	table: RequestTable,
	{ range, filter, limit }: RequestRangeQuery,
): Promise<PagePart<ListedRequest>> {
	const isFiltered = filter.kind !== undefined || filter.model !== undefined || filter.apiKeyIds !== undefined;
	const sliceRows = isFiltered ? SLICE_ROWS : limit + 1;
	const entries: ListedRequest[] = [];
	let { before } = range;
	for (let lookedAt = 0; ; await yieldTurn()) {
		const slice = table.look({ from: range.from, before }, filter, sliceRows);
		const found = slice.found.sort((a, b) => b - a).slice(0, limit + 1 - entries.length);
		entries.push(...table.settledRows(found).map(toListedRequest));
		lookedAt += slice.lookedAt;
		before = slice.last;
		if (entries.length > limit || slice.lookedAt < sliceRows) return toPagePart(entries, limit, toRequestPosition);
		if (lookedAt < MOST_LOOKED_AT) continue;
		const [last] = table.settledRows([before]);
		return { entries, readTo: last ? toRequestPosition(toListedRequest(last)) : null };
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

// What a user reads of the requests in the meter: pages of the list, single requests, the rows of one day. Long readings go in slices, and let
// other calls in between.
import { type PagePart, toPagePart } from "../http/list-page.ts";
import { DAY_MS } from "./budget-period.ts";
import { type DaySum, DaySums } from "./day-sums.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { firstNumberAt, requestNumber } from "./request-number.ts";
import { type ListedRequest, type RequestFilter, type RequestPageQuery, toRequestPosition } from "./request-page.ts";
import { type SettledRow, toCountedRow, toListedRequest } from "./stored-request.ts";

/** Rows that one page looks at. */
const MOST_LOOKED_AT = 20_000;
/** Rows of one slice. */
const SLICE_ROWS = 1_000;
const FIRST_DAY = "0000-01-01";
const LAST_DAY = "9999-12-31";

/** Lets other calls of the object run. */
function yieldTurn(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 0));
}

function isWanted({ kind, model, api_key }: SettledRow, filter: RequestFilter): boolean {
	return (
		(filter.kind === undefined || kind === filter.kind) &&
		(filter.model === undefined || model === filter.model) &&
		(filter.apiKeyIds === undefined || filter.apiKeyIds.includes(api_key))
	);
}

/** The row numbers that a page may have; null when the sums know that there are none. */
function pageRange(
	state: MeterState,
	{ filter: { since, until, model, apiKeyIds }, after }: RequestPageQuery,
): { from: number; before: number } | null {
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
	return { from: since === undefined ? 0 : firstNumberAt(Date.parse(since)), before: Math.min(...ends) };
}

/** The requests of a page, one more than it holds if there are more. */
export async function readRequestPage(state: MeterState, query: RequestPageQuery): Promise<PagePart<ListedRequest>> {
	const { filter, limit } = query;
	const range = pageRange(state, query);
	if (range === null) return { entries: [], readTo: null };
	const found: ListedRequest[] = [];
	let { before } = range;
	for (let lookedAt = 0; ; await yieldTurn()) {
		const rowsWanted = Math.min(SLICE_ROWS, filter.kind || filter.model || filter.apiKeyIds ? SLICE_ROWS : limit + 1);
		const rows = state.table.slice({ from: range.from, before }, rowsWanted);
		for (const row of rows) {
			if (isWanted(row, filter)) found.push(toListedRequest(row));
			if (found.length > limit) return toPagePart(found, limit, toRequestPosition);
		}
		const last = rows.at(-1);
		if (!last || rows.length < rowsWanted) return { entries: found, readTo: null };
		lookedAt += rows.length;
		before = last.n;
		if (lookedAt >= MOST_LOOKED_AT) return { entries: found, readTo: toRequestPosition(toListedRequest(last)) };
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

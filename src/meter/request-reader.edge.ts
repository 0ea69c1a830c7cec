// What a user reads of the requests in the meter: pages of the list, single requests, the rows of one day. Long readings go in slices, and let
// other calls in between.
import { type PagePart, toPagePart } from "../http/list-page.ts";
import { DAY_MS } from "./budget-period.ts";
import { type DaySum, DaySums } from "./day-sums.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { firstNumberAt, requestNumber } from "./request-number.ts";
import { type ListedRequest, type RequestPageQuery, toRequestPosition } from "./request-page.ts";
import type { NumberRange } from "./request-table.edge.ts";
import { toCountedRow, toListedRequest } from "./stored-request.ts";

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

/** The row numbers that a page may have; null when the sums know that there are none. */
function pageRange(
	state: MeterState,
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
	return { from: since === undefined ? 0 : firstNumberAt(Date.parse(since)), before: Math.min(...ends) };
}

/** The requests of a page, one more than it holds if there are more. */
export async function readRequestPage(state: MeterState, query: RequestPageQuery): Promise<PagePart<ListedRequest>> {
	const { filter, limit } = query;
	const { table } = state;
	const range = pageRange(state, query);
	if (range === null) return { entries: [], readTo: null };
	const isFiltered = filter.kind !== undefined || filter.model !== undefined || filter.apiKeyIds !== undefined;
	const sliceRows = isFiltered ? SLICE_ROWS : limit + 1;
	const numbers: number[] = [];
	let { before } = range;
	let end: number | null = null;
	for (let lookedAt = 0; ; await yieldTurn()) {
		const slice = table.look({ from: range.from, before }, filter, sliceRows);
		numbers.push(...slice.found.sort((a, b) => b - a));
		lookedAt += slice.lookedAt;
		before = slice.last;
		if (numbers.length > limit || slice.lookedAt < sliceRows) break;
		if (lookedAt >= MOST_LOOKED_AT) {
			end = before;
			break;
		}
	}
	const entries = table.settledRows(numbers.slice(0, limit + 1)).map(toListedRequest);
	if (end === null) return toPagePart(entries, limit, toRequestPosition);
	const [last] = table.settledRows([end]);
	return { entries, readTo: last ? toRequestPosition(toListedRequest(last)) : null };
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

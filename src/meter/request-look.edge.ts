// Looks at rows of requests for a page: a range of numbers, newest first, as many as are wanted at once, whatever matches of them.
import { CONDITION_COLUMNS, toCondition } from "./request-conditions.ts";
import type { ListedRequest, RequestRangeQuery } from "./request-page.ts";

/** A request in a list with the number of its row. */
export interface NumberedRequest {
	n: number;
	request: ListedRequest;
}

/** What was looked at. */
export interface LookedAt {
	/** How many rows. */
	lookedAt: number;
	/** The last one's number; the range's first where there was none. */
	last: number;
	/** Numbers of those that match, in any order. */
	found: number[];
}

/** A table of requests. */
export interface RequestSource {
	/** Looks at rows of a range of numbers, newest first, `limit` at most. */
	look(query: RequestRangeQuery): LookedAt;
	/** Requests by number, newest first. */
	listed(numbers: readonly number[]): NumberedRequest[];
}

/** Looks at the rows of a table that are requests to be listed. @param rows a condition in SQL. */
export function lookAtRows(
	sql: SqlStorage,
	{ table, rows }: { table: "requests" | "failed_requests"; rows: string },
	{ range, filter, limit }: RequestRangeQuery,
): LookedAt {
	const condition = toCondition(filter);
	// An index leads to the rows of a session.
	const session = filter.sessionId === undefined ? [] : [filter.sessionId];
	const { looked_at, last, found } = sql
		.exec<{ looked_at: number; last: number | null; found: string }>(
			`SELECT count(*) AS looked_at, min(n) AS last,
				json_group_array(n)${condition ? ` FILTER (WHERE ${condition.text})` : ""} AS found
			FROM (SELECT n, ${CONDITION_COLUMNS} FROM ${table}
				WHERE n >= ? AND n < ? AND ${rows}${session.length > 0 ? " AND session_id = ?" : ""} ORDER BY n DESC LIMIT ?)`,
			...(condition?.values ?? []),
			range.from,
			range.before,
			...session,
			limit,
		)
		.one();
	return { lookedAt: looked_at, last: last ?? range.from, found: JSON.parse(found) as number[] };
}

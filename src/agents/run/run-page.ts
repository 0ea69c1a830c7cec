// A page of a user's runs: the rows that D1 has, merged with those that only the runs' objects have. Pure.
import { compareNewestFirst, type ListPage, mergePageParts, toPagePart } from "../../http/list-page.ts";
import type { ListPosition } from "../../http/list-position.ts";

/** Conditions of a list. Absent members match everything. */
interface RunFilter {
	status?: string | undefined;
	/** Begun at this time or later; ISO 8601 as in `created_at`. */
	since?: string | undefined;
	/** Begun before this time. */
	until?: string | undefined;
	/** Begun by one of these API keys. */
	apiKeyIds?: readonly string[] | undefined;
}

/** A page: at most `limit` runs after a position. */
export interface RunPageQuery {
	filter: RunFilter;
	/** Null for the first page. */
	after: ListPosition | null;
	limit: number;
}

/** A run as lists read it, in the column names of the agent_runs table. */
export interface ListedRunRow {
	id: string;
	created_at: string;
	/** Rises with every change of the run. */
	revision: number;
	status: string;
	/** JSON. */
	summary: string;
	/** The API key that began it; null in rows from before they had it. */
	api_key_id: string | null;
}

function matchesRunQuery(
	row: ListedRunRow,
	{ filter: { status, since, until, apiKeyIds }, after }: RunPageQuery,
): boolean {
	return (
		(status === undefined || row.status === status) &&
		(since === undefined || row.created_at >= since) &&
		(until === undefined || row.created_at < until) &&
		(apiKeyIds === undefined || (row.api_key_id !== null && apiKeyIds.includes(row.api_key_id))) &&
		(after === null || compareNewestFirst(after, row) < 0)
	);
}

/**
 * Merges the rows of a page. Of two rows of a run, the later one counts, also where it no longer belongs on the page.
 * @param stored one more than the page holds if there are more.
 * @param unflushed of any runs.
 */
export function mergeRunPage(
	stored: readonly ListedRunRow[],
	unflushed: readonly ListedRunRow[],
	query: RunPageQuery,
): ListPage<ListedRunRow> {
	const storedRevisions = new Map(stored.map(({ id, revision }) => [id, revision]));
	const later = unflushed.filter(({ id, revision }) => revision > (storedRevisions.get(id) ?? -1));
	const replaced = new Set(later.map(({ id }) => id));
	const toPosition = ({ created_at, id }: ListedRunRow) => ({ created_at, id });
	const part = toPagePart(stored, query.limit, toPosition);
	const parts = [
		{ ...part, entries: part.entries.filter(({ id }) => !replaced.has(id)) },
		{ entries: later.filter((row) => matchesRunQuery(row, query)), readTo: null },
	];
	return mergePageParts(parts, query.limit, toPosition);
}

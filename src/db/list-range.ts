// The part of a list that a page is in, as a condition that SQLite finds in one range of the list's index.
import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { ListPosition } from "../http/list-position.ts";

/** The columns of a list that is read newest first. */
interface ListColumns {
	createdAt: SQLiteColumn;
	id: SQLiteColumn;
}

interface ListRange {
	/** Inclusive. */
	since?: string | undefined;
	/** Exclusive. */
	until?: string | undefined;
	/** The page lies behind it; null for the first page. */
	after: ListPosition | null;
}

/**
 * What is created in a range and lies behind a cursor. Of several ends SQLite takes any one for the index, and looks at all entries
 * up to the others. So the condition has only the earliest.
 */
export function isInListRange({ createdAt, id }: ListColumns, { since, until, after }: ListRange): SQL | undefined {
	const begin = since === undefined ? undefined : gte(createdAt, since);
	if (after !== null && (until === undefined || after.created_at < until))
		return and(begin, sql`(${createdAt}, ${id}) < (${after.created_at}, ${after.id})`);
	return and(begin, until === undefined ? undefined : lt(createdAt, until));
}

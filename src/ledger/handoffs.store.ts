// Ledger entries in D1: inserted with their audit events in one transaction, read by id or as a chain in bounded pages.
import { and, asc, eq, sql } from "drizzle-orm";
import type { AuditEventRow } from "../audit/event.ts";
import { insertEvents } from "../audit/events.store.ts";
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { handoffs } from "../db/schema.ts";
import type { HandoffRow } from "./entry.ts";

/**
 * A page has at most this much subject text and one more row. Columns and JSON triple it, and an isolate has 128 MB.
 */
const STORED_PAGE_SUBJECT_BYTES = 2_000_000;
const STORED_PAGE_ROWS = 1_000;
/** Leaf hashes are 71 bytes. */
const LEAF_PAGE_ROWS = 10_000;

/** Identifies a chain. */
interface ChainKey {
	userId: string;
	workspaceId: string;
}

/**
 * Inserts entries and events in one transaction. The tables' triggers skip rows that exist. An entry whose position in
 * the chain is taken by another fails the whole transaction, so none is lost silently.
 */
export async function insertEntries(
	db: Database,
	entries: readonly HandoffRow[],
	events: readonly AuditEventRow[],
): Promise<void> {
	await db.batch([db.insert(handoffs).select(rowsFromJson(handoffs, entries)), insertEvents(db, events)]);
}

/** The entry with this id, if it is the user's. */
export async function findHandoff(db: Database, userId: string, id: string): Promise<HandoffRow | undefined> {
	const [row] = await db.all<HandoffRow>(sql`SELECT * FROM ${handoffs} WHERE id = ${id} AND user_id = ${userId}`);
	return row;
}

/** The pages of a chain in the order of (seq, id). No page is empty. */
export async function* storedPages(db: Database, { userId, workspaceId }: ChainKey): AsyncGenerator<HandoffRow[]> {
	let after: Pick<HandoffRow, "seq" | "id"> | undefined;
	for (;;) {
		const start = after ? sql`AND (seq, id) > (${after.seq}, ${after.id})` : sql``;
		// The inner query reads only sizes. Texts are fetched only for the rows of the page.
		const page: HandoffRow[] = await db.all<HandoffRow>(sql`
			SELECT ${handoffs}.* FROM ${handoffs} JOIN (
				SELECT id AS page_id, sum(octet_length(subject)) OVER (ORDER BY seq, id) - octet_length(subject) AS bytes_before
				FROM ${handoffs} WHERE user_id = ${userId} AND workspace_id = ${workspaceId} ${start}
				ORDER BY seq, id LIMIT ${STORED_PAGE_ROWS}
			) ON id = page_id WHERE bytes_before < ${STORED_PAGE_SUBJECT_BYTES} ORDER BY seq, id`);
		const last = page.at(-1);
		if (!last) return;
		yield page;
		after = last;
	}
}

/** The stored leaf hashes of a chain's entries before `size`, by seq. */
export async function storedLeafHashes(
	db: Database,
	{ userId, workspaceId }: ChainKey,
	size: number,
): Promise<string[]> {
	const found: string[] = [];
	for (;;) {
		const page = await db
			.select({ leafHash: handoffs.leafHash })
			.from(handoffs)
			.where(
				and(
					eq(handoffs.userId, userId),
					eq(handoffs.workspaceId, workspaceId),
					sql`${handoffs.seq} >= ${found.length}`,
					sql`${handoffs.seq} < ${size}`,
				),
			)
			.orderBy(asc(handoffs.seq), asc(handoffs.id))
			.limit(LEAF_PAGE_ROWS);
		for (const { leafHash } of page) found.push(leafHash);
		if (page.length < LEAF_PAGE_ROWS) return found;
	}
}

// Usage and receipts in D1: written in batches, each row once, whatever is retried.
import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements, usageRollups, usageTable } from "../db/schema.ts";
import type { UsageCall } from "./settlement.ts";
import type { CountedUsage, NamedTotals } from "./usage-totals.ts";

const names = Object.values(getTableColumns(settlements)).map(({ name }) => name);
const columns = sql.raw(names.join(", "));
const values = sql.raw(names.map((name) => `value ->> '${name}'`).join(", "));

/**
 * Inserts rows in one statement; one that is there already stays as it is, also where a version before has put it.
 * @param rows each as JSON under its column names.
 * @returns ids of the rows that this statement has stored.
 */
export async function recordSettlements(db: Database, rows: readonly string[]): Promise<Set<string>> {
	const stored = await db.all<{ request_id: string }>(sql`
		INSERT INTO ${settlements} (${columns}) SELECT ${values} FROM json_each(${`[${rows.join(",")}]`})
		WHERE NOT EXISTS (SELECT 1 FROM ${usageTable} WHERE ${usageTable.requestId} = value ->> 'request_id')
		ON CONFLICT DO NOTHING RETURNING request_id`);
	return new Set(stored.map(({ request_id }) => request_id));
}

/** Whether an error is D1's refusal of a statement, parameter or row for its size. */
export function isTooLarge(error: unknown): boolean {
	const texts = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
	return /SQLITE_TOOBIG|too big|too large/i.test(texts);
}

/** What D1 has under some request ids. */
export interface StoredUsage {
	/** What counts of the rows, by id. */
	rows: Map<string, CountedUsage>;
	/** Ids under which a version before stored a row, which its rollups count. */
	oldIds: Set<string>;
}

/** `column` IN the ids, by the key alone: with the user beside it SQLite would walk all of the user's rows instead. */
export function isOneOf(
	column: typeof settlements.requestId | typeof usageTable.requestId,
	ids: readonly string[],
): SQL {
	return inArray(column, sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

/** The queries behind toStoredUsage, for a batch. */
export function storedUsageQueries(db: Database, ids: readonly string[]) {
	const { requestId, mode, tokens, inputTokens, costNanoUsd, calls } = settlements;
	return [
		db
			.select({ requestId, mode, tokens, inputTokens, costNanoUsd, calls })
			.from(settlements)
			.where(isOneOf(requestId, ids)),
		db.select({ requestId: usageTable.requestId }).from(usageTable).where(isOneOf(usageTable.requestId, ids)),
	] as const;
}

type Stored = Pick<
	typeof settlements.$inferSelect,
	"requestId" | "mode" | "tokens" | "inputTokens" | "costNanoUsd" | "calls"
>;

/** What those queries found. */
export function toStoredUsage(rows: readonly Stored[], old: readonly { requestId: string }[]): StoredUsage {
	const counted = rows.map((row): [string, CountedUsage] => [
		row.requestId,
		{
			request_id: row.requestId,
			mode: row.mode,
			tokens: row.tokens,
			input_tokens: row.inputTokens,
			cost_nano_usd: row.costNanoUsd,
			calls: JSON.parse(row.calls) as UsageCall[],
		},
	]);
	return { rows: new Map(counted), oldIds: new Set(old.map(({ requestId }) => requestId)) };
}

function oldTotalsQuery(db: Database, userId: string) {
	const { dimension, name, requests, tokens, inputTokens, costNanoUsd } = usageRollups;
	return db
		.select({ dimension, name, requests, tokens, inputTokens, costNanoUsd })
		.from(usageRollups)
		.where(eq(usageRollups.userId, userId));
}

/** Totals of a user's usage before `settlements`. */
export async function readOldTotals(db: Database, userId: string): Promise<NamedTotals[]> {
	return oldTotalsQuery(db, userId).all();
}

/** What D1 has under some ids of a user, and the totals of the user's old usage, from one snapshot. */
export async function readStored(
	db: Database,
	userId: string,
	ids: readonly string[],
): Promise<StoredUsage & { oldTotals: NamedTotals[] }> {
	const [rows, old, oldTotals] = await db.batch([...storedUsageQueries(db, ids), oldTotalsQuery(db, userId)]);
	return { ...toStoredUsage(rows, old), oldTotals };
}

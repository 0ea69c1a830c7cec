// Settlements in D1: written in batches, each row once, however often it is sent.
import { getTableColumns, inArray, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements } from "../db/schema.ts";
import type { UsageCall } from "./settlement.ts";
import type { CountedUsage } from "./usage-totals.ts";

const columnNames = Object.values(getTableColumns(settlements)).map(({ name }) => name);
const settlementColumns = sql.raw(columnNames.join(", "));
const jsonValues = sql.raw(columnNames.map((name) => `value ->> '${name}'`).join(", "));

/**
 * Inserts rows in one statement. A row that is there already stays as it is.
 * @param rows each as JSON under its column names.
 * @returns the ids of the rows that this statement inserted.
 */
export async function recordSettlements(db: Database, rows: readonly string[]): Promise<Set<string>> {
	const inserted = await db.all<{ request_id: string }>(sql`
		INSERT INTO ${settlements} (${settlementColumns}) SELECT ${jsonValues} FROM json_each(${`[${rows.join(",")}]`})
		WHERE true ON CONFLICT DO NOTHING RETURNING request_id`);
	return new Set(inserted.map(({ request_id }) => request_id));
}

/** Whether an error is D1's refusal of a statement, parameter or row for its size. */
export function isTooLarge(error: unknown): boolean {
	const texts = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
	return /SQLITE_TOOBIG|too big|too large/i.test(texts);
}

/** The query behind toCountedUsage, for a batch. */
export function countedUsageQuery(db: Database, ids: readonly string[]) {
	const { requestId, mode, tokens, inputTokens, costNanoUsd, calls } = settlements;
	return (
		db
			.select({ requestId, mode, tokens, inputTokens, costNanoUsd, calls })
			.from(settlements)
			// By the key alone: with the user beside it, SQLite would walk all of the user's rows instead.
			.where(inArray(requestId, sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`))
	);
}

type CountedRow = Pick<
	typeof settlements.$inferSelect,
	"requestId" | "mode" | "tokens" | "inputTokens" | "costNanoUsd" | "calls"
>;

/** The rows of that query, by request id. */
export function toCountedUsage(rows: readonly CountedRow[]): Map<string, CountedUsage> {
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
	return new Map(counted);
}

/** The usage that D1 has under some request ids, by id. */
export async function findCountedUsage(db: Database, ids: readonly string[]): Promise<Map<string, CountedUsage>> {
	return ids.length === 0 ? new Map() : toCountedUsage(await countedUsageQuery(db, ids).all());
}

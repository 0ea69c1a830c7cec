// Usage and receipts in D1: written in batches, each row once, whatever is retried.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.ts";
import { receipts, usage } from "../db/schema.ts";
import type { Settlement } from "./settlement.ts";

/** Rows of `table` from a JSON array of objects under its column names. D1 takes 100 parameters a query; this takes one. */
function rowsFromJson(table: SQLiteTable, rows: readonly object[]): SQL {
	const columns = Object.values(getTableColumns(table)).map(({ name }) => sql.raw(`value->>'${name}'`));
	// WHERE true keeps SQLite from reading ON CONFLICT as part of a join.
	return sql`SELECT ${sql.join(columns, sql`, `)} FROM json_each(${JSON.stringify(rows)}) WHERE true`;
}

/** Inserts settlements in one transaction; a row that is there already stays as it is. */
export async function recordSettlements(db: Database, settlements: readonly Settlement[]): Promise<void> {
	const usageRows = settlements.map((settlement) => settlement.usage);
	const receiptRows = settlements.map(({ usage: { user_id }, receipt }) => ({ ...receipt, user_id }));
	await db.batch([
		db.insert(usage).select(rowsFromJson(usage, usageRows)).onConflictDoNothing(),
		db.insert(receipts).select(rowsFromJson(receipts, receiptRows)).onConflictDoNothing(),
	]);
}

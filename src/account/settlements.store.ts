// Usage and receipts in D1: written in batches, each row once, whatever is retried.
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { receipts, usage } from "../db/schema.ts";
import type { Settlement } from "./settlement.ts";

/** Inserts settlements in one transaction; a row that is there already stays as it is. */
export async function recordSettlements(db: Database, settlements: readonly Settlement[]): Promise<void> {
	const usageRows = settlements.map((settlement) => settlement.usage);
	const receiptRows = settlements.map(({ usage: { user_id }, receipt }) => ({ ...receipt, user_id }));
	await db.batch([
		db.insert(usage).select(rowsFromJson(usage, usageRows)).onConflictDoNothing(),
		db.insert(receipts).select(rowsFromJson(receipts, receiptRows)).onConflictDoNothing(),
	]);
}

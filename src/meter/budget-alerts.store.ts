// Alerts of key budgets in D1, where they are audit events.
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";

/** Inserts audit events, each as JSON under its column names. A trigger skips those that are there. */
export async function recordBudgetAlerts(db: Database, events: readonly string[]): Promise<void> {
	const rows = events.map((event) => JSON.parse(event) as object);
	await db.insert(auditEvents).select(rowsFromJson(auditEvents, rows));
}

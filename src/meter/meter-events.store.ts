// Audit events that a meter owns, in D1: alerts of key budgets and refusals by compliance. They belong to no workspace.
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";
import type { MeterEvent } from "./meter-events.ts";

/** Inserts events. A trigger skips those that are there. */
export async function recordMeterEvents(db: Database, events: readonly MeterEvent[]): Promise<void> {
	await db.insert(auditEvents).select(rowsFromJson(auditEvents, events));
}

// Audit events in D1: added in batches, each once, never changed.
import type { Database } from "../db/client.ts";
import { rowsFromJson } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";
import type { AuditEventRow } from "./event.ts";

/** A statement that adds events; one that is there already stays as it is (a trigger skips it). */
export function insertEvents(db: Database, events: readonly AuditEventRow[]) {
	return db.insert(auditEvents).select(rowsFromJson(auditEvents, events));
}

// Audit events in D1: inserted in batches, once each, and never changed. Read newest first, after a position.
import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";
import type { AuditEventRow } from "./event.ts";
import { type EventPageQuery, PAGE_PAYLOAD_CHARS } from "./page.ts";

/** The columns of a row, under their names in D1. */
const eventColumns = {
	id: auditEvents.id,
	user_id: auditEvents.userId,
	workspace_id: auditEvents.workspaceId,
	event_type: auditEvents.eventType,
	actor: auditEvents.actor,
	decision: auditEvents.decision,
	risk_score: auditEvents.riskScore,
	risk_tier: auditEvents.riskTier,
	payload: auditEvents.payload,
	created_at: auditEvents.createdAt,
};

/** A statement that inserts events. A trigger skips events that exist. */
export function insertEvents(db: Database, events: readonly AuditEventRow[]) {
	return db.insert(auditEvents).select(rowsFromJson(auditEvents, events));
}

/**
 * A statement that inserts an event if the statement before it, in the same transaction, has changed a row. So a change and its
 * trail are stored together or not at all.
 */
export function insertEventOfChange(db: Database, event: AuditEventRow) {
	return db.insert(auditEvents).select(sql`${rowsFromJson(auditEvents, [event])} AND changes() > 0`);
}

/**
 * Finds the events of a page, newest first, plus one if there are more. Stops one event after the payloads pass
 * PAGE_PAYLOAD_CHARS. SQLite counts one character where JavaScript may count two, so the page never needs more than this.
 */
export async function findEvents(
	db: Database,
	userId: string,
	{ filter, after, limit }: EventPageQuery,
): Promise<AuditEventRow[]> {
	const { workspaceId, eventType, decision, since, until } = filter;
	const newest = db
		.select(eventColumns)
		.from(auditEvents)
		.where(
			and(
				eq(auditEvents.userId, userId),
				workspaceId === undefined ? undefined : eq(auditEvents.workspaceId, workspaceId),
				eventType === undefined ? undefined : eq(auditEvents.eventType, eventType),
				decision === undefined ? undefined : eq(auditEvents.decision, decision),
				since === undefined ? undefined : gte(auditEvents.createdAt, since),
				until === undefined ? undefined : lt(auditEvents.createdAt, until),
				after === null
					? undefined
					: sql`(${auditEvents.createdAt}, ${auditEvents.id}) < (${after.created_at}, ${after.id})`,
			),
		)
		.orderBy(desc(auditEvents.createdAt), desc(auditEvents.id))
		.limit(limit + 1);
	return db.all<AuditEventRow>(sql`
		WITH newest AS ${newest},
			counted AS (SELECT newest.*,
				sum(length(payload)) OVER (ORDER BY created_at DESC, id DESC) - length(payload) AS chars_before,
				row_number() OVER (ORDER BY created_at DESC, id DESC) AS position
				FROM newest)
		SELECT ${sql.join(
			Object.keys(eventColumns).map((name) => sql.raw(name)),
			sql`, `,
		)} FROM counted
		WHERE position <= 2 OR chars_before <= ${PAGE_PAYLOAD_CHARS} ORDER BY position`);
}

// Audit events in D1: added in batches, each once, never changed; read newest first, behind a position.
import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";
import type { AuditEventRow } from "./event.ts";
import { PAGE_PAYLOAD_CHARS, type PageQuery } from "./page.ts";

/** The row under its column names. */
const columns = {
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

/** A statement that adds events; one that is there already stays as it is (a trigger skips it). */
export function insertEvents(db: Database, events: readonly AuditEventRow[]) {
	return db.insert(auditEvents).select(rowsFromJson(auditEvents, events));
}

/**
 * The events of a page, newest first, and one more if there is one; no more than it takes for payloads of more than
 * PAGE_PAYLOAD_CHARS and one event behind them. SQLite counts a character where JavaScript may count two, so a page cut
 * by the same figure ends before these do.
 */
export async function findEvents(
	db: Database,
	userId: string,
	{ filter, after, limit }: PageQuery,
): Promise<AuditEventRow[]> {
	const { workspaceId, eventType, decision, since, until } = filter;
	const newest = db
		.select(columns)
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
			Object.keys(columns).map((name) => sql.raw(name)),
			sql`, `,
		)} FROM counted
		WHERE position <= 2 OR chars_before <= ${PAGE_PAYLOAD_CHARS} ORDER BY position`);
}

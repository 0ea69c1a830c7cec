// Audit events in D1: inserted in batches, once each, and never changed. Read newest first, after a position.
import { and, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.edge.ts";
import { isInListRange } from "../db/list-range.ts";
import { isOneOf, rowsFromJson } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";
import type { PagePart } from "../http/list-page.ts";
import type { ListPosition } from "../http/list-position.ts";
import { type AuditEventRow, SHARED_EVENT_TYPES } from "./event.ts";
import { type EventFilter, type EventPageQuery, PAGE_PAYLOAD_CHARS } from "./page.ts";

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

/** Index entries that one page looks at, where it checks filters that no index has. */
const MOST_LOOKED_AT = 5_000;

/** The conditions of a filter: one that an index has, the narrowest, and those that are checked on what it finds. */
function splitFilter(filter: EventFilter): { indexed: SQL[]; checked: SQL[] } {
	const conditionsOf = (columns: readonly (readonly [SQLiteColumn, string | undefined])[]) =>
		columns.flatMap(([column, value]) => (value === undefined ? [] : [eq(column, value)]));
	const indexed = conditionsOf([
		[auditEvents.sessionId, filter.sessionId],
		[auditEvents.workspaceId, filter.workspaceId],
		[auditEvents.decision, filter.decision],
		[auditEvents.eventType, filter.eventType],
		[auditEvents.agent, filter.agent],
	]);
	const checked = conditionsOf([
		[auditEvents.actor, filter.actor],
		[auditEvents.directory, filter.directory],
		[auditEvents.permissionMode, filter.permissionMode],
	]);
	const { readableActors, runId } = filter;
	if (runId !== undefined) checked.push(sql`${auditEvents.payload} ->> '$.run_id' = ${runId}`);
	if (readableActors !== undefined) {
		const isShared = inArray(auditEvents.eventType, [...SHARED_EVENT_TYPES]);
		checked.push(or(isOneOf(auditEvents.actor, readableActors), isShared) ?? isShared);
	}
	return { indexed: indexed.slice(0, 1), checked: [...indexed.slice(1), ...checked] };
}

/** The part of a user's log that a page is in. */
function rangeCondition(userId: string, { filter: { since, until }, after }: EventPageQuery): SQL | undefined {
	return and(eq(auditEvents.userId, userId), isInListRange(auditEvents, { since, until, after }));
}

const NEWEST_FIRST = [desc(auditEvents.createdAt), desc(auditEvents.id)];

/** Ids of the events that a page looks at, newest first. */
function lookedAt(userId: string, query: EventPageQuery, indexed: readonly SQL[]): SQL {
	return sql`SELECT id, created_at FROM ${auditEvents} WHERE ${and(rangeCondition(userId, query), ...indexed)}
		ORDER BY ${sql.join(NEWEST_FIRST, sql`, `)} LIMIT ${MOST_LOOKED_AT}`;
}

/** The last of the events that a page looks at; null when they are all that there are. */
async function findEnd(db: Database, entries: SQL): Promise<ListPosition | null> {
	const [last] = await db.all<ListPosition>(
		sql`SELECT id, created_at FROM (${entries}) LIMIT 1 OFFSET ${MOST_LOOKED_AT - 1}`,
	);
	return last ?? null;
}

/**
 * Finds the events of a page, newest first, plus one if there are more. Stops one event after the payloads pass
 * PAGE_PAYLOAD_CHARS. SQLite counts one character where JavaScript may count two, so the page never needs more than this.
 */
export async function findEvents(
	db: Database,
	userId: string,
	query: EventPageQuery,
): Promise<PagePart<AuditEventRow>> {
	const { indexed, checked } = splitFilter(query.filter);
	const entries = lookedAt(userId, query, indexed);
	const isIn =
		checked.length === 0 ? and(rangeCondition(userId, query), ...indexed) : sql`id IN (SELECT id FROM (${entries}))`;
	const newest = db
		.select(eventColumns)
		.from(auditEvents)
		.where(and(isIn, ...checked))
		.orderBy(...NEWEST_FIRST)
		.limit(query.limit + 1);
	const events = await db.all<AuditEventRow>(sql`
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
	const mayEndEarly = checked.length > 0 && events.length <= query.limit;
	return { entries: events, readTo: mayEndEarly ? await findEnd(db, entries) : null };
}

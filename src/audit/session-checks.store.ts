// Policy checks of sessions in D1: how many a session has, and which sessions have the latest ones.
import { and, desc, eq, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { isOneOf, jsonList } from "../db/rows.ts";
import { auditEvents } from "../db/schema.ts";

/** Policy checks that one page of sessions looks at. */
const MOST_CHECKS = 5_000;
/** Sessions that it takes from them. */
const MOST_SESSIONS = 200;

/** The policy checks of a session. */
export interface SessionChecks {
	sessionId: string;
	checks: number;
	/** ISO 8601. */
	firstAt: string;
	lastAt: string;
}

/** Whose policy checks count: a user's, by these actors, or by all of them. */
export interface ChecksOwner {
	userId: string;
	actors: readonly string[] | null;
}

function isCheckOf({ userId, actors }: ChecksOwner): SQL | undefined {
	const isOfActors = actors === null ? undefined : isOneOf(auditEvents.actor, actors);
	return and(eq(auditEvents.userId, userId), eq(auditEvents.eventType, "policy_check"), isOfActors);
}

/** The checks of some sessions; none for a session without any. */
export async function findSessionChecks(
	db: Database,
	owner: ChecksOwner,
	sessionIds: readonly string[],
): Promise<SessionChecks[]> {
	// With the user, the session is what the index begins with.
	return await db.all<SessionChecks>(sql`
		SELECT asked.value AS sessionId, count(*) AS checks, min(${auditEvents.createdAt}) AS firstAt,
			max(${auditEvents.createdAt}) AS lastAt
		FROM json_each(${JSON.stringify(sessionIds)}) AS asked CROSS JOIN ${auditEvents}
		WHERE ${auditEvents.sessionId} = asked.value AND ${isCheckOf(owner)} GROUP BY asked.value`);
}

/** Which of some events D1 has. */
export async function findKnownEvents(db: Database, userId: string, ids: readonly string[]): Promise<Set<string>> {
	const rows = await db
		.select({ id: auditEvents.id })
		.from(auditEvents)
		.where(and(sql`${auditEvents.id} IN ${jsonList(ids)}`, eq(auditEvents.userId, userId)))
		.all();
	return new Set(rows.map(({ id }) => id));
}

/** Sessions with policy checks before a time, and up to where they were looked for. */
export interface CheckedSessions {
	/** Some of them may have later checks. */
	sessions: string[];
	/** All later checks were looked at; null where all were. */
	readTo: string | null;
}

/** The sessions of the latest checks before a time, some of them. @param before ISO 8601. */
export async function findCheckedSessions(db: Database, owner: ChecksOwner, before: string): Promise<CheckedSessions> {
	const { sessionId, createdAt, id, eventType, userId, actor } = auditEvents;
	const latest = db
		.select({ sessionId, createdAt, actor })
		.from(auditEvents)
		.where(and(eq(userId, owner.userId), eq(eventType, "policy_check"), lt(createdAt, before)))
		.orderBy(desc(createdAt), desc(id))
		.limit(MOST_CHECKS)
		.as("latest");
	const isReadable = owner.actors === null ? undefined : sql`${latest.actor} IN ${jsonList(owner.actors)}`;
	const lastSeen = sql<string>`max(${latest.createdAt})`;
	const [found, [end]] = await db.batch([
		db
			.select({ sessionId: sql<string>`${latest.sessionId}`, lastSeen })
			.from(latest)
			.where(and(isNotNull(latest.sessionId), isReadable))
			.groupBy(latest.sessionId)
			.orderBy(desc(lastSeen))
			.limit(MOST_SESSIONS),
		db
			.select({ createdAt: latest.createdAt })
			.from(latest)
			.limit(1)
			.offset(MOST_CHECKS - 1),
	]);
	const last = found.at(-1);
	const isFull = last !== undefined && found.length === MOST_SESSIONS;
	return { sessions: found.map((row) => row.sessionId), readTo: isFull ? last.lastSeen : (end?.createdAt ?? null) };
}

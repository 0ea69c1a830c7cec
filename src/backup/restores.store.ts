// What a restore must know of this deployment: what is there already, and which backup is being put back.
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import {
	agentRuns,
	apiKeys,
	auditEvents,
	brainShares,
	handoffs,
	restores,
	usageDays,
	users,
	workspaceManifests,
} from "../db/schema.ts";
import type { BackupHeader } from "./backup.ts";

/** A restore of this deployment. */
export type RestoreRow = typeof restores.$inferSelect;

/** The restore that was begun here, finished or not; undefined when there was none. */
export function findRestore(db: Database): Promise<RestoreRow | undefined> {
	return db.select().from(restores).get();
}

/**
 * Remembers that a restore begins, unless one has begun, and removes the users and keys of the new deployment. One transaction.
 * @returns whether this restore has begun.
 */
export async function beginRestore(db: Database, header: BackupHeader, nowMs: number): Promise<boolean> {
	const { backup_id: id, created_at: backedUpAt, secrets } = header;
	const startedAt = new Date(nowMs).toISOString();
	const isOurs = sql`EXISTS (SELECT 1 FROM ${restores} WHERE backup_id = ${id} AND started_at = ${startedAt})`;
	await db.batch([
		db
			.insert(restores)
			.select(
				sql`SELECT ${id}, ${secrets.log_origin}, ${backedUpAt}, ${startedAt}, NULL WHERE NOT EXISTS (SELECT 1 FROM ${restores})`,
			),
		db.delete(apiKeys).where(isOurs),
		db.delete(users).where(isOurs),
	]);
	return (await findRestore(db))?.backupId === id;
}

export async function finishRestore(db: Database, backupId: string, nowMs: number): Promise<void> {
	await db
		.update(restores)
		.set({ finishedAt: new Date(nowMs).toISOString() })
		.where(and(eq(restores.backupId, backupId), isNull(restores.finishedAt)));
}

/** What stands in tables that are empty in a new deployment, in words. */
const CONTENTS = [
	[usageDays, "requests"],
	[handoffs, "handoffs"],
	[workspaceManifests, "manifests"],
	[brainShares, "shared configs"],
	[agentRuns, "runs"],
] as const;

/** What this deployment holds beside one user who never did anything, in words; empty for a new one. */
export async function findContents(db: Database): Promise<string[]> {
	const found: string[] = [];
	for (const [table, name] of CONTENTS) {
		const row = await db.select({ one: sql`1` }).from(table).limit(1).get();
		if (row) found.push(name);
	}
	const { count } = (await db.select({ count: sql<number>`count(*)` }).from(users).get()) ?? { count: 0 };
	if (count > 1) found.push(`${count} users`);
	// Events of keys belong to the first user.
	const other = sql`${auditEvents.eventType} NOT LIKE 'key\\_%' ESCAPE '\\'`;
	const event = await db.select({ one: sql`1` }).from(auditEvents).where(other).limit(1).get();
	if (event) found.push("audit events");
	return found;
}

/** The keys that a new deployment was given, with their users. */
export function listFirstKeys(db: Database): Promise<{ id: string; userId: string }[]> {
	return db.select({ id: apiKeys.id, userId: apiKeys.userId }).from(apiKeys).all();
}

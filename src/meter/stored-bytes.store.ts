// Stored bytes in D1: what a user's kept rows come to, and the user's sum as the meter last flushed it.
import { eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { agentRuns, brainShares, users, workspaceManifests } from "../db/schema.ts";
import { STORED_ROW_BYTES } from "./stored-bytes.ts";

/** The bytes of a text column. SQLite knows them without reading the text. */
function bytesOf(column: unknown): SQL {
	return sql`coalesce(octet_length(${column}), 0)`;
}

/** What a user keeps in D1: manifests with their old versions, shares and agent runs. */
export async function sumKeptBytes(db: Database, userId: string): Promise<number> {
	const manifest = bytesOf(workspaceManifests.manifest);
	const share = sql`${bytesOf(brainShares.brainMd)} + ${bytesOf(brainShares.config)} + ${bytesOf(brainShares.errors)}`;
	const [row] = await db.all<{ bytes: number }>(sql`SELECT
		(SELECT coalesce(sum(${manifest} + ${STORED_ROW_BYTES}), 0) FROM ${workspaceManifests} WHERE user_id = ${userId})
		+ (SELECT coalesce(sum(${share} + ${STORED_ROW_BYTES}), 0) FROM ${brainShares} WHERE user_id = ${userId})
		+ (SELECT coalesce(sum(stored_bytes), 0) FROM ${agentRuns} WHERE user_id = ${userId}) AS bytes`);
	return row?.bytes ?? 0;
}

/** Stores a user's sum: an absolute one, so that it may be repeated. */
export async function recordStoredBytes(db: Database, userId: string, bytes: number, atMs: number): Promise<void> {
	await db
		.update(users)
		.set({ storedBytes: bytes, storedAt: new Date(atMs).toISOString() })
		.where(eq(users.id, userId));
}

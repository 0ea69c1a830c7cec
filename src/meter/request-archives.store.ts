// Which archives users have, in D1: for backups, which list objects by it.
import { and, eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { requestArchives } from "../db/schema.ts";

/** Records an archive. To be called before it stores anything. Idempotent. */
export async function recordArchive(db: Database, userId: string, nth: number): Promise<void> {
	await db.insert(requestArchives).values({ userId, nth }).onConflictDoNothing();
}

/** Forgets an archive that stores nothing any more. Idempotent. */
export async function forgetArchive(db: Database, userId: string, nth: number): Promise<void> {
	await db.delete(requestArchives).where(and(eq(requestArchives.userId, userId), eq(requestArchives.nth, nth)));
}

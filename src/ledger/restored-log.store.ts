// Whether checkpoints may still be signed under a name. After a restore, nobody knows which sizes were signed since the backup.
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { restores } from "../db/schema.ts";

/** Whether this deployment was restored from a backup of a service with this `LOG_ORIGIN`. */
export async function isRestoredLog(db: Database, logOrigin: string): Promise<boolean> {
	const row = await db.select({ id: restores.backupId }).from(restores).where(eq(restores.logOrigin, logOrigin)).get();
	return row !== undefined;
}

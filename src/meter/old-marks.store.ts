// Which rows D1 has, for the marks that were made for a row.
import { sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { auditEvents, handoffs } from "../db/schema.ts";

/** Those of some ids that D1 has a handoff or an audit event under. */
export async function storedIds(db: Database, ids: readonly string[]): Promise<string[]> {
	const asked = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
	const rows = await db.all<{ id: string }>(sql`
		SELECT id FROM ${handoffs} WHERE id IN ${asked} UNION ALL SELECT id FROM ${auditEvents} WHERE id IN ${asked}`);
	return rows.map(({ id }) => id);
}

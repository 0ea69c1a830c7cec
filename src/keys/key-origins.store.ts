// Where keys come from, in D1: which key another one replaced, and which key made it.
import { sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { apiKeys } from "../db/schema.ts";

/**
 * Whether a key is of another one's side: it is that key or of its rotation line, or was made by a key of that line, or by a key that
 * comes from it in the same way. Reads the keys on the way back from both, by their ids.
 */
export async function comesFrom(
	db: Database,
	userId: string,
	keyId: string,
	{ origin }: { origin: string },
): Promise<boolean> {
	if (keyId === origin) return true;
	const { is_of_side } = await db.get<{ is_of_side: number }>(sql`
		WITH RECURSIVE
			line(id, replaced) AS (
				SELECT id, rotated_from FROM ${apiKeys} WHERE id = ${origin} AND user_id = ${userId}
				UNION SELECT before.id, before.rotated_from FROM ${apiKeys} AS before JOIN line ON before.id = line.replaced),
			source(id, replaced, maker) AS (
				SELECT id, rotated_from, made_by FROM ${apiKeys} WHERE id = ${keyId} AND user_id = ${userId}
				UNION SELECT before.id, before.rotated_from, before.made_by FROM source
					JOIN ${apiKeys} AS before ON before.id IN (source.replaced, source.maker))
		SELECT EXISTS (SELECT 1 FROM source JOIN line ON line.id = source.id) AS is_of_side`);
	return is_of_side === 1;
}

/** Whether a key that took the place of another by rotation, at any remove, has not been revoked. */
export async function hasLiveSuccessor(db: Database, userId: string, keyId: string): Promise<boolean> {
	const { is_live } = await db.get<{ is_live: number }>(sql`
		WITH RECURSIVE line(id, revoked_at) AS (
			SELECT id, revoked_at FROM ${apiKeys} WHERE user_id = ${userId} AND rotated_from = ${keyId}
			UNION SELECT next.id, next.revoked_at FROM line
				JOIN ${apiKeys} AS next ON next.user_id = ${userId} AND next.rotated_from = line.id)
		SELECT EXISTS (SELECT 1 FROM line WHERE revoked_at IS NULL) AS is_live`);
	return is_live === 1;
}

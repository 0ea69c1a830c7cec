// Which objects there are, by what D1 knows of users, workspaces and runs.
import { sql } from "drizzle-orm";
import { ownerObjectName } from "../audit/owner.ts";
import type { Database } from "../db/client.edge.ts";
import { agentRuns, auditEvents, handoffs, requestArchives, users, workspaceManifests } from "../db/schema.ts";
import { archiveName } from "../meter/archive-plan.ts";
import type { ObjectClass } from "./backup.ts";

/** An object, and its place among those of its class. */
export interface ObjectPlace {
	name: string;
	/** Its user. */
	userId: string;
	/** Orders the objects of a class. */
	key: string[];
}

const FIRST_KEY = ["", ""];

/** The objects of a class behind a place, in the order of their keys. @param after the key of a place; null for the first ones. */
export async function listObjects(
	db: Database,
	kind: ObjectClass,
	after: string[] | null,
	limit: number,
): Promise<ObjectPlace[]> {
	const [first = "", second = ""] = after ?? FIRST_KEY;
	switch (kind) {
		case "AccountMeter":
		case "StoredResponses": {
			const rows = await db.all<{ id: string }>(
				sql`SELECT id FROM ${users} WHERE id > ${first} ORDER BY id LIMIT ${limit}`,
			);
			return rows.map(({ id }) => ({ name: id, userId: id, key: [id] }));
		}
		case "WorkspaceLedger": {
			const behind = sql`(user_id, workspace_id) > (${first}, ${second})`;
			const rows = await db.all<{ user_id: string; workspace_id: string }>(
				sql`SELECT user_id, workspace_id FROM ${handoffs} WHERE ${behind}
					UNION SELECT user_id, workspace_id FROM ${auditEvents} WHERE workspace_id IS NOT NULL AND ${behind}
					UNION SELECT user_id, workspace_id FROM ${workspaceManifests} WHERE ${behind}
					ORDER BY 1, 2 LIMIT ${limit}`,
			);
			return rows.map(({ user_id: userId, workspace_id: id }) => ({
				name: ownerObjectName(userId, { kind: "workspace", id }),
				userId,
				key: [userId, id],
			}));
		}
		case "RequestArchive": {
			const rows = await db.all<{ user_id: string; nth: number }>(
				sql`SELECT user_id, nth FROM ${requestArchives} WHERE (user_id, nth) > (${first}, ${Number(second)})
					ORDER BY user_id, nth LIMIT ${limit}`,
			);
			return rows.map(({ user_id: userId, nth }) => ({
				name: archiveName(userId, nth),
				userId,
				key: [userId, String(nth)],
			}));
		}
		case "AgentRun": {
			const rows = await db.all<{ id: string; user_id: string }>(
				sql`SELECT id, user_id FROM ${agentRuns} WHERE id > ${first} ORDER BY id LIMIT ${limit}`,
			);
			return rows.map(({ id, user_id: userId }) => ({
				name: ownerObjectName(userId, { kind: "run", id }),
				userId,
				key: [id],
			}));
		}
	}
}

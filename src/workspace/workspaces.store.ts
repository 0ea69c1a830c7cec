// A user's workspaces in D1, by name. There is no table of them: a workspace exists once an audit event or a manifest names it.
// Each name is one step in an index, however many events the workspaces before it have.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { auditEvents, handoffs, workspaceManifests } from "../db/schema.ts";
import type { StoredWorkspace } from "./workspace-list.ts";

/** The first name behind another. Handoffs are stored with events of theirs. */
function nextName(userId: string, after: SQL): SQL {
	return sql`(SELECT min(name) FROM (
		SELECT min(workspace_id) AS name FROM ${auditEvents} WHERE user_id = ${userId} AND workspace_id > ${after}
		UNION ALL SELECT min(workspace_id) FROM ${workspaceManifests} WHERE user_id = ${userId} AND workspace_id > ${after}))`;
}

/**
 * Workspaces behind a name, in order.
 * @param after empty for the first page.
 */
export async function findWorkspaces(
	db: Database,
	userId: string,
	after: string,
	limit: number,
): Promise<StoredWorkspace[]> {
	const own = sql`user_id = ${userId} AND workspace_id = named.name`;
	return db.all<StoredWorkspace>(sql`
		WITH RECURSIVE named(name) AS (
			SELECT ${nextName(userId, sql`${after}`)}
			UNION ALL SELECT ${nextName(userId, sql`named.name`)} FROM named WHERE named.name IS NOT NULL
			LIMIT ${limit})
		SELECT name AS workspace_id,
			(SELECT max(created_at) FROM ${auditEvents} WHERE ${own}) AS last_event_at,
			coalesce((SELECT max(seq) + 1 FROM ${handoffs} WHERE ${own}), 0) AS handoffs,
			(SELECT max(version) FROM ${workspaceManifests} WHERE ${own}) AS manifest_version,
			(SELECT created_at FROM ${workspaceManifests} WHERE ${own} ORDER BY version DESC LIMIT 1) AS manifest_updated_at
		FROM named WHERE name IS NOT NULL`);
}

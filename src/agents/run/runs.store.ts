// Runs in D1, mirrored from their objects.
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../../db/client.edge.ts";
import { rowsFromJson } from "../../db/rows.ts";
import { agentRuns } from "../../db/schema.ts";

/** One row of the agent_runs table, in its column names. */
export interface AgentRunRow {
	id: string;
	user_id: string;
	created_at: string;
	revision: number;
	status: string;
	/** JSON. */
	summary: string;
	/** JSON, or null. */
	run: string | null;
}

/** Stores a row, unless the stored one is as new or newer. */
export async function upsertRun(db: Database, row: AgentRunRow): Promise<void> {
	await db
		.insert(agentRuns)
		.select(rowsFromJson(agentRuns, [row]))
		.onConflictDoUpdate({
			target: agentRuns.id,
			set: {
				revision: sql`excluded.revision`,
				status: sql`excluded.status`,
				summary: sql`excluded.summary`,
				run: sql`excluded.run`,
			},
			setWhere: sql`excluded.revision > ${agentRuns.revision}`,
		});
}

/** The latest runs of a user, newest first, without their steps. */
export async function findRuns(
	db: Database,
	userId: string,
	limit: number,
): Promise<Pick<AgentRunRow, "id" | "created_at" | "revision" | "summary">[]> {
	const { id, createdAt: created_at, revision, summary } = agentRuns;
	return db
		.select({ id, created_at, revision, summary })
		.from(agentRuns)
		.where(eq(agentRuns.userId, userId))
		.orderBy(desc(agentRuns.createdAt), desc(agentRuns.id))
		.limit(limit);
}

/** A user's whole run as JSON; null when D1 does not have it, or only its summary. */
export async function findRun(db: Database, userId: string, id: string): Promise<string | null> {
	const [row] = await db
		.select({ run: agentRuns.run })
		.from(agentRuns)
		.where(and(eq(agentRuns.id, id), eq(agentRuns.userId, userId)));
	return row?.run ?? null;
}

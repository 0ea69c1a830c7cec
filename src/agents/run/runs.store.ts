// Runs in D1, mirrored from their objects.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { AuditEventRow } from "../../audit/event.ts";
import { insertEventOfChange } from "../../audit/events.store.ts";
import type { Database } from "../../db/client.edge.ts";
import { isInListRange } from "../../db/list-range.ts";
import { isOneOf, rowsFromJson } from "../../db/rows.ts";
import { agentRuns } from "../../db/schema.ts";
import type { ListedRunRow, RunPageQuery } from "./run-page.ts";

/** One row of the agent_runs table, in its column names. */
export interface AgentRunRow extends ListedRunRow {
	user_id: string;
	/** JSON, or null. */
	run: string | null;
	/** What the run counts as in the sum of its user. Changes with the status only. */
	stored_bytes: number;
}

/** Replaces the stored row where it counts as the same, unless it is as new or newer. @param set what of it may differ. */
function updateRun(
	db: Database,
	{ id, revision, status, summary, run, stored_bytes }: AgentRunRow,
	set: "status too" | "same status",
) {
	const isStatusSet = set === "status too";
	return db
		.update(agentRuns)
		.set({ revision, summary, run, ...(isStatusSet ? { status } : {}) })
		.where(
			and(
				eq(agentRuns.id, id),
				eq(agentRuns.storedBytes, stored_bytes),
				isStatusSet ? undefined : eq(agentRuns.status, status),
				lt(agentRuns.revision, revision),
			),
		);
}

/**
 * Stores a row, unless the stored one is as new or newer. A statement that sets a column writes its indexes again, whatever it was; what a
 * run counts as changes at its end alone, so its pauses are written without it, and without the status where that is the same.
 */
export async function upsertRun(db: Database, row: AgentRunRow): Promise<void> {
	const upsert = db
		.insert(agentRuns)
		.select(rowsFromJson(agentRuns, [row]))
		.onConflictDoUpdate({
			target: agentRuns.id,
			set: {
				revision: sql`excluded.revision`,
				status: sql`excluded.status`,
				summary: sql`excluded.summary`,
				run: sql`excluded.run`,
				storedBytes: sql`excluded.stored_bytes`,
			},
			setWhere: sql`excluded.revision > ${agentRuns.revision}`,
		});
	// The first row and the last one count as something else. Once a statement has replaced a row, those after it find it as new.
	if (row.revision === 1 || row.run !== null) await upsert;
	else await db.batch([updateRun(db, row, "same status"), updateRun(db, row, "status too"), upsert]);
}

/** A user's runs, newest first, without their steps: those of a page, and one more if there are more. */
export async function findRuns(
	db: Database,
	userId: string,
	{ filter: { status, since, until, apiKeyIds }, after, limit }: RunPageQuery,
): Promise<ListedRunRow[]> {
	const { id, createdAt: created_at, revision, status: storedStatus, summary, apiKeyId: api_key_id } = agentRuns;
	return db
		.select({ id, created_at, revision, status: storedStatus, summary, api_key_id })
		.from(agentRuns)
		.where(
			and(
				eq(agentRuns.userId, userId),
				status === undefined ? undefined : eq(storedStatus, status),
				isInListRange(agentRuns, { since, until, after }),
				apiKeyIds === undefined ? undefined : isOneOf(api_key_id, apiKeyIds),
			),
		)
		.orderBy(desc(created_at), desc(id))
		.limit(limit + 1);
}

/** A user's whole run as JSON; null when D1 does not have it, or only its summary. */
export async function findRun(db: Database, userId: string, id: string): Promise<string | null> {
	const [row] = await db
		.select({ run: agentRuns.run })
		.from(agentRuns)
		.where(and(eq(agentRuns.id, id), eq(agentRuns.userId, userId)));
	return row?.run ?? null;
}

/** Deletes a user's run, and records that in the audit log, in one transaction. @returns what it counted as; 0 where D1 has none. */
export async function deleteRun(db: Database, userId: string, id: string, event: AuditEventRow): Promise<number> {
	const deletion = db
		.delete(agentRuns)
		.where(and(eq(agentRuns.id, id), eq(agentRuns.userId, userId)))
		.returning({ storedBytes: agentRuns.storedBytes });
	const [[deleted]] = await db.batch([deletion, insertEventOfChange(db, event)]);
	return deleted?.storedBytes ?? 0;
}

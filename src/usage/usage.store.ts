// Usage as D1 has it: the latest rows, and what it has under some request ids already, all from one snapshot.
import { desc, eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements, usageTable } from "../db/schema.ts";
import type { RecentUsage } from "../meter/settlement.ts";
import { type StoredUsage, storedUsageQueries, toStoredUsage } from "../meter/settlements.store.ts";

/** The latest requests shown. */
export const RECENT_ROWS = 20;

/** What is shown of a request; both tables have these columns. */
function recentColumns(table: typeof settlements | typeof usageTable) {
	return {
		request_id: table.requestId,
		created_at: table.createdAt,
		kind: table.kind,
		model: table.model,
		provider: table.provider,
		mode: table.mode,
		tokens: table.tokens,
		cost_nano_usd: table.costNanoUsd,
		latency_ms: table.latencyMs,
		fallback: table.fallback,
	};
}

function latest(db: Database, table: typeof settlements | typeof usageTable, userId: string) {
	return db
		.select(recentColumns(table))
		.from(table)
		.where(eq(table.userId, userId))
		.orderBy(desc(table.createdAt), desc(table.requestId))
		.limit(RECENT_ROWS);
}

/** Reads a user's latest rows, and what is stored under some ids, in one batch, which D1 runs as one transaction. */
export async function readUsage(
	db: Database,
	userId: string,
	ids: readonly string[],
): Promise<StoredUsage & { recent: RecentUsage[] }> {
	const recent = [latest(db, settlements, userId), latest(db, usageTable, userId)] as const;
	if (ids.length === 0) {
		const [rows, old] = await db.batch([...recent]);
		return { recent: [...rows, ...old], ...toStoredUsage([], []) };
	}
	const [rows, old, stored, storedBefore] = await db.batch([...recent, ...storedUsageQueries(db, ids)]);
	return { recent: [...rows, ...old], ...toStoredUsage(stored, storedBefore) };
}

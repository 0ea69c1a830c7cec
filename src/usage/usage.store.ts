// Usage in D1: a user's latest rows, and the rows of some request ids, all from one snapshot.
import { desc, eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements } from "../db/schema.ts";
import { RECENT_ROWS } from "../meter/meter-calls.ts";
import type { RecentUsage } from "../meter/settlement.ts";
import { countedUsageQuery, toCountedUsage } from "../meter/settlements.store.ts";
import type { CountedUsage } from "../meter/usage-totals.ts";

const recentColumns = {
	request_id: settlements.requestId,
	created_at: settlements.createdAt,
	kind: settlements.kind,
	model: settlements.model,
	provider: settlements.provider,
	mode: settlements.mode,
	tokens: settlements.tokens,
	cost_nano_usd: settlements.costNanoUsd,
	latency_ms: settlements.latencyMs,
	fallback: settlements.fallback,
};

interface StoredUsage {
	/** Newest first. */
	recent: RecentUsage[];
	/** By request id. */
	counted: Map<string, CountedUsage>;
}

/** Reads a user's latest rows and the rows of some ids in one batch, which D1 runs as one transaction. */
export async function readUsage(db: Database, userId: string, ids: readonly string[]): Promise<StoredUsage> {
	const latest = db
		.select(recentColumns)
		.from(settlements)
		.where(eq(settlements.userId, userId))
		.orderBy(desc(settlements.createdAt), desc(settlements.requestId))
		.limit(RECENT_ROWS);
	if (ids.length === 0) return { recent: await latest.all(), counted: new Map() };
	const [recent, rows] = await db.batch([latest, countedUsageQuery(db, ids)]);
	return { recent, counted: toCountedUsage(rows) };
}

// Usage as D1 has it: rollups, the latest rows, and which of some request ids it holds already, all from one snapshot.
import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { usage, usageRollups } from "../db/schema.ts";
import type { RecentRow, RollupRow } from "./usage.ts";

const rollupColumns = {
	dimension: usageRollups.dimension,
	name: usageRollups.name,
	requests: usageRollups.requests,
	tokens: usageRollups.tokens,
	input_tokens: usageRollups.inputTokens,
	cost_nano_usd: usageRollups.costNanoUsd,
};

const recentColumns = {
	request_id: usage.requestId,
	created_at: usage.createdAt,
	kind: usage.kind,
	model: usage.model,
	provider: usage.provider,
	mode: usage.mode,
	tokens: usage.tokens,
	cost_nano_usd: usage.costNanoUsd,
	latency_ms: usage.latencyMs,
	fallback: usage.fallback,
};

/** The latest requests shown. */
export const RECENT_ROWS = 20;

/** What D1 has of a user's usage. */
export interface StoredUsage {
	rollups: RollupRow[];
	/** Newest first. */
	recent: RecentRow[];
	/** Of the request ids asked about, those that are in the rest. */
	stored: Set<string>;
}

/** Reads a user's usage in one batch, which D1 runs as one transaction. */
export async function readUsage(db: Database, userId: string, pendingIds: readonly string[]): Promise<StoredUsage> {
	const [rollups, recent, stored] = await db.batch([
		db.select(rollupColumns).from(usageRollups).where(eq(usageRollups.userId, userId)),
		db
			.select(recentColumns)
			.from(usage)
			.where(eq(usage.userId, userId))
			.orderBy(desc(usage.createdAt), desc(usage.requestId))
			.limit(RECENT_ROWS),
		db
			.select({ request_id: usage.requestId })
			.from(usage)
			// By id alone: with the user beside it SQLite would walk all of the user's rows instead.
			.where(sql`${usage.requestId} IN (SELECT value FROM json_each(${JSON.stringify(pendingIds)}))`),
	]);
	return { rollups, recent, stored: new Set(stored.map(({ request_id }) => request_id)) };
}

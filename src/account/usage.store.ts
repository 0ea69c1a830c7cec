// Usage as D1 has it: rollups, the latest rows, and which of some request ids it holds already, all from one snapshot.
import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { usage, usageRollups } from "../db/schema.ts";

/** Totals under one name of one dimension. */
export interface Rollup {
	dimension: string;
	name: string;
	requests: number;
	tokens: number;
	inputTokens: number;
	costNanoUsd: number;
}

/** The latest requests shown. */
export const RECENT_ROWS = 20;

/** Reads a user's usage in one batch, which D1 runs as one transaction. */
export async function readUsage(db: Database, userId: string, pendingIds: readonly string[]) {
	const [rollups, recent, stored] = await db.batch([
		db
			.select({
				dimension: usageRollups.dimension,
				name: usageRollups.name,
				requests: usageRollups.requests,
				tokens: usageRollups.tokens,
				inputTokens: usageRollups.inputTokens,
				costNanoUsd: usageRollups.costNanoUsd,
			})
			.from(usageRollups)
			.where(eq(usageRollups.userId, userId)),
		db
			.select()
			.from(usage)
			.where(eq(usage.userId, userId))
			.orderBy(desc(usage.createdAt), desc(usage.requestId))
			.limit(RECENT_ROWS),
		db
			.select({ requestId: usage.requestId })
			.from(usage)
			// By id alone: with the user beside it SQLite would walk all of the user's rows instead.
			.where(sql`${usage.requestId} IN (SELECT value FROM json_each(${JSON.stringify(pendingIds)}))`),
	]);
	return { rollups: rollups satisfies Rollup[], recent, stored: new Set(stored.map((row) => row.requestId)) };
}

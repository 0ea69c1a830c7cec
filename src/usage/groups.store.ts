// Grouped usage in D1: sums of the rollup, which requests D1 has, and the labels of API keys. It reads no request's row but those
// that a meter has not confirmed.
import { and, between, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { isOneOf, jsonList } from "../db/rows.ts";
import { apiKeys, settlements, usageDays } from "../db/schema.ts";
import type { DayRange } from "./day-range.ts";
import type { Grouping, KeyLabel, NamedCounts } from "./groups.ts";

/** Ids of one statement: together they stay below the 2 MB of a parameter. */
const LOOKUP_IDS = 20_000;

const NAMES = { key: usageDays.apiKeyId, tag: usageDays.apiKeyId, model: usageDays.model, day: usageDays.day };

/** Whose usage is summed up. */
interface UsageOwner {
	userId: string;
	/** Of these API keys alone; null for all. */
	makers: readonly string[] | null;
}

function sumOf(column: SQLiteColumn): SQL<number> {
	return sql<number>`sum(${column})`;
}

function rollupSums(db: Database, { userId, makers }: UsageOwner, grouping: Grouping, { since, until }: DayRange) {
	const name = NAMES[grouping];
	return db
		.select({
			name: sql<string>`${name}`,
			requests: sumOf(usageDays.requests),
			model_requests: sumOf(usageDays.modelRequests),
			calls: sumOf(usageDays.calls),
			tokens: sumOf(usageDays.tokens),
			input_tokens: sumOf(usageDays.inputTokens),
			cost_nano_usd: sumOf(usageDays.costNanoUsd),
		})
		.from(usageDays)
		.where(
			and(
				eq(usageDays.userId, userId),
				between(usageDays.day, since, until),
				makers ? isOneOf(usageDays.apiKeyId, makers) : undefined,
			),
		)
		.groupBy(name);
}

function storedIdsQuery(db: Database, ids: readonly string[]) {
	return db
		.select({ id: settlements.requestId })
		.from(settlements)
		.where(inArray(settlements.requestId, jsonList(ids)));
}

interface StoredCounts {
	counts: NamedCounts[];
	/** Those of the ids that D1 has, and that `counts` count. */
	storedIds: Set<string>;
}

/**
 * Sums up a user's usage, and says which of some requests are in it: one batch, which D1 runs as one transaction.
 * @param ids of requests that D1 may have.
 */
export async function readCounts(
	db: Database,
	owner: UsageOwner,
	grouping: Grouping,
	range: DayRange,
	ids: readonly string[],
): Promise<StoredCounts> {
	const parts = Array.from({ length: Math.ceil(ids.length / LOOKUP_IDS) }, (_, n) =>
		ids.slice(n * LOOKUP_IDS, (n + 1) * LOOKUP_IDS),
	);
	const lookups = parts.map((part) => storedIdsQuery(db, part));
	const [counts, ...found] = await db.batch([rollupSums(db, owner, grouping, range), ...lookups]);
	return { counts, storedIds: new Set(found.flat().map(({ id }) => id)) };
}

const labelTags = z.array(z.string());

/** Labels of a user's API keys, revoked ones too, by id. */
export async function findKeyLabels(
	db: Database,
	userId: string,
	ids: readonly string[],
): Promise<Map<string, KeyLabel>> {
	const { id, name, last4, tags, revokedAt } = apiKeys;
	const rows = await db
		.select({ id, name, last4, tags, revokedAt })
		.from(apiKeys)
		.where(and(inArray(id, jsonList(ids)), eq(apiKeys.userId, userId)))
		.all();
	return new Map(rows.map((row) => [row.id, { ...row, tags: labelTags.parse(JSON.parse(row.tags)) }]));
}

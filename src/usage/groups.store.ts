// The labels of API keys in D1: for grouped usage, and for requests by tag.
import { and, eq, inArray, sql } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { jsonList } from "../db/rows.ts";
import { apiKeys } from "../db/schema.ts";
import type { KeyLabel } from "./groups.ts";

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

/** Ids of a user's API keys with a tag, revoked ones too. */
export async function findTaggedKeys(db: Database, userId: string, tag: string): Promise<string[]> {
	const rows = await db
		.select({ id: apiKeys.id })
		.from(apiKeys)
		.where(and(eq(apiKeys.userId, userId), sql`EXISTS (SELECT 1 FROM json_each(${apiKeys.tags}) WHERE value = ${tag})`))
		.all();
	return rows.map(({ id }) => id);
}

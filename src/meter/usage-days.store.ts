// Usage by day in D1, for operators: sums that a meter writes as they are. An older sum never replaces a newer one.
import { and, eq, lte, max, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { usageDays } from "../db/schema.ts";
import type { DaySum } from "./day-sums.ts";
import type { OutgoingDaySum } from "./meter-state.edge.ts";

const REPLACED_COLUMNS = ["requests", "model_requests", "calls", "tokens", "input_tokens", "cost_nano_usd", "revision"];
const COLUMNS = ["day", "api_key_id", "model", ...REPLACED_COLUMNS];

/** Writes sums of a user. */
export async function recordUsageDays(db: Database, userId: string, sums: readonly OutgoingDaySum[]): Promise<void> {
	const values = sql.raw(COLUMNS.map((name) => `value ->> '${name}'`).join(", "));
	const replaced = sql.raw(REPLACED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", "));
	await db.run(sql`INSERT INTO ${usageDays} (user_id, ${sql.raw(COLUMNS.join(", "))})
		SELECT ${userId}, ${values} FROM json_each(${JSON.stringify(sums)}) WHERE true
		ON CONFLICT (user_id, day, api_key_id, model) DO UPDATE SET ${replaced} WHERE excluded.revision > ${usageDays}.revision`);
}

/** The highest revision of a user's sums; 0 where there are none. */
export async function highestRevision(db: Database, userId: string): Promise<number> {
	const row = await db
		.select({ revision: max(usageDays.revision) })
		.from(usageDays)
		.where(eq(usageDays.userId, userId))
		.get();
	return row?.revision ?? 0;
}

/** Deletes a user's sums that were not written above a revision. */
export async function forgetEarlierSums(db: Database, userId: string, revision: number): Promise<void> {
	await db.delete(usageDays).where(and(eq(usageDays.userId, userId), lte(usageDays.revision, revision)));
}

/** The sums that D1 has of a day. */
export function findDaySums(db: Database, userId: string, day: string): Promise<DaySum[]> {
	return db
		.select({
			day: usageDays.day,
			api_key_id: usageDays.apiKeyId,
			model: usageDays.model,
			requests: usageDays.requests,
			model_requests: usageDays.modelRequests,
			calls: usageDays.calls,
			tokens: usageDays.tokens,
			input_tokens: usageDays.inputTokens,
			cost_nano_usd: usageDays.costNanoUsd,
		})
		.from(usageDays)
		.where(and(eq(usageDays.userId, userId), eq(usageDays.day, day)))
		.all();
}

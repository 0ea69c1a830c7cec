// The operator's sums in D1: of a user's day, to be compared.
import { and, eq } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { usageDays } from "../db/schema.ts";
import type { DaySum } from "../meter/day-sums.ts";

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

// What users come to, for the operator: the sums that the meters have flushed to D1.
import { sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { usageDays, users } from "../db/schema.ts";

/** The sums of one user. */
export interface UserSums {
	user_id: string;
	user: string;
	plan: string;
	requests: number;
	cost_nano_usd: number;
	stored_bytes: number;
	/** When the stored bytes were flushed, ISO 8601; null when the user has stored nothing yet. */
	stored_at: string | null;
}

/**
 * Users in the order of their ids, which is that of their making, with their sums.
 * @param after the user before the first one; empty for the first page.
 */
export function listUserSums(db: Database, after: string, limit: number): Promise<UserSums[]> {
	// The sums of a page's users only: each user's are one range of the rollup's key.
	return db.all<UserSums>(sql`
		WITH page AS (SELECT * FROM ${users} WHERE id > ${after} ORDER BY id LIMIT ${limit}),
			summed AS (SELECT user_id, sum(requests) AS requests, sum(cost_nano_usd) AS cost_nano_usd FROM ${usageDays}
				WHERE user_id IN (SELECT id FROM page) GROUP BY user_id)
		SELECT page.id AS user_id, page.name AS user, page.plan, coalesce(summed.requests, 0) AS requests,
			coalesce(summed.cost_nano_usd, 0) AS cost_nano_usd, coalesce(page.stored_bytes, 0) AS stored_bytes, page.stored_at
		FROM page LEFT JOIN summed ON summed.user_id = page.id ORDER BY page.id`);
}

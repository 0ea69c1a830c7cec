// A user's totals recomputed from every row in D1, page by page.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements } from "../db/schema.ts";
import { type NamedTotals, UsageTotals } from "../meter/usage-totals.ts";

/** Rows of one query. D1 ends a query after 30 seconds. */
const CHECK_PAGE_ROWS = 5_000;

/** A page starts behind this row. */
interface PageStart {
	created_at: string;
	request_id: string;
}

function settlementsPage(userId: string, after: PageStart): SQL {
	return sql`SELECT * FROM ${settlements} WHERE user_id = ${userId}
		AND (created_at, request_id) > (${after.created_at}, ${after.request_id}) ORDER BY created_at, request_id LIMIT ${CHECK_PAGE_ROWS}`;
}

function totalsQuery(page: SQL, excludedIds: readonly string[]): SQL {
	return sql`
		WITH page AS (${page}),
			counted AS (SELECT * FROM page WHERE request_id NOT IN (SELECT value FROM json_each(${JSON.stringify(excludedIds)}))),
			call AS (SELECT value ->> 'model' AS model, value ->> 'provider' AS provider, coalesce(value ->> 'requests', 1) AS requests,
				value ->> 'tokens' AS tokens, value ->> 'input_tokens' AS input_tokens,
				value ->> 'cost_nano_usd' AS cost_nano_usd FROM counted, json_each(counted.calls)),
			part AS (
				SELECT 'total' AS dimension, '' AS name, 1 AS requests, tokens, input_tokens, cost_nano_usd FROM counted
				UNION ALL SELECT 'mode', mode, 1, tokens, input_tokens, cost_nano_usd FROM counted
				UNION ALL SELECT 'model', model, requests, tokens, input_tokens, cost_nano_usd FROM call
				UNION ALL SELECT 'provider', provider, requests, tokens, input_tokens, cost_nano_usd FROM call)
		SELECT dimension, name, sum(requests) AS requests, sum(tokens) AS tokens, sum(input_tokens) AS inputTokens,
			sum(cost_nano_usd) AS costNanoUsd FROM part GROUP BY dimension, name`;
}

/**
 * Sums up a user's rows.
 * @param excludedIds request ids that do not count.
 */
export async function recomputeTotals(
	db: Database,
	userId: string,
	excludedIds: readonly string[],
): Promise<NamedTotals[]> {
	const totals = new UsageTotals();
	let after: PageStart | undefined = { created_at: "", request_id: "" };
	while (after) {
		const page = settlementsPage(userId, after);
		totals.addAll(await db.all<NamedTotals>(totalsQuery(page, excludedIds)));
		const last: PageStart[] = await db.all<PageStart>(
			sql`SELECT created_at, request_id FROM (${page}) LIMIT 1 OFFSET ${CHECK_PAGE_ROWS - 1}`,
		);
		after = last[0];
	}
	return totals.rows();
}

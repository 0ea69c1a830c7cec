// A user's totals recomputed from every row in D1, page by page.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { settlements, usageTable } from "../db/schema.ts";
import { type NamedTotals, UsageTotals } from "../meter/usage-totals.ts";

/** Rows of one query: D1 ends one that takes more than 30 seconds. */
const PAGE_ROWS = 5_000;

/** Where a page begins, behind a row. */
interface Position {
	created_at: string;
	request_id: string;
}

function pageOf(table: SQL, userId: string, after: Position): SQL {
	return sql`SELECT * FROM ${table} WHERE user_id = ${userId}
		AND (created_at, request_id) > (${after.created_at}, ${after.request_id}) ORDER BY created_at, request_id LIMIT ${PAGE_ROWS}`;
}

function totalsQuery(page: SQL, leftOut: readonly string[]): SQL {
	return sql`
		WITH page AS (${page}),
			kept AS (SELECT * FROM page WHERE request_id NOT IN (SELECT value FROM json_each(${JSON.stringify(leftOut)}))),
			call AS (SELECT value ->> 'model' AS model, value ->> 'provider' AS provider, coalesce(value ->> 'requests', 1) AS requests,
				value ->> 'tokens' AS tokens, coalesce(value ->> 'input_tokens', value ->> 'tokens') AS input_tokens,
				value ->> 'cost_nano_usd' AS cost_nano_usd FROM kept, json_each(kept.calls)),
			part AS (
				SELECT 'total' AS dimension, '' AS name, 1 AS requests, tokens, coalesce(input_tokens, tokens) AS input_tokens,
					cost_nano_usd FROM kept
				UNION ALL SELECT 'mode', mode, 1, tokens, coalesce(input_tokens, tokens), cost_nano_usd FROM kept
				UNION ALL SELECT 'model', model, requests, tokens, input_tokens, cost_nano_usd FROM call
				UNION ALL SELECT 'provider', provider, requests, tokens, input_tokens, cost_nano_usd FROM call)
		SELECT dimension, name, sum(requests) AS requests, sum(tokens) AS tokens, sum(input_tokens) AS inputTokens,
			sum(cost_nano_usd) AS costNanoUsd FROM part GROUP BY dimension, name`;
}

/**
 * Sums up a user's rows of both tables.
 * @param leftOut request ids that do not count.
 */
export async function recomputeTotals(
	db: Database,
	userId: string,
	leftOut: readonly string[],
): Promise<NamedTotals[]> {
	const totals = new UsageTotals();
	for (const table of [settlements, usageTable]) {
		let after: Position | undefined = { created_at: "", request_id: "" };
		while (after) {
			const page = pageOf(sql`${table}`, userId, after);
			totals.addAll(await db.all<NamedTotals>(totalsQuery(page, leftOut)));
			const last: Position[] = await db.all<Position>(
				sql`SELECT created_at, request_id FROM (${page}) LIMIT 1 OFFSET ${PAGE_ROWS - 1}`,
			);
			after = last[0];
		}
	}
	return totals.rows();
}

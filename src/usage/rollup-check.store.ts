// Compares a user's daily sums in D1 with the rows that they count, some days at a time. One statement reads both sides of a
// comparison, so requests that arrive meanwhile change nothing.
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { settlements, usageDays } from "../db/schema.ts";
import type { RollupCounts } from "../meter/rollup.ts";

/** Requests of the days of one statement, unless one day has more. D1 ends a query after 30 seconds. */
const COMPARED_REQUESTS = 5_000;
/** More are not listed. */
const MAX_DISAGREEMENTS = 100;

const countsSchema = z.object({
	requests: z.int(),
	model_requests: z.int(),
	calls: z.int(),
	tokens: z.int(),
	input_tokens: z.int(),
	cost_nano_usd: z.int(),
});

/** A daily sum that is not the sum of its rows; null where one of the two is not there. */
export const rollupDisagreementSchema = z.object({
	day: z.string(),
	api_key_id: z.string(),
	model: z.string(),
	rollup: countsSchema.nullable(),
	rows: countsSchema.nullable(),
});
type RollupDisagreement = z.infer<typeof rollupDisagreementSchema>;

/** The first and the last of consecutive days. */
interface DaySpan {
	since: string;
	until: string;
}

interface CountedDay {
	day: string;
	requests: number;
}

/** Days that have rows or sums, with the number of requests that the sums have. Behind a day, the next one is found in the index. */
function listDays(db: Database, userId: string): Promise<CountedDay[]> {
	return db.all<CountedDay>(sql`
		WITH RECURSIVE found AS (
			SELECT (SELECT substr(min(created_at), 1, 10) FROM ${settlements} WHERE user_id = ${userId}) AS day
			UNION ALL
			SELECT (SELECT substr(min(created_at), 1, 10) FROM ${settlements} WHERE user_id = ${userId} AND created_at > day || '~')
			FROM found WHERE day IS NOT NULL),
			every AS (SELECT day FROM found WHERE day IS NOT NULL UNION SELECT day FROM ${usageDays} WHERE user_id = ${userId})
		SELECT every.day AS day, coalesce(sum(requests), 0) AS requests
		FROM every LEFT JOIN ${usageDays} AS sums ON sums.user_id = ${userId} AND sums.day = every.day
		GROUP BY every.day ORDER BY every.day`);
}

function toSpans(days: readonly CountedDay[]): DaySpan[] {
	const spans: DaySpan[] = [];
	let requests = 0;
	for (const { day, requests: ofDay } of days) {
		const last = spans.at(-1);
		requests += ofDay;
		if (last && requests <= COMPARED_REQUESTS) last.until = day;
		else {
			spans.push({ since: day, until: day });
			requests = ofDay;
		}
	}
	return spans;
}

interface SideRow extends RollupCounts, Pick<RollupDisagreement, "day" | "api_key_id" | "model"> {
	side: "rollup" | "rows";
}

function compareDays(db: Database, userId: string, { since, until }: DaySpan): Promise<SideRow[]> {
	return db.all<SideRow>(sql`
		WITH settled AS (
			SELECT request_id, substr(created_at, 1, 10) AS day, coalesce(api_key_id, '') AS api_key_id, model, calls
			FROM ${settlements} WHERE user_id = ${userId} AND created_at >= ${since} AND created_at < ${`${until}~`}),
			part AS (
				SELECT day, api_key_id, model, 1 AS requests, NULL AS caller, 0 AS calls, 0 AS tokens, 0 AS input_tokens,
					0 AS cost_nano_usd FROM settled
				UNION ALL
				SELECT day, api_key_id, value ->> 'model', 0, request_id, coalesce(value ->> 'requests', 1), value ->> 'tokens',
					value ->> 'input_tokens', value ->> 'cost_nano_usd' FROM settled, json_each(settled.calls)),
			summed AS (
				SELECT day, api_key_id, model, sum(requests) AS requests, count(DISTINCT caller) AS model_requests,
					sum(calls) AS calls, sum(tokens) AS tokens, sum(input_tokens) AS input_tokens, sum(cost_nano_usd) AS cost_nano_usd
				FROM part GROUP BY 1, 2, 3),
			stored AS (
				SELECT day, api_key_id, model, requests, model_requests, calls, tokens, input_tokens, cost_nano_usd
				FROM ${usageDays} WHERE user_id = ${userId} AND day >= ${since} AND day <= ${until})
		SELECT 'rollup' AS side, * FROM (SELECT * FROM stored EXCEPT SELECT * FROM summed)
		UNION ALL SELECT 'rows', * FROM (SELECT * FROM summed EXCEPT SELECT * FROM stored)
		ORDER BY day, api_key_id, model LIMIT ${2 * MAX_DISAGREEMENTS}`);
}

function toDisagreements(rows: readonly SideRow[]): RollupDisagreement[] {
	const byPlace = new Map<string, RollupDisagreement>();
	for (const { side, day, api_key_id, model, ...counts } of rows) {
		const place = JSON.stringify([day, api_key_id, model]);
		const known = byPlace.get(place) ?? { day, api_key_id, model, rollup: null, rows: null };
		byPlace.set(place, { ...known, [side]: counts });
	}
	return [...byPlace.values()];
}

/** The daily sums of a user that are not the sums of their rows: the first hundred. */
export async function findRollupDisagreements(db: Database, userId: string): Promise<RollupDisagreement[]> {
	const found: RollupDisagreement[] = [];
	for (const span of toSpans(await listDays(db, userId))) {
		found.push(...toDisagreements(await compareDays(db, userId, span)));
		if (found.length >= MAX_DISAGREEMENTS) break;
	}
	return found.slice(0, MAX_DISAGREEMENTS);
}

// What was decided for each request, what it cost and how its user rated it, joined from D1. Neither prompts nor answers:
// settlements hold none.
import { asc, eq, gt, sql } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { feedback, settlements } from "../db/schema.ts";
import { usd } from "../proof/money.ts";

/** Members of receipts that say what was decided; each kind of receipt has some of them. */
const receiptMembers = z.lazy(() =>
	z.object({
		reason: z.string().nullable().describe("Of chats and skills: why this model."),
		fallback_from: z.string().nullable(),
		skill_id: z.string().nullable(),
		policy: z.string().nullable().describe("Of orchestration, code and runs: the effort policy."),
		strategy: z.string().nullable(),
		language: z.string().nullable(),
		status: z.string().nullable().describe("How a run ended."),
		n_steps: z.int().nullable(),
		passed: z.boolean().nullable().describe("Whether the review of code passed."),
		confidence: z.number().nullable(),
		agreement: z.number().nullable(),
		bound_usd: z.number().nullable(),
		catalog_version: z.string().nullable(),
		config_digest: z.string().nullable(),
	}),
);

const callSummary = z.lazy(() => z.object({ calls: z.int(), models: z.array(z.string()) }));

/** A request as the export shows it. */
export const routingDecisionSchema = z.lazy(() =>
	z.object({
		request_id: z.string(),
		user_id: z.string(),
		created_at: z.string(),
		kind: z.string(),
		mode: z.string(),
		model: z.string(),
		provider: z.string(),
		...receiptMembers.unwrap().shape,
		...callSummary.unwrap().shape,
		outcome: z.string(),
		fallback: z.boolean(),
		tokens: z.int(),
		input_tokens: z.int(),
		cost_usd: z.number(),
		estimated: z.boolean(),
		latency_ms: z.int(),
		score: z.int().nullable().describe("Null without feedback, as the three below."),
		feedback_reason: z.string().nullable(),
		feedback_created_at: z.string().nullable(),
		feedback_updated_at: z.string().nullable(),
	}),
);
export type RoutingDecision = z.output<typeof routingDecisionSchema>;

/** The members as one JSON array, so that a receipt is parsed once and its booleans stay booleans. */
function receiptMembersQuery() {
	const paths = Object.keys(receiptMembers.unwrap().shape).map((name) => sql.raw(`'$.${name}'`));
	return sql<string>`json_extract(${settlements.receipt}, ${sql.join(paths, sql`, `)})`;
}

function parseReceiptMembers(text: string): z.output<typeof receiptMembers> {
	const values: unknown[] = z.array(z.unknown()).parse(JSON.parse(text));
	return receiptMembers.parse(
		Object.fromEntries(Object.keys(receiptMembers.unwrap().shape).map((name, index) => [name, values[index]])),
	);
}

/** How many calls a request made, and which models took part, by name. */
const callSummaryQuery = sql<string>`(SELECT json_object('calls', coalesce(sum(coalesce(value ->> 'requests', 1)), 0),
	'models', json_group_array(DISTINCT value ->> 'model')) FROM json_each(${settlements.calls}))`;

const decisionColumns = {
	request_id: settlements.requestId,
	user_id: settlements.userId,
	created_at: settlements.createdAt,
	kind: settlements.kind,
	mode: settlements.mode,
	model: settlements.model,
	provider: settlements.provider,
	outcome: settlements.outcome,
	fallback: settlements.fallback,
	tokens: settlements.tokens,
	input_tokens: settlements.inputTokens,
	cost_nano_usd: settlements.costNanoUsd,
	estimated: settlements.estimated,
	latency_ms: settlements.latencyMs,
	score: feedback.score,
	feedback_reason: feedback.reason,
	feedback_created_at: feedback.createdAt,
	feedback_updated_at: feedback.updatedAt,
};

/**
 * Requests of all users by ascending id, which is by time for each prefix of ids.
 * @param after the last id of the page before; empty for the first page.
 */
export async function listRoutingDecisions(db: Database, after: string, limit: number): Promise<RoutingDecision[]> {
	const rows = await db
		.select({ ...decisionColumns, receipt: receiptMembersQuery(), calls: callSummaryQuery })
		.from(settlements)
		.leftJoin(feedback, eq(feedback.requestId, settlements.requestId))
		.where(gt(settlements.requestId, after))
		.orderBy(asc(settlements.requestId))
		.limit(limit)
		.all();
	return rows.map(({ cost_nano_usd, receipt, calls, ...row }) => ({
		...row,
		...parseReceiptMembers(receipt),
		...callSummary.parse(JSON.parse(calls)),
		cost_usd: usd(cost_nano_usd),
	}));
}

// What was decided for each request, what it cost and how its user rated it, joined from D1. Neither prompts nor answers:
// settlements hold none.
import { asc, eq, gt } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { feedback, settlements } from "../db/schema.ts";
import { usd } from "../proof/money.ts";
import { receiptDecisionSchema } from "../proof/receipt-decision.ts";
import {
	callSummaryColumn,
	callSummarySchema,
	decisionColumn,
	parseCallSummary,
	parseDecisionColumn,
} from "./decision-columns.store.ts";

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
		...receiptDecisionSchema.unwrap().shape,
		...callSummarySchema.unwrap().shape,
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
		.select({ ...decisionColumns, receipt: decisionColumn(), calls: callSummaryColumn })
		.from(settlements)
		.leftJoin(feedback, eq(feedback.requestId, settlements.requestId))
		.where(gt(settlements.requestId, after))
		.orderBy(asc(settlements.requestId))
		.limit(limit)
		.all();
	return rows.map(({ cost_nano_usd, receipt, calls, ...row }) => ({
		...row,
		...parseDecisionColumn(receipt),
		...parseCallSummary(calls),
		cost_usd: usd(cost_nano_usd),
	}));
}

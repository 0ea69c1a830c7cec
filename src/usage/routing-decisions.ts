// What was decided for each request, what it cost and how its user rated it, as the operator exports it. Neither prompts nor answers. Pure.
import * as z from "zod";
import type { RatedRequest } from "../meter/request-page.ts";
import { usd } from "../proof/money.ts";
import { receiptDecisionSchema } from "../proof/receipt-decision.ts";

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
		calls: z.int(),
		models: z.array(z.string()),
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
type RoutingDecision = z.output<typeof routingDecisionSchema>;

export function toRoutingDecision(user_id: string, { request, feedback }: RatedRequest): RoutingDecision {
	const { request_id, created_at, kind, mode, model, provider, calls, models } = request;
	const { outcome, fallback, tokens, input_tokens, estimated, latency_ms } = request;
	return {
		request_id,
		user_id,
		created_at,
		kind,
		mode,
		model,
		provider,
		...request.decision,
		calls,
		models: [...models],
		outcome,
		fallback,
		tokens,
		input_tokens,
		cost_usd: usd(request.cost_nano_usd),
		estimated,
		latency_ms,
		score: feedback?.score ?? null,
		feedback_reason: feedback?.reason ?? null,
		feedback_created_at: feedback?.created_at ?? null,
		feedback_updated_at: feedback?.updated_at ?? null,
	};
}

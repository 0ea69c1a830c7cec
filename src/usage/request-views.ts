// Requests as their user sees them: what was asked for, what was chosen and why, and what it cost. Pure.
import * as z from "zod";
import { optionalMember } from "../json.ts";
import type { ListedRequest, RequestDetail } from "../meter/request-page.ts";
import { usd } from "../proof/money.ts";
import { receiptDecisionSchema } from "../proof/receipt-decision.ts";

/** What a request can be, as receipts say it. */
export const REQUEST_KINDS = ["chat", "skill", "orchestration", "code", "agent"] as const;

/** A request in a list. */
export const requestSchema = z.lazy(() =>
	z.object({
		object: z.literal("request"),
		request_id: z.string().describe("Id of the request and of its receipt."),
		created_at: z.string().describe("When it arrived."),
		kind: z.string().describe("Kind of request."),
		key_id: z.string().nullable().describe("The API key; null in requests from before keys were recorded."),
		requested_model: z
			.string()
			.nullable()
			.describe("The model that the request or its config named; null where routing chose."),
		model: z.string().describe("The model that served; of several, the one that the request counts for."),
		provider: z.string().describe("Who served it."),
		mode: z.string().describe("How the model was chosen."),
		fallback: z.boolean().describe("Another model served than the intended one."),
		...receiptDecisionSchema.unwrap().shape,
		models: z.array(z.string()).describe("All models that were called."),
		calls: z.int().describe("Number of calls."),
		tokens: z.int().describe("Tokens of all calls."),
		input_tokens: z.int().describe("Those of the prompts."),
		output_tokens: z.int().describe("Those of the answers."),
		cost_usd: z.number().describe("What it cost."),
		estimated: z.boolean().describe("Some usage was not reported and counts at its bound."),
		latency_ms: z.int().describe("Time from its arrival to its receipt."),
		outcome: z.string().describe("`complete`, `cut` or `client_closed`."),
		truncated: z.boolean().describe("The upstream cut the answer."),
		proof_hash: z.string().describe("Hash of its receipt."),
		signed: z.boolean().describe("Its receipt is signed."),
	}),
);
type RequestView = z.output<typeof requestSchema>;

/** A request with its calls. */
export const requestDetailSchema = z.lazy(() =>
	requestSchema.unwrap().extend({
		call_costs: z
			.array(
				z.object({
					model: z.string(),
					provider: z.string(),
					provider_key: z
						.string()
						.optional()
						.describe("The operator's name of the provider's key, where the provider has several."),
					calls: z.int(),
					tokens: z.int(),
					input_tokens: z.int(),
					cost_usd: z.number(),
				}),
			)
			.describe("Cost by model."),
		salt: z
			.string()
			.nullable()
			.describe(
				"Salt of the hashes of texts in its receipt, from `svc.receipt.v2` on: for its owner, who may give it away. Null while it cannot be read.",
			),
	}),
);
type RequestDetailView = Omit<z.output<typeof requestDetailSchema>, "salt">;

/** The model that was named. A request that named none has a mode other than `direct`. */
function requestedModel({ mode, model, decision }: ListedRequest): string | null {
	return mode === "direct" ? (decision.fallback_from ?? model) : null;
}

export function toRequestView(request: ListedRequest): RequestView {
	const { request_id, created_at, kind, model, provider, mode, fallback, tokens, input_tokens } = request;
	return {
		object: "request",
		request_id,
		created_at,
		kind,
		key_id: request.api_key_id,
		requested_model: requestedModel(request),
		model,
		provider,
		mode,
		fallback,
		...request.decision,
		models: [...request.models].sort(),
		calls: request.calls,
		tokens,
		input_tokens,
		output_tokens: tokens - input_tokens,
		cost_usd: usd(request.cost_nano_usd),
		estimated: request.estimated,
		latency_ms: request.latency_ms,
		outcome: request.outcome,
		truncated: request.outcome === "cut",
		proof_hash: request.proof_hash,
		signed: request.isSigned,
	};
}

export function toRequestDetailView({ request, calls }: RequestDetail): RequestDetailView {
	const call_costs = calls.map(({ cost_nano_usd, requests = 1, ...call }) => {
		const { model, provider, provider_key, tokens, input_tokens } = call;
		const key = optionalMember("provider_key", provider_key);
		return { model, provider, ...key, calls: requests, tokens, input_tokens, cost_usd: usd(cost_nano_usd) };
	});
	return { ...toRequestView(request), call_costs };
}

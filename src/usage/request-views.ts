// Requests as their user sees them: what was asked for, what was chosen and why, and what it cost. Pure.
import * as z from "zod";
import { optionalMember } from "../json.ts";
import { ATTEMPT_ERRORS } from "../meter/call-attempt.ts";
import type { ListedRequest, RequestDetail } from "../meter/request-page.ts";
import { sumTokenParts } from "../meter/token-parts.ts";
import { usd } from "../proof/money.ts";
import { receiptDecisionSchema } from "../proof/receipt-decision.ts";

/** Below this time, an answer came as a whole, ms. */
const LEAST_OUTPUT_MS = 20;

/** How many of the tokens are these parts. */
const tokenPartMembers = () => ({
	cached_tokens: z.int().describe("Tokens of prompts that providers had in their caches."),
	cache_write_tokens: z.int().describe("Tokens of prompts that were written to providers' caches."),
	reasoning_tokens: z.int().describe("Tokens of answers that were reasoning."),
});

/** A request in a list. */
export const requestSchema = z.lazy(() =>
	z.object({
		object: z.literal("request"),
		request_id: z.string().describe("Id of the request and of its receipt."),
		created_at: z.string().describe("When it arrived."),
		kind: z.string().describe("Kind of request."),
		key_id: z.string().nullable().describe("The API key; null in requests from before keys were recorded."),
		http_status: z
			.int()
			.nullable()
			.describe("HTTP status that the client got; null where it had hung up before, or the service had stopped."),
		error: z
			.object({
				code: z.string().describe("Code of the error, as the client got it."),
				message: z.string().describe("What went wrong."),
			})
			.nullable()
			.describe("Why there is no answer, or no whole one; null where nothing went wrong."),
		count: z.int().describe("How many requests this is: equal refusals of one minute are one. Else 1."),
		session_id: z.string().nullable().describe("The client's session."),
		end_user: z.string().nullable().describe("Whom the client asked for."),
		metadata: z.record(z.string(), z.string()).describe("What else the client said of the request."),
		requested_model: z
			.string()
			.nullable()
			.describe("The model that the request or its config named; null where routing chose."),
		model: z
			.string()
			.nullable()
			.describe("The model that served; of several, the one that the request counts for. Null where none was called."),
		provider: z.string().nullable().describe("Who served it; null where nobody was called."),
		mode: z.string().nullable().describe("How the model was chosen; null where none was."),
		fallback: z.boolean().describe("Another model served than the intended one."),
		...receiptDecisionSchema.unwrap().shape,
		models: z.array(z.string()).describe("All models that were called."),
		calls: z.int().describe("Number of calls."),
		tokens: z.int().describe("Tokens of all calls."),
		input_tokens: z.int().describe("Those of the prompts."),
		output_tokens: z.int().describe("Those of the answers."),
		cost_usd: z.number().describe("What it cost."),
		estimated: z.boolean().describe("Some usage was not reported and counts at its bound."),
		latency_ms: z.int().describe("Time from its arrival to its receipt, or to its error."),
		first_token_ms: z
			.int()
			.nullable()
			.describe("Time from its arrival to the first token, or to the answer that was asked for as a whole."),
		tokens_per_second: z
			.number()
			.nullable()
			.describe(
				"Output tokens a second behind the first token; null where the answer came as a whole, or of several calls.",
			),
		...tokenPartMembers(),
		attempts: z
			.array(
				z.object({
					provider: z.string().describe("Who was called."),
					model: z.string().describe("The model that was asked."),
					status: z.int().nullable().describe("HTTP status of the provider; null where none came."),
					error: z.enum(ATTEMPT_ERRORS).nullable().describe("Why it did not serve; null for one that did."),
					started_ms: z.int().describe("From the request's arrival to the call."),
					first_token_ms: z
						.int()
						.nullable()
						.describe("From the call to its first token or body; null where none came."),
					ms: z.int().describe("From the call to its end."),
				}),
			)
			.describe("The calls of providers, in the order of their starts; of more than 32 the first and the last 16."),
		outcome: z
			.string()
			.describe(
				"`complete`, `cut` or `client_closed`; without an answer and a receipt `refused` (no provider was called) or `failed`.",
			),
		truncated: z.boolean().describe("The upstream cut the answer."),
		proof_hash: z.string().nullable().describe("Hash of its receipt; null where nothing was billed."),
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
					...tokenPartMembers(),
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
/** Output tokens a second behind the first token, with one digit; null where that cannot be told. */
function tokensPerSecond({ tokens, input_tokens, calls, facts }: ListedRequest): number | null {
	const outputTokens = tokens - input_tokens;
	const served = facts.attempts.findLast(({ error }) => error === null);
	const tookMs = served?.firstTokenMs == null ? 0 : served.ms - served.firstTokenMs;
	if (calls !== 1 || outputTokens === 0 || tookMs < LEAST_OUTPUT_MS) return null;
	return Math.round((outputTokens / tookMs) * 10_000) / 10;
}

function requestedModel({ mode, model, decision }: ListedRequest): string | null {
	return mode === "direct" ? (decision.fallback_from ?? model) : null;
}

export function toRequestView(request: ListedRequest): RequestView {
	const { facts } = request;
	const { request_id, created_at, kind, model, provider, mode, fallback, tokens, input_tokens } = request;
	return {
		object: "request",
		request_id,
		created_at,
		kind,
		key_id: request.api_key_id,
		http_status: request.status,
		error: request.error,
		count: request.count,
		session_id: facts.sessionId,
		end_user: facts.endUser,
		metadata: facts.metadata,
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
		first_token_ms: facts.firstTokenMs,
		tokens_per_second: tokensPerSecond(request),
		...sumTokenParts([request]),
		attempts: facts.attempts.map(({ provider, model, status, error, startedMs, firstTokenMs, ms }) => ({
			provider,
			model,
			status,
			error,
			started_ms: startedMs,
			first_token_ms: firstTokenMs,
			ms,
		})),
		outcome: request.outcome,
		truncated: request.outcome === "cut",
		proof_hash: request.proof_hash,
		signed: request.isSigned,
	};
}

export function toRequestDetailView({ request, calls }: RequestDetail): RequestDetailView {
	const call_costs = calls.map(({ cost_nano_usd, requests = 1, ...call }) => {
		const { model, provider, provider_key, tokens, input_tokens } = call;
		const parts = sumTokenParts([call]);
		const key = optionalMember("provider_key", provider_key);
		return { model, provider, ...key, calls: requests, tokens, input_tokens, ...parts, cost_usd: usd(cost_nano_usd) };
	});
	return { ...toRequestView(request), call_costs };
}

// Requests of a month that got no answer: refused before any call, or failed after their tries.
import type { CallAttempt } from "../../../src/meter/call-attempt.ts";
import type { UnbilledRequest } from "../../../src/meter/failed-request.ts";
import { UNNAMED } from "../../../src/meter/request-facts.ts";
import { around, pick } from "./draw.ts";

type Failure = Pick<UnbilledRequest, "outcome" | "status" | "error">;

const FAILURES: readonly (readonly [failure: Failure, weight: number])[] = [
	[
		{
			outcome: "refused",
			status: 429,
			error: {
				code: "rate_limit_exceeded",
				message: "this API key allows 60 requests per minute; try again in 12 seconds",
			},
		},
		40,
	],
	[
		{
			outcome: "refused",
			status: 402,
			error: {
				code: "key_budget_exceeded",
				message: "the budget of the API key is spent: $37.00 of $37.00 this month",
			},
		},
		14,
	],
	[
		{
			outcome: "refused",
			status: 422,
			error: { code: "invalid_request", message: "messages.0.role must be system, developer, user, assistant or tool" },
		},
		16,
	],
	[
		{
			outcome: "failed",
			status: 502,
			error: {
				code: "upstream_error",
				message: "no provider gave an answer: anthropic and openai answered 529 and 503",
			},
		},
		30,
	],
];

function drawAttempts(draw: () => number): CallAttempt[] {
	let startedMs = 20;
	return (
		[
			["anthropic", "claude-sonnet-5-5", 529],
			["openai", "gpt-6-sol", 503],
		] as const
	).map(([provider, model, status]) => {
		const ms = Math.round(around(draw, 900, 0.8));
		const attempt: CallAttempt = { provider, model, status, error: "status", startedMs, firstTokenMs: null, ms };
		startedMs += ms + 15;
		return attempt;
	});
}

/** A request without an answer. @param requestId whose time is `atMs`. */
export function drawFailure(
	draw: () => number,
	{ requestId, apiKeyId, atMs }: Pick<UnbilledRequest, "requestId" | "apiKeyId" | "atMs">,
): UnbilledRequest {
	const failure = pick(draw, FAILURES);
	const attempts = failure.outcome === "failed" ? drawAttempts(draw) : [];
	const last = attempts.at(-1);
	return {
		requestId,
		apiKeyId,
		atMs,
		latencyMs: last ? last.startedMs + last.ms + 5 : 3,
		endpoint: "create_chat_completion",
		kind: "chat",
		...failure,
		names: UNNAMED,
		attempts,
		count: 1,
	};
}

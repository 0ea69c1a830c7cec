// A settled request as the metrics count it, by its settlement or by its row: both give the same. Pure.
import type { CountedRequest } from "../telemetry/metric-sums.ts";
import type { TelemetryKind, TelemetryOutcome } from "../telemetry/request-telemetry.ts";
import type { CallAttempt } from "./call-attempt.ts";
import type { ListedRequest } from "./request-page.ts";
import type { UsageCall } from "./settlement.ts";

/** What is counted of a row. */
export type CountedRow = Pick<
	ListedRequest,
	| "kind"
	| "api_key_id"
	| "model"
	| "provider"
	| "tokens"
	| "input_tokens"
	| "cost_nano_usd"
	| "latency_ms"
	| "outcome"
	| "fallback"
	| "facts"
	| "error"
	| "count"
> & { calls: readonly UsageCall[] };

function toTokens(tokens: number, inputTokens: number, cacheRead: number | null) {
	return { input: inputTokens, output: tokens - inputTokens, cacheRead, cacheWrite: null, reasoning: null };
}

/** Whether the answer came in pieces: its first token came before its end. */
function isStreamed(attempts: readonly CallAttempt[]): boolean {
	const served = attempts.findLast(({ error }) => error === null);
	return served?.firstTokenMs != null && served.firstTokenMs < served.ms;
}

export function toCountedRequest(row: CountedRow, userId: string): CountedRequest {
	const { facts, calls } = row;
	return {
		kind: row.kind as TelemetryKind,
		userId,
		keyId: row.api_key_id,
		latencyMs: row.latency_ms,
		firstTokenMs: facts.firstTokenMs,
		isStream: isStreamed(facts.attempts),
		outcome: row.outcome as TelemetryOutcome,
		error: row.error,
		count: row.count,
		model: row.model,
		provider: row.provider,
		// Which model was intended is not counted, only that another served.
		fallbackFrom: row.fallback ? row.model : null,
		tokens: toTokens(row.tokens, row.input_tokens, facts.cachedTokens),
		costNanoUsd: row.cost_nano_usd,
		usage: calls.map(({ model, provider, tokens, input_tokens, cost_nano_usd, requests = 1 }) => ({
			model,
			provider,
			tokens: toTokens(tokens, input_tokens, null),
			costNanoUsd: cost_nano_usd,
			calls: requests,
		})),
		attempts: facts.attempts,
	};
}

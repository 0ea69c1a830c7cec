// A settled request as the metrics count it, by its settlement or by its row: both give the same. Pure.
import type { CountedRequest } from "../telemetry/metric-sums.ts";
import type { TelemetryKind, TelemetryOutcome, TokenTelemetry } from "../telemetry/request-telemetry.ts";
import type { CallAttempt } from "./call-attempt.ts";
import { NO_END, NO_FACTS } from "./request-facts.ts";
import type { ListedRequest } from "./request-page.ts";
import type { Settlement, UsageCall } from "./settlement.ts";
import { sumTokenParts, type TokenParts } from "./token-parts.ts";

/** What is counted of a row. */
export type CountedRow = Pick<
	ListedRequest,
	| "kind"
	| "api_key_id"
	| "model"
	| "provider"
	| "tokens"
	| "input_tokens"
	| keyof TokenParts
	| "cost_nano_usd"
	| "latency_ms"
	| "outcome"
	| "fallback"
	| "facts"
	| "error"
	| "count"
> & { calls: readonly UsageCall[] };

function toTokens(counts: Pick<UsageCall, "tokens" | "input_tokens" | keyof TokenParts>): TokenTelemetry {
	return {
		input: counts.input_tokens,
		output: counts.tokens - counts.input_tokens,
		cacheRead: counts.cached_tokens ?? null,
		cacheWrite: counts.cache_write_tokens || null,
		reasoning: counts.reasoning_tokens || null,
	};
}

/** Whether the answer came in pieces: its first token came before its end. */
function isStreamed(attempts: readonly CallAttempt[]): boolean {
	const served = attempts.findLast(({ error }) => error === null);
	return served?.firstTokenMs != null && served.firstTokenMs < served.ms;
}

/** What is counted of a settlement, as its row will say it. */
export function toCountedSettlement({
	usage,
	facts = NO_FACTS,
	end = NO_END,
}: Pick<Settlement, "usage" | "facts" | "end">): CountedRow {
	return { ...usage, ...sumTokenParts(usage.calls), facts, error: end.error, count: 1 };
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
		tokens: toTokens(row),
		costNanoUsd: row.cost_nano_usd,
		usage: calls.map((call) => ({
			model: call.model,
			provider: call.provider,
			tokens: toTokens(call),
			costNanoUsd: call.cost_nano_usd,
			calls: call.requests ?? 1,
		})),
		attempts: facts.attempts,
	};
}

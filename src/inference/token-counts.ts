// The tokens of an answer as entrances show them: those that were billed. Pure.
import type { ModelAnswer } from "../providers/model-call.ts";
import { type BilledCall, lastBilledCall } from "./accounting.ts";

/** Tokens of the call that served. Cached input is a part of the input, reasoning a part of the output; never more. */
interface TokenCounts {
	input: number;
	cacheRead: number;
	cacheWrite: number;
	/** The part of `cacheWrite` that is kept for an hour. */
	hourCacheWrite: number;
	output: number;
	reasoning: number;
}

/** Counts the tokens of the call that served, as billed. */
export function toTokenCounts({ usage }: Pick<ModelAnswer, "usage">, billed: readonly BilledCall[]): TokenCounts {
	const { promptTokens: input, completionTokens: output } = lastBilledCall(billed).bill;
	const cacheRead = Math.min(usage?.cacheRead ?? 0, input);
	const hourCacheWrite = Math.min(usage?.hourCacheWrite ?? 0, input - cacheRead);
	return {
		input,
		cacheRead,
		cacheWrite: Math.min((usage?.cacheWrite ?? 0) + hourCacheWrite, input - cacheRead),
		hourCacheWrite,
		output,
		reasoning: Math.min(usage?.reasoning ?? 0, output),
	};
}

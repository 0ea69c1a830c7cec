// Counts misses per address: unknown keys, unknown receipts and wrong admin tokens.
import type { Failure } from "../failure.ts";
import type { RequestContext } from "../http/context.ts";
import { addressOwner } from "../http/deployment.ts";

/** Kinds of misses, in the words of the refusal. */
const MISS_WORDS = {
	key: "unknown API keys",
	proof: "unknown request ids",
	operator: "wrong admin tokens",
	metrics: "wrong metrics tokens",
} as const;

/** The limiter's period (wrangler.toml). */
const PERIOD_MS = 10_000;

/**
 * Counts a miss.
 * @returns a refusal when the address is over its limit. Hits are not counted and never refused, so that bad guesses keep
 * nobody else at the address out.
 */
export async function countMiss(miss: keyof typeof MISS_WORDS, context: RequestContext): Promise<Failure | null> {
	const { success } = await context.env.MISS_LIMITER.limit({ key: `${miss} ${addressOwner(context.address)}` });
	if (success) return null;
	const message = `too many ${MISS_WORDS[miss]} from this address; try again in ${PERIOD_MS / 1000} seconds`;
	return { reason: "rate_limit_exceeded", message, retryAfterMs: PERIOD_MS };
}

// Guesses: keys, receipts and admin tokens that nobody has, counted by the address that they come from.
import type { Failure } from "../failure.ts";
import type { RequestContext } from "../http/context.ts";

/** What was looked for in vain, in a client's words. */
const MISSES = { key: "unknown API keys", proof: "unknown request ids", operator: "wrong admin tokens" } as const;

/** The limiter's period (wrangler.toml). */
const PERIOD_MS = 10_000;

/**
 * Counts a miss.
 * @returns a refusal beyond the limit of its address. What is found is not counted and never refused, so that nobody's bad
 * guesses keep another at the same address from coming in.
 */
export async function countMiss(miss: keyof typeof MISSES, context: RequestContext): Promise<Failure | null> {
	const { success } = await context.env.MISS_LIMITER.limit({ key: `${miss} ${context.address}` });
	if (success) return null;
	const message = `too many ${MISSES[miss]} from this address; try again in ${PERIOD_MS / 1000} seconds`;
	return { reason: "rate_limit_exceeded", message, retryAfterMs: PERIOD_MS };
}

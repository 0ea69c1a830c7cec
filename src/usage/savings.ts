// Savings: what the same tokens would have cost on one baseline model. A per-token estimate, not a billing statement. What no model
// wrote is left out: vectors, moderations and reranks are not what the baseline makes. Pure.

import { priceUsage } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { Totals } from "../meter/usage-totals.ts";
import { usd } from "../proof/money.ts";

/** The baseline by default: a premium model of the catalog. */
export const DEFAULT_BASELINE = "gpt-6-sol";

/** `GET /v1/savings` (docs/reference/usage.md, "Savings"); amounts in USD, `saved_pct` in percent with two decimals. */
interface Savings {
	baseline_model: string;
	total_requests: number;
	total_tokens: number;
	actual_cost_usd: number;
	baseline_cost_usd: number;
	saved_usd: number;
	saved_pct: number;
}

/** The cost of the tokens at the model's list price: without caches, in the tier of short prompts. */
function listCostNanoUsd(model: Model, { tokens, inputTokens }: Totals, atMs: number): number {
	// Totals do not tell the length of single prompts or their cached tokens, so the base rate applies to all.
	const untiered = { ...model, prices: model.prices.map((price) => ({ ...price, tiers: [] })) };
	const usage = {
		uncachedInput: inputTokens,
		cacheRead: 0,
		cacheWrite: 0,
		outputText: tokens - inputTokens,
		reasoning: 0,
	};
	return priceUsage(untiered, usage, atMs).totalNanoUsd;
}

/**
 * Compares the cost of the totals with the baseline's list price for the same tokens.
 * @param atMs when the price is in force, ms since the epoch.
 */
export function estimateSavings(baseline: Model, totals: Totals, atMs: number): Savings {
	const baselineNanoUsd = listCostNanoUsd(baseline, totals, atMs);
	const savedNanoUsd = Math.max(0, baselineNanoUsd - totals.costNanoUsd);
	return {
		baseline_model: baseline.id,
		total_requests: totals.requests,
		total_tokens: totals.tokens,
		actual_cost_usd: usd(totals.costNanoUsd),
		baseline_cost_usd: usd(baselineNanoUsd),
		saved_usd: usd(savedNanoUsd),
		saved_pct: baselineNanoUsd === 0 ? 0 : Math.round((savedNanoUsd / baselineNanoUsd) * 10_000) / 100,
	};
}

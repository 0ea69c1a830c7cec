// Decides which answers are requested whole rather than streamed. A whole answer is read in one piece, which costs a fraction
// of a stream's CPU. But its generation is silence, and a call that breaks off does not show how much was generated. Pure.
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { modelSpeed } from "../routing/effort.ts";
import type { Settings } from "../settings.ts";

/** Silences that an upstream is allowed. */
export type SilenceLimits = Pick<Settings, "upstreamTimeoutMs" | "upstreamIdleTimeoutMs">;

/**
 * Output tokens that a provider may have generated and not yet delivered when a call broke off. They are always billed.
 * An answer that cannot be longer is billed at its whole output, however much of it came.
 */
export const PENDING_OUTPUT_TOKENS = 256;

/**
 * Whether an answer may be requested whole. It must be so short that a broken call is billed at its whole output anyway.
 * And by the catalog's speed it must come within half of both deadlines.
 */
export function canRequestWhole(
	model: Model,
	effort: EffortChoice,
	maxOutputTokens: number,
	{ upstreamTimeoutMs, upstreamIdleTimeoutMs }: SilenceLimits,
): boolean {
	if (maxOutputTokens > PENDING_OUTPUT_TOKENS) return false;
	// Reasoning beside the output limit has no bound.
	if (model.reasoning && !model.reasoning.inside_max_tokens && effort !== "none") return false;
	const { ttft_s, output_tokens_per_s } = modelSpeed(model, effort);
	const longestMs = 1000 * (ttft_s + maxOutputTokens / output_tokens_per_s);
	return longestMs < Math.min(upstreamTimeoutMs, upstreamIdleTimeoutMs) / 2;
}

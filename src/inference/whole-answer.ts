// Decides which answers are requested whole rather than streamed. A whole answer is read in one piece, which costs a fraction
// of a stream's CPU. But its generation is silence, and a call that breaks off does not show how much was generated: a longer
// one is billed at its bound. Pure.
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { modelSpeed } from "../routing/effort.ts";
import type { Settings } from "../settings.ts";

/** Silences that an upstream is allowed. */
export type SilenceLimits = Pick<Settings, "upstreamTimeoutMs" | "upstreamIdleTimeoutMs">;

/** Whether an answer may be requested whole: by the catalog's speed, even the longest comes within half of both deadlines. */
export function canRequestWhole(
	model: Model,
	effort: EffortChoice,
	maxOutputTokens: number,
	{ upstreamTimeoutMs, upstreamIdleTimeoutMs }: SilenceLimits,
): boolean {
	// Reasoning beside the output limit has no bound.
	if (model.reasoning && !model.reasoning.inside_max_tokens && effort !== "none") return false;
	const { ttft_s, output_tokens_per_s } = modelSpeed(model, effort);
	const longestMs = 1000 * (ttft_s + maxOutputTokens / output_tokens_per_s);
	return longestMs < Math.min(upstreamTimeoutMs, upstreamIdleTimeoutMs) / 2;
}

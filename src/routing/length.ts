// How long an answer may be: output limits from the least that is of use to the most that a model writes, and the longest of
// them whose worst case is within a limit. Pure.
import type { CallCost } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { ModelCall } from "../providers/model-call.ts";
import { chooseEffort, limitForVisible } from "./effort.ts";
import type { Mode } from "./mode.ts";
import type { Signals } from "./signals.ts";

/** What the length of an answer depends on. */
export interface LengthRequest {
	call: ModelCall;
	/**
	 * Whether the answer may be as long as its model writes and the ceiling affords: then the call's `outputLimit` are the visible
	 * ones that there must be room for at the least.
	 */
	longest: boolean;
	signals: Signals;
	/** Worst case of the exact request this model would be sent; with another output limit than the call's, if one is given. */
	worstCase(model: Model, effort: EffortChoice, maxTokens?: number): CallCost;
}

/** A call with another output limit; itself wherever it can be. */
export function withOutputLimit(call: ModelCall, maxTokens: number): ModelCall {
	return maxTokens === call.maxTokens ? call : { ...call, maxTokens };
}

/** Worst case of a model's exact request at an output limit, with the effort that goes with it, nano-USD. */
export function worstCaseNanoUsd(request: LengthRequest, model: Model, mode: Mode, maxTokens: number): number {
	const { effort } = chooseEffort(model, withOutputLimit(request.call, maxTokens), mode);
	return request.worstCase(model, effort, maxTokens).totalNanoUsd;
}

/** The lowest output limit that a model may be called with. */
export function minOutputTokens({ call, longest }: LengthRequest, model: Model, mode: Mode): number {
	return longest ? limitForVisible(call.maxTokens, chooseEffort(model, call, mode).effort) : call.maxTokens;
}

/** A prompt may have so many times the tokens that it is estimated at, where a refusal would be ours: nobody asked for this length. */
const PROMPT_MARGIN = 1.5;

/** The highest: what the model writes at most, in what the prompt leaves of its context. */
export function maxOutputTokens(request: LengthRequest, model: Model, mode: Mode): number {
	const least = minOutputTokens(request, model, mode);
	if (!request.longest) return least;
	const { max_output_tokens, context_window } = model.limits;
	const room = context_window - Math.ceil(PROMPT_MARGIN * request.signals.contextTokens);
	return Math.max(least, Math.min(max_output_tokens, room));
}

/** An output limit and the worst case of a request with it. */
interface LengthFit {
	maxTokens: number;
	worstNanoUsd: number;
}

/** Worst cases are linear in the output limit but for a few bytes; the guess from a straight line is right at once or soon. */
const MAX_GUESSES = 8;

/** The longest answer between two limits whose worst case is within another; null when not even the shortest one's is. */
export function fitLength(
	limitNanoUsd: number,
	{ least, most }: { least: number; most: number },
	worstCaseFor: (maxTokens: number) => number,
): LengthFit | null {
	const high = worstCaseFor(most);
	if (high <= limitNanoUsd) return { maxTokens: most, worstNanoUsd: high };
	const low = worstCaseFor(least);
	if (low > limitNanoUsd) return null;
	const perToken = (high - low) / (most - least);
	let guess = least + Math.floor((limitNanoUsd - low) / perToken);
	for (let guesses = 0; guesses < MAX_GUESSES && guess > least; guesses++) {
		const worstNanoUsd = worstCaseFor(guess);
		if (worstNanoUsd <= limitNanoUsd) return { maxTokens: guess, worstNanoUsd };
		guess -= Math.ceil((worstNanoUsd - limitNanoUsd) / perToken);
	}
	return { maxTokens: least, worstNanoUsd: low };
}

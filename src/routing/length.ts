// Output limits of a call: the lowest and the highest that a model may get, and the longest answer whose worst case
// fits a limit. Pure.
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
	 * Whether the answer may be as long as the model can write and the cost limit allows. Then the call's `maxTokens`
	 * is the number of visible tokens that must fit at least.
	 */
	isOpenEnded: boolean;
	signals: Signals;
	/** Worst case of the exact request to this model. `maxTokens` replaces the call's output limit. */
	worstCase(model: Model, effort: EffortChoice, maxTokens?: number): CallCost;
}

/** The call with this output limit; the same object when the limit does not change. */
export function withOutputLimit(call: ModelCall, maxTokens: number): ModelCall {
	return maxTokens === call.maxTokens ? call : { ...call, maxTokens };
}

/** Worst case of a model's exact request at an output limit, with the effort that goes with it, nano-USD. */
export function worstCaseNanoUsd(request: LengthRequest, model: Model, mode: Mode, maxTokens: number): number {
	const { effort } = chooseEffort(model, withOutputLimit(request.call, maxTokens), mode);
	return request.worstCase(model, effort, maxTokens).totalNanoUsd;
}

/** The lowest output limit that a model may be called with. */
export function minOutputTokens({ call, isOpenEnded: longest }: LengthRequest, model: Model, mode: Mode): number {
	return longest || call.addsReasoning
		? limitForVisible(call.maxTokens, chooseEffort(model, call, mode).effort)
		: call.maxTokens;
}

/**
 * Tolerance for the token estimate of the prompt. The client did not ask for this length, so a refusal would be this
 * service's fault.
 */
const PROMPT_MARGIN = 1.5;

/** The highest output limit: the model's own, within the context that the prompt leaves. */
export function maxOutputTokens(request: LengthRequest, model: Model, mode: Mode): number {
	const least = minOutputTokens(request, model, mode);
	if (!request.isOpenEnded) return least;
	const { max_output_tokens, context_window } = model.limits;
	const room = context_window - Math.ceil(PROMPT_MARGIN * request.signals.contextTokens);
	return Math.max(least, Math.min(max_output_tokens, room));
}

/** An output limit, and the worst case of the request with it. */
interface LengthFit {
	maxTokens: number;
	worstNanoUsd: number;
}

/**
 * Worst cases are linear in the output limit, except for a few bytes. Interpolation is right at once or after a few
 * steps.
 */
const MAX_GUESSES = 8;

/**
 * The longest answer between two output limits whose worst case is within a cost limit, nano-USD; null when even the
 * shortest exceeds it.
 */
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

// Output limits of a call: the lowest and the highest that a model may get, and the longest answer whose worst case
// fits a limit. Pure.
import type { CallCost } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { ModelCall, Warning } from "../providers/model-call.ts";
import { chooseEffort, limitForVisible } from "./effort.ts";
import type { Mode } from "./mode.ts";
import type { Signals } from "./signals.ts";

/**
 * How long an answer may become, as far as model, context and cost limit allow. `most`: as long as that. `atMost`: no longer than
 * this many tokens, reasoning included; `isDefault` where the client named no number.
 */
export type OutputLimit = "most" | { atMost: number; isDefault?: true };

/** What the length of an answer depends on. */
export interface LengthRequest {
	call: ModelCall;
	/**
	 * Null: the answer has the call's own limit. Otherwise the call's `maxTokens` is the number of visible tokens that must fit at
	 * least, or all of `atMost` where that is less.
	 */
	outputLimit: OutputLimit | null;
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

/** The longest answer that is asked for, tokens. */
function requestedTokens({ outputLimit }: LengthRequest): number {
	return outputLimit === null || outputLimit === "most" ? Number.POSITIVE_INFINITY : outputLimit.atMost;
}

/** The lowest output limit that a model may be called with. */
export function minOutputTokens(request: LengthRequest, model: Model, mode: Mode): number {
	const { call, outputLimit } = request;
	const least =
		outputLimit !== null || call.addsReasoning
			? limitForVisible(call.maxTokens, chooseEffort(model, call, mode).effort)
			: call.maxTokens;
	return Math.min(least, requestedTokens(request));
}

/**
 * Tolerance for the token estimate of the prompt. The client did not ask for this length, so a refusal would be this
 * service's fault.
 */
const PROMPT_MARGIN = 1.5;

/** A prompt that takes most of the context still leaves this share of the estimated rest to an answer with `atMost`. */
const REST_SHARE = 0.5;

/** The tokens that a prompt leaves to the answer in a model's context. */
function roomInContext({ outputLimit, signals }: LengthRequest, { limits }: Model): number {
	const { contextTokens } = signals;
	const room = limits.context_window - Math.ceil(PROMPT_MARGIN * contextTokens);
	// A coding agent's turn of 1,024 tokens would be cut within its tool call. A prompt that turns out too long is compacted.
	const share = outputLimit === "most" ? 0 : REST_SHARE;
	return Math.max(room, Math.floor(share * (limits.context_window - contextTokens)));
}

/** The longest answer that a model may be asked for, and what keeps it from being longer. */
export interface LongestAnswer {
	maxTokens: number;
	/** `request`: it is all that was asked for. */
	boundBy: "request" | "model" | "context" | "cost";
}

/** The highest output limit: the requested one, the model's own, or what the prompt leaves of the context. */
export function longestAnswer(request: LengthRequest, model: Model, mode: Mode): LongestAnswer {
	const least = minOutputTokens(request, model, mode);
	if (request.outputLimit === null) return { maxTokens: least, boundBy: "request" };
	const bounds: LongestAnswer[] = [
		{ maxTokens: requestedTokens(request), boundBy: "request" },
		{ maxTokens: model.limits.max_output_tokens, boundBy: "model" },
		{ maxTokens: Math.max(least, roomInContext(request, model)), boundBy: "context" },
	];
	const lowest = bounds.reduce((low, next) => (next.maxTokens < low.maxTokens ? next : low));
	return lowest.maxTokens < least ? { ...lowest, maxTokens: least } : lowest;
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

/**
 * Warns that an answer may not be as long as it was asked for, or that the client named no length.
 * @param costLimit in words, such as `max_cost of $0.05`.
 */
export function toLengthWarnings(
	{ outputLimit }: LengthRequest,
	{ id }: Model,
	{ maxTokens, boundBy }: LongestAnswer,
	costLimit: string,
): Warning[] {
	if (outputLimit === null || outputLimit === "most") return [];
	const { atMost, isDefault } = outputLimit;
	if (maxTokens >= atMost && !isDefault) return [];
	const why = {
		request: "",
		model: `, the most that ${id} writes`,
		context: `, for which the prompt leaves room in the context of ${id}`,
		cost: `, the most that ${costLimit} affords with ${id}`,
	}[boundBy];
	const message = isDefault
		? `no output limit was set; ${maxTokens} was used${why}`
		: `the output limit was lowered from ${atMost} to ${maxTokens}${why}`;
	return [{ code: "parameter_changed", param: "max_tokens", message }];
}

// Chooses how much a model is asked to reason. Pure.
import type { Model, Provider } from "../catalog/schema.ts";
import { EFFORTS, type Effort, type EffortChoice } from "../catalog/vocabulary.ts";
import type { ModelCall, Warning } from "../providers/model-call.ts";
import { REASONING_SHARE } from "../providers/wire.ts";
import type { Mode } from "./mode.ts";

/** An output limit below this leaves too little room for a provider's default effort. */
const DEFAULT_EFFORT_MIN_TOKENS = 4_096;

/** The nearest effort that the model has: the wanted one, else the next lower, else the lowest. */
function nearestEffort(efforts: readonly Effort[], wanted: Effort): Effort | undefined {
	const rank = (effort: Effort) => EFFORTS.indexOf(effort);
	return efforts.findLast((effort) => rank(effort) <= rank(wanted)) ?? efforts[0];
}

/** What is chosen for a model that does not reason. It is the same object each time, which nobody changes. */
const WITHOUT_REASONING: { effort: EffortChoice; warnings: Warning[] } = { effort: null, warnings: [] };

/**
 * The effort to send. When the client sets none, it is the one that the service prefers, else the model's lowest. In quality mode it is the provider's
 * default, if the output limit leaves room. A model that reasons outside its output limit never gets the default.
 */
export function chooseEffort(
	model: Model,
	call: Pick<ModelCall, "effort" | "preferredEffort" | "maxTokens">,
	mode: Mode,
): { effort: EffortChoice; warnings: Warning[] } {
	const { reasoning } = model;
	if (!reasoning) {
		if (!call.effort) return WITHOUT_REASONING;
		const message = `${model.id} does not reason; reasoning_effort was left out`;
		return { effort: null, warnings: [{ code: "parameter_dropped", param: "effort", message }] };
	}
	if (call.effort) {
		const effort = nearestEffort(reasoning.efforts, call.effort) ?? call.effort;
		const message = `${model.id} has no effort ${call.effort}; ${effort} was sent`;
		return {
			effort,
			warnings: effort === call.effort ? [] : [{ code: "parameter_changed", param: "effort", message }],
		};
	}
	if (call.preferredEffort && reasoning.inside_max_tokens)
		return { effort: nearestEffort(reasoning.efforts, call.preferredEffort) ?? "default", warnings: [] };
	if (mode === "quality" && call.maxTokens >= DEFAULT_EFFORT_MIN_TOKENS && reasoning.inside_max_tokens) {
		return { effort: "default", warnings: [] };
	}
	return { effort: reasoning.efforts[0] ?? "default", warnings: [] };
}

/** The share of an output limit that reasoning may take. The provider's default counts as `high`. */
function reasoningShare(effort: EffortChoice): number {
	return effort === null ? 0 : REASONING_SHARE[effort === "default" ? "high" : effort];
}

/**
 * The output limit that leaves this many visible tokens beside the reasoning at an effort.
 */
export function limitForVisible(visibleTokens: number, effort: EffortChoice): number {
	return Math.ceil(visibleTokens / (1 - reasoningShare(effort)));
}

/** Position of an effort between the model's lowest (0) and highest (1). */
export function effortLevel(model: Model, effort: EffortChoice): number {
	if (!model.reasoning || effort === null) return 1;
	// Providers default to a medium or high effort.
	if (effort === "default") return 0.8;
	const last = model.reasoning.efforts.length - 1;
	return last === 0 ? 1 : Math.max(0, model.reasoning.efforts.indexOf(effort)) / last;
}

/** Reasoning tokens of a typical answer at an effort. The output limit bounds them. */
export function reasoningTokens(model: Model, effort: EffortChoice, maxTokens: number): number {
	if (!model.reasoning || effort === null) return 0;
	const { tokens, inside_max_tokens } = model.reasoning;
	const level = effortLevel(model, effort);
	const typical = Math.round(tokens.low_effort + (tokens.high_effort - tokens.low_effort) * level);
	return inside_max_tokens ? Math.min(typical, Math.floor(maxTokens * reasoningShare(effort))) : typical;
}

/** Whether a model may reason at this effort without its stream showing it. */
export function reasonsHidden(
	model: Model,
	{ shows_reasoning }: Pick<Provider, "shows_reasoning">,
	effort: EffortChoice,
): boolean {
	return model.reasoning !== null && effort !== null && effort !== "none" && !shows_reasoning;
}

/** The catalog's speed at an effort. It has figures for the lowest and the highest; efforts in between count as the highest. */
export function modelSpeed(model: Model, effort: EffortChoice): Model["speed"]["high_effort"] {
	return effortLevel(model, effort) > 0 ? model.speed.high_effort : model.speed.low_effort;
}

/** The catalog's time to first token at an effort, ms. */
export function timeToFirstTokenMs(model: Model, effort: EffortChoice): number {
	return 1000 * modelSpeed(model, effort).ttft_s;
}

/** The time of an answer at an effort by the catalog's figures, ms. */
export function answerTimeMs(model: Model, effort: EffortChoice, outputTokens: number): number {
	return timeToFirstTokenMs(model, effort) + (1000 * outputTokens) / modelSpeed(model, effort).output_tokens_per_s;
}

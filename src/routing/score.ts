// What a model is expected to deliver on a prompt, to cost and to take, and what that is worth in each mode. Pure.

import type { Catalog } from "../catalog/catalog.ts";
import { type CallCost, priceUsage } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { INTENTS, type Intent } from "../catalog/vocabulary.ts";
import { effortLevel, reasoningTokens } from "./effort.ts";
import type { Mode } from "./mode.ts";
import type { ModelObservation } from "./observed.ts";
import { expectedQuality } from "./quality.ts";
import type { Signals } from "./signals.ts";

/** What a mode prefers, in units of expected quality (docs/design.md, "How a model is chosen"). */
interface Utility {
	/** Quality that is worth twice the price. */
	perPriceDoubling: number;
	/** Quality that is worth twice the time. */
	perLatencyDoubling: number;
	/** A model that is expected to be worse than the best by more than this ranks behind all others. */
	floorGap: number;
	/** A model that is dearer and weaker than another ranks behind it, however fast it is. */
	isBehindBetter: boolean;
}

/**
 * Set on the trade-off curves of docs/measurements.md, "Routing". Under `balanced` about a sixth of the prompts that people type get
 * a strong model: most hard ones and few easy ones. `quality` pays for half of that gain, but not for the next to nothing that
 * small talk gains.
 */
const MODE_UTILITIES: Readonly<Record<Exclude<Mode, "direct">, Utility>> = {
	quality: { perPriceDoubling: 0.006, perLatencyDoubling: 0.0005, floorGap: 1, isBehindBetter: false },
	balanced: { perPriceDoubling: 0.012, perLatencyDoubling: 0.002, floorGap: 0.15, isBehindBetter: false },
	agility: { perPriceDoubling: 0.018, perLatencyDoubling: 0.03, floorGap: 0.2, isBehindBetter: true },
};

/** `direct` compares nothing and uses the balanced utility. */
export function modeUtility(mode: Mode): Utility {
	return MODE_UTILITIES[mode === "direct" ? "balanced" : mode];
}

/** Typical length of an answer in tokens. A translation is as long as its prompt. */
const TYPICAL_ANSWER_TOKENS: Readonly<Record<Intent, number>> = {
	code: 700,
	math: 400,
	reasoning: 600,
	creative: 700,
	text: 250,
	translation: 300,
	factual: 300,
	advice: 300,
	chat: 300,
};
/** A call of a tool, or the words between two of them. */
const TYPICAL_TOOL_CALL_TOKENS = 150;

/** Expected quality, cost and latency of a model on a prompt. */
export interface Expectation {
	/** 0 to 1. */
	quality: number;
	cost: CallCost;
	latencyMs: number;
}

/** Tokens of a typical answer to a prompt, without reasoning. It does not depend on the model. */
export function typicalAnswerTokens({ probabilities, hasTools, promptTokens }: Signals): number {
	let tokens = 0;
	for (const intent of INTENTS) tokens += probabilities[intent] * TYPICAL_ANSWER_TOKENS[intent];
	const { translation } = probabilities;
	tokens += translation * Math.max(0, promptTokens - TYPICAL_ANSWER_TOKENS.translation);
	return hasTools ? (tokens + TYPICAL_TOOL_CALL_TOKENS) / 2 : tokens;
}

/** What an expectation depends on, besides the model and how it is called. */
export interface Prospect extends Pick<Catalog, "testEase"> {
	signals: Signals;
	/** Selects the price, ms since the epoch. */
	nowMs: number;
	/** See `typicalAnswerTokens`. */
	answerTokens: number;
}

/** How a model is called on a prompt, and what is known of it besides the catalog. */
interface CallTerms {
	effort: EffortChoice;
	/** The output limit. */
	maxTokens: number;
	/** Tokens of the prompt that its provider has in a cache. */
	cachedTokens: number;
	observation: Pick<ModelObservation, "slowdown">;
}

/** Expected quality, cost and latency of one model on one prompt. */
export function computeExpectation(
	model: Model,
	{ effort, maxTokens, cachedTokens, observation }: CallTerms,
	{ signals, nowMs, testEase, answerTokens }: Prospect,
): Expectation {
	const level = effortLevel(model, effort);
	const outputText = Math.min(maxTokens, Math.round(answerTokens * (model.answer_length ?? 1)));
	const reasoning = reasoningTokens(model, effort, maxTokens);
	const cacheRead = Math.min(cachedTokens, signals.promptTokens);
	const usage = { uncachedInput: signals.promptTokens - cacheRead, cacheRead, cacheWrite: 0, outputText, reasoning };
	const speed = level > 0.5 ? model.speed.high_effort : model.speed.low_effort;
	// The time to the first token at the lowest effort has the reasoning of the lowest effort in it.
	const furtherReasoning = Math.max(0, reasoning - (model.reasoning?.tokens.low_effort ?? 0));
	const seconds = model.speed.low_effort.ttft_s + (furtherReasoning + outputText) / speed.output_tokens_per_s;
	return {
		quality: expectedQuality(model, level, signals, testEase),
		cost: priceUsage(model, usage, nowMs),
		latencyMs: Math.round(1000 * seconds * observation.slowdown),
	};
}

/** Costs and latencies below these count as these. */
const LEAST_COST_NANO_USD = 1_000;
const LEAST_LATENCY_MS = 100;

/**
 * What an expectation is worth in a mode: its quality, less what its price and its time are worth. So a dearer model ranks
 * first only if what it gains is worth its price. Prices and times count by their ratio, so the length of a prompt does not
 * change what they weigh.
 */
export function scoreExpectation({ quality, cost, latencyMs }: Expectation, mode: Mode): number {
	const { perPriceDoubling, perLatencyDoubling } = modeUtility(mode);
	const value =
		quality -
		perPriceDoubling * Math.log2(Math.max(1, cost.totalNanoUsd / LEAST_COST_NANO_USD)) -
		perLatencyDoubling * Math.log2(Math.max(1, latencyMs / LEAST_LATENCY_MS));
	return Math.round(value * 1e4) / 1e4;
}

// What a model is expected to deliver on a prompt, and a score for it per mode. The weights are in the table below.
// Pure.

import { type CallCost, priceUsage } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { effortLevel } from "./effort.ts";
import type { Mode } from "./mode.ts";
import { type Intent, isGeneral, type Signals } from "./signals.ts";

/** Shares of quality, price and speed in the score. */
const SCORE_WEIGHTS: Readonly<Record<Exclude<Mode, "direct">, { quality: number; price: number; speed: number }>> = {
	quality: { quality: 0.9, price: 0.06, speed: 0.04 },
	balanced: { quality: 0.55, price: 0.3, speed: 0.15 },
	agility: { quality: 0.2, price: 0.35, speed: 0.45 },
};

/** What models differ in: the subject of a prompt, and what else it requires. */
type Demand = Intent | "tools" | "long_context";

/** Typical length of an answer in tokens. A translation is as long as its prompt. */
const TYPICAL_OUTPUT_TOKENS: Readonly<Record<Demand, number>> = {
	code: 700,
	math: 400,
	reasoning: 600,
	creative: 700,
	text: 250,
	translation: 300,
	tools: 150,
	long_context: 500,
	factual: 300,
	advice: 300,
	chat: 300,
};

/**
 * Cost and latency are compared on a log scale between these ends. So a score does not depend on the other eligible
 * models.
 */
const COST_RANGE_USD = [1e-6, 1] as const;
const LATENCY_RANGE_MS = [300, 120_000] as const;

/** The catalog has four figures. Each other intent uses the nearest of them. */
const QUALITY_FIGURE: Readonly<Record<Demand, "general" | "reasoning" | "code" | "tools">> = {
	code: "code",
	math: "reasoning",
	reasoning: "reasoning",
	creative: "general",
	text: "general",
	translation: "general",
	tools: "tools",
	long_context: "general",
	factual: "general",
	advice: "general",
	chat: "general",
};

/** Expected quality, cost and latency of a model on a prompt. */
export interface Expectation {
	/** 0 to 1. */
	quality: number;
	cost: CallCost;
	latencyMs: number;
}

/** What a prompt requires. A prompt with tools or a long context but no particular subject counts by those alone. */
function promptDemands(signals: Signals): Demand[] {
	const besides: Demand[] = [
		...(signals.hasTools ? ["tools" as const] : []),
		...(signals.longContext ? ["long_context" as const] : []),
	];
	const general = isGeneral({ ...signals, hasTools: false, longContext: false });
	return general && besides.length > 0 ? besides : [...signals.intents, ...besides];
}

/**
 * Expected quality, cost and latency of one model on one prompt.
 * @param maxTokens the output limit.
 * @param nowMs selects the price, ms since the epoch.
 */
export function computeExpectation(
	model: Model,
	effort: EffortChoice,
	signals: Signals,
	maxTokens: number,
	nowMs: number,
): Expectation {
	const level = effortLevel(model, effort);
	const demands = promptDemands(signals);
	const figures = demands.map((demand) => model.quality[QUALITY_FIGURE[demand]] ?? model.quality.general);
	const best = figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
	const ratio = model.quality.low_effort_ratio;
	const typical = Math.max(...demands.map((demand) => TYPICAL_OUTPUT_TOKENS[demand]));
	const outputText = Math.min(
		maxTokens,
		signals.intents.includes("translation") ? Math.max(typical, signals.promptTokens) : typical,
	);
	const speed = level > 0.5 ? model.speed.high_effort : model.speed.low_effort;
	return {
		quality: best * (ratio + (1 - ratio) * level),
		cost: priceUsage(
			model,
			{ uncachedInput: signals.promptTokens, cacheRead: 0, cacheWrite: 0, outputText, reasoning: 0 },
			nowMs,
		),
		latencyMs: Math.round(1000 * (speed.ttft_s + outputText / speed.output_tokens_per_s)),
	};
}

/** 1 at the low end of a range, 0 at the high end, on a log scale. */
function cheapness(value: number, [low, high]: readonly [number, number]): number {
	const place = Math.log(Math.max(value, low) / low) / Math.log(high / low);
	return 1 - Math.min(1, place);
}

/** The score of a candidate, 0 to 1. `direct` compares nothing and uses the balanced weights. */
export function scoreExpectation(expectation: Expectation, mode: Mode): number {
	const weights = SCORE_WEIGHTS[mode === "direct" ? "balanced" : mode];
	const value =
		weights.quality * expectation.quality +
		weights.price * cheapness(expectation.cost.totalNanoUsd / 1e9, COST_RANGE_USD) +
		weights.speed * cheapness(expectation.latencyMs, LATENCY_RANGE_MS);
	return Math.round(value * 1e4) / 1e4;
}

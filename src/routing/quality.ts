// How well a model is expected to answer a prompt, from the catalog's public figures. Pure.
//
// A figure is the share of a hard public test that a model solves. On the logit scale it is an ability; a prompt is easier
// than such a test by an ease, and the expected quality is the logistic function of their sum (a Rasch model). So on easy
// prompts models hardly differ, and on hard ones they do.
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import type { QualityIntent } from "../catalog/vocabulary.ts";
import { INTENTS, type Intent } from "../catalog/vocabulary.ts";
import type { Signals } from "./signals.ts";

/** How much easier than a hard test a prompt is that a small model surely answers well, in logits. */
const EASIEST = 4;
/** Logits that a prompt loses from one expected level of difficulty to the next. */
const EASE_PER_LEVEL = 1;
/**
 * Logits that a prompt loses if it counts as hard: thirds of MMLU-Pro's questions lie two logits apart (29 recorded models;
 * docs/measurements.md, "Routing").
 */
const HARD_LOSS = 2;

/** Logits that a question loses with each doubling of its length, from the same fit. */
const EASE_PER_HALVING = 0.2;
/** The length that the fit is centred on, and the 5 % and 95 % quantiles of the lengths it was made on, in characters. */
const REFERENCE_CHARS = 500;
const MEASURED_CHARS = [160, 1_800] as const;

/** With tools, half of the work counts as tool use. */
const TOOLS_SHARE = 0.5;

/** No figure is so certain that a model never or always solves a task. */
const FIGURE_RANGE = [0.005, 0.995] as const;

/** The logit of a share. */
export function toLogit(share: number): number {
	const [low, high] = FIGURE_RANGE;
	const within = Math.min(high, Math.max(low, share));
	return Math.log(within / (1 - within));
}

/** The share of a logit. */
export function fromLogit(logit: number): number {
	return 1 / (1 + Math.exp(-logit));
}

/** What makes a prompt easy or hard. */
type DifficultySignals = Pick<Signals, "difficulty" | "expectedDifficulty" | "facts">;

/** How much easier a prompt is than a hard public test, in logits. */
export function promptEase({ difficulty, expectedDifficulty, facts }: DifficultySignals): number {
	const [least, most] = MEASURED_CHARS;
	const chars = Math.min(most, Math.max(least, facts.chars));
	const byLength = EASE_PER_HALVING * Math.log2(REFERENCE_CHARS / chars);
	return EASIEST - EASE_PER_LEVEL * (expectedDifficulty - 1) - (difficulty === "hard" ? HARD_LOSS : 0) + byLength;
}

/** Abilities of a model at one effort, in logits. An intent without a figure has the general one. */
interface Abilities {
	general: number;
	/** Only those with a figure. */
	intents: readonly (readonly [Intent, number])[];
	tools: number | null;
}

function findAbilities(model: Model, effortLevel: number, testEase: Catalog["testEase"]): Abilities {
	const { general, by_intent, low_effort_ratio } = model.quality;
	const share = low_effort_ratio + (1 - low_effort_ratio) * effortLevel;
	const ability = (intent: QualityIntent) => {
		const figure = by_intent[intent];
		return figure === undefined ? null : toLogit(figure * share) - (testEase[intent] ?? 0);
	};
	return {
		general: toLogit(general * share),
		intents: INTENTS.flatMap((intent) => {
			const known = ability(intent);
			return known === null ? [] : [[intent, known] as const];
		}),
		tools: ability("tools"),
	};
}

/** By model and effort level: they never change, and selection needs them for every model on every request. */
const knownAbilities = new WeakMap<Model, Map<number, Abilities>>();

function abilitiesAt(model: Model, effortLevel: number, testEase: Catalog["testEase"]): Abilities {
	const byLevel = knownAbilities.get(model) ?? new Map<number, Abilities>();
	const known = byLevel.get(effortLevel) ?? findAbilities(model, effortLevel, testEase);
	byLevel.set(effortLevel, known);
	knownAbilities.set(model, byLevel);
	return known;
}

/**
 * Expected quality of a model's answer, 0 to 1: over the intents that the prompt may have, weighted by their probabilities.
 * @param effortLevel from 0, the model's lowest effort, to 1, its highest.
 */
export function expectedQuality(
	model: Model,
	effortLevel: number,
	signals: DifficultySignals & Pick<Signals, "probabilities" | "hasTools">,
	testEase: Catalog["testEase"],
): number {
	const abilities = abilitiesAt(model, effortLevel, testEase);
	const ease = promptEase(signals);
	const general = fromLogit(abilities.general + ease);
	let quality = general;
	for (const [intent, ability] of abilities.intents)
		quality += signals.probabilities[intent] * (fromLogit(ability + ease) - general);
	if (!signals.hasTools) return quality;
	const tools = abilities.tools === null ? general : fromLogit(abilities.tools + ease);
	return (1 - TOOLS_SHARE) * quality + TOOLS_SHARE * tools;
}

/** What a prompt is taken to be about and the model has no figure for: there its general figure stands in. */
export function unknownFigures(
	model: Pick<Model, "quality">,
	{ intents, hasTools }: Pick<Signals, "intents" | "hasTools">,
): QualityIntent[] {
	const wanted: QualityIntent[] = [...intents, ...(hasTools ? ["tools" as const] : [])];
	return wanted.filter((intent) => model.quality.by_intent[intent] === undefined);
}

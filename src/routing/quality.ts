// How well a model is expected to answer a prompt, from the catalog's public figures. Pure.
//
// A figure is the share of a hard public test that a model solves. What it is worth on other prompts is a curve fitted to recorded
// answers of weak, middle and strong models (docs/measurements.md, "Routing"): on easy prompts models hardly differ, and the
// harder a prompt is expected to be, the more a better figure counts.
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import type { QualityIntent } from "../catalog/vocabulary.ts";
import { INTENTS, type Intent } from "../catalog/vocabulary.ts";
import type { Signals } from "./signals.ts";

/**
 * The logit of a right answer is a sum of four terms: constant, by figure, by difficulty above the easiest (0 to 2), and by the
 * product of both. `npm run eval:routing` prints the fit: figures are shares of the harder half of MMLU-Pro, difficulties those
 * expected by weights that did not see the questions, and the constant is the mean of three sets.
 */
const CURVE = { constant: 1.47, figure: 2.64, difficulty: -2.38, both: 1.83 } as const;

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

/** What is known of how hard a prompt is. */
type DifficultySignals = Pick<Signals, "expectedDifficulty">;

/** At a prompt's difficulty, in logits: what a figure of 0 has, and what each further share of the test adds. */
export function curveAt({ expectedDifficulty }: DifficultySignals): { base: number; slope: number } {
	const difficulty = Math.min(2, Math.max(0, expectedDifficulty - 1));
	return {
		base: CURVE.constant + CURVE.difficulty * difficulty,
		slope: CURVE.figure + CURVE.both * difficulty,
	};
}

/** Figures of a model at one effort, on the scale of the general test. An intent without a figure has the general one. */
interface Figures {
	general: number;
	/** Only those with a figure. */
	intents: readonly (readonly [Intent, number])[];
	tools: number | null;
}

/** What a figure of an easier or harder test would be on the general one. */
function onGeneralTest(figure: number, ease: number): number {
	return ease === 0 ? figure : fromLogit(toLogit(figure) - ease);
}

function findFigures(model: Model, effortLevel: number, testEase: Catalog["testEase"]): Figures {
	const { general, by_intent, low_effort_ratio } = model.quality;
	const share = low_effort_ratio + (1 - low_effort_ratio) * effortLevel;
	const find = (intent: QualityIntent) => {
		const figure = by_intent[intent];
		return figure === undefined ? null : onGeneralTest(figure * share, testEase[intent] ?? 0);
	};
	return {
		general: general * share,
		intents: INTENTS.flatMap((intent) => {
			const known = find(intent);
			return known === null ? [] : [[intent, known] as const];
		}),
		tools: find("tools"),
	};
}

/** By model and effort level: they never change, and selection needs them for every model on every request. */
const knownFigures = new WeakMap<Model, Map<number, Figures>>();

function figuresAt(model: Model, effortLevel: number, testEase: Catalog["testEase"]): Figures {
	const byLevel = knownFigures.get(model) ?? new Map<number, Figures>();
	const known = byLevel.get(effortLevel) ?? findFigures(model, effortLevel, testEase);
	byLevel.set(effortLevel, known);
	knownFigures.set(model, byLevel);
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
	const figures = figuresAt(model, effortLevel, testEase);
	const { base, slope } = curveAt(signals);
	const general = fromLogit(base + slope * figures.general);
	let quality = general;
	for (const [intent, figure] of figures.intents)
		quality += signals.probabilities[intent] * (fromLogit(base + slope * figure) - general);
	if (!signals.hasTools) return quality;
	const tools = figures.tools === null ? general : fromLogit(base + slope * figures.tools);
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

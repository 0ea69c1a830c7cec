// Figures of a model on labelled prompts: how often it is right, and how far its probabilities can be trusted.
import { INTENTS, type Intent } from "../../src/catalog/vocabulary.ts";
import type { LabelledPrompt } from "./labelled.ts";

/** What a model said of a prompt. */
export interface Judgement {
	row: LabelledPrompt;
	probabilities: Readonly<Record<Intent, number>>;
	expectedDifficulty: number;
	level: number;
}

/** Groups that the catalog's quality figures tell apart. */
function toQualityGroup(intent: Intent): "code" | "reasoning" | "general" {
	if (intent === "code") return "code";
	return intent === "math" || intent === "reasoning" ? "reasoning" : "general";
}

export interface IntentFigures {
	count: number;
	/** The first intent is one that a sensible person could choose. */
	anyIntent: number;
	primary: number;
	macroF1: number;
	/** The first intent is in the group of the primary one. */
	threeWay: number;
	f1: Partial<Record<Intent, number>>;
	/** Expected calibration errors of the first intent's probability, in ten bins. */
	anyError: number;
	primaryError: number;
	/** Mean negative log probability of the primary intent. */
	logLoss: number;
}

function firstIntent(probabilities: Readonly<Record<Intent, number>>): Intent {
	return INTENTS.reduce((first, intent) => (probabilities[intent] > probabilities[first] ? intent : first));
}

/** F1 of each intent that occurs. */
function f1ByIntent(pairs: readonly (readonly [primary: Intent, first: Intent])[]): Partial<Record<Intent, number>> {
	return Object.fromEntries(
		INTENTS.flatMap((intent) => {
			const labelled = pairs.filter(([primary]) => primary === intent).length;
			const found = pairs.filter(([, first]) => first === intent).length;
			const both = pairs.filter(([primary, first]) => primary === intent && first === intent).length;
			return labelled === 0 ? [] : [[intent, (2 * both) / (labelled + found)]];
		}),
	);
}

const BINS = 10;

function calibrationError(confidences: readonly number[], isRight: readonly boolean[]): number {
	const gaps = new Float64Array(BINS);
	for (const [at, confidence] of confidences.entries()) {
		const bin = Math.min(BINS - 1, Math.floor(confidence * BINS));
		gaps[bin] = (gaps[bin] ?? 0) + confidence - (isRight[at] ? 1 : 0);
	}
	return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / confidences.length;
}

/** The figures of intents. Prompts that no class fits are left out. */
export function measureIntents(judgements: readonly Judgement[]): IntentFigures {
	const judged = judgements.flatMap(({ row, probabilities }) =>
		row.primary === null ? [] : [{ row, primary: row.primary, probabilities, first: firstIntent(probabilities) }],
	);
	const share = (isRight: readonly boolean[]) => isRight.filter(Boolean).length / judged.length;
	const anyRight = judged.map(({ row, first }) => row.intents.includes(first));
	const primaryRight = judged.map(({ primary, first }) => primary === first);
	const confidences = judged.map(({ probabilities, first }) => probabilities[first]);
	const f1 = f1ByIntent(judged.map(({ primary, first }) => [primary, first]));
	const scores = Object.values(f1);
	return {
		count: judged.length,
		anyIntent: share(anyRight),
		primary: share(primaryRight),
		macroF1: scores.reduce((sum, score) => sum + score, 0) / scores.length,
		threeWay: share(judged.map(({ primary, first }) => toQualityGroup(primary) === toQualityGroup(first))),
		f1,
		anyError: calibrationError(confidences, anyRight),
		primaryError: calibrationError(confidences, primaryRight),
		logLoss:
			judged.reduce((sum, { primary, probabilities }) => sum - Math.log(probabilities[primary] || 1e-9), 0) /
			judged.length,
	};
}

/** The grade from which a prompt is hard: at least one of two people said so. Easy is what both said. */
export const HARD_GRADE = 2.5;

/**
 * How often a hard prompt has the higher value than an easy one (AUC; equal values count half); null where there are none of
 * one kind.
 */
export function measureAuc<T>(
	prompts: readonly T[],
	toGrade: (prompt: T) => number,
	toValue: (prompt: T) => number,
): number | null {
	const hard = prompts.filter((prompt) => toGrade(prompt) >= HARD_GRADE).map(toValue);
	const easy = prompts.filter((prompt) => toGrade(prompt) === 1).map(toValue);
	if (hard.length === 0 || easy.length === 0) return null;
	let higher = 0;
	for (const value of hard) for (const other of easy) higher += value > other ? 1 : value === other ? 0.5 : 0;
	return higher / (hard.length * easy.length);
}

/** The share of rated prompts whose level is within half a step of the rating. */
export function measureDifficulty(judgements: readonly Judgement[]): { count: number; withinHalf: number } {
	const rated = judgements.filter(({ row }) => row.difficulty !== null);
	const right = rated.filter(({ row, level }) => Math.abs(level - (row.difficulty ?? 0)) <= 0.5);
	return { count: rated.length, withinHalf: right.length / rated.length };
}

// The confidence in an orchestrated answer: one formula for every strategy. It is computed, and never what a model claims. Pure.
//
//   quality     the expected quality of a model on this kind of prompt, by the catalog, 0 to 1
//   support     how far another answer supports the accepted one (agreement.ts): 1 where both say the same
//
// The confidence in a single answer is the quality of its model. With several answers, two values are averaged: the share of all
// answers, weighted by quality, that support the accepted one, where a compatible answer counts half; and the probability that not
// all that say the same are wrong, if they err independently. The first falls with dissent, the second rises with every supporter.
// A judge's verdict is averaged in. The confidence in an answer that was cut is halved.
import type { ComparedAnswer, Comparison } from "./agreement.ts";
import type { StrategyResult } from "./strategy.ts";

/** An answer and the expected quality of its model. */
interface WeightedAnswer extends ComparedAnswer {
	quality: number;
}

const COMPATIBLE_SUPPORT = 0.5;
const CUT_SHARE = 0.5;

/** The confidence in an answer by all answers, itself included. */
export function supportFor(
	accepted: ComparedAnswer,
	answers: readonly WeightedAnswer[],
	comparison: Comparison,
): number {
	const [only] = answers;
	if (!only) return 0;
	const share = accepted.isCut ? CUT_SHARE : 1;
	if (answers.length === 1) return share * only.quality;
	const weighted = answers.map((answer) => {
		const relation = answer === accepted ? "same" : comparison.relation(accepted, answer);
		return { quality: answer.quality, relation };
	});
	const total = weighted.reduce((sum, { quality }) => sum + quality, 0);
	const behind = weighted.reduce((sum, { quality, relation }) => {
		if (relation === "same") return sum + quality;
		return relation === "compatible" ? sum + COMPATIBLE_SUPPORT * quality : sum;
	}, 0);
	const allWrong = weighted.reduce(
		(product, { quality, relation }) => (relation === "same" ? product * (1 - quality) : product),
		1,
	);
	return (share * ((total === 0 ? 0 : behind / total) + 1 - allWrong)) / 2;
}

/** Scores of a final answer, and what it is compared with. */
interface PanelOutcome extends Pick<StrategyResult, "confidence" | "agreement"> {
	/** Delivered where the final answer was cut and this one was not. */
	central: (WeightedAnswer & { model: string }) | undefined;
	answers: readonly WeightedAnswer[];
	comparison: Comparison;
}

/** The result of a strategy that compared the answers of its panel. */
export function toPanelResult(
	{ text, model, isCut }: Pick<StrategyResult, "text" | "model" | "isCut">,
	{ confidence, agreement, central, answers, comparison }: PanelOutcome,
): StrategyResult {
	const whole =
		central && !central.isCut
			? { text: central.text, model: central.model, confidence: supportFor(central, answers, comparison) }
			: undefined;
	return { text, model, confidence, agreement, escalated: false, isCut, whole };
}

/** Averages in a judge's verdict, 0 to 1. */
export function withVerdict(support: number, verdict: number): number {
	return (support + verdict) / 2;
}

/** The confidence in an answer made of parts: the mean of theirs. A part that failed counts as 0. */
export function meanConfidence(confidences: readonly number[]): number {
	if (confidences.length === 0) return 0;
	return confidences.reduce((sum, confidence) => sum + confidence, 0) / confidences.length;
}

/** The confidence in a JSON reply in the trace, by whether it could be read. */
export function readability(reading: "read" | "repaired" | "unreadable"): number {
	return { read: 1, repaired: 0.5, unreadable: 0 }[reading];
}

// The confidence in an orchestrated answer: one formula for every strategy. It is computed, and never what a model claims. Pure.
//
// The confidence in a single answer is the expected quality of its model on this kind of prompt, by the catalog. Each further
// answer moves its log-odds: one that says the same raises them by SUPPORT_WEIGHT times the quality of its own model, any other
// lowers them by DISSENT_WEIGHT times that. A compatible answer counts as half a supporter.
//
// If models erred independently, a supporter of quality 0.6 to 0.8 would be worth more than twice as much. They do not: they find
// the same questions hard. So the weights are fitted to recorded answers, which have no compatible ones
// (docs/measurements.md, "Strategies on recorded answers"). Supporters raise it to SUPPORTED_MOST at most: some questions mislead
// all models, and recorded votes that the sum alone puts above that are right about as often.
//
// A judge's verdict is averaged in. The confidence in an answer that was cut is halved. Neither is fitted.
import type { ComparedAnswer, Comparison, Relation } from "./agreement.ts";
import type { StrategyResult } from "./strategy.ts";

/** An answer and the expected quality of its model. */
interface WeightedAnswer extends ComparedAnswer {
	quality: number;
}

/** Log-odds per quality of a supporter. Fitted by `npm run eval:orchestration`, which prints it, on the halves for fitting. */
const SUPPORT_WEIGHT = 1.25;
/** The same for an answer that contradicts, or that nothing could be compared with. */
const DISSENT_WEIGHT = 1.05;
/**
 * The most that supporters raise a confidence to. `npm run eval:orchestration` prints how often such votes are right: in 0.946 of the
 * cases on the halves for fitting, where both sets count the same.
 */
export const SUPPORTED_MOST = 0.95;
const CUT_SHARE = 0.5;

const RELATION_WEIGHT: Readonly<Record<Relation, number>> = {
	same: SUPPORT_WEIGHT,
	compatible: SUPPORT_WEIGHT / 2,
	contradicting: -DISSENT_WEIGHT,
	unknown: -DISSENT_WEIGHT,
};

/** The confidence in an answer by all answers, itself included. */
export function supportFor(
	accepted: WeightedAnswer,
	answers: readonly WeightedAnswer[],
	comparison: Comparison,
): number {
	const shift = answers.reduce((sum, answer) => {
		return answer === accepted ? sum : sum + RELATION_WEIGHT[comparison.relation(accepted, answer)] * answer.quality;
	}, 0);
	const odds = accepted.quality * Math.exp(shift);
	const sum = odds / (odds + 1 - accepted.quality);
	const confidence = Math.min(sum, Math.max(accepted.quality, SUPPORTED_MOST));
	return accepted.isCut ? CUT_SHARE * confidence : confidence;
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

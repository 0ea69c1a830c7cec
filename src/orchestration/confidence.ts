// The confidence in an orchestrated answer: one formula for every strategy, and what it rests on. It is computed, and never what a
// model claims, unless that is less. Pure.
//
// What is expected of a single answer is the expected quality of its model on this prompt, by the catalog. Each further answer moves
// its log-odds: one that says the same raises them by SUPPORT_WEIGHT times the quality of its own model, any other lowers them by
// DISSENT_WEIGHT times that. A compatible answer counts as half a supporter.
//
// If models erred independently, a supporter of quality 0.6 to 0.8 would be worth more than twice as much. They do not: they find
// the same questions hard. So the weights are fitted to recorded answers, which have no compatible ones
// (docs/measurements.md, "Calibration").
//
// Four limits follow, and no confidence is above the lowest of them:
// - SUPPORTED_MOST: some questions mislead all models.
// - The share of the votes' weight that stands behind the answer: three of five that are as good as each other make 0.6 at most.
// - OPEN_MOST for answers of kinds that nobody recorded: texts, programs, short facts. By how hard the router finds the prompt.
// - What the answer says or lacks itself: UNKNOWN_MOST.
//
// A judge's verdict is averaged in. The confidence in an answer that was cut is halved. Neither is fitted.

import type { ConfidenceBasis, Rating } from "../inference/confidence-basis.ts";
import type { ComparedAnswer, Comparison, Relation } from "./agreement.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { findAnswerWithUnit } from "./final-answer.ts";
import phrases from "./self-report-phrases.json" with { type: "json" };
import type { SaidInstead, StrategyResult, Task } from "./strategy.ts";

/** A text says so where it begins or where it ends. In between, a long one may speak of what is not known. */
const END_CHARS = 300;

/** A phrase of an alphabet is whole words; scripts without spaces have it anywhere. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const SAYS_UNKNOWN = new RegExp(
	phrases.map((phrase) => (SPACELESS.test(phrase) ? phrase : `(?<!\\p{L})${phrase}(?!\\p{L})`)).join("|"),
	"u",
);

/** Whether an answer says that it, or anybody, does not know what was asked. */
function saysUnknown(answer: string): boolean {
	const text = answer.trim();
	const ends = text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
	return SAYS_UNKNOWN.test(ends.toLowerCase().replaceAll("’", "'"));
}

/** An answer and the expected quality of its model. */
interface WeightedAnswer extends ComparedAnswer {
	quality: number;
}

/** Log-odds per quality of a supporter. Fitted by `npm run eval:orchestration`, which prints it, on the halves for fitting. */
const SUPPORT_WEIGHT = 1.3;
/** The same for an answer that contradicts, or that nothing could be compared with. */
const DISSENT_WEIGHT = 1.05;
/**
 * The most that supporters raise a confidence to. `npm run eval:orchestration` prints how often such votes are right: in 0.964 of the
 * cases on the halves for fitting, where the four sets count the same (MMLU-Pro alone: 0.875).
 */
export const SUPPORTED_MOST = 0.95;
const CUT_SHARE = 0.5;

const RELATION_WEIGHT: Readonly<Record<Relation, number>> = {
	same: SUPPORT_WEIGHT,
	compatible: SUPPORT_WEIGHT / 2,
	contradicting: -DISSENT_WEIGHT,
	unknown: -DISSENT_WEIGHT,
};

/** How much of another answer's weight stands behind this one. */
const RELATION_SHARE: Readonly<Record<Relation, number>> = { same: 1, compatible: 0.5, contradicting: 0, unknown: 0 };

/**
 * The weights of a vote at least and at most: no model is worth nothing, and none more than eight others. Chosen on recorded answers
 * (docs/measurements.md, "Strategies on recorded answers").
 */
const VOTE_WEIGHT_RANGE = [0.25, 2] as const;

/** The weight of a model's vote by its expected quality, 0 to 1. */
export function voteWeight(quality: number): number {
	const [least, most] = VOTE_WEIGHT_RANGE;
	return Math.min(most, Math.max(least, Math.log(quality / (1 - quality))));
}

/** The router's difficulties between which the most that an open answer may be trusted falls. */
const EASY = 1;
export const HARD = 2;

/**
 * The most that an open answer may be trusted, where the prompt is easy and where it is hard. How often such answers are right was never
 * recorded, so these are decisions, not measurements.
 */
const OPEN_MOST = { alone: { easy: 0.8, hard: 0.6 }, supported: { easy: 0.9, hard: 0.7 } } as const;

/** The most for an answer that says that what was asked is not known, that is too short to hold it, or that has not the form. Not measured either. */
const UNKNOWN_MOST = 0.3;
/** No proof, program or plan is as short as this. */
const BARE_CHARS = 20;

/** The most that an open answer may be trusted: from easy to hard it falls in a straight line, and then no further. */
export function openMost(difficulty: number, support: keyof typeof OPEN_MOST): number {
	const { easy, hard } = OPEN_MOST[support];
	const share = Math.min(1, Math.max(0, (difficulty - EASY) / (HARD - EASY)));
	return easy + (hard - easy) * share;
}

/** Whether an answer is one value or a few words where a text is needed. */
function isBare({ text }: ComparedAnswer, { asked }: Comparison): boolean {
	return asked.needsText && text.trim().length <= BARE_CHARS;
}

/** The share of the weight of all answers that stands behind one of them; 1 for a single answer. */
function backingShare(accepted: WeightedAnswer, answers: readonly WeightedAnswer[], comparison: Comparison): number {
	let [behind, all] = [0, 0];
	for (const answer of answers) {
		const weight = voteWeight(answer.quality);
		all += weight;
		behind += weight * (answer === accepted ? 1 : RELATION_SHARE[comparison.relation(accepted, answer)]);
	}
	return all > 0 ? behind / all : 1;
}

/** What models and votes alone let expect of an answer, cut or not. */
function sumSupport(accepted: WeightedAnswer, answers: readonly WeightedAnswer[], comparison: Comparison): number {
	const shift = answers.reduce((sum, answer) => {
		return answer === accepted ? sum : sum + RELATION_WEIGHT[comparison.relation(accepted, answer)] * answer.quality;
	}, 0);
	const odds = accepted.quality * Math.exp(shift);
	const sum = odds / (odds + 1 - accepted.quality);
	return Math.min(sum, Math.max(accepted.quality, SUPPORTED_MOST));
}

/**
 * How likely an answer is right by models and votes alone, on the scale of expected quality: what a cascade compares with its strongest
 * model's. Limits of what may be claimed are left to `supportFor`.
 */
export function expectRight(
	accepted: WeightedAnswer,
	answers: readonly WeightedAnswer[],
	comparison: Comparison,
): number {
	const sum = sumSupport(accepted, answers, comparison);
	return accepted.isCut ? CUT_SHARE * sum : sum;
}

/** The confidence in an answer by all answers, itself included. */
export function supportFor(
	accepted: WeightedAnswer,
	answers: readonly WeightedAnswer[],
	comparison: Comparison,
): Rating {
	const isAlone = answers.length < 2;
	const { isOpen, asked } = comparison;
	const sum = sumSupport(accepted, answers, comparison);
	const isBacked = answers.some(
		(other) => other !== accepted && RELATION_SHARE[comparison.relation(accepted, other)] > 0,
	);
	const most = isOpen ? openMost(asked.difficulty, isBacked ? "supported" : "alone") : 1;
	const supported = Math.min(sum, most, backingShare(accepted, answers, comparison));
	// "It cannot be determined" may be one of the choices.
	const isUnknown = asked.kind !== "choice" && saysUnknown(accepted.text);
	const limited = isUnknown || isBare(accepted, comparison) ? Math.min(supported, UNKNOWN_MOST) : supported;
	const confidenceBasis: ConfidenceBasis = isUnknown ? "self_report" : isAlone ? "prior" : "agreement";
	return { confidence: accepted.isCut ? CUT_SHARE * limited : limited, confidenceBasis };
}

/** Scores of a final answer, and what it is compared with. */
interface PanelOutcome extends Pick<StrategyResult, "agreement"> {
	rating: Rating;
	/** Delivered where the final answer was cut and this one was not. */
	central: (WeightedAnswer & { model: string }) | undefined;
	answers: readonly WeightedAnswer[];
	comparison: Comparison;
}

/** The result of a strategy that compared the answers of its panel. */
export function toPanelResult(
	{ text, model, isCut }: Pick<StrategyResult, "text" | "model" | "isCut">,
	{ rating, agreement, central, answers, comparison }: PanelOutcome,
): StrategyResult {
	const whole =
		central && !central.isCut
			? { text: central.text, model: central.model, ...supportFor(central, answers, comparison) }
			: undefined;
	return { text, model, ...rating, agreement, escalated: false, isCut, whole };
}

/** Averages in a judge's verdict, 0 to 1. What an answer says of itself stays, and so does what an open one may be trusted at most. */
export function withVerdict({ confidence, confidenceBasis }: Rating, verdict: number, comparison: Comparison): Rating {
	if (confidenceBasis === "self_report") return { confidence, confidenceBasis };
	const { isOpen, asked } = comparison;
	const most = isOpen ? openMost(asked.difficulty, "supported") : 1;
	return { confidence: Math.min(most, (confidence + verdict) / 2), confidenceBasis: "judge" };
}

/** The confidence where a check without a model found the very value right or wrong: what was asked may still be read amiss. */
const CHECKED = { right: 0.99, wrong: 0.01 } as const;

/** The rating of a result whose value was checked, if the prompt asks for plain arithmetic. */
export function withCheckedValue<T extends StrategyResult>(
	result: T,
	{ kind, prompt }: Pick<Task, "kind" | "prompt">,
): T {
	const found = kind === "number" && !result.isCut ? findAnswerWithUnit(result.text, kind) : null;
	const isRight = found && !found.isGuess ? checkArithmetic(prompt, found.value) : null;
	if (isRight === null) return result;
	return { ...result, confidence: isRight ? CHECKED.right : CHECKED.wrong, confidenceBasis: "verified" };
}

/**
 * The rating of an answer whose form was checked by the client's schema. A form that is met leaves the confidence as it is: that what
 * stands in it is right, nobody checked.
 * @param isMet null where there is no schema.
 */
export function withCheckedForm(rating: Rating, isMet: boolean | null): Rating {
	if (isMet === null || rating.confidenceBasis === "self_report") return rating;
	const { confidence } = rating;
	return { confidence: isMet ? confidence : Math.min(confidence, UNKNOWN_MOST), confidenceBasis: "verified" };
}

/** The confidence in an answer made of parts: the mean of theirs. A part that failed counts as 0. */
export function meanConfidence(confidences: readonly number[]): Rating {
	const sum = confidences.reduce((total, confidence) => total + confidence, 0);
	return { confidence: confidences.length === 0 ? 0 : sum / confidences.length, confidenceBasis: "prior" };
}

/** The confidence in a JSON reply in the trace, by whether it could be read. */
export function readability(reading: "read" | "repaired" | "unreadable"): Rating {
	return { confidence: { read: 1, repaired: 0.5, unreadable: 0 }[reading], confidenceBasis: "verified" };
}

/** The confidence in what is no answer: a refusal says so itself, anything else was found by checks. */
export function nonAnswerRating(kind: SaidInstead["kind"]): Rating {
	return { confidence: 0, confidenceBasis: kind === "refusal" ? "self_report" : "verified" };
}

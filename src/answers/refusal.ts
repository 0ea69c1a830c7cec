// Whether an answer refuses in words, by a trained model. Pure.
import { readPromptEnds } from "./prompt-ends.ts";
import { deniesAnything, saysNo } from "./refusal-cues.ts";
import { readRefusalFeatures } from "./refusal-features.ts";
import { decodeRefusals, type RefusalModel, scoreRefusal } from "./refusal-model.ts";
import weightsFile from "./refusal-weights.json" with { type: "json" };
import { unwrapAnswer } from "./unwrap.ts";

/** A longer text says more than that it refuses. */
const MAX_REFUSAL_CHARS = 1_500;

/** The user wants a text in which somebody refuses: then it is the answer. */
const WANTS_REFUSAL =
	/\b(?:refus|declin|reject|apolog)|turn(?:ing)? (?:\p{L}+ ){0,3}down|say(?:ing)? no\b|absag|ablehn|abzulehn|entschuldig|rechaz|rifiut|recus|odm[oó]w|отказ|拒绝|婉拒|道歉|断[りる]|お詫び/iu;

let model: RefusalModel | null = null;

/** The outputs of the model for a text, in log-odds above its threshold; null where it is too long to be a refusal. */
function scoreAbove(text: string): { declines: number; lacks: number } | null {
	if (text.length > MAX_REFUSAL_CHARS) return null;
	model ??= decodeRefusals(weightsFile);
	const [declines = 0, lacks = 0] = scoreRefusal(model, readRefusalFeatures(text));
	return { declines: declines - model.threshold, lacks };
}

/** The clauses of a prompt that are looked at for a refusal which the user quotes. */
const MAX_CLAUSES = 16;

/** Whether the prompt itself holds a refusal, to be translated, judged or continued. */
function holdsRefusal(prompt: string): boolean {
	const clauses = readPromptEnds(prompt)
		.split(/[.!?:\n"“”„«»「」。！？：]+/)
		.filter((clause) => clause.trim().length >= 6 && clause.length <= MAX_REFUSAL_CHARS);
	return clauses.slice(0, MAX_CLAUSES).some((clause) => saysNo(clause) && (scoreAbove(clause)?.declines ?? 0) > 0);
}

/** A refusal in words: of the task, or for want of a tool, a file or access. */
export type RefusalInWords = "declined" | "lacks_tools";

/**
 * How a text refuses; null for an answer.
 * @param prompt the last message of the user; one that asks for a refusal gets an answer.
 */
export function readRefusal(text: string, prompt: string): RefusalInWords | null {
	const score = scoreAbove(text);
	if (!score || score.declines <= 0 || !deniesAnything(unwrapAnswer(text))) return null;
	if (WANTS_REFUSAL.test(readPromptEnds(prompt)) || holdsRefusal(prompt)) return null;
	return score.lacks > 0 ? "lacks_tools" : "declined";
}

// The one place that tells whether a text is an answer: not a refusal, an echo, an error message, nothing, left reasoning, or another
// language than asked. Strategies, steps and entrances ask it before they use or deliver a text. Pure.
//
// What follows is the caller's: an orchestration asks another model, a chat delivers what came and says so.
import { isOtherLanguage } from "./answer-language.ts";
import { isBlank } from "./blank.ts";
import { isEcho } from "./echo.ts";
import { isErrorText } from "./error-text.ts";
import { withoutReasoning } from "./left-reasoning.ts";
import { type RefusalInWords, readRefusal } from "./refusal.ts";

/** What a text can be instead of an answer. */
export const NON_ANSWERS = ["refusal", "echo", "error_text", "blank", "reasoning_left", "other_language"] as const;
export type NonAnswer = (typeof NON_ANSWERS)[number];

/** What came of a model. */
export interface SaidAnswer {
	text: string;
	/** The provider's own member for a refusal; null without one. */
	refusal: string | null;
	/** The provider's filter ended it. */
	isFiltered: boolean;
	/** The model calls tools, so it need not say anything. */
	callsTools: boolean;
}

/** What was asked. */
export interface AskedTask {
	/** The last message of the user. */
	prompt: string;
	/** The texts of the system. */
	instructions: string;
	/** JSON is asked for, so words of an error are data. */
	isJson?: boolean;
}

export interface AnswerVerdict {
	/** Null for an answer. */
	kind: NonAnswer | null;
	/** The text without reasoning that was left in. */
	text: string;
	/** How a refusal in words refuses. */
	refusal: RefusalInWords | null;
}

/**
 * Judges what a model said. The provider's word comes first, then what is no text for a reader, then what the words say.
 * What a provider's filter ended counts as refused, since what came before it is a fragment.
 */
export function judgeAnswer(said: SaidAnswer, { prompt, instructions, isJson = false }: AskedTask): AnswerVerdict {
	const { text, hadReasoning } = withoutReasoning(said.text, prompt);
	const verdict = (kind: NonAnswer | null, refusal: RefusalInWords | null = null): AnswerVerdict => ({
		kind,
		text: kind === "reasoning_left" ? said.text : text,
		refusal,
	});
	if (said.refusal !== null && !isBlank(said.refusal)) return verdict("refusal", "declined");
	if (said.callsTools) return verdict(null);
	if (isBlank(text, prompt)) return verdict(hadReasoning ? "reasoning_left" : said.isFiltered ? "refusal" : "blank");
	if (said.isFiltered) return verdict("refusal", "declined");
	if (isJson && /^\s*[{[]/.test(text)) return verdict(null);
	if (isErrorText(text, prompt)) return verdict("error_text");
	if (instructions === "" && isEcho(text, prompt)) return verdict("echo");
	const refusal = readRefusal(text, prompt);
	if (refusal !== null) return verdict("refusal", refusal);
	return verdict(isOtherLanguage(text, prompt, instructions) ? "other_language" : null);
}

/** How an answer refuses: by the provider's own sign, or in words. */
export type RefusalSign = { by: "provider" } | { by: "words"; text: string };

/**
 * How an answer that is delivered as it came refuses the task; null where it does not. Words that only say which tool or file is missing
 * are no refusal here: who reads them can help.
 */
export function findRefusal(said: SaidAnswer, { prompt, isJson = false }: AskedTask): RefusalSign | null {
	if (said.isFiltered || (said.refusal !== null && !isBlank(said.refusal))) return { by: "provider" };
	if (said.callsTools || (isJson && /^\s*[{[]/.test(said.text))) return null;
	const { text } = withoutReasoning(said.text, prompt);
	return readRefusal(text, prompt) === "declined" ? { by: "words", text } : null;
}

/** What a model did instead of answering, for people. */
export const SAID_INSTEAD: Readonly<Record<NonAnswer, string>> = {
	refusal: "it refused",
	echo: "it repeated the prompt",
	error_text: "it wrote an error message",
	blank: "the answer is blank",
	reasoning_left: "its reasoning has no answer",
	other_language: "it answered in another language",
};

/** Whether a text of this kind may still be shown where there is nothing better. */
export function isDeliverable(kind: NonAnswer | null): boolean {
	return kind !== "blank" && kind !== "error_text" && kind !== "reasoning_left";
}

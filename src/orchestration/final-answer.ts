// Finds the final answer in a text: a number, a choice or a few words, normalized so that equal answers are equal strings. Pure.
import { findNumbers, parseSingleNumber, toAsciiDigits } from "./numeral.ts";

/**
 * The kind of answer that a prompt asks for. In a text without a marked answer, the last number or choice counts. `any` is
 * another short answer. `none` is a program or a text, in which no part is the answer.
 */
export type AnswerKind = "number" | "choice" | "any" | "none";

/** Added to a prompt if its answers are compared. */
export const FINAL_ANSWER_INSTRUCTION =
	"Work it out in the language of the user's last message, unless the user or the system prompt asks for another one. Then end with one " +
	"line of the form: Final answer: <the answer alone, as short as possible>. Write the words “Final answer” in English.";

/** Longest answer that counts as a few words. */
const MAX_SHORT_CHARS = 60;

/** Only so much of the end of a text is searched. */
const TAIL_CHARS = 4_000;

/** Marks of a final answer, wherever they stand. */
const EXPLICIT_MARKERS = [/final answer(?: is)?\s*[:=]?\s*(.+)/gi, /^####\s*(.+)$/gm] as const;
/** A last line that is an answer. Elsewhere it may be a line of a dialogue. */
const LAST_LINE = /^[ \t]*(?:answer|A)[ \t]*[:=][ \t]*(.+)$/i;
const IN_PASSING = /\banswer is:?\s+(.+)/gi;

/** The content of the last `\boxed{…}`, inner braces included. */
function findBoxed(text: string): string | null {
	const start = text.lastIndexOf("\\boxed{");
	if (start < 0) return null;
	const from = start + "\\boxed{".length;
	let depth = 1;
	for (let at = from; at < text.length; at++) {
		if (text[at] === "{") depth++;
		if (text[at] === "}" && --depth === 0) return text.slice(from, at);
	}
	return null;
}

/** The answer that a text marks, by the clearest of its marks. */
function findMarked(text: string): string | null {
	for (const marker of EXPLICIT_MARKERS) {
		const last = [...text.matchAll(marker)].at(-1)?.[1];
		if (last !== undefined && last.trim() !== "") return findBoxed(last) ?? last;
	}
	const lastLine = text.trimEnd().split("\n").at(-1) ?? "";
	return findBoxed(text) ?? LAST_LINE.exec(lastLine)?.[1] ?? [...text.matchAll(IN_PASSING)].at(-1)?.[1] ?? null;
}

/** LaTeX and its equivalent in characters, after Hendrycks et al.: "Measuring Mathematical Problem Solving", 2021. */
const LATEX: readonly [RegExp, string][] = [
	[/\\(?:text|textbf|textit|mathrm|mathbf)\{([^{}]*)\}/g, "$1"],
	[/(?<=\d)(?=\\[dt]?frac)/g, " "],
	[/\\[dt]?frac\s?\{([^{}]*)\}\s?\{([^{}]*)\}/g, "$1/$2"],
	[/\\[dt]?frac(\d)(\d)/g, "$1/$2"],
	[/\^?\{?\\(?:circ|degree)\}?/g, "°"],
	[/\\?sqrt\s?[{(]([^{}()]*)[})]/g, "√$1"],
	[/\\sqrt\s?/g, "√"],
	[/\\(?:times|cdot)\s?/g, "×"],
	[/\\pi(?![a-z])/g, "π"],
	[/\\infty/g, "∞"],
	[/\^\{([^{}]*)\}/g, "^$1"],
	[/\{,\}/g, ","],
	[/\\%/g, "%"],
	[/\\[,;! ()[\]{}]|\\left|\\right|~/g, ""],
];

/** `x = 5` says 5, `Option C` says C. */
const NAMED = /^(?:[A-Za-z](?:_\{?\w{1,5}\}?)?\s*=\s*|(?:option|choice|answer|letter)\s+(?=\(?[A-Ja-j]\b))/i;

/** Signs that make a text a formula: there, brackets, `*`, `_` and `!` carry meaning. */
const FORMULA =
	/[=<>|&^√∞]|[\p{L}\d)\]]\s*[+*/]\s*[\p{L}\d([]|[\p{L}\d)\]]\s+-\s+[\p{L}\d([]|[\p{L}\d][([{]|!\p{L}|\p{L}!\S|\w_\w|^[([{].*[)\]}]$/u;

/** Removes mark-up, case, punctuation and articles. A number gets its plain form, a choice its letter. */
export function normalizeAnswer(answer: string): string {
	const bare = LATEX.reduce((text, [what, by]) => text.replace(what, by), toAsciiDigits(answer))
		.replace(/(?<!\w)\*\*|\*\*(?!\w)|__|`|\\?\$(?=\D|$)|^\$/g, "")
		.trim()
		.replace(NAMED, "");
	const number = parseSingleNumber(bare);
	if (number !== null) return number;
	const choice = /^\(?([A-Ja-j])(?:[).:]+(?:\s|$)|$)/.exec(bare)?.[1];
	if (choice !== undefined) return choice.toUpperCase();
	if (FORMULA.test(bare))
		return bare
			.toLowerCase()
			.replace(/\s+/g, "")
			.replace(/[.,;:]+$/, "");
	return bare
		.toLowerCase()
		.replace(/[,;:!?"'“”‘’()[\]{}*_]|\.(?!\d)/g, " ")
		.replace(/(?<![\w-])(?:the|a|an)(?![\w-])/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}

/** The choice that a marked answer begins with, if it is the only one. */
const CHOICE_FIRST =
	/^[\s*_`"'([]*(?:(?:option|choice|letter)\s+)?[*_`([]*([A-J])(?![\w'’])(?!\W{0,5}(?:and|or|&)\W{1,3}[A-J]\b)/i;
/** A letter by itself. `A` and `I` before a word are words. */
const CHOICE = /\(([A-J])\)|(?<![\w'’])(?:[B-HJ](?![\w'’])|[AI](?![\w'’]|\s+[a-z]))/g;

/** The last number or choice of a text without a marked answer, by the kind that the prompt asks for. */
function findLastOfKind(text: string, kind: AnswerKind): string | null {
	if (kind === "number") return findNumbers(toAsciiDigits(text)).at(-1) ?? null;
	if (kind === "choice") {
		const last = [...text.matchAll(CHOICE)].at(-1);
		return last?.[1] ?? last?.[0] ?? null;
	}
	return null;
}

/** The last number of a marked answer; null if it begins with another number (`3 hours and 20 minutes`). */
function findOnlyNumber(said: string): string | null {
	const numbers = findNumbers(toAsciiDigits(said));
	return numbers.length > 1 && /^[^\p{L}\d]*\d/u.test(said) ? null : (numbers.at(-1) ?? null);
}

/** The number or choice in a marked answer that says more than that. */
function findOfKind(said: string, kind: AnswerKind): string | null {
	if (kind !== "choice") return findOnlyNumber(said.replace(REMARK, "").split("=").at(-1) ?? said);
	return (
		CHOICE_FIRST.exec(said)?.[1]?.toUpperCase() ?? (SEVERAL_CHOICES.test(said) ? null : findLastOfKind(said, kind))
	);
}
/** A remark in parentheses behind an answer. */
const REMARK = /(?<=\S)\s\([^()]*\)/g;
const SEVERAL_CHOICES = /\b[A-J]\W{1,5}(?:and|or|&)\W{1,3}[A-J]\b/;

/** A final answer, and the unit or currency that stands with its number. */
interface FinalAnswer {
	/** Normalized: equal answers are equal strings. */
	value: string;
	/** In lower case; null where the answer is no number, or a bare one. */
	unit: string | null;
	/** It is only the last number or choice of a sentence that has others, too. */
	isGuess: boolean;
}

/** The final answer of a text, normalized; null if it has none that can be compared. */
export function findFinalAnswer(whole: string, kind: AnswerKind): string | null {
	return findAnswerWithUnit(whole, kind)?.value ?? null;
}

/** The words and signs beside the number of an answer. */
function unitBeside(said: string): string | null {
	const beside = said.toLowerCase().match(/[%$€£¥₹]|°\s?[cfk]?|[\p{L}µ]+/gu) ?? [];
	return beside.length === 0 ? null : beside.map((word) => word.replace(/(?<=\p{L}{3})s$/u, "")).join(" ");
}

function withUnit(value: string, said: string): FinalAnswer | null {
	if (value === "") return null;
	return { value, unit: isNumber(value) ? unitBeside(said) : null, isGuess: false };
}

/** The final answer of a text with its unit; null if it has none that can be compared. */
export function findAnswerWithUnit(whole: string, kind: AnswerKind): FinalAnswer | null {
	if (kind === "none") return null;
	const end = whole.length > TAIL_CHARS ? whole.slice(-TAIL_CHARS) : whole;
	const text = end.replace(/^[ \t]*```[\w-]{0,20}[ \t]*$/gm, "");
	const said = findMarked(text)?.split("\n", 1)[0]?.trim();
	if (said !== undefined && said.length <= 2 * MAX_SHORT_CHARS) {
		const answer = normalizeAnswer(said);
		const found = kind === "any" || isOfKind(answer, kind) ? answer : (findOfKind(said, kind) ?? answer);
		return withUnit(found, said);
	}
	const short = text.trim();
	if (short !== "" && short.length <= MAX_SHORT_CHARS && !short.includes("\n")) {
		const answer = normalizeAnswer(short);
		if (kind === "any" || isOfKind(answer, kind)) return withUnit(answer, short);
	}
	const last = findLastOfKind(text, kind);
	return last === null ? null : { value: last, unit: null, isGuess: !isAloneInSentence(text, kind) };
}

/** Ends of sentences and lines. */
const SENTENCE_END = /(?<=[.!?])\s+|[。！？\n]/;

/** Whether the last sentence with a number or choice has only one, or ends with the result of an equation. */
function isAloneInSentence(text: string, kind: AnswerKind): boolean {
	const sentences = text.split(SENTENCE_END).map((sentence) => toAsciiDigits(sentence));
	const last = sentences.findLast((sentence) => findLastOfKind(sentence, kind) !== null) ?? "";
	if (kind === "choice") return new Set(Array.from(last.matchAll(CHOICE), ([all, inner]) => inner ?? all)).size === 1;
	return findNumbers(last).length === 1 || findNumbers(last.split("=").at(-1) ?? "").length === 1;
}

/** Whether a normalized answer is a number. */
export function isNumber(answer: string): boolean {
	return /^-?\d+(?:\.\d+)?(?:e[-+]\d+)?$/.test(answer);
}

/** Whether a normalized answer is the letter of a choice. */
export function isChoice(answer: string): boolean {
	return /^[A-J]$/.test(answer);
}

function isOfKind(answer: string, kind: AnswerKind): boolean {
	if (kind === "choice") return isChoice(answer);
	return kind === "any" || isNumber(answer);
}

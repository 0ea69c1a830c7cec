// The answer at the end of an answer: a number, a choice or a few words, in a form in which equals are equal. Pure.
import { asciiDigits, numberAlone, numbersIn } from "./numeral.ts";

/** What a prompt asks to be told: then the last of its kind in a text is what the text says. */
export type AnswerKind = "number" | "choice" | "any";

/** Added to a prompt whose answers are to be voted on. */
export const FINAL_ANSWER_INSTRUCTION =
	"Work it out, then end with one line of the form: Final answer: <the answer alone, as short as possible>";

/** Longest answer that counts as a few words. */
const MAX_SHORT_CHARS = 60;

/** A conclusion stands in so many characters at the end of a text. */
const SCANNED_CHARS = 4_000;

const CHOICES = /^[ \t]*\(?([A-J])(?:[.):]\s+|[、．）：]\s*)\S/gm;
const ASKS_NUMBER =
	/\b(?:how (?:many|much|far|long|old|tall|fast|deep)|calculate|compute|evaluate|what (?:is|are) (?:the )?(?:sum|product|total|value|probability|percentage|percent|average|mean|area|volume|difference|ratio)|solve for|find the (?:value|sum|number|total))\b|\d\s?[+*/×÷^]\s?\d/i;

/** "How many" in other languages. */
const HOW_MANY =
	/(?<!\p{L})(?:wie ?viele?|combien|cuánt[oa]s?|quanti|quante|quant[oa]s|hoeveel|ile|hur många|сколько|скільки)(?!\p{L})|多少|几个|幾個|いくつ|いくら|何[人個本枚円]|몇|얼마/iu;

/** What kind of answer a prompt asks for. */
export function detectAnswerKind(prompt: string): AnswerKind {
	const letters = new Set([...prompt.matchAll(CHOICES)].map(([, letter]) => letter));
	if (letters.size >= 2 && letters.has("A") && letters.has("B")) return "choice";
	return ASKS_NUMBER.test(prompt) || HOW_MANY.test(prompt) ? "number" : "any";
}

/** Said for the purpose, wherever it stands. */
const EXPLICIT = [/final answer(?: is)?\s*[:=]?\s*(.+)/gi, /^####\s*(.+)$/gm] as const;
/** A last line that is an answer; further up it may be a line of a dialogue. */
const LAST_LINE = /^[ \t]*(?:answer|A)[ \t]*[:=][ \t]*(.+)$/i;
const IN_PASSING = /\banswer is:?\s+(.+)/gi;

/** What stands in the last `\boxed{…}`, braces inside it included. */
function boxed(text: string): string | null {
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

/** What a text says is its answer, in the clearest way it says so. */
function marked(text: string): string | null {
	for (const marker of EXPLICIT) {
		const last = [...text.matchAll(marker)].at(-1)?.[1];
		if (last !== undefined && last.trim() !== "") return boxed(last) ?? last;
	}
	const lastLine = text.trimEnd().split("\n").at(-1) ?? "";
	return boxed(text) ?? LAST_LINE.exec(lastLine)?.[1] ?? [...text.matchAll(IN_PASSING)].at(-1)?.[1] ?? null;
}

/** LaTeX whose meaning a character has too; after the equivalences of Hendrycks et al.: "Measuring Mathematical Problem Solving", 2021. */
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

/** Bare of mark-up, case, punctuation and articles; a number in its plain form, a choice as its letter. */
export function normalized(answer: string): string {
	const bare = LATEX.reduce((text, [what, by]) => text.replace(what, by), asciiDigits(answer))
		.replace(/\*\*|__|`|\\?\$(?=\D|$)|^\$/g, "")
		.trim()
		.replace(NAMED, "");
	const number = numberAlone(bare);
	if (number !== null) return number;
	const choice = /^\(?([A-Ja-j])(?:[).:](?:\s|$)|$)/.exec(bare)?.[1];
	if (choice !== undefined) return choice.toUpperCase();
	return bare
		.toLowerCase()
		.replace(/[,;:!?"'“”‘’()[\]{}*_]|\.(?!\d)/g, " ")
		.replace(/\b(?:the|a|an)\b/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}

/** The choice that a statement made for the purpose begins with, if it is the only one. */
const CHOICE_FIRST =
	/^[\s*_`"'([]*(?:(?:option|choice|letter)\s+)?[*_`([]*([A-J])(?![\w'’])(?!\W{0,5}(?:and|or|&)\W{1,3}[A-J]\b)/i;
/** A letter by itself; `A` and `I` before a word are words themselves. */
const CHOICE = /\(([A-J])\)|(?<![\w'’])(?:[B-HJ](?![\w'’])|[AI](?![\w'’]|\s+[a-z]))/g;

/** The last number or choice of a text that nothing marks, by what the prompt asked for. */
function lastOfKind(text: string, kind: AnswerKind): string | null {
	if (kind === "number") return numbersIn(asciiDigits(text)).at(-1) ?? null;
	if (kind === "choice") {
		const last = [...text.matchAll(CHOICE)].at(-1);
		return last?.[1] ?? last?.[0] ?? null;
	}
	return null;
}

/** The number that a statement ends with; one that begins with another (`3 hours and 20 minutes`) does not say one number. */
function onlyNumber(said: string): string | null {
	const numbers = numbersIn(asciiDigits(said));
	return numbers.length > 1 && /^[^\p{L}\d]*\d/u.test(said) ? null : (numbers.at(-1) ?? null);
}

/** The number or choice of a statement that was made for the purpose, where it says more than that. */
function ofKindIn(said: string, kind: AnswerKind): string | null {
	if (kind !== "choice") return onlyNumber(said.replace(REMARK, "").split("=").at(-1) ?? said);
	return CHOICE_FIRST.exec(said)?.[1]?.toUpperCase() ?? (SEVERAL.test(said) ? null : lastOfKind(said, kind));
}
/** What stands in parentheses behind an answer is said about it. */
const REMARK = /(?<=\S)\s\([^()]*\)/g;
const SEVERAL = /\b[A-J]\W{1,5}(?:and|or|&)\W{1,3}[A-J]\b/;

/** The final answer of a text, normalized; null where a text has none that could be compared. */
export function finalAnswer(whole: string, kind: AnswerKind): string | null {
	const end = whole.length > SCANNED_CHARS ? whole.slice(-SCANNED_CHARS) : whole;
	const text = end.replace(/^[ \t]*```[\w-]{0,20}[ \t]*$/gm, "");
	const said = marked(text)?.split("\n", 1)[0]?.trim();
	if (said !== undefined && said.length <= 2 * MAX_SHORT_CHARS) {
		const answer = normalized(said);
		const found = kind === "any" || isOfKind(answer, kind) ? answer : (ofKindIn(said, kind) ?? answer);
		return found === "" ? null : found;
	}
	const short = text.trim();
	if (short !== "" && short.length <= MAX_SHORT_CHARS && !short.includes("\n")) {
		const answer = normalized(short);
		if (kind === "any" || isOfKind(answer, kind)) return answer === "" ? null : answer;
	}
	return lastOfKind(text, kind);
}

function isOfKind(answer: string, kind: AnswerKind): boolean {
	if (kind === "choice") return /^[A-J]$/.test(answer);
	return kind === "any" || /^-?\d+(?:\.\d+)?(?:e[-+]\d+)?$/.test(answer);
}

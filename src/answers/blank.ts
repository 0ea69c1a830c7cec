// Whether an answer says nothing, however it is written: invisible characters, empty Markdown, dots. Pure.
import { readPromptEnds } from "./prompt-ends.ts";

/** What nobody sees: white space, controls, formats, marks that stand alone, fillers of Hangul, the blank of Braille. */
const INVISIBLE = /[\s\p{C}\p{Z}\u115f\u1160\u3164\uffa0\u2800]|[\ufe00-\ufe0f]|^\p{M}+/gu;
const EMPTY_FENCE = /(?:```|~~~)[\w+-]{0,20}\s*(?:```|~~~)/g;
/** Marks of Markdown that stand alone. Up to two can be the name of an operator. */
const MARKUP_ONLY = /^[*_~`#>|+-]{3,}$/;
const EMPTY_LINES = /^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,2}[.)])[ \t]+$/gm;
const EMPTY_ELEMENTS = /<(p|div|span|b|i|em|strong)>\s*<\/\1>|&nbsp;|&#8203;|&#x200b;/gi;
const DOTS = /^(?:\.{2,}|…+|。{2,}|・{2,})$/;
/** A pair of quotation marks with nothing between. */
const EMPTY_QUOTES = /^(?:""|''|“”|„“|«»|「」)$/;

const BEGINNING_CHARS = 10_000;

/** The user asks for a mark: then it is an answer. */
const ABOUT_MARKS =
	/\b(?:marks?|signs?|symbols?|characters?|punctuation|morse|dash(?:es)?|dots?|hyphens?|ellips[ei]s|rule|lines?|quot\p{L}+|strings?|literal|fences?|markdown|bullets?|borders?|separators?|dividers?|glob|backticks?|asterisks?|stars?|braille)\b|zeichen|strich|punkt|symbol|signe|caract[eè]r|trait\b|points?\b|gui[oó]n|puntos?\b|segn[oi]\b|caratter|simbol|símbol|znak|kropk|знак|символ|точ[ке]|тире|морз|符号|記号|符號|省略|点|기호|문자|점|işaret|simge|nokta|رمز|نقط|علامة|चिह्न|बिंदु/iu;

/**
 * Whether a text shows nothing that a reader could take for an answer.
 * @param prompt the last message of the user, who may ask for dots or a fence.
 */
export function isBlank(text: string, prompt = ""): boolean {
	// A long text whose beginning shows something is not read to its end.
	if (text.length > BEGINNING_CHARS && !isBlank(text.slice(0, BEGINNING_CHARS), prompt)) return false;
	if (text.replace(INVISIBLE, "") === "") return true;
	const visible = text
		.replace(EMPTY_FENCE, "")
		.replace(EMPTY_ELEMENTS, "")
		.replace(EMPTY_LINES, "")
		.replace(INVISIBLE, "");
	const isEmpty = visible === "" || MARKUP_ONLY.test(visible) || DOTS.test(visible) || EMPTY_QUOTES.test(visible);
	return isEmpty && !ABOUT_MARKS.test(readPromptEnds(prompt));
}

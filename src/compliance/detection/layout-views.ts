// Evens the layout of values: what line breaks, tabs, double spaces, dots and slashes take apart, and digits that are spelled.
import { verbose } from "./verbose.ts";
import { type View, ViewBuilder } from "./view-builder.ts";

/** Characters around a value that are read with it. */
const CONTEXT_BEFORE = 72;
const CONTEXT_AFTER = 48;

type ReplaceMatch = (match: RegExpMatchArray, around: string) => string;

/** The places of a pattern with what is around them, each replaced; null if nothing changes. */
function replaceWithin(view: View, pattern: RegExp, replace: ReplaceMatch): View | null {
	const { text } = view;
	const builder = new ViewBuilder(view);
	let copied = 0;
	for (const match of text.matchAll(pattern)) {
		const { 0: written, index } = match;
		const end = index + written.length;
		const replaced = replace(match, text.slice(Math.max(0, index - CONTEXT_BEFORE), end + CONTEXT_AFTER));
		if (replaced === written) continue;
		if (index - copied > CONTEXT_BEFORE + CONTEXT_AFTER) {
			if (!builder.isEmpty) builder.copy(copied, copied + CONTEXT_AFTER);
			copied = index - CONTEXT_BEFORE;
			builder.replace("\n\n", copied, copied);
		}
		builder.copy(copied, index);
		builder.replace(replaced, index, end);
		copied = end;
	}
	if (builder.isEmpty) return null;
	builder.copy(copied, Math.min(text.length, copied + CONTEXT_AFTER));
	return builder.build();
}

const BROKEN_WORD = /(?<=\p{L})[-\u2010][ \t]?\r?\n[ \t]{0,8}(?=\p{Ll})/gu;

/** Words that are broken at the end of a line, with what is around them. */
export function toRejoinedView(view: View): View | null {
	if (!/-[ \t]?\r?\n/.test(view.text)) return null;
	return replaceWithin(view, BROKEN_WORD, () => "");
}

/** Groups of a number that layout or an unusual sign takes apart, with the line break between a label and the number. */
const UNEVEN_NUMBER =
	/(?:(?<=[:=])[ \t]{0,4}\r?\n[ \t]{0,8}|(?<![\dA-Za-z]))(?:[A-Z]{1,2})?\d{1,8}[A-Z]?(?:(?:[-./ ]?[ \t]{0,4}(?:\r?\n|\t)[ \t]{0,8}[-./]?|[ ]{2,4}|[-./_|·•:∙,]|[ ])[A-Z]?\d{1,8}){1,9}(?:[-./ ]?[A-Z\d](?![A-Za-z\d]))?/g;
/** What makes a number uneven: usual are single spaces, single hyphens, dates and decimals. */
const UNEVEN_SIGN = /[\n\t]| {2}|[._|·•∙/].*[._|·•∙/]/s;
const CARD_WORD =
	/card|karte|carte|tarjeta|cart[aã]o|\bcarta\b|kart|kort|visa|master|amex|\bpay|charge|卡|カード|카드|карт|بطاق|کارت|कार्ड/i;
const MIN_DIGITS = 8;
const MIN_CARD_DIGITS = 13;
const MAX_CARD_DIGITS = 19;

/** A number with single hyphens or spaces between its groups; a card's without any. */
function toEvenNumber(written: string, around: string): string {
	const digits = written.replace(/\D/g, "").length;
	if (digits < MIN_DIGITS)
		return written.replace(/([-./])?\s{1,12}([-./])?/g, (_, before, after) => before ?? after ?? " ");
	if (digits >= MIN_CARD_DIGITS && digits <= MAX_CARD_DIGITS && CARD_WORD.test(around))
		return written.replace(/[^\dA-Za-z]/g, "");
	if (/^\d{1,2}\s?[./-]\s*\d{1,2}\s?[./-]\s*\d{4}$/.test(written)) return written.replace(/\s/g, "");
	return /[._|·•∙/]/.test(written)
		? written.replace(/\s{0,12}[-._|·•∙/]\s{0,12}/g, "-")
		: written.replace(/\s{1,12}/g, " ");
}

/** Numbers whose groups are taken apart, evened, with what is around them. Neighbours in a table may be joined. */
export function toEvenView(view: View): View | null {
	const evened = replaceWithin(view, UNEVEN_NUMBER, ([written], around) =>
		UNEVEN_SIGN.test(written) ? `${/^\s/.test(written) ? " " : ""}${toEvenNumber(written.trim(), around)}` : written,
	);
	return evened && { ...evened, isValuesOnly: true };
}

const DIGIT_WORDS: ReadonlyMap<string, string> = new Map(
	["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].map((word, digit) => [
		word,
		String(digit),
	]),
);
const DIGIT_WORD = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)";
const SPELLED_NUMBER = new RegExp(verbose`\b${DIGIT_WORD}(?:[ ,-]{1,2}${DIGIT_WORD}){2,40}\b`, "gi");

/** Digits that are spelled, three or more in a row, with what is around them. A comma ends a group. */
export function toSpelledView(view: View): View | null {
	const spelled = replaceWithin(view, SPELLED_NUMBER, ([written]) =>
		written
			.toLowerCase()
			.replace(/[a-z]+/g, (word) => DIGIT_WORDS.get(word) ?? "0")
			.replace(/, ?/g, "_")
			.replace(/[ -]/g, "")
			.replaceAll("_", " "),
	);
	return spelled && { ...spelled, isValuesOnly: true };
}

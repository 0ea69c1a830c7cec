// Evens the layout of values: what line breaks, tabs, double spaces, dots and slashes take apart, and digits that are spelled.
import { type View, ViewBuilder } from "./view-builder.ts";

/** Characters around a value that are read with it. */
const CONTEXT_BEFORE = 72;
const CONTEXT_AFTER = 48;

type ReplaceMatch = (match: RegExpMatchArray, around: string) => string;

/** The places of a pattern with what is around them, each replaced; null if nothing changes. */
export function replaceWithin(view: View, pattern: RegExp, replace: ReplaceMatch): View | null {
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

/** Groups of a number with one sign, or several, between them: whatever the sign is. */
const GROUPED_NUMBER =
	/(?:\+[^\p{L}\p{N}\n]{0,3})?(?:[A-Z][^\p{L}\p{N}\n]{0,4}){0,2}\d{1,8}[A-Z]?(?<sign>[^\p{L}\p{N}\n]{1,4})[A-Z]?\d{1,8}(?:\k<sign>[ ]?[A-Z]?\d{1,8}){1,33}/u;
/** Groups of a number that layout or an unusual sign takes apart, with the line break between a label and the number. */
const LAID_OUT_NUMBER =
	/(?:(?<=[:=])[ \t]{0,4}\r?\n[ \t]{0,8}|(?<![\dA-Za-z]))(?:[A-Z]{1,2})?\d{1,8}[A-Z]?(?:(?:[-./ ]?[ \t]{0,4}(?:\r?\n|\t)[ \t]{0,8}[-./]?|[ ]{2,4}|[-./_|·•:∙,]|[ ])[A-Z]?\d{1,8}){1,9}(?:[-./ ]?[A-Z\d](?![A-Za-z\d]))?/;
const UNEVEN_NUMBER = new RegExp(
	`(?<![\\dA-Za-z])${GROUPED_NUMBER.source}(?![\\dA-Za-z]|[ \\t]{0,4}\\r?\\n[ \\t]{0,8}[-./]?\\d)|${LAID_OUT_NUMBER.source}`,
	"gu",
);
/** What makes a number uneven. Usual are single spaces, single hyphens, dates, times and decimals. */
const UNEVEN_SIGNS = [
	/[\n\t]| {2}| - |--|[._|·•∙/].*[._|·•∙/]/s,
	/[^\p{L}\p{N}. -]\P{Nd}*\p{Nd}+[A-Z]?[^\p{L}\p{N}]/u,
	/[^\p{L}\p{N}]\p{Nd}+[A-Z]?[^\p{L}\p{N}]*[^\p{L}\p{N}. -]/u,
	/^[A-Z]{0,2}\d{0,2}(?:[ -][A-Z\d]{1,2}){4}/,
];
const isUneven = (written: string) => UNEVEN_SIGNS.some((sign) => sign.test(written)) && !USUAL_NUMBER.test(written);
/** A sum with its thousands, or a time. */
const USUAL_NUMBER = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$|\d{4}-\d\d-\d\d|\d:\d\d:\d\d(?!\d)/;
/** Digits one by one, or in pairs. */
const SMALL_GROUPS = /^[^\p{L}\p{N}]*(?:[A-Z]{0,2}\d{0,2}[^\p{L}\p{N}]+){4,}[A-Z\d]{1,2}$/u;
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
	if (SMALL_GROUPS.test(written)) return written.replace(/[^\dA-Za-z+]|(?<=.)\+/g, "");
	if (/^\d{1,2}\s?[./-]\s*\d{1,2}\s?[./-]\s*\d{4}$/.test(written)) return written.replace(/\s/g, "");
	// Without separators a number needs a word that says what it is: a list of numbers is none.
	if (/[^\p{L}\p{N}\s._|·•∙/-]|- | -|--/u.test(written)) return written.replace(/(?<=.)[^\p{L}\p{N}]{1,12}/gu, "");
	return /[._|·•∙/]/.test(written)
		? written.replace(/\s{0,12}[-._|·•∙/]\s{0,12}/g, "-")
		: written.replace(/\s{0,12}-\s{1,12}|\s{1,12}-/g, "-").replace(/\s{1,12}/g, " ");
}

/** Numbers whose groups are taken apart, evened, with what is around them. Neighbours in a table may be joined. */
export function toEvenView(view: View): View | null {
	const evened = replaceWithin(view, UNEVEN_NUMBER, ([written], around) =>
		isUneven(written) ? `${/^\s/.test(written) ? " " : ""}${toEvenNumber(written.trim(), around)}` : written,
	);
	return evened && { ...evened, isValuesOnly: true };
}

const DIGIT_WORDS: ReadonlyMap<string, string> = new Map(
	["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].map((word, digit) => [
		word,
		String(digit),
	]),
);
const DIGIT_WORD = "(?:(?:double|triple) )?(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)";
const SPELLED_NUMBER = new RegExp(`\\b${DIGIT_WORD}(?:[ ,-]{1,2}${DIGIT_WORD}){2,40}\\b`, "gi");
/** Ideographs of digits, as on banknotes, too. */
const IDEOGRAPHS = ["〇零○", "一壹", "二贰貳", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖"];
const DIGIT_BY_IDEOGRAPH: ReadonlyMap<string, string> = new Map(
	IDEOGRAPHS.flatMap((same, digit) => Array.from(same, (ideograph) => [ideograph, String(digit)] as const)),
);
const IDEOGRAPH = `[${IDEOGRAPHS.join("")}]`;
const IDEOGRAPHIC_NUMBER = new RegExp(`${IDEOGRAPH}{2,}(?:[ -]?(?:${IDEOGRAPH}{2,}|[A-Z]{1,2}))*`, "gu");
const MIN_IDEOGRAPHS = 7;

function toDigits(written: string): string {
	const digits = Array.from(written, (sign) => DIGIT_BY_IDEOGRAPH.get(sign) ?? sign).join("");
	return digits.replace(/\D/g, "").length < MIN_IDEOGRAPHS ? written : digits;
}

/** Digits that are spelled, three or more in a row, with what is around them. A comma ends a group. */
export function toSpelledView(view: View): View | null {
	const hasIdeographs = /[〇零一壹]/.test(view.text);
	const pattern = hasIdeographs ? IDEOGRAPHIC_NUMBER : SPELLED_NUMBER;
	const spelled = replaceWithin(view, pattern, ([written]) =>
		hasIdeographs ? toDigits(written) : toSpelledDigits(written),
	);
	return spelled && { ...spelled, isValuesOnly: true };
}

function toSpelledDigits(written: string): string {
	return written
		.toLowerCase()
		.replace(/(double|triple) ([a-z]+)/g, (_, times, word) =>
			times === "double" ? `${word} ${word}` : `${word} ${word} ${word}`,
		)
		.replace(/[a-z]+/g, (word) => DIGIT_WORDS.get(word) ?? "0")
		.replace(/, ?/g, "_")
		.replace(/[ -]/g, "")
		.replaceAll("_", " ");
}

/** A mailbox with spaces around its @ or its dots, or its @ in brackets. Behind an operator it is a product of matrices. */
const SPACED_MAILBOX =
	/(?<![\w.@+-]|[=+*/([] ?)(?<local>[\w+-]+(?:\.[\w+-]+){0,4})(?: {1,2}@ {1,2}|@(?=\S+ \. )| {0,2}[[({<] ?(?:at|@) ?[\])}>] {0,2})(?<domain>[\w-]{2,40}(?:\.[\w-]{2,24}| \. [\w-]{2,24}){1,4})(?![\w@(]|\.\w)/gi;
/** Words that stand before "@ somewhere.com" and name no mailbox. */
const NO_LOCAL_PART =
	/^(?:\w{1,2}|him|her|them|you|now|out|up|is|are|was|live|here|there|today|online|page|site|self|hosted|available|running|server|located|more|find|join|follow|visit|contact|hello)$/i;

/** Mailboxes that are written with spaces, with what is around them. */
export function toMailboxView(view: View): View | null {
	if (!/ @|@ |[[({<] ?(?:at|@) ?[\])}>]|@[\w-]+ \. /i.test(view.text)) return null;
	const closed = replaceWithin(view, SPACED_MAILBOX, ({ 0: written, groups }) => {
		const { local = "", domain = "" } = groups ?? {};
		return NO_LOCAL_PART.test(local) ? written : `${local}@${domain.replace(/ /g, "")}`;
	});
	return closed && { ...closed, isValuesOnly: true };
}

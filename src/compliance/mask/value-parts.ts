// What of a value is masked: it without the quotes around it, and beside it the parts that say who or which it is. Pure.

const QUOTES = /['"`]/;

/** A span without quotes that enclose its value: found with it, or one of them found and the other beside it. */
export function trimQuotes<Span extends { start: number; end: number }>(text: string, span: Span): Span {
	let { start, end } = span;
	while (end - start > 2) {
		const first = text.charAt(start);
		const last = text.charAt(end - 1);
		const opens = QUOTES.test(first) && (last === first || text.charAt(end) === first);
		const closes = QUOTES.test(last) && (last === first || text.charAt(start - 1) === last);
		if (!opens && !closes) break;
		if (opens) start++;
		if (closes) end--;
	}
	return { ...span, start, end };
}

/** Words of a name that name nobody. */
const NAME_WORD = /^\p{Lu}[\p{L}\p{M}'’-]*\p{L}$/u;
const NOT_A_NAME_WORD =
	/^(?:mrs?|ms|mx|dr|prof|herrn?|frau|mme|mlle|sra?|sig|van|von|de|del|della|der|den|da|dos|bin|ibn|al|el|the)$/i;
/** A shorter word of a name stands in other words' place too often. */
const MIN_NAME_WORD_CHARS = 3;

/** Numbers of fewer digits are not told by their last four. */
const MIN_NUMBER_DIGITS = 8;
const LAST_DIGITS = 4;
/** Numbers of which the last four digits say nothing of their own. */
const NOT_SHORTENED = new Set(["date_of_birth", "ip_address", "geolocation", "postal_address"]);
const NUMBER = /^[A-Z]{0,4}[\d\s./()+-]*\d$/;

const MAILBOX = /^(?<local>[^@\s]{5,64})@/u;
/** A mailbox of one word may be any word. */
const DISTINCT_LOCAL_PART = /\p{L}.*[._\d-]|\d.*\p{L}/u;

/** The parts of a value that tell what it is where they stand alone: words of a name, the last four digits, a mailbox's own part. */
export function valueParts(value: string, kind: string): string[] {
	if (kind === "person_name") {
		const words = value.split(/[\s,]+/);
		const parts = words.length < 2 ? [] : words.filter((word) => NAME_WORD.test(word) && !NOT_A_NAME_WORD.test(word));
		return parts.filter((word) => word.length >= MIN_NAME_WORD_CHARS);
	}
	if (kind === "email") {
		const local = MAILBOX.exec(value)?.groups?.["local"];
		return local !== undefined && DISTINCT_LOCAL_PART.test(local) ? [local] : [];
	}
	if (NOT_SHORTENED.has(kind) || !NUMBER.test(value)) return [];
	const digits = value.replace(/\D/g, "");
	return digits.length < MIN_NUMBER_DIGITS ? [] : [digits.slice(-LAST_DIGITS)];
}

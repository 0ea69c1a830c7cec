// Finds quoted text in a piece of code, whatever its language. Scanned by hand, because a regular expression would
// search the rest of the text for the end of each unclosed quote.
import { unescapeText } from "../shell/output.ts";

/** Text between quotes with its escapes resolved, and its range with the quotes. */
interface QuotedText {
	readonly value: string;
	readonly from: number;
	readonly to: number;
}

/** Where a string that a bracket or a bar begins ends at the latest. The rest of a longer one counts as code. */
const MAX_BRACKET_CHARS = 8192;

/** What may begin a string: a quote, or one of Perl's and Ruby's words before a bracket or a bar. */
const STRING_OPENING = /"""|["'`]|(?:qx|qw|q|%x|%w|%q)\s*([{([!|])/g;

/**
 * Whether a string ends here without its closing quote: at the end of a line, except in backticks, or before an escaped
 * one.
 */
function endsUnclosed(text: string, at: number, quote: string): boolean {
	return (text[at] === "\n" && quote !== "`") || (text[at] === "\\" && text[at + 1] === "\n");
}

/**
 * Finds the closing quotes of one text. Each result is cached for every position on the way, so that all of it is
 * linear.
 */
class QuoteFinder {
	readonly #text: string;
	/**
	 * By quote, for each position: one plus the position of the quote that closes a string with this character, or -1 for
	 * none.
	 */
	readonly #known = new Map<string, Int32Array>();

	constructor(text: string) {
		this.#text = text;
	}

	/** Where the string is closed that begins at `from`. Null when it is not closed. */
	closing(quote: string, from: number): number | null {
		const text = this.#text;
		const known = this.#known.get(quote) ?? new Int32Array(text.length + 2);
		this.#known.set(quote, known);
		let at = from;
		while (at < text.length && known[at] === 0) {
			if (text[at] === quote) known[at] = at + 1;
			else if (endsUnclosed(text, at, quote)) known[at] = -1;
			else at += text[at] === "\\" ? 2 : 1;
		}
		const end = known[at] || -1;
		for (let seen = from; seen < at; seen += text[seen] === "\\" ? 2 : 1) known[seen] = end;
		return end > 0 ? end - 1 : null;
	}
}

/**
 * Finds the strings of a text, in order: what stands between two equal quotes on one line, and what `qx(` begins.
 */
export function findQuoted(text: string): readonly QuotedText[] {
	const strings: QuotedText[] = [];
	const quotes = new QuoteFinder(text);
	const opening = new RegExp(STRING_OPENING);
	for (let found = opening.exec(text); found; found = opening.exec(text)) {
		const string = readString(text, quotes, found);
		if (string) strings.push(string);
		opening.lastIndex = string ? string.to : found.index + 1;
	}
	return strings;
}

/** Reads the string that a match of `STRING_OPENING` begins. Null when nothing closes it. */
function readString(text: string, quotes: QuoteFinder, { 0: open, 1: bracket, index: from }: RegExpExecArray) {
	const string = (start: number, end: number, to: number) => ({
		value: unescapeText(text.slice(start, end)),
		from,
		to,
	});
	if (bracket !== undefined) {
		const start = from + open.length;
		const rest = text.slice(start, start + MAX_BRACKET_CHARS);
		const length = rest.search(bracket === "!" || bracket === "|" ? /[!|\n]/ : /[})\]\n]/);
		const end = start + (length < 0 ? rest.length : length);
		return string(start, end, end);
	}
	const tripled = open === '"""' ? text.indexOf(open, from + 3) : -1;
	if (tripled >= 0) return string(from + 3, tripled, tripled + 3);
	const end = quotes.closing(open[0] ?? "", from + 1);
	return end === null ? null : string(from + 1, end, end + 1);
}

/** The text with all quoted text emptied. What is left is code. */
export function blankQuoted(text: string): string {
	const quotes = new QuoteFinder(text);
	const pieces: string[] = [];
	let kept = 0;
	for (const { 0: quote, index } of text.matchAll(/["']/g)) {
		const end = index < kept ? null : quotes.closing(quote, index + 1);
		if (end === null) continue;
		pieces.push(text.slice(kept, index));
		kept = end + 1;
	}
	return [...pieces, text.slice(kept)].join("''");
}

// Lists of words: the values of an array and of a `for`, the words of `[[ … ]]`.
import { unquotedText } from "./assignments.ts";
import type { RedirectParser } from "./redirects.ts";
import type { Word } from "./script.ts";
import type { ShellReader } from "./words.ts";

/** What may follow a newline in `[[ … ]]`. */
const CONDITION_GOES_ON = /^[ \t\n]*(?:\]\]|&&|\|\||\))/;

/** Whether `[[ …` goes on behind the newline at the reader's position: at its beginning, behind an operator, or before one. */
function conditionGoesOn({ text, at }: ShellReader, words: readonly Word[]): boolean {
	return (
		words.length === 0 ||
		/(?:&&|\|\||[(!])[ \t]*$/.test(text.slice(Math.max(0, at - 16), at)) ||
		CONDITION_GOES_ON.test(text.slice(at, at + 64))
	);
}

/** Counts a word as a piece. One with the text of a known one is that word, and no piece of its own. */
function countOnce(reader: ShellReader, word: Word, known: Map<string, Word>): Word {
	const text = unquotedText(word);
	const same = text === null ? undefined : known.get(text);
	if (same) reader.step();
	else reader.count();
	if (text !== null && !same) known.set(text, word);
	return same ?? word;
}

/** Reads words up to `end`, which is consumed. Operators between them are skipped. Equal plain words are one object. */
export function readWordsUntil(reader: ShellReader, redirects: RedirectParser, end: ")" | "]]" | ";"): readonly Word[] {
	const words: Word[] = [];
	const known = new Map<string, Word>();
	while (!reader.ended) {
		reader.skipInline();
		const character = reader.peek();
		if (character === "#" && end !== "]]") reader.skipComment();
		if (character === "\n" && (end === ")" || (end === "]]" && conditionGoesOn(reader, words)))) {
			reader.at++;
			redirects.readBodies();
			continue;
		}
		if ((character === ";" || character === "\n") && end !== ")") return words;
		if (character === end) {
			reader.at++;
			return words;
		}
		const start = reader.at;
		const word = reader.word();
		if (reader.at === start) {
			reader.at++;
			continue;
		}
		if (unquotedText(word) === end) return words;
		words.push(countOnce(reader, word, known));
	}
	reader.malformed = true;
	return words;
}

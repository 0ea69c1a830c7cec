// Lowers and searches long texts in pieces, with the same outcome as in one piece. Pure.
import type { Steps } from "../turns/steps.ts";

/** So much is lowered or searched at once: 2 ms for the slowest texts. */
const PIECE_CHARS = 1_048_576;
/** What that counts as, in characters read (turns/steps.ts): a turn searches four pieces. One for each would mostly be pauses. */
const PIECE_READ_CHARS = 8_192;
/** A piece may end so much earlier, where a character stands that no lower case depends on. */
const CUT_CHARS = 65_536;
/** Neither a letter nor a sign inside words: how a Greek sigma is lowered depends on what is up to there, and not beyond. */
const CUT = /[\s\d]/;

/** Where the piece that begins at `from` may end: behind a character that parts words; at the end of the text if there is none. */
function pieceEnd(text: string, from: number): number {
	const latest = from + PIECE_CHARS;
	if (latest >= text.length) return text.length;
	for (let to = latest; to > latest - CUT_CHARS; to--) if (CUT.test(text.charAt(to - 1))) return to;
	return text.length;
}

/** A text in lower case. */
export function* lowerInSteps(text: string): Steps<string> {
	let lowered = "";
	for (let from = 0; from < text.length; ) {
		const to = pieceEnd(text, from);
		lowered += text.slice(from, to).toLowerCase();
		from = to;
		if (from < text.length) yield PIECE_READ_CHARS;
	}
	return lowered;
}

/** Whether words stand somewhere in a text. */
export function* includesInSteps(text: string, words: string): Steps<boolean> {
	for (let from = 0; from + words.length <= text.length; from += PIECE_CHARS) {
		if (from > 0) yield PIECE_READ_CHARS;
		if (text.slice(from, from + PIECE_CHARS + words.length - 1).includes(words)) return true;
	}
	return false;
}

// Room for a text that is not written yet: a prompt that will embed answers has a worst case before there are any. Pure.
//
// A prompt's tokens are bounded by the UTF-8 bytes of its JSON (providers/wire.ts). So a placeholder of N plain characters in
// the place of an answer bounds every answer whose JSON form takes at most N bytes, in all three wire formats: they write a
// text as one JSON string, and what a string takes does not depend on what stands beside it.
import { utf8Length } from "../providers/wire.ts";

/** Room for an answer of so many tokens, in bytes of JSON: four a token of English prose, three a character of CJK. */
const BYTES_PER_TOKEN = 4;

/** What stands where the middle of a text was left out. */
const GAP = "\n[…]\n";
/** Of a text that is too long, this share is its beginning; the rest is its end, where conclusions stand. */
const HEAD_SHARE = 0.6;

/** Bytes to keep free for an answer of at most `outputLimit`. */
export function placeholderBytes(maxTokens: number): number {
	return BYTES_PER_TOKEN * maxTokens;
}

/** Bytes of a text inside a JSON string. */
export function jsonBytes(text: string): number {
	return utf8Length(JSON.stringify(text)) - 2;
}

/** Stands for any text that takes at most so many bytes. */
export function placeholder(slotBytes: number): string {
	return "x".repeat(slotBytes);
}

/** As many characters of a text as take at most so many bytes, whole ones. */
function taken(characters: readonly string[], bytes: number): string {
	let left = bytes;
	const end = characters.findIndex((character) => {
		left -= jsonBytes(character);
		return left < 0;
	});
	return (end < 0 ? characters : characters.slice(0, end)).join("");
}

/** A text as it is embedded: itself where it fits, else its beginning and its end; at most `slotBytes` in JSON. */
export function fitPlaceholder(text: string, slotBytes: number): string {
	if (jsonBytes(text) <= slotBytes) return text;
	const gapBytes = jsonBytes(GAP);
	// A character takes a byte at least, so no more of them can be kept.
	const head = Array.from(text.slice(0, 2 * slotBytes)).slice(0, slotBytes);
	if (slotBytes <= gapBytes) return taken(head, slotBytes);
	const headBytes = Math.floor((slotBytes - gapBytes) * HEAD_SHARE);
	const tail = Array.from(text.slice(-2 * slotBytes)).toReversed();
	const end = Array.from(taken(tail, slotBytes - gapBytes - headBytes))
		.toReversed()
		.join("");
	return `${taken(head, headBytes)}${GAP}${end}`;
}

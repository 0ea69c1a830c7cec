// Placeholders for answers that are not written yet: a prompt that will embed them has a worst case before there are any. Pure.
//
// A prompt's tokens are bounded by the UTF-8 bytes of its JSON (providers/wire.ts). So a placeholder of N plain characters in
// the place of an answer bounds every answer whose JSON form takes at most N bytes. That holds for all wire formats: each
// writes a text as one JSON string, whose length does not depend on its surroundings.
import { utf8Length } from "../text/utf8.ts";

/** Bytes of JSON per token: about four in English prose, three in a CJK character. */
const RESERVED_BYTES_PER_TOKEN = 4;

/** Replaces the middle of a text that is too long. */
const OMISSION = "\n[…]\n";
/** The share of a cut text that is its beginning. The rest is its end, where conclusions are. */
const KEPT_HEAD_SHARE = 0.6;

/** Bytes of JSON to keep free for an answer of at most `maxTokens`. */
export function placeholderBytes(maxTokens: number): number {
	return RESERVED_BYTES_PER_TOKEN * maxTokens;
}

/** Bytes of a text inside a JSON string. */
export function jsonStringBytes(text: string): number {
	return utf8Length(JSON.stringify(text)) - 2;
}

/** A placeholder for any text of at most so many bytes of JSON. */
export function placeholder(maxBytes: number): string {
	return "x".repeat(maxBytes);
}

/** As many whole characters as take at most so many bytes of JSON. */
function takeCharacters(characters: readonly string[], bytes: number): string {
	let left = bytes;
	const end = characters.findIndex((character) => {
		left -= jsonStringBytes(character);
		return left < 0;
	});
	return (end < 0 ? characters : characters.slice(0, end)).join("");
}

/** Cuts a text to at most `maxBytes` of JSON: itself where it fits, else its beginning and its end. */
export function fitPlaceholder(text: string, maxBytes: number): string {
	if (jsonStringBytes(text) <= maxBytes) return text;
	const gapBytes = jsonStringBytes(OMISSION);
	// A character takes at least one byte, so no more of them can fit.
	const head = Array.from(text.slice(0, 2 * maxBytes)).slice(0, maxBytes);
	if (maxBytes <= gapBytes) return takeCharacters(head, maxBytes);
	const headBytes = Math.floor((maxBytes - gapBytes) * KEPT_HEAD_SHARE);
	const tail = Array.from(text.slice(-2 * maxBytes)).toReversed();
	const end = Array.from(takeCharacters(tail, maxBytes - gapBytes - headBytes))
		.toReversed()
		.join("");
	return `${takeCharacters(head, headBytes)}${OMISSION}${end}`;
}

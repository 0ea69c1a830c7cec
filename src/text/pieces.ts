// Splits texts that are too long for one value of a database. Pure.

/**
 * The pieces of a text, in order; none of an empty one. A surrogate pair, whose halves could not be stored, stays whole.
 * @param maxChars UTF-16 units of a piece, at least 2.
 */
export function splitText(text: string, maxChars: number): string[] {
	const pieces: string[] = [];
	for (let start = 0; start < text.length; ) {
		const end = Math.min(text.length, start + maxChars);
		const isInPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
		const next = isInPair ? end - 1 : end;
		pieces.push(text.slice(start, next));
		start = next;
	}
	return pieces;
}

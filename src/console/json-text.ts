// Texts that somebody wrote, and JSON, to read. Pure.

/** Marks that turn the direction of what stands after them: a reader would see other text than there is. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with direction marks as escapes. An element that isolates it does not hold them all: one may close for another. */
export function showDirectionMarks(text: string): string {
	return text.replace(DIRECTION_MARKS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Indented JSON of the same value, with direction marks as escapes. */
export function renderJson(value: unknown): string {
	return showDirectionMarks(JSON.stringify(value, null, 2));
}

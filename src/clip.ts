// Cuts texts to a length. Pure.

/** The first UTF-16 units of a text, at most `maxUnits`, without half a character at the end. */
export function clip(text: string, maxUnits: number): string {
	return text.slice(0, maxUnits).replace(/[\uD800-\uDBFF]$/, "");
}

/** The first characters of a text (code points), at most `maxCharacters`. */
export function clipCharacters(text: string, maxCharacters: number): string {
	return [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join("");
}

/** The beginning of a text, at most `maxBytes` of UTF-8, without half a character at the end. */
export function clipBytes(text: string, maxBytes: number): string {
	if (text.length * 3 <= maxBytes) return text;
	const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
	return text.slice(0, read);
}

/** Both ends of a text, `unitsPerEnd` UTF-16 units each with a line break between them; a shorter text as a whole. */
export function clipMiddle(text: string, unitsPerEnd: number): string {
	if (text.length <= 2 * unitsPerEnd) return text;
	return `${text.slice(0, unitsPerEnd)}\n${text.slice(-unitsPerEnd)}`;
}

/** A text in one line, clipped and in quotation marks; empty where it is blank. */
export function quoteClipped(text: string, maxCharacters: number): string {
	const line = text.replace(/\s+/g, " ").trim();
	const clipped = clipCharacters(line, maxCharacters);
	return clipped === "" ? "" : `“${clipped}${clipped.length < line.length ? "…" : ""}”`;
}

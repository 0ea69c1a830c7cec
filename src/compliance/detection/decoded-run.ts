// Adds a decoded run to a view: alone, and where it is short once more behind the words before it, which may say what it is.
import type { View, ViewBuilder } from "./view-builder.ts";

/** A longer run says itself what its values are. */
const MAX_SHORT_CHARS = 160;
const CHARS_BEFORE_RUN = 64;

export function addDecoded(builder: ViewBuilder, { text }: View, decoded: string, start: number, end: number): void {
	builder.replace(decoded, start, end);
	builder.replace("\n\n", end, end);
	if (decoded.length > MAX_SHORT_CHARS) return;
	const from = Math.max(0, start - CHARS_BEFORE_RUN, text.lastIndexOf("\n", start - 1) + 1);
	const words = text.slice(from, start);
	if (!/\p{L}/u.test(words)) return;
	builder.replace(words, start, end);
	builder.replace(decoded, start, end);
	builder.replace("\n\n", end, end);
}

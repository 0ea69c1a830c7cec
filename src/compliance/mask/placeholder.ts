// The placeholders that stand for masked values, such as `[EMAIL_1]`: how they are written and recognised. Pure.

/** A placeholder taken apart. */
export interface PlaceholderName {
	label: string;
	number: number;
}

/** The placeholder label of a kind of data: `EMAIL` for `email`. */
export function toPlaceholderLabel(kind: string): string {
	return kind.toUpperCase();
}

/** A placeholder in a text. */
export function renderPlaceholder({ label, number }: PlaceholderName): string {
	return `[${label}_${number}]`;
}

const WRITTEN_PLACEHOLDER = /\[([A-Z][A-Z0-9_]{0,40})_([1-9]\d{0,8})\]/g;

/** Everything in a text that is written like a placeholder, in order. */
export function* findPlaceholders(text: string): Generator<PlaceholderName & { written: string; index: number }> {
	if (!text.includes("[")) return;
	for (const { 0: written, 1: label = "", 2: digits, index } of text.matchAll(WRITTEN_PLACEHOLDER))
		yield { written, label, number: Number(digits), index };
}

/**
 * What models make of placeholders with these labels: other brackets, another case, spaces, Markdown escapes, or no brackets at
 * all. Finds the placeholders themselves, too.
 */
export function likePlaceholders(labels: Iterable<string>): RegExp[] {
	const names = Array.from(labels, (label) => label.replaceAll("_", "[\\\\_ -]{1,2}")).join("|");
	return [
		new RegExp(`\\\\?[[(<{【「]\\s?(?:${names})[\\\\_ -]{1,2}\\d{1,9}\\s?\\\\?[\\])>}】」]`, "giu"),
		new RegExp(`(?<![\\p{L}\\p{N}_[])(?:${names})\\\\?_\\d{1,9}(?![\\p{L}\\p{N}\\]])`, "gu"),
	];
}

// Makes visible what a reader would not see, or would see in another place: for texts that somebody approves. Pure.

/**
 * Controls, format characters (direction marks, zero widths, tags), what fonts draw as nothing, line separators, lone surrogates, and
 * spaces that are none of the keyboard's. Line breaks, tabs and the ideographic space stay.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?![ \u3000])\p{Zs}/gu;

function escapeUnits(found: string): string {
	return found
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
}

/** The text with such characters as `\u` escapes. JSON stays JSON of the same value. */
export function revealHidden(text: string): string {
	return text.replace(HIDDEN, escapeUnits);
}

/** Indented JSON of a value, in which nothing is hidden. */
export function renderPlainJson(value: unknown): string {
	return revealHidden(JSON.stringify(value, null, 2));
}

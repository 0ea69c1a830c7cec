// Writes a long regular expression over several lines, so that each alternative can be read and reviewed by itself.

/**
 * The source of an expression. Line breaks and the tabs after them are layout, as whitespace is under the flag x of other
 * languages; spaces count. Backslashes are written once.
 */
export function verbose(strings: TemplateStringsArray, ...parts: readonly string[]): string {
	return String.raw(strings, ...parts).replace(/\n\t*/g, "");
}

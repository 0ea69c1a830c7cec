// Words as a POSIX shell reads them back. Pure.

/** What a shell reads as more than a character within double quotes. */
const SPECIAL_IN_DOUBLE_QUOTES = /["$`\\!]/;

/** A text in quotes, as one word of a shell. A text with single quotes is put in double ones where they need no escape. */
export function quoteShellWord(text: string): string {
	if (text.includes("'") && !SPECIAL_IN_DOUBLE_QUOTES.test(text)) return `"${text}"`;
	return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A text as one word of a shell, in quotes unless each of its characters stands for itself. */
export function toShellWord(text: string): string {
	return /^[\w./@%+=:,-]+$/.test(text) ? text : quoteShellWord(text);
}

// Quotes in which nothing is expanded, and escapes: `\x`, `'…'`, `$'…'` (bash manual 3.1.2).
import type { WordPart } from "./script.ts";
import type { TextReader } from "./text-reader.ts";

/** A run of characters without a meaning in `$'…'`. */
const PLAIN_IN_ANSI = /[^\\']+/y;

const ANSI_ESCAPES: Readonly<Record<string, string>> = {
	a: "\u0007",
	b: "\b",
	e: "\u001b",
	E: "\u001b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
	"\\": "\\",
	"'": "'",
	'"': '"',
	"?": "?",
};

/** Reads a backslash and what it escapes. */
export function readEscape(reader: TextReader): readonly WordPart[] {
	const escaped = reader.peek(1) === "\r" && reader.peek(2) === "\n" ? "\r\n" : reader.peek(1);
	reader.at += 1 + escaped.length;
	// A line continuation, or a backslash at the very end, stands for nothing.
	return escaped === "\n" || escaped === "\r\n" || escaped === ""
		? []
		: [{ kind: "text", text: escaped, quoted: true }];
}

/** Reads `'…'`. */
export function readSingleQuoted(reader: TextReader): WordPart {
	const end = reader.text.indexOf("'", reader.at + 1);
	if (end < 0) reader.malformed = true;
	const text = reader.text.slice(reader.at + 1, end < 0 ? undefined : end);
	reader.at = end < 0 ? reader.text.length : end + 1;
	return { kind: "text", text, quoted: true };
}

/** Reads `$'…'`. */
export function readAnsiQuoted(reader: TextReader): WordPart {
	reader.at += 2;
	let text = "";
	while (!reader.ended && reader.peek() !== "'") {
		reader.step();
		text += reader.peek() === "\\" ? readAnsiEscape(reader) : reader.run(PLAIN_IN_ANSI);
	}
	if (reader.ended) reader.malformed = true;
	reader.at++;
	return { kind: "text", text, quoted: true };
}

/** Reads one escape of `$'…'` (bash manual 3.1.2.4). */
function readAnsiEscape(reader: TextReader): string {
	const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.))/su.exec(
		reader.text.slice(reader.at + 1, reader.at + 10),
	);
	if (!code) {
		const character = reader.peek(1);
		reader.at += 1 + character.length;
		return ANSI_ESCAPES[character] ?? `\\${character}`;
	}
	reader.at += 1 + code[0].length;
	const hex = code[1] ?? code[2] ?? code[3];
	if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
	if (code[4] !== undefined) return String.fromCharCode(Number.parseInt(code[4], 8) & 0xff);
	return String.fromCharCode((code[5] ?? "").charCodeAt(0) & 0x1f);
}

/** Where the quotes end that begin at `start`. Only between single quotes, a backslash means nothing. */
export function endOfQuotes(text: string, start: number): number {
	const quote = text[start] ?? "";
	let at = start + 1;
	if (quote === "'" && text[start - 1] !== "$") {
		const end = text.indexOf(quote, at);
		return end < 0 ? text.length : end;
	}
	while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
	return at;
}

// The tokens of an expression of the tool compute: numbers, texts, names and signs, with their places. Pure.
import { quoteInput } from "../../../suggest.ts";
import { ComputeProblem } from "./problem.ts";

export interface Token {
	kind: "number" | "text" | "name" | "sign" | "end";
	text: string;
	at: number;
}

/** With remarks to the end of a line. */
const SPACE = /(?:\s|(?:\/\/|#)[^\n]*)+/uy;
const NUMBER = /(?:\d+(?:_\d{3})*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const QUOTED_NAME = /`([^`\n]+)`/y;
const TEXT = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"/suy;
const SIGN = /==|!=|<>|<=|>=|&&|\|\||\|>|:=|\*\*|[=<>!&|+\-*/%^()[\]{},;:.]/y;

/** Signs of other languages that mean the same. */
const SAME_SIGNS: Readonly<Record<string, string>> = { "==": "=", "<>": "!=", "|>": "|", "**": "^", ":=": "=" };
const SAME_WORDS: Readonly<Record<string, string>> = { "&&": "and", "||": "or", "!": "not" };
/** Words of the language, which are no names. */
export const LANGUAGE_WORDS = new Set([
	"and",
	"or",
	"not",
	"in",
	"is",
	"as",
	"asc",
	"desc",
	"let",
	"true",
	"false",
	"null",
]);

const CHARACTER_HINTS: Readonly<Record<string, string>> = { "?": "; write if(condition, then, else)" };

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function unquote(quoted: string): string {
	const quote = quoted.charAt(0);
	return quoted
		.slice(1, -1)
		.replaceAll(quote + quote, quote)
		.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code: string | undefined, escaped: string) =>
			code === undefined ? (ESCAPED[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16)),
		);
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(source);
}

function readToken(source: string, at: number): Token & { end: number } {
	const number = matchAt(NUMBER, source, at)?.[0];
	if (number !== undefined) return { kind: "number", text: number, at, end: at + number.length };
	const name = matchAt(NAME, source, at)?.[0];
	if (name !== undefined) {
		const word = name.toLowerCase();
		return LANGUAGE_WORDS.has(word)
			? { kind: "sign", text: word, at, end: at + name.length }
			: { kind: "name", text: name, at, end: at + name.length };
	}
	// A name in backticks is never a word of the language.
	const quotedName = matchAt(QUOTED_NAME, source, at);
	if (quotedName) return { kind: "name", text: quotedName[1] ?? "", at, end: at + quotedName[0].length };
	const text = matchAt(TEXT, source, at)?.[0];
	if (text !== undefined) return { kind: "text", text: unquote(text), at, end: at + text.length };
	const sign = matchAt(SIGN, source, at)?.[0];
	if (sign === undefined) {
		const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
		const hint = /['"`]/.test(character)
			? "a text that does not end"
			: `the character ${quoteInput(character)}${CHARACTER_HINTS[character] ?? ""}`;
		throw new ComputeProblem(`cannot read ${hint}`, at);
	}
	const end = at + sign.length;
	return { kind: "sign", text: SAME_WORDS[sign] ?? SAME_SIGNS[sign] ?? sign, at, end };
}

/** The tokens of an expression, with one that ends them. Throws ComputeProblem. */
export function tokenize(source: string): Token[] {
	const tokens: Token[] = [];
	let at = 0;
	while (true) {
		at += matchAt(SPACE, source, at)?.[0].length ?? 0;
		if (at >= source.length) break;
		const { end, ...token } = readToken(source, at);
		tokens.push(token);
		at = end;
	}
	tokens.push({ kind: "end", text: "the end", at: source.length });
	return tokens;
}

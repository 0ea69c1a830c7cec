// The lexical rules for the check of brackets: comments, strings, and what looks like one but is neither. Languages share them as
// far as real files are read no worse. `npm run eval:code-checks` measures that. brackets.ts reads by them.
import type { LexicalRulesName } from "./languages.ts";

export interface StringSyntax {
	/** What opens it and closes it. */
	quote: string;
	/** Whether a backslash escapes the next character. */
	escapes: boolean;
	/** Whether it may have several lines. */
	lines: boolean;
}

/** A piece of a program that is skipped whole. It is tried before comments and strings. */
interface SkippedSyntax {
	/** Sticky and bounded, because it is tried at every position of a text. */
	open: RegExp;
	/** Its end, by its opening. Null where the opening is all of it. A text with an unclosed piece is unreadable. */
	close: ((opening: RegExpExecArray) => string) | null;
}

export interface LexicalRules {
	/** The opening of comments that end with the line. */
	lineComment: string;
	/** Whether there are comments between slash and star, and whether one may hold another. */
	blockComments: "none" | "flat" | "nested";
	/** Longer quotes before shorter ones. */
	strings: readonly StringSyntax[];
	skips: readonly SkippedSyntax[];
	/** Whether `#` at the beginning of a line is a preprocessor directive. */
	hasDirectives: boolean;
	/** Whether it has backtick templates with `${…}`, and regular expressions between slashes. */
	isScript: boolean;
	/** Where this matches, brackets cannot be counted. */
	unreadable: RegExp | null;
}

const toStringSyntax = (quote: string, more: Partial<StringSyntax> = {}): StringSyntax => ({
	quote,
	escapes: true,
	lines: false,
	...more,
});

const DOUBLE_QUOTED = toStringSyntax('"');
const SINGLE_QUOTED = toStringSyntax("'");
const QUOTED = [
	toStringSyntax('"""', { lines: true }),
	toStringSyntax("'''", { lines: true }),
	DOUBLE_QUOTED,
	SINGLE_QUOTED,
];

/** A character between quotes. Anything else that begins with a quote is a lifetime or a label. */
const CHARACTER: SkippedSyntax = { open: /'(?:\\(?:u\{[^}\n]{0,12}\}|[^\n]{1,10}?)|[^\\'\n])'/uy, close: null };
/** Each branch may open a bracket that only one of them closes. */
const PREPROCESSOR_BRANCH = /^[ \t]*#[ \t]*(?:else|elif|elseif)\b/m;

/** What most languages with braces share. Block comments nest as in Kotlin. Others only seldom have one mark inside another. */
const C_LIKE: LexicalRules = {
	lineComment: "//",
	blockComments: "nested",
	strings: [...QUOTED, toStringSyntax("`", { escapes: false, lines: true })],
	skips: [],
	hasDirectives: false,
	isScript: false,
	unreadable: null,
};
const HASH: LexicalRules = { ...C_LIKE, lineComment: "#", blockComments: "none", strings: QUOTED };

export const LEXICAL_RULES: Readonly<Record<LexicalRulesName, LexicalRules>> = {
	c_like: C_LIKE,
	c: {
		...C_LIKE,
		skips: [{ open: /(?:u8|[uUL])?R"([^\s()\\]{0,16})\(/y, close: ([, delimiter = ""]) => `)${delimiter}"` }],
		hasDirectives: true,
		unreadable: PREPROCESSOR_BRANCH,
	},
	csharp: {
		...C_LIKE,
		skips: [{ open: /(?:@\$?|\$@)"/y, close: () => '"' }],
		unreadable: PREPROCESSOR_BRANCH,
	},
	rust: {
		...C_LIKE,
		strings: [toStringSyntax('"', { lines: true })],
		skips: [{ open: /(?<![\w'])(?:b|c)?r(#{0,16})"/y, close: ([, hashes = ""]) => `"${hashes}` }, CHARACTER],
	},
	script: { ...C_LIKE, blockComments: "flat", strings: [DOUBLE_QUOTED, SINGLE_QUOTED], isScript: true },
	// An address without quotes may hold what looks like a comment. None of the measured files has such a one, but web fonts are
	// imported by it.
	css: { ...C_LIKE, skips: [{ open: /url\((?!\s{0,20}["'])/iy, close: () => ")" }] },
	hash: HASH,
	// A bracket of Lua may be a string or a comment of many lines.
	dash: {
		...HASH,
		lineComment: "--",
		skips: [{ open: /(?:--)?\[(={0,16})\[/y, close: ([, level = ""]) => `]${level}]` }],
	},
};

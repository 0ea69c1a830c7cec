// The lexical rules of each language for the check of brackets: comments, strings, and what looks like one but is
// neither. brackets.ts reads by them.
import type { LexicalRulesName } from "./languages.ts";

export interface StringSyntax {
	open: string;
	close: string;
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
	close: ((opening: RegExpExecArray) => string | RegExp) | null;
}

export interface LexicalRules {
	/** Openings of comments that end with the line. */
	lineComments: readonly string[];
	blockComments: readonly { open: string; close: string; nests: boolean }[];
	/** Longer openings before shorter ones. */
	strings: readonly StringSyntax[];
	skips: readonly SkippedSyntax[];
	/** Whether `#` at the beginning of a line is a preprocessor directive. */
	hasDirectives: boolean;
	/** Whether it has backtick templates with `${…}`, and regular expressions between slashes. */
	isScript: boolean;
	/** Where this matches, brackets cannot be counted: branches of a preprocessor, marks in running text. */
	unreadable: RegExp | null;
}

const toStringSyntax = (open: string, more: Partial<StringSyntax> = {}): StringSyntax => ({
	open,
	close: open,
	escapes: true,
	lines: false,
	...more,
});

const DOUBLE_QUOTED = toStringSyntax('"');
const SINGLE_QUOTED = toStringSyntax("'");
const TRIPLE_DOUBLE = toStringSyntax('"""', { lines: true });
const TRIPLE_SINGLE = toStringSyntax("'''", { lines: true });

const SLASH_COMMENTS: Pick<LexicalRules, "lineComments" | "blockComments"> = {
	lineComments: ["//"],
	blockComments: [{ open: "/*", close: "*/", nests: false }],
};
const NESTING_SLASH_COMMENTS: Pick<LexicalRules, "lineComments" | "blockComments"> = {
	lineComments: ["//"],
	blockComments: [{ open: "/*", close: "*/", nests: true }],
};

const skipWhole = (open: RegExp): SkippedSyntax => ({ open, close: null });

/** A character between quotes. Anything else that begins with a quote is a lifetime or a label. */
const CHARACTER = skipWhole(/'(?:\\(?:u\{[^}\n]{0,12}\}|[^\n]{1,10}?)|[^\\'\n])'/uy);
/** `1'000` */
const DIGIT_SEPARATOR = skipWhole(/(?<=\b\d[\da-fA-FxXbB']{0,40})'(?=[\da-fA-F])/y);
/** Each branch may open a bracket that only one of them closes. */
const PREPROCESSOR_BRANCH = /^[ \t]*#[ \t]*(?:else|elif|elseif)\b/m;
/** Marks of JSX, whose running text may have unpaired quotes and brackets. */
const JSX_MARK = /<\/[A-Za-z>]|\/>/;
/** An address in CSS without quotes, which may contain what looks like a comment. */
const CSS_ADDRESS: SkippedSyntax = { open: /url\((?!\s{0,20}["'])/iy, close: () => ")" };

const NO_EXTRAS: Pick<LexicalRules, "skips" | "hasDirectives" | "isScript" | "unreadable"> = {
	skips: [],
	hasDirectives: false,
	isScript: false,
	unreadable: null,
};
const C_FAMILY = { ...NO_EXTRAS, skips: [DIGIT_SEPARATOR], hasDirectives: true, unreadable: PREPROCESSOR_BRANCH };
const SCRIPT_RULES: LexicalRules = {
	...SLASH_COMMENTS,
	strings: [DOUBLE_QUOTED, SINGLE_QUOTED],
	...NO_EXTRAS,
	skips: [{ open: /^#!/y, close: () => "\n" }],
	isScript: true,
	unreadable: JSX_MARK,
};

export const LEXICAL_RULES: Readonly<Record<LexicalRulesName, LexicalRules>> = {
	c: { ...SLASH_COMMENTS, strings: [DOUBLE_QUOTED, SINGLE_QUOTED], ...C_FAMILY },
	cpp: {
		...SLASH_COMMENTS,
		strings: [DOUBLE_QUOTED, SINGLE_QUOTED],
		...C_FAMILY,
		skips: [
			...C_FAMILY.skips,
			{ open: /(?:u8|[uUL])?R"([^\s()\\]{0,16})\(/y, close: ([, delimiter = ""]) => `)${delimiter}"` },
		],
	},
	csharp: {
		...SLASH_COMMENTS,
		strings: [TRIPLE_DOUBLE, DOUBLE_QUOTED, SINGLE_QUOTED],
		...C_FAMILY,
		skips: [{ open: /(?:@\$?|\$@)"/y, close: () => '"' }],
	},
	java: { ...SLASH_COMMENTS, strings: [TRIPLE_DOUBLE, DOUBLE_QUOTED, SINGLE_QUOTED], ...NO_EXTRAS },
	kotlin: {
		...NESTING_SLASH_COMMENTS,
		strings: [toStringSyntax('"""', { escapes: false, lines: true }), DOUBLE_QUOTED, SINGLE_QUOTED],
		...NO_EXTRAS,
	},
	rust: {
		...NESTING_SLASH_COMMENTS,
		strings: [toStringSyntax('"', { lines: true })],
		...NO_EXTRAS,
		skips: [
			{ open: /(?<![\w'])(?:b|c)?r(#{0,16})"/y, close: ([, hashes = ""]) => `"${hashes}` },
			CHARACTER,
			skipWhole(/'/y),
		],
	},
	go: {
		...SLASH_COMMENTS,
		strings: [DOUBLE_QUOTED, toStringSyntax("`", { escapes: false, lines: true })],
		...NO_EXTRAS,
		skips: [CHARACTER],
	},
	swift: {
		...NESTING_SLASH_COMMENTS,
		strings: [TRIPLE_DOUBLE, DOUBLE_QUOTED],
		...NO_EXTRAS,
		skips: [{ open: /(#{1,8})"/y, close: ([, hashes = ""]) => `"${hashes}` }],
		unreadable: PREPROCESSOR_BRANCH,
	},
	javascript: SCRIPT_RULES,
	typescript: SCRIPT_RULES,
	python: {
		lineComments: ["#"],
		blockComments: [],
		strings: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE_QUOTED, SINGLE_QUOTED],
		...NO_EXTRAS,
	},
	json: { ...SLASH_COMMENTS, strings: [DOUBLE_QUOTED], ...NO_EXTRAS },
	css: {
		lineComments: [],
		blockComments: SLASH_COMMENTS.blockComments,
		strings: [DOUBLE_QUOTED, SINGLE_QUOTED],
		...NO_EXTRAS,
		skips: [CSS_ADDRESS],
	},
	scss: { ...SLASH_COMMENTS, strings: [DOUBLE_QUOTED, SINGLE_QUOTED], ...NO_EXTRAS, skips: [CSS_ADDRESS] },
	lua: {
		lineComments: ["--"],
		blockComments: [],
		strings: [DOUBLE_QUOTED, SINGLE_QUOTED],
		...NO_EXTRAS,
		skips: [{ open: /(?:--)?\[(={0,16})\[/y, close: ([, level = ""]) => `]${level}]` }],
	},
	hcl: {
		lineComments: ["#", "//"],
		blockComments: SLASH_COMMENTS.blockComments,
		strings: [DOUBLE_QUOTED],
		...NO_EXTRAS,
		skips: [
			{ open: /<<[-~]?([A-Za-z_]\w{0,60})/y, close: ([, name = ""]) => new RegExp(`^[ \\t]{0,200}${name}\\b`, "m") },
		],
	},
	dart: {
		...NESTING_SLASH_COMMENTS,
		strings: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE_QUOTED, SINGLE_QUOTED],
		...NO_EXTRAS,
		skips: [{ open: /(?<!\w)r('''|"""|'|")/y, close: ([, quote = ""]) => quote }],
	},
	solidity: { ...SLASH_COMMENTS, strings: [DOUBLE_QUOTED, SINGLE_QUOTED], ...NO_EXTRAS },
};

// How programs of each language are read for their brackets, as a table: what is a comment, what is a string, and what is
// neither though it looks like one. The reader is brackets.ts.
import type { LexisName } from "./languages.ts";

export interface Quoted {
	open: string;
	close: string;
	/** Whether a backslash takes the next character out of play. */
	escapes: boolean;
	/** Whether it may go over the end of a line. */
	lines: boolean;
}

export interface Lexis {
	/** Begin a comment to the end of the line. */
	lineComments: readonly string[];
	blockComments: readonly { open: string; close: string; nests: boolean }[];
	/** Longer openings before shorter ones. */
	strings: readonly Quoted[];
	/** Pieces that are skipped whole where they begin, before anything else is looked for; sticky. */
	skips: readonly RegExp[];
	/** Backtick templates with `${…}`, and regular expressions between slashes. */
	isScript: boolean;
	/** Where this occurs, brackets cannot be counted: branches of a preprocessor, marks in running text. */
	unreadable: RegExp | null;
}

const quoted = (open: string, more: Partial<Quoted> = {}): Quoted => ({
	open,
	close: open,
	escapes: true,
	lines: false,
	...more,
});

const DOUBLE = quoted('"');
const SINGLE = quoted("'");
const TRIPLE_DOUBLE = quoted('"""', { lines: true });
const TRIPLE_SINGLE = quoted("'''", { lines: true });

const SLASHES: Pick<Lexis, "lineComments" | "blockComments"> = {
	lineComments: ["//"],
	blockComments: [{ open: "/*", close: "*/", nests: false }],
};
const NESTING: Pick<Lexis, "lineComments" | "blockComments"> = {
	lineComments: ["//"],
	blockComments: [{ open: "/*", close: "*/", nests: true }],
};

/** A character between quotes; what else begins with a quote is a lifetime or a label. */
const CHARACTER = /'(?:\\(?:u\{[^}\n]{0,12}\}|[^\n]{1,10}?)|[^\\'\n])'/uy;
/** `1'000` */
const DIGIT_SEPARATOR = /(?<=\b\d[\da-fA-FxXbB']*)'(?=[\da-fA-F])/y;
/** A line of a preprocessor, with what a backslash or a comment adds to it. */
const DIRECTIVE = /(?<=^[ \t]*)#[ \t]*\w(?:\/\*[\s\S]*?\*\/|\\[\s\S]|[^\\\n])*/my;
/** Its branches may each open what only one of them closes. */
const BRANCHES = /^[ \t]*#[ \t]*(?:else|elif|elseif)\b/m;
/** Marks of JSX, whose running text has quotes and brackets of its own. */
const JSX = /<\/[A-Za-z>]|\/>/;
/** An address in CSS, which may hold what looks like a comment. */
const CSS_ADDRESS = /url\([^)"'\n]*\)/iy;

const NONE: Pick<Lexis, "skips" | "isScript" | "unreadable"> = { skips: [], isScript: false, unreadable: null };
const C_FAMILY = { skips: [DIRECTIVE, DIGIT_SEPARATOR], isScript: false, unreadable: BRANCHES };
const SCRIPT: Lexis = { ...SLASHES, strings: [DOUBLE, SINGLE], skips: [/^#!.*/y], isScript: true, unreadable: JSX };

export const LEXES: Readonly<Record<LexisName, Lexis>> = {
	c: { ...SLASHES, strings: [DOUBLE, SINGLE], ...C_FAMILY },
	cpp: {
		...SLASHES,
		strings: [DOUBLE, SINGLE],
		...C_FAMILY,
		skips: [...C_FAMILY.skips, /(?:u8|[uUL])?R"([^\s()\\]{0,16})\([\s\S]*?\)\1"/y],
	},
	csharp: {
		...SLASHES,
		strings: [TRIPLE_DOUBLE, DOUBLE, SINGLE],
		...C_FAMILY,
		skips: [DIRECTIVE, /(?:@\$?|\$@)"(?:[^"]|"")*"/y],
	},
	java: { ...SLASHES, strings: [TRIPLE_DOUBLE, DOUBLE, SINGLE], ...NONE },
	kotlin: { ...NESTING, strings: [quoted('"""', { escapes: false, lines: true }), DOUBLE, SINGLE], ...NONE },
	rust: {
		...NESTING,
		strings: [quoted('"', { lines: true })],
		...NONE,
		skips: [/(?<![\w'])(?:b|c)?r(#{0,16})"[\s\S]*?"\1/y, CHARACTER, /'/y],
	},
	go: { ...SLASHES, strings: [DOUBLE, quoted("`", { escapes: false, lines: true })], ...NONE, skips: [CHARACTER] },
	swift: {
		...NESTING,
		strings: [TRIPLE_DOUBLE, DOUBLE],
		...NONE,
		skips: [/(#{1,8})"[\s\S]*?"\1/y],
		unreadable: BRANCHES,
	},
	javascript: SCRIPT,
	typescript: SCRIPT,
	python: {
		lineComments: ["#"],
		blockComments: [],
		strings: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
		...NONE,
	},
	json: { ...SLASHES, strings: [DOUBLE], ...NONE },
	css: {
		lineComments: [],
		blockComments: SLASHES.blockComments,
		strings: [DOUBLE, SINGLE],
		...NONE,
		skips: [CSS_ADDRESS],
	},
	scss: { ...SLASHES, strings: [DOUBLE, SINGLE], ...NONE, skips: [CSS_ADDRESS] },
	lua: {
		lineComments: ["--"],
		blockComments: [],
		strings: [DOUBLE, SINGLE],
		...NONE,
		skips: [/--\[(=*)\[[\s\S]*?\]\1\]/y, /\[(=*)\[[\s\S]*?\]\1\]/y],
	},
	hcl: {
		lineComments: ["#", "//"],
		blockComments: SLASHES.blockComments,
		strings: [DOUBLE],
		...NONE,
		skips: [/<<[-~]?([A-Za-z_]\w*)[^\n]*\n[\s\S]*?^[ \t]*\1\b/my],
	},
	dart: {
		...NESTING,
		strings: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
		...NONE,
		skips: [/(?<!\w)r(?:'''[\s\S]*?'''|"""[\s\S]*?"""|'[^'\n]*'|"[^"\n]*")/y],
	},
	solidity: { ...SLASHES, strings: [DOUBLE, SINGLE], ...NONE },
};

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

/** A piece that is skipped whole where it begins, before anything else is looked for. */
export interface Skip {
	/** Sticky and bounded: it is tried at every place of a text. */
	open: RegExp;
	/** What ends it, by what opened it; null where the opening is all of it. A piece that lacks its end makes a text unreadable. */
	close: ((opening: RegExpExecArray) => string | RegExp) | null;
}

export interface Lexis {
	/** Begin a comment to the end of the line. */
	lineComments: readonly string[];
	blockComments: readonly { open: string; close: string; nests: boolean }[];
	/** Longer openings before shorter ones. */
	strings: readonly Quoted[];
	skips: readonly Skip[];
	/** Whether `#` at the beginning of a line is a preprocessor's. */
	hasDirectives: boolean;
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

const whole = (open: RegExp): Skip => ({ open, close: null });

/** A character between quotes; what else begins with a quote is a lifetime or a label. */
const CHARACTER = whole(/'(?:\\(?:u\{[^}\n]{0,12}\}|[^\n]{1,10}?)|[^\\'\n])'/uy);
/** `1'000` */
const DIGIT_SEPARATOR = whole(/(?<=\b\d[\da-fA-FxXbB']{0,40})'(?=[\da-fA-F])/y);
/** Its branches may each open what only one of them closes. */
const BRANCHES = /^[ \t]*#[ \t]*(?:else|elif|elseif)\b/m;
/** Marks of JSX, whose running text has quotes and brackets of its own. */
const JSX = /<\/[A-Za-z>]|\/>/;
/** An address in CSS, which may hold what looks like a comment; one in quotes is a string like others. */
const CSS_ADDRESS: Skip = { open: /url\((?!\s{0,20}["'])/iy, close: () => ")" };

const NONE: Pick<Lexis, "skips" | "hasDirectives" | "isScript" | "unreadable"> = {
	skips: [],
	hasDirectives: false,
	isScript: false,
	unreadable: null,
};
const C_FAMILY = { ...NONE, skips: [DIGIT_SEPARATOR], hasDirectives: true, unreadable: BRANCHES };
const SCRIPT: Lexis = {
	...SLASHES,
	strings: [DOUBLE, SINGLE],
	...NONE,
	skips: [{ open: /^#!/y, close: () => "\n" }],
	isScript: true,
	unreadable: JSX,
};

export const LEXES: Readonly<Record<LexisName, Lexis>> = {
	c: { ...SLASHES, strings: [DOUBLE, SINGLE], ...C_FAMILY },
	cpp: {
		...SLASHES,
		strings: [DOUBLE, SINGLE],
		...C_FAMILY,
		skips: [
			...C_FAMILY.skips,
			{ open: /(?:u8|[uUL])?R"([^\s()\\]{0,16})\(/y, close: ([, delimiter = ""]) => `)${delimiter}"` },
		],
	},
	csharp: {
		...SLASHES,
		strings: [TRIPLE_DOUBLE, DOUBLE, SINGLE],
		...C_FAMILY,
		skips: [{ open: /(?:@\$?|\$@)"/y, close: () => '"' }],
	},
	java: { ...SLASHES, strings: [TRIPLE_DOUBLE, DOUBLE, SINGLE], ...NONE },
	kotlin: { ...NESTING, strings: [quoted('"""', { escapes: false, lines: true }), DOUBLE, SINGLE], ...NONE },
	rust: {
		...NESTING,
		strings: [quoted('"', { lines: true })],
		...NONE,
		skips: [
			{ open: /(?<![\w'])(?:b|c)?r(#{0,16})"/y, close: ([, hashes = ""]) => `"${hashes}` },
			CHARACTER,
			whole(/'/y),
		],
	},
	go: { ...SLASHES, strings: [DOUBLE, quoted("`", { escapes: false, lines: true })], ...NONE, skips: [CHARACTER] },
	swift: {
		...NESTING,
		strings: [TRIPLE_DOUBLE, DOUBLE],
		...NONE,
		skips: [{ open: /(#{1,8})"/y, close: ([, hashes = ""]) => `"${hashes}` }],
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
		skips: [{ open: /(?:--)?\[(={0,16})\[/y, close: ([, level = ""]) => `]${level}]` }],
	},
	hcl: {
		lineComments: ["#", "//"],
		blockComments: SLASHES.blockComments,
		strings: [DOUBLE],
		...NONE,
		skips: [
			{ open: /<<[-~]?([A-Za-z_]\w{0,60})/y, close: ([, name = ""]) => new RegExp(`^[ \\t]{0,200}${name}\\b`, "m") },
		],
	},
	dart: {
		...NESTING,
		strings: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
		...NONE,
		skips: [{ open: /(?<!\w)r('''|"""|'|")/y, close: ([, quote = ""]) => quote }],
	},
	solidity: { ...SLASHES, strings: [DOUBLE, SINGLE], ...NONE },
};

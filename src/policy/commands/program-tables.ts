// The tables of programs, grammar/*.json: their options, operands and subcommands, and what each is. How a command's words
// are read by them is in grammar.ts.
import type { CodeLanguage, ReadLanguage } from "./effects.ts";
import buildFile from "./grammar/build.json" with { type: "json" };
import codeFile from "./grammar/code.json" with { type: "json" };
import dataFile from "./grammar/data.json" with { type: "json" };
import executorsFile from "./grammar/executors.json" with { type: "json" };
import filesFile from "./grammar/files.json" with { type: "json" };
import networkFile from "./grammar/network.json" with { type: "json" };
import shellFile from "./grammar/shell.json" with { type: "json" };
import textFile from "./grammar/text.json" with { type: "json" };
import usualFile from "./grammar/usual.json" with { type: "json" };

/**
 * What a word is to the program that gets it. `inspect`: only its name, size or existence counts. `folder`: the program
 * works there. `shell`, `line`: a line of shell. `run`: this word and all after it are a command. `program`: a program or
 * a file that is run. `revision`: a state of a repository, or a file in one (`HEAD:.env`), which is read.
 */
export type ArgumentRole =
	| "text"
	| "name"
	| "address"
	| "read"
	| "revision"
	| "inspect"
	| "write"
	| "remove"
	| "folder"
	| "shell"
	| "line"
	| "run"
	| "program"
	| `code:${CodeLanguage}`
	| "unknown";

/** A program as the tables have it. Keys name several spellings, or several programs, with a space between them. */
interface ProgramRow {
	readonly style?: string;
	/**
	 * Roles of the options' values, several with blanks between them. `flag`: it has none. With a `?`, the value is only
	 * taken from the same word. With a `*`, all words up to the next option are values.
	 */
	readonly options?: Readonly<Record<string, string>>;
	/**
	 * Roles of the operands in order. One of them may end in `*` and is repeated. `shell*`: all words from there on are one
	 * line.
	 */
	readonly operands?: readonly string[];
	/** Roles of the operands where one of some options is given. Behind `&` stand options of which one is given too. */
	readonly operands_with?: Readonly<Record<string, readonly string[]>>;
	/** What becomes of the standard input: `shell`, `code:…` or `send`. */
	readonly input?: string;
	/** A text is the name of a row beside it, which says the same. */
	readonly subcommands?: Readonly<Record<string, ProgramRow | string>>;
}

/** What an option takes, and what that is. */
export interface OptionGrammar {
	readonly roles: readonly ArgumentRole[];
	readonly takes: "nothing" | "a value" | "an attached value" | "words up to the next option";
}

/** How a program writes its options. `tar`: the first word is a bundle without a dash. */
const STYLES = ["gnu", "single-dash", "assignments", "dos", "tar", "none"] as const;
type Style = (typeof STYLES)[number];

/** The options, operands and subcommands of one program. */
export interface ProgramGrammar {
	readonly style: Style;
	readonly options: ReadonlyMap<string, OptionGrammar>;
	readonly operands: readonly string[];
	/** The operands where an option of each group is given. */
	readonly operandsWith: readonly {
		readonly groups: readonly (readonly string[])[];
		readonly operands: readonly string[];
	}[];
	readonly input: string | null;
	readonly subcommands: ReadonlyMap<string, ProgramGrammar>;
}

const PLAIN_ROLES: readonly ArgumentRole[] = [
	"text",
	"name",
	"address",
	"read",
	"revision",
	"inspect",
	"write",
	"remove",
	"folder",
	"shell",
	"line",
	"run",
	"program",
];

const READ_LANGUAGES: Readonly<Record<ReadLanguage, true>> = {
	python: true,
	javascript: true,
	perl: true,
	ruby: true,
	php: true,
	awk: true,
	sed: true,
	vim: true,
	code: true,
	sql: true,
	mongo: true,
	redis: true,
	powershell: true,
};

/** Whether a language has a reader. */
export function isReadLanguage(language: string): language is ReadLanguage {
	return Object.hasOwn(READ_LANGUAGES, language);
}

/** Whether a text of the tables names a language: `sql`, `unread:Lua`. */
export function isCodeLanguage(text: string): text is CodeLanguage {
	return isReadLanguage(text) || text.startsWith("unread:");
}

/** The language that a role names: `sql` for `code:sql`. Null for other roles. */
export function findRoleLanguage(role: string): CodeLanguage | null {
	const name = role.startsWith("code:") ? role.slice(5) : "";
	return isCodeLanguage(name) ? name : null;
}

/** Parses a role of the tables. Null when there is no such role. */
export function parseRole(written: string): ArgumentRole | null {
	const name = written.replace(/[*?]$/, "");
	const language = findRoleLanguage(name);
	if (language !== null) return `code:${language}`;
	return [...PLAIN_ROLES, "unknown" as const].find((role) => role === name) ?? null;
}

/** Roles by how the tables write them. */
const ROLES = new Map<string, ArgumentRole>();

/** Parses a role of the tables, which a test holds to have no others. */
export function toRole(written = ""): ArgumentRole {
	const known = ROLES.get(written);
	if (known !== undefined) return known;
	const role = parseRole(written) ?? "unknown";
	ROLES.set(written, role);
	return role;
}

function toOption(written: string): OptionGrammar {
	if (written === "flag") return { roles: [], takes: "nothing" };
	const takes = { "?": "an attached value", "*": "words up to the next option" } as const;
	const mark = written.at(-1);
	return { roles: written.split(" ").map(toRole), takes: mark === "?" || mark === "*" ? takes[mark] : "a value" };
}

function bySpelling<Row, Value>(rows: Readonly<Record<string, Row>>, convert: (row: Row) => Value): Map<string, Value> {
	const values = new Map<string, Value>();
	for (const [names, row] of Object.entries(rows)) {
		const value = convert(row);
		for (const name of names.split(" ")) values.set(name, value);
	}
	return values;
}

/** Lists of words by each of the names in their keys. */
export function setsBySpelling(
	rows: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, ReadonlySet<string>> {
	return bySpelling(rows, (words) => new Set(words));
}

function toGrammars(rows: Readonly<Record<string, ProgramRow | string>>): Map<string, ProgramGrammar> {
	return bySpelling(rows, (row) => {
		const meant = typeof row === "string" ? rows[row] : row;
		return toGrammar(typeof meant === "object" ? meant : {});
	});
}

/** Reads one row, without what other tables say of the program. */
export function toGrammar(row: ProgramRow): ProgramGrammar {
	return {
		style: STYLES.find((style) => style === row.style) ?? "gnu",
		options: bySpelling(row.options ?? {}, toOption),
		operands: row.operands ?? [],
		operandsWith: Object.entries(row.operands_with ?? {}).map(([options, operands]) => ({
			groups: options.split(" & ").map((group) => group.split(" ")),
			operands,
		})),
		input: row.input ?? null,
		subcommands: toGrammars(row.subcommands ?? {}),
	};
}

/** Joins what two tables say of one program. */
function joinGrammars(first: ProgramGrammar, second: ProgramGrammar): ProgramGrammar {
	const subcommands = new Map(first.subcommands);
	for (const [name, grammar] of second.subcommands) {
		const known = subcommands.get(name);
		subcommands.set(name, known ? joinGrammars(known, grammar) : grammar);
	}
	return {
		style: second.style === "gnu" ? first.style : second.style,
		options: new Map([...first.options, ...second.options]),
		operands: second.operands.length > 0 ? second.operands : first.operands,
		operandsWith: [...second.operandsWith, ...first.operandsWith],
		input: second.input ?? first.input,
		subcommands,
	};
}

/** The tables. What a later one says of the same option or the same operands counts. */
const GRAMMAR_TABLES: readonly Readonly<Record<string, ProgramRow | string>>[] = [
	shellFile.programs,
	textFile.programs,
	buildFile.programs,
	networkFile.programs,
	filesFile.programs,
	codeFile.programs,
	dataFile.programs,
	executorsFile.programs,
];

/** The grammars of all listed programs, by name. */
export const GRAMMARS: ReadonlyMap<string, ProgramGrammar> = joinTables();

function joinTables(): ReadonlyMap<string, ProgramGrammar> {
	const grammars = new Map<string, ProgramGrammar>();
	for (const table of GRAMMAR_TABLES) {
		for (const [name, grammar] of toGrammars(table)) {
			const known = grammars.get(name);
			grammars.set(name, known ? joinGrammars(known, grammar) : grammar);
		}
	}
	return grammars;
}

/** Long options that mean the same to nearly every program, for those whose tables do not have them. */
export const USUAL_OPTIONS: ReadonlyMap<string, OptionGrammar> = bySpelling(usualFile.options, toOption);

/** Whether a word of the role is run, so that the program has no need of a command in its input. */
export function isCommandRole(role: ArgumentRole): boolean {
	return /^(?:shell|line|run|program|code:.*)$/.test(role);
}

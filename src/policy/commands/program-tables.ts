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

const PLAIN_ROLES = [
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
	"upload",
	"body",
	"method",
	"settings",
	"tasks",
	"unknown",
] as const;

/**
 * What a word is to the program that gets it. `inspect`: only its name, size or existence counts. `folder`: the program
 * works there. `shell`, `line`: a line of shell. `run`: this word and all after it are a command. `program`: a program or
 * a file that is run. `revision`: a state of a repository, or a file in one (`HEAD:.env`), which is read. `script:…`: a file
 * that is run as code of a language. `module:…`: a name behind which there may be such a file. `upload`: a file that is sent.
 * `body`: a text that is sent, in which `@` stands before files. `method`: that of a request. `settings`: a file of options.
 * `tasks`: a file of tasks for a task runner.
 */
export type ArgumentRole =
	| (typeof PLAIN_ROLES)[number]
	| `code:${CodeLanguage}`
	| `script:${FileLanguage}`
	| `module:${FileLanguage}`;

/** A program as the tables have it. Keys name several spellings, or several programs, with a space between them. */
interface ProgramRow {
	readonly style?: string;
	/** What the program does with files and networks, in words with a blank between. */
	readonly does?: string;
	/**
	 * The language of what the program runs: what the roles `code`, `script` and `module` mean. In a row without operands, the
	 * first one is a script where no option has code, and the input is code.
	 */
	readonly language?: string;
	/**
	 * Roles of the options' values, several with blanks between them. `flag`: it has none. With a `?`, the value is only
	 * taken from the same word. With a `*`, all words up to the next option are values.
	 */
	readonly options?: Readonly<Record<string, string>>;
	/**
	 * Roles of the operands in order. One of them may end in `*` and is repeated. One that ends in `+` is all words from there
	 * on, as one text.
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

/** How a program writes its options. `tar`: the first word is a bundle without a dash. `shell`: a plus takes an option back. */
const STYLES = ["gnu", "single-dash", "assignments", "dos", "tar", "shell", "none"] as const;
type Style = (typeof STYLES)[number];

/** The options, operands and subcommands of one program. */
export interface ProgramGrammar {
	readonly style: Style;
	readonly deeds: readonly string[];
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

/** A language of files that are run. */
export type FileLanguage = "shell" | CodeLanguage;

/** Whether a text of the tables names a language of files that are run. */
export function isFileLanguage(text: string): text is FileLanguage {
	return text === "shell" || isCodeLanguage(text);
}

/** The language that a role names: `sql` for `code:sql`. Null for other roles. */
export function findRoleLanguage(role: string): CodeLanguage | null {
	const name = role.startsWith("code:") ? role.slice(5) : "";
	return isCodeLanguage(name) ? name : null;
}

/** The language of a file that is run, by the role of its name. Null for other roles. */
export function findScriptLanguage(role: string): FileLanguage | null {
	const name = /^(?:script|module):/.test(role) ? role.slice(7) : "";
	return isFileLanguage(name) ? name : null;
}

/** Parses a role of the tables. Null when there is no such role. */
export function parseRole(written: string): ArgumentRole | null {
	const name = written.replace(/[*?+]$/, "");
	const language = findRoleLanguage(name);
	if (language !== null) return `code:${language}`;
	const script = findScriptLanguage(name);
	if (script !== null) return `${name.startsWith("script") ? "script" : "module"}:${script}`;
	return PLAIN_ROLES.find((role) => role === name) ?? null;
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

function toOption(written: string, inFull: (role: string) => string = (role) => role): OptionGrammar {
	if (written === "flag") return { roles: [], takes: "nothing" };
	const takes = { "?": "an attached value", "*": "words up to the next option" } as const;
	const mark = written.at(-1);
	return {
		roles: written.split(" ").map((role) => toRole(inFull(role))),
		takes: mark === "?" || mark === "*" ? takes[mark] : "a value",
	};
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

/** What a row of an interpreter says of operands and input, unless it says something else. */
function interpreterRow({ options = {}, operands, language }: ProgramRow): ProgramRow {
	if (language === undefined || operands !== undefined) return {};
	const withCode = Object.keys(options).filter((names) => options[names] === "code");
	return {
		operands: ["script", "unknown*"],
		operands_with: Object.fromEntries(withCode.map((names) => [names, ["unknown*"]])),
		input: "code",
	};
}

/** Reads one row, without what other tables say of the program. */
export function toGrammar(written: ProgramRow): ProgramGrammar {
	const row = { ...interpreterRow(written), ...written };
	const inFull = (role: string) => role.replace(/^(?:code|script|module)(?=[*?+]?$)/, `$&:${row.language}`);
	return {
		style: STYLES.find((style) => style === row.style) ?? "gnu",
		deeds: row.does?.split(" ") ?? [],
		options: bySpelling(row.options ?? {}, (roles) => toOption(roles, inFull)),
		operands: (row.operands ?? []).map(inFull),
		operandsWith: Object.entries(row.operands_with ?? {}).map(([options, operands]) => ({
			groups: options.split(" & ").map((group) => group.split(" ")),
			operands: operands.map(inFull),
		})),
		input: row.input === undefined ? null : inFull(row.input),
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
		deeds: [...first.deeds, ...second.deeds],
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

/** Longer names are no interpreter's. */
const MAX_INTERPRETER_CHARS = 64;

/** The grammar of a program, of an interpreter also with a version behind its name: `python3.12`. */
export function findGrammar(name: string): ProgramGrammar | undefined {
	const known = GRAMMARS.get(name);
	if (known || !/[0-9.]$/.test(name) || name.length > MAX_INTERPRETER_CHARS) return known;
	const plain = GRAMMARS.get(name.replace(/[0-9.]+$/, ""));
	return plain && findFirstScript(plain) !== null ? plain : undefined;
}

const findFirstScript = ({ operands }: ProgramGrammar) => findScriptLanguage(operands[0] ?? "");

/** The language of the files that a program runs, by the program's name: python for `python3.12`. Null for other programs. */
export function findInterpretedLanguage(name: string): FileLanguage | null {
	const grammar = findGrammar(name);
	return grammar ? findFirstScript(grammar) : null;
}

/** Whether a program runs code that is no shell's. */
export function isInterpreter(name: string): boolean {
	const language = findInterpretedLanguage(name);
	return language !== null && language !== "shell";
}

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

/** The programs that do one of some things. */
export function programsThat(...deeds: readonly string[]): ReadonlySet<string> {
	return new Set([...GRAMMARS].flatMap(([name, row]) => (row.deeds.some((deed) => deeds.includes(deed)) ? name : [])));
}

/** Programs that print or write what they fetch. */
export const DOWNLOADERS = programsThat("downloads");

/** Programs that send requests. Their headers and addresses carry a client's credentials as a matter of course. */
export const REQUEST_SENDERS = programsThat("requests");

/** All programs that send what they read or are given. */
export const SENDERS = programsThat("requests", "sends");

/** Whether a row says anything of words, and not only what the program does. */
export function saysOfWords({ options, operands, input, subcommands }: ProgramGrammar): boolean {
	return options.size + operands.length + subcommands.size > 0 || input !== null;
}

/** Long options that mean the same to nearly every program, for those whose tables do not have them. */
export const USUAL_OPTIONS: ReadonlyMap<string, OptionGrammar> = bySpelling(usualFile.options, (roles) =>
	toOption(roles),
);

/** Whether a word of the role is run, so that the program has no need of a command in its input. */
export function isCommandRole(role: ArgumentRole): boolean {
	return /^(?:shell|line|run|program|code:.*)$/.test(role);
}

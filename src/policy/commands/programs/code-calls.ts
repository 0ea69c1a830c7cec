// What the calls of a script do: by tables (code-calls.json), with the texts that folding found. A call that runs what
// cannot be computed asks.

import { UNKNOWN } from "../../placeholders.ts";
import { WorkBudget } from "../../work-budget.ts";
import {
	codeEffect,
	type Effect,
	fillEffect,
	forbiddenEffect,
	guessedScriptEffect,
	raiseEffect,
	readEffect,
	runEffect,
	runFileEffect,
	type ScriptLanguage,
	writeEffect,
} from "../effects.ts";
import callsFile from "./code-calls.json" with { type: "json" };
import { CodeFolder } from "./code-folding.ts";
import { lastName } from "./code-names.ts";
import { findServiceEffects, isAddress, NO_EFFECTS } from "./code-requests.ts";
import type { CodeCall } from "./code-scope.ts";
import { findSecret } from "./code-secrets.ts";
import { openCodeTokens } from "./code-tokens.ts";
import type { CodeValue } from "./code-values.ts";

const KINDS = [
	"run",
	"run words",
	"run vector",
	"run spread",
	"eval",
	"open",
	"write",
	"read",
	"remove",
	"remove all",
	"load",
	"fetch",
	"send",
	"statement",
	"kill",
	"evaluate bytes",
] as const;
type CallKind = (typeof KINDS)[number];

/** What a call does, and which argument says to what. */
interface CallRow {
	readonly kind: CallKind;
	readonly position: number | string;
}

interface CallTable {
	readonly rows: ReadonlyMap<string, readonly CallRow[]>;
	/** The rows of methods, `*.name`, by the name alone. */
	readonly methods: ReadonlyMap<string, readonly CallRow[]>;
	/** Functions that are called by the values behind them, without brackets. */
	readonly words: ReadonlySet<string>;
}

function readTable(language: ScriptLanguage): CallTable {
	const rows = new Map<string, readonly CallRow[]>();
	const written: Readonly<Record<string, readonly string[] | undefined>> = callsFile.languages[language];
	for (const kind of KINDS) {
		for (const row of written[kind] ?? []) {
			const [name = "", position = "0"] = row.split(" ");
			const read = { kind, position: /^\d+$/.test(position) ? Number(position) : position };
			rows.set(name, [...(rows.get(name) ?? []), read]);
		}
	}
	const methods = new Map<string, readonly CallRow[]>();
	for (const [name, methodRows] of rows) if (name.startsWith("*.")) methods.set(name.slice(2), methodRows);
	return { rows, methods, words: new Set(written["words"]) };
}

const CALL_TABLES: Readonly<Record<ScriptLanguage, CallTable>> = {
	python: readTable("python"),
	javascript: readTable("javascript"),
	perl: readTable("perl"),
	ruby: readTable("ruby"),
	php: readTable("php"),
};

const NATIVE_MODULES: ReadonlySet<string> = new Set(callsFile.native_modules);

/** Finds what a script's calls do. */
export function findCallEffects(
	text: string,
	language: ScriptLanguage,
	work: WorkBudget = new WorkBudget(),
): readonly Effect[] {
	const tokens = openCodeTokens(text, language, work);
	const effects: Effect[] = [];
	// Calls are judged one by one, so that none is kept longer than that.
	const judge = (call: CodeCall) => {
		for (const effect of callEffects(call, language)) effects.push(effect);
	};
	new CodeFolder(tokens, language, (path) => callsWords(path, language), judge).follow();
	return effects;
}

/** Whether a function is called by the values behind it, without brackets. Methods of Ruby that write are. */
function callsWords(path: string, language: ScriptLanguage): boolean {
	return CALL_TABLES[language].words.has(path) || (language === "ruby" && /\.(?:puts|print|write|send)$/.test(path));
}

const asks = (because: string): Effect => raiseEffect("exec_action", because);

const NO_ROWS: readonly CallRow[] = [];

function callEffects(call: CodeCall, language: ScriptLanguage): readonly Effect[] {
	const { path } = call;
	if (path === "import") return importEffects(call.args[0], language);
	if (path === "getattr" && call.args[1]?.text === null) return getattrEffects(call);
	if (language === "perl" && path === "open") return perlOpenEffects(call.args);
	const table = CALL_TABLES[language];
	const name = lastName(path);
	const rows = table.rows.get(path) ?? (name === path ? undefined : table.methods.get(name)) ?? NO_ROWS;
	const service = findServiceEffects(call);
	const handed = handedEffects(call, table.rows);
	if (rows === NO_ROWS && service.length + handed.length === 0 && !CONTENT_CALLS.test(name)) return NO_EFFECTS;
	const own = rows.flatMap((row) => rowEffects(row, call, language));
	return [...own, ...contentEffects(call, rows), ...service, ...handed];
}

/** A member whose name is computed. Of a module that reaches the system it may be anything. */
function getattrEffects({ args }: CodeCall): readonly Effect[] {
	const module = args[0]?.path ?? "";
	return /^(?:os|posix|subprocess|shutil|sys|pty|builtins|__builtins__|child_process|importlib)$/.test(module)
		? [asks(`code takes a function of ${module} by a computed name`)]
		: [];
}

function importEffects(module: CodeValue | undefined, language: ScriptLanguage): readonly Effect[] {
	const text = module?.text ?? null;
	if (text === null || text.includes(UNKNOWN))
		return language === "php" ? [] : [asks("code loads a module whose name is computed")];
	if (NATIVE_MODULES.has(text.toLowerCase())) return [asks(`code loads ${text}, which reaches the system directly`)];
	if (/^(?:data|https?):/i.test(text)) return [asks("code loads a module from an address")];
	const own = language === "python" ? `${text.replaceAll(".", "/")}.py` : `${text}.js`;
	const loaded = /^(?:python|javascript)$/.test(language)
		? [runFileEffect(own, language), runFileEffect(text, language)]
		: [];
	return /^(?:\.{0,2}\/|~)/.test(text) ? [readEffect(text), ...loaded] : loaded;
}

function rowEffects({ kind, position }: CallRow, call: CodeCall, language: ScriptLanguage): readonly Effect[] {
	if (kind.startsWith("run"))
		return runEffects(kind, position === "self" ? { ...call, args: call.subject ? [call.subject] : [] } : call);
	if (kind === "send") return sendEffects(call);
	if (kind === "evaluate bytes") return [asks("code loads objects from bytes, which can run anything")];
	const value = findArgument(call, position);
	const text = value?.text ?? value?.subject?.text ?? null;
	if (kind === "eval") return evalEffects(value, language);
	if (text === null || text === UNKNOWN || text === "") return [];
	return textEffects(kind, text, call, language);
}

/** What a call does with a path or a text that is known. */
function textEffects(kind: CallKind, text: string, call: CodeCall, language: ScriptLanguage): readonly Effect[] {
	if (kind === "write") return [writeEffect(text)];
	if (kind === "read") return [readEffect(text)];
	if (kind === "open") return openEffects(text, call);
	if (kind === "load") return loadEffects(text, language);
	if (kind === "fetch") return [writeEffect(text), fillEffect(text, null)];
	if (kind === "statement") return SQL_START.test(text) ? [codeEffect("sql", text)] : [];
	if (kind === "kill") return /^-?1$/.test(text) ? [runEffect(["kill", "-9", text])] : [];
	return [{ kind: "remove", path: text, recursive: kind === "remove all" || isRecursive(call) }];
}

/** What a statement of SQL begins with. Other texts are not read as one. */
const SQL_START =
	/^\s*(?:\/\*|--|\(|(?:select|insert|update|delete|drop|truncate|alter|create|grant|revoke|copy|call|exec|execute|do|with|merge|replace|load|set|attach|vacuum|begin|pragma|explain)\b)/i;

/** The argument that a row names: by its number, its name, or the value before the dot. */
function findArgument({ args, named, subject }: CodeCall, position: number | string): CodeValue | undefined {
	if (position === "self") return subject;
	return typeof position === "string" ? named.get(position) : (args[position] ?? named.get("file"));
}

/** A call that sends its arguments. What says who asks is left out by their names. */
function sendEffects({ path, args, named, subject }: CodeCall): readonly Effect[] {
	const sent = [...named].flatMap(([name, value]) => (/^(?:headers?|auth|env)$/i.test(name) ? [] : value));
	for (const value of [...args, ...sent, ...(subject ? [subject] : [])]) {
		const secret = findSecret(value);
		if (secret !== undefined) return [forbiddenEffect(`code sends ${secret} by ${path}`)];
	}
	return [];
}

/** Files of code, and addresses of it, that a call loads. */
function loadEffects(path: string, language: ScriptLanguage): readonly Effect[] {
	if (/^https?:/i.test(path)) return [forbiddenEffect("code runs what it downloads")];
	return [runFileEffect(path, language), readEffect(path)];
}

/** A function that runs text, given to another one that calls it: `.then(eval)`, `map(os.system, lines)`. */
function handedEffects({ args, path }: CodeCall, table: ReadonlyMap<string, readonly CallRow[]>): readonly Effect[] {
	if (path === "getattr") return NO_EFFECTS;
	for (const { path: handed } of args) {
		if (handed === null || handed.endsWith(")")) continue;
		if (table.get(handed)?.some(({ kind }) => /^(?:run|eval)/.test(kind)))
			return [asks(`code passes ${handed} to a function that calls it`)];
	}
	return NO_EFFECTS;
}

/** Calls that write a text to a file: their file is before the dot, or in front. */
const CONTENT_CALLS = /(?:^|\.)(?:write\w*|append\w*|file_put_contents|binwrite)$/i;

/** Notes what a file holds after a call, for a later one that runs it. */
function contentEffects({ path, args, subject }: CodeCall, rows: readonly CallRow[]): readonly Effect[] {
	if (!CONTENT_CALLS.test(path)) return [];
	const writes = rows.find(({ kind }) => kind === "write");
	const isOpened = /(?:^|\.)open\(\)\.write$/.test(path);
	if (!writes && !isOpened) return [];
	const isSelf = isOpened || writes?.position === "self";
	const file = (isSelf ? subject : args[0])?.text ?? (isSelf ? subject?.subject?.text : null) ?? null;
	const content = isSelf ? args[0] : args[1];
	if (file === null || file === "" || file.includes(UNKNOWN) || !content) return [];
	if (content.text !== null) return content.text.includes(UNKNOWN) ? [] : [fillEffect(file, content.text)];
	return isAddress(content.subject) ? [fillEffect(file, null)] : [];
}

const isRecursive = ({ named }: CodeCall) => named.has("recursive");

function evalEffects(value: CodeValue | undefined, language: ScriptLanguage): readonly Effect[] {
	// `eval { … }` of Perl and Ruby's blocks have no text.
	if (!value) return [];
	if (value.text !== null && !value.text.includes(UNKNOWN)) return [codeEffect(language, value.text)];
	return [asks("code runs text that is computed")];
}

/** A file that is opened. Ruby opens `|command`, too. */
function openEffects(path: string, { args, named }: CodeCall): readonly Effect[] {
	if (path.startsWith("|")) return [guessedScriptEffect(path.slice(1))];
	const mode = (named.get("mode") ?? args[1])?.text ?? "r";
	const flags = args[1]?.path ?? "";
	return /[wax+>]/.test(mode) || /O_(?:WRONLY|RDWR|CREAT)/.test(flags) ? [writeEffect(path)] : [readEffect(path)];
}

/** `open(F, ">file")`, `open(F, "-|", "ls")`, `open(F, "ls|")`. */
function perlOpenEffects(args: readonly CodeValue[]): readonly Effect[] {
	const [, first, ...rest] = args.map(({ text }) => text);
	if (first == null) return [];
	if (/^(?:-\||\|-)$/.test(first.trim())) return lineEffects(rest);
	if (/^[+<>]+(?::\S*)?$/.test(first.trim())) {
		const [path] = rest;
		return path == null ? [] : [/>|\+/.test(first) ? writeEffect(path) : readEffect(path)];
	}
	const written = first.trim();
	if (written.startsWith("|") || written.endsWith("|")) return [guessedScriptEffect(written.replace(/^\||\|$/g, ""))];
	const path = written.replace(/^[+<>]+\s*/, "");
	return [/^\+?>/.test(written) ? writeEffect(path) : readEffect(path)];
}

/** One text is a line of shell. More are a command's words. */
function lineEffects(texts: readonly (string | null)[]): readonly Effect[] {
	const [line] = texts;
	if (line == null || line === UNKNOWN) return [asks("code runs a command that is computed")];
	return texts.length > 1 ? [runEffect(texts.map((text) => text ?? UNKNOWN))] : [guessedScriptEffect(line)];
}

function runEffects(kind: CallKind, { path, args, named, subject }: CodeCall): readonly Effect[] {
	const values = args.length > 0 ? args : [named.get("args") ?? named.get("cmd") ?? UNSAID];
	const [first = UNSAID, second] = values;
	const lists = (value: CodeValue | undefined) => value?.list?.map(({ text }) => text) ?? [];
	if (values.length === 1 && first === UNSAID && path.startsWith("*") && !subject) return [];
	if (kind === "run vector") return lineEffects([first.text, ...lists(second).slice(1), ""].slice(0, -1));
	if (kind === "run spread") return lineEffects([first.text, ...values.slice(2).map(({ text }) => text)]);
	if (first.list) return first.list.length === 0 ? [] : runFields(lists(first));
	if (kind === "run words") {
		const words = values.flatMap((value) => (value.list ? lists(value) : [value.text]));
		return lineEffects(words);
	}
	const named_args = named.get("args")?.list ? lists(named.get("args")) : lists(second);
	return lineEffects([first.text, ...named_args]);
}

const UNSAID: CodeValue = { text: null, list: null, path: null };

function runFields(fields: readonly (string | null)[]): readonly Effect[] {
	if (fields[0] == null) return [asks("code runs a command that is computed")];
	return [runEffect(fields.map((field) => field ?? UNKNOWN))];
}

// What the calls of a script do: by tables (code-calls.json), with the texts that folding found. A call that runs what
// cannot be computed asks.

import { UNKNOWN } from "../../placeholders.ts";
import {
	codeEffect,
	type Effect,
	guessedScriptEffect,
	raiseEffect,
	readEffect,
	runEffect,
	type ScriptLanguage,
	writeEffect,
} from "../effects.ts";
import callsFile from "./code-calls.json" with { type: "json" };
import { type CodeCall, CodeFolder } from "./code-folding.ts";
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
] as const;
type CallKind = (typeof KINDS)[number];

/** What a call does, and which argument says to what. */
interface CallRow {
	readonly kind: CallKind;
	readonly position: number | "self";
}

function readTable(language: ScriptLanguage): ReadonlyMap<string, readonly CallRow[]> {
	const rows = new Map<string, readonly CallRow[]>();
	for (const kind of KINDS) {
		for (const written of callsFile.languages[language][kind]) {
			const [name = "", position = "0"] = written.split(" ");
			const row = { kind, position: position === "self" ? position : Number(position) } as const;
			rows.set(name, [...(rows.get(name) ?? []), row]);
		}
	}
	return rows;
}

const TABLES: Readonly<Record<ScriptLanguage, ReadonlyMap<string, readonly CallRow[]>>> = {
	python: readTable("python"),
	javascript: readTable("javascript"),
	perl: readTable("perl"),
	ruby: readTable("ruby"),
	php: readTable("php"),
	lua: readTable("lua"),
};

const CALLED_BY_WORDS: Readonly<Record<ScriptLanguage, ReadonlySet<string>>> = {
	python: new Set(callsFile.languages.python.words),
	javascript: new Set(callsFile.languages.javascript.words),
	perl: new Set(callsFile.languages.perl.words),
	ruby: new Set(callsFile.languages.ruby.words),
	php: new Set(callsFile.languages.php.words),
	lua: new Set(callsFile.languages.lua.words),
};

const NATIVE_MODULES: ReadonlySet<string> = new Set(callsFile.native_modules);

/** Finds what a script's calls do. */
export function findCallEffects(text: string, language: ScriptLanguage): readonly Effect[] {
	const folder = new CodeFolder(text, language, (path) => CALLED_BY_WORDS[language].has(path));
	const effects: Effect[] = [];
	for (const call of folder.findCalls()) for (const effect of callEffects(call, language)) effects.push(effect);
	return effects;
}

const asks = (because: string): Effect => raiseEffect("exec_action", because);

function callEffects(call: CodeCall, language: ScriptLanguage): readonly Effect[] {
	if (call.path === "import") return importEffects(call.args[0], language);
	if (call.path === "getattr" && call.args[1]?.text === null) return [];
	if (language === "perl" && call.path === "open") return perlOpenEffects(call.args);
	const table = TABLES[language];
	const method = `*${call.path.slice(call.path.lastIndexOf("."))}`;
	const rows = table.get(call.path) ?? (call.path.includes(".") ? table.get(method) : undefined) ?? [];
	return rows.flatMap((row) => rowEffects(row, call, language));
}

function importEffects(module: CodeValue | undefined, language: ScriptLanguage): readonly Effect[] {
	const text = module?.text ?? null;
	if (text === null || text.includes(UNKNOWN))
		return language === "php" ? [] : [asks("code loads a module whose name is computed")];
	if (NATIVE_MODULES.has(text.toLowerCase())) return [asks(`code loads ${text}, which reaches the system directly`)];
	return /^(?:\.{0,2}\/|~)/.test(text) ? [readEffect(text)] : [];
}

function rowEffects({ kind, position }: CallRow, call: CodeCall, language: ScriptLanguage): readonly Effect[] {
	if (kind.startsWith("run")) return runEffects(kind, call);
	const value = position === "self" ? call.subject : (call.args[position] ?? call.named.get("file"));
	const text = value?.text ?? value?.subject?.text ?? null;
	if (kind === "eval") return evalEffects(value, language);
	if (text === null || text === UNKNOWN || text === "") return [];
	if (kind === "write") return [writeEffect(text)];
	if (kind === "read") return [readEffect(text)];
	if (kind === "open") return openEffects(text, call);
	return [{ kind: "remove", path: text, recursive: kind === "remove all" || isRecursive(call) }];
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

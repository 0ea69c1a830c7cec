// Code of Lisp dialects: Common Lisp, Scheme, Clojure and that of Emacs. Forms are read from the inside out, and what a
// function does is said by lisp-calls.json.
import { UNKNOWN } from "../../placeholders.ts";
import type { WorkBudget } from "../../work-budget.ts";
import {
	codeEffect,
	type Effect,
	guessedScriptEffect,
	raiseEffect,
	readEffect,
	runEffect,
	runFileEffect,
	writeEffect,
} from "../effects.ts";
import { MAX_TEXT_CHARS } from "./code-values.ts";
import callsFile from "./lisp-calls.json" with { type: "json" };

/** A text, the name of a symbol, or what a form gives. Where nothing is known of it, all are null. */
interface LispItem {
	readonly text: string | null;
	readonly symbol: string | null;
	/** The texts of a list, or what a form joins. */
	readonly list: readonly LispItem[] | null;
}

const NOTHING: LispItem = { text: null, symbol: null, list: null };

/** Units of work for a token, and for what is done with its form. */
const TOKEN_WORK = 60;

/** A string, a symbol, a bracket, a comment or a character. */
const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"?|;[^\n]*|#\\\S|[()[\]{}]|[^\s()[\]{}"';`,]+/g;

const CALLS = new Map<string, { readonly kind: LispCallKind; readonly position: number }[]>();
const KINDS = ["run", "remove", "remove_all", "write", "open", "read", "load", "evaluate", "join"] as const;
type LispCallKind = (typeof KINDS)[number];

for (const kind of KINDS) {
	for (const written of callsFile[kind]) {
		const [name = "", position = "0"] = written.split(" ");
		CALLS.set(name, [...(CALLS.get(name) ?? []), { kind, position: Number(position) }]);
	}
}

/** A symbol's name without its package: `uiop:run-program`, `babashka.fs/delete-tree`. */
function plainSymbol(symbol: string): string {
	const name = symbol.replace(/^[#'`,@]{1,3}/, "").toLowerCase();
	const plain = name.slice(name.lastIndexOf(":") + 1);
	return CALLS.has(plain) ? plain : plain.slice(plain.lastIndexOf("/") + 1);
}

/** Finds what code of a Lisp does. */
export function findLispEffects(text: string, work: WorkBudget): readonly Effect[] {
	const effects: Effect[] = [];
	const open: LispItem[][] = [[]];
	for (const { 0: token, 1: string } of text.matchAll(TOKEN)) {
		if (!work.charge(TOKEN_WORK)) return [];
		if (string !== undefined) open.at(-1)?.push({ ...NOTHING, text: string.replace(/\\([\s\S])/g, "$1") });
		else if (/^[([{]$/.test(token)) open.push([]);
		else if (/^[)\]}]$/.test(token)) {
			const form = (open.length > 1 ? open.pop() : undefined) ?? [];
			effects.push(...formEffects(form));
			open.at(-1)?.push(formValue(form));
		} else if (!token.startsWith(";") && token !== "#p") open.at(-1)?.push({ ...NOTHING, symbol: token });
	}
	// What is not closed counts, too.
	for (const form of open.slice(1)) effects.push(...formEffects(form));
	return effects;
}

/** What a form gives: a joined text, or a list. */
function formValue(form: readonly LispItem[]): LispItem {
	const [head] = form;
	const rows = head?.symbol == null ? [] : (CALLS.get(plainSymbol(head.symbol)) ?? []);
	if (!rows.some(({ kind }) => kind === "join")) return { ...NOTHING, list: form };
	const items = form.slice(1).filter(({ symbol }) => symbol === null);
	if (/^(?:list|quote|vector|first|values)$/.test(plainSymbol(head?.symbol ?? ""))) return { ...NOTHING, list: items };
	const joined = items.map(({ text }) => text ?? UNKNOWN).join("");
	return { ...NOTHING, text: joined.length > MAX_TEXT_CHARS ? UNKNOWN : joined };
}

function formEffects(form: readonly LispItem[]): readonly Effect[] {
	const [head, ...args] = form;
	if (head?.symbol == null) return [];
	const rows = CALLS.get(plainSymbol(head.symbol)) ?? [];
	return rows.flatMap(({ kind, position }) => callEffects(kind, args, position));
}

function callEffects(kind: LispCallKind, args: readonly LispItem[], position: number): readonly Effect[] {
	if (kind === "run") return runEffects(args);
	if (kind === "join") return [];
	const item = args[position];
	const path = item?.text ?? item?.list?.find(({ text }) => text !== null)?.text ?? null;
	if (kind === "evaluate") {
		if (path !== null) return [codeEffect("lisp", path)];
		return args.length > 0 && item?.list === null
			? [raiseEffect("exec_action", "code runs text that is computed")]
			: [];
	}
	if (path === null || path.startsWith(UNKNOWN) || path === "") return [];
	if (kind === "load") return [runFileEffect(path, "lisp"), readEffect(path)];
	if (kind === "read") return [readEffect(path)];
	if (kind === "open") return [opensToWrite(args) ? writeEffect(path) : readEffect(path)];
	if (kind === "write") return [writeEffect(path)];
	return [{ kind: "remove", path, recursive: kind === "remove_all" }];
}

const opensToWrite = (args: readonly LispItem[]) =>
	args.some(
		({ text, symbol, list }) =>
			/^:(?:output|io)$/i.test(symbol ?? "") ||
			/^[wa]/.test(text ?? "") ||
			(list?.some((item) => /^:(?:output|io)$/i.test(item.symbol ?? "")) ?? false),
	);

/** One text is a line of shell, more are a command's words. */
function runEffects(args: readonly LispItem[]): readonly Effect[] {
	// `call-process` has a file, a buffer and a flag between the program and its arguments, and names behind keywords.
	const fields: string[] = [];
	for (const [at, { text, symbol, list }] of args.entries()) {
		if (text !== null) fields.push(text);
		else if (list) fields.push(...list.flatMap((item) => item.text ?? []));
		else if (at === 0 && symbol !== null && !/^(?:nil|[:#'].*)$/i.test(symbol)) fields.push(UNKNOWN);
	}
	const [line] = fields;
	if (line === undefined) return [];
	if (line === UNKNOWN) return [raiseEffect("exec_action", "code runs a command that is computed")];
	// `start-process` names its buffer before the program.
	const later = fields.length > 2 ? [runEffect(fields.slice(1)), runEffect(fields.slice(2))] : [];
	return fields.length === 1 ? [guessedScriptEffect(line)] : [runEffect(fields), guessedScriptEffect(line), ...later];
}

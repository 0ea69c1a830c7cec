// Dotted names of code by what they stand for: the global object, the home folder, functions that load or call others.
import type { ScriptLanguage } from "../effects.ts";
import { bounded, type CodeValue, pathValue, UNKNOWN_VALUE } from "./code-values.ts";

/** Names of the global object, before which everything is what it is without it. */
const GLOBAL_PREFIX =
	/^(?:globalThis|window|global|self|builtins|__builtins__|Kernel|CORE|CORE::GLOBAL|main|process\.mainModule|module)\./;

/** A name without the global object before it and the mark behind it. */
export function canonicalPath(path: string): string {
	const dotted = path.includes("::") ? path.replaceAll("::", ".") : path;
	const plain = dotted.includes(".") ? dotted.replace(GLOBAL_PREFIX, "").replace(GLOBAL_PREFIX, "") : dotted;
	return plain.endsWith("!") || plain.endsWith("?") ? plain.slice(0, -1) : plain;
}

/** The part of a dotted name behind its last dot. */
export const lastName = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const HOME_NAMES = /(?:^|\.)(?:process\.env\.HOME|homedir\(?\)?|Path\.home|Dir\.home|environ\.HOME)$/;

/** Whether a name, or a call of it, stands for the home folder. */
export const isHome = (path: string): boolean => /(?:home|HOME|dir\(?\)?)$/.test(path) && HOME_NAMES.test(path);

const LOADING_FUNCTIONS: ReadonlySet<string> = new Set([
	"require",
	"__import__",
	"import_module",
	"importlib.import_module",
	"process.binding",
]);

/** Whether a function loads a module. */
export const isLoader = (path: string): boolean => LOADING_FUNCTIONS.has(path);

/** Functions that call the one that they are given by its name. */
const CALLERS: ReadonlySet<string> = new Set([
	"call_user_func",
	"call_user_func_array",
	"array_map",
	"send",
	"public_send",
	"__send__",
	"methodcaller",
]);

interface MeantCall {
	readonly callee: CodeValue;
	readonly args: readonly CodeValue[];
}

/** The call that a call of a call makes: `call_user_func(f, x)`, `f.call(null, x)`, `send(:f, x)`. */
export function findMeantCall(
	path: string,
	callee: CodeValue,
	args: readonly CodeValue[],
	language: ScriptLanguage,
): MeantCall | null {
	const name = lastName(path);
	const [first, second, third] = args;
	if (first?.text != null && CALLERS.has(name))
		return { callee: pathValue(first.text), args: args.slice(1).flatMap((arg) => arg.list ?? [arg]) };
	if (path === "Reflect.apply" && first) return { callee: first, args: third?.list ?? [] };
	const isCall = language === "javascript" && name !== path && (name === "call" || name === "apply");
	if (!isCall || callee.path === null) return null;
	const meant = pathValue(callee.path.replace(/\.(?:call|apply)$/, ""));
	return { callee: meant, args: name === "apply" ? (second?.list ?? []) : args.slice(1) };
}

/** `Path(a) / b`. */
export function joinPath(left: CodeValue, right: CodeValue): CodeValue {
	const first = left.subject ?? left;
	return left.path !== null || left.text === "~" ? pathValue("Path()", joinPaths([first, right])) : UNKNOWN_VALUE;
}

/** Joins the parts of a path. Not known where one of them is not. */
export function joinPaths(parts: readonly CodeValue[]): CodeValue {
	const texts = parts.map((part) => part.text ?? part.subject?.text ?? null);
	return texts.length === 0 || texts.some((text) => text === null) ? UNKNOWN_VALUE : bounded(texts.join("/"));
}

/** Whether a function joins the parts of a path. */
export const joinsPaths = (path: string, name: string): boolean =>
	(name === "join" || name === "resolve") && /(?:path|File|posixpath|ntpath)\.(?:join|resolve)$/.test(path);

/** Whether a function makes a path of its arguments. */
export const makesPath = (name: string): boolean => /^(?:Pure(?:Posix)?)?Path$/.test(name);

// Dotted names of code by what they stand for: the home folder, functions that load modules or call others, paths that are joined.
import { bounded, type CodeValue, pathValue, UNKNOWN_VALUE } from "./code-values.ts";

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

/** The call that a call by name makes: `call_user_func("f", x)`, `send(:f, x)`. Null for other calls. */
export function findMeantCall(path: string, [named, ...args]: readonly CodeValue[]) {
	if (named?.text == null || !CALLERS.has(lastName(path))) return null;
	return { callee: pathValue(named.text), args: args.flatMap((arg) => arg.list ?? [arg]) };
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

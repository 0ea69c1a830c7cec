// The effects of a command, as far as its words tell. The rules in programs/ produce them, walk.ts follows them.
import type { FactorId } from "../factors.ts";
import type { Reach } from "../path-patterns.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { CommandWords } from "./patterns.ts";
import type { CommandInput } from "./scope.ts";

/** Languages of interpreters whose strings, names and calls are read. */
export type ScriptLanguage = "python" | "javascript" | "perl" | "ruby" | "php";

/** Languages with a reader. `code` is text that may be code of any language. */
export type ReadLanguage = ScriptLanguage | "code" | "awk" | "sed" | "vim" | "sql" | "mongo" | "redis" | "powershell";

/** A language without a reader, by the name that a reason gives it. Its code asks. */
type UnreadLanguage = `unread:${string}`;

export type CodeLanguage = ReadLanguage | UnreadLanguage;

export type Effect =
	/** Raises a factor. `instead` is a short text of what would pass: `git push --force-with-lease`. */
	| { readonly kind: "raise"; readonly factor: FactorId; readonly because: string; readonly instead?: string }
	| { readonly kind: "write"; readonly path: string; readonly reach: Reach }
	/** Shows or sends a file's contents. */
	| { readonly kind: "read"; readonly path: string }
	/** Removes a path. Where it leads decides how bad that is. */
	| { readonly kind: "remove"; readonly path: string; readonly recursive: boolean }
	/** Runs another command with these fields. `listed`: a list that only the run knows adds operands. */
	| {
			readonly kind: "run";
			readonly fields: readonly string[];
			readonly listed?: boolean;
			readonly isInContainer?: boolean;
	  }
	/** Runs a text as a shell script. A guess may be no script at all. */
	| {
			readonly kind: "script";
			readonly text: string;
			readonly parameters?: readonly string[];
			readonly guess?: boolean;
	  }
	/** Runs the substitutions of a text that a shell expands a second time. */
	| { readonly kind: "expand"; readonly text: string }
	/** Runs a text as code of another language. */
	| { readonly kind: "code"; readonly language: CodeLanguage; readonly text: string }
	/** Runs its input as a shell script or as code. */
	| { readonly kind: "interpret"; readonly language: "shell" | CodeLanguage }
	/** Runs a file, if the check wrote it, as code of a language. */
	| { readonly kind: "runFile"; readonly path: string; readonly language: "shell" | CodeLanguage }
	/** The file holds this text from now on. Null: what an address brings. */
	| { readonly kind: "fill"; readonly path: string; readonly text: string | null }
	/** A word of unknown meaning. It may be a path that is read, written or run. */
	| { readonly kind: "word"; readonly path: string }
	/** A line, or fields, that an unknown program may run. It asks if they would be denied by themselves. */
	| { readonly kind: "suspect"; readonly command: string | readonly string[] }
	/** Words of another language, which only a workspace's forbidden commands are held against. */
	| { readonly kind: "match"; readonly name: string; readonly fields: () => readonly string[] }
	/** A name stands for this text in later commands. */
	| { readonly kind: "alias"; readonly name: string; readonly text: string }
	/** Later commands run in this folder. */
	| { readonly kind: "enter"; readonly path: string };

/** A command and its input. */
export interface Invocation extends CommandWords, CommandInput {
	/** Names of the commands whose output it reads or has among its words. */
	readonly sources: () => readonly string[];
	/** For work beyond a few readings of the words, which are charged already. */
	readonly work: WorkBudget;
}

/**
 * Describes the commands of one name by their effects. Where each effect copies the words, effects are produced one by
 * one, so that the caller charges for each before it takes the next.
 */
export type ProgramRule = (command: Invocation) => Iterable<Effect>;

export const raiseEffect = (factor: FactorId, because: string, instead?: string): Effect =>
	instead === undefined ? { kind: "raise", factor, because } : { kind: "raise", factor, because, instead };
export const forbiddenEffect = (because: string, instead?: string): Effect =>
	raiseEffect("forbidden_command", because, instead);
export const riskyEffect = (because: string, instead?: string): Effect =>
	raiseEffect("risky_command", because, instead);
export const writeEffect = (path: string, reach: Reach = "itself"): Effect => ({ kind: "write", path, reach });
export const readEffect = (path: string): Effect => ({ kind: "read", path });
export const wordEffect = (path: string): Effect => ({ kind: "word", path });
export const suspectEffect = (command: string | readonly string[]): Effect => ({ kind: "suspect", command });
export const runFileEffect = (path: string, language: "shell" | CodeLanguage): Effect => ({
	kind: "runFile",
	path,
	language,
});
export const fillEffect = (path: string, text: string | null): Effect => ({ kind: "fill", path, text });
export const runEffect = (fields: readonly string[], listed = false): Effect => ({ kind: "run", fields, listed });
export const scriptEffect = (text: string, parameters: readonly string[] = []): Effect => ({
	kind: "script",
	text,
	parameters,
});
export const guessedScriptEffect = (text: string): Effect => ({ kind: "script", text, guess: true });
export const expandEffect = (text: string): Effect => ({ kind: "expand", text });
export const aliasEffect = (name: string, text: string): Effect => ({ kind: "alias", name, text });
export const codeEffect = (language: CodeLanguage, text: string): Effect => ({ kind: "code", language, text });

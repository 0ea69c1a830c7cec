// What a command would do, as far as its words tell: the vocabulary in which programs/ describe commands to walk.ts.
import type { FactorId } from "../factors.ts";
import type { Reach } from "../paths.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { CommandWords } from "./patterns.ts";

/** Languages whose code is scanned for calls that remove, write or run. */
export type CodeLanguage = "code" | "sql" | "mongo" | "redis" | "powershell";

export type Effect =
	/** Raises a factor outright. */
	| { readonly kind: "raise"; readonly factor: FactorId; readonly because: string }
	| { readonly kind: "write"; readonly path: string; readonly reach: Reach }
	/** Shows or sends the contents. */
	| { readonly kind: "read"; readonly path: string }
	/** Removes; how bad depends on where the path leads. */
	| { readonly kind: "remove"; readonly path: string; readonly recursive: boolean }
	/** Runs another command with these fields. `listed`: more operands come from a list that only the run will know. */
	| { readonly kind: "run"; readonly fields: readonly string[]; readonly listed?: boolean }
	/** Runs a text as a shell script; a guess may turn out to be none. */
	| {
			readonly kind: "script";
			readonly text: string;
			readonly parameters?: readonly string[];
			readonly guess?: boolean;
	  }
	/** Runs a text as code of some other language. */
	| { readonly kind: "code"; readonly language: CodeLanguage; readonly text: string }
	/** Runs what it reads: a script of the shell or code. */
	| { readonly kind: "interpret"; readonly language: "shell" | CodeLanguage }
	/** The commands after it run in this folder. */
	| { readonly kind: "enter"; readonly path: string };

/** One command, and what feeds it. */
export interface Invocation extends CommandWords {
	/** What it reads from a pipe or a here-document, where that is known. */
	readonly input: string | null;
	/** It reads a pipe, a here-document or a file, known or not. */
	readonly piped: boolean;
	/** For what takes more than a few readings of its words, which are charged for already. */
	readonly work: WorkBudget;
}

/**
 * The effects of the commands of one name, made one by one where each copies the words: whoever asks for the next one
 * has charged for the last.
 */
export type ProgramRule = (command: Invocation) => Iterable<Effect>;

export const raiseEffect = (factor: FactorId, because: string): Effect => ({ kind: "raise", factor, because });
export const forbiddenEffect = (because: string): Effect => raiseEffect("forbidden_command", because);
export const riskyEffect = (because: string): Effect => raiseEffect("risky_command", because);
export const writeEffect = (path: string, reach: Reach = "itself"): Effect => ({ kind: "write", path, reach });
export const readEffect = (path: string): Effect => ({ kind: "read", path });
export const runEffect = (fields: readonly string[], listed = false): Effect => ({ kind: "run", fields, listed });
export const scriptEffect = (text: string, parameters: readonly string[] = []): Effect => ({
	kind: "script",
	text,
	parameters,
});
export const guessedScriptEffect = (text: string): Effect => ({ kind: "script", text, guess: true });
export const codeEffect = (language: CodeLanguage, text: string): Effect => ({ kind: "code", language, text });

// The parts of a parsed script: simple commands in order, with unexpanded words. parse.ts builds it, expand.ts reads
// it.

/** A part of a word. `quoted` parts neither split, nor glob, nor expand braces. */
export type WordPart =
	| { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
	| {
			readonly kind: "variable";
			readonly name: string;
			/** The operator after the name inside `${…}`: `:-`, `#`, `/`. What follows it is the operand. */
			readonly operation: string;
			readonly operand: Word;
			/** What stands between the brackets behind the name, where something in it runs. */
			readonly index?: Word;
			readonly quoted: boolean;
	  }
	/** `$(…)` or a backtick pair. `process`: `<(…)` or `>(…)`, whose value is a file name. */
	| {
			readonly kind: "substitution";
			readonly script: ShellScript;
			readonly process: boolean;
			readonly quoted: boolean;
	  };

/** A part of a word that is what a script prints. */
export type Substitution = Extract<WordPart, { readonly kind: "substitution" }>;

export type Word = readonly WordPart[];

/** A redirect without its file descriptor. The target of `<<` is the body of its here-document. */
export interface Redirect {
	readonly operator: "<" | "<<" | "<<<" | "<>" | ">" | ">>" | ">|" | "&>" | "&>>" | ">&" | "<&";
	readonly target: Word;
	/** The number or `{name}` before the operator. Absent, it is the usual one: 0 or 1. */
	readonly descriptor?: string;
}

export interface Assignment {
	readonly name: string;
	/** What stands between the brackets behind the name. */
	readonly index?: Word;
	readonly value: Word;
	/** `+=`: the value is added to the one before. */
	readonly appends?: boolean;
}

/** A range of a script's commands, `to` exclusive. */
export interface CommandRange {
	readonly from: number;
	readonly to: number;
}

/** Units of work for each piece that was read for a command, whenever the command is walked through. */
export const WALK_PIECE_WORK = 15;

/** A simple command. A loop's variable, and a redirect after a group, are commands without words. */
export interface SimpleCommand {
	readonly assignments: readonly Assignment[];
	readonly words: readonly Word[];
	readonly redirects: readonly Redirect[];
	/** The commands whose output it reads, through its own pipe or that of a group around it. */
	readonly reads: CommandRange | null;
	/** How many pieces were read for it, including scripts nested in it. */
	readonly size: number;
	/**
	 * Shared by all commands of the script with the same text that read from such commands. Null where more than the
	 * text decides what runs.
	 */
	readonly text: CommandText | null;
	/** Its text, where it is nothing but unquoted words: no redirect, no assignment, and nothing in it is substituted. */
	readonly plain: string | null;
}

/** All words of a command that are expanded. */
export function expandedWords({ words, assignments, redirects }: SimpleCommand): readonly Word[] {
	return [
		...words,
		...assignments.flatMap(({ index = [], value }) => [index, value]),
		...redirects.map(({ target }) => target),
	];
}

/** The words of a command and the targets of its redirects. */
export function wordsAndTargets(command: SimpleCommand): readonly Word[] {
	if (command.redirects.length === 0) return command.words;
	return [...command.words, ...command.redirects.map(({ target }) => target)];
}

/** The text of a command, which may stand in a script many times. */
export interface CommandText {
	/** Whether it stands there more than once. */
	readonly repeated: boolean;
}

export interface ShellFunction {
	readonly name: string;
	readonly body: CommandRange;
}

export interface ShellScript {
	readonly commands: readonly SimpleCommand[];
	readonly functions: readonly ShellFunction[];
	/** Something is unclosed or out of place. The rest was read. */
	readonly malformed: boolean;
	/** It is nested deeper, or larger, than the limits. The rest was not read. */
	readonly tooDeep: boolean;
	/** How many pieces were read for it. */
	readonly size: number;
}

/** A simple command with the script that it stands in. */
export interface PlacedCommand {
	readonly script: ShellScript;
	readonly command: SimpleCommand;
}

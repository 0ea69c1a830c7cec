// What a parsed script is made of: simple commands in order, with words still unexpanded; parse.ts makes it, expand.ts reads it.

/** A piece of a word. `quoted` pieces neither split, nor glob, nor expand braces. */
export type WordPart =
	| { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
	| {
			readonly kind: "variable";
			readonly name: string;
			/** What follows the name inside `${…}`, its operator first: `:-word`, `#prefix`, `/from/to`. */
			readonly operation: string;
			readonly operand: Word;
			readonly quoted: boolean;
	  }
	/** `$(…)`, a backtick pair, or `<(…)` and `>(…)`, whose value is a file name. */
	| {
			readonly kind: "substitution";
			readonly script: ShellScript;
			readonly process: boolean;
			readonly quoted: boolean;
	  };

export type Word = readonly WordPart[];

/** `operator` without the file descriptor; `<<` holds the body of its here-document as the target. */
export interface Redirect {
	readonly operator: "<" | "<<" | "<<<" | "<>" | ">" | ">>" | ">|" | "&>" | "&>>" | ">&" | "<&";
	readonly target: Word;
}

export interface Assignment {
	readonly name: string;
	readonly value: Word;
}

/** A stretch of a script's commands, `to` exclusive. */
export interface CommandRange {
	readonly from: number;
	readonly to: number;
}

/** Units of work for each piece that was read for a command, whenever the command is walked through. */
export const WALK_PIECE_WORK = 15;

/** One simple command. A loop's variable, and a redirect that follows a group, are commands without words. */
export interface SimpleCommand {
	readonly assignments: readonly Assignment[];
	readonly words: readonly Word[];
	readonly redirects: readonly Redirect[];
	/** The commands whose output it reads, through a pipe of its own or of a group around it. */
	readonly reads: CommandRange | null;
	/** How many pieces were read for it, those of scripts nested in it included: what walking through it costs. */
	readonly size: number;
}

export interface ShellFunction {
	readonly name: string;
	readonly body: CommandRange;
}

export interface ShellScript {
	readonly commands: readonly SimpleCommand[];
	readonly functions: readonly ShellFunction[];
	/** Something is unclosed or out of place; what could be read was read. */
	readonly malformed: boolean;
	/** Nested deeper, or larger, than the bounds: the rest was not read. */
	readonly tooDeep: boolean;
	/** How many pieces were read for it. */
	readonly size: number;
}

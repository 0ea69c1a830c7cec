// Where a command is followed, and how deep.
import type { CommandInput, Scope } from "./scope.ts";
import type { PlacedCommand } from "./shell/script.ts";

/** Units of work for coming to a command that need not be followed again. */
export const STEP_WORK = 5;

/** Units of work for a simple command. */
export const COMMAND_WORK = 300;

/** Wrappers in wrappers and scripts in scripts that are followed. */
export const MAX_WRAPPING_DEPTH = 48;

/** Where an expanded command stands, and what it reads. */
export interface CommandFrame extends PlacedCommand, CommandInput {
	readonly scope: Scope;
	/** How many wrappers and scripts lie around it. */
	readonly depth: number;
	/** Commands and code already followed in this frame. A wrapper with doubtful options leads to the same words more than once. */
	readonly followed: FollowedTexts;
}

/** The commands and the code that were followed in one frame. Most frames hold one command, whose key nobody needs. */
export class FollowedTexts {
	#first: readonly string[] | null = null;
	#keys: Set<string> | null = null;

	/** Adds a command, or code behind its language. False when it was followed before. */
	add(fields: readonly string[]): boolean {
		if (this.#first === null) {
			this.#first = fields;
			return true;
		}
		this.#keys ??= new Set([toKey(this.#first)]);
		const { size } = this.#keys;
		return this.#keys.add(toKey(fields)).size > size;
	}
}

function toKey(fields: readonly string[]): string {
	return fields.join("\u0002");
}

/** The frame of what a command runs. */
export function innerFrame(frame: CommandFrame): CommandFrame {
	return { ...frame, depth: frame.depth + 1 };
}

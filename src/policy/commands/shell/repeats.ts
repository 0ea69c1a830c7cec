// The commands of one script by their text. A script that repeats a command many times keeps it once. parse.ts decides which
// commands their text tells all about.
import type { CommandText, SimpleCommand } from "./script.ts";

/** The commands that were read so far, by their text and by the command that they read from. */
export class CommandTexts<Command extends SimpleCommand> {
	readonly #alone = new Map<string, Command>();
	readonly #reading = new Map<CommandText, Map<string, Command>>();

	/** Finds a command of the same text. `reads`: the text of the command that it reads from. */
	find(text: string, reads: CommandText | null): Command | undefined {
		return reads ? this.#reading.get(reads)?.get(text) : this.#alone.get(text);
	}

	/** Remembers a command by its text. */
	add(text: string, reads: CommandText | null, command: Command): void {
		if (!reads) {
			this.#alone.set(text, command);
			return;
		}
		const reading = this.#reading.get(reads);
		if (reading) reading.set(text, command);
		else this.#reading.set(reads, new Map([[text, command]]));
	}
}

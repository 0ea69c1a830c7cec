// The commands of one script by their text. A script that repeats a command many times keeps it once. parse.ts decides which
// commands their text tells all about.
import type { CommandText, SimpleCommand } from "./script.ts";

/** Commands by their texts. Most scripts and pipes hold one command, which needs no map. */
class TextIndex<Command> {
	#firstText: string | null = null;
	#first: Command | undefined;
	#others: Map<string, Command> | null = null;

	find(text: string): Command | undefined {
		return text === this.#firstText ? this.#first : this.#others?.get(text);
	}

	add(text: string, command: Command): void {
		if (this.#firstText === null) {
			this.#firstText = text;
			this.#first = command;
			return;
		}
		this.#others ??= new Map();
		this.#others.set(text, command);
	}
}

/** The commands that were read so far, by their text and by the command that they read from. */
export class CommandTexts<Command extends SimpleCommand> {
	readonly #alone = new TextIndex<Command>();
	#reading: Map<CommandText, TextIndex<Command>> | null = null;

	/** Finds a command of the same text. `reads`: the text of the command that it reads from. */
	find(text: string, reads: CommandText | null): Command | undefined {
		return reads ? this.#reading?.get(reads)?.find(text) : this.#alone.find(text);
	}

	/** Remembers a command by its text. */
	add(text: string, reads: CommandText | null, command: Command): void {
		if (!reads) {
			this.#alone.add(text, command);
			return;
		}
		this.#reading ??= new Map();
		const index = this.#reading.get(reads) ?? new TextIndex<Command>();
		index.add(text, command);
		this.#reading.set(reads, index);
	}
}

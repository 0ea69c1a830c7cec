// The script that a parser has read so far: its commands in order, its open groups, and what each command reads. The parser
// decides where a command, a group or a pipe begins and ends.
import { countPlainWords, PlainCommand } from "./plain-words.ts";
import { CommandTexts } from "./repeats.ts";
import type { Assignment, CommandRange, Redirect, ShellFunction, ShellScript, Word } from "./script.ts";
import { MAX_SHELL_DEPTH } from "./text-reader.ts";
import type { ShellReader } from "./words.ts";

/** A command that is being read. */
export interface CommandDraft {
	assignments: Assignment[];
	words: Word[];
	redirects: { operator: Redirect["operator"]; target: Word; descriptor?: string }[];
	reads: CommandRange | null;
	size: number;
	text: { repeated: boolean } | null;
	readonly plain: null;
}

type ParsedCommand = CommandDraft | PlainCommand;

/** A group of commands whose end was not reached yet. */
export interface CommandGroup {
	closedBy: string;
	/** A `for` whose body has not begun. It may begin with `do` or with `{`. */
	awaitsBody: boolean;
	readonly from: number;
	readonly reads: CommandRange | null;
	readonly functionName: string | null;
}

/** What may be an assignment, where a command of plain words begins. */
const PLAIN_ASSIGNMENT = /^[^ \t]*?(?:=|\w\[)/;

/** A command that reads from others. */
function readingFrom(command: ParsedCommand, reads: CommandRange, text: CommandDraft["text"]): ParsedCommand {
	return command.plain === null ? { ...command, reads, text } : command.reading(reads, text);
}

export function toDraft(reads: CommandRange | null): CommandDraft {
	return { assignments: [], words: [], redirects: [], reads, size: 0, text: null, plain: null };
}

/** Collects the commands of one script. */
export class ScriptBuilder {
	readonly #reader: ShellReader;
	readonly #commands: ParsedCommand[] = [];
	readonly #functions: ShellFunction[] = [];
	readonly #groups: CommandGroup[] = [];
	readonly #texts = new CommandTexts<ParsedCommand>();
	/** Pieces left at the beginning, and when the last command ended. */
	readonly #pieces: number;
	#piecesLeft: number;
	#draft: CommandDraft | null = null;
	/** The commands that the next one reads. */
	#pipe: CommandRange | null = null;
	/** The command or group that ended last on this line. */
	#last: CommandRange | null = null;
	/** Where the text of the next command begins. -1 where its text does not tell all about it. */
	#from = -1;
	/** The name of the function whose body is the next group. */
	pendingFunction: string | null = null;

	constructor(reader: ShellReader) {
		this.#reader = reader;
		this.#pieces = reader.limits.pieces;
		this.#piecesLeft = reader.limits.pieces;
	}

	/** The command that is being read. Null between commands. */
	get draft(): CommandDraft | null {
		return this.#draft;
	}

	/** The group around the next command. */
	get group(): CommandGroup | undefined {
		return this.#groups.at(-1);
	}

	/** Whether a group that this closes is open. */
	isOpen(closedBy: string): boolean {
		return this.#groups.some((group) => group.closedBy === closedBy);
	}

	/** Marks where the text of the next command begins. @param from -1 where its text does not tell all about it. */
	startAt(from: number): void {
		this.#from = from;
	}

	/** The command that is being read, begun where there is none. */
	begin(): CommandDraft {
		if (this.#draft) return this.#draft;
		this.#draft = toDraft(this.#nextReads());
		this.#pipe = null;
		return this.#draft;
	}

	/** Forgets the command that is being read. */
	dropDraft(): void {
		this.#draft = null;
	}

	/**
	 * Adds the command of these plain words, which begins at the reader's position, or finds it among those that were read.
	 * False when it may be an assignment: nothing was added then.
	 */
	addPlain(plain: string): boolean {
		const reader = this.#reader;
		const reads = this.#nextReads();
		const read = this.#textOf(reads);
		const isAlone = reads === null || read !== null;
		const known = isAlone ? this.#texts.find(plain, read) : undefined;
		if (!known && PLAIN_ASSIGNMENT.test(plain)) return false;
		this.#pipe = null;
		reader.at += plain.length;
		if (known) {
			reader.step();
			this.#repeat(known, reads);
			return true;
		}
		const size = 1 + countPlainWords(plain);
		reader.countPlain(size);
		this.piecesRead();
		const text = isAlone && reader.heredocs.length === 0 ? { repeated: false } : null;
		const command = new PlainCommand(plain, { size, reads, text }, reader.limits.words);
		if (text) this.#texts.add(plain, read, command);
		this.#append(command);
		return true;
	}

	/** Adds a command that nothing reads and no group redirects. */
	addApart(command: CommandDraft): void {
		this.#commands.push(command);
	}

	/** Ends the command that is being read, if there is one. */
	endCommand(): void {
		const draft = this.#draft;
		if (!draft) return;
		this.#draft = null;
		this.#reader.count();
		draft.size = this.piecesRead();
		const text = this.#textBehind(draft);
		const reads = this.#textOf(draft.reads);
		const known = text === null ? undefined : this.#texts.find(text, reads);
		if (known) {
			this.#reader.limits.pieces += draft.size;
			this.#piecesLeft += draft.size;
			this.#repeat(known, draft.reads);
			return;
		}
		if (text !== null) {
			draft.text = { repeated: false };
			this.#texts.add(text, reads, draft);
		}
		this.#append(draft);
	}

	/** Ends the command, so that no redirect or pipe behind it is its own. Behind `|`, the next line still reads. */
	endLine(): void {
		this.endCommand();
		this.#last = null;
	}

	/** Ends the command at a `;`. */
	endList(): void {
		this.endLine();
		this.#pipe = null;
	}

	/** Ends the command at an operator. @param piped the next command reads what this one prints. */
	join(piped: boolean): void {
		this.endCommand();
		if (!this.#last) this.#reader.malformed = true;
		this.#pipe = piped ? this.#last : null;
		this.#last = null;
	}

	/** Opens a group, or the body of a pending function. Beyond the limit of nesting, the rest is abandoned. */
	open(closedBy: string): void {
		this.endCommand();
		if (this.#groups.length + this.#reader.nestedDepth >= MAX_SHELL_DEPTH) {
			this.#reader.abandon();
			return;
		}
		this.#groups.push({
			closedBy,
			awaitsBody: false,
			from: this.#commands.length,
			reads: this.#nextReads(),
			functionName: this.pendingFunction,
		});
		this.pendingFunction = null;
		this.#pipe = null;
	}

	/** Closes the group that this closes, and those in it. */
	close(closedBy: string): void {
		this.endCommand();
		const at = this.#groups.findLastIndex((group) => group.closedBy === closedBy);
		if (at !== this.#groups.length - 1 || at < 0) this.#reader.malformed = true;
		const group = at < 0 ? null : this.#groups[at];
		if (!group) return;
		this.#groups.length = at;
		const body = { from: group.from, to: this.#commands.length };
		if (group.functionName !== null) this.#functions.push({ name: group.functionName, body });
		this.#last = body;
	}

	/** Pieces read since the last call. */
	piecesRead(): number {
		const left = this.#reader.limits.pieces;
		const read = this.#piecesLeft - left;
		this.#piecesLeft = left;
		return read;
	}

	/** The script as it was read. One with a group that was never closed is malformed, and so is the text around it. */
	build(): ShellScript {
		const reader = this.#reader;
		if (this.#groups.length > 0) reader.malformed = true;
		return {
			commands: this.#commands,
			functions: this.#functions,
			malformed: reader.malformed,
			tooDeep: reader.tooDeep,
			size: this.#pieces - reader.limits.pieces,
		};
	}

	/** What the next command reads. */
	#nextReads(): CommandRange | null {
		return this.#pipe ?? this.#groups.at(-1)?.reads ?? null;
	}

	/** The draft as it is written. Null where more than that decides what it is: a here-document, a group that it reads. */
	#textBehind(draft: CommandDraft): string | null {
		const { text, at, heredocs } = this.#reader;
		const isAlone = draft.reads === null || this.#textOf(draft.reads) !== null;
		return this.#from < 0 || heredocs.length > 0 || !isAlone ? null : text.slice(this.#from, at);
	}

	/** The text of the one command that is read. */
	#textOf(reads: CommandRange | null): { repeated: boolean } | null {
		return reads && reads.to === reads.from + 1 ? (this.#commands[reads.from]?.text ?? null) : null;
	}

	/** Appends a command again. It stays one object where it reads nothing. */
	#repeat(command: ParsedCommand, reads: CommandRange | null): void {
		if (command.text) command.text.repeated = true;
		this.#append(reads ? readingFrom(command, reads, command.text) : command);
	}

	#append(command: ParsedCommand): void {
		const at = this.#commands.length;
		this.#commands.push(command);
		const afterGroup = command.plain === null && command.words.length === 0 && command.assignments.length === 0;
		// `{ …; } <<END`: the group's commands read what its redirect provides.
		if (afterGroup && this.#last && command.redirects.some(({ operator }) => operator.startsWith("<")))
			this.#feedGroup(this.#last, { from: at, to: at + 1 });
		this.#last = { from: afterGroup && this.#last ? this.#last.from : at, to: at + 1 };
	}

	/** Lets the commands of a group that read nothing yet read a redirect. */
	#feedGroup(group: CommandRange, reads: CommandRange): void {
		for (let inside = group.from; inside < group.to; inside++) {
			const command = this.#commands[inside];
			if (command && !command.reads) this.#commands[inside] = readingFrom(command, reads, null);
		}
	}
}

// A position in the text of a shell script, and the limits under which it is read. What the characters mean is read elsewhere.
import type { WorkBudget } from "../../work-budget.ts";
import type { ShellScript, Word } from "./script.ts";

/** Nesting of substitutions, quotes in them and groups that is read. Scripts that people write stay under ten. */
export const MAX_SHELL_DEPTH = 40;

/**
 * Pieces of words, words and commands that are read of one text and the texts around it. All of these stay in memory
 * together, so it stays within tens of megabytes.
 */
const MAX_PIECES = 400_000;

/** Units of work for a piece, for an operator between two pieces, and for each character of a text. */
const READ_PIECE_WORK = 60;
const READ_STEP_WORK = 25;
const READ_CHARACTER_WORK = 1;
/** The same for a command of plain words, and for each of them. */
const PLAIN_COMMAND_WORK = 50;
const PLAIN_WORD_WORK = 2;
/** Units of work for a character of a text in which only an end is searched for. */
const SEARCHED_CHARACTER_WORK = 0.1;

/** The limits left for a text and everything nested in it. */
export interface ReadingLimits {
	pieces: number;
	readonly work: WorkBudget;
	/** Plain words by their texts. */
	readonly words: Map<string, Word>;
	/** Short substituted scripts by depth and text: one that stands there again is the same object. */
	readonly scripts: Map<string, ShellScript>;
}

/** The limits of a text inside texts of which so many pieces were read. */
export function readingLimits(work: WorkBudget, piecesAround: number): ReadingLimits {
	return { pieces: MAX_PIECES - piecesAround, work, words: new Map(), scripts: new Map() };
}

/** White space between words. */
const BLANKS = /[ \t\r]+/y;
const BLANKS_AND_LINES = /[ \t\r\n]+/y;

/** Reads a text from left to right. Beyond a limit, the rest is abandoned, and it is `tooDeep`. */
export class TextReader {
	readonly text: string;
	/** How many texts lie around this one. */
	readonly depth: number;
	/** Shared with the scripts nested in this one. */
	readonly limits: ReadingLimits;
	at = 0;
	malformed = false;
	tooDeep = false;
	#depthNow = 0;
	#lastLineEnd: number | null = null;

	constructor(text: string, depth: number, limits: ReadingLimits) {
		const affordable = limits.work.charge(READ_PIECE_WORK + READ_CHARACTER_WORK * text.length);
		this.text = affordable ? text : "";
		this.tooDeep = !affordable;
		this.limits = limits;
		this.depth = depth;
	}

	/** The character at the position, or so many behind it. Empty behind the end. */
	peek(offset = 0): string {
		return this.text[this.at + offset] ?? "";
	}

	startsWith(literal: string): boolean {
		return this.text.startsWith(literal, this.at);
	}

	get ended(): boolean {
		return this.at >= this.text.length;
	}

	/** Where the last newline of the text is; -1 without one. Looked for once, because a text may hold any number of scripts. */
	get lastLineEnd(): number {
		this.#lastLineEnd ??= this.text.lastIndexOf("\n");
		return this.#lastLineEnd;
	}

	/** Reads what a sticky pattern matches. Empty where it does not. */
	run(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const run = pattern.exec(this.text)?.[0] ?? "";
		this.at += run.length;
		return run;
	}

	/** Skips white space between words. */
	skipBlanks(): void {
		this.run(BLANKS);
	}

	/** Skips spaces and tabs. */
	skipInline(): void {
		while (this.peek() === " " || this.peek() === "\t") this.at++;
	}

	/** Skips lines without a word, and the blanks before the next one. */
	skipEmptyLines(): void {
		this.run(BLANKS_AND_LINES);
	}

	/** Skips the rest of the line. */
	skipComment(): void {
		const end = this.text.indexOf("\n", this.at);
		this.at = end < 0 ? this.text.length : end;
	}

	/** Counts a piece of a word, a word, a command or a line of a here-document. */
	count(): void {
		this.limits.pieces--;
		if (this.limits.pieces < 0 || !this.limits.work.charge(READ_PIECE_WORK)) this.abandon();
	}

	/** Counts a plain command of so many words, which stay unread until somebody asks for them. */
	countPlain(words: number): void {
		this.limits.pieces--;
		if (this.limits.pieces < 0 || !this.limits.work.charge(PLAIN_COMMAND_WORK + PLAIN_WORD_WORK * words))
			this.abandon();
	}

	/** Charges for an operator, an escape or a line. */
	step(): void {
		if (!this.limits.work.charge(READ_STEP_WORK)) this.abandon();
	}

	/** Charges for a search through so many characters. */
	chargeSearch(characters: number): void {
		if (!this.limits.work.charge(READ_PIECE_WORK + characters * SEARCHED_CHARACTER_WORK)) this.abandon();
	}

	/** Abandons the rest of the text, because it is beyond the limits. */
	abandon(): void {
		this.tooDeep = true;
		this.at = this.text.length;
	}

	/** Reads one level deeper. At the deepest level, the rest is abandoned. */
	nested<T>(otherwise: T, read: () => T): T {
		if (this.depth + this.#depthNow >= MAX_SHELL_DEPTH) {
			this.abandon();
			return otherwise;
		}
		this.#depthNow++;
		const result = read();
		this.#depthNow--;
		return result;
	}

	/** The depth at which a script nested in this one begins. */
	get nestedDepth(): number {
		return this.depth + this.#depthNow;
	}
}

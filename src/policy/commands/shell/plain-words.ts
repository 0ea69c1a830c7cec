// Commands without quotes, expansions, redirects and comments, which are nearly all there are in a long script. They are read
// here in one pass. Whether their first word is reserved is decided in parse.ts.
import type { CommandRange, CommandText, SimpleCommand, Word } from "./script.ts";

/** For each ASCII character: 0 stands in a plain word, 1 ends a word, 2 ends a command, 3 has another meaning. */
const MEANINGS = new Uint8Array(128);
for (const character of " \t") MEANINGS[character.charCodeAt(0)] = 1;
for (const character of "\n;|&)") MEANINGS[character.charCodeAt(0)] = 2;
for (const character of "\r<>(\\'\"`$#") MEANINGS[character.charCodeAt(0)] = 3;

/** Where the command that begins at `from` ends. -1 when it is not plain. */
export function findPlainEnd(text: string, from: number): number {
	for (let at = from; at < text.length; at++) {
		const code = text.charCodeAt(at);
		const meaning = code < 128 ? (MEANINGS[code] ?? 0) : 0;
		// `&>` is a redirect.
		if (meaning === 2) return text.startsWith("&>", at) ? -1 : at;
		if (meaning === 3) return -1;
	}
	return text.length;
}

/** Splits a plain command at its blanks. */
export function splitPlainWords(command: string): readonly string[] {
	const words: string[] = [];
	let from = 0;
	for (let at = 0; at <= command.length; at++) {
		const code = command.charCodeAt(at);
		if (code !== 32 && code !== 9 && at < command.length) continue;
		if (at > from) words.push(command.slice(from, at));
		from = at + 1;
	}
	return words;
}

/** How many words {@link splitPlainWords} gives. */
export function countPlainWords(command: string): number {
	let count = 0;
	let inWord = false;
	for (let at = 0; at < command.length; at++) {
		const code = command.charCodeAt(at);
		const isBlank = code === 32 || code === 9;
		if (!isBlank && !inWord) count++;
		inWord = !isBlank;
	}
	return count;
}

/** A word of one unquoted text. */
function toPlainWord(text: string): Word {
	return [{ kind: "text", text, quoted: false }];
}

const NONE: readonly never[] = [];

/** Words that are kept for the next command that has them. */
const MAX_KEPT_WORDS = 4096;

/** A plain command. Its words are split when somebody asks for them, which for most commands of a long script nobody does. */
export class PlainCommand implements SimpleCommand {
	readonly assignments: readonly never[] = NONE;
	readonly redirects: readonly never[] = NONE;
	readonly plain: string;
	readonly size: number;
	readonly reads: CommandRange | null;
	readonly text: (CommandText & { repeated: boolean }) | null;
	readonly #kept: Map<string, Word>;
	#words: readonly Word[] | null = null;

	/** @param kept Words of commands around it, which it shares. */
	constructor(
		plain: string,
		{ size, reads, text }: Pick<PlainCommand, "size" | "reads" | "text">,
		kept: Map<string, Word>,
	) {
		this.plain = plain;
		this.size = size;
		this.reads = reads;
		this.text = text;
		this.#kept = kept;
	}

	get words(): readonly Word[] {
		this.#words ??= splitPlainWords(this.plain).map((written) => {
			const known = this.#kept.get(written);
			if (known) return known;
			const word = toPlainWord(written);
			if (this.#kept.size < MAX_KEPT_WORDS) this.#kept.set(written, word);
			return word;
		});
		return this.#words;
	}

	/** The same command reading from others. */
	reading(reads: CommandRange, text: PlainCommand["text"]): PlainCommand {
		return new PlainCommand(this.plain, { size: this.size, reads, text }, this.#kept);
	}
}

/** Whether a word is one text, quoted or not. Nearly all words of a long command are, so loops over words skip them early. */
export function isOneText(word: Word): boolean {
	return word.length === 1 && word[0]?.kind === "text";
}

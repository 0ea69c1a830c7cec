// Finds, by one look at its text, that nothing follows from a command: no table knows its program, and its words are options,
// plain names and paths inside the workspace that no rule is about. Most commands of a very long script are such ones. All
// others are followed by walk.ts.
import type { ProtectedPaths } from "../paths.ts";
import { MAX_PLAIN_NAME } from "../paths.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { HarmlessPaths } from "./harmless-paths.ts";
import { isKnownProgram } from "./program-names.ts";
import { USUAL_OPTIONS } from "./program-tables.ts";
import { readsAsCommand } from "./programs/programs.ts";
import type { Scope } from "./scope.ts";
import { isAskingVerb } from "./word-effects.ts";

/** What the characters of a word are, as bits. A character without one needs a closer look. */
const NAME_CHARACTER = 1;
const DOT_CHARACTER = 2;
const SLASH_CHARACTER = 4;

const WORD_CHARACTERS = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
	WORD_CHARACTERS[character.charCodeAt(0)] = NAME_CHARACTER;
WORD_CHARACTERS[".".charCodeAt(0)] = DOT_CHARACTER;
WORD_CHARACTERS["/".charCodeAt(0)] = SLASH_CHARACTER;

/** Longer words are judged like any other. */
const MAX_WORD_CHARS = 256;

/** Words and names that are kept, each in the place that its characters lead to. */
const KEPT_WORDS = 4096;

/** Units of work for a command, for each of its characters, and for a word or name that is not kept. */
const COMMAND_SCAN_WORK = 20;
const WORD_CHARACTER_WORK = 0.25;
const NEW_WORD_WORK = 40;

/** Program names that forbidden commands are about. */
export interface NamedCommands {
	/** Whether a command of this name may match one of them, or a part of one. */
	mayName(name: string): boolean;
}

/** The commands of one check from which nothing follows. */
export class HarmlessCommands {
	readonly #protected: Pick<ProtectedPaths, "mayTouch">;
	readonly #paths: HarmlessPaths;
	readonly #forbidden: NamedCommands;
	readonly #work: WorkBudget;
	readonly #names: string[] = [];
	readonly #words: string[] = [];
	/** The folders that the words were judged from, and how many there were. */
	#folders: readonly string[] = [];
	#folderCount = 0;
	#foldersAreHarmless = true;
	/** What the characters of the scanned word are, and where it is kept. */
	#kinds = 0;
	#place = 0;

	constructor(
		names: Pick<ProtectedPaths, "mayTouch">,
		paths: HarmlessPaths,
		forbidden: NamedCommands,
		work: WorkBudget,
	) {
		this.#protected = names;
		this.#paths = paths;
		this.#forbidden = forbidden;
		this.#work = work;
	}

	/** Whether nothing follows from a command of unquoted words which reads nothing. False where that takes a closer look. */
	include(plain: string, scope: Scope): boolean {
		if (!this.#work.charge(COMMAND_SCAN_WORK + WORD_CHARACTER_WORK * plain.length)) return false;
		if (scope.folders !== this.#folders || scope.folders.length !== this.#folderCount) this.#enter(scope.folders);
		let isName = true;
		for (let from = 0; from < plain.length; ) {
			const to = this.#scanWord(plain, from);
			if (to < 0) return false;
			const isBlank = to === from;
			if (!isBlank && !(isName ? this.#isUnknownName(plain, from, to, scope) : this.#isHarmlessWord(plain, from, to)))
				return false;
			if (!isBlank) isName = false;
			from = to + 1;
		}
		return true;
	}

	/** Reads the characters of the word that begins at `from`, which is empty before a blank. -1 where one needs a closer look. */
	#scanWord(plain: string, from: number): number {
		let hash = 0;
		let kinds = 0;
		let at = from;
		for (; at < plain.length; at++) {
			const code = plain.charCodeAt(at);
			if (code === 32 || code === 9) break;
			const kind = code < 128 ? (WORD_CHARACTERS[code] ?? 0) : 0;
			if (kind === 0) return -1;
			kinds |= kind;
			hash = (Math.imul(hash, 31) + code) | 0;
		}
		this.#kinds = kinds;
		this.#place = hash & (KEPT_WORDS - 1);
		return at;
	}

	#isUnknownName(plain: string, from: number, to: number, { functions }: Scope): boolean {
		const isPlain = this.#kinds === NAME_CHARACTER && to - from <= MAX_PLAIN_NAME && plain[from] !== "-";
		if (!isPlain) return false;
		const isKnownHarmless = isKept(this.#names[this.#place], plain, from, to);
		if (isKnownHarmless && functions.size === 0) return true;
		const name = plain.slice(from, to);
		const lower = name.toLowerCase();
		if (functions.has(lower) || !this.#work.charge(NEW_WORD_WORK)) return false;
		if (!isKnownHarmless && (isKnownProgram(lower) || this.#forbidden.mayName(lower))) return false;
		this.#names[this.#place] = name;
		return true;
	}

	#isHarmlessWord(plain: string, from: number, to: number): boolean {
		if (isKept(this.#words[this.#place], plain, from, to)) return true;
		if (to - from > MAX_WORD_CHARS || !this.#work.charge(NEW_WORD_WORK)) return false;
		const word = plain.slice(from, to);
		if (!this.#judge(word)) return false;
		this.#words[this.#place] = word;
		return true;
	}

	#judge(word: string): boolean {
		if (word[0] === "-") return isHarmlessOption(word);
		if (this.#kinds === NAME_CHARACTER) return this.#isHarmlessName(word);
		return this.#foldersAreHarmless && this.#paths.include(word) && !readsAsCommand(word);
	}

	/** Words that were judged from other folders are judged again. */
	#enter(folders: readonly string[]): void {
		this.#folders = folders;
		this.#folderCount = folders.length;
		this.#words.length = 0;
		this.#foldersAreHarmless = folders.every((folder) => folder === "" || this.#paths.include(folder));
	}

	#isHarmlessName(word: string): boolean {
		const name = word.toLowerCase();
		if (word.length > MAX_PLAIN_NAME || name.startsWith("id_")) return false;
		return !readsAsCommand(name) && !isAskingVerb(name) && !this.#protected.mayTouch(name);
	}
}

/** Whether a kept word stands between two positions of a text. */
function isKept(kept: string | undefined, text: string, from: number, to: number): boolean {
	return kept !== undefined && kept.length === to - from && text.startsWith(kept, from);
}

/** Whether an option says nothing by itself and takes no word. */
function isHarmlessOption(word: string): boolean {
	if (word.length < 2 || USUAL_OPTIONS.has(word)) return false;
	return word.startsWith("--") || !/[./]|^-.id_/.test(word);
}

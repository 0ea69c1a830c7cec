// A statement of SQL as tokens, and places in it.
import type { SqlToken } from "./sql-tokens.ts";

/** Characters of a statement that a reason repeats. */
const EXCERPT_CHARS = 60;

/** A statement's tokens from one of them to its end. */
export class SqlStatement {
	readonly tokens: readonly SqlToken[];
	#nextTexts: readonly number[] | null = null;

	constructor(tokens: readonly SqlToken[]) {
		this.tokens = tokens;
	}

	/** The unquoted word at a position, in capitals. Empty for anything else. */
	word(at: number): string {
		return this.tokens[at]?.word ?? "";
	}

	symbol(at: number): string {
		const token = this.tokens[at];
		return token?.kind === "symbol" ? token.text : "";
	}

	/** The beginning of what follows a position, for people. */
	excerpt(at: number): string {
		let text = "";
		for (let index = at; index < this.tokens.length && text.length < EXCERPT_CHARS; index++)
			text += `${text === "" ? "" : " "}${this.tokens[index]?.text ?? ""}`;
		return text.slice(0, EXCERPT_CHARS);
	}

	/** The position of a word behind `from`, in the same parentheses and before these end. -1 without one. */
	findWord(from: number, isWanted: (word: string) => boolean): number {
		let depth = 0;
		for (let at = from; at < this.tokens.length; at++) {
			const symbol = this.symbol(at);
			if (symbol === "(") depth++;
			else if (symbol === ")" && --depth < 0) return -1;
			else if (depth === 0 && isWanted(this.word(at))) return at;
		}
		return -1;
	}

	/** The first text or quoted name behind a position. Where it stands is found for all positions at once. */
	textAfter(from: number): { readonly text: string; readonly distance: number } | null {
		this.#nextTexts ??= findNextTexts(this.tokens);
		const at = this.#nextTexts[from] ?? -1;
		const text = this.tokens[at]?.text;
		return text === undefined ? null : { text, distance: at - from };
	}
}

/** For each position, that of the next text. -1 where none follows. */
function findNextTexts(tokens: readonly SqlToken[]): readonly number[] {
	const found = new Array<number>(tokens.length);
	let next = -1;
	for (let at = tokens.length - 1; at >= 0; at--) {
		if (tokens[at]?.kind === "text") next = at;
		found[at] = next;
	}
	return found;
}

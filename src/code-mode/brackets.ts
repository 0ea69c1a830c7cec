// Whether the brackets of a program balance, reading around its strings and comments (lexis.ts). It says nothing rather than
// something wrong: where a text cannot be read for sure, it counts as balanced. Pure.
import type { LexicalRules, StringSyntax } from "./lexis.ts";

/** A bracket out of place, by its line from 1. */
interface BracketFault {
	line: number;
	message: string;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** After these a slash begins a regular expression, not a division. */
const BEFORE_REGEX =
	/(?:^|[(,=:[!&|?{;+\-*%^~>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await))\s*$/;
const REGEX = /\/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,200}\]|[^/\\[\n]){1,500}\//y;

/** How far back a slash looks for what it is. */
const LOOK_BACK = 60;

interface Open {
	bracket: string;
	at: number;
	/** It is the `${` of a template, whose text goes on after its `}`. */
	isInTemplate: boolean;
}

/** The text could not be read for sure. */
class Unreadable extends Error {}

class Scan {
	readonly #text: string;
	readonly #lexis: LexicalRules;
	readonly #open: Open[] = [];
	#at = 0;
	/** Behind the last character that is neither white space nor in a comment. */
	#codeEnd = 0;

	constructor(text: string, lexis: LexicalRules) {
		this.#text = text;
		this.#lexis = lexis;
	}

	/** The first bracket that does not belong where it stands; null when there is none. */
	run(): BracketFault | null {
		while (this.#at < this.#text.length) {
			if (this.#skipped()) {
				this.#codeEnd = this.#at;
				continue;
			}
			if (this.#comment()) continue;
			if (!this.#string()) {
				const fault = this.#bracket();
				if (fault) return fault;
				if (/\s/.test(this.#text[this.#at++] ?? "")) continue;
			}
			this.#codeEnd = this.#at;
		}
		const left = this.#open.at(-1);
		return left ? this.#fault(left.at, `\`${left.bracket}\` is never closed`) : null;
	}

	#fault(at: number, message: string): BracketFault {
		return { line: this.#text.slice(0, at).split("\n").length, message };
	}

	/** Goes on behind the next `end`; a text that lacks it is cut off. */
	#past(end: string, from: number): void {
		const found = this.#text.indexOf(end, from);
		if (found < 0) throw new Unreadable();
		this.#at = found + end.length;
	}

	#skipped(): boolean {
		for (const { open, close } of this.#lexis.skips) {
			open.lastIndex = this.#at;
			const opening = open.exec(this.#text);
			if (!opening) continue;
			const behind = this.#at + opening[0].length;
			if (close) this.#past(close(opening), behind);
			else this.#at = behind;
			return true;
		}
		if (this.#lexis.hasDirectives && this.#directive()) return true;
		return this.#lexis.isScript && (this.#regex() || this.#template());
	}

	/** A line of a preprocessor, with what a backslash or a comment adds to it. */
	#directive(): boolean {
		if (this.#text[this.#at] !== "#" || !/^[ \t]*$/.test(this.#lineBefore())) return false;
		while (this.#at < this.#text.length && this.#text[this.#at] !== "\n") {
			if (this.#text[this.#at] === "\\") this.#at += 2;
			else if (this.#text.startsWith("/*", this.#at)) this.#past("*/", this.#at + 2);
			else this.#at++;
		}
		return true;
	}

	/** What stands before this place on its line, as far as it is looked at. */
	#lineBefore(): string {
		const near = this.#text.slice(Math.max(0, this.#at - LOOK_BACK), this.#at);
		return near.slice(near.lastIndexOf("\n") + 1);
	}

	#regex(): boolean {
		if (this.#text[this.#at] !== "/" || /[/*]/.test(this.#text[this.#at + 1] ?? "")) return false;
		if (!BEFORE_REGEX.test(this.#text.slice(Math.max(0, this.#codeEnd - LOOK_BACK), this.#codeEnd))) return false;
		REGEX.lastIndex = this.#at;
		const match = REGEX.exec(this.#text);
		// Longer than is looked at, or none after all.
		if (!match) throw new Unreadable();
		this.#at += match[0].length;
		return true;
	}

	#template(): boolean {
		if (this.#text[this.#at] !== "`") return false;
		this.#at++;
		this.#templateText();
		return true;
	}

	/** Reads the text of a template up to its end or to its next `${`. */
	#templateText(): void {
		for (; this.#at < this.#text.length; this.#at++) {
			const character = this.#text[this.#at];
			if (character === "\\") this.#at++;
			else if (character === "`") {
				this.#at++;
				return;
			} else if (character === "$" && this.#text[this.#at + 1] === "{") {
				this.#open.push({ bracket: "{", at: this.#at + 1, isInTemplate: true });
				this.#at += 2;
				return;
			}
		}
		throw new Unreadable();
	}

	#comment(): boolean {
		const { lineComment, blockComments } = this.#lexis;
		if (this.#text.startsWith(lineComment, this.#at)) {
			const end = this.#text.indexOf("\n", this.#at);
			this.#at = end < 0 ? this.#text.length : end;
			return true;
		}
		if (blockComments === "none" || !this.#text.startsWith("/*", this.#at)) return false;
		if (blockComments === "nested") this.#nestedComment();
		else this.#past("*/", this.#at + 2);
		return true;
	}

	#nestedComment(): void {
		let depth = 0;
		do {
			const nextClose = this.#text.indexOf("*/", this.#at);
			const nextOpen = this.#text.indexOf("/*", this.#at);
			if (nextClose < 0) throw new Unreadable();
			const isOpening = nextOpen >= 0 && nextOpen < nextClose;
			depth += isOpening ? 1 : -1;
			this.#at = (isOpening ? nextOpen : nextClose) + 2;
		} while (depth > 0);
	}

	#string(): boolean {
		const quoted = this.#lexis.strings.find(({ quote }) => this.#text.startsWith(quote, this.#at));
		if (!quoted) return false;
		this.#at = this.#endOf(quoted);
		return true;
	}

	#endOf({ quote, escapes, lines }: StringSyntax): number {
		for (let at = this.#at + quote.length; at < this.#text.length; at++) {
			const character = this.#text[at];
			if (escapes && character === "\\") at++;
			else if (character === "\n" && !lines) throw new Unreadable();
			else if (this.#text.startsWith(quote, at)) return at + quote.length;
		}
		throw new Unreadable();
	}

	#bracket(): BracketFault | null {
		const character = this.#text[this.#at] ?? "";
		if (character in CLOSING) this.#open.push({ bracket: character, at: this.#at, isInTemplate: false });
		if (character !== ")" && character !== "]" && character !== "}") return null;
		const last = this.#open.pop();
		if (!last) return this.#fault(this.#at, `\`${character}\` closes nothing`);
		const expected = CLOSING[last.bracket];
		if (character !== expected)
			return this.#fault(this.#at, `\`${character}\` stands where \`${expected}\` would close \`${last.bracket}\``);
		if (last.isInTemplate) {
			this.#at++;
			this.#templateText();
			this.#at--;
		}
		return null;
	}
}

/** The first bracket of a program that does not belong where it stands; null when there is none, or none for sure. */
export function bracketFault(text: string, lexis: LexicalRules): BracketFault | null {
	if (lexis.unreadable?.test(text)) return null;
	try {
		return new Scan(text, lexis).run();
	} catch (error) {
		if (error instanceof Unreadable) return null;
		throw error;
	}
}

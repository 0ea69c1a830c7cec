// Splits code of the usual languages into tokens, in one pass. What they mean together is in code-folding.ts.
import { WorkBudget } from "../../work-budget.ts";
import { unescapeText } from "../shell/output.ts";
import { LANGUAGE_TRAITS, type LanguageTraits, type TokenLanguage } from "./code-traits.ts";

/** `value`: the text between quotes, with its escapes resolved. `spaced`: a blank or a line's end stands before it. */
export interface CodeToken {
	readonly kind: "string" | "number" | "name" | "mark" | "newline";
	readonly value: string;
	readonly spaced: boolean;
}

const NAME = /[@$]{0,2}[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*(?:[!?](?=\())?/y;
const NUMBER = /0[xX][0-9a-fA-F_]+|0[oO]?[0-7]+(?![.\d])|[0-9][0-9_]*(?:\.[0-9]+)?/y;
const MARK = /<=>|<-(?=\s)|===|!==|\*\*|\.\.\.|->|=>|::|\?\.|==|!=|=~|\.\.|\.=|\+=|&&|\|\||\?\?|:=|<<|[\s\S]/y;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** A value in a text that is a name alone. */
const PLAIN_NAME = /^[$@]?[A-Za-z_]\w*$/;

/** Units of work for a token: for reading it, and for following it with what it is part of. */
const TOKEN_WORK = 36;

/** Marks that no longer one begins with, in any language. */
const SIMPLE_MARKS: readonly (MarkPair | undefined)[] = toMarkPairs("(){},;]");

/** The token of a mark, without a blank before it and with one: the same objects wherever it stands. */
type MarkPair = readonly [plain: CodeToken, spaced: CodeToken];

/** The tokens of marks by the codes of their characters. */
function toMarkPairs(marks: string): readonly (MarkPair | undefined)[] {
	const pairs: (MarkPair | undefined)[] = new Array(128).fill(undefined);
	for (const value of marks)
		pairs[value.charCodeAt(0)] = [
			{ kind: "mark", value, spaced: false },
			{ kind: "mark", value, spaced: true },
		];
	return pairs;
}

/** Whether a character is a letter of plain English, or an underscore. */
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

/** Strings in strings that are followed. Deeper text is taken as it is. */
const MAX_NESTING = 6;

/** Tokens that are read when they are asked for. */
export interface TokenSource {
	/** Those that were read. Who takes them from the front leaves the last one: what follows may replace it. */
	readonly tokens: CodeToken[];
	/** Reads on. False at the end of the text, and once the work is spent. */
	readMore(): boolean;
}

/** Reads a text once. Every branch takes at least one character, and none looks at what it does not take. */
class CodeReader implements TokenSource {
	readonly #text: string;
	readonly #language: TokenLanguage;
	readonly #traits: LanguageTraits;
	readonly #nesting: number;
	readonly #work: WorkBudget;
	readonly tokens: CodeToken[] = [];
	#at = 0;
	#spaced = false;

	constructor(text: string, language: TokenLanguage, nesting: number, work: WorkBudget) {
		this.#text = text;
		this.#language = language;
		this.#traits = LANGUAGE_TRAITS[language];
		this.#nesting = nesting;
		this.#work = work;
	}

	readMore(): boolean {
		if (this.#at >= this.#text.length || this.#work.spent) return false;
		this.#readToken();
		return true;
	}

	read(): readonly CodeToken[] {
		while (this.readMore());
		return this.tokens;
	}

	#add(kind: CodeToken["kind"], value: string): void {
		this.#work.charge(TOKEN_WORK);
		this.tokens.push({ kind, value, spaced: this.#spaced });
		this.#spaced = false;
	}

	#match(pattern: RegExp): string | null {
		pattern.lastIndex = this.#at;
		const found = pattern.exec(this.#text);
		if (found) this.#at += found[0].length;
		return found ? found[0] : null;
	}

	/** Takes a blank, a bracket or a plain name. Most of a text are those. */
	#readSimple(): boolean {
		const code = this.#text.charCodeAt(this.#at);
		if (code === 32 || code === 9) {
			this.#at++;
			this.#spaced = true;
			return true;
		}
		const mark = SIMPLE_MARKS[code];
		if (mark !== undefined) {
			this.#at++;
			this.#work.charge(TOKEN_WORK);
			this.tokens.push(this.#spaced ? mark[1] : mark[0]);
			this.#spaced = false;
			return true;
		}
		return this.#traits.quoting === null && isLetter(code) && this.#readWord();
	}

	/** Takes a name of plain letters and digits. Others are left to a pattern. */
	#readWord(): boolean {
		let end = this.#at + 1;
		let code = this.#text.charCodeAt(end);
		while (isLetter(code) || (code >= 48 && code <= 57)) code = this.#text.charCodeAt(++end);
		if (code === 36 || code === 33 || code === 63 || code >= 128) return false;
		this.#add("name", this.#text.slice(this.#at, end));
		this.#at = end;
		return true;
	}

	#readToken(): void {
		if (this.#readSimple()) return;
		const character = this.#text[this.#at] ?? "";
		if (character === "\n" || /\s/.test(character)) {
			this.#at++;
			if (character === "\n") this.#add("newline", "\n");
			this.#spaced = true;
		} else if (character === "\\" && this.#text[this.#at + 1] === "\n") this.#at += 2;
		else if (this.#skipComment() || this.#readQuoting() || this.#readQuotes(character)) return;
		else if (character === "/" && this.#traits.hasRegex && this.#expectsValue())
			this.#add("name", `/${this.#readUntil("/", 1)}/`);
		else this.#readPlain();
	}

	#readPlain(): void {
		const number = this.#match(NUMBER);
		const name = number === null ? this.#match(NAME) : null;
		if (number !== null) this.#add("number", number);
		else if (name !== null) this.#add("name", name);
		else this.#add("mark", this.#match(MARK) ?? "");
	}

	#skipComment(): boolean {
		const character = this.#text[this.#at];
		if (character !== "#" && character !== "/") return false;
		const mark = this.#traits.comments.find((comment) => this.#text.startsWith(comment, this.#at));
		if (mark === undefined) return false;
		const close = mark === "/*" ? "*/" : "\n";
		const end = this.#text.indexOf(close, this.#at + mark.length);
		this.#at = end < 0 ? this.#text.length : end + (close === "\n" ? 0 : 2);
		return true;
	}

	/** Whether a value may begin here: at the start, and behind an operator or an opening bracket. */
	#expectsValue(): boolean {
		const last = this.tokens.at(-1);
		if (!last || last.kind === "newline") return true;
		if (last.kind === "name")
			return /^(?:return|and|or|not|if|unless|while|split|grep|map|in|of|case)$/.test(last.value);
		return last.kind === "mark" && !/^[)\]}]$/.test(last.value);
	}

	/** Takes the text up to a closing mark, or all that is left. Pairs of brackets in it are kept together. */
	#readUntil(close: string, skipped: number, open: string | null = null): string {
		const from = this.#at + skipped;
		let at = from;
		for (let depth = 0; at < this.#text.length; at++) {
			const character = this.#text[at];
			if (character === "\\") at++;
			else if (character === open) depth++;
			else if (character === close && depth-- === 0) break;
		}
		this.#at = at + 1;
		return this.#text.slice(from, at);
	}

	/** Reads `qx(…)`, `%w[…]` and the like. Patterns and replacements are one name that no table has. */
	#readQuoting(): boolean {
		const { quoting } = this.#traits;
		if (!quoting || (this.#language === "ruby" && !this.#expectsValue() && !this.#spaced)) return false;
		if (this.tokens.at(-1)?.value === "->" || this.tokens.at(-1)?.value === "{") return false;
		const word = this.#match(quoting);
		if (word === null) return false;
		while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
		const open = this.#text[this.#at] ?? "";
		const close = CLOSING[open] ?? open;
		const inner = this.#readUntil(close, 1, close === open ? null : open);
		if (/^(?:tr|y|s)$/.test(word)) this.#skipReplacement(close, open);
		if (/^(?:qx|%x)$/.test(word)) this.#addRun(inner);
		else if (/w|i|W|I/.test(word)) this.#addList(inner.trim().split(/\s+/));
		else if (/^(?:tr|y|s|m|qr|%r)$/.test(word)) this.#add("name", `/${word}/`);
		else this.#addText(inner, word === "qq" || word === "%" || word === "%Q");
		return true;
	}

	#skipReplacement(close: string, open: string): void {
		if (close === open) this.#readUntil(close, 0);
		else if (this.#text[this.#at] === open) this.#readUntil(close, 1, open);
	}

	#addList(words: readonly string[]): void {
		this.#add("mark", "[");
		for (const word of words) {
			this.#add("string", word);
			this.#add("mark", ",");
		}
		this.#add("mark", "]");
	}

	/** A line of shell between backticks is written like the call that it is. */
	#addRun(line: string): void {
		this.#add("name", "qx");
		this.#add("mark", "(");
		this.#addText(line, true);
		this.#add("mark", ")");
	}

	#readQuotes(character: string): boolean {
		if (character !== '"' && character !== "'" && character !== "`") return false;
		const tripled = character.repeat(3);
		if (this.#language === "python" && this.#text.startsWith(tripled, this.#at)) this.#readTripled(tripled);
		else {
			const text = this.#readUntil(character, 1);
			if (character === "`" && this.#traits.backtickRuns) this.#addRun(text);
			else if (this.#language === "python") this.#addPythonText(text);
			else this.#addText(text, character !== "'" && (this.#language !== "javascript" || character === "`"));
		}
		return true;
	}

	#readTripled(quotes: string): void {
		const end = this.#text.indexOf(quotes, this.#at + 3);
		const text = this.#text.slice(this.#at + 3, end < 0 ? undefined : end);
		this.#at = end < 0 ? this.#text.length : end + 3;
		this.#addPythonText(text);
	}

	/** Adds a text of Python by the letters before its quotes: `r` keeps escapes, `f` computes what braces hold. */
	#addPythonText(text: string): void {
		const prefix = this.#spaced ? null : (this.tokens.at(-1) ?? null);
		const letters = prefix?.kind === "name" && /^[rRbBfFuU]{1,2}$/.test(prefix.value) ? prefix.value.toLowerCase() : "";
		if (letters !== "") this.tokens.pop();
		if (letters.includes("f")) this.#addParts(text, "{");
		else this.#add("string", letters.includes("r") ? text : unescapeText(text));
	}

	#addText(text: string, interpolates: boolean): void {
		const { interpolation } = this.#traits;
		if (interpolates && interpolation !== null && text.includes(interpolation)) this.#addParts(text, interpolation);
		else this.#add("string", unescapeText(text));
	}

	/** Adds a text with values in it as a sum in brackets: `a${b}c` is `("a"+b+"c")`. */
	#addParts(text: string, opening: string): void {
		this.#add("mark", "(");
		let at = 0;
		for (let found = text.indexOf(opening); found >= 0; found = text.indexOf(opening, at)) {
			if (found > at) {
				this.#add("string", unescapeText(text.slice(at, found)));
				this.#add("mark", "+");
			}
			const part = this.#findPart(text, found + opening.length, opening);
			this.#addNested(part.code);
			this.#add("mark", "+");
			at = part.end;
		}
		this.#add("string", unescapeText(text.slice(at)));
		this.#add("mark", ")");
	}

	#findPart(text: string, from: number, opening: string): { readonly code: string; readonly end: number } {
		if (opening !== "$" || text[from] === "{") {
			const start = opening === "$" ? from + 1 : from;
			const close = text.indexOf("}", start);
			const end = close < 0 ? text.length : close;
			return { code: `${opening === "$" ? "$" : ""}${text.slice(start, end)}`, end: end + 1 };
		}
		const name = this.#language === "perl" ? /[A-Za-z_]\w{0,63}(?:\{[^{}]{0,64}\})?/y : /[A-Za-z_]\w{0,63}/y;
		name.lastIndex = from;
		const variable = name.exec(text)?.[0] ?? "";
		return { code: `$${variable}`, end: from + variable.length };
	}

	#addNested(code: string): void {
		if (PLAIN_NAME.test(code)) {
			this.#add("name", code);
			return;
		}
		this.#add("mark", "(");
		if (this.#nesting >= MAX_NESTING) this.#add("name", "unread");
		else {
			const nested = new CodeReader(code, this.#language, this.#nesting + 1, this.#work);
			for (const token of nested.read()) this.tokens.push(token);
		}
		this.#add("mark", ")");
	}
}

/** Opens code to be read token by token. Each is charged with what follows it, and none is read once the work is spent. */
export function openCodeTokens(text: string, language: TokenLanguage, work = new WorkBudget()): TokenSource {
	return new CodeReader(text, language, 0, work);
}

// Reads the words of a shell script: quotes, escapes, expansions, substitutions. The position and its limits are in text-reader.ts; parse.ts builds commands from the words.
import { findArithmeticEnd, MAX_ARITHMETIC } from "./arithmetic.ts";
import type { Heredoc } from "./here-documents.ts";
import { readAnsiQuoted, readEscape, readSingleQuoted } from "./quotes.ts";
import type { ShellScript, Word, WordPart } from "./script.ts";
import { type ReadingLimits, TextReader } from "./text-reader.ts";

/** Stands for a script that is nested too deep to be read. */
export const UNREAD_SCRIPT: ShellScript = { commands: [], functions: [], malformed: true, tooDeep: true, size: 0 };

/** Characters of a substitution that is kept for when it stands there again. */
const MAX_KEPT_SCRIPT = 256;
/** The rest of `$(…)` in which nothing but words can stand, with its end. What `case` does to parentheses needs one that opens. */
const PLAIN_SUBSTITUTION = /[^()\\'"`$#<;&|{}\n]{0,256}\)/y;

/** Runs of characters without a meaning: in an unquoted word, between double quotes, in the operand of `${…}`. */
const PLAIN_IN_WORD = /[^ \t\n;&|<>()\\'"`$]+/y;
const PLAIN_IN_QUOTES = /[^}"\\`$]+/y;
const PLAIN_IN_BRACES = /[^<>}\\'"`$]+/y;
/** The same between the brackets of an index, and in arithmetic. */
const PLAIN_IN_INDEX = /[^[\]}\\'"`$]+/y;
const PLAIN_IN_ARITHMETIC = /[^\\()$`]+/y;
/** The name of a variable behind `$`, and behind `${`, where `!` and `#` may stand before it. */
const VARIABLE_NAME = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;
const BRACED_NAME = /[!#]?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])/y;
/** What zsh takes before the name in `${…}`. */
const ZSH_FLAGS = /\([A-Za-z0-9@#%~^=.,:]*\)/y;
const AS_PROMPT: { readonly operation: string; readonly operand: Word } = {
	operation: "@",
	operand: [{ kind: "text", text: "P", quoted: false }],
};

/** What follows `${` where bash 5.3 runs a list of commands: `${ ls; }`, `${| REPLY=x; }`. */
const BRACED_COMMAND = /[ \t\n|]/;

/** Parses a script from the reader's position to the `)` or `}` that closes it, or to the end. */
export type ParseNested = (reader: ShellReader, closedBy: ")" | "}" | null) => ShellScript;

/** Characters that end an unquoted word. */
const WORD_END = " \t\n;&|<>()";

/** Appends one by one: no call takes a hundred thousand arguments. */
function appendParts(parts: WordPart[], more: readonly WordPart[]): void {
	for (const part of more) parts.push(part);
}

/** Reads words of a script, and the scripts in them by `parseNested`. */
export class ShellReader extends TextReader {
	readonly parseNested: ParseNested;
	/** Here-documents that began on this line, also in scripts nested in it. */
	heredocs: Heredoc[] = [];
	/**
	 * Set where `esac` is a pattern of `case`. In a substitution, bash 5.2 forgets the quotes of later delimiters there, so
	 * their here-documents are expanded.
	 */
	expandsHeredocs = false;

	constructor(text: string, depth: number, parseNested: ParseNested, limits: ReadingLimits) {
		super(text, depth, limits);
		this.parseNested = parseNested;
	}

	/** A reader for a text inside this one that had to be unescaped or cut out. */
	inner(text: string): ShellReader {
		return new ShellReader(text, this.nestedDepth, this.parseNested, this.limits);
	}

	/**
	 * Reads an unquoted word, empty when there is none. With `}`, the operand of `${…}`, which only that character ends.
	 */
	word(stops: "" | "}" = ""): Word {
		const parts: WordPart[] = [];
		let plain = "";
		const flush = () => {
			if (plain !== "") parts.push({ kind: "text", text: plain, quoted: false });
			plain = "";
		};
		while (!this.ended) {
			const run = this.run(stops === "" ? PLAIN_IN_WORD : PLAIN_IN_BRACES);
			plain += run;
			const character = this.peek();
			if (run !== "") continue;
			if (character === stops) break;
			if ((character === "<" || character === ">") && this.peek(1) === "(") {
				flush();
				this.at += 2;
				parts.push(this.#substitution(false, true));
				continue;
			}
			if (WORD_END.includes(character) && stops === "") break;
			this.step();
			const special = this.#special(character);
			if (special === null) {
				plain += character;
				this.at++;
			} else {
				flush();
				appendParts(parts, special);
				this.count();
			}
		}
		flush();
		return parts;
	}

	/** Reads what a special character begins outside quotes. Null when it is not special. */
	#special(character: string): readonly WordPart[] | null {
		if (character === "\\") return readEscape(this);
		if (character === "'") return [readSingleQuoted(this)];
		if (character === '"') return this.#doubleQuoted();
		if (character === "`") return [this.#backticks(false)];
		if (character !== "$") return null;
		if (this.peek(1) === "'") return [readAnsiQuoted(this)];
		if (this.peek(1) === '"') {
			this.at++;
			return this.#doubleQuoted();
		}
		return this.#dollar(false);
	}

	#doubleQuoted(): readonly WordPart[] {
		this.at++;
		const parts = this.nested<readonly WordPart[]>([], () => this.expandable('"'));
		if (this.ended) this.malformed = true;
		this.at++;
		// Quotes around nothing are a word all the same.
		return parts.length > 0 ? parts : [{ kind: "text", text: "", quoted: true }];
	}

	/**
	 * Reads text in which only `$`, backticks and backslashes have a meaning, up to `end` (not consumed) or the end of
	 * the text.
	 */
	expandable(end: string): readonly WordPart[] {
		const parts: WordPart[] = [];
		let plain = "";
		const flush = () => {
			if (plain !== "") parts.push({ kind: "text", text: plain, quoted: true });
			plain = "";
		};
		while (!this.ended && this.peek() !== end) {
			const run = this.run(PLAIN_IN_QUOTES);
			plain += run;
			if (run !== "") continue;
			const character = this.peek();
			this.step();
			if (character === "\\") {
				const next = this.peek(1);
				if (next !== "\n") plain += '$`"\\'.includes(next) ? next : character + next;
				this.at += 1 + next.length;
			} else if (character === "$" || character === "`") {
				flush();
				this.count();
				appendParts(parts, character === "$" ? this.#dollar(true) : [this.#backticks(true)]);
			} else {
				plain += character;
				this.at++;
			}
		}
		flush();
		return parts;
	}

	/** Reads what begins with `$`: a variable, `${…}`, `$(…)`, `$((…))`, `$[…]`, or the character itself. */
	#dollar(quoted: boolean): readonly WordPart[] {
		if (this.startsWith("$((") && this.isArithmetic(this.at + 1)) {
			this.at += 3;
			return this.arithmetic(quoted);
		}
		if (this.peek(1) === "(") {
			this.at += 2;
			return [this.#substitution(quoted, false)];
		}
		if (this.peek(1) === "{")
			return [BRACED_COMMAND.test(this.peek(2)) ? this.#bracedCommand(quoted) : this.#braced(quoted)];
		this.at++;
		const name = this.run(VARIABLE_NAME);
		if (name === "") return [{ kind: "text", text: "$", quoted }];
		// `"$@"` is one word for each parameter.
		return [{ kind: "variable", name, operation: "", operand: [], quoted: quoted && name !== "@" }];
	}

	/** Reads `$(…)` after its parenthesis. A heredoc or a quote left open in it ends with the text. */
	#substitution(quoted: boolean, process: boolean): WordPart {
		PLAIN_SUBSTITUTION.lastIndex = this.at;
		const text = PLAIN_SUBSTITUTION.exec(this.text)?.[0];
		const start = this.at;
		const known = text === undefined ? undefined : this.limits.scripts.get(this.#scriptKey(text));
		if (text !== undefined && known) {
			this.at += text.length;
			return { kind: "substitution", script: known, process, quoted };
		}
		const script = this.nested(UNREAD_SCRIPT, () => this.parseNested(this, ")"));
		if (text !== undefined && this.at === start + text.length) this.#keepScript(text, script);
		return { kind: "substitution", script, process, quoted };
	}

	/**
	 * Reads `${ …; }` or `${| …; }`, which run in the shell itself. What they print, or leave in `REPLY`, is not predicted:
	 * older shells refuse them.
	 */
	#bracedCommand(quoted: boolean): WordPart {
		this.at += this.peek(2) === "|" ? 3 : 2;
		const script = this.nested(UNREAD_SCRIPT, () => this.parseNested(this, "}"));
		return { kind: "substitution", script, process: false, quoted };
	}

	#scriptKey(text: string): string {
		return `${this.nestedDepth} ${text}`;
	}

	/** Keeps a script that was read whole. Of others, the reading has to be told. */
	#keepScript(text: string, script: ShellScript): void {
		if (text.length <= MAX_KEPT_SCRIPT && !script.malformed && !script.tooDeep)
			this.limits.scripts.set(this.#scriptKey(text), script);
	}

	/** Reads a backtick pair. Its text loses one level of backslashes and is a script of its own. */
	#backticks(quoted: boolean): WordPart {
		let end = this.at + 1;
		while (end < this.text.length && this.text[end] !== "`") end += this.text[end] === "\\" ? 2 : 1;
		if (end >= this.text.length) this.malformed = true;
		// Between double quotes, a backslash before a double quote is lost as well.
		const inner = this.text.slice(this.at + 1, end).replace(quoted ? /\\([\\$`"])/g : /\\([\\$`])/g, "$1");
		this.at = Math.min(end + 1, this.text.length);
		// A text between backticks is a script of its own, so none that follows `$(` is the same.
		const key = `\`${inner}`;
		const known = this.limits.scripts.get(this.#scriptKey(key));
		if (known) return { kind: "substitution", script: known, process: false, quoted };
		const script = this.nested(UNREAD_SCRIPT, () => this.parseNested(this.inner(inner), null));
		if (script.malformed) this.malformed = true;
		if (script.tooDeep) this.abandon();
		this.#keepScript(key, script);
		return { kind: "substitution", script, process: false, quoted };
	}

	/** Reads `${…}`: name, operator, and the operand as a word. */
	#braced(quoted: boolean): WordPart {
		this.at += 2;
		const flags = this.run(ZSH_FLAGS);
		// zsh writes `${!x}` as `${(P)x}`.
		const name = (flags.includes("P") ? "!" : "") + this.run(BRACED_NAME);
		const indexAt = this.at;
		const index = name !== "" && this.peek() === "[" ? this.#index(quoted) : [];
		const list = name === "@" || this.text.slice(indexAt, this.at) === "[@]";
		const operation =
			/^(?::?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?|:|@)/.exec(this.text.slice(this.at, this.at + 3))?.[0] ?? "";
		this.at += operation.length;
		const operand = this.nested<Word>([], () => (quoted ? this.expandable("}") : this.word("}")));
		if (this.ended) this.malformed = true;
		this.at++;
		// zsh writes `${x@P}` as `${(e)x}`.
		const asPrompt = flags.includes("e") ? AS_PROMPT : { operation, operand };
		const variable = { kind: "variable" as const, name, ...asPrompt, quoted: quoted && !list };
		return index.some(({ kind }) => kind !== "text") ? { ...variable, index } : variable;
	}

	/** Reads `[…]` behind a variable's name. A brace outside quotes ends it, because it ends the variable. */
	#index(quoted: boolean): Word {
		return this.nested<Word>([], () => {
			const parts: WordPart[] = [];
			let open = 0;
			do open += this.#indexStep(parts, quoted);
			while (open > 0 && !this.ended && this.peek() !== "}");
			return parts;
		});
	}

	/** Reads a run of plain characters of an index, or what a character with a meaning begins. Returns by how much the number of open brackets changes. */
	#indexStep(parts: WordPart[], quoted: boolean): number {
		if (this.run(PLAIN_IN_INDEX) !== "") return 0;
		const character = this.peek();
		this.step();
		const special = quoted && character === "'" ? null : this.#special(character);
		if (special) {
			this.count();
			appendParts(parts, special);
			return 0;
		}
		this.at++;
		if (character === "[") return 1;
		return character === "]" ? -1 : 0;
	}

	/** Where the last arithmetic that was found ends, if each parenthesis in it counts. */
	#arithmeticEnd = 0;

	/** Whether `))` closes the `((` at `start`. If not, it is a group in a group. */
	isArithmetic(start: number): boolean {
		if (!this.limits.work.charge(Math.min(MAX_ARITHMETIC, this.text.length - start))) this.abandon();
		const found = findArithmeticEnd(this.text, start);
		if (found) {
			this.#arithmeticEnd = found.end;
			return found.closesTwice;
		}
		// Undecided within the limit. Reading it either way could hide what runs.
		if (start + MAX_ARITHMETIC < this.text.length) this.abandon();
		return false;
	}

	/**
	 * Reads a run of plain characters of arithmetic, a parenthesis, or what a `$` or a backtick in it begins. Returns by
	 * how much the number of open parentheses changes.
	 */
	#arithmeticStep(parts: WordPart[], quoted: boolean): number {
		const character = this.peek();
		if (character === "$" || character === "`") {
			this.count();
			appendParts(parts, character === "$" ? this.#dollar(quoted) : [this.#backticks(quoted)]);
			return 0;
		}
		this.step();
		if (this.run(PLAIN_IN_ARITHMETIC) !== "") return 0;
		this.at += character === "\\" ? 2 : 1;
		if (character === "(") return 1;
		return character === ")" ? -1 : 0;
	}

	/** Reads the rest of `((…))` after its opening. Only substitutions in it run anything. */
	arithmetic(quoted: boolean): readonly WordPart[] {
		return this.nested<readonly WordPart[]>([], () => {
			const parts: WordPart[] = [];
			const start = this.at;
			const foreseenEnd = this.#arithmeticEnd;
			let open = 2;
			let plain = "";
			while (!this.ended && open > 0) {
				const at = this.at;
				const substitutes = this.peek() === "$" || this.peek() === "`";
				open += this.#arithmeticStep(parts, quoted);
				plain += substitutes ? "0" : this.text.slice(at, this.at);
			}
			// No sum has words in a row. Where a pattern of `case` in it ends in a parenthesis, bash sees a group in a group. So
			// both are read as commands, too.
			if (this.at !== foreseenEnd || /[A-Za-z][ \t]+[-/~A-Za-z]/.test(plain)) {
				const script = this.parseNested(this.inner(this.text.slice(start, this.at - 2)), null);
				parts.push({ kind: "substitution", script, process: false, quoted: true });
			}
			// Nobody needs the number, but what runs to compute it counts.
			return [{ kind: "variable", name: "((", operation: "", operand: parts, quoted }];
		});
	}
}

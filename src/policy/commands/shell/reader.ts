// Reads the words of a shell script: quotes, escapes, expansions, substitutions. parse.ts builds commands from them.
import type { WorkBudget } from "../../work-budget.ts";
import type { ShellScript, Word, WordPart } from "./script.ts";

/** Nesting of substitutions, quotes in them and groups that is read. Scripts that people write stay under ten. */
const MAX_SHELL_DEPTH = 40;

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

/** The limits left for a text and everything nested in it. */
interface ReadingLimits {
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

/** Stands for a script that is nested too deep to be read. */
export const UNREAD_SCRIPT: ShellScript = { commands: [], functions: [], malformed: true, tooDeep: true, size: 0 };

/** Characters of a substitution that is kept for when it stands there again. */
const MAX_KEPT_SCRIPT = 256;
/** The rest of `$(…)` in which nothing but words can stand, with its end. What `case` does to parentheses needs one that opens. */
const PLAIN_SUBSTITUTION = /[^()\\'"`$#<;&|{}\n]{0,256}\)/y;

/** How far the end of `((` is searched for, in characters. */
const MAX_ARITHMETIC = 4096;

/** Runs of characters without a meaning: in an unquoted word, between double quotes, in the operand of `${…}`. */
const PLAIN_IN_WORD = /[^ \t\n;&|<>()\\'"`$]+/y;
const PLAIN_IN_QUOTES = /[^}"\\`$]+/y;
const PLAIN_IN_BRACES = /[^<>}\\'"`$]+/y;
/** The same between the brackets of an index, in `$'…'` and in arithmetic. */
const PLAIN_IN_INDEX = /[^[\]}\\'"`$]+/y;
const PLAIN_IN_ANSI = /[^\\']+/y;
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

/** White space between words. */
const BLANKS = /[ \t\r]+/y;
const BLANKS_AND_LINES = /[ \t\r\n]+/y;

/** Units of work for a character of a here-document, in which only the end is searched for. */
const HEREDOC_CHARACTER_WORK = 0.1;

/** Whether the line that begins at `at` is the wanted one. It may end in a carriage return. */
function isLine(text: string, line: string, at: number): boolean {
	const end = at + line.length;
	if (!text.startsWith(line, at)) return false;
	return end === text.length || text[end] === "\n" || (text[end] === "\r" && (text[end + 1] ?? "\n") === "\n");
}

/** Where a line begins that is the wanted one. -1 when there is none from `from`, which is the beginning of a line. */
function findLine(text: string, line: string, from: number): number {
	if (from < text.length && isLine(text, line, from)) return from;
	const wanted = `\n${line}`;
	for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1))
		if (at + 1 < text.length && isLine(text, line, at + 1)) return at + 1;
	return -1;
}

/** The same for a line behind any number of tabs. */
function findTabbedLine(text: string, line: string, from: number): number {
	for (let at = from; at >= 0 && at < text.length; ) {
		let first = at;
		while (text[first] === "\t") first++;
		if (isLine(text, line, first)) return at;
		const end = text.indexOf("\n", at);
		at = end < 0 ? -1 : end + 1;
	}
	return -1;
}

/** Parses a script from the reader's position to the `)` or `}` that closes it, or to the end. */
export type ParseNested = (reader: ShellReader, closedBy: ")" | "}" | null) => ShellScript;

/** A here-document whose body was not reached yet. */
interface Heredoc {
	readonly command: { size: number };
	readonly redirect: { target: Word };
	readonly delimiter: string;
	/** The delimiter was quoted, so nothing in the body is expanded. */
	readonly literal: boolean;
	readonly stripTabs: boolean;
}

/** Characters that end an unquoted word. */
const WORD_END = " \t\n;&|<>()";

const ANSI_ESCAPES: Readonly<Record<string, string>> = {
	a: "\u0007",
	b: "\b",
	e: "\u001b",
	E: "\u001b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
	v: "\v",
	"\\": "\\",
	"'": "'",
	'"': '"',
	"?": "?",
};

/** Appends one by one: no call takes a hundred thousand arguments. */
function appendParts(parts: WordPart[], more: readonly WordPart[]): void {
	for (const part of more) parts.push(part);
}

/** Where the quotes end that begin at `start`. Only between single quotes, a backslash means nothing. */
function endOfQuotes(text: string, start: number): number {
	const quote = text[start] ?? "";
	let at = start + 1;
	if (quote === "'" && text[start - 1] !== "$") {
		const end = text.indexOf(quote, at);
		return end < 0 ? text.length : end;
	}
	while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
	return at;
}

/** A position in a script's text, and what went wrong on the way there. */
export class ShellReader {
	readonly text: string;
	readonly depth: number;
	readonly parseNested: ParseNested;
	/** Shared with the scripts nested in this one. */
	readonly limits: ReadingLimits;
	at = 0;
	/** Here-documents that began on this line, also in scripts nested in it. */
	heredocs: Heredoc[] = [];
	#lastLineEnd: number | null = null;
	/**
	 * Set where `esac` is a pattern of `case`. In a substitution, bash 5.2 forgets the quotes of later delimiters there, so
	 * their here-documents are expanded.
	 */
	expandsHeredocs = false;
	malformed = false;
	tooDeep = false;

	constructor(text: string, depth: number, parseNested: ParseNested, limits: ReadingLimits) {
		const affordable = limits.work.charge(READ_PIECE_WORK + READ_CHARACTER_WORK * text.length);
		this.text = affordable ? text : "";
		this.tooDeep = !affordable;
		this.limits = limits;
		this.depth = depth;
		this.parseNested = parseNested;
	}

	peek(offset = 0): string {
		return this.text[this.at + offset] ?? "";
	}

	startsWith(literal: string): boolean {
		return this.text.startsWith(literal, this.at);
	}

	get ended(): boolean {
		return this.at >= this.text.length;
	}

	/**
	 * Counts a piece of a word, a word, a command or a line of a here-document. Beyond the limit, the rest is abandoned.
	 */
	count(): void {
		this.limits.pieces--;
		if (this.limits.pieces < 0 || !this.limits.work.charge(READ_PIECE_WORK)) this.abandon();
	}

	/** Charges for an operator, an escape or a line. Beyond the work left, the rest is abandoned. */
	step(): void {
		if (!this.limits.work.charge(READ_STEP_WORK)) this.abandon();
	}

	/** Where the last newline of the text is; -1 without one. Looked for once, because a text may hold any number of scripts. */
	get lastLineEnd(): number {
		this.#lastLineEnd ??= this.text.lastIndexOf("\n");
		return this.#lastLineEnd;
	}

	/** Skips white space between words. */
	skipBlanks(): void {
		this.#run(BLANKS);
	}

	/** Skips lines without a word, and the blanks before the next one. */
	skipEmptyLines(): void {
		this.#run(BLANKS_AND_LINES);
	}

	/** Counts a plain command of so many words, which stay unread until somebody asks for them. */
	countPlain(words: number): void {
		this.limits.pieces--;
		if (this.limits.pieces < 0 || !this.limits.work.charge(PLAIN_COMMAND_WORK + PLAIN_WORD_WORK * words))
			this.abandon();
	}

	/** Reads the body of a here-document, up to the line that is its delimiter or to the end of the text. */
	heredocBody(delimiter: string, stripTabs: boolean): { readonly body: string; readonly closed: boolean } {
		const { text, at } = this;
		const end = stripTabs ? findTabbedLine(text, delimiter, at) : findLine(text, delimiter, at);
		const bodyEnd = end < 0 ? text.length : end;
		if (!this.limits.work.charge(READ_PIECE_WORK + (bodyEnd - at) * HEREDOC_CHARACTER_WORK)) this.abandon();
		const written = text.slice(at, bodyEnd);
		const lineEnd = end < 0 ? -1 : text.indexOf("\n", bodyEnd);
		this.at = lineEnd < 0 ? text.length : lineEnd + 1;
		const whole = written === "" || written.endsWith("\n") ? written : `${written}\n`;
		return { body: stripTabs ? whole.replace(/^\t+/gm, "") : whole, closed: end >= 0 };
	}

	/** A reader for a text inside this one that had to be unescaped or cut out. */
	inner(text: string): ShellReader {
		return new ShellReader(text, this.nestedDepth, this.parseNested, this.limits);
	}

	/** Abandons the rest of the text, because it is beyond the limits. */
	abandon(): void {
		this.tooDeep = true;
		this.at = this.text.length;
	}

	#depthNow = 0;

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

	#run(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const run = pattern.exec(this.text)?.[0] ?? "";
		this.at += run.length;
		return run;
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
			const run = this.#run(stops === "" ? PLAIN_IN_WORD : PLAIN_IN_BRACES);
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
		if (character === "\\") return this.#escape();
		if (character === "'") return [this.#singleQuoted()];
		if (character === '"') return this.#doubleQuoted();
		if (character === "`") return [this.#backticks(false)];
		if (character !== "$") return null;
		if (this.peek(1) === "'") return [this.#ansiQuoted()];
		if (this.peek(1) === '"') {
			this.at++;
			return this.#doubleQuoted();
		}
		return this.#dollar(false);
	}

	#escape(): readonly WordPart[] {
		const escaped = this.peek(1) === "\r" && this.peek(2) === "\n" ? "\r\n" : this.peek(1);
		this.at += 1 + escaped.length;
		// A line continuation, or a backslash at the very end, stands for nothing.
		return escaped === "\n" || escaped === "\r\n" || escaped === ""
			? []
			: [{ kind: "text", text: escaped, quoted: true }];
	}

	#singleQuoted(): WordPart {
		const end = this.text.indexOf("'", this.at + 1);
		if (end < 0) this.malformed = true;
		const text = this.text.slice(this.at + 1, end < 0 ? undefined : end);
		this.at = end < 0 ? this.text.length : end + 1;
		return { kind: "text", text, quoted: true };
	}

	#ansiQuoted(): WordPart {
		this.at += 2;
		let text = "";
		while (!this.ended && this.peek() !== "'") {
			this.step();
			text += this.peek() === "\\" ? this.#ansiEscape() : this.#run(PLAIN_IN_ANSI);
		}
		if (this.ended) this.malformed = true;
		this.at++;
		return { kind: "text", text, quoted: true };
	}

	/** One escape of `$'…'` (bash manual 3.1.2.4). */
	#ansiEscape(): string {
		const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.))/su.exec(
			this.text.slice(this.at + 1, this.at + 10),
		);
		if (!code) {
			const character = this.peek(1);
			this.at += 1 + character.length;
			return ANSI_ESCAPES[character] ?? `\\${character}`;
		}
		this.at += 1 + code[0].length;
		const hex = code[1] ?? code[2] ?? code[3];
		if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
		if (code[4] !== undefined) return String.fromCharCode(Number.parseInt(code[4], 8) & 0xff);
		return String.fromCharCode((code[5] ?? "").charCodeAt(0) & 0x1f);
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
			const run = this.#run(PLAIN_IN_QUOTES);
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
		const name = this.#run(VARIABLE_NAME);
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
		const flags = this.#run(ZSH_FLAGS);
		// zsh writes `${!x}` as `${(P)x}`.
		const name = (flags.includes("P") ? "!" : "") + this.#run(BRACED_NAME);
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
		if (this.#run(PLAIN_IN_INDEX) !== "") return 0;
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

	/** Whether `))` closes the `((` at `start`. If not, it is a group in a group. Quotes are skipped. */
	isArithmetic(start: number): boolean {
		if (!this.limits.work.charge(Math.min(MAX_ARITHMETIC, this.text.length - start))) this.abandon();
		const mark = /[\\'"()]/g;
		const within = this.text.slice(start, start + MAX_ARITHMETIC);
		let open = 0;
		for (let found = mark.exec(within); found; found = mark.exec(within)) {
			const character = found[0];
			if (character === "(") open++;
			else if (character === ")") open--;
			else if (character === "\\") mark.lastIndex++;
			else mark.lastIndex = endOfQuotes(within, found.index) + 1;
			if (character === ")" && open === 1) {
				this.#arithmeticEnd = start + found.index + 2;
				return within[found.index + 1] === ")";
			}
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
		if (this.#run(PLAIN_IN_ARITHMETIC) !== "") return 0;
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

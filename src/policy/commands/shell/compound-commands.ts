// Compound commands (POSIX, Shell Command Language 2.9.4, and bash's own): groups, loops, `case`, `[[ … ]]`, functions. They
// become the simple commands in them. What is only compared is redirected to a command without words, so that what is
// substituted in it runs.
import { unquotedText } from "./assignments.ts";
import type { RedirectParser } from "./redirects.ts";
import type { ScriptBuilder } from "./script-builder.ts";
import { readWordsUntil } from "./word-lists.ts";
import type { ShellReader } from "./words.ts";

/** Reserved words after which a command follows. */
const SEPARATING_WORDS = new Set(["then", "elif", "else", "do", "!", "in"]);
const CLOSING_WORDS: ReadonlyMap<string, string> = new Map([
	["{", "}"],
	["if", "fi"],
	["while", "done"],
	["until", "done"],
]);
const CLOSERS_OF_GROUPS = new Set(["}", "fi", "done", "esac"]);
/** What may be a reserved word before a blank. */
const RESERVED_WORD = /[a-z!{}[\]]{1,8}(?![^ \t\n;&|<>()])/y;
/** Words that begin something else than a simple command. */
const RESERVED_WORDS: ReadonlySet<string> = new Set([
	...SEPARATING_WORDS,
	...CLOSING_WORDS.keys(),
	...CLOSERS_OF_GROUPS,
	...["for", "select", "case", "function", "[[", "coproc", "time"],
]);

const EMPTY_PARENTHESES = /\([ \t]*\)/y;

/** What follows `coproc` and a name, where the name is the coprocess's and not a command. */
const COMPOUND_BEHIND_NAME =
	/[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=[{(]|\[\[[ \t]|(?:if|while|until|for|case|select)[ \t\n])/y;

/** The options of the reserved word `time`. With any other, `time` is a program. */
const TIME_OPTIONS = /[ \t]+(?:-p|--)(?=[ \t])/y;

/** Skips blanks, a line continuation or a comment. False where there is none of them. */
export function skipBetweenWords(reader: ShellReader): boolean {
	const start = reader.at;
	reader.skipBlanks();
	if (reader.startsWith("\\\n")) reader.at += 2;
	if (reader.peek() === "#") reader.skipComment();
	if (reader.at > start) reader.step();
	return reader.at > start;
}

/** Whether a reserved word stands at the reader's position. */
export function isAtReservedWord({ text, at }: ShellReader): boolean {
	RESERVED_WORD.lastIndex = at;
	return RESERVED_WORDS.has(RESERVED_WORD.exec(text)?.[0] ?? "");
}

/** Parses what reserved words begin, behind the word. */
export class CompoundParser {
	readonly #reader: ShellReader;
	readonly #script: ScriptBuilder;
	readonly #redirects: RedirectParser;
	#inPattern = false;
	/** Whether nothing of the pattern was read. Only there, `esac` ends the `case`. */
	#patternBegins = false;

	constructor(reader: ShellReader, script: ScriptBuilder, redirects: RedirectParser) {
		this.#reader = reader;
		this.#script = script;
		this.#redirects = redirects;
	}

	/** Whether a pattern of `case` is read next. */
	get inPattern(): boolean {
		return this.#inPattern;
	}

	/** Handles a reserved word. False when the text is none. */
	parse(text: string): boolean {
		const opener = CLOSING_WORDS.get(text);
		if ((text === "{" || text === "do") && this.#beginBody(text)) return true;
		if (opener !== undefined) this.#script.open(opener);
		else if (CLOSERS_OF_GROUPS.has(text)) this.#script.close(text);
		else if (text === "for" || text === "select") this.#forLoop();
		else if (text === "case") this.#caseCommand();
		else if (text === "function") this.#functionName();
		else if (text === "[[") this.#condition();
		else if (text === "coproc") this.#coprocess();
		else if (text === "time") return this.#timed();
		else return SEPARATING_WORDS.has(text);
		return true;
	}

	/** Reads the `()` behind a function's name. False where there is none. */
	skipEmptyParentheses(): boolean {
		return this.#reader.run(EMPTY_PARENTHESES) !== "";
	}

	/** Begins the next clause of a `case`, behind `;;`, `;&` or `;;&`. Elsewhere, they are a mistake. */
	beginClause(): void {
		if (this.#script.group?.closedBy === "esac") this.#beginPattern();
	}

	/** Reads a pattern: what stands between `in` or `;;` and `)`. It is only compared, but its substitutions run. */
	casePattern(): void {
		const reader = this.#reader;
		const character = reader.peek();
		const start = reader.at;
		if (character === ")") {
			reader.at++;
			this.#inPattern = false;
			return;
		}
		const begins = this.#patternBegins;
		if (character !== "\n") this.#patternBegins = false;
		const word = "\n(|;&<>".includes(character) ? [] : reader.word();
		if (unquotedText(word) === "esac" && begins) {
			this.#inPattern = false;
			this.#script.close("esac");
		} else if (reader.at === start) reader.at++;
		else if (unquotedText(word) === "esac") reader.expandsHeredocs = true;
		else if (word.some(({ kind }) => kind !== "text")) {
			this.#script.begin().redirects.push({ operator: "<<<", target: word });
			this.#script.endLine();
		}
	}

	#beginPattern(): void {
		this.#inPattern = true;
		this.#patternBegins = true;
	}

	/** Skips blanks, comments and newlines between the words of a compound command. */
	#skipLines(): void {
		const reader = this.#reader;
		while (!reader.ended && (skipBetweenWords(reader) || reader.peek() === "\n"))
			if (reader.peek() === "\n") this.#redirects.newline();
	}

	/** `coproc NAME { …; }`. Before a simple command there is no name. */
	#coprocess(): void {
		this.#reader.skipInline();
		this.#reader.run(COMPOUND_BEHIND_NAME);
	}

	/** `time -p --` before a command. False where it is the program of that name. */
	#timed(): boolean {
		const reader = this.#reader;
		while (reader.run(TIME_OPTIONS) !== "");
		return !/^[ \t]+-/.test(reader.text.slice(reader.at, reader.at + 16));
	}

	/** Begins the body of a `for`. False where no `for` waits for one. */
	#beginBody(text: "{" | "do"): boolean {
		const { group } = this.#script;
		if (!group?.awaitsBody) return false;
		group.awaitsBody = false;
		if (text === "{") group.closedBy = "}";
		return true;
	}

	#forLoop(): void {
		const reader = this.#reader;
		this.#script.open("done");
		const { group } = this.#script;
		if (group) group.awaitsBody = true;
		reader.skipInline();
		if (reader.startsWith("((")) return;
		const name = unquotedText(reader.word()) ?? "";
		this.#skipLines();
		if (!/^in(?![A-Za-z0-9_])/.test(reader.text.slice(reader.at, reader.at + 3))) return;
		reader.at += 2;
		const values = readWordsUntil(reader, this.#redirects, ";");
		const { assignments } = this.#script.begin();
		for (const value of values) assignments.push({ name, value });
		this.#script.endCommand();
	}

	#caseCommand(): void {
		const reader = this.#reader;
		reader.skipInline();
		// The subject is only compared, but its substitutions run.
		this.#script.begin().redirects.push({ operator: "<<<", target: reader.word() });
		this.#script.endCommand();
		this.#skipLines();
		if (reader.startsWith("in")) reader.at += 2;
		else reader.malformed = true;
		this.#script.open("esac");
		this.#beginPattern();
	}

	#functionName(): void {
		const reader = this.#reader;
		reader.skipInline();
		this.#script.pendingFunction = unquotedText(reader.word());
		reader.skipInline();
		this.skipEmptyParentheses();
	}

	/** `[[ … ]]` only compares, but the substitutions in its words run. */
	#condition(): void {
		const words = readWordsUntil(this.#reader, this.#redirects, "]]");
		const { redirects } = this.#script.begin();
		for (const target of words) redirects.push({ operator: "<<<", target });
		this.#script.endCommand();
	}
}

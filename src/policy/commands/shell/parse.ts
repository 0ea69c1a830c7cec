// Parses a shell script (POSIX sh and common bash) to the simple commands that it could run, in order. What bash would
// refuse is marked as malformed, and parsing goes on. Words are read in reader.ts and expanded in expand.ts.
import { WorkBudget } from "../../work-budget.ts";
import { assignsArrays, joinWords, openBrackets, parseAssignment, unquotedText } from "./assignments.ts";
import { countPlainWords, findPlainEnd, PlainCommand } from "./plain-words.ts";
import { type ParseNested, readingLimits, ShellReader, UNREAD_SCRIPT } from "./reader.ts";
import { CommandTexts } from "./repeats.ts";
import type { Assignment, CommandRange, Redirect, ShellFunction, ShellScript, Word, WordPart } from "./script.ts";

interface CommandDraft {
	assignments: Assignment[];
	words: Word[];
	redirects: { operator: Redirect["operator"]; target: Word; descriptor?: string }[];
	reads: CommandRange | null;
	size: number;
	text: { repeated: boolean } | null;
	readonly plain: null;
}

type ParsedCommand = CommandDraft | PlainCommand;

interface CommandGroup {
	closedBy: string;
	/** A `for` whose body has not begun. It may begin with `do` or with `{`. */
	awaitsBody: boolean;
	readonly from: number;
	readonly reads: CommandRange | null;
	readonly functionName: string | null;
}

const REDIRECT_OPERATORS = ["&>>", "<<<", "&>", "<<", ">>", ">|", ">&", "<&", "<>", "<", ">"] as const;

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

/** What may follow a newline in `[[ … ]]`. */
const CONDITION_GOES_ON = /^[ \t\n]*(?:\]\]|&&|\|\||\))/;

/** What follows `coproc` and a name, where the name is the coprocess's and not a command. */
const COMPOUND_BEHIND_NAME =
	/[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=[{(]|\[\[[ \t]|(?:if|while|until|for|case|select)[ \t\n])/y;

/** The options of the reserved word `time`. With any other, `time` is a program. */
const TIME_OPTIONS = /[ \t]+(?:-p|--)(?=[ \t])/y;

/** A command that reads from others. */
function readingFrom(command: ParsedCommand, reads: CommandRange, text: CommandDraft["text"]): ParsedCommand {
	return command.plain === null ? { ...command, reads, text } : command.reading(reads, text);
}

class ScriptParser {
	readonly #reader: ShellReader;
	readonly #commands: ParsedCommand[] = [];
	readonly #functions: ShellFunction[] = [];
	readonly #groups: CommandGroup[] = [];
	#draft: CommandDraft | null = null;
	#pipe: CommandRange | null = null;
	#last: CommandRange | null = null;
	#pendingFunction: string | null = null;
	#inPattern = false;
	/** Whether nothing of the pattern was read. Only there, `esac` ends the `case`. */
	#patternBegins = false;
	readonly #texts = new CommandTexts<ParsedCommand>();
	/** Where the text of the next command begins. -1 in a pattern. */
	#from = -1;
	/** Pieces left at the beginning, and when the last command ended. */
	readonly #pieces: number;
	#piecesLeft: number;

	constructor(reader: ShellReader) {
		this.#reader = reader;
		this.#pieces = reader.limits.pieces;
		this.#piecesLeft = reader.limits.pieces;
	}

	parse(closedBy: ")" | "}" | null): ShellScript {
		const reader = this.#reader;
		while (!reader.ended) {
			if (this.#skipBlanks()) continue;
			if (closedBy !== null && this.#ends(closedBy)) break;
			if (this.#draft) this.#step();
			else {
				this.#from = this.#inPattern ? -1 : reader.at;
				if (this.#from < 0 || !this.#plainCommand()) this.#step();
			}
		}
		this.#endCommand();
		// A here-document that begins on a substitution's last line has its body after the line around the substitution.
		if (reader.ended) this.#readHeredocs();
		if (closedBy !== null && reader.ended) reader.malformed = true;
		if (this.#groups.length > 0) reader.malformed = true;
		reader.at++;
		const size = this.#pieces - reader.limits.pieces;
		return {
			commands: this.#commands,
			functions: this.#functions,
			malformed: reader.malformed,
			tooDeep: reader.tooDeep,
			size,
		};
	}

	/** Whether the script ends here. A brace ends it only where a command may begin. */
	#ends(closedBy: ")" | "}"): boolean {
		return (
			this.#reader.peek() === closedBy &&
			(closedBy === ")" || !this.#draft) &&
			!this.#groups.some((group) => group.closedBy === closedBy) &&
			!this.#inPattern
		);
	}

	#skipBlanks(): boolean {
		const reader = this.#reader;
		const start = reader.at;
		reader.skipBlanks();
		if (reader.startsWith("\\\n")) reader.at += 2;
		if (reader.peek() === "#") this.#skipComment();
		if (reader.at > start) reader.step();
		return reader.at > start;
	}

	#skipComment(): void {
		const end = this.#reader.text.indexOf("\n", this.#reader.at);
		this.#reader.at = end < 0 ? this.#reader.text.length : end;
	}

	/** Skips what a sticky pattern matches. */
	#skip(pattern: RegExp): boolean {
		pattern.lastIndex = this.#reader.at;
		const skipped = pattern.exec(this.#reader.text)?.[0].length ?? 0;
		this.#reader.at += skipped;
		return skipped > 0;
	}

	/** Skips blanks, comments and newlines between the words of a compound command. */
	#skipLines(): void {
		const reader = this.#reader;
		while (!reader.ended && (this.#skipBlanks() || reader.peek() === "\n")) if (reader.peek() === "\n") this.#newline();
	}

	/** Reads a command of plain words, or finds it among those that were read. False when the next one is none. */
	#plainCommand(): boolean {
		const reader = this.#reader;
		// Asked first, because a line may be nothing but reserved words, each with the rest of the line behind it.
		RESERVED_WORD.lastIndex = reader.at;
		if (RESERVED_WORDS.has(RESERVED_WORD.exec(reader.text)?.[0] ?? "")) return false;
		const end = findPlainEnd(reader.text, reader.at);
		if (end <= reader.at) return false;
		const plain = reader.text.slice(reader.at, end);
		const reads = this.#nextReads();
		const read = this.#textOf(reads);
		const isAlone = reads === null || read !== null;
		const known = isAlone ? this.#texts.find(plain, read) : undefined;
		if (!known && /^[^ \t]*?(?:=|\w\[)/.test(plain)) return false;
		this.#pipe = null;
		reader.at = end;
		if (known) {
			reader.step();
			this.#repeat(known, reads);
			return true;
		}
		const size = 1 + countPlainWords(plain);
		reader.countPlain(size);
		this.#piecesRead();
		const text = isAlone && reader.heredocs.length === 0 ? { repeated: false } : null;
		const command = new PlainCommand(plain, { size, reads, text }, reader.limits.words);
		if (text) this.#texts.add(plain, read, command);
		this.#append(command);
		return true;
	}

	#step(): void {
		const character = this.#reader.peek();
		this.#reader.step();
		if (this.#inPattern) this.#casePattern();
		else if (character === "\n") this.#newline();
		else if (character === ";") this.#semicolon();
		else if (character === "&" || character === "|") this.#joint();
		else if (character === "(") this.#openParenthesis();
		else if (character === ")") this.#closeParenthesis();
		else if ((character === "<" || character === ">") && this.#reader.peek(1) !== "(") this.#redirect();
		else this.#word();
	}

	#newline(): void {
		this.#endCommand();
		this.#last = null;
		this.#reader.at++;
		this.#readHeredocs();
		this.#reader.skipEmptyLines();
	}

	#semicolon(): void {
		this.#endCommand();
		this.#pipe = null;
		this.#last = null;
		const reader = this.#reader;
		reader.at++;
		const double = reader.peek() === ";" || reader.peek() === "&";
		if (reader.peek() === ";") reader.at++;
		if (reader.peek() === "&") reader.at++;
		if (double && this.#groups.at(-1)?.closedBy === "esac") this.#beginPattern();
	}

	/** `&`, `&&`, `||`, `|`, `|&`, or a redirect that begins with `&`. */
	#joint(): void {
		const reader = this.#reader;
		if (reader.startsWith("&>")) {
			this.#redirect();
			return;
		}
		this.#endCommand();
		const piped = reader.peek() === "|" && reader.peek(1) !== "|";
		this.#pipe = piped ? this.#last : null;
		if (piped && !this.#last) reader.malformed = true;
		const length = reader.startsWith("&&") || reader.startsWith("||") || reader.startsWith("|&") ? 2 : 1;
		if (!this.#last) reader.malformed = true;
		reader.at += length;
		this.#last = null;
	}

	/** Reads the rest of an extended glob, `!(a|b)`, behind its first character. What is substituted in it runs. */
	#extendedGlob(words: Word[]): void {
		const reader = this.#reader;
		const parts: WordPart[] = [...(words.pop() ?? []), { kind: "text", text: "*", quoted: false }];
		let open = 0;
		do {
			const character = reader.peek();
			const start = reader.at;
			const isOperator = "()|&;<> \t\n".includes(character);
			if (!isOperator) parts.push(...reader.word().filter(({ kind }) => kind !== "text"));
			if (reader.at === start) reader.at++;
			open += character === "(" ? 1 : character === ")" ? -1 : 0;
			reader.count();
		} while (open > 0 && !reader.ended);
		if (open > 0) reader.malformed = true;
		words.push([...parts, ...reader.word()]);
	}

	#openParenthesis(): void {
		const reader = this.#reader;
		const draft = this.#draft;
		if (draft && draft.words.length > 1 && /[?+@!]/.test(reader.text[reader.at - 1] ?? "")) {
			this.#extendedGlob(draft.words);
			return;
		}
		const name = unquotedText(draft?.words.at(-1) ?? []);
		if (name !== null && this.#skip(EMPTY_PARENTHESES)) {
			draft?.words.pop();
			// Only a name alone can be defined. Words before it are a mistake, which must hide nothing.
			if (draft && draft.words.length > 0) reader.malformed = true;
			else this.#draft = null;
			this.#endCommand();
			this.#pendingFunction = name;
		} else if (!draft && reader.startsWith("((") && reader.isArithmetic(reader.at)) {
			reader.at += 2;
			this.#begin().words.push(reader.arithmetic(true));
			this.#endCommand();
		} else {
			if (draft) reader.malformed = true;
			reader.at++;
			this.#open(")");
		}
	}

	#closeParenthesis(): void {
		this.#endCommand();
		this.#reader.at++;
		this.#close(")");
	}

	#open(closedBy: string): void {
		this.#endCommand();
		if (this.#groups.length + this.#reader.nestedDepth >= 40) {
			this.#reader.abandon();
			return;
		}
		const reads = this.#pipe ?? this.#groups.at(-1)?.reads ?? null;
		this.#groups.push({
			closedBy,
			awaitsBody: false,
			from: this.#commands.length,
			reads,
			functionName: this.#pendingFunction,
		});
		this.#pendingFunction = null;
		this.#pipe = null;
	}

	#close(closedBy: string): void {
		this.#endCommand();
		const at = this.#groups.findLastIndex((group) => group.closedBy === closedBy);
		if (at !== this.#groups.length - 1 || at < 0) this.#reader.malformed = true;
		const group = at < 0 ? null : this.#groups[at];
		if (!group) return;
		this.#groups.length = at;
		const body = { from: group.from, to: this.#commands.length };
		if (group.functionName !== null) this.#functions.push({ name: group.functionName, body });
		this.#last = body;
	}

	/** What the next command reads. */
	#nextReads(): CommandRange | null {
		return this.#pipe ?? this.#groups.at(-1)?.reads ?? null;
	}

	#begin(): CommandDraft {
		if (this.#draft) return this.#draft;
		const reads = this.#nextReads();
		this.#pipe = null;
		this.#draft = { assignments: [], words: [], redirects: [], reads, size: 0, text: null, plain: null };
		return this.#draft;
	}

	#endCommand(): void {
		const draft = this.#draft;
		if (!draft) return;
		this.#draft = null;
		this.#reader.count();
		draft.size = this.#piecesRead();
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

	/** Pieces read since the last call. */
	#piecesRead(): number {
		const left = this.#reader.limits.pieces;
		const read = this.#piecesLeft - left;
		this.#piecesLeft = left;
		return read;
	}

	/** The number or name in front of the redirect that is read next. */
	#descriptor: string | null = null;
	/** The command that has a here-document without a body. */
	#bodiless: CommandDraft | null = null;

	#redirect(): void {
		const reader = this.#reader;
		const operator = REDIRECT_OPERATORS.find((candidate) => reader.startsWith(candidate)) ?? "<";
		reader.at += operator.length;
		const stripTabs = operator === "<<" && reader.peek() === "-";
		if (stripTabs) reader.at++;
		this.#skipInline();
		const start = reader.at;
		const target = reader.word();
		if (reader.at === start) reader.malformed = true;
		const redirect =
			this.#descriptor === null ? { operator, target } : { operator, target, descriptor: this.#descriptor };
		this.#descriptor = null;
		const command = this.#begin();
		// One whose body would begin behind the text has none, and another of the same command adds nothing to it.
		const hasNoBody = operator === "<<" && start > reader.lastLineEnd;
		if (hasNoBody && command === this.#bodiless) {
			reader.step();
			return;
		}
		if (hasNoBody) this.#bodiless = command;
		command.redirects.push(redirect);
		reader.count();
		if (operator !== "<<") return;
		const delimiter = target.map((part) => (part.kind === "text" ? part.text : "")).join("");
		reader.heredocs.push({ command, redirect, delimiter, literal: target.some((part) => part.quoted), stripTabs });
		redirect.target = [];
	}

	#skipInline(): void {
		const reader = this.#reader;
		while (reader.peek() === " " || reader.peek() === "\t") reader.at++;
	}

	/** Reads the bodies of the here-documents that began on the line before, in order. */
	#readHeredocs(): void {
		const reader = this.#reader;
		const waiting = reader.heredocs;
		if (waiting.length === 0) return;
		reader.heredocs = [];
		for (const { command, redirect, delimiter, literal, stripTabs } of waiting) {
			if (reader.tooDeep) return;
			const { body, closed } = reader.heredocBody(delimiter, stripTabs);
			redirect.target =
				literal && !reader.expandsHeredocs ? [{ kind: "text", text: body, quoted: true }] : this.#heredocParts(body);
			command.size += this.#piecesRead();
			if (!closed) this.#unclosedHeredoc(body);
		}
	}

	#heredocParts(body: string): Word {
		const reader = this.#reader;
		return reader.nested<Word>([], () => {
			const inner = reader.inner(body);
			const parts = inner.expandable("");
			if (inner.tooDeep) reader.abandon();
			return parts;
		});
	}

	/** Shells differ on where an unclosed here-document ends. So its body counts as text and as commands. */
	#unclosedHeredoc(body: string): void {
		const reader = this.#reader;
		reader.malformed = true;
		if (body.trim() === "") return;
		const script = reader.nested(UNREAD_SCRIPT, () => parseScript(reader.inner(body), null));
		if (script.tooDeep) reader.abandon();
		const value: Word = [{ kind: "substitution", script, process: false, quoted: true }];
		this.#commands.push({
			assignments: [],
			words: [],
			redirects: [{ operator: "<<<", target: value }],
			reads: null,
			size: this.#piecesRead(),
			text: null,
			plain: null,
		});
	}

	#word(): void {
		const reader = this.#reader;
		const start = reader.at;
		const word = reader.word();
		if (reader.at === start) {
			// No known character leads here. Without this, an unforeseen one would loop for ever.
			reader.malformed = true;
			reader.at++;
			return;
		}
		reader.count();
		const text = unquotedText(word);
		// `2>file`, `{name}>file`: digits or a name in braces right before a redirect are a descriptor.
		if (text !== null && /^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$/.test(text) && /[<>]/.test(reader.peek())) {
			this.#descriptor = text;
			return;
		}
		const draft = this.#draft;
		if (draft && draft.words.length > 0) this.#nextWord(draft, word);
		else if (!(text !== null && !draft && this.#reserved(text))) this.#firstWord(this.#withIndex(word));
	}

	/** Handles a word behind a command's name: `declare x=(…)` assigns. */
	#nextWord(draft: CommandDraft, word: Word): void {
		const assignment = this.#reader.peek() === "(" && assignsArrays(draft.words) ? parseAssignment(word) : null;
		if (assignment) this.#assignArray(draft, assignment);
		else draft.words.push(word);
	}

	/** The word with the rest of its index: in `a[1 + 2]=x`, blanks between the brackets end no word. */
	#withIndex(word: Word): Word {
		const [first] = word;
		if (first?.kind !== "text" || first.quoted || !/^[A-Za-z_][A-Za-z0-9_]*\[/.test(first.text)) return word;
		const reader = this.#reader;
		const whole = [...word];
		let open = word.reduce((sum, part) => sum + openBrackets(part), 0);
		while (open > 0 && " \t".includes(reader.peek()) && !reader.ended) {
			this.#skipInline();
			const next = reader.word();
			reader.count();
			open += next.reduce((sum, part) => sum + openBrackets(part), 0);
			whole.push({ kind: "text", text: " ", quoted: false }, ...next);
		}
		return whole;
	}

	/** Handles a word where a command's name may stand: an assignment, or the name itself. */
	#firstWord(word: Word): void {
		const assignment = parseAssignment(word);
		const draft = this.#begin();
		if (!assignment) {
			draft.words.push(word);
			return;
		}
		if (this.#reader.peek() === "(") this.#assignArray(draft, assignment);
		else draft.assignments.push(assignment);
	}

	/** Reads `(…)` behind `name=`. The name may have each of the values, and all of them. */
	#assignArray(draft: CommandDraft, assignment: Assignment): void {
		this.#reader.at++;
		const values = this.#wordsUntil(")");
		// Equal values are one object, see #wordsUntil.
		for (const value of new Set(values)) draft.assignments.push({ ...assignment, value, appends: false });
		if (values.length > 1) draft.assignments.push({ name: assignment.name, value: joinWords(values) });
	}

	/** Counts a word as a piece. One with the text of a known one is that word, and no piece of its own. */
	#countOnce(word: Word, known: Map<string, Word>): Word {
		const text = unquotedText(word);
		const same = text === null ? undefined : known.get(text);
		if (same) this.#reader.step();
		else this.#reader.count();
		if (text !== null && !same) known.set(text, word);
		return same ?? word;
	}

	/** Reads words up to `end`, which is consumed. Operators between them are skipped. */
	#wordsUntil(end: ")" | "]]" | ";"): readonly Word[] {
		const reader = this.#reader;
		const words: Word[] = [];
		const known = new Map<string, Word>();
		while (!reader.ended) {
			this.#skipInline();
			const character = reader.peek();
			if (character === "#" && end !== "]]") this.#skipComment();
			if (character === "\n" && (end === ")" || (end === "]]" && this.#goesOn(words)))) {
				reader.at++;
				this.#readHeredocs();
				continue;
			}
			if ((character === ";" || character === "\n") && end !== ")") return words;
			if (character === end) {
				reader.at++;
				return words;
			}
			const start = reader.at;
			const word = reader.word();
			if (reader.at === start) {
				reader.at++;
				continue;
			}
			if (unquotedText(word) === end) return words;
			words.push(this.#countOnce(word, known));
		}
		reader.malformed = true;
		return words;
	}

	/** Handles a reserved word. False when the text is none. */
	#reserved(text: string): boolean {
		const opener = CLOSING_WORDS.get(text);
		if ((text === "{" || text === "do") && this.#beginBody(text)) return true;
		if (opener !== undefined) this.#open(opener);
		else if (CLOSERS_OF_GROUPS.has(text)) this.#close(text);
		else if (text === "for" || text === "select") this.#forLoop();
		else if (text === "case") this.#caseCommand();
		else if (text === "function") this.#functionName();
		else if (text === "[[") this.#test();
		else if (text === "coproc") this.#coprocess();
		else if (text === "time") return this.#timed();
		else return SEPARATING_WORDS.has(text);
		return true;
	}

	/** `coproc NAME { …; }`. Before a simple command there is no name. */
	#coprocess(): void {
		this.#skipInline();
		this.#skip(COMPOUND_BEHIND_NAME);
	}

	/** `time -p --` before a command. False where it is the program of that name. */
	#timed(): boolean {
		while (this.#skip(TIME_OPTIONS));
		return !/^[ \t]+-/.test(this.#reader.text.slice(this.#reader.at, this.#reader.at + 16));
	}

	/** Begins the body of a `for`. False where no `for` waits for one. */
	#beginBody(text: "{" | "do"): boolean {
		const group = this.#groups.at(-1);
		if (!group?.awaitsBody) return false;
		group.awaitsBody = false;
		if (text === "{") group.closedBy = "}";
		return true;
	}

	#forLoop(): void {
		const reader = this.#reader;
		this.#open("done");
		const group = this.#groups.at(-1);
		if (group) group.awaitsBody = true;
		this.#skipInline();
		if (reader.startsWith("((")) return;
		const name = unquotedText(reader.word()) ?? "";
		this.#skipLines();
		if (!/^in(?![A-Za-z0-9_])/.test(reader.text.slice(reader.at, reader.at + 3))) return;
		reader.at += 2;
		const values = this.#wordsUntil(";");
		const { assignments } = this.#begin();
		for (const value of values) assignments.push({ name, value });
		this.#endCommand();
	}

	#caseCommand(): void {
		const reader = this.#reader;
		this.#skipInline();
		// The subject is only compared, but its substitutions run.
		this.#begin().redirects.push({ operator: "<<<", target: reader.word() });
		this.#endCommand();
		this.#skipLines();
		if (reader.startsWith("in")) reader.at += 2;
		else reader.malformed = true;
		this.#open("esac");
		this.#beginPattern();
	}

	#beginPattern(): void {
		this.#inPattern = true;
		this.#patternBegins = true;
	}

	/** Reads a pattern: what stands between `in` or `;;` and `)`. It is only compared, but its substitutions run. */
	#casePattern(): void {
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
			this.#close("esac");
		} else if (reader.at === start) reader.at++;
		else if (unquotedText(word) === "esac") reader.expandsHeredocs = true;
		else if (word.some(({ kind }) => kind !== "text")) {
			this.#begin().redirects.push({ operator: "<<<", target: word });
			this.#endCommand();
			this.#last = null;
		}
	}

	#functionName(): void {
		this.#skipInline();
		this.#pendingFunction = unquotedText(this.#reader.word());
		this.#skipInline();
		this.#skip(EMPTY_PARENTHESES);
	}

	/** Whether `[[ …` goes on behind this newline: at its beginning, behind an operator, or before one. */
	#goesOn(words: readonly Word[]): boolean {
		const { text, at } = this.#reader;
		return (
			words.length === 0 ||
			/(?:&&|\|\||[(!])[ \t]*$/.test(text.slice(Math.max(0, at - 16), at)) ||
			CONDITION_GOES_ON.test(text.slice(at, at + 64))
		);
	}

	/** `[[ … ]]` only compares, but the substitutions in its words run. */
	#test(): void {
		const words = this.#wordsUntil("]]");
		const { redirects } = this.#begin();
		for (const target of words) redirects.push({ operator: "<<<", target });
		this.#endCommand();
	}
}

const parseScript: ParseNested = (reader, closedBy) => new ScriptParser(reader).parse(closedBy);

/**
 * Parses a script. Never throws. A script beyond the work left is `tooDeep`.
 * @param depth How many texts lie around this one (`sh -c` in `sh -c`).
 * @param piecesAround How many pieces were read of those.
 */
export function parseShell(text: string, depth = 0, work = new WorkBudget(), piecesAround = 0): ShellScript {
	return parseScript(new ShellReader(text, depth, parseScript, readingLimits(work, piecesAround)), null);
}

/** Parses a text that is only expanded, as between double quotes, to the substitutions that this runs. Never throws. */
export function parseExpansions(text: string, depth: number, work: WorkBudget, piecesAround: number): ShellScript {
	const reader = new ShellReader(text, depth, parseScript, readingLimits(work, piecesAround));
	const { pieces } = reader.limits;
	const target = reader.expandable("");
	const size = pieces - reader.limits.pieces;
	const command = {
		assignments: [],
		words: [],
		redirects: [{ operator: "<<<" as const, target }],
		reads: null,
		size,
		text: null,
		plain: null,
	};
	return { commands: [command], functions: [], malformed: false, tooDeep: reader.tooDeep, size };
}

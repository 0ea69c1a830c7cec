// Parses a shell script (POSIX sh and common bash) to the simple commands that it could run, in order. What bash would
// refuse is marked as malformed, and parsing goes on. Words are read in words.ts and expanded in expand.ts.
import { WorkBudget } from "../../work-budget.ts";
import { assignsArrays, joinWords, openBrackets, parseAssignment, unquotedText } from "./assignments.ts";
import { CompoundParser, isAtReservedWord, skipBetweenWords } from "./compound-commands.ts";
import { findPlainEnd } from "./plain-words.ts";
import { RedirectParser } from "./redirects.ts";
import type { Assignment, ShellScript, Word, WordPart } from "./script.ts";
import { type CommandDraft, ScriptBuilder, toDraft } from "./script-builder.ts";
import { readingLimits } from "./text-reader.ts";
import { readWordsUntil } from "./word-lists.ts";
import { type ParseNested, ShellReader } from "./words.ts";

class ScriptParser {
	readonly #reader: ShellReader;
	readonly #script: ScriptBuilder;
	readonly #redirects: RedirectParser;
	readonly #compounds: CompoundParser;

	constructor(reader: ShellReader) {
		this.#reader = reader;
		this.#script = new ScriptBuilder(reader);
		this.#redirects = new RedirectParser(reader, this.#script);
		this.#compounds = new CompoundParser(reader, this.#script, this.#redirects);
	}

	parse(closedBy: ")" | "}" | null): ShellScript {
		const reader = this.#reader;
		while (!reader.ended) {
			if (skipBetweenWords(reader)) continue;
			if (closedBy !== null && this.#ends(closedBy)) break;
			if (this.#script.draft) this.#step();
			else {
				this.#script.startAt(this.#compounds.inPattern ? -1 : reader.at);
				if (this.#compounds.inPattern || !this.#plainCommand()) this.#step();
			}
		}
		this.#script.endCommand();
		// A here-document that begins on a substitution's last line has its body after the line around the substitution.
		if (reader.ended) this.#redirects.readBodies();
		if (closedBy !== null && reader.ended) reader.malformed = true;
		reader.at++;
		return this.#script.build();
	}

	/** Whether the script ends here. A brace ends it only where a command may begin. */
	#ends(closedBy: ")" | "}"): boolean {
		return (
			this.#reader.peek() === closedBy &&
			(closedBy === ")" || !this.#script.draft) &&
			!this.#script.isOpen(closedBy) &&
			!this.#compounds.inPattern
		);
	}

	/** Reads a command of plain words. False when the next one is none. */
	#plainCommand(): boolean {
		const reader = this.#reader;
		// Asked first, because a line may be nothing but reserved words, each with the rest of the line behind it.
		if (isAtReservedWord(reader)) return false;
		const end = findPlainEnd(reader.text, reader.at);
		return end > reader.at && this.#script.addPlain(reader.text.slice(reader.at, end));
	}

	#step(): void {
		const character = this.#reader.peek();
		this.#reader.step();
		if (this.#compounds.inPattern) this.#compounds.casePattern();
		else if (character === "\n") this.#redirects.newline();
		else if (character === ";") this.#semicolon();
		else if (character === "&" || character === "|") this.#joint();
		else if (character === "(") this.#openParenthesis();
		else if (character === ")") this.#closeParenthesis();
		else if ((character === "<" || character === ">") && this.#reader.peek(1) !== "(") this.#redirects.parse();
		else this.#word();
	}

	#semicolon(): void {
		this.#script.endList();
		const reader = this.#reader;
		reader.at++;
		const double = reader.peek() === ";" || reader.peek() === "&";
		if (reader.peek() === ";") reader.at++;
		if (reader.peek() === "&") reader.at++;
		if (double) this.#compounds.beginClause();
	}

	/** `&`, `&&`, `||`, `|`, `|&`, or a redirect that begins with `&`. */
	#joint(): void {
		const reader = this.#reader;
		if (reader.startsWith("&>")) {
			this.#redirects.parse();
			return;
		}
		this.#script.join(reader.peek() === "|" && reader.peek(1) !== "|");
		reader.at += reader.startsWith("&&") || reader.startsWith("||") || reader.startsWith("|&") ? 2 : 1;
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

	/** An extended glob, a function's `()`, arithmetic, or a group in a shell of its own. */
	#openParenthesis(): void {
		const reader = this.#reader;
		const { draft } = this.#script;
		if (draft && draft.words.length > 1 && /[?+@!]/.test(reader.text[reader.at - 1] ?? "")) {
			this.#extendedGlob(draft.words);
			return;
		}
		const name = unquotedText(draft?.words.at(-1) ?? []);
		if (name !== null && this.#compounds.skipEmptyParentheses()) this.#defineFunction(name, draft);
		else if (!draft && reader.startsWith("((") && reader.isArithmetic(reader.at)) {
			reader.at += 2;
			this.#script.begin().words.push(reader.arithmetic(true));
			this.#script.endCommand();
		} else {
			if (draft) reader.malformed = true;
			reader.at++;
			this.#script.open(")");
		}
	}

	/** Takes the last word as a function's name. Only a name alone can be one: words before it are a mistake, which must hide nothing. */
	#defineFunction(name: string, draft: CommandDraft | null): void {
		draft?.words.pop();
		if (draft && draft.words.length > 0) this.#reader.malformed = true;
		else this.#script.dropDraft();
		this.#script.endCommand();
		this.#script.pendingFunction = name;
	}

	#closeParenthesis(): void {
		this.#script.endCommand();
		this.#reader.at++;
		this.#script.close(")");
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
		if (this.#redirects.takeDescriptor(text)) return;
		const { draft } = this.#script;
		if (draft && draft.words.length > 0) this.#nextWord(draft, word);
		else if (!(text !== null && !draft && this.#compounds.parse(text))) this.#firstWord(this.#withIndex(word));
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
			reader.skipInline();
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
		const draft = this.#script.begin();
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
		const values = readWordsUntil(this.#reader, this.#redirects, ")");
		// Equal values are one object.
		for (const value of new Set(values)) draft.assignments.push({ ...assignment, value, appends: false });
		if (values.length > 1) draft.assignments.push({ name: assignment.name, value: joinWords(values) });
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
	const command = { ...toDraft(null), redirects: [{ operator: "<<<" as const, target }], size };
	return { commands: [command], functions: [], malformed: false, tooDeep: reader.tooDeep, size };
}

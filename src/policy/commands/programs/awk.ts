// Programs of awk: the commands that they run and pipe to, and the files that they read and write, with the texts that
// they join.
import { quoteShellWord } from "../../../text/shell-word.ts";
import { UNKNOWN } from "../../placeholders.ts";
import {
	type Effect,
	fillEffect,
	guessedScriptEffect,
	type ProgramRule,
	raiseEffect,
	readEffect,
	runFileEffect,
	writeEffect,
} from "../effects.ts";
import { TokenCursor } from "./code-cursor.ts";
import { type CodeToken, openCodeTokens } from "./code-tokens.ts";
import { MAX_TEXT_CHARS, textFormat } from "./code-values.ts";

/** Brackets that are open, and what stands before them. */
interface AwkFrame {
	readonly name: string;
	readonly args: (string | null)[];
	/** The value in front of the bracket, to which the bracket's is joined. */
	readonly before: string | null;
	readonly target: string | null;
}

/** Units of work for a character of a program. */
const PROGRAM_CHARACTER_WORK = 50;

/** Options of awk that take a value. */
const VALUE_OPTIONS = /^(?:-[vfeFilE]|--(?:assign|file|source|field-separator|include|load|exec))$/;

/** Functions of awk itself, which may stand apart from their bracket. */
const BUILT_IN = /^(?:system|sprintf|substr|gsub|sub|length|split|index|match|tolower|toupper|close)$/;

/** Where the value goes that is being read: into a variable, a file or a command. */
type AwkTarget = "write" | "append" | "pipe" | "read";

/** Follows a program from its first token to its last. A value is a text with `UNKNOWN` in it, or null for none yet. */
class AwkReader {
	readonly #tokens: TokenCursor;
	readonly #variables: Map<string, string>;
	readonly #effects: Effect[] = [];
	readonly #frames: AwkFrame[] = [];
	#value: string | null = null;
	#target: string | null = null;
	/** Whether a print statement is open, what it prints, and where that goes. */
	#prints: "print" | "printf" | null = null;
	readonly #items: (string | null)[] = [];
	#printed: string | null = null;
	#goes: AwkTarget | null = null;
	#last = "";

	constructor(text: string, variables: ReadonlyMap<string, string>) {
		this.#tokens = new TokenCursor(openCodeTokens(text, "awk"));
		this.#variables = new Map(variables);
	}

	read(): readonly Effect[] {
		for (let token = this.#tokens.next(); token; token = this.#tokens.next()) {
			if (token.kind === "string" || token.kind === "number") this.#join(token.value);
			else if (token.kind === "name") this.#name(token.value);
			else if (token.kind === "newline") this.#end();
			else this.#mark(token);
		}
		this.#end();
		return this.#effects;
	}

	#join(text: string): void {
		const joined = (this.#value ?? "") + text;
		this.#value = joined.length > MAX_TEXT_CHARS ? UNKNOWN : joined;
	}

	#name(name: string): void {
		if (name === "print" || name === "printf") {
			this.#end();
			this.#prints = name;
		} else if (name === "getline") this.#getline();
		else if (/^(?:if|while|for|do|else|return|in|function|func|delete|BEGIN|END|exit|next)$/.test(name))
			this.#value = null;
		else if (this.#tokens.is("(") && (!this.#tokens.peek()?.spaced || BUILT_IN.test(name))) this.#last = name;
		else if (this.#tokens.is("[")) this.#last = name;
		else if (this.#tokens.is("=")) {
			this.#tokens.next();
			this.#target = name;
			this.#value = null;
		} else this.#join(this.#variables.get(name) ?? UNKNOWN);
	}

	/** `getline line < "file"`. */
	#getline(): void {
		this.#value = null;
		for (let next = this.#tokens.peek(); next?.kind === "name"; next = this.#tokens.peek()) {
			this.#variables.set(next.value, UNKNOWN);
			this.#tokens.next();
		}
		if (this.#tokens.take("<")) this.#goes = "read";
	}

	#mark({ value }: CodeToken): void {
		if (value === "(" || value === "[") this.#open(value);
		else if (value === ")" || value === "]") this.#close();
		else if (value === "{" || value === "}" || value === ";") this.#end();
		else if (value === ",") (this.#frames.at(-1)?.args ?? this.#items).push(this.#take());
		else if (value === "$") this.#field();
		else if (value === "|") this.#pipe();
		else if (value === ">" && this.#prints && this.#frames.length === 0) {
			this.#printed ??= this.#takePrinted();
			this.#goes = this.#tokens.take(">") ? "append" : "write";
		} else this.#value = null;
	}

	#take(): string | null {
		const value = this.#value;
		this.#value = null;
		return value;
	}

	/** What the open statement prints. Without a value it is the line that was read. */
	#takePrinted(): string {
		const [first = null, ...rest] = [...this.#items, this.#take()];
		if (this.#prints === "printf") return textFormat(first ?? UNKNOWN, rest);
		return [first, ...rest].map((item) => item ?? UNKNOWN).join(" ");
	}

	/** `$1` is what the input holds. */
	#field(): void {
		if (this.#tokens.peek()?.kind === "name" || this.#tokens.peek()?.kind === "number") this.#tokens.next();
		else if (this.#tokens.is("(")) this.#last = "$";
		if (!this.#tokens.is("(")) this.#join(UNKNOWN);
	}

	#open(bracket: string): void {
		const name = bracket === "[" ? `${this.#last}[` : this.#last;
		this.#frames.push({ name, args: [], before: this.#take(), target: this.#target });
		this.#last = "";
		this.#target = null;
	}

	#close(): void {
		const frame = this.#frames.pop();
		if (!frame) return;
		if (this.#goes === "read") this.#flush();
		const args = [...frame.args, this.#take()];
		this.#assign(args.at(-1) ?? null);
		this.#target = frame.target;
		this.#value = frame.before;
		const result = this.#result(frame.name, args);
		if (result !== null) this.#join(result);
	}

	/** What a bracket stands for. */
	#result(name: string, args: readonly (string | null)[]): string | null {
		const [first = null] = args;
		if (name === "system") this.#run(first);
		if (name === "" || name === "print" || name === "printf") return args.length === 1 ? first : UNKNOWN;
		if (name === "ENVIRON[") return first === "HOME" ? "~" : UNKNOWN;
		return name === "sprintf" ? textFormat(first ?? UNKNOWN, args.slice(1)) : UNKNOWN;
	}

	#run(line: string | null): void {
		if (line === null || line.startsWith(UNKNOWN))
			this.#effects.push(raiseEffect("exec_action", "awk runs a command that it puts together"));
		else this.#effects.push(guessedScriptEffect(line));
	}

	/** `"command" | getline` runs what stands before the bar, `print | "command"` what stands behind it. */
	#pipe(): void {
		this.#tokens.take("&");
		if (this.#tokens.peek()?.kind === "name" && this.#tokens.peek()?.value === "getline") {
			const line = this.#take();
			if (/^\/inet/.test(line ?? "")) this.#effects.push(raiseEffect("forbidden_command", "awk opens a connection"));
			else this.#run(line);
		} else if (!this.#tokens.is("|")) {
			this.#printed ??= this.#takePrinted();
			this.#goes = "pipe";
		}
	}

	#assign(value: string | null): void {
		if (this.#target !== null) this.#variables.set(this.#target, value ?? UNKNOWN);
		this.#target = null;
	}

	#end(): void {
		this.#flush();
		this.#assign(this.#take());
		this.#prints = null;
		this.#items.length = 0;
		this.#printed = null;
	}

	/** Ends a redirect: the value names its file or its command. */
	#flush(): void {
		const goes = this.#goes;
		if (goes === null) return;
		const named = this.#take();
		this.#goes = null;
		if (goes === "pipe") this.#pipeInto(named);
		else if (named === null || named.startsWith(UNKNOWN)) return;
		else if (/^\/inet/.test(named)) this.#effects.push(raiseEffect("forbidden_command", "awk opens a connection"));
		else if (goes === "read") this.#effects.push(readEffect(named));
		else if (!/^\/dev\/(?:stdout|stderr|null)$/.test(named)) {
			this.#effects.push(writeEffect(named));
			if (this.#printed !== null && !this.#printed.includes(UNKNOWN))
				this.#effects.push(fillEffect(named, `${this.#printed}\n`));
		}
	}

	#pipeInto(command: string | null): void {
		if (command === null || command.startsWith(UNKNOWN)) this.#run(command);
		else if (this.#printed === null || this.#printed.includes(UNKNOWN))
			this.#effects.push(guessedScriptEffect(`awk 1 | ${command}`));
		else this.#effects.push(guessedScriptEffect(`printf '%s\\n' ${quoteShellWord(this.#printed)} | ${command}`));
	}
}

/** Finds what a program of awk does. */
export function findAwkEffects(text: string, variables: ReadonlyMap<string, string> = new Map()): readonly Effect[] {
	return new AwkReader(text, variables).read();
}

/** What one option of awk does. Programs and variables are collected. */
function optionEffects(
	option: string,
	value: string,
	programs: string[],
	variables: Map<string, string>,
): readonly Effect[] {
	const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(value);
	if (/^(?:-v|--assign)$/.test(option) && assigned) variables.set(assigned[1] ?? "", assigned[2] ?? "");
	if (/^(?:-e|--source)$/.test(option)) programs.push(value);
	if (/^(?:-l|--load)$/.test(option)) return [raiseEffect("exec_action", `awk loads the library ${value}`)];
	const loads = /^(?:-f|-E|--file|--exec)$/.test(option) || (/^(?:-i|--include)$/.test(option) && value !== "inplace");
	return loads ? [runFileEffect(value, "awk")] : [];
}

/** `awk -v name=value -f file program`. */
const awk: ProgramRule = ({ words, work }) => {
	const variables = new Map<string, string>();
	const programs: string[] = [];
	const effects: Effect[] = [];
	let isInPlace = false;
	let isNamed = false;
	let at = 0;
	for (let word = words[at]; word?.startsWith("-") && word !== "-"; word = words[++at]) {
		const attached = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? /^(-[vfeFil])(.+)$/s.exec(word);
		const option = attached?.[1] ?? word;
		if (!VALUE_OPTIONS.test(option)) continue;
		const value = attached?.[2] ?? words[++at] ?? "";
		effects.push(...optionEffects(option, value, programs, variables));
		isNamed ||= /^(?:-[feE]|--(?:file|source|exec))$/.test(option);
		isInPlace ||= value === "inplace";
	}
	const operands = words.slice(isNamed ? at : at + 1);
	if (isInPlace) for (const path of operands) effects.push(writeEffect(path));
	const program = isNamed ? programs.join("\n") : (words[at] ?? "");
	if (!work.charge(PROGRAM_CHARACTER_WORK * program.length)) return effects;
	return [...effects, ...findAwkEffects(program, variables)];
};

/** awk by all its names. */
export const AWK_COMMANDS: Readonly<Record<string, ProgramRule>> = { awk, gawk: awk, mawk: awk, nawk: awk };

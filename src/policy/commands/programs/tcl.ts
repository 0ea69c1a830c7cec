// Code of Tcl and expect: the programs that it runs, the files that it opens and deletes, and the code that it evaluates.
import { UNKNOWN } from "../../placeholders.ts";
import type { WorkBudget } from "../../work-budget.ts";
import {
	type Effect,
	guessedScriptEffect,
	raiseEffect,
	readEffect,
	runEffect,
	runFileEffect,
	writeEffect,
} from "../effects.ts";
import { MAX_TEXT_CHARS } from "./code-values.ts";

/** Commands whose words in braces are code. */
const BODY_COMMANDS =
	/^(?:if|elseif|else|while|for|foreach|proc|catch|try|eval|uplevel|namespace|expect|switch|after|time|apply|expr|interact|dict|lmap|coroutine)$/;

/** Units of work for a character, each time that it is read: a body is read with what it is part of, and by itself. */
const CHARACTER_WORK = 5;

/** Bodies in bodies that are followed. */
const MAX_NESTING = 16;

/** Words of one command, read from the first character to the last. */
class TclReader {
	readonly #text: string;
	readonly #nesting: number;
	readonly #work: WorkBudget;
	readonly #variables: Map<string, string>;
	readonly #effects: Effect[] = [];
	#at = 0;
	#words: { readonly text: string; readonly braced: boolean }[] = [];

	constructor(text: string, variables: Map<string, string>, nesting: number, work: WorkBudget) {
		this.#text = text;
		this.#variables = variables;
		this.#nesting = nesting;
		this.#work = work;
	}

	read(): readonly Effect[] {
		if (!this.#work.charge(CHARACTER_WORK * this.#text.length)) return [];
		while (this.#at < this.#text.length) {
			const character = this.#text[this.#at] ?? "";
			if (character === "\n" || character === ";") {
				this.#at++;
				this.#finish();
			} else if (/\s/.test(character)) this.#at++;
			else if (character === "\\" && this.#text[this.#at + 1] === "\n") this.#at += 2;
			else if (character === "#" && this.#words.length === 0) this.#skipLine();
			else this.#word(character);
		}
		this.#finish();
		return this.#effects;
	}

	#skipLine(): void {
		const end = this.#text.indexOf("\n", this.#at);
		this.#at = end < 0 ? this.#text.length : end;
	}

	#word(character: string): void {
		if (character === "{") {
			this.#words.push({ text: this.#enclosed("{", "}"), braced: true });
			return;
		}
		const isQuoted = character === '"';
		if (isQuoted) this.#at++;
		let text = "";
		while (this.#at < this.#text.length) {
			const next = this.#text[this.#at] ?? "";
			if (isQuoted ? next === '"' : /[\s;]/.test(next)) break;
			text += this.#piece(next);
		}
		if (isQuoted) this.#at++;
		this.#words.push({ text, braced: false });
	}

	/** A character, an escaped one, a variable or the result of a command. */
	#piece(character: string): string {
		if (character === "[") {
			this.#follow(this.#enclosed("[", "]"));
			return UNKNOWN;
		}
		const variable = /\$(?:\{([^}]{1,64})\}|([A-Za-z_:][\w:]{0,63}))/y;
		variable.lastIndex = this.#at;
		const found = character === "$" ? variable.exec(this.#text) : null;
		if (found) {
			this.#at += found[0].length;
			return this.#variables.get(found[1] ?? found[2] ?? "") ?? UNKNOWN;
		}
		const isEscape = character === "\\";
		const taken = isEscape ? (this.#text[this.#at + 1] ?? "") : character;
		this.#at += isEscape ? 2 : 1;
		return taken;
	}

	/** Takes what stands in brackets, with the brackets in it. */
	#enclosed(open: string, close: string): string {
		const from = ++this.#at;
		for (let depth = 1; this.#at < this.#text.length; this.#at++) {
			const character = this.#text[this.#at];
			if (character === "\\") this.#at++;
			else if (character === open) depth++;
			else if (character === close && --depth === 0) break;
		}
		return this.#text.slice(from, this.#at++);
	}

	#follow(code: string): void {
		if (this.#nesting >= MAX_NESTING)
			this.#effects.push(raiseEffect("exec_action", "runs code that is nested too deeply to be read"));
		else
			for (const effect of new TclReader(code, this.#variables, this.#nesting + 1, this.#work).read())
				this.#effects.push(effect);
	}

	#finish(): void {
		const words = this.#words;
		if (words.length === 0) return;
		this.#words = [];
		const [name = "", ...args] = words.map(({ text }) => text);
		if (name === "set" && args[1] !== undefined)
			this.#variables.set(args[0] ?? "", args[1].length > MAX_TEXT_CHARS ? UNKNOWN : args[1]);
		this.#effects.push(...commandEffects(name, args));
		if (BODY_COMMANDS.test(name)) for (const { text, braced } of words) if (braced) this.#follow(text);
		if (/^(?:eval|uplevel|after|catch)$/.test(name) && words.every(({ braced }) => !braced))
			this.#follow(args.join(" "));
	}
}

/** What one command does, with its words. */
function commandEffects(name: string, args: readonly string[]): readonly Effect[] {
	const operands = args.filter((word) => !word.startsWith("-"));
	const [first = ""] = args;
	if (/^(?:::)?(?:exec|spawn)$/.test(name)) {
		const at = args.findIndex((word) => !/^-(?:ignorestderr|keepnewline|noecho|-)$/.test(word));
		const fields = at < 0 ? [] : args.slice(at);
		if (fields[0]?.startsWith(UNKNOWN)) return [raiseEffect("exec_action", "code runs a command that is computed")];
		// A bar, and redirects, stand among the words as they do in a shell.
		return [
			runEffect(fields),
			...(fields.some((word) => /^[|<>]/.test(word)) ? [guessedScriptEffect(fields.join(" "))] : []),
		];
	}
	if (name === "system") return [guessedScriptEffect(args.join(" "))];
	if (name === "source") return [runFileEffect(operands[0] ?? "", "tcl")];
	if (name === "load") return [raiseEffect("exec_action", `code loads the library ${first}`)];
	if (name === "socket") return [raiseEffect("exec_action", "code opens a connection")];
	if (name === "open") return openEffects(args);
	return name === "file"
		? fileEffects(
				first,
				args.slice(1).filter((word) => !word.startsWith("-")),
			)
		: [];
}

/** `open path mode`, `open "|command"`. */
function openEffects([path = "", mode = "r"]: readonly string[]): readonly Effect[] {
	if (path.startsWith("|")) return [guessedScriptEffect(path.slice(1))];
	if (path === "" || path.startsWith(UNKNOWN)) return [];
	return [/[wa+]|WRONLY|RDWR|CREAT/.test(mode) ? writeEffect(path) : readEffect(path)];
}

function fileEffects(action: string, paths: readonly string[]): readonly Effect[] {
	const known = paths.filter((path) => path !== "" && !path.startsWith(UNKNOWN));
	if (action === "delete") return known.map((path): Effect => ({ kind: "remove", path, recursive: true }));
	if (/^(?:copy|rename|link|mkdir)$/.test(action)) return known.slice(-1).map((path) => writeEffect(path));
	return [];
}

/** Finds what code of Tcl does. */
export function findTclEffects(text: string, work: WorkBudget): readonly Effect[] {
	return new TclReader(text, new Map(), 0, work).read();
}

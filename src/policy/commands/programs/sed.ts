// Programs of sed: the lines of shell that they run, and the files that they read and write.
import {
	type Effect,
	guessedScriptEffect,
	type ProgramRule,
	raiseEffect,
	readEffect,
	runFileEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";

/** Options of sed whose value is a program, and those with a value that is none. */
const PROGRAM_OPTION = /^(?:-[nEruszi]*e|--expression)$/;
const FILE_OPTION = /^(?:-[nEruszi]*f|--file)$/;

/** Reads a program once, from its first character to its last. */
class SedReader {
	readonly #text: string;
	readonly #effects: Effect[] = [];
	#at = 0;

	constructor(text: string) {
		this.#text = text;
	}

	read(): readonly Effect[] {
		while (this.#at < this.#text.length) {
			this.#skipAddress();
			this.#command(this.#text[this.#at++] ?? "");
		}
		return this.#effects;
	}

	/** Skips `1,$`, `/from/I,+2` and `!`, and what separates commands. */
	#skipAddress(): void {
		for (let character = this.#text[this.#at]; character !== undefined; character = this.#text[this.#at]) {
			if (character === "/") {
				this.#at++;
				this.#until("/");
			} else if (character === "\\") {
				this.#at += 2;
				this.#until(this.#text[this.#at - 1] ?? "");
			} else if (/[\s;{}0-9,$!~+IM]/.test(character)) this.#at++;
			else return;
		}
	}

	/** Takes the text up to a mark that no backslash stands before. */
	#until(mark: string): string {
		const from = this.#at;
		while (this.#at < this.#text.length && this.#text[this.#at] !== mark)
			this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
		const found = this.#text.slice(from, this.#at);
		this.#at++;
		return found;
	}

	#restOfLine(): string {
		const end = this.#text.indexOf("\n", this.#at);
		const rest = this.#text.slice(this.#at, end < 0 ? undefined : end);
		this.#at = end < 0 ? this.#text.length : end + 1;
		return rest.trim();
	}

	#command(name: string): void {
		if (name === "s") this.#substitution();
		else if (name === "y") {
			const mark = this.#text[this.#at++] ?? "";
			this.#until(mark);
			this.#until(mark);
		} else if (/^[aic]$/.test(name)) this.#until("\n");
		else if (/^[wW]$/.test(name)) this.#file(writeEffect);
		else if (/^[rR]$/.test(name)) this.#file(readEffect);
		else if (name === "e") this.#run();
		else if (/^[btT:#]$/.test(name)) this.#label(name);
	}

	#label(name: string): void {
		if (name === "#") this.#restOfLine();
		else while (this.#at < this.#text.length && !/[;\n}]/.test(this.#text[this.#at] ?? "")) this.#at++;
	}

	#file(effect: (path: string) => Effect): void {
		const path = this.#restOfLine();
		if (path !== "" && !/^\/dev\/(?:std(?:in|out|err)|null)$/.test(path)) this.#effects.push(effect(path));
	}

	#run(): void {
		const next = this.#text[this.#at];
		const line = next === undefined || /[;}\n]/.test(next) ? "" : this.#restOfLine();
		this.#effects.push(
			line === "" ? raiseEffect("exec_action", "sed runs each line that it reads") : scriptEffect(line),
		);
	}

	#substitution(): void {
		const mark = this.#text[this.#at++] ?? "";
		this.#until(mark);
		const replacement = this.#until(mark);
		let runs = false;
		for (
			let flag = this.#text[this.#at];
			flag !== undefined && /[gpeiIMmw0-9]/.test(flag);
			flag = this.#text[this.#at]
		) {
			this.#at++;
			if (flag === "e") runs = true;
			if (flag === "w") {
				this.#file(writeEffect);
				break;
			}
		}
		if (!runs) return;
		this.#effects.push(
			guessedScriptEffect(replacement.replace(/\\([^0-9])/g, "$1")),
			raiseEffect("exec_action", "sed runs the result of a substitution"),
		);
	}
}

/** Finds what a program of sed does. */
export function findSedEffects(text: string): readonly Effect[] {
	return new SedReader(text).read();
}

/** `sed -e program -f file`: the pieces are one program, and without them the first operand is it. */
const sed: ProgramRule = ({ words, options }) => {
	const programs: string[] = [];
	const files: string[] = [];
	for (const [at, word] of words.entries()) {
		const [, long, value] = /^(--(?:expression|file))=(.*)$/s.exec(word) ?? [];
		if (PROGRAM_OPTION.test(word)) programs.push(words[at + 1] ?? "");
		else if (FILE_OPTION.test(word)) files.push(words[at + 1] ?? "");
		else if (long !== undefined) (long === "--file" ? files : programs).push(value ?? "");
		else if (/^-[nEruszi]*e./s.test(word)) programs.push(word.slice(word.indexOf("e") + 1));
		else if (/^-[nEruszi]*f./s.test(word)) files.push(word.slice(word.indexOf("f") + 1));
	}
	const isNamed = programs.length + files.length > 0;
	const program = isNamed ? programs.join("\n") : (options.operands[0] ?? "");
	return [...findSedEffects(program), ...files.map((path) => runFileEffect(path, "sed"))];
};

export const SED_COMMANDS: Readonly<Record<string, ProgramRule>> = { sed, gsed: sed };

// What the commands of a check leave behind for later ones: values of variables, text in files, and downloads. What flows
// between commands is in pipes.ts.
import type { WorkBudget } from "../work-budget.ts";
import { Pipes, predictWrappedOutput } from "./pipes.ts";
import { environmentsFor, latestEnvironment, recordValue, type Scope } from "./scope.ts";
import { type Environment, expandText } from "./shell/expand.ts";
import { DOWNLOADERS, predictOutput } from "./shell/output.ts";
import type { Assignment, ShellScript, SimpleCommand } from "./shell/script.ts";

/** Units of work for remembering what a file holds. Texts are joined when a file is read. */
const RECORDED_TEXT_WORK = 50;

/** The most text of one file that is remembered: more than one check can print at once. */
const MAX_FILE_CHARS = 8_388_608;

/** Commands that run the file they are given. */
const FILE_RUNNERS =
	/^(?:sh|bash|dash|zsh|ksh|ash|fish|source|\.|python[0-9.]*|node|perl|ruby|php|lua|deno|bun|pwsh|powershell|osascript)$/;

/** What a command reads, where that is known, and whether it reads anything. */
export interface CommandInput {
	readonly input: string | null;
	readonly piped: boolean;
}

/** A value that a variable was given. */
interface AssignedValue {
	readonly name: string;
	readonly value: string;
}

/** A file's path as commands name it: `./a.sh` is `a.sh`. */
function toFileKey(path: string): string {
	return path.replace(/^\.\//, "");
}

/** The state that all commands of one check share. Variables are those of the scope that each method is given. */
export class ShellState {
	readonly pipes: Pipes;
	readonly #work: WorkBudget;
	/** Paths of files that a command downloaded. */
	readonly #downloads = new Set<string>();
	/** Text that commands wrote to files, by path, where the text is known. */
	readonly #texts = new Map<string, string>();
	/** What the command prints whose redirects are followed. */
	#lastPrinted: { readonly fields: readonly string[]; readonly text: string | null } | null = null;

	constructor(work: WorkBudget) {
		this.#work = work;
		this.pipes = new Pipes(work);
	}

	/** The environments to try a command in. */
	environments(command: SimpleCommand, scope: Scope): readonly Environment[] {
		return environmentsFor(command, scope, this.#work, this.#outputIn(scope));
	}

	/** Records the assignments before a command, and gives each value when it is recorded. */
	*assign(assignments: readonly Assignment[], scope: Scope): Iterable<AssignedValue> {
		const environment = latestEnvironment(scope, this.#work, this.#outputIn(scope));
		for (const { name, value: word } of assignments) {
			const value = expandText(word, environment);
			recordValue(scope, name, value, this.#work);
			yield { name, value };
		}
	}

	/**
	 * Records what a command assigns by its words: `export x=1`, `read x`, `set -- …`, and `sudo for x in …`, which no
	 * shell takes, but which shows what was meant. Gives the values that are written as `name=value`.
	 */
	*assignWords(
		command: string,
		fields: readonly string[],
		scope: Scope,
		input: string | null,
	): Iterable<AssignedValue> {
		const words = fields.slice(1);
		const record = (name: string, value: string) => recordValue(scope, name, value, this.#work);
		if (command === "set") record("@", words.filter((word) => word !== "--").join(" "));
		else if (command === "printf" && words[0] === "-v")
			record(words[1] ?? "", predictOutput("printf", words.slice(2), null, this.#work) ?? "");
		for (const word of words) {
			const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
			if (name !== undefined && value !== undefined) {
				record(name, value);
				yield { name, value };
			} else if (command === "for") record(words[0] ?? "", word);
			else if (command === "read" && input !== null) record(word, input.trim());
		}
	}

	/** Remembers what a command writes to a file by a redirect, where its output is known. */
	recordRedirect(path: string, fields: readonly string[], { input, piped }: CommandInput): void {
		if (this.#lastPrinted?.fields !== fields)
			this.#lastPrinted = { fields, text: predictWrappedOutput(fields, input, piped, this.#work) };
		const { text } = this.#lastPrinted;
		const key = toFileKey(path);
		const known = this.#texts.get(key) ?? "";
		if (text === null || !this.#work.charge(RECORDED_TEXT_WORK)) return;
		if (known.length + text.length > MAX_FILE_CHARS) this.#work.exhaust();
		this.#texts.set(key, known + text);
		this.#work.learn();
	}

	/** Remembers a file that a command writes, when the command is one that downloads. */
	recordWrite(command: string, path: string): void {
		if (DOWNLOADERS.has(command)) this.#addDownload(toFileKey(path));
	}

	/** Remembers the files that a downloader names after the last part of their addresses. */
	recordDownloads(command: string, fields: readonly string[]): void {
		if (!DOWNLOADERS.has(command)) return;
		if (command !== "wget" && !fields.some((field) => /^-[a-zA-Z]*O/.test(field))) return;
		for (const field of fields.slice(1)) if (field.includes("/")) this.#addDownload(field.split("/").pop() ?? "");
	}

	#addDownload(key: string): void {
		if (this.#downloads.has(key)) return;
		this.#downloads.add(key);
		this.#work.learn();
	}

	/** The downloaded file that a command runs. */
	findDownloadRun(command: string, fields: readonly string[]): string | null {
		const download = fields.find((field) => this.#downloads.has(toFileKey(field)));
		return download === fields[0] || FILE_RUNNERS.test(command) ? (download ?? null) : null;
	}

	/** The text of the file that a command runs. */
	findTextRun(command: string, fields: readonly string[]): string | null {
		const operand = FILE_RUNNERS.test(command)
			? fields.slice(1).find((field) => this.#texts.has(toFileKey(field)))
			: undefined;
		return this.#texts.get(toFileKey(operand ?? fields[0] ?? "")) ?? null;
	}

	#outputIn(scope: Scope): (script: ShellScript) => string | null {
		return (script) => this.pipes.predictScriptOutput(script, scope);
	}
}

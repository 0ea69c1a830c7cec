// What commands read and print, as far as that is known without running them, and which commands it comes from.
import { foldingWork } from "../look-alikes.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { FileState } from "./file-state.ts";
import { commandName, parseCommandWords } from "./patterns.ts";
import { findCommandEffects } from "./programs/programs.ts";
import { type CommandInput, latestEnvironment, type Scope } from "./scope.ts";
import { expandText, expandWords, findScripts } from "./shell/expand.ts";
import outputFile from "./shell/output.json" with { type: "json" };
import { predictOutput } from "./shell/output.ts";
import {
	type CommandRange,
	type PlacedCommand,
	type ShellScript,
	type SimpleCommand,
	WALK_PIECE_WORK,
	type Word,
} from "./shell/script.ts";

/** Commands of a group whose output is predicted. */
const MAX_GROUP_COMMANDS = 64;

/** Units of work for predicting an output, without copying it. */
const OUTPUT_WORK = 100;

/** The text of a file that the check knows, seen from the folders of a scope. Null for other files. */
export type FileReader = (path: string) => string | null;

/** Whether the target of `<&` closes the input. */
function isClosing([part]: Word): boolean {
	return part?.kind === "text" && /^0?-?$/.test(part.text);
}

/** The inputs and outputs of the commands of one check. Each output is predicted once. */
export class Pipes {
	readonly #outputs = new WeakMap<SimpleCommand, { readonly text: string | null }>();
	readonly #files: FileState;
	readonly #work: WorkBudget;

	constructor(files: FileState, work: WorkBudget) {
		this.#files = files;
		this.#work = work;
	}

	/** Reads the files that the check knows, as commands of a scope name them. */
	fileReader({ folders }: Scope): FileReader {
		return (path) => this.#files.find(path, folders)?.text ?? null;
	}

	/** What a command reads: its last here-document or here-string, else its pipe, else what its script reads. */
	findInput({ script, command }: PlacedCommand, scope: Scope): CommandInput {
		const redirect = command.redirects.findLast(({ operator }) => operator.startsWith("<") && operator !== "<&");
		const output = (nested: ShellScript) => this.predictScriptOutput(nested, scope);
		if (redirect && redirect.operator !== "<" && redirect.operator !== "<>") {
			const text = expandText(redirect.target, latestEnvironment(scope, this.#work, output));
			return { input: this.#work.spent ? null : text, piped: true };
		}
		if (redirect) {
			const process = findScripts(redirect.target).find((nested) => nested.process);
			if (process) return { input: this.predictScriptOutput(process, scope), piped: true };
			const path = expandText(redirect.target, latestEnvironment(scope, this.#work, output));
			return { input: this.fileReader(scope)(path), piped: true };
		}
		// Another open file holds what nobody here knows. `<&-` closes the input.
		if (command.redirects.some(({ operator, target }) => operator === "<&" && !isClosing(target)))
			return { input: null, piped: true };
		if (command.reads) return { input: this.#printedBy(script, command.reads, scope), piped: true };
		return { input: scope.input, piped: scope.piped };
	}

	/** What the commands of a range print together. Null when the output of one of them is not known. */
	#printedBy(script: ShellScript, range: CommandRange, scope: Scope): string | null {
		// Nobody pipes the output of so many commands into a shell.
		if (range.to - range.from > MAX_GROUP_COMMANDS) return null;
		const commands = script.commands.slice(range.from, range.to);
		const isRead = (at: number) => commands.some(({ reads }) => reads && reads.from <= at && at < reads.to);
		let text = "";
		for (const [at, command] of commands.entries()) {
			if (!this.#work.charge(OUTPUT_WORK + 2 * commands.length)) return null;
			if (isRead(range.from + at)) continue;
			const own = this.#printedByOne(script, command, scope);
			if (own === null || !this.#work.charge(own.length)) return null;
			text += own;
		}
		return text;
	}

	#printedByOne(script: ShellScript, command: SimpleCommand, scope: Scope): string | null {
		const cached = this.#outputs.get(command);
		if (cached) return cached.text;
		// While its output is being predicted, a command that reads itself has none.
		this.#outputs.set(command, { text: null });
		if (!this.#work.charge(WALK_PIECE_WORK * command.size)) return null;
		const fields = expandWords(
			command.words,
			latestEnvironment(scope, this.#work, (nested) => this.predictScriptOutput(nested, scope)),
		);
		const { input, piped } = this.findInput({ script, command }, scope);
		const silent =
			command.redirects.some(({ operator }) => /^(?:&?>>?|>\|)$/.test(operator)) ||
			(fields.length === 0 && !command.redirects.some(({ operator }) => operator === "<"));
		const text = silent ? "" : predictWrappedOutput(fields, { input, piped }, this.fileReader(scope), this.#work);
		this.#outputs.set(command, { text });
		return text;
	}

	/** What a script prints. Null when that is not known. */
	predictScriptOutput(script: ShellScript, scope: Scope): string | null {
		return this.#printedBy(script, { from: 0, to: script.commands.length }, scope);
	}
}

/** Commands that print what their only operand holds, or what they make of it. */
const OPERAND_READERS: ReadonlySet<string> = new Set(outputFile.operand_readers);

/** Replaces the only operand of a command, where that is a file of known text, by this text as its input. */
function readOperand(
	name: string,
	args: readonly string[],
	readFile: FileReader,
): { readonly args: readonly string[]; readonly read: string | null } {
	if (!OPERAND_READERS.has(name)) return { args, read: null };
	const operands = args.filter((word) => !/^-./.test(word));
	const [operand] = operands;
	const read = operands.length === 1 && operand !== undefined ? readFile(operand) : null;
	return read === null ? { args, read } : { args: args.filter((word) => word !== operand), read };
}

/** What a command prints, also inside wrappers: `sudo echo`, `timeout 5 printf`. Null when that is not known. */
export function predictWrappedOutput(
	fields: readonly string[],
	{ input, piped }: CommandInput,
	readFile: FileReader,
	work: WorkBudget,
	layer = 0,
): string | null {
	const words = work.charge(OUTPUT_WORK) ? parseCommandWords(fields, work) : null;
	if (!words) return null;
	const { args, read } = readOperand(words.name, fields.slice(1), readFile);
	const text = predictOutput(words.name, args, read ?? input, work);
	if (text !== null || fields.length === 0 || layer > 6) return text;
	for (const effect of findCommandEffects({ ...words, input, piped, work, sources: () => [] })) {
		if (work.spent) return null;
		const inner =
			effect.kind === "run" && effect.listed !== true
				? predictWrappedOutput(effect.fields, { input, piped }, readFile, work, layer + 1)
				: null;
		if (inner !== null) return inner;
	}
	return null;
}

/** The words of a command and the targets of its redirects. */
export function wordsAndTargets(command: SimpleCommand): readonly Word[] {
	return [...command.words, ...command.redirects.map(({ target }) => target)];
}

/** The scripts of a command's process substitutions, `<(…)` and `>(…)`. */
export function processSubstitutions(command: SimpleCommand): readonly ShellScript[] {
	return wordsAndTargets(command)
		.flatMap(findScripts)
		.filter((script) => script.process);
}

/** Commands in a chain of pipes, and in each of their groups, whose names are collected. */
const MAX_SOURCES = 32;

/** Names of the commands that a command reads from, or whose output its words contain. */
export function sourceCommandNames({ script, command }: PlacedCommand, work: WorkBudget): readonly string[] {
	const names: string[] = [];
	const add = (commands: readonly SimpleCommand[]) => {
		for (const { words } of commands) {
			for (const word of words.slice(0, 6)) {
				const text = word[0]?.kind === "text" ? word[0].text : "";
				if (work.charge(OUTPUT_WORK + foldingWork(text) + 6 * text.length)) names.push(commandName(text));
			}
		}
	};
	let reads = command.reads;
	for (let steps = 0; reads && steps < MAX_SOURCES; steps++) {
		add(script.commands.slice(reads.from, Math.min(reads.to, reads.from + MAX_SOURCES)));
		reads = script.commands[reads.from]?.reads ?? null;
	}
	if (!work.charge(WALK_PIECE_WORK * command.size)) return names;
	for (const nested of wordsAndTargets(command).flatMap(findScripts)) add(nested.commands.slice(0, MAX_SOURCES));
	return names;
}

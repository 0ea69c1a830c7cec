// What commands read and print, as far as that is known without running them, and which commands it comes from.
import { foldingWork } from "../look-alikes.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { CommandCheck } from "./command-check.ts";
import { MAX_WRAPPING_DEPTH } from "./frames.ts";
import { commandName, parseCommandWords } from "./patterns.ts";
import { findCommandEffects } from "./programs/programs.ts";
import { type CommandInput, latestEnvironment, type Scope } from "./scope.ts";
import { type Environment, expandText, expandWords, findSubstitutions } from "./shell/expand.ts";
import outputFile from "./shell/output.json" with { type: "json" };
import { predictOutput } from "./shell/output.ts";
import {
	type CommandRange,
	type PlacedCommand,
	type Redirect,
	type ShellScript,
	type SimpleCommand,
	WALK_PIECE_WORK,
	type Word,
	wordsAndTargets,
} from "./shell/script.ts";

/** Units of work for predicting an output, without copying it. */
const OUTPUT_WORK = 100;

/** The text of a file that the check knows, seen from the folders of a scope. Null for other files. */
export type FileReader = (path: string) => string | null;

/** The environment of the last recorded values, in which substitutions are what their scripts print. */
export function currentEnvironment(check: CommandCheck, scope: Scope): Environment {
	return latestEnvironment(scope, check.work, (script) => predictScriptOutput(check, script, scope));
}

/** Whether the target of `<&` closes the input. */
function isClosing([part]: Word): boolean {
	return part?.kind === "text" && /^0?-?$/.test(part.text);
}

/** The commands of a range that print to a pipe inside it: what they print reaches nobody else. */
function findReadCommands({ commands }: ShellScript, { from, to }: CommandRange): ReadonlySet<SimpleCommand> {
	const read = new Set<SimpleCommand>();
	// What reads the same commands shares their range.
	const ranges = new Set(commands.slice(from, to).map(({ reads }) => reads));
	for (const reads of ranges)
		if (reads !== null) for (const command of commands.slice(Math.max(from, reads.from), reads.to)) read.add(command);
	return read;
}

/** Whether a redirect takes what a command prints. That of its errors leaves the output where it is. */
function takesOutput({ operator, descriptor }: Redirect): boolean {
	return /^(?:&?>>?|>\|)$/.test(operator) && (descriptor === undefined || descriptor === "1");
}

/** Reads the files that the check knows, as commands of a scope name them. */
export function fileReader(check: CommandCheck, { folders }: Scope): FileReader {
	return (path) => check.files.find(path, folders)?.text ?? null;
}

/** What a command reads: its last here-document or here-string, else its pipe, else what its script reads. */
export function findInput(check: CommandCheck, { script, command }: PlacedCommand, scope: Scope): CommandInput {
	const redirect = command.redirects.findLast(({ operator }) => operator.startsWith("<") && operator !== "<&");
	if (redirect && redirect.operator !== "<" && redirect.operator !== "<>") {
		const text = expandText(redirect.target, currentEnvironment(check, scope));
		return { input: check.work.spent ? null : text, piped: true };
	}
	if (redirect) {
		const substituted = findSubstitutions(redirect.target).find(({ process }) => process);
		if (substituted) return { input: predictScriptOutput(check, substituted.script, scope), piped: true };
		const path = expandText(redirect.target, currentEnvironment(check, scope));
		return { input: fileReader(check, scope)(path), piped: true };
	}
	// Another open file holds what nobody here knows. `<&-` closes the input.
	if (command.redirects.some(({ operator, target }) => operator === "<&" && !isClosing(target)))
		return { input: null, piped: true };
	if (command.reads) return { input: printedBy(check, script, command.reads, scope), piped: true };
	return { input: scope.input, piped: scope.piped };
}

/** What the commands of a range print together. Null when the output of one of them is not known. */
function printedBy(check: CommandCheck, script: ShellScript, range: CommandRange, scope: Scope): string | null {
	if (!check.work.charge(5 * (range.to - range.from))) return null;
	const read = findReadCommands(script, range);
	let text = "";
	for (let at = range.from; at < range.to; at++) {
		const command = script.commands[at];
		if (!command || read.has(command)) continue;
		if (!check.work.charge(OUTPUT_WORK)) return null;
		const own = printedByOne(check, script, command, scope);
		if (own === null || !check.work.charge(own.length)) return null;
		text += own;
	}
	return text;
}

function printedByOne(check: CommandCheck, script: ShellScript, command: SimpleCommand, scope: Scope): string | null {
	const cached = check.outputs.get(command);
	if (cached) return cached.text;
	// While its output is being predicted, a command that reads itself has none.
	check.outputs.set(command, { text: null });
	if (!check.work.charge(WALK_PIECE_WORK * command.size)) return null;
	const fields = expandWords(command.words, currentEnvironment(check, scope));
	const { input, piped } = findInput(check, { script, command }, scope);
	const silent =
		command.redirects.some(takesOutput) ||
		(fields.length === 0 && !command.redirects.some(({ operator }) => operator === "<"));
	const text = silent ? "" : predictWrappedOutput(fields, { input, piped }, fileReader(check, scope), check.work);
	check.outputs.set(command, { text });
	return text;
}

/** What a script prints. Null when that is not known. */
export function predictScriptOutput(check: CommandCheck, script: ShellScript, scope: Scope): string | null {
	return printedBy(check, script, { from: 0, to: script.commands.length }, scope);
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
	if (text !== null || fields.length === 0) return text;
	if (layer > MAX_WRAPPING_DEPTH) work.exhaust();
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

/** The scripts of a command's process substitutions, `<(…)` and `>(…)`. */
export function processSubstitutions(command: SimpleCommand): readonly ShellScript[] {
	return wordsAndTargets(command)
		.flatMap(findSubstitutions)
		.flatMap(({ process, script }) => (process ? [script] : []));
}

/** Units of work for naming a source again that was named for another command. */
const NAMED_SOURCE_WORK = 3;

/** The names that the words of commands are, by the range or the script that they stand in. */
const namesInRanges = new WeakMap<CommandRange | ShellScript, readonly string[]>();

/** Every word of the commands in a range, as a command's name: any of them may be what a wrapper runs. */
function namesInRange(
	script: ShellScript,
	range: CommandRange,
	owner: CommandRange | ShellScript,
	work: WorkBudget,
): readonly string[] {
	const known = namesInRanges.get(owner);
	if (known) return work.charge(NAMED_SOURCE_WORK * (1 + known.length)) ? known : [];
	const names: string[] = [];
	for (let at = range.from; at < range.to; at++) {
		for (const [part] of script.commands[at]?.words ?? []) {
			const text = part?.kind === "text" ? part.text : "";
			if (!work.charge(OUTPUT_WORK + foldingWork(text) + 6 * text.length)) return names;
			names.push(commandName(text));
		}
	}
	namesInRanges.set(owner, names);
	return names;
}

/** Names of the commands that a command reads from, or whose output its words contain. */
export function sourceCommandNames({ script, command }: PlacedCommand, work: WorkBudget): readonly string[] {
	const names: string[] = [];
	for (let { reads } = command; reads && !work.spent; reads = script.commands[reads.from]?.reads ?? null)
		names.push(...namesInRange(script, reads, reads, work));
	if (!work.charge(WALK_PIECE_WORK * command.size)) return names;
	const nested = new Set(
		wordsAndTargets(command)
			.flatMap(findSubstitutions)
			.map(({ script }) => script),
	);
	for (const each of nested) names.push(...namesInRange(each, { from: 0, to: each.commands.length }, each, work));
	return names;
}

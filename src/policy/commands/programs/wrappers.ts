// Commands that run other commands: with privileges, within limits, for a list, in containers. Shells are in shells.ts.

import { LISTED } from "../../placeholders.ts";
import { charactersIn, searchingWork, type WorkBudget } from "../../work-budget.ts";
import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
	runEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";
import { firstOperandIndexes, MAX_FIRST_OPERANDS } from "../options.ts";
import { runDashC } from "./shells.ts";
import wrappersFile from "./wrappers.json" with { type: "json" };

/** A command that runs the words after its options and `skip` operands: `timeout 5 rm`, `chroot /mnt rm`. */
function prefixRule(skip = 0): ProgramRule {
	return ({ words }) => runsAtFirstOperand(words, skip, 0);
}

function* runsAtFirstOperand(words: readonly string[], skip: number, from: number): Iterable<Effect> {
	const starts = firstOperandIndexes(words, from);
	for (const at of starts) {
		if (skip > 0) yield* runsAtFirstOperand(words, skip - 1, at + 1);
		else yield runEffect(words.slice(at));
	}
	if (starts.length === MAX_FIRST_OPERANDS) yield TOO_MANY_OPTIONS;
}

/** The command may be a word that was not tried. */
const TOO_MANY_OPTIONS = raiseEffect("oversize_command", "more options before a command than can be followed");

/** `env -S text`: several words in one. */
const ENV_SPLIT_OPTION = /^(?:-[a-zA-Z]*S|--split-string=?)(.*)$/s;

/** `env` takes assignments before the command, and `-S`, whose value is split into words. */
function* env({ words }: Invocation): Iterable<Effect> {
	const at = words.findIndex((word) => ENV_SPLIT_OPTION.test(word));
	if (at >= 0) {
		const attached = ENV_SPLIT_OPTION.exec(words[at] ?? "")?.[1] ?? "";
		const text = attached === "" ? (words[at + 1] ?? "") : attached;
		const rest = words.slice(at + (attached === "" ? 2 : 1));
		yield runEffect([...text.split(/\s+/).filter((piece) => piece !== ""), ...rest]);
	}
	const starts = firstOperandIndexes(words);
	if (starts.length === MAX_FIRST_OPERANDS) yield TOO_MANY_OPTIONS;
	for (const at of starts) yield* runsAfterAssignments(words, at);
	if (words.length === 0) yield riskyEffect("prints every environment variable");
}

function runsAfterAssignments(words: readonly string[], from: number): readonly Effect[] {
	let at = from;
	while (/^[^/=]+=/.test(words[at] ?? "")) at++;
	return at < words.length ? [runEffect(words.slice(at))] : [];
}

/** `sudo` takes assignments before the command, like `env`. */
function* sudo({ words }: Invocation): Iterable<Effect> {
	const starts = firstOperandIndexes(words);
	if (starts.length > 0) yield riskyEffect("runs with another user's rights");
	for (const at of starts) yield* runsAfterAssignments(words, at);
	if (starts.length === MAX_FIRST_OPERANDS) yield TOO_MANY_OPTIONS;
	if (words.some((word) => /^(?:-e|--edit)$/.test(word))) yield* words.map((path) => writeEffect(path));
}

/** `command` and `builtin`. With `-v`, they only look the name up. */
const builtinCommand: ProgramRule = (command) =>
	/^-[a-zA-Z]*[vV]/.test(command.words[0] ?? "") ? [] : runsAtFirstOperand(command.words, 0, 0);

/** Lines of an input that are filled into commands. */
const MAX_INPUT_LINES = 32;

/** The first lines of an input, without blank ones. */
function firstLines(input: string, work: WorkBudget): readonly string[] {
	const lines: string[] = [];
	if (!work.charge(3 * input.length)) return lines;
	for (const [line] of input.matchAll(/[^\n]+/g)) {
		const trimmed = line.trim();
		if (trimmed !== "") lines.push(trimmed);
		if (lines.length === MAX_INPUT_LINES) break;
	}
	return lines;
}

/** A command that names are filled into: the words from `at` on, at each `mark`, or behind them where there is none. */
interface ListTemplate {
	readonly words: readonly string[];
	readonly at: number;
	readonly mark: string;
	readonly work: WorkBudget;
}

/**
 * Fills the known lines of an input into the command of `xargs` or `parallel`, and a placeholder for any other name.
 */
function* fillTemplate({ words, at, mark, work }: ListTemplate, lines: readonly string[]): Iterable<Effect> {
	const command = words.slice(at);
	if (!work.charge(searchingWork(charactersIn(command), mark.length))) return;
	const marks = mark === "" ? 0 : command.reduce((sum, word) => sum + word.split(mark).length - 1, 0);
	const fill = (value: string) =>
		marks > 0 ? command.map((word) => word.replaceAll(mark, () => value)) : [...command, value];
	for (const line of lines) {
		if (!work.charge(5 * command.length + 10 * (marks + 1) * line.length)) return;
		yield runEffect(marks > 0 ? fill(line) : [...command, ...line.split(/\s+/)]);
	}
	yield runEffect(fill(LISTED), true);
}

/** Options of xargs whose value is the next word. */
const XARGS_OPTIONS_WITH_VALUE =
	/^(?:-[IJnPLsdaER]|--(?:max-args|max-procs|max-lines|max-chars|delimiter|arg-file|eof))$/;

function isXargsCommand(words: readonly string[], word: string, at: number): boolean {
	return !/^-./.test(word) && !XARGS_OPTIONS_WITH_VALUE.test(words[at - 1] ?? "");
}

/** The mark that a word of xargs sets. Null when it sets none. */
function findMark(words: readonly string[], at: number): string | null {
	const word = words[at] ?? "";
	const match = /^(?:-[IiJ](.*)|--replace(?:=(.*))?)$/s.exec(word);
	if (!match) return null;
	const attached = match[1] ?? match[2] ?? "";
	return attached !== "" ? attached : /^-[IJ]$/.test(word) ? (words[at + 1] ?? "{}") : "{}";
}

function* xargs({ words, input, work }: Invocation): Iterable<Effect> {
	const markAt = words.findIndex((_, at) => findMark(words, at) !== null);
	const mark = findMark(words, markAt) ?? "";
	const first = words.findIndex((word, at) => isXargsCommand(words, word, at));
	if (first < 0) return;
	const lines = firstLines(input ?? "", work);
	for (const at of firstOperandIndexes(words, first)) yield* fillTemplate({ words, at, mark, work }, lines);
}

function* parallelCommand({ words, input, work }: Invocation): Iterable<Effect> {
	const list = words.findIndex((word) => /^:::/.test(word));
	const command = list < 0 ? words : words.slice(0, list);
	const values = list < 0 ? input : words.slice(list + 1).join("\n");
	const starts = firstOperandIndexes(command);
	const lines = starts.length > 0 ? firstLines(values ?? "", work) : [];
	for (const at of starts) yield* fillTemplate({ words: command, at, mark: "{}", work }, lines);
	// Without a command, the lines themselves are commands.
	if (starts.length === 0 && values !== null && values !== "") yield scriptEffect(values);
}

/** Where the command of `-exec` ends: at `;`, at `+` behind `{}`, or with the last word. */
function endOfExec(words: readonly string[], from: number): number {
	let end = from;
	while (end < words.length && words[end] !== ";" && !(words[end] === "+" && words[end - 1] === "{}")) end++;
	return end;
}

/** `find` has primaries that run, delete and write. */
function* findCommand({ words }: Invocation): Iterable<Effect> {
	for (let at = 0; at < words.length; at++) {
		const word = words[at] ?? "";
		if (/^-(?:exec|execdir|ok|okdir)$/.test(word)) {
			const end = endOfExec(words, at + 1);
			const command = words.slice(at + 1, end);
			yield runEffect(
				command.map((next) => next.replaceAll("{}", LISTED)),
				true,
			);
			at = end;
		} else if (/^-(?:fprint|fprint0|fls|fprintf)$/.test(word)) {
			yield writeEffect(words[at + 1] ?? "");
			yield riskyEffect("writes a file through find");
			at++;
		} else if (/^-(?:name|iname|path|ipath|regex|wholename|type|newer|user|perm|size)$/.test(word)) at++;
		else if (word === "-delete") yield forbiddenEffect("find -delete removes whatever it matches");
	}
}

/**
 * Subcommands that run a command after some operands: `docker exec NAME …`, `kubectl exec POD -- …`, `poetry run …`.
 */
const RUNNING_SUBCOMMANDS: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
	Object.entries<Readonly<Record<string, number>>>(wrappersFile.subcommands).map(([name, table]) => [
		name,
		new Map(Object.entries(table)),
	]),
);

/** Finds the commands that a subcommand may run. */
export function* findInnerCommands(command: Invocation): Iterable<Effect> {
	const { name, words } = command;
	const table = RUNNING_SUBCOMMANDS.get(name);
	if (!table) return;
	for (const at of firstOperandIndexes(words)) {
		const word = words[at] ?? "";
		const skip = table.get(word);
		if (name === "docker" && word === "compose")
			yield* findInnerCommands({ ...command, name: "docker-compose", words: words.slice(at + 1) });
		else if (skip !== undefined) {
			const dashes = words.indexOf("--", at);
			if (dashes < 0) yield* runsAtFirstOperand(words, skip, at + 1);
			else yield runEffect(words.slice(dashes + 1));
		}
	}
}

/** `npx NAME …` runs a package by that name, which is downloaded if need be. */
function* npx(command: Invocation): Iterable<Effect> {
	if (command.options.flags.some((flag) => /^(?:-y|--yes)$/.test(flag)))
		yield riskyEffect("installs and runs a package unseen");
	yield* runsAtFirstOperand(command.words, 0, 0);
	yield* runDashC(command);
}

/** The wrappers by name. */
export const WRAPPERS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(wrappersFile.prefixes.map((name) => [name, prefixRule()])),
	...Object.fromEntries(
		Object.entries(wrappersFile.operands_before_command).map(([name, skip]) => [name, prefixRule(skip)]),
	),
	env,
	sudo,
	doas: sudo,
	command: builtinCommand,
	builtin: builtinCommand,
	xargs,
	parallel: parallelCommand,
	find: findCommand,
	gfind: findCommand,
	fd: (command) => {
		const at = command.words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
		return at < 0 ? [] : [runEffect([...command.words.slice(at + 1), LISTED], true)];
	},
	*flock(command) {
		yield* runDashC(command);
		yield* runsAtFirstOperand(command.words, 1, 0);
	},
	"nix-shell": (command) =>
		command.words.flatMap((word, at) =>
			/^--(?:run|command)$/.test(word) ? [scriptEffect(command.words[at + 1] ?? "")] : [],
		),
	npx,
	strace: prefixRule(),
};

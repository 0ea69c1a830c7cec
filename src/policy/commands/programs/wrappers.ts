// Commands that fill a list of names into other commands: xargs, parallel, find, fd. Shells are in shells.ts.

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
import { isBuildOutput, locatePath, readPath } from "../locations.ts";
import { firstOperandIndexes } from "../options.ts";
import { commandName } from "../patterns.ts";

/** The lines of an input, without blank ones. */
function inputLines(input: string, work: WorkBudget): readonly string[] {
	const lines: string[] = [];
	if (!work.charge(3 * input.length)) return lines;
	for (const [line] of input.matchAll(/[^\n]+/g)) {
		const trimmed = line.trim();
		if (trimmed !== "") lines.push(trimmed);
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
	const lines = inputLines(input ?? "", work);
	for (const at of firstOperandIndexes(words, first)) yield* fillTemplate({ words, at, mark, work }, lines);
}

function* parallelCommand({ words, input, work }: Invocation): Iterable<Effect> {
	const list = words.findIndex((word) => /^:::/.test(word));
	const command = list < 0 ? words : words.slice(0, list);
	const values = list < 0 ? input : words.slice(list + 1).join("\n");
	const starts = firstOperandIndexes(command);
	const lines = starts.length > 0 ? inputLines(values ?? "", work) : [];
	for (const at of starts) yield* fillTemplate({ words: command, at, mark: "{}", work }, lines);
	// Without a command, the lines themselves are commands.
	if (starts.length > 0) return;
	if (list < 0) yield { kind: "interpret", language: "shell" };
	else if (values !== null && values !== "") yield scriptEffect(values);
}

/** Where the command of `-exec` ends: at `;`, at `+` behind `{}`, or with the last word. */
function endOfExec(words: readonly string[], from: number): number {
	let end = from;
	while (end < words.length && words[end] !== ";" && !(words[end] === "+" && words[end - 1] === "{}")) end++;
	return end;
}

/** Primaries of find that choose some of the files by what they are called or how old they are. */
const FIND_FILTERS = /^-(?:i?name|i?path|i?wholename|i?regex|mtime|mmin|newer.*|empty)$/;

/** Whether find looks for files in the workspace and in temporary folders alone. */
function looksInside(words: readonly string[]): boolean {
	const ends = words.findIndex((word) => /^[-(!]/.test(word));
	const roots = words.slice(0, ends < 0 ? undefined : ends);
	return roots.every((root) => /^(?:inside|temporary)$/.test(locatePath(root)) || /^\.\/?$/.test(root));
}

/** Commands that remove the files in their words, or what is in them. */
const FILE_REMOVERS = /^(?:rm|unlink|shred|srm|wipe|truncate)$/;

/** Primaries that widen what find matches beyond one name. */
const FIND_JOINTS: ReadonlySet<string> = new Set(["-o", "-or", "!", "-not", ",", "-regex", "-iregex", "-files0-from"]);

/** Compiled files, which builds make again. */
const COMPILED_NAME = /^\*\.(?:pyc|pyo|class|o|obj|tsbuildinfo)$/;

/**
 * The name of the build output or cache that is all that find matches, in the workspace: `-name __pycache__`. Null where it
 * may match anything else.
 */
function findMatchedOutput(words: readonly string[]): string | null {
	const name = words[words.indexOf("-name") + 1] ?? "";
	const isOutput = COMPILED_NAME.test(name) || (!name.includes("/") && isBuildOutput(readPath(name)));
	const isAll = words.filter((word) => word === "-name").length === 1 && !words.some((word) => FIND_JOINTS.has(word));
	return isOutput && isAll && looksInside(words) ? name.replace("*", "x") : null;
}

/** What `-delete` removes: files that a filter chose from the workspace, or whatever there is. */
function findDeletion(words: readonly string[]): Effect {
	const isFiltered = words.some((word, at) => FIND_FILTERS.test(word) && !/^\*+$/.test(words[at + 1] ?? ""));
	return isFiltered && looksInside(words)
		? raiseEffect("delete_action", "find -delete removes the files that it matches", "the same with -print")
		: forbiddenEffect("find -delete removes whatever it matches", "the same with -print");
}

/** What `-exec rm` removes, besides the words of rm. @param output the build output that is all that find matches. */
function findRemoval(words: readonly string[], output: string | null): readonly Effect[] {
	if (!looksInside(words))
		return [forbiddenEffect("find removes what it matches outside the workspace", "the same with -print")];
	return output === null ? [] : [raiseEffect("delete_action", `find removes every ${output} that it finds`)];
}

/** `find` has primaries that run, delete and write. */
function* findCommand({ words }: Invocation): Iterable<Effect> {
	const output = findMatchedOutput(words);
	for (let at = 0; at < words.length; at++) {
		const word = words[at] ?? "";
		if (/^-(?:exec|execdir|ok|okdir)$/.test(word)) {
			const end = endOfExec(words, at + 1);
			const command = words.slice(at + 1, end);
			yield runEffect(
				command.map((next) => next.replaceAll("{}", output ?? LISTED)),
				output === null,
			);
			if (FILE_REMOVERS.test(commandName(command[0] ?? ""))) yield* findRemoval(words, output);
			at = end;
		} else if (/^-(?:fprint|fprint0|fls|fprintf)$/.test(word)) {
			yield writeEffect(words[at + 1] ?? "");
			yield riskyEffect("find writes what it matches to a file");
			at++;
		} else if (/^-(?:name|iname|path|ipath|regex|wholename|type|newer|user|perm|size)$/.test(word)) at++;
		else if (word === "-delete") yield findDeletion(words);
	}
}

/** `fd` adds what it found, unless `{}` says where. */
const fdCommand: ProgramRule = ({ words }) => {
	const at = words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
	if (at < 0) return [];
	const end = endOfExec(words, at + 1);
	return [runEffect([...words.slice(at + 1, end).map((word) => word.replace(/\{[/.]{0,2}\}/g, LISTED)), LISTED], true)];
};

/** The wrappers by name. Those whose words alone say what they run are in grammar/executors.json. */
export const WRAPPERS: Readonly<Record<string, ProgramRule>> = {
	xargs,
	gxargs: xargs,
	parallel: parallelCommand,
	gparallel: parallelCommand,
	find: findCommand,
	gfind: findCommand,
	fd: fdCommand,
	fdfind: fdCommand,
};

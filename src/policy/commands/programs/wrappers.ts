// Commands that run other commands: privileges, limits, loops over lists, containers. Shells are in shells.ts.

import { LISTED } from "../../placeholders.ts";
import { charactersIn, searchingWork, type WorkBudget } from "../../work-budget.ts";
import {
	type CommandModel,
	type Effect,
	forbid,
	type Invocation,
	raise,
	risky,
	run,
	script,
	write,
} from "../effects.ts";
import { firstOperands, MAX_PLACES } from "../options.ts";
import { dashC } from "./shells.ts";
import wrappersFile from "./wrappers.json" with { type: "json" };

/** Runs what follows its options, and `skip` operands before it: `timeout 5 rm`, `chroot /mnt rm`. */
function prefix(skip = 0): CommandModel {
	return ({ words }) => runsFrom(words, skip, 0);
}

function* runsFrom(words: readonly string[], skip: number, from: number): Iterable<Effect> {
	const places = firstOperands(words, from);
	for (const at of places) {
		if (skip > 0) yield* runsFrom(words, skip - 1, at + 1);
		else yield run(words.slice(at));
	}
	if (places.length === MAX_PLACES) yield TOO_MANY_OPTIONS;
}

/** Which word is the command cannot be told: it may be one that was not followed. */
const TOO_MANY_OPTIONS = raise("oversize_command", "more options before a command than can be followed");

/** `-S text` of env: more words in one. */
const SPLITS = /^(?:-[a-zA-Z]*S|--split-string=?)(.*)$/s;

/** `env`: assignments before the command, and `-S`, whose value is split into words. */
function* env({ words }: Invocation): Iterable<Effect> {
	const at = words.findIndex((word) => SPLITS.test(word));
	if (at >= 0) {
		const attached = SPLITS.exec(words[at] ?? "")?.[1] ?? "";
		const text = attached === "" ? (words[at + 1] ?? "") : attached;
		const rest = words.slice(at + (attached === "" ? 2 : 1));
		yield run([...text.split(/\s+/).filter((piece) => piece !== ""), ...rest]);
	}
	const places = firstOperands(words);
	if (places.length === MAX_PLACES) yield TOO_MANY_OPTIONS;
	for (const place of places) yield* runsAfterAssignments(words, place);
	if (words.length === 0) yield risky("prints every environment variable");
}

function runsAfterAssignments(words: readonly string[], from: number): readonly Effect[] {
	let at = from;
	while (/^[^/=]+=/.test(words[at] ?? "")) at += 1;
	return at < words.length ? [run(words.slice(at))] : [];
}

/** `sudo`: like `env` it takes assignments; a shell of its own when nothing follows. */
function* sudo({ words }: Invocation): Iterable<Effect> {
	const places = firstOperands(words);
	if (places.length > 0) yield risky("runs with another user's rights");
	for (const at of places) yield* runsAfterAssignments(words, at);
	if (places.length === MAX_PLACES) yield TOO_MANY_OPTIONS;
	if (words.some((word) => /^(?:-e|--edit)$/.test(word))) yield* words.map((path) => write(path));
}

/** `command` and `builtin`; with `-v` they only look the name up. */
const lookedUp: CommandModel = (command) =>
	/^-[a-zA-Z]*[vV]/.test(command.words[0] ?? "") ? [] : runsFrom(command.words, 0, 0);

/** Lines of an input that are put into commands. */
const MAX_LINES = 32;

/** The first lines of an input that are not blank. */
function firstLines(input: string, work: WorkBudget): readonly string[] {
	const lines: string[] = [];
	if (!work.charge(3 * input.length)) return lines;
	for (const [line] of input.matchAll(/[^\n]+/g)) {
		const trimmed = line.trim();
		if (trimmed !== "") lines.push(trimmed);
		if (lines.length === MAX_LINES) break;
	}
	return lines;
}

/** What a list of names is put into: the words from `at` on, at each `mark`, or, where there is none, behind them. */
interface Template {
	readonly words: readonly string[];
	readonly at: number;
	readonly mark: string;
	readonly work: WorkBudget;
}

/** What `xargs` and `parallel` put together: the known lines of the input, and a name that stands for any. */
function* listedCommands({ words, at, mark, work }: Template, lines: readonly string[]): Iterable<Effect> {
	const command = words.slice(at);
	if (!work.charge(searchingWork(charactersIn(command), mark.length))) return;
	const marks = mark === "" ? 0 : command.reduce((sum, word) => sum + word.split(mark).length - 1, 0);
	const fill = (value: string) =>
		marks > 0 ? command.map((word) => word.replaceAll(mark, () => value)) : [...command, value];
	for (const line of lines) {
		if (!work.charge(5 * command.length + 10 * (marks + 1) * line.length)) return;
		yield run(marks > 0 ? fill(line) : [...command, ...line.split(/\s+/)]);
	}
	yield run(fill(LISTED), true);
}

/** Options of xargs that take the next word. */
const XARGS_VALUES = /^(?:-[IJnPLsdaER]|--(?:max-args|max-procs|max-lines|max-chars|delimiter|arg-file|eof))$/;

function isXargsCommand(words: readonly string[], word: string, at: number): boolean {
	return !/^-./.test(word) && !XARGS_VALUES.test(words[at - 1] ?? "");
}

/** The mark that a word of xargs sets; undefined when it sets none. */
function markAt(words: readonly string[], at: number): string | undefined {
	const word = words[at] ?? "";
	const found = /^(?:-[IiJ](.*)|--replace(?:=(.*))?)$/s.exec(word);
	if (!found) return undefined;
	const attached = found[1] ?? found[2] ?? "";
	return attached !== "" ? attached : /^-[IJ]$/.test(word) ? (words[at + 1] ?? "{}") : "{}";
}

function* xargs({ words, input, work }: Invocation): Iterable<Effect> {
	const marked = words.findIndex((_, at) => markAt(words, at) !== undefined);
	const mark = markAt(words, marked) ?? "";
	const first = words.findIndex((word, at) => isXargsCommand(words, word, at));
	if (first < 0) return;
	const lines = firstLines(input ?? "", work);
	for (const at of firstOperands(words, first)) yield* listedCommands({ words, at, mark, work }, lines);
}

function* parallel({ words, input, work }: Invocation): Iterable<Effect> {
	const list = words.findIndex((word) => /^:::/.test(word));
	const command = list < 0 ? words : words.slice(0, list);
	const values = list < 0 ? input : words.slice(list + 1).join("\n");
	const places = firstOperands(command);
	const lines = places.length > 0 ? firstLines(values ?? "", work) : [];
	for (const at of places) yield* listedCommands({ words: command, at, mark: "{}", work }, lines);
	// Without a command, the lines themselves are commands.
	if (places.length === 0 && values !== undefined && values !== "") yield script(values);
}

/** Where the command of `-exec` ends: at a `;`, at a `+` behind `{}`, or with the words. */
function endOfExec(words: readonly string[], from: number): number {
	let end = from;
	while (end < words.length && words[end] !== ";" && !(words[end] === "+" && words[end - 1] === "{}")) end += 1;
	return end;
}

/** `find`: its primaries run, delete and write. */
function* find({ words }: Invocation): Iterable<Effect> {
	for (let at = 0; at < words.length; at += 1) {
		const word = words[at] ?? "";
		if (/^-(?:exec|execdir|ok|okdir)$/.test(word)) {
			const end = endOfExec(words, at + 1);
			const command = words.slice(at + 1, end);
			yield run(
				command.map((next) => next.replaceAll("{}", LISTED)),
				true,
			);
			at = end;
		} else if (/^-(?:fprint|fprint0|fls|fprintf)$/.test(word)) {
			yield write(words[at + 1] ?? "");
			yield risky("writes a file through find");
			at += 1;
		} else if (/^-(?:name|iname|path|ipath|regex|wholename|type|newer|user|perm|size)$/.test(word)) at += 1;
		else if (word === "-delete") yield forbid("find -delete removes whatever it matches");
	}
}

/** A subcommand that runs a command inside: `docker exec NAME …`, `kubectl exec POD -- …`, `poetry run …`. */
const SUBCOMMANDS: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
	Object.entries<Readonly<Record<string, number>>>(wrappersFile.subcommands).map(([name, table]) => [
		name,
		new Map(Object.entries(table)),
	]),
);

/** The commands that a subcommand may run inside; none where it runs none. */
export function* insideOf(command: Invocation): Iterable<Effect> {
	const { name, words } = command;
	const table = SUBCOMMANDS.get(name);
	if (!table) return;
	for (const at of firstOperands(words)) {
		const word = words[at] ?? "";
		const skip = table.get(word);
		if (name === "docker" && word === "compose")
			yield* insideOf({ ...command, name: "docker-compose", words: words.slice(at + 1) });
		else if (skip !== undefined) {
			const dashes = words.indexOf("--", at);
			if (dashes < 0) yield* runsFrom(words, skip, at + 1);
			else yield run(words.slice(dashes + 1));
		}
	}
}

/** `busybox NAME …` is NAME, and `npx NAME …` runs a package by that name, fetched if need be. */
function* npx(command: Invocation): Iterable<Effect> {
	if (command.options.flags.some((flag) => /^(?:-y|--yes)$/.test(flag)))
		yield risky("installs and runs a package unseen");
	yield* runsFrom(command.words, 0, 0);
	yield* dashC(command);
}

/** The wrappers by name. */
export const WRAPPERS: Readonly<Record<string, CommandModel>> = {
	...Object.fromEntries(wrappersFile.prefixes.map((name) => [name, prefix()])),
	...Object.fromEntries(
		Object.entries(wrappersFile.operands_before_command).map(([name, skip]) => [name, prefix(skip)]),
	),
	env,
	sudo,
	doas: sudo,
	command: lookedUp,
	builtin: lookedUp,
	xargs,
	parallel,
	find,
	gfind: find,
	fd: (command) => {
		const at = command.words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
		return at < 0 ? [] : [run([...command.words.slice(at + 1), LISTED], true)];
	},
	*flock(command) {
		yield* dashC(command);
		yield* runsFrom(command.words, 1, 0);
	},
	"nix-shell": (command) =>
		command.words.flatMap((word, at) =>
			/^--(?:run|command)$/.test(word) ? [script(command.words[at + 1] ?? "")] : [],
		),
	npx,
	strace: prefix(),
};

// The values that a script's variables may have, and the environments that its commands are expanded in.

import { UNKNOWN } from "../placeholders.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import scopeFile from "./scope.json" with { type: "json" };
import type { Environment } from "./shell/expand.ts";
import { isOneText } from "./shell/plain-words.ts";
import type { CommandRange, ShellScript, SimpleCommand, Word } from "./shell/script.ts";

/** A longer value is too large to be examined. */
const MAX_VALUE_CHARS = 2_097_152;

/** Units of work for the environments of one recorded value. */
const ENVIRONMENT_WORK = 10;

/** A function's body in its script. */
export interface FunctionBody {
	readonly script: ShellScript;
	readonly body: CommandRange;
}

/** What a command or a script reads. */
export interface CommandInput {
	/** The text, where it is known. */
	readonly input: string | null;
	/** Whether it reads a pipe, a here-document or a file, known or not. */
	readonly piped: boolean;
}

/** What a script runs with: values of variables, functions, parameters and input. */
export interface Scope extends CommandInput {
	readonly variables: Map<string, string[]>;
	/** All bodies that each function was given. Which of them a call runs depends on what ran before. */
	readonly functions: Map<string, readonly FunctionBody[]>;
	readonly parameters: readonly string[];
	/** Folders that its commands may run in. The first is the workspace, written as an empty text. */
	readonly folders: string[];
	readonly depth: number;
	/** Its commands run in a container, whose files are not those of this machine. */
	readonly isInContainer?: true;
	/** What its commands print is taken by the command that it stands in. */
	readonly isTaken?: true;
	/** Pieces of the scripts around it, which stay in memory as long as it does. */
	readonly piecesAround: number;
}

export function emptyScope(): Scope {
	return {
		variables: new Map(),
		functions: new Map(),
		parameters: [],
		input: null,
		piped: false,
		folders: [""],
		depth: 0,
		piecesAround: 0,
	};
}

/** Variables with a value in every shell. Numbers are placeholders, because nobody needs the real ones. */
const PRESET_VARIABLES: ReadonlyMap<string, string> = new Map(Object.entries(scopeFile.preset));

const ASSIGNING_COMMANDS: ReadonlySet<string> = new Set(scopeFile.assigning_commands);

/** Whether a command takes assignments among its words. */
export function assignsInWords(command: string): boolean {
	return ASSIGNING_COMMANDS.has(command);
}

/**
 * Records a value that a variable may have from here on. Earlier values stay possible, because the assignment may not
 * run.
 */
export function recordValue(scope: Scope, name: string, value: string, work: WorkBudget): void {
	const values = scope.variables.get(name) ?? [];
	// Only values of the same length are compared character by character.
	const comparedChars = values.reduce((sum, known) => sum + (known.length === value.length ? value.length : 0), 0);
	if (!work.charge(40 + name.length + values.length + value.length + comparedChars / 8)) return;
	if (value.includes(UNKNOWN) || values.includes(value)) return;
	if (value.length > MAX_VALUE_CHARS) work.exhaust();
	else {
		scope.variables.set(name, [...values, value]);
		work.learn();
	}
}

/** How an environment chooses values: which recorded one, and what it takes for a variable without one. */
interface ValueChoice {
	/** The index in a variable's recorded values. Null ignores all of them. */
	readonly recorded: number | null;
	readonly otherwise: "unknown" | "empty";
}

function findParameter(scope: Scope, name: string, work: WorkBudget): string | null {
	if (name === "@" || name === "*") {
		const affordable = scope.parameters.length > 1 && work.charge(charactersIn(scope.parameters));
		return affordable ? scope.parameters.slice(1).join(" ") : null;
	}
	return /^[0-9]+$/.test(name) ? (scope.parameters[Number(name)] ?? null) : null;
}

function chooseValue(scope: Scope, name: string, choice: ValueChoice, work: WorkBudget): string | null {
	if (name.startsWith("#") && name.length > 1) return "1";
	const values = scope.variables.get(name);
	const recorded = choice.recorded === null || !values ? null : values[Math.min(choice.recorded, values.length - 1)];
	const value = recorded ?? findParameter(scope, name, work) ?? PRESET_VARIABLES.get(name);
	return value ?? (choice.otherwise === "empty" ? "" : null);
}

/** The names of the variables in a word, including those inside `${…}`. */
export function findVariableNames(word: Word): ReadonlySet<string> {
	const names = new Set<string>();
	addVariableNames(word, names);
	return names;
}

/** Adds the names of the variables in a word, including those inside `${…}`. */
function addVariableNames(word: Word, names: Set<string>): void {
	for (const part of word) {
		if (part.kind !== "variable") continue;
		names.add(part.name.replace(/^[!#]/, ""));
		addVariableNames(part.operand, names);
	}
}

/**
 * The environments to try a command in: one for each recorded value, with other variables unknown and with them empty.
 */
export function environmentsFor(
	command: SimpleCommand,
	scope: Scope,
	work: WorkBudget,
	output: (script: ShellScript) => string | null,
): readonly Environment[] {
	const names = new Set<string>();
	if (command.plain !== null) return [toEnvironment(scope, { recorded: 0, otherwise: "unknown" }, work, output)];
	for (const word of command.words) if (!isOneText(word)) addVariableNames(word, names);
	for (const { target } of command.redirects) addVariableNames(target, names);
	const variables = [...names].filter((name) => !PRESET_VARIABLES.has(name) || scope.variables.has(name));
	if (variables.length === 0) return [toEnvironment(scope, { recorded: 0, otherwise: "unknown" }, work, output)];
	const maxRecorded = Math.max(0, ...variables.map((name) => scope.variables.get(name)?.length ?? 0));
	if (!work.charge(ENVIRONMENT_WORK * maxRecorded)) return [];
	const choices: ValueChoice[] = [
		{ recorded: null, otherwise: "unknown" },
		{ recorded: null, otherwise: "empty" },
	];
	for (let at = 0; at < maxRecorded; at++)
		choices.push({ recorded: at, otherwise: "unknown" }, { recorded: at, otherwise: "empty" });
	return choices.map((choice) => toEnvironment(scope, choice, work, output));
}

/** The environment of the last recorded values, which assignments and outputs are expanded in. */
export function latestEnvironment(
	scope: Scope,
	work: WorkBudget,
	output: (script: ShellScript) => string | null,
): Environment {
	return toEnvironment(scope, { recorded: Number.POSITIVE_INFINITY, otherwise: "unknown" }, work, output);
}

function toEnvironment(
	scope: Scope,
	choice: ValueChoice,
	work: WorkBudget,
	output: (script: ShellScript) => string | null,
): Environment {
	return {
		value: (name) => chooseValue(scope, name, choice, work),
		output,
		work,
	};
}

// Values of variables: what the commands of a check leave behind for later ones, and what runs because of it. What files hold
// is in file-state.ts, what flows between commands in pipes.ts.
import type { CommandCheck } from "./command-check.ts";
import { type Effect, expandEffect } from "./effects.ts";
import { isExpandedWhenShown, namesComputedElement } from "./evaluated.ts";
import type { CommandFrame } from "./frames.ts";
import { currentEnvironment, predictScriptOutput } from "./pipes.ts";
import { environmentsFor, recordValue, type Scope } from "./scope.ts";
import { type Environment, expandText, findDefaults } from "./shell/expand.ts";
import { predictOutput } from "./shell/output.ts";
import { type Assignment, expandedWords, type SimpleCommand } from "./shell/script.ts";
import { findVariableEffects } from "./variables.ts";

/** A value that a variable was given. */
interface AssignedValue {
	readonly name: string;
	/** What stands between the brackets behind the name. */
	readonly element?: string | undefined;
	readonly value: string;
}

/** Commands that make a name stand for another variable by `-n`. */
const REFERRING_COMMAND = /^(?:declare|typeset|local)$/;

/** Bash follows no more names that stand for others. */
const MOST_REFERENCES = 8;

/** The environments to try a command in. */
export function findEnvironments(check: CommandCheck, command: SimpleCommand, scope: Scope): readonly Environment[] {
	return environmentsFor(command, scope, check.work, (script) => predictScriptOutput(check, script, scope));
}

/** Records the assignments before a command, and gives each value when it is recorded. */
function* assign(check: CommandCheck, assignments: readonly Assignment[], scope: Scope): Iterable<AssignedValue> {
	const environment = currentEnvironment(check, scope);
	for (const { name, index, value: word, appends } of assignments) {
		const before = appends === true ? (scope.variables.get(name)?.at(-1) ?? "") : "";
		const added = expandText(word, environment);
		if (!check.work.charge(before.length)) return;
		const value = before + added;
		const element = index && expandText(index, environment).replace(/^\[/, "");
		for (const each of namesFor(check, name)) {
			if (before !== "") recordValue(scope, each, added, check.work);
			recordValue(scope, each, value, check.work);
			yield { name: each, element, value };
		}
	}
}

/**
 * Records what a command assigns by its words: `export x=1`, `read x`, `set -- …`, and `sudo for x in …`, which no
 * shell takes, but which shows what was meant. Gives the values that are written as `name=value`, or read.
 */
function* assignWords(
	check: CommandCheck,
	command: string,
	fields: readonly string[],
	scope: Scope,
	input: string | null,
): Iterable<AssignedValue> {
	const words = fields.slice(1);
	const record = (name: string, value: string) => recordValue(scope, name, value, check.work);
	assignParameters(check, command, words, scope);
	if (command === "printf" && words[0] === "-v")
		record(words[1] ?? "", predictOutput("printf", words.slice(2), null, check.work) ?? "");
	const isReferring = REFERRING_COMMAND.test(command) && words.some((word) => /^-[A-Za-z]*n/.test(word));
	const read =
		/^(?:read|mapfile|readarray)$/.test(command) && input !== null ? findReadValues(command, words, input) : [];
	for (const word of words) {
		const [, name, element, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?=(.*)$/s.exec(word) ?? [];
		if (name !== undefined && value !== undefined)
			yield* assignWord(check, { name, element, value }, isReferring, scope);
		else if (command === "for") record(words[0] ?? "", word);
		else yield* fill(check, word, read, scope);
	}
}

/** Records what a command may read into a variable. */
function* fill(check: CommandCheck, name: string, values: readonly string[], scope: Scope): Iterable<AssignedValue> {
	for (const value of values) {
		recordValue(scope, name, value, check.work);
		yield { name, value };
	}
}

/** Records what a word assigns, also to what its name stands for. @param isReferring the word says what its name stands for. */
function* assignWord(
	check: CommandCheck,
	assigned: AssignedValue,
	isReferring: boolean,
	scope: Scope,
): Iterable<AssignedValue> {
	const { name, value } = assigned;
	if (isReferring) check.references.set(name, value);
	for (const each of isReferring ? [name] : namesFor(check, name)) {
		recordValue(scope, each, value, check.work);
		yield { ...assigned, name: each };
	}
}

/** A variable, and those that its name stands for in bash: `declare -n name=other`. */
function namesFor({ references }: CommandCheck, name: string): readonly string[] {
	const names = [name];
	let next = references.get(name);
	while (next !== undefined && !names.includes(next) && names.length <= MOST_REFERENCES) {
		names.push(next);
		next = references.get(next);
	}
	return names;
}

/** Records the parameters that `set` and `shift` leave. */
function assignParameters(check: CommandCheck, command: string, words: readonly string[], scope: Scope): void {
	if (command === "set") setParameters(check, words.slice(/^-/.test(words[0] ?? "") ? 1 : 0), scope);
	else if (command === "shift") shiftParameters(check, Number(words[0] ?? 1), scope);
}

/** Records the parameters that `set` gives the script, all together and by number. */
function setParameters(check: CommandCheck, parameters: readonly string[], scope: Scope): void {
	recordParameters(check, parameters.join(" "), scope);
	for (const [at, parameter] of parameters.entries()) recordValue(scope, String(at + 1), parameter, check.work);
}

function recordParameters(check: CommandCheck, joined: string, scope: Scope): void {
	for (const name of ["@", "*"]) recordValue(scope, name, joined, check.work);
}

/** Records the values that the parameters have after `shift`. */
function shiftParameters(check: CommandCheck, count: number, scope: Scope): void {
	if (!(count >= 1)) return;
	for (let at = 1; scope.variables.has(String(at + count)); at++)
		for (const value of scope.variables.get(String(at + count)) ?? [])
			recordValue(scope, String(at), value, check.work);
	for (const joined of scope.variables.get("@") ?? []) {
		if (!check.work.charge(joined.length)) return;
		recordParameters(check, joined.split(" ").slice(count).join(" "), scope);
	}
}

/** What a variable may hold of the input. `read` without `-r` takes backslashes for escapes. */
function findReadValues(command: string, words: readonly string[], input: string): readonly string[] {
	const whole = input.trim();
	const keepsBackslashes = command !== "read" || words.some((word) => /^-[A-Za-z]*r/.test(word));
	if (keepsBackslashes || !whole.includes("\\")) return [whole];
	return [whole, whole.replace(/\\([\s\S])/g, (_, escaped) => (escaped === "\n" ? "" : String(escaped)))];
}

/** Records the assignments before a command and in its words (`${x:=value}`), and finds what runs their values. */
export function* findAssignmentEffects(check: CommandCheck, command: SimpleCommand, scope: Scope): Iterable<Effect> {
	const assignments = [...command.assignments, ...expandedWords(command).flatMap(findDefaults)];
	for (const assigned of assign(check, assignments, scope)) yield* findValueEffects(check, assigned);
}

/** Records what a command assigns by its words (`export PAGER=…`), and finds what runs the values. */
export function* findAssignedWordEffects(
	check: CommandCheck,
	command: string,
	fields: readonly string[],
	frame: CommandFrame,
): Iterable<Effect> {
	for (const assigned of assignWords(check, command, fields, frame.scope, frame.input))
		yield* findValueEffects(check, assigned);
}

/** Finds what runs the value of a variable. */
function* findValueEffects(check: CommandCheck, { name, element, value }: AssignedValue): Iterable<Effect> {
	if (!check.work.charge(20 + 10 * value.length)) return;
	if (namesComputedElement(value) || isExpandedWhenShown(name, value)) yield expandEffect(value);
	yield* findVariableEffects(name, value, element);
}

// Values of variables: what the commands of a check leave behind for later ones, and what runs because of it. What files hold
// is in file-state.ts, what flows between commands in pipes.ts.
import type { CommandCheck } from "./command-check.ts";
import { type Effect, expandEffect } from "./effects.ts";
import { namesComputedElement } from "./evaluated.ts";
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
	readonly value: string;
}

/** The environments to try a command in. */
export function findEnvironments(check: CommandCheck, command: SimpleCommand, scope: Scope): readonly Environment[] {
	return environmentsFor(command, scope, check.work, (script) => predictScriptOutput(check, script, scope));
}

/** Records assignments, and gives each value when it is recorded. */
function* assign(check: CommandCheck, assignments: readonly Assignment[], scope: Scope): Iterable<AssignedValue> {
	const environment = currentEnvironment(check, scope);
	for (const { name, value: word, appends } of assignments) {
		const before = appends === true ? (scope.variables.get(name)?.at(-1) ?? "") : "";
		const added = expandText(word, environment);
		if (!check.work.charge(before.length)) return;
		const value = before + added;
		if (before !== "") recordValue(scope, name, added, check.work);
		recordValue(scope, name, value, check.work);
		yield { name, value };
	}
}

/**
 * Records what a command assigns by its words: `export x=1`, and `sudo for x in …`, which no shell takes, but which shows
 * what was meant. Gives the values that are written as `name=value`.
 */
function* assignWords(
	{ work }: CommandCheck,
	command: string,
	fields: readonly string[],
	scope: Scope,
): Iterable<AssignedValue> {
	const words = fields.slice(1);
	if (command === "printf" && words[0] === "-v")
		recordValue(scope, words[1] ?? "", predictOutput("printf", words.slice(2), null, work) ?? "", work);
	for (const word of words) {
		const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?=(.*)$/s.exec(word) ?? [];
		if (name !== undefined && value !== undefined) {
			recordValue(scope, name, value, work);
			yield { name, value };
		} else if (command === "for") recordValue(scope, words[0] ?? "", word, work);
	}
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
	for (const assigned of assignWords(check, command, fields, frame.scope)) yield* findValueEffects(check, assigned);
}

/** Finds what runs the value of a variable. */
function* findValueEffects(check: CommandCheck, { name, value }: AssignedValue): Iterable<Effect> {
	if (!check.work.charge(20 + 10 * value.length)) return;
	if (namesComputedElement(value)) yield expandEffect(value);
	yield* findVariableEffects(name, value);
}

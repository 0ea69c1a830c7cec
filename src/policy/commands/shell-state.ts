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
import { expandedWords, type SimpleCommand } from "./shell/script.ts";
import { findVariableEffects } from "./variables.ts";

/** Commands that make a name stand for another variable by `-n`. */
const REFERRING_COMMANDS: ReadonlySet<string> = new Set(["declare", "typeset", "local"]);

/** A folder that anybody can write to: the worst value of a variable that names folders. */
const WRITABLE_FOLDER = "/tmp";

/** Commands that give variables what they read. */
const READING_COMMANDS: ReadonlySet<string> = new Set(["read", "mapfile", "readarray"]);

/** The environments to try a command in. */
export function findEnvironments(check: CommandCheck, command: SimpleCommand, scope: Scope): readonly Environment[] {
	return environmentsFor(command, scope, check.work, (script) => predictScriptOutput(check, script, scope));
}

/** Records the assignments before a command and in its words (`${x:=value}`), and finds what runs their values. */
export function* findAssignmentEffects(check: CommandCheck, command: SimpleCommand, scope: Scope): Iterable<Effect> {
	const environment = currentEnvironment(check, scope);
	for (const { name, value: word, appends } of [
		...command.assignments,
		...expandedWords(command).flatMap(findDefaults),
	]) {
		const before = appends === true ? (scope.variables.get(name)?.at(-1) ?? "") : "";
		const added = expandText(word, environment);
		if (!check.work.charge(before.length)) return;
		if (before !== "") recordValue(scope, name, added, check.work);
		recordValue(scope, name, before + added, check.work);
		yield* findValueEffects(check, name, before + added);
	}
}

/**
 * Records what a command assigns by its words: `export x=1`, and `sudo for x in …`, which no shell takes, but which shows
 * what was meant. Finds what runs the values that are written as `name=value`.
 */
export function* findAssignedWordEffects(
	check: CommandCheck,
	command: string,
	fields: readonly string[],
	{ scope, input }: CommandFrame,
): Iterable<Effect> {
	const { work } = check;
	const words = fields.slice(1);
	// A name that stands for another variable may give it anything.
	const isReferring = REFERRING_COMMANDS.has(command) && words.some((word) => /^-[A-Za-z]*n/.test(word));
	const read = input !== null && READING_COMMANDS.has(command) ? findReadValues(command, words, input) : [];
	if (command === "printf" && words[0] === "-v")
		recordValue(scope, words[1] ?? "", predictOutput("printf", words.slice(2), null, work) ?? "", work);
	for (const word of words) {
		const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?=(.*)$/s.exec(word) ?? [];
		if (name !== undefined && value !== undefined) {
			recordValue(scope, name, value, work);
			yield* isReferring ? findVariableEffects(value, WRITABLE_FOLDER) : findValueEffects(check, name, value);
		} else if (command === "for") recordValue(scope, words[0] ?? "", word, work);
		for (const each of read) {
			recordValue(scope, word, each, work);
			yield* findValueEffects(check, word, each);
		}
	}
}

/** What a variable may hold of the input. `read` without `-r` takes backslashes for escapes. */
function findReadValues(command: string, words: readonly string[], input: string): readonly string[] {
	const whole = input.trim();
	const keepsBackslashes = command !== "read" || words.some((word) => /^-[A-Za-z]*r/.test(word));
	if (keepsBackslashes || !whole.includes("\\")) return [whole];
	return [whole, whole.replace(/\\([\s\S])/g, (_, escaped) => (escaped === "\n" ? "" : String(escaped)))];
}

/** Finds what runs the value of a variable. */
function* findValueEffects(check: CommandCheck, name: string, value: string): Iterable<Effect> {
	if (!check.work.charge(20 + 10 * value.length)) return;
	if (namesComputedElement(value)) yield expandEffect(value);
	yield* findVariableEffects(name, value);
}

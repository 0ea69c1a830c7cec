// The functions and aliases that the commands of a check define.
import { shortenForReason } from "../placeholders.ts";
import type { CommandCheck } from "./command-check.ts";
import { addFinding } from "./findings.ts";
import { COMMAND_WORK, STEP_WORK } from "./frames.ts";
import type { FunctionBody, Scope } from "./scope.ts";
import { parseShell } from "./shell/parse.ts";
import type { CommandRange, ShellScript } from "./shell/script.ts";

/** Bodies that a function is given. */
const MAX_FUNCTION_BODIES = 64;

/** Defines the functions of a script. */
export function defineFunctions(check: CommandCheck, script: ShellScript, scope: Scope): void {
	for (const { name, body } of script.functions) {
		defineFunction(check, name, { script, body }, scope);
		findForkBomb(check, script, name, body);
	}
}

/** Adds a body to those that a function may have. A name with too many is not examined. */
function defineFunction({ work }: CommandCheck, name: string, added: FunctionBody, scope: Scope): void {
	const known = scope.functions.get(name) ?? [];
	const isKnown = known.some(({ script, body }) => script === added.script && body.from === added.body.from);
	if (!work.charge(COMMAND_WORK + known.length) || isKnown) return;
	if (known.length >= MAX_FUNCTION_BODIES) work.exhaust();
	scope.functions.set(name, [...known, added]);
	work.learn();
}

/** Adds an alias as a function that passes its parameters on. */
export function defineAlias(check: CommandCheck, name: string, text: string, scope: Scope): void {
	const known = check.aliases.get(text);
	const script = known ?? parseShell(`${text} "$@"`, scope.depth, check.work, scope.piecesAround);
	check.aliases.set(text, script);
	defineFunction(check, name, { script, body: { from: 0, to: script.commands.length } }, scope);
}

/** Finds a function that pipes itself into itself, or calls itself twice. */
function findForkBomb(check: CommandCheck, script: ShellScript, name: string, body: CommandRange): void {
	if (!check.work.charge(STEP_WORK * (body.to - body.from))) return;
	let calls = 0;
	for (let at = body.from; at < body.to && calls < 2; at++) {
		const called = script.commands[at]?.words[0]?.[0];
		if (called?.kind === "text" && called.text === name) calls++;
	}
	if (calls > 1)
		addFinding(check, "forbidden_command", `the function ${shortenForReason(name)} calls itself without end`);
}

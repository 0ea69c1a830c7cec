// Finds texts that a shell expands a second time: an index in a name that a command is given, and a value shown as a
// prompt. The walk follows the substitutions in them.
import type { WorkBudget } from "../work-budget.ts";
import type { Scope } from "./scope.ts";
import { isOneText } from "./shell/plain-words.ts";
import type { SimpleCommand, Word } from "./shell/script.ts";

/** Whether a text has a substitution in it. */
function substitutes(text: string, from = 0): boolean {
	return ["$(", "`", "$'"].some((opening) => text.includes(opening, from));
}

/**
 * Whether a text names an element whose index has a substitution in it: `a[$(id)]`. `[[ -v … ]]`, `printf -v`, `read`,
 * `unset`, `let`, `declare` and all arithmetic run it, also where it was quoted, and where it is a variable's value.
 */
export function namesComputedElement(text: string): boolean {
	for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1))
		if (/\w/.test(text[at - 1] ?? "")) return substitutes(text, at);
	return false;
}

/** The names of the variables in a word that are expanded like a prompt: `${x@P}`. */
function addPromptNames(word: Word, names: Set<string>): void {
	for (const part of word) {
		if (part.kind !== "variable") continue;
		const [operand] = part.operand;
		if (part.operation === "@" && operand?.kind === "text" && operand.text === "P") names.add(part.name);
		addPromptNames(part.operand, names);
	}
}

/** The known texts that a command expands like a prompt. Null where it expands none. */
export function findPromptTexts(command: SimpleCommand, scope: Scope, work: WorkBudget): readonly string[] | null {
	const names = new Set<string>();
	for (const word of command.words) if (!isOneText(word)) addPromptNames(word, names);
	for (const { value } of command.assignments) addPromptNames(value, names);
	for (const { target } of command.redirects) addPromptNames(target, names);
	if (names.size === 0) return null;
	const values = [...names].flatMap((name) => scope.variables.get(name) ?? []);
	return values.filter((value) => work.charge(4 * value.length) && substitutes(value));
}

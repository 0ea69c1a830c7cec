// Finds texts that a shell expands a second time: an index in a name that a command is given, and a value shown as a
// prompt. The walk follows the substitutions in them.
import type { WorkBudget } from "../work-budget.ts";
import type { Scope } from "./scope.ts";
import { isOneText } from "./shell/plain-words.ts";
import type { SimpleCommand, Word } from "./shell/script.ts";

/** Variables that a shell expands when it shows them. */
const PROMPTS: ReadonlySet<string> = new Set(["PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "RPROMPT", "RPS1"]);

/** Whether a text has a substitution in it. */
function substitutes(text: string, from = 0): boolean {
	return text.includes("$(", from) || text.includes("`", from) || text.includes("$'", from);
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

/** Whether a shell expands the value of a variable when it shows it. */
export function isExpandedWhenShown(name: string, value: string): boolean {
	return PROMPTS.has(name) && substitutes(value);
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

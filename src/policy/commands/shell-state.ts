// What the commands of a check leave behind for later ones: values of variables. What files hold is in file-state.ts, what
// flows between commands in pipes.ts.
import type { WorkBudget } from "../work-budget.ts";
import { FileState } from "./file-state.ts";
import { Pipes } from "./pipes.ts";
import { environmentsFor, latestEnvironment, recordValue, type Scope } from "./scope.ts";
import { type Environment, expandText } from "./shell/expand.ts";
import { predictOutput } from "./shell/output.ts";
import type { Assignment, ShellScript, SimpleCommand } from "./shell/script.ts";

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

/** The state that all commands of one check share. Variables are those of the scope that each method is given. */
export class ShellState {
	readonly files: FileState;
	readonly pipes: Pipes;
	readonly #work: WorkBudget;
	/** Names that stand for other variables, by `declare -n`. */
	readonly #references = new Map<string, string>();

	constructor(work: WorkBudget) {
		this.#work = work;
		this.files = new FileState(work);
		this.pipes = new Pipes(this.files, work);
	}

	/** The environments to try a command in. */
	environments(command: SimpleCommand, scope: Scope): readonly Environment[] {
		return environmentsFor(command, scope, this.#work, this.#outputIn(scope));
	}

	/** Records the assignments before a command, and gives each value when it is recorded. */
	*assign(assignments: readonly Assignment[], scope: Scope): Iterable<AssignedValue> {
		const environment = latestEnvironment(scope, this.#work, this.#outputIn(scope));
		for (const { name, index, value: word, appends } of assignments) {
			const before = appends === true ? (scope.variables.get(name)?.at(-1) ?? "") : "";
			const added = expandText(word, environment);
			if (!this.#work.charge(before.length)) return;
			const value = before + added;
			const element = index && expandText(index, environment).replace(/^\[/, "");
			for (const each of this.#namesOf(name)) {
				if (before !== "") recordValue(scope, each, added, this.#work);
				recordValue(scope, each, value, this.#work);
				yield { name: each, element, value };
			}
		}
	}

	/**
	 * Records what a command assigns by its words: `export x=1`, `read x`, `set -- …`, and `sudo for x in …`, which no
	 * shell takes, but which shows what was meant. Gives the values that are written as `name=value`, or read.
	 */
	*assignWords(
		command: string,
		fields: readonly string[],
		scope: Scope,
		input: string | null,
	): Iterable<AssignedValue> {
		const words = fields.slice(1);
		const record = (name: string, value: string) => recordValue(scope, name, value, this.#work);
		this.#assignParameters(command, words, scope);
		if (command === "printf" && words[0] === "-v")
			record(words[1] ?? "", predictOutput("printf", words.slice(2), null, this.#work) ?? "");
		const isReferring = REFERRING_COMMAND.test(command) && words.some((word) => /^-[A-Za-z]*n/.test(word));
		const read =
			/^(?:read|mapfile|readarray)$/.test(command) && input !== null ? findReadValues(command, words, input) : [];
		for (const word of words) {
			const [, name, element, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?=(.*)$/s.exec(word) ?? [];
			if (name !== undefined && value !== undefined)
				yield* this.#assignWord({ name, element, value }, isReferring, scope);
			else if (command === "for") record(words[0] ?? "", word);
			else yield* this.#fill(word, read, scope);
		}
	}

	/** Records what a command may read into a variable. */
	*#fill(name: string, values: readonly string[], scope: Scope): Iterable<AssignedValue> {
		for (const value of values) {
			recordValue(scope, name, value, this.#work);
			yield { name, value };
		}
	}

	/** Records what a word assigns, also to what its name stands for. @param isReferring the word says what its name stands for. */
	*#assignWord(assigned: AssignedValue, isReferring: boolean, scope: Scope): Iterable<AssignedValue> {
		const { name, value } = assigned;
		if (isReferring) this.#references.set(name, value);
		for (const each of isReferring ? [name] : this.#namesOf(name)) {
			recordValue(scope, each, value, this.#work);
			yield { ...assigned, name: each };
		}
	}

	/** A variable, and those that its name stands for in bash: `declare -n name=other`. */
	#namesOf(name: string): readonly string[] {
		const names = [name];
		let next = this.#references.get(name);
		while (next !== undefined && !names.includes(next) && names.length <= MOST_REFERENCES) {
			names.push(next);
			next = this.#references.get(next);
		}
		return names;
	}

	/** Records the parameters that `set` and `shift` leave. */
	#assignParameters(command: string, words: readonly string[], scope: Scope): void {
		if (command === "set") this.#setParameters(words.slice(/^-/.test(words[0] ?? "") ? 1 : 0), scope);
		else if (command === "shift") this.#shiftParameters(Number(words[0] ?? 1), scope);
	}

	/** Records the parameters that `set` gives the script, all together and by number. */
	#setParameters(parameters: readonly string[], scope: Scope): void {
		this.#recordParameters(parameters.join(" "), scope);
		for (const [at, parameter] of parameters.entries()) recordValue(scope, String(at + 1), parameter, this.#work);
	}

	#recordParameters(joined: string, scope: Scope): void {
		for (const name of ["@", "*"]) recordValue(scope, name, joined, this.#work);
	}

	/** Records the values that the parameters have after `shift`. */
	#shiftParameters(count: number, scope: Scope): void {
		if (!(count >= 1)) return;
		for (let at = 1; scope.variables.has(String(at + count)); at++)
			for (const value of scope.variables.get(String(at + count)) ?? [])
				recordValue(scope, String(at), value, this.#work);
		for (const joined of scope.variables.get("@") ?? []) {
			if (!this.#work.charge(joined.length)) return;
			this.#recordParameters(joined.split(" ").slice(count).join(" "), scope);
		}
	}

	#outputIn(scope: Scope): (script: ShellScript) => string | null {
		return (script) => this.pipes.predictScriptOutput(script, scope);
	}
}

/** What a variable may hold of the input. `read` without `-r` takes backslashes for escapes. */
function findReadValues(command: string, words: readonly string[], input: string): readonly string[] {
	const whole = input.trim();
	const keepsBackslashes = command !== "read" || words.some((word) => /^-[A-Za-z]*r/.test(word));
	if (keepsBackslashes || !whole.includes("\\")) return [whole];
	return [whole, whole.replace(/\\([\s\S])/g, (_, escaped) => (escaped === "\n" ? "" : String(escaped)))];
}

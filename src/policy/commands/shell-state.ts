// What the commands of a check leave behind for later ones: values of variables. What files hold is in file-state.ts, what
// flows between commands in pipes.ts.
import type { WorkBudget } from "../work-budget.ts";
import { FileState } from "./file-state.ts";
import { Pipes } from "./pipes.ts";
import { environmentsFor, latestEnvironment, recordValue, type Scope } from "./scope.ts";
import { type Environment, expandText } from "./shell/expand.ts";
import { predictOutput } from "./shell/output.ts";
import type { Assignment, ShellScript, SimpleCommand } from "./shell/script.ts";

/** Words of one command that are examined for assignments and addresses. */
const MAX_WORDS = 32;

/** What a command reads, where that is known, and whether it reads anything. */
export interface CommandInput {
	readonly input: string | null;
	readonly piped: boolean;
}

/** A value that a variable was given. */
interface AssignedValue {
	readonly name: string;
	readonly value: string;
}

/** The state that all commands of one check share. Variables are those of the scope that each method is given. */
export class ShellState {
	readonly files: FileState;
	readonly pipes: Pipes;
	readonly #work: WorkBudget;

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
		for (const { name, value: word } of assignments) {
			const value = expandText(word, environment);
			recordValue(scope, name, value, this.#work);
			yield { name, value };
		}
	}

	/**
	 * Records what a command assigns by its words: `export x=1`, `read x`, `set -- …`, and `sudo for x in …`, which no
	 * shell takes, but which shows what was meant. Gives the values that are written as `name=value`.
	 */
	*assignWords(
		command: string,
		fields: readonly string[],
		scope: Scope,
		input: string | null,
	): Iterable<AssignedValue> {
		const words = fields.slice(1, 1 + MAX_WORDS);
		const record = (name: string, value: string) => recordValue(scope, name, value, this.#work);
		if (command === "set") record("@", words.filter((word) => word !== "--").join(" "));
		else if (command === "printf" && words[0] === "-v")
			record(words[1] ?? "", predictOutput("printf", words.slice(2), null, this.#work) ?? "");
		for (const word of words) {
			const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
			if (name !== undefined && value !== undefined) {
				record(name, value);
				yield { name, value };
			} else if (command === "for") record(words[0] ?? "", word);
			else if (command === "read" && input !== null) record(word, input.trim());
		}
	}

	#outputIn(scope: Scope): (script: ShellScript) => string | null {
		return (script) => this.pipes.predictScriptOutput(script, scope);
	}
}

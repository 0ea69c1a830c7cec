// The part of a walk that follows values: variables that something runs, texts that a shell expands a second time. Which they
// are is found by variables.ts and evaluated.ts.
import type { WorkBudget } from "../work-budget.ts";
import { findPromptTexts, isExpandedWhenShown, namesComputedElement } from "./evaluated.ts";
import type { FindingCollector } from "./findings.ts";
import { type CommandFrame, FollowedTexts, innerFrame, MAX_WRAPPING_DEPTH, type Walk } from "./frames.ts";
import type { Scope } from "./scope.ts";
import { findDefaults } from "./shell/expand.ts";
import { parseExpansions } from "./shell/parse.ts";
import { expandedWords, type PlacedCommand, type SimpleCommand } from "./shell/script.ts";
import type { ShellState } from "./shell-state.ts";
import { findVariableEffects } from "./variables.ts";

/** Follows the values that commands assign and expand. */
export class ValueWalk {
	readonly #walk: Walk;
	readonly #findings: FindingCollector;
	readonly #state: ShellState;
	readonly #work: WorkBudget;

	constructor(walk: Walk, findings: FindingCollector, state: ShellState, work: WorkBudget) {
		this.#walk = walk;
		this.#findings = findings;
		this.#state = state;
		this.#work = work;
	}

	/** Follows the assignments before a command and in its words: `${x:=value}`. */
	followAssignments({ script, command }: PlacedCommand, scope: Scope): void {
		const assignments = [...command.assignments, ...expandedWords(command).flatMap(findDefaults)];
		for (const { name, element, value } of this.#state.assign(assignments, scope)) {
			const followed = new FollowedTexts();
			const frame = { scope, script, command, input: null, piped: false, depth: scope.depth, followed };
			this.#followVariable(name, value, frame, element);
		}
	}

	/** Follows what a command assigns by its words: `export PAGER=…`. */
	followAssignedWords(command: string, fields: readonly string[], frame: CommandFrame): void {
		for (const { name, element, value } of this.#state.assignWords(command, fields, frame.scope, frame.input))
			this.#followVariable(name, value, frame, element);
	}

	/** Follows a variable whose value something runs. */
	#followVariable(name: string, value: string, frame: CommandFrame, element?: string): void {
		if (!this.#work.charge(20 + 10 * value.length)) return;
		if (namesComputedElement(value) || isExpandedWhenShown(name, value)) this.followExpansions(value, frame.scope);
		const inner = { ...innerFrame(frame), followed: new FollowedTexts() };
		for (const effect of findVariableEffects(name, value, element)) this.#walk.followEffect(effect, inner, false);
	}

	/** Follows the values that a command expands like a prompt. Which one it is may not be known. */
	followPrompts(command: SimpleCommand, scope: Scope): void {
		const texts = findPromptTexts(command, scope, this.#work);
		if (texts === null) return;
		this.#findings.add("exec_action", "expands a variable like a prompt, which runs the commands in it");
		for (const text of texts) this.followExpansions(text, scope);
	}

	/** Follows the substitutions of a text that a shell expands a second time. */
	followExpansions(text: string, scope: Scope): void {
		if (scope.depth > MAX_WRAPPING_DEPTH) this.#work.exhaust();
		const script = parseExpansions(text, scope.depth + 1, this.#work, scope.piecesAround);
		if (script.tooDeep) this.#work.exhaust();
		if (this.#work.spent) return;
		const piecesAround = scope.piecesAround + script.size;
		this.#walk.followScript(script, { ...scope, depth: scope.depth + 1, piecesAround });
	}
}

// What code mode needs of an engine: that it answers questions, and that it knows what is left to spend. Pure.
import type { Engine, Question } from "../orchestration/strategy.ts";

/** An engine that knows what is left to spend. */
export interface CodeEngine extends Engine {
	/** Whether what is left covers all of these questions. */
	covers(questions: readonly Question[]): boolean;
}

/**
 * How many of several optional calls can be made, the first ones first.
 * @param calls the questions of each.
 * @param kept questions that must stay covered.
 */
export function countAffordable(
	engine: CodeEngine,
	calls: readonly (readonly Question[])[],
	kept: readonly Question[] = [],
): number {
	for (let count = calls.length; count > 0; count--)
		if (engine.covers([...calls.slice(0, count).flat(), ...kept])) return count;
	return 0;
}

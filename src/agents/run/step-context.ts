// What the steps of a run are made with: what its object provides, what may be spent, and its texts as models are sent them. Pure.
import type { LoopContext } from "../tools/loop-context.ts";
import type { RunState } from "./run.ts";
import type { RunTexts } from "./run-texts.ts";

export interface StepContext extends LoopContext {
	/** What is stored and hashed holds the values. */
	texts: RunTexts;
	/** Called within the transaction that stores the plan. */
	queuePlanEvent(state: RunState): void;
}

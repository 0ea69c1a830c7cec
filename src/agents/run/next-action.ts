// What a run does next, by its state. executor.edge.ts does it. Pure.
import { toStepLayout } from "../plan.ts";
import { countCalls, type OpenToolStep } from "../tools/tool-state.ts";
import { countSteps, type RunSpec, type RunState } from "./run.ts";

/** What a run does next. */
type RunAction =
	| { kind: "plan"; maxSubtasks: number }
	| { kind: "subtask"; subtask: string }
	/** Of the open tool step: a model's turn; its calls are judged; somebody is waited for. */
	| { kind: "turn"; subtask: string }
	| { kind: "judge" }
	| { kind: "wait" }
	| { kind: "finalize" }
	| { kind: "end" };

/** What a run does next. */
export function nextAction({ maxSteps }: Pick<RunSpec, "maxSteps">, state: RunState): RunAction {
	const { hasPlan, plan, subtasksDone, isGoalMet, isFinalized, stop, isCancelled, fault } = state;
	if (isFinalized || isCancelled || fault !== null) return { kind: "end" };
	if (!hasPlan) return { kind: "plan", maxSubtasks: toStepLayout(maxSteps).maxSubtasks };
	if (state.tools?.open) return nextInToolStep(state.tools.open, stop);
	const stepsLeft = maxSteps - (countSteps(state) - state.failedSteps);
	const finalSteps = maxSteps > 1 ? 1 : 0;
	const subtask = plan[subtasksDone];
	if (stop === null && !isGoalMet && subtask !== undefined && stepsLeft > finalSteps)
		return { kind: "subtask", subtask };
	// A single result is the output: one model alone does not rewrite what a panel has answered, but for its form.
	const isDue = subtasksDone > 1 || (subtasksDone === 1 && lacksForm(state));
	return stepsLeft > 0 && isDue && stop?.limit !== "no_model" ? { kind: "finalize" } : { kind: "end" };
}

/** What an open tool step does next. Without a model it is left open, for a resumption. */
function nextInToolStep({ phase, subtask }: OpenToolStep, stop: RunState["stop"]): RunAction {
	if (stop !== null) return { kind: "end" };
	return phase === "turn" ? { kind: "turn", subtask } : { kind: phase };
}

/** Whether the run has tools and may still call them. */
export function mayCallTools({
	spec,
	state,
}: {
	spec: Pick<RunSpec, "tools" | "maxToolCalls">;
	state: RunState;
}): boolean {
	return state.tools !== undefined && countCalls(state.tools) < (spec.maxToolCalls ?? 0);
}

/** The one result was not asked in the form of `output_schema`, and has another. */
function lacksForm({ form }: Pick<RunState, "form">): boolean {
	return form !== undefined && form.fault !== null && !form.isAsked;
}

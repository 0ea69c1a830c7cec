// What became of a run's goal, judged on the output and on the steps that refused. Pure.
import { judgeAnswer } from "../answers/verdict.ts";
import type { RunState, RunStep } from "./run/run.ts";
import type { RunEnd } from "./run/run-end.ts";
import { subtaskResults } from "./run/run-output.ts";

/**
 * `done`: the output stands for the goal. `partial`: a step refused or was ended by a limit, something was cut or left out, the output
 * has not the form that was asked for, or the run stopped before its end.
 * `refused`: the models refused. `needs_tools`: they say which tool, file or access they lack.
 */
export const GOAL_OUTCOMES = ["done", "partial", "refused", "needs_tools"] as const;
export type GoalOutcome = (typeof GOAL_OUTCOMES)[number];

/** The outcome of a run that has ended. @param goal empty where it is not kept. */
export function toGoalOutcome(
	goal: string,
	{ refusedSteps = [], limitedSteps = [], form }: Pick<RunState, "refusedSteps" | "limitedSteps" | "form">,
	steps: readonly RunStep[],
	{ status, output, isCut }: Pick<RunEnd, "status" | "output" | "isCut">,
): GoalOutcome {
	const said = { text: output, refusal: null, isFiltered: false, callsTools: false };
	const { kind, refusal } = judgeAnswer(said, { prompt: goal, instructions: "" });
	if (kind === "refusal") return refusal === "lacks_tools" ? "needs_tools" : "refused";
	const results = subtaskResults(steps);
	// A plan that was refused is the goal's own: it takes nothing from the output.
	const refusedOutputs = refusedSteps.filter(({ index }) =>
		steps.some(({ hasResult, record }) => hasResult && record.index === index),
	);
	const refused = refusedOutputs.filter(({ index }) => results.some((result) => result.index === index));
	if (results.length > 0 && refused.length === results.length)
		return refused.every(({ lacksTools }) => lacksTools) ? "needs_tools" : "refused";
	const hasForm = (form?.fault ?? null) === null;
	const isWhole = hasForm && !isCut && kind === null && refusedOutputs.length === 0 && limitedSteps.length === 0;
	return status === "complete" && isWhole ? "done" : "partial";
}

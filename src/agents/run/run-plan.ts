// A run's plan: the one that its goal names by itself, and how its state keeps it. Pure.
import { toQuestionCall } from "../../orchestration/request.ts";
import { userMessage } from "../../orchestration/strategy.ts";
import { detectSignals } from "../../routing/signals.ts";
import { goalSubtasks } from "../goal-structure.ts";
import { MAX_PLANNED_SUBTASKS, type PlannedSubtask } from "../plan.ts";
import { toAssembly } from "../sections.ts";
import type { RunSpec, RunState } from "./run.ts";

/** The subtasks that the goal itself names. They may be more than the run has steps. */
export function planFromGoal({ goal }: Pick<RunSpec, "goal">): PlannedSubtask[] {
	return goalSubtasks(goal, MAX_PLANNED_SUBTASKS).map((task) => ({ task, title: null, isSection: null }));
}

/** A plan as the run's state has it. */
type RunPlan = Pick<RunState, "plan" | "hasPlan" | "assembly">;

export function toRunPlan(
	{ goal, maxTokens, outputSchema }: Pick<RunSpec, "goal" | "maxTokens" | "outputSchema">,
	subtasks: readonly PlannedSubtask[],
): RunPlan {
	const plan = subtasks.map(({ task }) => task);
	return { plan, hasPlan: true, assembly: outputSchema ? null : toAssembly(goal, subtasks, maxTokens) };
}

/** Whether a goal is one short question or remark, which any model answers in one step. */
export function isTrivialGoal(goal: string): boolean {
	const call = toQuestionCall({ messages: [userMessage(goal)], maxTokens: 1, temperature: undefined, json: false });
	return planFromGoal({ goal }).length === 1 && detectSignals(call).difficulty === "trivial";
}

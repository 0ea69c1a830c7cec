// What a run asks for in its plan, its subtasks and its final step: prompts, strategies, and how answers are read. executor.edge.ts
// gives each its money, and makes it. Pure.
import { fitPlaceholder, placeholder } from "../../inference/answer-placeholder.ts";
import type { JsonObject } from "../../json.ts";
import { LEAST_PLAN_TOKENS } from "../../orchestration/prompt.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { PLAN_JSON_SCHEMA, type PlanRequest, parsePlan, planMessages, planRepairMessages } from "../plan.ts";
import type { PromptHead, PromptMessage } from "../prompt.ts";
import type { StepSpec } from "../step-pricer.edge.ts";
import { finalMessages, frameMessages, parseStepAnswer, skippableSubtasks, subtaskMessages } from "../step-prompts.ts";
import { SINGLE_ONLY, stepSizesFor } from "../step-strategy.ts";
import type { RunSpec, RunState, RunStep, StepRecord } from "./run.ts";
import { subtaskResults } from "./run-output.ts";

/** A rejected plan takes at most this much of the prompt that asks for another. */
const REJECTED_PLAN_BYTES = 4_000;
const REJECTION_REASON_BYTES = 160;

/** A step without its money. */
export interface StepPurpose
	extends Pick<StepSpec, "messagesFor" | "question" | "jsonSchema" | "form" | "asksFor" | "sizesFor" | "followUp"> {
	role: StepRecord["role"];
	/** Its purpose, in words. */
	subtask: string;
	/** The least room for its answer, tokens; by default what every answer has. */
	leastTokens?: number;
	/** Returns the messages of a second request, or null when the answer needs none. */
	askAgain?(answer: string): readonly PromptMessage[] | null;
	/** Separates what is stored of an answer from a claim that the goal is met; by default all of it is stored. */
	parseAnswer?(answer: string): { output: string; isGoalMet: boolean };
}

/** A step to be made. */
export interface PlannedStep extends StepPurpose, Pick<StepSpec, "shareNanoUsd"> {
	/** Money that must be left after it. */
	reserveNanoUsd: number;
	/** The run can go on without it. */
	isOptional: boolean;
}

/** Asks a model for the plan. A plan that cannot be read is asked for once more. */
export function planPurpose(request: PlanRequest): StepPurpose {
	const { goal, maxSubtasks } = request;
	return {
		role: "subtask",
		subtask: "Plan",
		messagesFor: () => planMessages(request),
		question: goal,
		jsonSchema: PLAN_JSON_SCHEMA,
		asksFor: `plan:${maxSubtasks}`,
		sizesFor: () => SINGLE_ONLY,
		leastTokens: LEAST_PLAN_TOKENS,
		followUp: planRepairMessages(request, placeholder(REJECTED_PLAN_BYTES), placeholder(REJECTION_REASON_BYTES)),
		askAgain(answer) {
			const parsed = parsePlan(answer, maxSubtasks);
			if (parsed.ok) return null;
			return planRepairMessages(request, fitPlaceholder(answer, REJECTED_PLAN_BYTES), parsed.reason);
		},
	};
}

/** The next subtask of a run. */
export interface NextSubtask {
	head: PromptHead;
	/** Its place in the plan, counts from 1. */
	number: number;
	subtask: string;
	earlier: readonly SubtaskResult[];
}

type PlanPlace = Pick<RunState, "plan" | "assembly" | "isTrivial">;

/** The prompt of a subtask by the length of its answer. @param earlier results, or what stands for them. */
export function subtaskPrompt(
	{ plan, assembly }: PlanPlace,
	{ number, head }: Pick<NextSubtask, "number" | "head">,
	earlier: readonly SubtaskResult[],
): StepSpec["messagesFor"] {
	const isSection = sectionPlaces({ assembly });
	return (maxTokens) => subtaskMessages({ ...head, plan, number, isSection, earlier, maxTokens });
}

/** Which subtasks of a plan are sections whatever their length. */
function sectionPlaces({ assembly }: Pick<RunState, "assembly">): (place: number) => boolean {
	const headings = assembly?.aboveBytes === 0 ? assembly.headings : [];
	return (place) => (headings[place] ?? null) !== null;
}

/** Works on a subtask. */
export function subtaskPurpose(
	{ policy, outputSchema }: Pick<RunSpec, "policy" | "outputSchema">,
	place: PlanPlace,
	next: NextSubtask,
): StepPurpose {
	const { number, subtask, earlier, head } = next;
	const { marks } = head;
	const skippable = skippableSubtasks({ plan: place.plan, number, isSection: sectionPlaces(place) });
	return {
		role: place.isTrivial ? "finalize" : "subtask",
		subtask,
		messagesFor: subtaskPrompt(place, next, earlier),
		question: subtask,
		...(outputSchema && place.plan.length === 1 ? { form: outputSchema } : {}),
		asksFor: skippable.length > 0 ? `subtask:${marks.claimCode}:${skippable.join(",")}` : "subtask",
		sizesFor: (intensity) => (place.isTrivial ? SINGLE_ONLY : stepSizesFor(policy, intensity)),
		parseAnswer: (answer) => parseStepAnswer(answer, marks, skippable, earlier),
	};
}

/** How the final answer is asked for. */
interface FinalForm {
	head: PromptHead;
	/** The room for excerpts of the results in its prompt. */
	resultsBytes: number;
	/** The results are sections, which stand in the output as they are. */
	isFrame: boolean;
	/** The client's JSON Schema of it. */
	form?: JsonObject;
}

/** Writes the final answer, or where results are sections what is around them. */
export function finalPurpose(
	state: Pick<RunState, "plan" | "subtasksDone" | "isGoalMet">,
	steps: readonly RunStep[],
	{ head, resultsBytes, isFrame, form }: FinalForm,
): StepPurpose {
	const { plan, subtasksDone, isGoalMet } = state;
	const missing = isGoalMet ? [] : plan.slice(subtasksDone);
	const results = excerptResults(subtaskResults(steps), resultsBytes);
	return {
		role: "finalize",
		subtask: "Final answer",
		messagesFor(maxTokens) {
			const prompt = { ...head, results, missing, maxTokens };
			return isFrame ? frameMessages(prompt) : finalMessages(prompt);
		},
		question: head.goal,
		...(form ? { form } : {}),
		asksFor: isFrame ? "frame" : "final",
		sizesFor: () => SINGLE_ONLY,
	};
}

// What the end of a step changes in its run: the part of its answer that is stored, the try after a failure, a refusal. Pure.
import { judgeAnswer } from "../../answers/verdict.ts";
import type { Failure, Result } from "../../failure.ts";
import type { StrategyResult } from "../../orchestration/strategy.ts";
import type { StepCharge } from "./charges.ts";
import type { StepPurpose } from "./planned-step.ts";
import { nextTry } from "./retry.ts";
import type { RefusedStep, RunState, StepDraft } from "./run.ts";

/** A plan that no model answered is asked for so often again. */
const PLAN_RETRIES = 1;
/** With the 1,000 steps that a run may have, its trajectory stays within the 2,000 steps that can be verified. */
const MAX_FAILED_STEPS = 900;

/** A step in words, for people. */
function describeStep(
	{ role, subtask }: Pick<StepDraft, "role" | "subtask">,
	ordinary: (quoted: string) => string,
): string {
	return role === "finalize" ? "the final step" : ordinary(JSON.stringify(subtask.slice(0, 80)));
}

/** A failure in a few words, for people. */
function failureText(failure: Failure): string {
	const attempts = "attempts" in failure ? failure.attempts : [];
	return attempts.at(-1) ?? ("message" in failure ? failure.message : undefined) ?? failure.reason;
}

/** The part of an answer that is stored, as its model wrote it. Without an answer it is the empty text, by the model called last. */
export function toStoredAnswer(
	answer: Result<StrategyResult>,
	{ calls }: StepCharge,
	{ parseAnswer, isLimited }: Pick<StepPurpose, "parseAnswer"> & { isLimited: boolean },
	intendedModel: string,
) {
	if (!answer.ok) {
		const model = calls.at(-1)?.model ?? intendedModel;
		return { output: "", isGoalMet: false, model, confidence: 0, confidenceBasis: null };
	}
	const { text, model, confidence, confidenceBasis, isCut } = answer.value;
	const { output, isGoalMet } = parseAnswer?.(text) ?? { output: text, isGoalMet: false };
	return { output, isGoalMet: isGoalMet && !isCut && !isLimited, model, confidence, confidenceBasis };
}

/**
 * The change of state after a try without an answer. A plan is tried once more, then it is the goal's own. Any other step is tried
 * again, or ends the run.
 * @param change what an answer would have changed.
 */
export function changeAfterFailure(
	{ isCancelled, retry: earlier, failedSteps }: RunState,
	failure: Failure,
	step: Pick<StepDraft, "role" | "subtask">,
	change: Partial<RunState>,
	{ billed, waitsMs, nowMs }: { billed: readonly string[]; waitsMs: readonly number[]; nowMs: number },
): Partial<RunState> {
	if (isCancelled) return "plan" in change ? change : {};
	const isPlan = "plan" in change && failure.reason === "all_models_failed";
	const ownWaitsMs = isPlan ? waitsMs.slice(0, PLAN_RETRIES) : waitsMs;
	const retry = failedSteps < MAX_FAILED_STEPS ? nextTry(failure, earlier, billed, ownWaitsMs, nowMs) : null;
	if (retry) return { retry };
	if (isPlan) return { ...change, retry: null };
	const name = describeStep(step, (quoted) => `the step ${quoted}`);
	return { retry: null, fault: `no model answered ${name} (${failureText(failure)})`.toWellFormed() };
}

/** A step whose models refused. Null for a step that was answered, and for one that failed. */
export function toRefusedStep(index: number, answer: Result<StrategyResult>): RefusedStep | null {
	if (!answer.ok || answer.value.instead !== "refusal") return null;
	const said = { text: answer.value.text, refusal: null, isFiltered: false, callsTools: false };
	return { index, lacksTools: judgeAnswer(said, { prompt: "", instructions: "" }).refusal === "lacks_tools" };
}

/** The change of state by a refused step. Nothing where there is none. */
export function rememberRefused({ refusedSteps = [] }: RunState, refused: RefusedStep | null): Partial<RunState> {
	return refused ? { refusedSteps: [...refusedSteps, refused] } : {};
}

/** The change of state by a step that a limit may have ended before its model was done. */
export function rememberLimited(
	{ limitedSteps = [] }: RunState,
	index: number,
	isLimited: boolean,
): Pick<RunState, "limitedSteps"> {
	return isLimited ? { limitedSteps: [...limitedSteps, index] } : {};
}

/** What the alert of a refused step says. */
export function refusedText(step: Pick<StepDraft, "role" | "subtask">, { index, lacksTools }: RefusedStep): string {
	const name = describeStep(step, (quoted) => `step ${index} (${quoted})`);
	const what = lacksTools ? "says that a tool or a file is missing" : "refused";
	return `${name} ${what}, and so did every other model that was asked; what the other steps reached is shown`.toWellFormed();
}

// A run as it stands: what was asked, how far it has come, what comes next, and what it ends as. Pure; making steps, keeping
// them and settling what they cost is the object's business.
import type { PlanId } from "../../catalog/plans.ts";
import type { CompliancePolicy } from "../../compliance/policy.ts";
import type { UsageCall } from "../../meter/settlement.ts";
import { hashText } from "../../proof/hash.ts";
import { usdText } from "../../proof/money.ts";
import type { RoutingConfig } from "../../routing/routing-config.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { goalSubtasks } from "../goal-structure.ts";
import { type BudgetAlert, type GuardState, type RunPolicy, SpendGuard, type SpendLimits } from "../guard.ts";
import { MAX_PLANNED_SUBTASKS, toStepLayout } from "../plan.ts";
import type { Intensity, StepLimit } from "../step-decision.ts";
import { primaryStrategy } from "../step-strategy.ts";
import { appendStep, emptyTrajectory, type Trajectory, type TrajectoryStep, trajectoryProof } from "../trajectory.ts";
import type { RunBudget } from "./limits.ts";

/** How runs end; `interrupted` is a run that failed or whose object died. */
export const END_STATUSES = ["complete", "budget_exhausted", "max_steps_reached", "cancelled", "interrupted"] as const;
export type EndStatus = (typeof END_STATUSES)[number];

/** What was asked, with the rules in force then; never changes. */
export interface RunSpec extends SpendLimits {
	runId: string;
	userId: string;
	keyId: string;
	planId: PlanId;
	goal: string;
	policy: RunPolicy;
	/** Of each model call. */
	maxTokens: number;
	temperature: number;
	maxSteps: number;
	budget: RunBudget;
	workspaceId: string | null;
	/** What of the routing config holds for every call; null without one. */
	config: RoutingConfig | null;
	/** Of the whole config, for the receipt. */
	configDigest: string | null;
	compliance: CompliancePolicy | null;
	/** The model that was first in line when the run began. */
	intendedModel: string;
	startedAtMs: number;
}

/** A step as it is shown. */
export interface StepRecord extends TrajectoryStep {
	role: "subtask" | "finalize";
	intensity: Intensity;
	strategy: string;
	step_proof: string;
}

/** A step as it is kept. */
export interface RunStep {
	record: StepRecord;
	/** What it was for, in words. */
	subtask: string;
	/** No part of the result: the plan, and what was paid for and gave nothing. */
	isAside: boolean;
	output: string;
}

/** What the calls of one step cost, or may have. */
export interface StepCharge {
	calls: UsageCall[];
	/** Some of it is a bound. */
	estimated: boolean;
}

/** How far a run has come; everything of it that changes but steps and charges. */
export interface RunState {
	plan: string[];
	hasPlan: boolean;
	/** Subtasks that are over. */
	subtasksDone: number;
	/** A step found the whole goal met. */
	isGoalMet: boolean;
	isFinalized: boolean;
	/** What kept a step from being made. */
	stop: { limit: StepLimit; reason: string } | null;
	isCancelled: boolean;
	/** Why it cannot go on, for people. */
	fault: string | null;
	guard: GuardState;
	trajectory: Trajectory;
	/** Ids of the models that were sent anything of the run. */
	readers: string[];
	/** Some answer came from the sandbox upstream. */
	isSandbox: boolean;
}

/** What a run came to. */
export interface RunEnd {
	status: EndStatus;
	output: string;
	/** For people; null of a complete run. */
	finalMessage: string | null;
	/** As it was settled. */
	costNanoUsd: number;
	trajectoryProof: string;
}

/** What a run does next. */
export type RunAction =
	| { kind: "plan"; maxSubtasks: number }
	| { kind: "subtask"; subtask: string }
	| { kind: "finalize" }
	| { kind: "end" };

export function initialRunState(spec: RunSpec): RunState {
	const { runId: run_id, policy } = spec;
	return {
		plan: [],
		hasPlan: false,
		subtasksDone: 0,
		isGoalMet: false,
		isFinalized: false,
		stop: null,
		isCancelled: false,
		fault: null,
		guard: SpendGuard.open(spec, policy).state,
		trajectory: emptyTrajectory({ run_id, policy, strategy: primaryStrategy(policy) }),
		readers: [],
		isSandbox: false,
	};
}

/** The subtasks that the goal names itself: all of them, also those for which there are no steps. */
export function planFromGoal({ goal }: Pick<RunSpec, "goal">): string[] {
	return goalSubtasks(goal, MAX_PLANNED_SUBTASKS);
}

/** Steps so far. */
export function countSteps({ trajectory }: RunState): number {
	return trajectory.range.size;
}

/** What a run does next; a plan, where none is asked for, is to be put in its place before. */
export function nextAction({ maxSteps }: Pick<RunSpec, "maxSteps">, state: RunState): RunAction {
	const {
		hasPlan: isPlanned,
		plan,
		subtasksDone: done,
		isGoalMet: isMet,
		isFinalized: isFinal,
		stop,
		isCancelled,
		fault,
	} = state;
	if (isFinal || isCancelled || fault !== null) return { kind: "end" };
	const layout = toStepLayout(maxSteps);
	if (!isPlanned) return { kind: "plan", maxSubtasks: layout.maxSubtasks };
	const left = maxSteps - countSteps(state);
	const framed = maxSteps > 1 ? 1 : 0;
	const subtask = plan[done];
	if (stop === null && !isMet && subtask !== undefined && left > framed) return { kind: "subtask", subtask };
	// One result of several subtasks is the best there is as it stands.
	const isWorthIt = done > 1 || (done === 1 && stop === null && subtask === undefined) || (done === 1 && isMet);
	return left > 0 && isWorthIt && stop?.limit !== "no_model" ? { kind: "finalize" } : { kind: "end" };
}

/** Results so far, for digests. */
export function subtaskResults(steps: readonly RunStep[]): SubtaskResult[] {
	return steps
		.filter(({ isAside, record }) => !isAside && record.role === "subtask")
		.map(({ record: { index }, subtask, output }) => ({ index, subtask, output }));
}

/** A partial output has no more than this, unless it is one step's. */
const MAX_PARTIAL_BYTES = 200_000;

const isBlank = ({ output }: Pick<RunStep, "output">) => output.trim() === "";

/** The best result there is: the final step's, unless only the subtasks gave any. */
export function bestOutput(steps: readonly RunStep[]): string {
	const results = subtaskResults(steps);
	const final = steps.find(({ record }) => record.role === "finalize");
	if (final && (!isBlank(final) || results.every(isBlank))) return final.output;
	const [only, ...others] = results;
	return only && others.length === 0 ? only.output : excerptResults(results, MAX_PARTIAL_BYTES);
}

/** Root of a run's trajectory as far as it has come. */
export function currentProof({ trajectory }: Pick<RunState, "trajectory">, steps: readonly RunStep[]): string {
	return trajectoryProof(trajectory, hashText(bestOutput(steps)));
}

/** Integer nano-USD of charges. */
export function sumChargesNanoUsd(charges: readonly StepCharge[]): number {
	return charges.reduce(
		(total, { calls }) => total + calls.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0),
		0,
	);
}

/** A trajectory with a step more, and the step as it is shown. */
export function chainStep(
	trajectory: Trajectory,
	step: Omit<StepRecord, "index" | "step_proof">,
): { trajectory: Trajectory; record: StepRecord } {
	const indexed = { index: trajectory.range.size, ...step };
	const next = appendStep(trajectory, indexed);
	return { trajectory: next, record: { ...indexed, step_proof: next.last } };
}

/** What a run ends as that has no move left. */
export function endStatus({
	plan,
	subtasksDone: done,
	isGoalMet: isMet,
	isFinalized: isFinal,
	stop,
	isCancelled,
	fault,
}: RunState): EndStatus {
	if (fault !== null) return "interrupted";
	// What is over when it is cancelled is over.
	if (isCancelled && !isFinal) return "cancelled";
	if (stop) return stop.limit === "no_model" ? "interrupted" : "budget_exhausted";
	return done < plan.length && !isMet ? "max_steps_reached" : "complete";
}

const STOP_TEXT: Readonly<Record<StepLimit, string>> = {
	run_cap: "the next step could have cost more than was left; raise max_cost_usd",
	final_step: "the next step and the final one could have cost more than was left; raise max_cost_usd",
	step_cap: "the next step could have cost more than max_cost_per_step allows; raise it",
	no_model: "no model that may work on this run can make the next step",
};

/** Why a run stopped and what is there of it, for people; null of a complete one. */
export function finalMessage(
	spec: Pick<RunSpec, "capNanoUsd" | "maxSteps">,
	state: RunState,
	costNanoUsd: number,
): string | null {
	const status = endStatus(state);
	const { plan, subtasksDone: done, stop, fault } = state;
	const why: Readonly<Record<EndStatus, string>> = {
		complete: "",
		budget_exhausted: `The run stopped within its budget: ${STOP_TEXT[stop?.limit ?? "run_cap"]} (${stop?.reason ?? ""}).`,
		max_steps_reached: `The run stopped at its limit of ${spec.maxSteps} ${spec.maxSteps === 1 ? "step" : "steps"}; raise max_steps to have all subtasks done.`,
		cancelled: "The run was cancelled.",
		interrupted: `The run was interrupted: ${fault ?? STOP_TEXT[stop?.limit ?? "no_model"]}.`,
	};
	if (status === "complete") return null;
	const subtasks = plan.length === 1 ? "subtask" : "subtasks";
	const progress = plan.length === 0 ? "No plan was made." : `${done} of ${plan.length} ${subtasks} done.`;
	const output = done === 0 ? "There is no output." : "The output holds what was reached.";
	return `${why[status]} ${progress} ${usdText(costNanoUsd)} of ${usdText(spec.capNanoUsd)} spent. ${output}`;
}

/** What a run ends as, whose charges are all known. */
export function toRunEnd(
	spec: RunSpec,
	state: RunState,
	steps: readonly RunStep[],
	charges: readonly StepCharge[],
): RunEnd {
	const costNanoUsd = sumChargesNanoUsd(charges);
	return {
		status: endStatus(state),
		output: bestOutput(steps),
		finalMessage: finalMessage(spec, state, costNanoUsd),
		costNanoUsd,
		trajectoryProof: currentProof(state, steps),
	};
}

/** Alerts of a run, oldest first. */
export function alertsOf({ guard }: RunState): BudgetAlert[] {
	return guard.alerts;
}

// What a run is: its specification, its state and its steps. What follows from them is next-action.ts, run-output.ts and run-end.ts.
// Pure.
import type { PlanId } from "../../catalog/plans.ts";
import type { Effort } from "../../catalog/vocabulary.ts";
import type { PolicyLevels } from "../../compliance/policy-levels.ts";
import type { ConfidenceBasis } from "../../inference/confidence-basis.ts";
import type { RequestNames } from "../../meter/request-facts.ts";
import { createEfforts, type WorkflowEfforts } from "../../orchestration/effort-rule.ts";
import type { Hash } from "../../proof/hash.ts";
import type { RoutingConfig } from "../../routing/routing-config.ts";
import type { TraceParent } from "../../telemetry/trace-context.ts";
import { type BudgetAlert, type GuardState, type RunPolicy, SpendGuard, type SpendLimits } from "../guard.ts";
import type { Assembly } from "../sections.ts";
import type { Intensity, StepLimit } from "../step-decision.ts";
import { primaryStrategy } from "../step-strategy.ts";
import type { ToolSpec } from "../tools/tool-request.ts";
import { initialToolState, type ToolRunState } from "../tools/tool-state.ts";
import type { RunWait } from "../tools/wait-state.ts";
import { emptyTrajectory, type Trajectory, type TrajectoryStep } from "../trajectory.ts";
import type { RunBudget } from "./limits.ts";
import type { StepRetry } from "./retry.ts";

/** What remains of a goal that is not kept. */
export interface GoalDigest {
	/** Of the goal, over the run's salt. */
	hash: Hash;
	/** UTF-8. */
	bytes: number;
}

/** Where a run stands in its client's trace. */
export interface RunTracePlace {
	parent: TraceParent | null;
	/** Method and path of the endpoint that started it. */
	route: string | null;
}

/** The request, with the rules in force when the run started. Never changes. */
export interface RunSpec extends SpendLimits, ToolSpec {
	runId: string;
	userId: string;
	keyId: string;
	planId: PlanId;
	goal: string;
	/** Of a goal that is not kept, because the run's cap paid for no call: `goal` is empty then. */
	goalDigest?: GoalDigest;
	/** Marks the texts of others in its prompts (inference/material.ts). */
	nonce: string;
	policy: RunPolicy;
	/** Of each model call. */
	maxTokens: number;
	temperature: number;
	/** The client's `reasoning_effort`; left out where it sets none. */
	effort?: Effort;
	/** The client set `max_tokens`, which reasoning counts towards. */
	isLengthSet?: boolean;
	maxSteps: number;
	budget: RunBudget;
	/** IANA zone of the date that steps are told; left out where the client sets none. */
	timeZone?: string;
	workspaceId: string | null;
	/** What its request is called by; left out where it has no names. */
	names?: RequestNames;
	/** Its goal and its output are kept with its request; left out where they are not. */
	logsTexts?: true;
	/** Left out while no address for traces is set. */
	trace?: RunTracePlace;
	/** The part of the routing config that applies to every call; null without one. */
	config: RoutingConfig | null;
	/** Of the whole config, for the receipt. */
	configDigest: string | null;
	compliance: PolicyLevels | null;
	/** The model that ranked first when the run started. */
	intendedModel: string;
	/** Its first POST was answered with the run at once. */
	isBackground?: boolean;
	/** The client's key for it, which names the run in an object of its own. */
	idempotencyKey?: string;
	/** Who shares that key: present with it. */
	claimScope?: string;
	/** Where its end is reported. May hold a secret: never logged, listed or answered. */
	webhook?: string;
	startedAtMs: number;
	/** Of the hashes of its texts, which comes with its admission; absent before. */
	salt?: string;
}

/** How a run's calls reason. */
export function toRunEfforts({
	policy,
	effort,
	isLengthSet,
	maxTokens,
}: Pick<RunSpec, "policy" | "effort" | "isLengthSet" | "maxTokens">): WorkflowEfforts {
	return createEfforts({ policy, effort: effort ?? null, maxTokens: isLengthSet ? maxTokens : null });
}

/** A step as the API returns it. */
export interface StepRecord extends TrajectoryStep {
	role: "subtask" | "finalize";
	intensity: Intensity;
	strategy: string;
	step_proof: string;
	/** What its confidence rests on; null where nothing was rated, absent in steps from before it was recorded. No proof holds it. */
	confidence_basis?: ConfidenceBasis | null;
	/** Of all calls of the step, where it was stored with them. */
	tokens?: number;
	/** How many of `tokens` were input. */
	input_tokens?: number;
}

/** A step as it is stored. */
export interface RunStep {
	record: StepRecord;
	/** Its purpose, in words. */
	subtask: string;
	/** The output is part of the run's result. False for the plan, and for a step that was charged but gave no answer. */
	hasResult: boolean;
	output: string;
}

/** A step under way, as its record will have it. */
export interface StepDraft extends Pick<StepRecord, "role" | "intensity" | "strategy" | "input_hash"> {
	/** Its purpose, in words. */
	subtask: string;
}

/** The server's rules when a run was resumed. They hold beside the run's own. */
export interface ResumeRules {
	compliance: PolicyLevels | null;
	/** The part of the routing config that applies to every call; null without one. */
	config: RoutingConfig | null;
	/** The most that a run may cost; null without a limit. */
	maxCostNanoUsd: number | null;
}

/** A step whose output is a refusal. */
export interface RefusedStep {
	index: number;
	/** It says which tool, file or access is missing. */
	lacksTools: boolean;
}

/** Everything of a run that changes, except its steps and charges. */
export interface RunState {
	plan: string[];
	hasPlan: boolean;
	/** The goal needs no plan: its one step is the final one. */
	isTrivial?: true;
	/** The plan's audit event is still to be written; left out where it is. */
	owesPlanEvent?: boolean;
	/** How the output is made of the results, once there is a plan; null or left out where a final answer is written from them. */
	assembly?: Assembly | null;
	subtasksDone: number;
	/** A step has claimed, in the form that counts, that the whole goal is met. */
	isGoalMet: boolean;
	/** Indices of steps whose output was cut by the output limit; left out where there is none. */
	cutSteps?: number[];
	/** Indices of steps that a limit ended before their model was done; left out where there is none. */
	limitedSteps?: number[];
	/** Steps whose models refused, the plan included; left out where there is none. */
	refusedSteps?: RefusedStep[];
	isFinalized: boolean;
	/** Why a step could not be made. */
	stop: { limit: StepLimit; reason: string } | null;
	/** The step under way has failed before. */
	retry: StepRetry | null;
	/** Steps that were charged for a try without an answer, or for calls under way when the object died. They do not count against `max_steps`. */
	failedSteps: number;
	/** When an interrupted run is signed as it is, ms since the epoch; null for any other run. */
	resumableUntilMs: number | null;
	/** The rules of the last resumption. */
	resumeRules: ResumeRules | null;
	isCancelled: boolean;
	/** Alerts of webhooks that were given up. They may come during a step, at whose end the guard's alerts are replaced. */
	webhookAlerts?: BudgetAlert[];
	/** Why the run cannot go on, for people. */
	fault: string | null;
	guard: GuardState;
	trajectory: Trajectory;
	/** Ids of the models that were sent any content of the run. */
	readers: string[];
	/** At least one answer came from the sandbox upstream. */
	isSandbox: boolean;
	/** Absent in a run that never waited for somebody. */
	wait?: RunWait;
	/** Absent in runs without tools. */
	tools?: ToolRunState;
	/** Edits of people that the policy denied. Absent without any. */
	deniedEdits?: number;
	/** Bytes of what people's decisions have recorded beside the run, which its settlement counts. Absent without any. */
	recordedBytes?: number;
	/** How the output so far stands to `output_schema`; absent without one, and before the first result. */
	form?: OutputFormState;
}

/** Whether an output has the form that the client asked for. */
export interface OutputFormState {
	/** What is wrong, with the member; null where nothing is. */
	fault: string | null;
	/** Its step was asked in that form, and repaired once. */
	isAsked: boolean;
}

export function initialRunState(spec: RunSpec): RunState {
	const { runId: run_id, policy } = spec;
	return {
		plan: [],
		hasPlan: false,
		subtasksDone: 0,
		isGoalMet: false,
		isFinalized: false,
		stop: null,
		retry: null,
		failedSteps: 0,
		resumableUntilMs: null,
		resumeRules: null,
		isCancelled: false,
		fault: null,
		guard: SpendGuard.open(spec, policy).state,
		trajectory: emptyTrajectory({ run_id, policy, strategy: primaryStrategy(policy) }),
		readers: [],
		isSandbox: false,
		...(spec.tools ? { tools: initialToolState() } : {}),
	};
}

/** The number of steps so far. */
export function countSteps({ trajectory }: RunState): number {
	return trajectory.range.size;
}

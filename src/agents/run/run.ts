// A run: its specification, its state, its next action and its end. Making steps, storing them and settling their cost is left to
// the files beside this one. Pure.
import type { PlanId } from "../../catalog/plans.ts";
import type { Effort } from "../../catalog/vocabulary.ts";
import type { PolicyLevels } from "../../compliance/policy-levels.ts";
import type { ConfidenceBasis } from "../../inference/confidence-basis.ts";
import type { RequestNames } from "../../meter/request-facts.ts";
import { createEfforts, type WorkflowEfforts } from "../../orchestration/effort-rule.ts";
import type { Hash } from "../../proof/hash.ts";
import { usd, usdText } from "../../proof/money.ts";
import { type TextHash, textHash } from "../../proof/salted.ts";
import type { RoutingConfig } from "../../routing/routing-config.ts";
import type { TraceParent } from "../../telemetry/trace-context.ts";
import { utf8Length } from "../../text/utf8.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { goalSubtasks } from "../goal-structure.ts";
import { type BudgetAlert, type GuardState, type RunPolicy, SpendGuard, type SpendLimits } from "../guard.ts";
import { MAX_PLANNED_SUBTASKS, type PlannedSubtask, toStepLayout } from "../plan.ts";
import { type Assembly, assembleSections, findSections, type Section } from "../sections.ts";
import type { Intensity, StepLimit } from "../step-decision.ts";
import { primaryStrategy } from "../step-strategy.ts";
import type { ToolSpec } from "../tools/tool-request.ts";
import { countCalls, initialToolState, type OpenToolStep, type ToolRunState } from "../tools/tool-state.ts";
import type { RunWait } from "../tools/wait-state.ts";
import { appendStep, emptyTrajectory, type Trajectory, type TrajectoryStep, trajectoryProof } from "../trajectory.ts";
import type { StepCharge } from "./charges.ts";
import type { RunBudget } from "./limits.ts";
import type { StepRetry } from "./retry.ts";

/** How runs end. `interrupted`: the run failed, or its object died. */
export const END_STATUSES = ["complete", "budget_exhausted", "max_steps_reached", "cancelled", "interrupted"] as const;
export type EndStatus = (typeof END_STATUSES)[number];

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

/** How a run ended. */
export interface RunEnd {
	status: EndStatus;
	output: string;
	/** The output limit ended a text that the output holds; left out in runs that ended before this was known. */
	isCut?: boolean;
	/** For people; null for a complete run. */
	finalMessage: string | null;
	/** The settled cost. */
	costNanoUsd: number;
	trajectoryProof: string;
}

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

/** The subtasks that the goal itself names. They may be more than the run has steps. */
export function planFromGoal({ goal }: Pick<RunSpec, "goal">): PlannedSubtask[] {
	return goalSubtasks(goal, MAX_PLANNED_SUBTASKS).map((task) => ({ task, title: null, isSection: null }));
}

/** The number of steps so far. */
export function countSteps({ trajectory }: RunState): number {
	return trajectory.range.size;
}

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

/** The results of the subtasks so far. */
export function subtaskResults(steps: readonly RunStep[]): SubtaskResult[] {
	return steps
		.filter(({ hasResult, record }) => hasResult && record.role === "subtask")
		.map(({ record: { index }, subtask, output }) => ({ index, subtask, output }));
}

/** The most that several results together may take as the output. */
const MAX_PARTIAL_BYTES = 200_000;

const isBlank = ({ output }: Pick<RunStep, "output">) => output.trim() === "";

/** The parts of a run's state that its output depends on. Both stay as they are for the steps that exist. */
type OutputRules = Pick<RunState, "assembly" | "cutSteps" | "refusedSteps">;

/** The results that are shown: those that are no refusals, unless all are. */
function shownResults({ refusedSteps = [] }: OutputRules, steps: readonly RunStep[]): SubtaskResult[] {
	const results = subtaskResults(steps);
	const given = results.filter(({ index }) => !refusedSteps.some((refused) => refused.index === index));
	return given.length > 0 ? given : results;
}

/** The final step's answer, if it counts: neither blank nor a refusal, where there are results. */
function findShownFinal(rules: OutputRules, steps: readonly RunStep[]): RunStep | undefined {
	const final = findFinal(steps);
	if (!final) return undefined;
	const isRefused = rules.refusedSteps?.some(({ index }) => index === final.record.index) ?? false;
	const results = shownResults(rules, steps);
	return (isBlank(final) || isRefused) && !results.every(isBlank) ? undefined : final;
}

function findFinal(steps: readonly RunStep[]): RunStep | undefined {
	return steps.find(({ hasResult, record }) => hasResult && record.role === "finalize");
}

/** The sections that the output is assembled of; null where it is not. */
export function findRunSections(rules: OutputRules, steps: readonly RunStep[]): Section[] | null {
	const { assembly, cutSteps = [] } = rules;
	const shown = new Set(shownResults(rules, steps).map(({ index }) => index));
	// A section that was refused is blank: the others keep their headings, and it is left out.
	const results = subtaskResults(steps).map(({ index, output }) => ({
		text: shown.has(index) ? output : "",
		isCut: shown.has(index) && cutSteps.includes(index),
	}));
	return findSections(assembly, results);
}

/**
 * The run's output so far: its sections with what the final step wrote around them, else the final step's answer, else the results of
 * the subtasks. A blank final answer does not count, and no refusal beside what others reached.
 */
export function bestOutput(rules: OutputRules, steps: readonly RunStep[]): string {
	const results = shownResults(rules, steps);
	const final = findShownFinal(rules, steps);
	const sections = findRunSections(rules, steps);
	if (sections) return assembleSections(sections, final?.output ?? "");
	if (final) return final.output;
	const [only, ...others] = results;
	return only && others.length === 0 ? only.output : excerptResults(results, MAX_PARTIAL_BYTES);
}

/** Whether the output limit ended a text that the output holds. */
export function isOutputCut(rules: OutputRules, steps: readonly RunStep[]): boolean {
	const cut = new Set(rules.cutSteps ?? []);
	const final = findShownFinal(rules, steps);
	const isFinalCut = final !== undefined && cut.has(final.record.index);
	const sections = findRunSections(rules, steps);
	if (sections) return isFinalCut || sections.some(({ isCut }) => isCut);
	if (final && !isBlank(final)) return isFinalCut;
	return shownResults(rules, steps).some(({ index }) => cut.has(index));
}

/** Root of a run's trajectory so far. */
export function currentProof(
	{ salt }: Pick<RunSpec, "salt">,
	state: OutputRules & Pick<RunState, "trajectory">,
	steps: readonly RunStep[],
): string {
	return trajectoryProof(state.trajectory, textHash(salt)(bestOutput(state, steps)));
}

/** The charges of a run: of its steps that ended, and of the open tool step so far. */
export function listCharges({
	charges,
	state: { tools },
}: {
	charges: readonly StepCharge[];
	state: Pick<RunState, "tools">;
}): readonly StepCharge[] {
	return tools?.open ? [...charges, tools.open.charge] : charges;
}

/** The cost of all charges, integer nano-USD. */
export function sumChargesNanoUsd(charges: readonly StepCharge[]): number {
	return charges.reduce(
		(total, { calls }) => total + calls.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0),
		0,
	);
}

/** The trajectory with one more step, and that step with its index and proof. */
export function chainStep(
	trajectory: Trajectory,
	step: Omit<StepRecord, "index" | "step_proof">,
): { trajectory: Trajectory; record: StepRecord } {
	const indexed = { index: trajectory.range.size, ...step };
	const next = appendStep(trajectory, indexed);
	return { trajectory: next, record: { ...indexed, step_proof: next.last } };
}

/** Tokens of a step, as its record has them. */
export function sumTokens({ calls }: StepCharge): Required<Pick<StepRecord, "tokens" | "input_tokens">> {
	return {
		tokens: calls.reduce((sum, call) => sum + call.tokens, 0),
		input_tokens: calls.reduce((sum, call) => sum + call.input_tokens, 0),
	};
}

/** The trajectory with a step that was charged without an answer, and that step. Its model is the one called last. */
export function chainFailedStep(
	trajectory: Trajectory,
	{ role, intensity, strategy, input_hash, subtask }: StepDraft,
	charge: StepCharge,
	atMs: number,
	hashText: TextHash,
): { trajectory: Trajectory; step: RunStep } {
	const model = charge.calls.at(-1)?.model;
	if (model === undefined) throw new Error("a step is charged for its calls");
	const chained = chainStep(trajectory, {
		role,
		model,
		intensity,
		strategy,
		cost_usd: usd(sumChargesNanoUsd([charge])),
		confidence: 0,
		confidence_basis: null,
		input_hash,
		output_hash: hashText(""),
		timestamp: new Date(atMs).toISOString(),
		...sumTokens(charge),
	});
	return { trajectory: chained.trajectory, step: { record: chained.record, subtask, hasResult: false, output: "" } };
}

/** The end status of a run without a further action. */
export function endStatus(state: RunState): EndStatus {
	const { plan, subtasksDone, isGoalMet, isFinalized, stop, isCancelled, fault } = state;
	if (fault !== null) return "interrupted";
	// A cancellation after the final step changes nothing.
	if (isCancelled && !isFinalized) return "cancelled";
	if (stop) return stop.limit === "no_model" ? "interrupted" : "budget_exhausted";
	return subtasksDone < plan.length && !isGoalMet ? "max_steps_reached" : "complete";
}

const STEP_LIMIT_TEXT: Readonly<Record<StepLimit, string>> = {
	run_cap: "the next step could have cost more than was left; raise max_cost_usd",
	final_step: "the next step and the final one could have cost more than was left; raise max_cost_usd",
	step_cap: "the next step could have cost more than max_cost_per_step allows; raise it",
	no_model: "no model that may work on this run can make the next step",
};

/** Why a run was cancelled. */
function planEnd({ wait }: RunState): string {
	const plan = wait?.plan;
	if (plan?.end === "expired") return "The run was cancelled: nobody approved its plan in time.";
	if (plan?.approval?.decision !== "reject") return "The run was cancelled.";
	const { reason } = plan.approval;
	return `The run was cancelled: its plan was rejected${reason === undefined ? "" : ` (${reason})`}.`;
}

/** Why a run stopped and what there is of it, for people; null for a complete run. */
export function finalMessage(
	spec: Pick<RunSpec, "capNanoUsd" | "maxSteps">,
	state: RunState,
	costNanoUsd: number,
): string | null {
	const status = endStatus(state);
	const { plan, subtasksDone, stop, fault, form } = state;
	const unfit = form?.fault == null ? "" : `The output has not the form of output_schema: ${form.fault}`;
	const why: Readonly<Record<EndStatus, string>> = {
		complete: "",
		budget_exhausted: `The run stopped within its budget: ${STEP_LIMIT_TEXT[stop?.limit ?? "run_cap"]} (${stop?.reason ?? ""}).`,
		max_steps_reached: `The run stopped at its limit of ${spec.maxSteps} ${spec.maxSteps === 1 ? "step" : "steps"}; raise max_steps to have all subtasks done.`,
		cancelled: planEnd(state),
		interrupted: `The run was interrupted: ${fault ?? STEP_LIMIT_TEXT[stop?.limit ?? "no_model"]}.`,
	};
	if (status === "complete") return unfit === "" ? null : unfit;
	const subtasks = plan.length === 1 ? "subtask" : "subtasks";
	const progress = plan.length === 0 ? "No plan was made." : `${subtasksDone} of ${plan.length} ${subtasks} done.`;
	const output = subtasksDone === 0 ? "There is no output." : "The output holds what was reached.";
	return `${why[status]} ${progress} ${usdText(costNanoUsd)} of ${usdText(spec.capNanoUsd)} spent. ${output}${unfit === "" ? "" : ` ${unfit}`}`;
}

/** A run at its end. */
export interface EndedRun {
	spec: RunSpec;
	state: RunState;
	steps: readonly RunStep[];
	charges: readonly StepCharge[];
	end: RunEnd;
}

/**
 * A run as it is kept after its end. Of one whose cap paid for no call the texts are not kept, because it has cost nothing: its goal
 * is a digest.
 */
export function toEndedRun(
	{ spec, charges }: Pick<EndedRun, "spec" | "charges">,
	{ state, steps, end }: Pick<EndedRun, "state" | "steps" | "end">,
): EndedRun {
	const { owesPlanEvent: _, ...others } = state;
	const paidForNothing = end.status === "budget_exhausted" && steps.length === 0 && charges.length === 0;
	if (!paidForNothing) return { spec, state, steps, charges, end };
	const goalDigest = { hash: textHash(spec.salt)(spec.goal), bytes: utf8Length(spec.goal) };
	return { spec: { ...spec, goal: "", goalDigest }, state: { ...others, plan: [] }, steps, charges, end };
}

/** The end of a run whose charges are all known. */
export function toRunEnd(
	spec: RunSpec,
	state: RunState,
	steps: readonly RunStep[],
	charges: readonly StepCharge[],
): RunEnd {
	const costNanoUsd = sumChargesNanoUsd(charges);
	return {
		status: endStatus(state),
		output: bestOutput(state, steps),
		isCut: isOutputCut(state, steps),
		finalMessage: finalMessage(spec, state, costNanoUsd),
		costNanoUsd,
		trajectoryProof: currentProof(spec, state, steps),
	};
}

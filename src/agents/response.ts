// The API's forms of a run: whole, in lists, and as a trajectory. Pure.

import * as z from "zod";
import { clipCharacters } from "../clip.ts";
import { type ClientWarning, warningsSchema } from "../inference/client-fields.ts";
import { confidenceBasisSchema } from "../inference/confidence-basis.ts";
import { truncatedWarning } from "../orchestration/response.ts";
import { usd } from "../proof/money.ts";
import { textHash } from "../proof/salted.ts";
import { excerptText } from "./excerpt.ts";
import { GOAL_OUTCOMES, toGoalOutcome } from "./goal-outcome.ts";
import { listCharges, type StepCharge, sumChargesNanoUsd } from "./run/charges.ts";
import type { RunSpec, RunState, RunStep, StepRecord } from "./run/run.ts";
import { END_STATUSES, finalMessage, type RunEnd } from "./run/run-end.ts";
import { bestOutput, currentProof, isOutputCut } from "./run/run-output.ts";
import { INTENSITIES_DESCENDING } from "./step-decision.ts";
import { pendingEntrySchema, pendingSchema } from "./tools/pending.ts";
import { stepExchangeSchema, toolCallCountsSchema } from "./tools/step-view.ts";
import type { ToolCall } from "./tools/tool-call.ts";
import { listPendings, requiresAction, toPendingEntry } from "./tools/waiting.ts";
import { verifyTrajectory } from "./trajectory.ts";

const MAX_LISTED_GOAL_CHARS = 200;
/** Bound of an output in a list: 200 of them fit into a Worker, and each into a row of D1 however it is escaped. */
const MAX_LISTED_OUTPUT_BYTES = 100_000;
/** Hex digits of a shortened hash, after its prefix. */
const SHORT_HASH_DIGITS = 12;

const intensitySchema = z.enum(INTENSITIES_DESCENDING);
export const runStatusSchema = z.enum(["running", "requires_action", ...END_STATUSES]);

const runStepSchema = z.lazy(() =>
	z.object({
		index: z.int().describe("Position, from 0."),
		role: z.enum(["subtask", "finalize"]).describe("`finalize` is the last step, which writes the output."),
		model: z.string().describe("The model that wrote the kept text."),
		intensity: intensitySchema.describe("The highest tier that it might use."),
		strategy: z.string().describe("How its models worked together."),
		cost_usd: z.number().describe("Cost of all its calls."),
		confidence: z.number().describe("How likely its text is right, 0 to 1."),
		confidence_basis: confidenceBasisSchema
			.nullable()
			.optional()
			.describe("What the confidence rests on; in no proof. Null where nothing was rated; absent in older steps."),
		input_hash: z.string().describe("Hash of what it was told."),
		output_hash: z.string().describe("Hash of its text."),
		step_proof: z.string().describe("Hash that chains it to the steps before."),
		timestamp: z.string().describe("When it was done."),
		tokens: z.int().optional().describe("Tokens of all its calls; in no proof."),
		input_tokens: z.int().optional().describe("Those of its prompts; in no proof."),
	}),
);

const alertSchema = z.lazy(() =>
	z.object({
		level: z.enum(["WARNING", "CRITICAL"]),
		code: z.enum([
			"budget_pressure",
			"provider_overrun",
			"model_replaced",
			"webhook_failed",
			"placeholder_not_restored",
			"step_refused",
			"loop_detected",
			"tools_ended",
		]),
		threshold: z.number().nullable(),
		consumed_share: z.number(),
		consumed_usd: z.number(),
		max_cost_usd: z.number(),
		step_index: z.int(),
		intensity: intensitySchema,
		message: z.string(),
	}),
);

/** Members of a run that an MCP client's list leaves out: for records and proofs, which a model at work does not read. */
export const UNLISTED_RUN_MEMBERS: readonly string[] = [
	...["sealed", "created_at", "workspace_id", "policy", "strategy", "trajectory_proof", "truncated", "goal_digest"],
	...["format_met", "self_approval", "goal", "plan", "budget", "salt", "svc"],
];

/** The fields of a run both whole and in a list. */
function commonRunFields() {
	return {
		object: z.literal("agent.run"),
		run_id: z.string().describe("Id of the run, and of its receipt."),
		status: runStatusSchema.describe(
			"How it ended, or `requires_action` while it waits for somebody; reads also see `running` and `interrupted`.",
		),
		sealed: z.boolean().describe("Its receipt is signed; false while it runs, and while it can be resumed."),
		created_at: z.string().describe("When it began."),
		workspace_id: z
			.string()
			.optional()
			.describe("The workspace that its events and its approvals belong to; absent without one."),
		policy: z.string().describe("The effort policy."),
		strategy: z.string().describe("The strategy that subtasks begin with."),
		steps_taken: z.int().describe("Steps so far."),
		cost_consumed_usd: z.number().describe("What it has cost."),
		max_cost_usd: z.number().describe("Its cap."),
		remaining_usd: z.number().describe("What is left of the cap."),
		trajectory_proof: z.string().describe("Root of the chain of its steps."),
		output: z.string().describe("The answer, or the best of what there is."),
		truncated: z
			.literal(true)
			.optional()
			.describe("The output limit ended the output or a section of it, and nobody could complete it."),
		goal_digest: z
			.object({ hash: z.string(), bytes: z.int() })
			.optional()
			.describe("Stands for a goal that is not kept because the cap paid for no call; `goal` and `plan` are empty."),
		goal_outcome: z
			.enum(GOAL_OUTCOMES)
			.optional()
			.describe("What became of the goal, judged on the output, once the run has ended; in no proof."),
		format_met: z
			.boolean()
			.optional()
			.describe(
				"With `output_schema`, once there is a result: whether the output has its form; if not, `final_message` says what is wrong.",
			),
		final_message: z
			.string()
			.optional()
			.describe(
				"Why it stopped, unless it is complete or still running; what of the output does not fit `output_schema`; which messages of yours no turn has read.",
			),
		tool_calls: toolCallCountsSchema
			.optional()
			.describe("How many tool calls its models made, and what became of them; absent in runs without tools."),
		self_approval: z
			.literal(true)
			.optional()
			.describe("Its request said `self_approval`, and an owner's key began it."),
	};
}

/** A run, whole. */
export const runSchema = z.lazy(() =>
	z.object({
		...commonRunFields(),
		goal: z.string().optional().describe("The goal as it was asked for."),
		plan: z.array(z.string()).describe("Its subtasks."),
		steps: z.array(runStepSchema).describe("Its steps."),
		alerts: z.array(alertSchema).describe("What its owner should know."),
		pending: z
			.array(pendingSchema)
			.optional()
			.describe("While it waits: what it waits for, which POST /v1/agent/{run_id}/resolve takes."),
		budget: z
			.object({
				plan: z.string(),
				plan_envelope_usd: z.number(),
				tier_limit_usd: z.number(),
				max_cost_usd: z.number(),
				multiplier: z.number(),
				limited_by: z
					.literal("key_budget")
					.optional()
					.describe("The cap is what the budget of the API key left when the run began."),
			})
			.describe("The cap, and the limits of the plan that it was held against."),
		salt: z
			.string()
			.optional()
			.describe("Salt of the hashes of its texts: for its owner, who may give it away; absent in older runs."),
		svc: z
			.object({ warnings: warningsSchema })
			.optional()
			.describe(
				"Warnings about an output that was cut at the default limit; in the first answer, also about ignored members.",
			),
	}),
);
export type RunResponse = z.output<typeof runSchema>;

/** A run in a list. */
export const runSummarySchema = z.lazy(() =>
	z.object({
		...commonRunFields(),
		goal: z.string().describe(`Its first ${MAX_LISTED_GOAL_CHARS} characters.`),
		pending: z.array(pendingEntrySchema).optional().describe("While it waits: what it waits for, without texts."),
	}),
);
export type RunSummary = z.output<typeof runSummarySchema>;

/** Everything known about a run at one moment. */
export interface RunSnapshot {
	spec: RunSpec;
	state: RunState;
	steps: readonly RunStep[];
	charges: readonly StepCharge[];
	/** Of its tools; left out of a run that has none. */
	calls?: readonly ToolCall[];
	/** Null while it runs. */
	end: RunEnd | null;
}

const STALLED_TEXT =
	"Everything is answered, and the run waits for the budget of its key, which did not leave one turn. Once it leaves more, resolve or resume the run again.";

/** What becomes of a run that has not ended. */
function openStatus(state: RunState, calls: readonly ToolCall[]): "running" | "requires_action" | "interrupted" {
	if (state.resumableUntilMs !== null) return "interrupted";
	return requiresAction({ state, calls }) ? "requires_action" : "running";
}

/** What people are told of a run that has not ended. */
function openMessage(spec: RunSpec, state: RunState, costNanoUsd: number): string | null {
	if (state.resumableUntilMs !== null) return finalMessage(spec, state, costNanoUsd);
	return state.wait?.stalled ? STALLED_TEXT : null;
}

/** Says that a run's output ends at a limit that its client did not name. */
function cutRunWarning({ maxTokens }: Pick<RunSpec, "maxTokens">): ClientWarning {
	const limit = { maxTokens, isNamed: false };
	return truncatedWarning(limit, "the output or a section of it", "could not be completed");
}

/** A run as POST and GET answer it. The texts of what it waits for are left to its object, which opens them. */
export function toRunResponse({ spec, state, steps, charges, calls = [], end }: RunSnapshot): RunResponse {
	const { runId: run_id, policy, capNanoUsd, budget, startedAtMs } = spec;
	const costNanoUsd = end?.costNanoUsd ?? sumChargesNanoUsd(listCharges({ charges, state }));
	const isCut = end ? end.isCut : isOutputCut(state, steps);
	const status = end?.status ?? openStatus(state, calls);
	const message = end ? end.finalMessage : openMessage(spec, state, costNanoUsd);
	return {
		object: "agent.run",
		run_id,
		status,
		sealed: end !== null,
		created_at: new Date(startedAtMs).toISOString(),
		...(spec.workspaceId === null ? {} : { workspace_id: spec.workspaceId }),
		policy,
		strategy: state.trajectory.strategy,
		goal: spec.goal,
		plan: state.plan,
		steps_taken: steps.length,
		cost_consumed_usd: usd(costNanoUsd),
		max_cost_usd: usd(capNanoUsd),
		remaining_usd: usd(capNanoUsd - costNanoUsd),
		trajectory_proof: end?.trajectoryProof ?? currentProof(spec, state, steps),
		output: end?.output ?? bestOutput(state, steps),
		...(isCut ? { truncated: true as const } : {}),
		steps: steps.map(({ record }) => record),
		alerts: [...state.guard.alerts, ...(state.webhookAlerts ?? [])],
		...(status === "requires_action" ? { pending: listPendings({ state, calls }) } : {}),
		budget,
		...(end ? { goal_outcome: toGoalOutcome(spec.goal, state, steps, end) } : {}),
		...(spec.goalDigest === undefined ? {} : { goal_digest: spec.goalDigest }),
		...(state.form === undefined ? {} : { format_met: state.form.fault === null }),
		...(message === null ? {} : { final_message: message }),
		...(state.tools ? { tool_calls: state.tools.counts } : {}),
		...(spec.selfApproval ? { self_approval: true as const } : {}),
		...(spec.salt === undefined ? {} : { salt: spec.salt }),
		...(isCut && spec.isLengthSet === false ? { svc: { warnings: [cutRunWarning(spec)] } } : {}),
	};
}

/** A run as an entry of a list. */
export function toRunSummary(run: RunResponse, goal: string): RunSummary {
	const { plan: _, steps: __, alerts: ___, budget: ____, goal: _____, svc: ______, salt: _______, ...rest } = run;
	const { pending, ...common } = rest;
	const output = excerptText(common.output, MAX_LISTED_OUTPUT_BYTES);
	return {
		...common,
		...(pending ? { pending: pending.map(toPendingEntry) } : {}),
		output,
		goal: clipCharacters(goal, MAX_LISTED_GOAL_CHARS),
	};
}

/** A step with its text. */
export const stepTextSchema = z.lazy(() =>
	z.object({
		object: z.literal("agent.step"),
		run_id: z.string(),
		index: z.int(),
		role: z.enum(["subtask", "finalize"]),
		subtask: z.string().describe("Its purpose, in words."),
		text: z.string(),
		truncated: z.boolean().describe("The text was longer than 1 MiB, and is its beginning."),
		output_hash: z.string().nullable().describe("Of the whole text; null while the step goes on."),
		...stepExchangeSchema.unwrap().partial().shape,
	}),
);
export type StepTextResponse = z.output<typeof stepTextSchema>;

/** A step and its text, as far as it is kept. */
export function toStepTextResponse(
	{ runId: run_id, salt }: Pick<RunSpec, "runId" | "salt">,
	{ record: { index, role, output_hash }, subtask }: RunStep,
	text: string,
): StepTextResponse {
	const truncated = textHash(salt)(text) !== output_hash;
	return { object: "agent.step", run_id, index, role, subtask, text, truncated, output_hash };
}

/** A run's steps and their verification. */
export const trajectorySchema = z.lazy(() =>
	z.object({
		object: z.literal("agent.trajectory"),
		run_id: z.string(),
		status: runStatusSchema,
		trajectory_proof: z.string(),
		steps: z.array(runStepSchema).describe("Hashes are cut, unless `full` is true."),
		verification: z.object({
			valid: z.boolean(),
			recomputed_proof: z.string(),
			n_steps: z.int(),
			mismatched_steps: z.array(z.int()),
		}),
		verify_request: z
			.object({
				run_id: z.string(),
				trajectory_proof: z.string(),
				policy: z.string(),
				strategy: z.string(),
				output_hash: z.string(),
				steps: z.array(runStepSchema),
				step_proofs: z.array(z.string()),
				salt: z.string().optional().describe("Of the hashes of the run's texts; leave it out to show none of them."),
			})
			.optional()
			.describe("With `full`: what POST /v1/agent/verify takes."),
	}),
);
export type TrajectoryResponse = z.output<typeof trajectorySchema>;

function shortenHash(hash: string): string {
	return hash.slice(0, "sha256:".length + SHORT_HASH_DIGITS);
}

function shortenStepHashes(step: StepRecord): StepRecord {
	const { input_hash, output_hash, step_proof } = step;
	return {
		...step,
		input_hash: shortenHash(input_hash),
		output_hash: shortenHash(output_hash),
		step_proof: shortenHash(step_proof),
	};
}

/** A run's steps, with their proofs recomputed. @param isFull with whole hashes and the request that verifies them. */
export function toTrajectoryResponse(run: RunResponse, isFull: boolean): TrajectoryResponse {
	const { run_id, status, policy, strategy, trajectory_proof, output, steps, salt } = run;
	const verify_request = {
		run_id,
		trajectory_proof,
		policy,
		strategy,
		output_hash: textHash(salt)(output),
		steps,
		step_proofs: steps.map(({ step_proof }) => step_proof),
		...(salt === undefined ? {} : { salt }),
	};
	const { valid, recomputed_proof, mismatched_steps } = verifyTrajectory(verify_request);
	return {
		object: "agent.trajectory",
		run_id,
		status,
		trajectory_proof: isFull ? trajectory_proof : shortenHash(trajectory_proof),
		steps: isFull ? steps : steps.map(shortenStepHashes),
		verification: {
			valid,
			recomputed_proof: isFull ? recomputed_proof : shortenHash(recomputed_proof),
			n_steps: steps.length,
			mismatched_steps,
		},
		...(isFull ? { verify_request } : {}),
	};
}

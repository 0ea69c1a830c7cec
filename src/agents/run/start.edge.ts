// Starts a run, or joins the one that an idempotency key stands for, and waits for its end. A client that hangs up does not stop it.
import type { KeyContext } from "../../account/context.ts";
import { newRequestId } from "../../account/request-ids.edge.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { type Failure, fail, ok, type Result } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { logError } from "../../http/log.edge.ts";
import type { ProgressEvent } from "../../http/long-answer.edge.ts";
import { toCaller } from "../../inference/caller.edge.ts";
import { panelConfig, toQuestionCall } from "../../orchestration/request.ts";
import { nanoUsd, usd } from "../../proof/money.ts";
import type { CompiledConfig } from "../../routing/routing-config.ts";
import { matchRule } from "../../routing/rules.ts";
import { detectSignals } from "../../routing/signals.ts";
import { configDigest } from "../../routing-config/config.ts";
import { rulesInForce } from "../../routing-config/in-force.edge.ts";
import { gateForGoal } from "../goal-gate.edge.ts";
import { START_INTENSITY } from "../guard.ts";
import {
	type AgentRunRequest,
	bodyHash,
	DEFAULT_AGENT_MAX_TOKENS,
	DEFAULT_AGENT_TEMPERATURE,
	parseGoal,
} from "../request.ts";
import type { RunResponse } from "../response.ts";
import { selectStepPool, toPromptTask } from "../step-pricer.edge.ts";
import { subtaskMessages } from "../step-prompts.ts";
import { type AgentRunClient, type Awaited, agentRunClient, claimRun, releaseClaim } from "./client.edge.ts";
import { type RunLimits, toRunLimits } from "./limits.ts";
import { initialRunState, planFromGoal, type RunSpec, toRunEnd } from "./run.ts";
import { draftInterimSettlement } from "./settlement.ts";

/** From the admission of a run to the first word of its object; without it the run is settled at nothing. */
const START_RESERVATION_MS = 60_000;

const LAST_EVENTS_MS = 1_000;

const RUN_NOT_STARTED: Failure = { reason: "storage_unavailable", message: "the run could not be begun; try again" };

/** The answer to who waited for a run: the run, or why there is none to show. */
export function toOutcomeResult(awaited: Awaited, runId: string): JsonResult<RunResponse> {
	if (awaited === "void") return fail(RUN_NOT_STARTED);
	if (awaited === "unaccounted") return fail({ reason: "receipt_unavailable", requestId: runId });
	const { run, isSandbox } = awaited;
	if (run.status === "interrupted" || run.status === "running")
		return fail({ reason: "agent_error", message: run.final_message ?? "the run was interrupted", runId });
	return { ok: true, value: run, headers: isSandbox ? { "x-svc-sandbox": "1" } : {} };
}

/** The lower of a run's own limits and what the routing config lets one request cost. */
function applyConfig(
	limits: RunLimits,
	config: CompiledConfig | null,
	goal: string,
): { limits: RunLimits; panel: RunSpec["config"] } {
	if (!config) return { limits, panel: null };
	const call = toQuestionCall({
		messages: [{ role: "user", content: [{ type: "text", text: goal }] }],
		maxTokens: 1,
		temperature: undefined,
		json: false,
	});
	const rule = matchRule(config, call, detectSignals(call));
	const { max_cost, ...rest } = panelConfig(config.config, rule?.use.max_cost);
	const panel = { ...rest, max_cost: null };
	if (max_cost === null) return { limits, panel };
	const capNanoUsd = Math.min(limits.capNanoUsd, nanoUsd(max_cost));
	const stepCapNanoUsd = Math.min(limits.stepCapNanoUsd, capNanoUsd);
	const budget = { ...limits.budget, max_cost_usd: usd(capNanoUsd) };
	return { limits: { ...limits, capNanoUsd, stepCapNanoUsd, budget }, panel };
}

/** A run that may begin. */
interface PreparedRun {
	spec: RunSpec;
	/** On its goal. */
	gate: ComplianceGate | null;
}

/** What a run is to be, with the gate on its goal; a failure where no model may work on it at all. */
async function prepareRun(
	body: AgentRunRequest,
	goal: string,
	ownLimits: RunLimits,
	context: KeyContext,
): Promise<Result<PreparedRun>> {
	const { account, settings, startedAtMs } = context;
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const { config, policy: compliance } = rules.value;
	const gate = await gateForGoal(goal, compliance, settings);
	const { limits, panel } = applyConfig(ownLimits, config, goal);
	const policy = body.policy ?? "balanced";
	const maxTokens = body.max_tokens ?? DEFAULT_AGENT_MAX_TOKENS;
	const temperature = body.temperature ?? DEFAULT_AGENT_TEMPERATURE;
	const plan = planFromGoal({ goal });
	const messages = subtaskMessages({ goal, subtask: plan[0] ?? goal, number: 1, of: plan.length, earlier: [] });
	const task = toPromptTask(messages, maxTokens, temperature);
	const stepRules = { policy, config: panel, gate, temperature };
	const pool = selectStepPool(context, stepRules, START_INTENSITY[policy], task, true);
	if (!pool.ok) return pool;
	const spec: RunSpec = {
		runId: newRequestId(account, context, "agt_"),
		userId: account.userId,
		keyId: account.keyId,
		planId: account.plan.id,
		goal,
		policy,
		maxTokens,
		temperature,
		capNanoUsd: limits.capNanoUsd,
		stepCapNanoUsd: limits.stepCapNanoUsd,
		maxSteps: limits.maxSteps,
		budget: limits.budget,
		workspaceId: body.workspace_id ?? null,
		config: panel,
		configDigest: config ? configDigest(config.config) : null,
		compliance,
		intendedModel: pool.value.single[0],
		startedAtMs,
	};
	return ok({ spec, gate });
}

/** The run that the body's key stands for; null without a key, and for a key that is new. */
async function claimKey(
	{ idempotency_key: key }: AgentRunRequest,
	{ account, env, rawBody }: KeyContext,
	runId: string | null,
): Promise<Result<string | null>> {
	if (key == null) return ok(runId);
	const claim = await claimRun(env, account.userId, key, bodyHash(rawBody), runId);
	if (claim && !claim.isSameBody) {
		const message = "this idempotency_key stands for a run that was asked for with another body";
		return fail({ reason: "idempotency_conflict", message });
	}
	return ok(claim?.runId ?? null);
}

/** Hands the run's events on as they come; what is lost of them is lost, the run itself is answered all the same. */
async function forwardEvents(run: AgentRunClient, progress: (event: ProgressEvent) => void): Promise<void> {
	try {
		let rest = "";
		const lines = (await run.follow()).pipeThrough(new TextDecoderStream());
		for await (const text of lines) {
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) progress(JSON.parse(line) as ProgressEvent);
		}
	} catch (error) {
		logError("agent_events_lost", error);
	}
}

/** Events that are on their way when the run is over are waited for so long. */
function waitForLastEvents(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS));
}

/** Waits for the end of a run, which may have begun in another request. */
async function waitForRun(
	{ idempotency_key: key }: AgentRunRequest,
	{ env, account: { userId } }: KeyContext,
	runId: string,
	progress: ReportProgress,
): Promise<JsonResult<RunResponse>> {
	const run = agentRunClient(env, userId, runId);
	const ended = run.waitForEnd();
	if (progress) await Promise.race([forwardEvents(run, progress), ended.then(waitForLastEvents, () => null)]);
	const outcome = await ended;
	if (outcome === "void" && key != null) await releaseClaim(env, userId, key, runId);
	return toOutcomeResult(outcome, runId);
}

/** Hears what happens; null where nobody wants to hear of it before the end. */
type ReportProgress = ((event: ProgressEvent) => void) | null;

/** Admits a run under its id and has its object begin it; the id of the run to wait for, which may be another's of the same key. */
async function admitAndStart(
	body: AgentRunRequest,
	context: KeyContext,
	{ spec, gate }: PreparedRun,
): Promise<Result<string>> {
	const { runId } = spec;
	context.requestId = runId;
	const { funds, settings } = toCaller(context);
	const state = initialRunState(spec);
	const end = toRunEnd(spec, { ...state, fault: "it did not begin" }, [], []);
	const draft = draftInterimSettlement({ spec, state, charges: [], end, gate, catalog: settings.catalog }, Date.now());
	const reserved = await funds.reserve({ ...draft, expiresAtMs: Date.now() + START_RESERVATION_MS });
	if (!reserved.ok) return reserved;
	const claim = await claimKey(body, context, runId).catch(async (error: unknown) => {
		await funds.release();
		throw error;
	});
	if (!claim.ok || claim.value !== runId) {
		await funds.release();
		return claim.ok ? ok(claim.value ?? runId) : claim;
	}
	// Where this fails the run may have begun all the same: its reservation is left to it, or to expire at nothing.
	const isBegun = await agentRunClient(context.env, spec.userId, runId).start(spec);
	return isBegun ? ok(runId) : fail(RUN_NOT_STARTED);
}

/** Answers a request for a run with the run at its end. */
export async function startOrJoinRun(
	body: AgentRunRequest,
	context: KeyContext,
	progress: ReportProgress,
): Promise<JsonResult<RunResponse>> {
	const goal = parseGoal(body);
	if (!goal.ok) return goal;
	const limits = toRunLimits(body, context.account.plan);
	if (!limits.ok) return limits;
	const claimed = await claimKey(body, context, null);
	if (!claimed.ok) return claimed;
	if (claimed.value !== null) {
		const admitted = await context.admit();
		return admitted.ok ? waitForRun(body, context, claimed.value, progress) : admitted;
	}
	const prepared = await prepareRun(body, goal.value, limits.value, context);
	if (!prepared.ok) return prepared;
	const started = await admitAndStart(body, context, prepared.value);
	if (!started.ok) return started;
	const answer = await waitForRun(body, context, started.value, progress);
	if (answer.ok) Object.assign(context.log, { outcome: answer.value.status, cost_usd: answer.value.cost_consumed_usd });
	return answer;
}

// Starts a run, or joins the run that an idempotency key names, and waits for its end. A client that hangs up does not stop it.
import type { KeyContext } from "../../account/context.ts";
import { newRequestId } from "../../account/request-ids.edge.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { type Failure, fail, ok, type Result } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { logError } from "../../http/log.edge.ts";
import type { ProgressEvent } from "../../http/long-answer.edge.ts";
import { toCaller } from "../../inference/caller.edge.ts";
import { createNonce } from "../../inference/nonce.edge.ts";
import { panelConfig, toQuestionCall } from "../../orchestration/request.ts";
import { nanoUsd, usd } from "../../proof/money.ts";
import type { CompiledConfig } from "../../routing/routing-config.ts";
import { matchRule } from "../../routing/rules.ts";
import { detectSignals } from "../../routing/signals.ts";
import { configDigest } from "../../routing-config/config.ts";
import { rulesInForce } from "../../routing-config/in-force.edge.ts";
import { gateForGoal } from "../goal-gate.edge.ts";
import { START_INTENSITY } from "../guard.ts";
import { toStepMarks } from "../prompt.ts";
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
import {
	type AgentRunClient,
	agentRunClient,
	claimRun,
	type RunOutcome,
	type RunView,
	releaseClaim,
} from "./client.edge.ts";
import { type RunLimits, toRunLimits } from "./limits.ts";
import { initialRunState, planFromGoal, type ResumeRules, type RunSpec, toRunEnd } from "./run.ts";
import { draftInterimSettlement } from "./settlement.ts";

/** The reservation of a run that never starts expires after this, at no cost. */
const START_RESERVATION_MS = 60_000;

/** After the run's end, events still under way are awaited this long. */
const LAST_EVENTS_MS = 1_000;

export const RUN_NOT_FOUND: Failure = { reason: "run_not_found", message: "there is no such run of yours" };
const RUN_NOT_STARTED: Failure = { reason: "storage_unavailable", message: "the run could not be begun; try again" };

/** A run as an endpoint's result. */
export function toRunResult({ run, isSandbox }: RunView): Extract<JsonResult<RunResponse>, { ok: true }> {
	return { ok: true, value: run, headers: isSandbox ? { "x-svc-sandbox": "1" } : {} };
}

/** The result for a request that waited for a run. */
export function toOutcomeResult(outcome: RunOutcome, runId: string): JsonResult<RunResponse> {
	if (outcome === "abandoned") return fail(RUN_NOT_STARTED);
	if (outcome === "unsettled") return fail({ reason: "receipt_unavailable", requestId: runId });
	const {
		status,
		final_message: message = "the run was interrupted",
		cost_consumed_usd: costUsd,
		output,
	} = outcome.run;
	if (status === "interrupted" || status === "running")
		return fail({ reason: "agent_error", message, runId, costUsd, output });
	return toRunResult(outcome);
}

/** The config's rule for a goal. */
function matchGoalRule(config: CompiledConfig, goal: string): ReturnType<typeof matchRule> {
	const call = toQuestionCall({
		messages: [{ role: "user", content: [{ type: "text", text: goal }] }],
		maxTokens: 1,
		temperature: undefined,
		json: false,
	});
	return matchRule(config, call, detectSignals(call));
}

/** What a routing config says of every call of a run, and its limit on the run as a whole, nano-USD; null without one. */
function splitConfig(
	config: CompiledConfig,
	goal: string,
): { callConfig: RunSpec["config"]; maxCostNanoUsd: number | null } {
	const { max_cost, ...rest } = panelConfig(config.config, matchGoalRule(config, goal)?.use.max_cost);
	return { callConfig: { ...rest, max_cost: null }, maxCostNanoUsd: max_cost === null ? null : nanoUsd(max_cost) };
}

/** Lowers a run's limits to the routing config's `max_cost`, and takes from the config what applies to every call. */
function applyConfig(
	limits: RunLimits,
	config: CompiledConfig | null,
	goal: string,
): { limits: RunLimits; callConfig: RunSpec["config"] } {
	if (!config) return { limits, callConfig: null };
	const { callConfig, maxCostNanoUsd } = splitConfig(config, goal);
	if (maxCostNanoUsd === null) return { limits, callConfig };
	const capNanoUsd = Math.min(limits.capNanoUsd, maxCostNanoUsd);
	const stepCapNanoUsd = Math.min(limits.stepCapNanoUsd, capNanoUsd);
	const budget = { ...limits.budget, max_cost_usd: usd(capNanoUsd) };
	return { limits: { ...limits, capNanoUsd, stepCapNanoUsd, budget }, callConfig };
}

/** A run that may start. */
interface PreparedRun {
	spec: RunSpec;
	/** The compliance gate on its goal. */
	gate: ComplianceGate | null;
}

/** Prepares a run. Fails when no model may work on it. */
async function prepareRun(
	body: AgentRunRequest,
	goal: string,
	requestedLimits: RunLimits,
	context: KeyContext,
): Promise<Result<PreparedRun>> {
	const { account, settings, startedAtMs } = context;
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const { config, policy: compliance } = rules.value;
	const gate = await gateForGoal(goal, compliance, settings);
	const { limits, callConfig } = applyConfig(requestedLimits, config, goal);
	const policy = body.policy ?? "balanced";
	const maxTokens = body.max_tokens ?? DEFAULT_AGENT_MAX_TOKENS;
	const temperature = body.temperature ?? DEFAULT_AGENT_TEMPERATURE;
	const nonce = createNonce();
	const plan = planFromGoal({ goal }).map((subtask) => subtask.task);
	const marks = toStepMarks(nonce, 0);
	const messages = subtaskMessages({ goal, plan, number: 1, earlier: [], maxTokens, marks });
	const task = toPromptTask(messages, { maxTokens, temperature, nonce });
	const stepRules = { policy, config: callConfig, gate };
	const pool = selectStepPool(context, stepRules, START_INTENSITY[policy], task, true);
	if (!pool.ok) return pool;
	const spec: RunSpec = {
		runId: newRequestId(account, context, "agt_"),
		userId: account.userId,
		keyId: account.keyId,
		planId: account.plan.id,
		goal,
		nonce,
		policy,
		maxTokens,
		temperature,
		...(body.reasoning_effort == null ? {} : { effort: body.reasoning_effort }),
		isLengthSet: body.max_tokens != null,
		capNanoUsd: limits.capNanoUsd,
		stepCapNanoUsd: limits.stepCapNanoUsd,
		maxSteps: limits.maxSteps,
		budget: limits.budget,
		workspaceId: body.workspace_id ?? null,
		config: callConfig,
		configDigest: config ? configDigest(config.config) : null,
		compliance,
		intendedModel: pool.value.single[0],
		startedAtMs,
	};
	return ok({ spec, gate });
}

/** Returns the run that the body's key names. Without a key, or with a free one, that is `runId`. */
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

/** Forwards the run's events as they come. When that fails, the run is answered all the same. */
async function forwardEvents(run: AgentRunClient, report: (event: ProgressEvent) => void): Promise<void> {
	try {
		let rest = "";
		const texts = (await run.follow()).pipeThrough(new TextDecoderStream());
		for await (const text of texts) {
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) report(JSON.parse(line) as ProgressEvent);
		}
	} catch (error) {
		logError("agent_events_lost", error);
	}
}

function waitForLastEvents(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS));
}

/** Receives the run's events; null for a client that does not stream. */
type ReportProgress = ((event: ProgressEvent) => void) | null;

/** Waits for the end of a run, which another request may have started. */
async function waitForRun(
	{ idempotency_key: key }: Pick<AgentRunRequest, "idempotency_key">,
	{ env, account: { userId } }: KeyContext,
	runId: string,
	report: ReportProgress,
): Promise<JsonResult<RunResponse>> {
	const run = agentRunClient(env, userId, runId);
	const ended = run.waitForEnd();
	if (report) await Promise.race([forwardEvents(run, report), ended.then(waitForLastEvents, () => null)]);
	const outcome = await ended;
	if (outcome === "abandoned" && key != null) await releaseClaim(env, userId, key, runId);
	return toOutcomeResult(outcome, runId);
}

/** Admits a run under its id and lets its object start it. Returns the run to wait for: another one if it got the same key first. */
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
	// If this fails, the run may have started all the same. So its reservation stays; it expires at no cost.
	const isStarted = await agentRunClient(context.env, spec.userId, runId).start(spec);
	return isStarted ? ok(runId) : fail(RUN_NOT_STARTED);
}

/** The server's rules of today, for a run that is resumed. */
async function resumeRules(context: KeyContext, goal: string): Promise<Result<ResumeRules>> {
	const rules = await rulesInForce({}, context);
	if (!rules.ok) return rules;
	const { config, policy: compliance } = rules.value;
	if (!config) return ok({ compliance, config: null, maxCostNanoUsd: null });
	const { callConfig, maxCostNanoUsd } = splitConfig(config, goal);
	return ok({ compliance, config: callConfig, maxCostNanoUsd });
}

/** Lets one of the user's runs go on where it is interrupted. Null when there is none. */
async function resumeIfInterrupted(
	context: KeyContext,
	runId: string,
): Promise<Result<{ isCancelled: boolean } | null>> {
	const { account, env } = context;
	const client = agentRunClient(env, account.userId, runId);
	const interrupted = await client.interrupted();
	if (!interrupted) return ok(await client.resume(null));
	const limits = toRunLimits({ max_cost_usd: usd(interrupted.capNanoUsd) }, account.plan);
	if (!limits.ok) return limits;
	const rules = await resumeRules(context, interrupted.goal);
	return rules.ok ? ok(await client.resume(rules.value)) : rules;
}

/** Resumes one of the user's runs, and answers with it at its end. A run that has ended stays as it is. */
export async function resumeRun(
	runId: string,
	context: KeyContext,
	report: ReportProgress,
): Promise<JsonResult<RunResponse>> {
	const resumed = await resumeIfInterrupted(context, runId);
	if (!resumed.ok) return resumed;
	if (!resumed.value) return fail(RUN_NOT_FOUND);
	if (resumed.value.isCancelled)
		return fail({ reason: "run_cancelled", message: "the run was cancelled, and cannot be resumed" });
	const view = await agentRunClient(context.env, context.account.userId, runId).read();
	if (view?.run.sealed) return toRunResult(view);
	return waitForRun({}, context, runId, report);
}

/** Starts the requested run, or joins it, and answers with it at its end. */
export async function startOrJoinRun(
	body: AgentRunRequest,
	context: KeyContext,
	report: ReportProgress,
): Promise<JsonResult<RunResponse>> {
	const goal = parseGoal(body);
	if (!goal.ok) return goal;
	const limits = toRunLimits(body, context.account.plan);
	if (!limits.ok) return limits;
	const claimed = await claimKey(body, context, null);
	if (!claimed.ok) return claimed;
	if (claimed.value !== null) {
		const admitted = await context.admit();
		if (!admitted.ok) return admitted;
		const resumed = await resumeIfInterrupted(context, claimed.value);
		return resumed.ok ? waitForRun(body, context, claimed.value, report) : resumed;
	}
	const prepared = await prepareRun(body, goal.value, limits.value, context);
	if (!prepared.ok) return prepared;
	const started = await admitAndStart(body, context, prepared.value);
	if (!started.ok) return started;
	const answer = await waitForRun(body, context, started.value, report);
	if (answer.ok) Object.assign(context.log, { outcome: answer.value.status, cost_usd: answer.value.cost_consumed_usd });
	return answer;
}

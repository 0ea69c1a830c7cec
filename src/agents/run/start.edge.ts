// Starts a run, or joins the run that an idempotency key names. A client that hangs up does not stop it.
import type { KeyContext } from "../../account/context.ts";
import { newRequestId } from "../../account/request-ids.edge.ts";
import { hasNames, readRequestNames } from "../../account/request-names.ts";
import { findSchemaFault } from "../../answers/schema-fault.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { fail, ok, type Result } from "../../failure.ts";
import type { JsonResult } from "../../http/endpoint.ts";
import { runInTurnsOnceLong } from "../../http/long-work.edge.ts";
import { toCaller } from "../../inference/caller.edge.ts";
import { withTextField } from "../../inference/client-fields.ts";
import { createNonce } from "../../inference/nonce.edge.ts";
import { listWorkflowLimits } from "../../inference/output-ceiling.ts";
import { optionalMember } from "../../json.ts";
import type { OutputFormat } from "../../providers/model-call.ts";
import { findSchemaExcessInSteps } from "../../providers/schema-limits.ts";
import { configDigest } from "../../routing-config/config.ts";
import { rulesInForce } from "../../routing-config/in-force.edge.ts";
import { keepsTexts } from "../../usage/kept-texts.edge.ts";
import { checkWebhook, toWebhookRules } from "../../webhooks/webhook.ts";
import { gateForGoal } from "../goal-gate.edge.ts";
import { START_INTENSITY } from "../guard.ts";
import { toDateText, toStepMarks } from "../prompt.ts";
import {
	type AgentRunRequest,
	bodyHash,
	DEFAULT_AGENT_MAX_TOKENS,
	DEFAULT_AGENT_TEMPERATURE,
	DEFAULT_TIME_ZONE,
	parseGoal,
} from "../request.ts";
import type { RunResponse } from "../response.ts";
import { selectStepPool } from "../step-pool.edge.ts";
import { toPromptTask } from "../step-pricer.edge.ts";
import { subtaskMessages } from "../step-prompts.ts";
import { toToolDefinition } from "../tools/tool-definition.ts";
import { type ToolSpec, toToolSpec } from "../tools/tool-request.ts";
import { type AnswerMode, answerRun, RUN_NOT_STARTED } from "./answer.edge.ts";
import { claimScope } from "./claims.edge.ts";
import { agentRunClient, claimRun } from "./client.edge.ts";
import { findControlRefusal } from "./control.edge.ts";
import { lowerToBudget, type RunLimits, toRunLimits } from "./limits.ts";
import { schemaOutput } from "./output-form.ts";
import { resumeInterrupted } from "./resume.edge.ts";
import { initialRunState, type RunSpec } from "./run.ts";
import { applyConfig } from "./run-config.ts";
import { toRunEnd } from "./run-end.ts";
import { planFromGoal } from "./run-plan.ts";
import { startedRunBytes } from "./run-view.ts";
import { draftInterimSettlement } from "./settlement.ts";

/** The reservation of a run that never starts expires after this, at no cost. */
const START_RESERVATION_MS = 60_000;

/** A run that may start. */
interface PreparedRun {
	spec: RunSpec;
	/** The compliance gate on its goal. */
	gate: ComplianceGate | null;
}

/** What a run keeps of who asked for it, beside the account. */
function toCallerMembers({ account, headers, rawBody, settings }: KeyContext): Pick<RunSpec, "names" | "logsTexts"> {
	const { names } = readRequestNames(headers, rawBody);
	return {
		...(hasNames(names) ? { names } : {}),
		...(keepsTexts(settings, account.key) ? { logsTexts: true } : {}),
	};
}

/** What a run keeps of members that its body may leave out. */
function toBodyMembers(
	{ reasoning_effort, time_zone, idempotency_key }: AgentRunRequest,
	account: KeyContext["account"],
): Pick<RunSpec, "effort" | "timeZone" | "idempotencyKey" | "claimScope"> {
	return {
		...(reasoning_effort == null ? {} : { effort: reasoning_effort }),
		...(time_zone == null ? {} : { timeZone: time_zone }),
		...(idempotency_key == null ? {} : { idempotencyKey: idempotency_key, claimScope: claimScope(account) }),
	};
}

/** The part of a specification that is about tools. Their schemas come to no more than those of one call may. */
async function parseToolSpec(body: AgentRunRequest, context: KeyContext): Promise<Result<ToolSpec>> {
	const parsed = toToolSpec(body);
	if (!parsed.ok) return parsed;
	const { selfApproval, ...rest } = parsed.value;
	const { tools = [], outputSchema: schema } = rest;
	const fault = schema ? findSchemaFault(schema) : null;
	if (fault) {
		const path = fault.path === "" ? "output_schema" : `output_schema.${fault.path}`;
		return fail({ reason: "invalid_request", issues: [{ path, message: fault.message }] });
	}
	const output: OutputFormat = schema ? schemaOutput(schema) : { type: "text" };
	const call = { tools: tools.map(toToolDefinition), output };
	const excess = await runInTurnsOnceLong(context, findSchemaExcessInSteps(call));
	const path = excess?.path === "output" ? "output_schema" : "tools";
	if (excess) return fail({ reason: "invalid_request", issues: [{ ...excess, path }] });
	const isByOwner = context.account.key.role === "owner";
	return ok(selfApproval && isByOwner ? { ...rest, selfApproval } : rest);
}

/** Prepares a run. Fails when no model may work on it. */
async function prepareRun(
	body: AgentRunRequest,
	goal: string,
	requestedLimits: RunLimits,
	context: KeyContext,
): Promise<Result<PreparedRun>> {
	const { account, settings, startedAtMs } = context;
	const webhook = body.webhook == null ? ok(null) : checkWebhook(body.webhook, toWebhookRules(settings));
	if (!webhook.ok) return webhook;
	const toolSpec = await parseToolSpec(body, context);
	if (!toolSpec.ok) return toolSpec;
	const tools = (toolSpec.value.tools ?? []).map(toToolDefinition);
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const { config, levels: compliance } = rules.value;
	const { outputSchema } = toolSpec.value;
	const gate = await gateForGoal(
		{ goal, tools, ...optionalMember("outputSchema", outputSchema) },
		compliance,
		settings,
		{
			user: account.userId,
			signal: context.signal,
		},
	);
	const { limits: configured, callConfig } = applyConfig(requestedLimits, config, goal);
	const affordable = lowerToBudget(configured, body.max_cost_usd != null, account.tightBudget);
	if (!affordable.ok) return affordable;
	const limits = affordable.value;
	const policy = body.policy ?? "balanced";
	const [ownMaxTokens] = listWorkflowLimits(config, DEFAULT_AGENT_MAX_TOKENS, settings);
	const maxTokens = body.max_tokens ?? ownMaxTokens;
	const temperature = body.temperature ?? DEFAULT_AGENT_TEMPERATURE;
	const nonce = createNonce();
	const maskedGoal = gate?.mask?.maskText(goal) ?? goal;
	const plan = planFromGoal({ goal: maskedGoal }).map((subtask) => subtask.task);
	const date = toDateText(startedAtMs, body.time_zone ?? DEFAULT_TIME_ZONE);
	const head = { goal: maskedGoal, date, marks: toStepMarks(nonce, 0) };
	const messages = subtaskMessages({ ...head, plan, number: 1, earlier: [], maxTokens });
	const task = toPromptTask(messages, { maxTokens, temperature, nonce }, maskedGoal);
	const stepRules = { policy, config: callConfig, gate };
	const pool = selectStepPool(context, stepRules, START_INTENSITY[policy], task, { isSingle: true, tools });
	if (!pool.ok) return fail(withTextField(pool.failure, "goal"));
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
		isLengthSet: body.max_tokens != null,
		capNanoUsd: limits.capNanoUsd,
		stepCapNanoUsd: limits.stepCapNanoUsd,
		maxSteps: limits.maxSteps,
		budget: limits.budget,
		workspaceId: body.workspace_id ?? null,
		...toolSpec.value,
		...toCallerMembers(context),
		...(context.trace ? { trace: { parent: context.trace.parent, route: context.route ?? null } } : {}),
		config: callConfig,
		configDigest: config ? configDigest(config.config) : null,
		compliance,
		intendedModel: pool.value.single[0],
		isBackground: body.background ?? false,
		...toBodyMembers(body, account),
		...(webhook.value === null ? {} : { webhook: webhook.value }),
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
	const claim = await claimRun(env, claimScope(account), key, bodyHash(rawBody), runId);
	if (claim && !claim.isSameBody) {
		const message = "this idempotency_key stands for a run that was asked for with another body";
		return fail({ reason: "idempotency_conflict", message });
	}
	return ok(claim?.runId ?? null);
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
	const source = { spec, state, steps: [], charges: [], end, gate, catalog: settings.catalog };
	const draft = draftInterimSettlement(source, Date.now());
	const expiresAtMs = Date.now() + START_RESERVATION_MS;
	const reserved = await funds.reserve(
		{
			...draft,
			expiresAtMs,
			holdNanoUsd: spec.capNanoUsd,
			...(spec.trace?.parent ? { parent: spec.trace.parent } : {}),
		},
		{ rollingBytes: 0, keptBytes: startedRunBytes(spec) },
	);
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
	const { salt } = reserved.value;
	const isStarted = await agentRunClient(context.env, spec.userId, runId).start({ ...spec, salt });
	return isStarted ? ok(runId) : fail(RUN_NOT_STARTED);
}

/**
 * Joins the run that the body's key names. An interrupted one goes on: that counts no second request of the day. If its first POST was
 * answered with the run, or if the caller's key may not resume it, it stays as it is.
 */
async function joinRun(
	{ idempotency_key }: AgentRunRequest,
	context: KeyContext,
	runId: string,
	mode: AnswerMode,
): Promise<JsonResult<RunResponse>> {
	const found = await agentRunClient(context.env, context.account.userId, runId).interrupted();
	const mayResume = found !== null && !found.isBackground && (await findControlRefusal(runId, context)) === null;
	const interrupted = mayResume ? found : null;
	const admitted = await context.admit(undefined, interrupted ? { countsTowardsDay: false } : {});
	if (!admitted.ok) return admitted;
	const resumed = interrupted ? await resumeInterrupted(runId, interrupted, context) : null;
	if (resumed && !resumed.ok) return resumed;
	return answerRun({ runId, key: idempotency_key ?? null, isUnderWay: interrupted !== null }, context, mode);
}

/** Starts the requested run, or joins it, and answers with it. */
export async function startOrJoinRun(
	body: AgentRunRequest,
	context: KeyContext,
	mode: AnswerMode,
): Promise<JsonResult<RunResponse>> {
	const goal = parseGoal(body);
	if (!goal.ok) return goal;
	const limits = toRunLimits(body, context.account.plan);
	if (!limits.ok) return limits;
	const claimed = await claimKey(body, context, null);
	if (!claimed.ok) return claimed;
	if (claimed.value !== null) return joinRun(body, context, claimed.value, mode);
	const prepared = await prepareRun(body, goal.value, limits.value, context);
	if (!prepared.ok) return prepared;
	const started = await admitAndStart(body, context, prepared.value);
	if (!started.ok) return started;
	const isUnderWay = started.value === prepared.value.spec.runId;
	const requested = { runId: started.value, key: body.idempotency_key ?? null, isUnderWay };
	const answer = await answerRun(requested, context, mode);
	if (answer.ok) Object.assign(context.log, { outcome: answer.value.status, cost_usd: answer.value.cost_consumed_usd });
	return answer;
}

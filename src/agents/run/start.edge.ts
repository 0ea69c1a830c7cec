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
import { gateOnGoal } from "../goal-gate.edge.ts";
import { START_INTENSITY } from "../guard.ts";
import { type AgentRunRequest, bodyHash, DEFAULT_AGENT_TEMPERATURE, DEFAULT_MAX_TOKENS, goalOf } from "../request.ts";
import type { ShownRun } from "../response.ts";
import { stepPool, toStepTask } from "../step-pricer.edge.ts";
import { subtaskMessages } from "../step-prompts.ts";
import { type AgentRunClient, type Awaited, agentRunClient, claimRun, unclaimRun } from "./client.edge.ts";
import { endOf, openRun, ownPlan, type RunSpec } from "./run.ts";
import { type RunLimits, runLimitsOf } from "./limits.ts";
import { writtenSoFar } from "./settlement.ts";

/** From the admission of a run to the first word of its object; without it the run is settled at nothing. */
const START_WITHIN_MS = 60_000;

const EVENTS_GRACE_MS = 1_000;

const NEVER_BEGUN: Failure = { reason: "storage_unavailable", message: "the run could not be begun; try again" };

/** The answer to who waited for a run: the run, or why there is none to show. */
export function toRunResponse(awaited: Awaited, runId: string): JsonResult<ShownRun> {
	if (awaited === "void") return fail(NEVER_BEGUN);
	if (awaited === "unaccounted") return fail({ reason: "receipt_unavailable", requestId: runId });
	const { run, isSandbox } = awaited;
	if (run.status === "interrupted" || run.status === "running")
		return fail({ reason: "agent_error", message: run.final_message ?? "the run was interrupted", runId });
	return { ok: true, value: run, headers: isSandbox ? { "x-svc-sandbox": "1" } : {} };
}

/** The lower of a run's own limits and what the routing config lets one request cost. */
function withinConfig(
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
interface Prepared {
	spec: RunSpec;
	/** On its goal. */
	gate: ComplianceGate | null;
}

/** What a run is to be, with the gate on its goal; a failure where no model may work on it at all. */
async function prepare(
	body: AgentRunRequest,
	goal: string,
	ownLimits: RunLimits,
	context: KeyContext,
): Promise<Result<Prepared>> {
	const { account, settings, startedAtMs } = context;
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const { config, policy: compliance } = rules.value;
	const gate = await gateOnGoal(goal, compliance, settings);
	const { limits, panel } = withinConfig(ownLimits, config, goal);
	const policy = body.policy ?? "balanced";
	const maxTokens = body.max_tokens ?? DEFAULT_MAX_TOKENS;
	const temperature = body.temperature ?? DEFAULT_AGENT_TEMPERATURE;
	const plan = ownPlan({ goal });
	const first = subtaskMessages({ goal, subtask: plan[0] ?? goal, number: 1, of: plan.length, earlier: [] });
	const asked = toStepTask(first, maxTokens, temperature);
	const rulesOfSteps = { policy, config: panel, gate, temperature };
	const pool = stepPool(context, rulesOfSteps, START_INTENSITY[policy], asked, true);
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
async function claimed(
	{ idempotency_key: key }: AgentRunRequest,
	{ account, env, rawBody }: KeyContext,
	runId: string | null,
): Promise<Result<string | null>> {
	if (key == null) return ok(runId);
	const claim = await claimRun(env, account.userId, key, bodyHash(rawBody), runId);
	if (claim && !claim.isSame) {
		const message = "this idempotency_key stands for a run that was asked for with another body";
		return fail({ reason: "idempotency_conflict", message });
	}
	return ok(claim?.runId ?? null);
}

/** Hands the run's events on as they come; what is lost of them is lost, the run itself is answered all the same. */
async function passOn(run: AgentRunClient, progress: (event: ProgressEvent) => void): Promise<void> {
	try {
		let rest = "";
		const lines = (await run.follow()).pipeThrough(new TextDecoderStream());
		for await (const text of lines) {
			const whole = (rest + text).split("\n");
			rest = whole.pop() ?? "";
			for (const line of whole) progress(JSON.parse(line) as ProgressEvent);
		}
	} catch (error) {
		logError("agent_events_lost", error);
	}
}

/** Events that are on their way when the run is over are waited for so long. */
function eventsGrace(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, EVENTS_GRACE_MS));
}

/** Waits for the end of a run, which may have begun in another request. */
async function awaitRun(
	{ idempotency_key: key }: AgentRunRequest,
	{ env, account: { userId } }: KeyContext,
	runId: string,
	progress: Progress,
): Promise<JsonResult<ShownRun>> {
	const run = agentRunClient(env, userId, runId);
	const finished = run.finished();
	if (progress) await Promise.race([passOn(run, progress), finished.then(eventsGrace, () => null)]);
	const awaited = await finished;
	if (awaited === "void" && key != null) await unclaimRun(env, userId, key, runId);
	return toRunResponse(awaited, runId);
}

/** Hears what happens; null where nobody wants to hear of it before the end. */
type Progress = ((event: ProgressEvent) => void) | null;

/** Admits a run under its id and has its object begin it; the id of the run to wait for, which may be another's of the same key. */
async function begin(body: AgentRunRequest, context: KeyContext, { spec, gate }: Prepared): Promise<Result<string>> {
	const { runId } = spec;
	context.requestId = runId;
	const { funds, settings } = toCaller(context);
	const state = openRun(spec);
	const end = endOf(spec, { ...state, fault: "it did not begin" }, [], []);
	const written = writtenSoFar({ spec, state, charges: [], end, gate, catalog: settings.catalog }, Date.now());
	const reserved = await funds.reserve({ ...written, expiresAtMs: Date.now() + START_WITHIN_MS });
	if (!reserved.ok) return reserved;
	const claim = await claimed(body, context, runId).catch(async (error: unknown) => {
		await funds.release();
		throw error;
	});
	if (!claim.ok || claim.value !== runId) {
		await funds.release();
		return claim.ok ? ok(claim.value ?? runId) : claim;
	}
	// Where this fails the run may have begun all the same: its reservation is left to it, or to expire at nothing.
	const isBegun = await agentRunClient(context.env, spec.userId, runId).start(spec);
	return isBegun ? ok(runId) : fail(NEVER_BEGUN);
}

/** Answers a request for a run with the run at its end. */
export async function startRun(
	body: AgentRunRequest,
	context: KeyContext,
	progress: Progress,
): Promise<JsonResult<ShownRun>> {
	const goal = goalOf(body);
	if (!goal.ok) return goal;
	const limits = runLimitsOf(body, context.account.plan);
	if (!limits.ok) return limits;
	const known = await claimed(body, context, null);
	if (!known.ok) return known;
	if (known.value !== null) {
		const admitted = await context.admit();
		return admitted.ok ? awaitRun(body, context, known.value, progress) : admitted;
	}
	const prepared = await prepare(body, goal.value, limits.value, context);
	if (!prepared.ok) return prepared;
	const begun = await begin(body, context, prepared.value);
	if (!begun.ok) return begun;
	const answer = await awaitRun(body, context, begun.value, progress);
	if (answer.ok) Object.assign(context.log, { outcome: answer.value.status, cost_usd: answer.value.cost_consumed_usd });
	return answer;
}

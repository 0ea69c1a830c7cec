// Carries an orchestration out: plan, reserve, run the strategy, settle, sign.

import type { KeyContext } from "../account/context.ts";
import { toComplianceDecision } from "../compliance/preview.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { JsonResult } from "../http/endpoint.ts";
import { logError } from "../http/log.edge.ts";
import { type Caller, toCaller } from "../inference/caller.edge.ts";
import { gateFor } from "../inference/gate-on.edge.ts";
import { Workflow, type WorkflowEvent, type WorkflowPurpose } from "../inference/workflow.edge.ts";
import { hashObject, hashText } from "../proof/hash.ts";
import { configDigest } from "../routing-config/config.ts";
import { rulesInForce } from "../routing-config/in-force.edge.ts";
import { type BudgetedPool, createEngine, type PoolRules, questionBounder, selectPool } from "./engine.edge.ts";
import { choosePanel, toMember } from "./panel.ts";
import { type Affordable, choosePlan, POLICY_MODE, planStrategy, type StrategyAttempt, shrinkPlan } from "./planner.ts";
import { hasNoPrompt, type OrchestrationRequest, toQuestionCall, toTask } from "./request.ts";
import { type Orchestration, orchestrationOf, type Progress, withResult } from "./response.ts";
import { STRATEGY } from "./strategies.ts";
import type { EffortPolicy, Panel, StrategyResult, Task } from "./strategy.ts";

/** Everything that was decided before the first call. */
interface Prepared extends Affordable {
	task: Task;
	floor: BudgetedPool;
	policy: EffortPolicy;
	purpose: WorkflowPurpose;
	/** What the receipt says so far; replaced when the strategy has concluded. */
	progress: { now: Progress };
}

/** The panel of an attempt, within its price range. */
function castOf(pool: BudgetedPool, attempt: StrategyAttempt, judgeModel: string | null): Panel {
	const strategy = STRATEGY[attempt.strategy];
	const { cheap } = pool.rankings;
	switch (attempt.price) {
		case "any":
			return choosePanel(strategy, pool, attempt, judgeModel);
		case "low":
			return choosePanel(strategy, { ...pool, rankings: { panel: cheap, best: cheap, cheap } }, attempt, null);
		case "fitting":
			return choosePanel(strategy, { ...pool, single: toMember(pool.fitting, []) }, attempt, null);
		case "lowest":
			return choosePanel(strategy, { ...pool, single: toMember(pool.cheapest, []) }, attempt, null);
	}
}

/** Says of a judge that the client prefers that it could not be had; empty where it could, or nobody judges. */
function judgeNote({ plan: { strategy, price }, cast }: Affordable, preferred: string | null): string {
	if (preferred === null || cast.judge[0] === preferred || price !== "any" || !STRATEGY[strategy].judge) return "";
	return `; judge_model ${preferred} may not serve here and was ignored`;
}

function prepare(caller: Caller, body: OrchestrationRequest, rawBody: unknown, rules: PoolRules): Result<Prepared> {
	const { config, gate } = rules;
	const task = toTask(body);
	const policy = body.policy ?? "balanced";
	const floor = selectPool(caller, task, policy, rules, body.max_cost_usd ?? null);
	if (!floor.ok) return floor;
	const asked = { policy, strategy: body.strategy ?? null, k: body.k ?? null };
	const attempts = shrinkPlan(planStrategy(asked, task.prompt, floor.value.signals));
	const castOfAttempt = (attempt: StrategyAttempt) => castOf(floor.value, attempt, body.judge_model ?? null);
	const chosen = choosePlan(attempts, task, floor.value.limits, castOfAttempt, questionBounder(caller, floor.value));
	if (!chosen.ok) return chosen;
	const { strategy } = chosen.value.plan;
	const reason = chosen.value.plan.reason + judgeNote(chosen.value, body.judge_model ?? null);
	const progress: Prepared["progress"] = {
		now: { policy, strategy, reason, confidence: 0, agreement: 0, escalated: false },
	};
	const { messages } = rawBody as { messages?: unknown };
	const purpose = purposeOf(progress, chosen.value.cast, caller, {
		inputHash: hashObject({ type: "svc.input.v1", messages }),
		configDigest: config ? configDigest(config.config) : null,
		gate,
	});
	return ok({
		...chosen.value,
		plan: { ...chosen.value.plan, reason },
		task,
		floor: floor.value,
		policy,
		purpose,
		progress,
	});
}

/** What receipt and usage row say; the row's model is the first that served, else the first that was meant to. */
function purposeOf(
	progress: Prepared["progress"],
	{ members: [[intended]] }: Panel,
	{ settings: { catalog } }: Caller,
	hashes: Pick<WorkflowPurpose, "inputHash" | "configDigest" | "gate">,
): WorkflowPurpose {
	return {
		kind: "orchestration",
		...hashes,
		describe(trace) {
			const { policy, strategy, confidence, agreement } = progress.now;
			const models_used = trace.modelsUsed();
			const model = models_used[0] ?? intended;
			const provider = catalog.findModel(model)?.provider ?? "";
			return {
				receipt: {
					kind: "orchestration",
					policy,
					strategy,
					models_used,
					confidence,
					agreement,
					stages: trace.receiptStages(),
				},
				usage: { model, provider, mode: POLICY_MODE[policy], fallback: false },
			};
		},
	};
}

/** Runs the strategy; what it throws is a bug, which is logged and settled like any other failure. */
async function conclude(
	work: Workflow,
	caller: Caller,
	{ plan, task, cast, floor }: Prepared,
): Promise<Result<StrategyResult>> {
	try {
		return await STRATEGY[plan.strategy].run(task, cast, createEngine(work, caller, floor, task));
	} catch (error) {
		logError("orchestration_failed", error, { request_id: caller.requestId, strategy: plan.strategy });
		return fail({ reason: "orchestration_error", requestId: caller.requestId });
	}
}

/** What a run may do while it goes on. */
export interface ProgressListener {
	progress(event: WorkflowEvent | Record<string, unknown>): void;
	signal: AbortSignal;
}

/** Answers an orchestration whole. A client that hangs up stops it, and what was spent is accounted for. */
export async function orchestrate(
	body: OrchestrationRequest,
	context: KeyContext,
	{ progress: tell, signal }: ProgressListener,
): Promise<JsonResult<Orchestration>> {
	if (hasNoPrompt(toTask(body))) return fail({ reason: "no_messages" });
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const caller = { ...toCaller(context), signal };
	const { config, policy } = rules.value;
	const gate = await gateFor(toQuestionCall({ ...toTask(body), json: false }), policy, caller.settings);
	const prepared = prepare(caller, body, context.rawBody, { config, gate });
	if (!prepared.ok) return prepared;
	const { purpose, boundNanoUsd, progress, plan } = prepared.value;
	const opened = await Workflow.open(caller, purpose, { boundNanoUsd, runMs: caller.settings.upstreamTotalTimeoutMs });
	if (!opened.ok) return opened;
	const work = opened.value;
	caller.log.strategy = plan.strategy;
	tell({ type: "planned", strategy: plan.strategy, reason: plan.reason });
	work.watch(tell);
	const conclusion = await caller.timings.measure("upstream", () => conclude(work, caller, prepared.value));
	if (!conclusion.ok) return work.fail(conclusion.failure);
	progress.now = withResult(progress.now, conclusion.value);
	const { text } = conclusion.value;
	const receipt = await work.settle(work.stopped ? "client_closed" : "complete", hashText(text));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: caller.requestId });
	const done = { ...work.accounted(receipt), decision: gate && toComplianceDecision(gate, caller.settings.catalog) };
	const headers: Record<string, string> = work.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: orchestrationOf(progress.now, text, done, body.include_trace ?? true), headers };
}

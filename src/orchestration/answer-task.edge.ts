// Answers a task by a workflow: rules, gate, model pool, plan and bound, then the calls within that bound, settlement and signature.
// The questions and what is made of their answers are the plan's: a strategy's or code mode's.
import type { KeyContext } from "../account/context.ts";
import { orchestrationLimitNanoUsd } from "../catalog/plans.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import type { Mask } from "../compliance/mask/mask.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { JsonResult } from "../http/endpoint.ts";
import type { ProgressEvent } from "../http/long-answer.edge.ts";
import { runInTurns } from "../http/long-work.edge.ts";
import { gateFor } from "../inference/call-gate.edge.ts";
import { type Caller, toCaller } from "../inference/caller.edge.ts";
import { AnswerTexts, restoreMembers } from "../inference/masked-call.ts";
import { listWorkflowLimits } from "../inference/output-ceiling.ts";
import type { ReceiptInput } from "../inference/receipt-input.edge.ts";
import { RequestWorkflow } from "../inference/request-workflow.edge.ts";
import type { Trace } from "../inference/trace.ts";
import type { Workflow } from "../inference/workflow.edge.ts";
import type { WorkflowPurpose } from "../inference/workflow.ts";
import type { SettledWorkflow } from "../inference/workflow-answer.ts";
import { type BudgetStatus, budgetLeftNanoUsd } from "../meter/key-budget.ts";
import { nanoUsd } from "../proof/money.ts";
import type { ReceiptDetail } from "../proof/receipt.ts";
import { type TextHash, textHash } from "../proof/salted.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { matchRule } from "../routing/rules.ts";
import type { Signals } from "../routing/signals.ts";
import { configDigest } from "../routing-config/config.ts";
import { type RequestRules, rulesInForce } from "../routing-config/in-force.edge.ts";
import type { Steps } from "../turns/steps.ts";
import { type Limits, lowestLimit } from "./bounds.ts";
import type { EffortRule, WorkflowEfforts } from "./effort-rule.ts";
import { type BugReport, createEngine, failOnBug, type QuestionBounder, questionBounder } from "./engine.edge.ts";
import { type ModelPool, selectPool } from "./model-pool.edge.ts";
import type { SingleModels } from "./panel.ts";
import { POLICY_MODE } from "./planner.ts";
import { panelConfig, toQuestionCall } from "./request.ts";
import type { EffortPolicy, Engine, Task } from "./strategy.ts";

/** Where progress goes while a task is worked on, and what stops it. */
export interface ProgressListener {
	progress(event: ProgressEvent): void;
	signal: AbortSignal;
}

/** The pool of a request that has limits of its own. */
export interface BudgetedPool extends ModelPool, SingleModels {
	limits: Limits;
	/** Of the task's prompt. */
	signals: Signals;
}

/** The basis of a plan. */
export interface PlanBasis {
	caller: Caller;
	/** The task as models are sent it. */
	task: Task;
	/** What is masked in it; null where nothing is. */
	mask: Mask | null;
	pool: BudgetedPool;
	/** The most that a question can cost, as it reasons by a rule. */
	boundBy: Readonly<Record<keyof WorkflowEfforts, QuestionBounder>>;
}

/** The tools of a running plan. */
interface PlanRun {
	engine: Engine;
	workflow: Workflow;
	report: ProgressListener["progress"];
	/** Restores what is delivered of the models' answers. */
	texts: AnswerTexts;
	/** How texts are hashed for the receipt. */
	hashText: TextHash;
}

/** Everything that is decided before the first call. */
export interface TaskPlan<Outcome, Answer> {
	/** The worst case of every call that it may make, together. */
	boundNanoUsd: number;
	/** What is reserved before the first call, where each later one reserves what it may cost; by default the whole bound. */
	firstNanoUsd?: number;
	/** The rule that the bound holds for. */
	efforts: keyof WorkflowEfforts;
	/** What its `input_hash` is over. */
	input: ReceiptInput;
	/** The model of the usage row until another has served. */
	intendedModel: string;
	/** The receipt's members of this kind. @param outcome null until there is one. */
	describe(trace: Trace, outcome: Outcome | null): ReceiptDetail;
	/** Called when the bound is reserved, before the first call. */
	begin(run: Pick<PlanRun, "workflow" | "report">): void;
	/** Its outcome is what is delivered: with the values that were masked. */
	run(run: PlanRun): Promise<Result<Outcome>>;
	onBug: BugReport;
	/** What its `output_hash` is over. */
	output(outcome: Outcome): string;
	answer(outcome: Outcome, settled: SettledWorkflow, gate: ComplianceGate | null): Answer;
}

/** The output limit of each call of a task. */
interface TaskLimit {
	/** The client's; null where it names none. */
	named: number | null;
	/** The endpoint's own, where nobody names one. */
	own: number;
}

/** A task and the way to its plan. */
interface TaskRequest<Outcome, Answer> {
	/** Its `maxTokens` are the client's, or the endpoint's own. */
	task: Task;
	limit: TaskLimit;
	/** The task with placeholders for what is masked. */
	maskTask(mask: Mask): Task;
	/** Of the task's prompt. */
	signals: Signals;
	policy: EffortPolicy;
	/** How its calls reason. */
	efforts: WorkflowEfforts;
	/** The client's `max_cost_usd`; null without one. */
	maxCostUsd: number | null;
	ownRules: RequestRules;
	plan(basis: PlanBasis): Result<TaskPlan<Outcome, Answer>>;
}

/** The lowest of the limits on the whole request: the routing config's, the pricing plan's, and what is left of the key's budget. */
function hardLimit(
	config: CompiledConfig | null,
	planLimitNanoUsd: number | null,
	keyBudget: BudgetStatus | null,
): Limits["hard"] {
	const maxCostUsd = config?.config.max_cost ?? null;
	const byConfig = maxCostUsd === null ? null : { scope: "max_cost" as const, nanoUsd: nanoUsd(maxCostUsd) };
	const byPlan = planLimitNanoUsd === null ? null : { scope: "plan_envelope" as const, nanoUsd: planLimitNanoUsd };
	const byBudget = keyBudget && { scope: "key_budget" as const, nanoUsd: budgetLeftNanoUsd(keyBudget), keyBudget };
	return [byPlan, byBudget].reduce<Limits["hard"]>(
		(lowest, next) => (next && (!lowest || next.nanoUsd < lowest.nanoUsd) ? next : lowest),
		byConfig,
	);
}

/** The rules that hold for every call. */
interface CallRules {
	config: CompiledConfig | null;
	gate: ComplianceGate | null;
}

/** Selects the models that may work on a task, within the limits of its request. */
function selectBudgetedPool(
	{
		task,
		signals,
		policy,
		efforts,
		maxCostUsd,
	}: Pick<TaskRequest<unknown, unknown>, "task" | "signals" | "policy" | "efforts" | "maxCostUsd">,
	caller: Caller,
	{ config, gate }: CallRules,
): Result<BudgetedPool> {
	const call = toQuestionCall({ ...task, json: false }, efforts.least({ role: "answerer", maxTokens: task.maxTokens }));
	const rule = config && matchRule(config, call, signals);
	const forPanel = config && { ...config, config: panelConfig(config.config, rule?.use.max_cost) };
	const planLimitNanoUsd = orchestrationLimitNanoUsd(caller.account.plan);
	const keyBudget = caller.account.tightBudget ?? null;
	const found = selectPool(caller, call, {
		policy,
		model: "auto",
		config: forPanel,
		singleConfig: config,
		gate,
		planLimitNanoUsd,
		keyBudget,
	});
	if (!found.ok) return found;
	const { rankings, cheapest, worstCaseNanoUsd } = found.value;
	const soft = maxCostUsd === null ? null : nanoUsd(maxCostUsd);
	const limits: Limits = { soft, hard: hardLimit(forPanel, planLimitNanoUsd, keyBudget) };
	const limit = lowestLimit(limits);
	const fitting = rankings.panel.find((candidate) => worstCaseNanoUsd(candidate) <= limit) ?? cheapest;
	return ok({ ...found.value, signals, fitting, limits });
}

/** What receipt and usage row say; the row's model is the first that served, else the first in line. */
function toPurpose<Outcome>(
	{ input, intendedModel, describe }: TaskPlan<Outcome, unknown>,
	policy: EffortPolicy,
	{ settings: { catalog } }: Caller,
	{ config, gate }: CallRules,
	{ messages }: Pick<Task, "messages">,
	outcome: () => Outcome | null,
): WorkflowPurpose {
	return {
		input,
		configDigest: config ? configDigest(config.config) : null,
		gate,
		sentMessages: () => messages,
		describe(trace) {
			const model = trace.modelsUsed()[0] ?? intendedModel;
			const provider = catalog.findModel(model)?.provider ?? "";
			const usage = { model, provider, mode: POLICY_MODE[policy], fallback: false };
			return { receipt: describe(trace, outcome()), usage };
		},
	};
}

/** Refusals that a shorter answer may cure. */
const TOO_EXPENSIVE: ReadonlySet<Failure["reason"]> = new Set(["cost_limit_exceeded", "key_budget_exceeded"]);

/** A plan with the task and the pool that it was made for. */
interface PlannedTask<Outcome, Answer> {
	task: Task;
	pool: BudgetedPool;
	plan: TaskPlan<Outcome, Answer>;
}

function* planTaskAt<Outcome, Answer>(
	request: TaskRequest<Outcome, Answer>,
	maxTokens: number,
	caller: Caller,
	rules: CallRules,
): Steps<Result<PlannedTask<Outcome, Answer>>> {
	const mask = rules.gate?.mask ?? null;
	const task = { ...(mask ? request.maskTask(mask) : request.task), maxTokens };
	const pool = selectBudgetedPool({ ...request, task }, caller, rules);
	if (!pool.ok) return pool;
	// Each of a few questions comes next, which repeat the task.
	yield caller.bodyChars ?? 0;
	const { chosen, least } = request.efforts;
	const bounder = (rule: EffortRule) => questionBounder(caller, pool.value, rule);
	const boundBy = { chosen: bounder(chosen), least: bounder(least) };
	const plan = request.plan({ caller, task, mask, pool: pool.value, boundBy });
	return plan.ok ? ok({ task, pool: pool.value, plan: plan.value }) : plan;
}

/** Plans a task with the first of several output limits that the cost limits cover. */
function* planTaskInSteps<Outcome, Answer>(
	request: TaskRequest<Outcome, Answer>,
	[first, ...others]: readonly [number, ...number[]],
	caller: Caller,
	rules: CallRules,
): Steps<Result<PlannedTask<Outcome, Answer>>> {
	let planned = yield* planTaskAt(request, first, caller, rules);
	for (const maxTokens of others) {
		if (planned.ok || !TOO_EXPENSIVE.has(planned.failure.reason)) break;
		yield caller.bodyChars ?? 0;
		planned = yield* planTaskAt(request, maxTokens, caller, rules);
	}
	return planned;
}

/** Answers a task whole. A client that hangs up stops it, and what was spent is settled. */
export async function answerTask<Outcome, Answer>(
	request: TaskRequest<Outcome, Answer>,
	context: KeyContext,
	{ progress, signal }: ProgressListener,
): Promise<JsonResult<Answer>> {
	const { policy, ownRules: own } = request;
	const inForce = await rulesInForce(own, context);
	if (!inForce.ok) return inForce;
	const caller = { ...toCaller(context), signal };
	const { settings, timings } = caller;
	const { config } = inForce.value;
	const received = toQuestionCall({ ...request.task, json: false });
	const owner = { user: caller.account.userId, signal };
	const gate = await gateFor(received, inForce.value.levels, settings, owner);
	const mask = gate?.mask ?? null;
	const texts = new AnswerTexts(mask);
	const report: ProgressListener["progress"] = (event) => progress(restoreMembers(event, mask));
	const { named, own: ownLimit } = request.limit;
	const limits = named === null ? listWorkflowLimits(config, ownLimit, settings) : ([named] as const);
	const planned = await runInTurns(caller, planTaskInSteps(request, limits, caller, { config, gate }));
	if (!planned.ok) return planned;
	const { task, pool, plan } = planned.value;
	const { boundNanoUsd, firstNanoUsd } = plan;
	let outcome: Outcome | null = null;
	const purpose = toPurpose(plan, policy, caller, { config, gate }, task, () => outcome);
	const opened = await RequestWorkflow.open(caller, purpose, {
		boundNanoUsd,
		firstNanoUsd,
		maxMs: settings.upstreamTotalTimeoutMs,
	});
	if (!opened.ok) return opened;
	const { workflow, salt } = opened.value;
	const hashText = textHash(salt);
	plan.begin({ workflow, report });
	workflow.watch(report);
	const engine = createEngine(workflow, caller, pool, task, request.efforts[plan.efforts]);
	const concluded = await timings.measure("upstream", () =>
		failOnBug(() => plan.run({ engine, workflow, report, texts, hashText }), plan.onBug),
	);
	if (!concluded.ok) return opened.value.fail(concluded.failure);
	outcome = concluded.value;
	const ended = workflow.stopped ? "client_closed" : "complete";
	const output = plan.output(outcome);
	const receipt = await opened.value.settle(ended, output, mask?.maskText(output) ?? output);
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: caller.requestId });
	const headers: Record<string, string> = workflow.sandbox ? { "x-svc-sandbox": "1" } : {};
	const summary = opened.value.summary(receipt);
	const settled = { ...summary, warnings: [...summary.warnings, ...texts.warnings] };
	return { ok: true, value: plan.answer(outcome, settled, gate), headers };
}

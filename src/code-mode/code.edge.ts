// Carries a code run out: plan, reserve, write and review, settle, sign. Nothing that a model writes is ever run.
import type { KeyContext } from "../account/context.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { JsonResult } from "../http/endpoint.ts";
import { logError } from "../http/log.edge.ts";
import { type Caller, toCaller } from "../inference/caller.edge.ts";
import { gateFor } from "../inference/gate-on.edge.ts";
import { roundShare } from "../inference/trace.ts";
import { Workflow, type WorkflowPurpose } from "../inference/workflow.edge.ts";
import { createEngine, type PoolRules, questionBounder, selectPool } from "../orchestration/engine.edge.ts";
import { POLICY_MODE } from "../orchestration/planner.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import type { Question, Task } from "../orchestration/strategy.ts";
import { hashText } from "../proof/hash.ts";
import { configDigest } from "../routing-config/config.ts";
import { rulesInForce } from "../routing-config/in-force.edge.ts";
import { codeCast } from "./cast.ts";
import { type DeliveredFile, deliveredFiles, filesHash, type ReceiptFile, receiptFiles } from "./files.ts";
import { type AffordablePlan, affordablePlan, sumOf } from "./plan.ts";
import { draftQuestion } from "./prompts.ts";
import { outcomeReason, planReason } from "./reason.ts";
import { type AskedRun, askedRunOf, type CodeRequest, type CodeTask, toCodeTask } from "./request.ts";
import { type CodeAnswer, codeAnswerOf } from "./response.ts";
import { type CodeEngine, type CodeOutcome, type CodeProgress, runCode } from "./run-code.ts";

/** What the receipt says so far; replaced when the run has come to its end. */
interface Concluded {
	passed: boolean;
	confidence: number;
	files: ReceiptFile[];
}

/** Everything that was decided before the first call. */
interface Prepared extends AffordablePlan {
	task: CodeTask;
	asked: AskedRun;
	/** What is left of a reservation is weighed with it. */
	boundOf(question: Question): Result<number>;
	engine(work: Workflow): CodeEngine;
	purpose: WorkflowPurpose;
	concluded: { now: Concluded };
}

/** The first draft's prompt as a task of the engine, by which models are ranked. */
function asTask(task: CodeTask): Task {
	const { messages, maxTokens, temperature } = draftQuestion(task, [""], "").question;
	return { messages, prompt: task.text, kind: "any", maxTokens, temperature };
}

function prepare(caller: Caller, body: CodeRequest, rules: PoolRules): Result<Prepared> {
	const task = toCodeTask(body);
	const asked = askedRunOf(body);
	const asTaskOfEngine = asTask(task);
	const floor = selectPool(caller, asTaskOfEngine, asked.policy, rules, body.max_cost_usd ?? null);
	if (!floor.ok) return floor;
	const boundOf = questionBounder(caller, floor.value);
	const { rankings, limits } = floor.value;
	const chosen = affordablePlan(asked, task, limits, (plan) => codeCast(rankings, floor.value, asked, plan), boundOf);
	if (!chosen.ok) return chosen;
	const concluded: Prepared["concluded"] = { now: { passed: false, confidence: 0, files: [] } };
	const engine = (work: Workflow): CodeEngine => ({
		...createEngine(work, caller, floor.value, asTaskOfEngine),
		covers(questions) {
			const sum = sumOf(questions, boundOf);
			return sum.ok && sum.value <= work.boundNanoUsd - work.spentNanoUsd;
		},
	});
	const purpose = purposeOf(concluded, task, asked, chosen.value, caller, rules);
	return ok({ ...chosen.value, task, asked, boundOf, engine, purpose, concluded });
}

/** What receipt and usage row say; the row's model is the first that served, else the coder that was meant to. */
function purposeOf(
	concluded: Prepared["concluded"],
	task: CodeTask,
	{ policy }: AskedRun,
	{ cast }: AffordablePlan,
	{ settings: { catalog } }: Caller,
	{ config, gate }: PoolRules,
): WorkflowPurpose {
	return {
		kind: "code",
		inputHash: hashText(task.text),
		configDigest: config ? configDigest(config.config) : null,
		gate,
		describe(trace) {
			const { passed, confidence, files } = concluded.now;
			const models_used = trace.modelsUsed();
			const model = models_used[0] ?? cast.coders[0][0];
			const provider = catalog.findModel(model)?.provider ?? "";
			const language = task.language.id;
			const stages = trace.receiptStages();
			return {
				receipt: { kind: "code", policy, language, passed, confidence, models_used, files, stages },
				usage: { model, provider, mode: POLICY_MODE[policy], fallback: false },
			};
		},
	};
}

/** Runs the loop; what it throws is a bug, which is logged and settled like any other failure. */
async function conclude(
	work: Workflow,
	caller: Caller,
	{ task, plan, cast, engine }: Prepared,
	tell: (progress: CodeProgress) => void,
): Promise<Result<CodeOutcome>> {
	try {
		return await runCode(task, plan, cast, engine(work), tell);
	} catch (error) {
		logError("code_failed", error, { request_id: caller.requestId });
		return fail({ reason: "code_error", requestId: caller.requestId });
	}
}

/** Says in the trace, and to who watches, how the run is carried out. */
function describePlan(
	work: Workflow,
	{ task, plan, cast }: Prepared,
	reason: string,
	tell: CodeListener["progress"],
): void {
	const detail = {
		language: task.language.id,
		language_by: task.language.evidence,
		coders: cast.coders.map(([coder]) => coder),
		reviewer: cast.critic?.[0] ?? null,
		max_iters: plan.iterations,
		reason,
	};
	work.trace.describe("plan", detail);
	tell({ type: "planned", ...detail });
}

/** Who follows a run and may stop it. */
export interface CodeListener {
	progress(event: Record<string, unknown>): void;
	signal: AbortSignal;
}

/** Answers a code run whole. A client that hangs up stops it, and what was spent is accounted for. */
export async function writeCode(
	body: CodeRequest,
	context: KeyContext,
	{ progress: tell, signal }: CodeListener,
): Promise<JsonResult<CodeAnswer>> {
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const caller = { ...toCaller(context), signal };
	const { config, policy } = rules.value;
	const gate = await gateFor(toQuestionCall({ ...asTask(toCodeTask(body)), json: false }), policy, caller.settings);
	const prepared = prepare(caller, body, { config, gate });
	if (!prepared.ok) return prepared;
	const { purpose, boundNanoUsd } = prepared.value;
	const opened = await Workflow.open(caller, purpose, { boundNanoUsd, runMs: caller.settings.upstreamTotalTimeoutMs });
	if (!opened.ok) return opened;
	const work = opened.value;
	const reason = planReason(prepared.value, prepared.value.asked);
	describePlan(work, prepared.value, reason, tell);
	work.watch((event) => tell({ ...event }));
	const outcome = await caller.timings.measure("upstream", () =>
		conclude(work, caller, prepared.value, (event) => tell({ ...event })),
	);
	if (!outcome.ok) return work.fail(outcome.failure);
	return settled(body, caller, work, prepared.value, outcome.value, reason);
}

async function settled(
	body: CodeRequest,
	caller: Caller,
	work: Workflow,
	{ task, asked, cast, concluded }: Prepared,
	outcome: CodeOutcome,
	planned: string,
): Promise<JsonResult<CodeAnswer>> {
	const files: DeliveredFile[] = deliveredFiles(outcome.files);
	const { review, iterations } = outcome;
	const confidence = roundShare(outcome.confidence);
	concluded.now = { passed: review.passed, confidence, files: receiptFiles(files) };
	const receipt = await work.settle(work.stopped ? "client_closed" : "complete", filesHash(concluded.now.files));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: caller.requestId });
	const result = {
		task: task.text,
		language: task.language.id,
		policy: asked.policy,
		reason: `${planned}; ${outcomeReason(outcome)}`,
		files,
		review,
		isReviewed: cast.critic !== null,
		confidence,
		iterations,
	};
	const headers: Record<string, string> = work.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: codeAnswerOf(result, work.accounted(receipt), body.include_trace ?? true), headers };
}

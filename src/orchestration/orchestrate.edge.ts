// Answers an orchestration: chooses a strategy that the limits cover, runs it, and writes down what it concluded.
import type { KeyContext } from "../account/context.ts";
import { sessionWarnings } from "../account/request-names.ts";
import { loadFormCheck } from "../answers/load.ts";
import { listedModels } from "../catalog/catalog.ts";
import { toComplianceDecision } from "../compliance/preview.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { JsonResult } from "../http/endpoint.ts";
import { type ClientWarning, toClientWarning } from "../inference/client-fields.ts";
import { formatNotMet, isStrictForm } from "../inference/form-repair.ts";
import { findFormIssues, ignoredMemberWarnings } from "../inference/ignored-members.ts";
import { answerForm } from "../inference/masked-call.ts";
import { createNonce } from "../inference/nonce.edge.ts";
import { type ReceiptInput, toReceiptInput } from "../inference/receipt-input.edge.ts";
import { findSetFields, toWorkflowWarnings } from "../inference/workflow-answer.ts";
import type { OutputFormat } from "../providers/model-call.ts";
import { readPreferredModel } from "../routing/replacement.ts";
import {
	answerTask,
	type BudgetedPool,
	type PlanBasis,
	type ProgressListener,
	type TaskPlan,
} from "./answer-task.edge.ts";
import { withCheckedForm } from "./confidence.ts";
import { runStrategy } from "./continuation.ts";
import { createEfforts } from "./effort-rule.ts";
import { choosePanel, toMember } from "./panel.ts";
import { type BoundedPlan, choosePlan, planStrategy, type StrategyAttempt, shrinkPlan } from "./planner.ts";
import { hasNoPrompt, maskTask, type OrchestrationRequest, toTask } from "./request.ts";
import { type Orchestration, type OrchestrationProgress, toOrchestration, withStrategyResult } from "./response.ts";
import { STRATEGY } from "./strategies.ts";
import type { Panel, StrategyResult, Task } from "./strategy.ts";

/** The panel of an attempt, within its price range. */
function attemptPanel(pool: BudgetedPool, attempt: StrategyAttempt, judgeModel: string | null): Panel {
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

/** Says that the judge which the client prefers is not used; empty where it is, or where nothing is judged. */
function judgeNote({ plan: { strategy, price }, panel: cast }: BoundedPlan, preferred: string | null): string {
	if (preferred === null || cast.judge[0] === preferred || price !== "any" || !STRATEGY[strategy].judge) return "";
	return `; judge_model ${preferred} may not serve here and was ignored`;
}

/**
 * The task as a vote can use it: at temperature 0, two samples of one model would be one answer twice. Its warning is null where
 * nothing is changed.
 */
function withVaryingSamples(task: Task, { plan, panel }: BoundedPlan): { task: Task; warning: ClientWarning | null } {
	const isRepeated = new Set(panel.members.map(([id]) => id)).size < panel.members.length;
	if (plan.strategy !== "self_consistency" || task.temperature !== 0 || !isRepeated) return { task, warning: null };
	const message = "samples of one model at temperature 0 would not differ; the models' default was used";
	return {
		task: { ...task, temperature: undefined },
		warning: { code: "parameter_changed", param: "temperature", message },
	};
}

/** The result as the client gets it. */
interface DeliveredResult extends StrategyResult {
	/** Null where there is no form to check. */
	formatMet: boolean | null;
}

/** Whether a text has the form that is asked for; null where it has none to check: what was cut is cut, and a refusal has no form. */
async function meetsForm(
	{ text, isCut, instead }: Pick<StrategyResult, "text" | "isCut" | "instead">,
	output: OutputFormat,
): Promise<boolean | null> {
	if (output.type === "text" || isCut || (instead !== undefined && instead !== "other_form")) return null;
	const { checkForm } = await loadFormCheck();
	return checkForm(text, output)?.isMet ?? null;
}

function planOrchestration(
	body: OrchestrationRequest,
	sent: Pick<KeyContext, "headers" | "rawBody">,
	input: ReceiptInput,
	{ caller, task, pool, boundBy }: PlanBasis,
): Result<TaskPlan<DeliveredResult, Orchestration>> {
	const policy = body.policy ?? "balanced";
	const judge = readPreferredModel("judge_model", body.judge_model, caller.settings, caller.startedAtMs);
	if (!judge.ok) return judge;
	const judgeModel = judge.value.id;
	const request = { policy, strategy: body.strategy ?? null, k: body.k ?? null };
	const attempts = shrinkPlan(planStrategy(request, task.prompt, pool.signals));
	const chosen = choosePlan(attempts, task, pool.limits, (attempt) => attemptPanel(pool, attempt, judgeModel), boundBy);
	if (!chosen.ok) return chosen;
	const { plan, panel: cast, continuationNanoUsd } = chosen.value;
	const boundNanoUsd = chosen.value.boundNanoUsd + continuationNanoUsd;
	const { strategy } = plan;
	const sampled = withVaryingSamples(task, chosen.value);
	const reason = plan.reason + judgeNote(chosen.value, judgeModel);
	const planned: OrchestrationProgress = {
		...{ policy, strategy, reason },
		...{ confidence: 0, confidenceBasis: "prior", agreement: 0, escalated: false, isCut: false },
	};
	const progressWith = (result: StrategyResult | null) => (result ? withStrategyResult(planned, result) : planned);
	const { requestId, log, settings } = caller;
	return ok({
		boundNanoUsd,
		firstNanoUsd: chosen.value.firstNanoUsd,
		efforts: plan.efforts,
		input,
		intendedModel: cast.members[0][0],
		describe(trace, result) {
			const { confidence, agreement } = progressWith(result);
			const models_used = trace.modelsUsed();
			const stages = trace.receiptStages();
			return { kind: "orchestration", policy, strategy, models_used, confidence, agreement, stages };
		},
		begin({ report }) {
			log.strategy = strategy;
			report({ type: "planned", strategy, reason });
		},
		async run({ engine, texts }) {
			const result = await runStrategy(STRATEGY[strategy], sampled.task, cast, engine);
			if (!result.ok) return result;
			const output = task.output ?? { type: "text" };
			const text = texts.restore(result.value.text, answerForm(output));
			const formatMet = await meetsForm({ ...result.value, text }, output);
			if (formatMet === false && isStrictForm(output)) return fail(formatNotMet(0));
			const rating = withCheckedForm(result.value, output.type === "json_schema" ? formatMet : null);
			return ok({ ...result.value, ...rating, text, formatMet });
		},
		onBug: {
			event: "orchestration_failed",
			fields: { request_id: requestId, strategy },
			failure: { reason: "orchestration_error", requestId },
		},
		output: ({ text }) => text,
		answer(result, settled, gate) {
			const decision = gate && toComplianceDecision(gate, listedModels(settings.catalog));
			const { include_trace, temperature, response_format, reasoning_effort } = body;
			const isSet = findSetFields({ temperature, output: response_format, effort: reasoning_effort });
			const clientWarnings = toWorkflowWarnings(
				[
					...ignoredMemberWarnings(sent.rawBody, body),
					...sessionWarnings(sent),
					...judge.value.warnings.map(toClientWarning),
					...(sampled.warning ? [sampled.warning] : []),
				],
				settled,
				isSet,
			);
			const done = { ...settled, decision, clientWarnings, formatMet: result.formatMet };
			const limit = { maxTokens: task.maxTokens, isNamed: body.max_tokens != null };
			return toOrchestration(progressWith(result), result.text, done, { limit, includeTrace: include_trace ?? true });
		},
	});
}

/** Answers an orchestration whole. */
export async function orchestrate(
	body: OrchestrationRequest,
	context: KeyContext,
	listener: ProgressListener,
): Promise<JsonResult<Orchestration>> {
	const issues = findFormIssues(context.rawBody, body);
	if (issues.length > 0) return fail({ reason: "invalid_request", issues });
	const { task, signals } = toTask(body, createNonce());
	if (hasNoPrompt(task)) return fail({ reason: "no_messages" });
	const policy = body.policy ?? "balanced";
	const { messages } = context.rawBody as { messages?: unknown };
	const input = await toReceiptInput({ type: "svc.input.v1", messages }, context);
	return answerTask(
		{
			task,
			maskTask: (mask) => maskTask(task, mask),
			limit: { named: body.max_tokens ?? null, own: task.maxTokens },
			signals,
			policy,
			efforts: createEfforts({ policy, effort: body.reasoning_effort ?? null, maxTokens: body.max_tokens ?? null }),
			maxCostUsd: body.max_cost_usd ?? null,
			ownRules: body,
			plan: (basis) => planOrchestration(body, context, input, basis),
		},
		context,
		listener,
	);
}

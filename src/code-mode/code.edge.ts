// Answers a code request: plans drafts and reviews that the limits cover, runs the loop, and writes down its files. Nothing that a
// model writes is ever run.
import type { KeyContext } from "../account/context.ts";
import { sessionWarnings } from "../account/request-names.ts";
import type { Mask } from "../compliance/mask/mask.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { JsonResult } from "../http/endpoint.ts";
import { type ClientWarning, toClientWarning, withTextField } from "../inference/client-fields.ts";
import { findFormIssues, ignoredMemberWarnings } from "../inference/ignored-members.ts";
import type { AnswerTexts } from "../inference/masked-call.ts";
import { createNonce } from "../inference/nonce.edge.ts";
import { ReceiptInput } from "../inference/receipt-input.edge.ts";
import { roundShare } from "../inference/trace.ts";
import type { Workflow } from "../inference/workflow.edge.ts";
import { findSetFields, toWorkflowWarnings } from "../inference/workflow-answer.ts";
import { answerTask, type PlanBasis, type ProgressListener, type TaskPlan } from "../orchestration/answer-task.edge.ts";
import { sumBounds } from "../orchestration/bounds.ts";
import { HARD } from "../orchestration/confidence.ts";
import { createEfforts } from "../orchestration/effort-rule.ts";
import type { QuestionBounder } from "../orchestration/engine.edge.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import type { Engine, Task } from "../orchestration/strategy.ts";
import type { TextHash } from "../proof/salted.ts";
import { readPreferredModel } from "../routing/replacement.ts";
import { detectSignals } from "../routing/signals.ts";
import { chooseCodeCast } from "./cast.ts";
import type { CodeEngine } from "./engine.ts";
import { pathFault } from "./file-format.ts";
import { type DeliveredFile, type ReceiptFile, toDeliveredFiles, toHashedFiles, toReceiptFiles } from "./files.ts";
import { chooseCodePlan } from "./plan.ts";
import { draftQuestion } from "./prompts.ts";
import { outcomeReason, planReason } from "./reason.ts";
import { type CodeOptions, type CodeRequest, type CodeTask, toCodeOptions, toCodeTask } from "./request.ts";
import { type CodeAnswer, toCodeAnswer } from "./response.ts";
import { type CodeOutcome, runCode } from "./run-code.ts";

/** What the loop came to, as it is delivered: rounded and hashed once. */
interface DeliveredCode extends Omit<CodeOutcome, "files"> {
	files: DeliveredFile[];
	receiptFiles: ReceiptFile[];
}

function toDeliveredCode(outcome: CodeOutcome, hashText: TextHash): DeliveredCode {
	const files = toDeliveredFiles(outcome.files);
	return {
		...outcome,
		files,
		receiptFiles: toReceiptFiles(files, hashText),
		confidence: roundShare(outcome.confidence),
	};
}

/** A path with the values that were masked. Where that is no path to be delivered, its placeholders stay. */
function restorePath(path: string, texts: AnswerTexts): string {
	const restored = texts.restore(path);
	return pathFault(restored) === null ? restored : path;
}

/** An outcome with the values that were masked. */
function restoreOutcome(outcome: CodeOutcome, texts: AnswerTexts): CodeOutcome {
	const { files, review } = outcome;
	return {
		...outcome,
		files: files.map(({ path, content }) => ({ path: restorePath(path, texts), content: texts.restore(content) })),
		review: { ...review, issues: review.issues.map((issue) => texts.restore(issue)) },
	};
}

/** A task with placeholders for what is masked. */
function maskCodeTask(task: CodeTask, mask: Mask): CodeTask {
	return { ...task, text: mask.maskText(task.text) };
}

/** The first draft's prompt as a task, by which models are ranked. */
function toDraftTask(task: CodeTask): Task {
	const { messages, maxTokens, temperature } = draftQuestion(task, [""], "").question;
	return {
		messages,
		prompt: task.text,
		kind: "none",
		difficulty: HARD,
		needsText: true,
		maxTokens,
		temperature,
		nonce: task.nonce,
	};
}

/** An engine that knows what is left of its workflow's bound. */
function withCovers(engine: Engine, workflow: Workflow, boundOf: QuestionBounder): CodeEngine {
	return {
		...engine,
		covers(questions) {
			const sum = sumBounds(questions, boundOf);
			return sum.ok && sum.value <= workflow.boundNanoUsd - workflow.spentNanoUsd;
		},
	};
}

function planCode(
	body: CodeRequest,
	ofBody: readonly ClientWarning[],
	received: CodeTask,
	options: CodeOptions,
	{ caller: { requestId }, task: { maxTokens }, mask, pool, boundBy }: PlanBasis,
): Result<TaskPlan<DeliveredCode, CodeAnswer>> {
	const { rankings, limits } = pool;
	const task = { ...(mask ? maskCodeTask(received, mask) : received), maxTokens };
	const chosen = chooseCodePlan(
		options,
		task,
		limits,
		(plan) => chooseCodeCast(rankings, pool, options, plan),
		boundBy,
	);
	if (!chosen.ok) return chosen;
	const { plan, cast, boundNanoUsd, firstNanoUsd } = chosen.value;
	const { policy } = options;
	const language = task.language.id;
	const reason = planReason(chosen.value, options);
	return ok({
		boundNanoUsd,
		firstNanoUsd,
		efforts: plan.efforts,
		input: new ReceiptInput(received.text),
		intendedModel: cast.coders[0][0],
		describe: (trace, outcome) => ({
			kind: "code",
			policy,
			language,
			passed: outcome?.review.passed ?? false,
			confidence: outcome?.confidence ?? 0,
			models_used: trace.modelsUsed(),
			files: outcome?.receiptFiles ?? [],
			stages: trace.receiptStages(),
		}),
		begin({ workflow, report }) {
			const detail = {
				language,
				language_by: task.language.evidence,
				coders: cast.coders.map(([coder]) => coder),
				reviewer: cast.critic?.[0] ?? null,
				max_iters: plan.iterations,
				reason,
			};
			workflow.trace.describe("plan", detail);
			report({ type: "planned", ...detail });
		},
		async run({ engine, workflow, report, texts, hashText }) {
			const outcome = await runCode(task, plan, cast, withCovers(engine, workflow, boundBy[plan.efforts]), report);
			return outcome.ok ? ok(toDeliveredCode(restoreOutcome(outcome.value, texts), hashText)) : outcome;
		},
		onBug: {
			event: "code_failed",
			fields: { request_id: requestId },
			failure: { reason: "code_error", requestId },
		},
		output: ({ receiptFiles }) => toHashedFiles(receiptFiles),
		answer(outcome, settled) {
			const { review, iterations, files, confidence, confidenceBasis, isCut } = outcome;
			const result = {
				task: received.text,
				language,
				policy,
				reason: `${reason}; ${outcomeReason(outcome)}`,
				files,
				review,
				isReviewed: cast.critic !== null,
				confidence,
				confidenceBasis,
				iterations,
				isCut,
			};
			const isSet = findSetFields({ temperature: body.temperature, effort: body.reasoning_effort });
			const warnings = toWorkflowWarnings(ofBody, settled, isSet);
			const limit = { maxTokens, isNamed: body.max_tokens != null };
			return toCodeAnswer(result, settled, warnings, { limit, includeTrace: body.include_trace ?? true });
		},
	});
}

/** Answers a code request whole. */
export async function writeCode(
	body: CodeRequest,
	context: KeyContext,
	listener: ProgressListener,
): Promise<JsonResult<CodeAnswer>> {
	const issues = findFormIssues(context.rawBody, body);
	if (issues.length > 0) return fail({ reason: "invalid_request", issues });
	const task = toCodeTask(body, createNonce());
	const { settings, startedAtMs } = context;
	const coder = readPreferredModel("coder_model", body.coder_model, settings, startedAtMs);
	if (!coder.ok) return coder;
	const reviewer = readPreferredModel("reviewer_model", body.reviewer_model, settings, startedAtMs);
	if (!reviewer.ok) return reviewer;
	const options = toCodeOptions(body, { coderModel: coder.value.id, reviewerModel: reviewer.value.id });
	const warnings = [
		...ignoredMemberWarnings(context.rawBody, body),
		...sessionWarnings(context),
		...[...coder.value.warnings, ...reviewer.value.warnings].map(toClientWarning),
	];
	const draft = toDraftTask(task);
	const { policy } = options;
	const answered = await answerTask(
		{
			task: draft,
			maskTask: (mask) => toDraftTask(maskCodeTask(task, mask)),
			limit: { named: body.max_tokens ?? null, own: task.maxTokens },
			signals: detectSignals(toQuestionCall({ ...draft, json: false })),
			policy,
			efforts: createEfforts({ policy, effort: body.reasoning_effort ?? null, maxTokens: body.max_tokens ?? null }),
			maxCostUsd: body.max_cost_usd ?? null,
			ownRules: body,
			plan: (basis) => planCode(body, warnings, task, options, basis),
		},
		context,
		listener,
	);
	return answered.ok ? answered : fail(withTextField(answered.failure, "task"));
}

// Turns strategies' questions into the calls of a workflow, and bounds their cost.
import { loadFormCheck } from "../answers/load.ts";
import { isDeliverable, judgeAnswer } from "../answers/verdict.ts";
import { quoteClipped } from "../clip.ts";
import type { Mask } from "../compliance/mask/mask.ts";
import { type Failure, fail, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { toAskedTask, toSaidAnswer } from "../inference/answer-verdict.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import { restoreMembers } from "../inference/masked-call.ts";
import { boundCall, planCallFor, type Workflow } from "../inference/workflow.edge.ts";
import type { CallResult } from "../inference/workflow.ts";
import type { ModelCall } from "../providers/model-call.ts";
import { nonAnswerRating } from "./confidence.ts";
import type { EffortRule } from "./effort-rule.ts";
import type { ModelPool } from "./model-pool.edge.ts";
import { MAX_MEMBER_FALLBACKS } from "./panel.ts";
import { toQuestionCall } from "./request.ts";
import {
	type Answer,
	type Engine,
	type NoAnswer,
	type Question,
	type SaidInstead,
	sayInstead,
	type Task,
	userMessage,
} from "./strategy.ts";

/** The most that a question can cost, nano-USD; a failure where no model may answer it. */
export type QuestionBounder = (question: Question) => Result<number>;

/** A question as a model call. Its JSON Schema is sent where every model that may answer can be held to one. */
function toCall(question: Question, { settings: { catalog } }: PlanContext, effortFor: EffortRule): ModelCall {
	const call = toQuestionCall(question, effortFor(question));
	const { jsonSchema, member } = question;
	if (!jsonSchema || !member.every((id) => catalog.findModel(id)?.supports.json_schema)) return call;
	return { ...call, output: { type: "json_schema", name: "reply", schema: { ...jsonSchema }, strict: true } };
}

/** Bounds the questions to a pool; equal questions are priced once. */
export function questionBounder(
	context: PlanContext,
	{ options }: Pick<ModelPool, "options">,
	effortFor: EffortRule,
): QuestionBounder {
	const known = new Map<Question, Result<number>>();
	return (question) => {
		const bound =
			known.get(question) ??
			boundCall(context, { call: toCall(question, context, effortFor), options, models: question.member });
		known.set(question, bound);
		return bound;
	};
}

/** So much of a refusal or an error message is told. */
const MAX_TOLD_CHARACTERS = 300;

/** What a model said where that tells why it did not answer. */
function inOwnWords(kind: SaidInstead["kind"], text: string): string {
	const words = kind === "refusal" || kind === "error_text" ? quoteClipped(text, MAX_TOLD_CHARACTERS) : "";
	return words === "" ? "" : `: ${words}`;
}

/**
 * What is wrong with the form of a whole answer to a task, in words; null where nothing is, or where its form is not checked. Values
 * are checked as the client gets them, and no model is told one that is masked.
 */
async function findFormFault(text: string, question: Question, task: Task, mask: Mask | null): Promise<string | null> {
	const { json, output } = question;
	if (!task.checksForm || json || !output || output.type === "text") return null;
	const { checkForm } = await loadFormCheck();
	const check = checkForm(mask ? mask.restore(text, "json") : text, output);
	if (!check || check.isMet) return null;
	return mask ? mask.maskText(check.fault) : check.fault;
}

/** What a strategy gets of a call: an answer, which counts, or what was said instead, which does not. */
async function toReply(
	result: CallResult,
	question: Question,
	task: Task,
	mask: Mask | null,
): Promise<Answer | NoAnswer> {
	if (!result.ok) return result;
	const { model, quality, rate, answer } = result;
	const { json, output } = question;
	const asked = toAskedTask(
		{ messages: [...task.messages], output: output ?? { type: json ? "json_object" : "text" } },
		task.prompt,
	);
	const { kind, text } = judgeAnswer(toSaidAnswer(answer), asked);
	const isCut = answer.finishReason === "length";
	const fault = kind === null && !isCut ? await findFormFault(text, question, task, mask) : null;
	if (fault !== null) return toNoAnswer({ kind: "other_form", text, model, quality, fault }, result);
	// A judge's reply is read as JSON, whatever else it says.
	if (kind === null || (json && isDeliverable(kind)))
		return { ok: true, text: kind === null ? text : result.text, model, quality, rate, isCut };
	return toNoAnswer({ kind, text: result.text, model, quality }, result);
}

function toNoAnswer(said: SaidInstead, { rate }: Pick<Answer, "rate">): NoAnswer {
	const { kind, text, model } = said;
	rate(nonAnswerRating(kind));
	const failure: Failure = {
		reason: "all_models_failed",
		attempts: [`${model}: ${sayInstead(kind)}${inOwnWords(kind, text)}`],
		costUsd: 0,
		retryAfterMs: null,
	};
	return { ok: false, failure, unaffordable: false, said };
}

/** The engine that strategies ask. */
export function createEngine(
	workflow: Workflow,
	context: PlanContext,
	{ options }: Pick<ModelPool, "options">,
	task: Task,
	effortFor: EffortRule,
): Engine {
	return {
		ask(questions) {
			const specs = questions.map((question) => {
				const { stage, role, asksFor, member, mayBeLeft } = question;
				const staged = { ...options, stage: { stage, role, asksFor } };
				return { stage, role, call: toCall(question, context, effortFor), options: staged, models: member, mayBeLeft };
			});
			const mask = options.gate?.mask ?? null;
			return workflow.askAll(specs).then((results) =>
				Promise.all(
					results.flatMap((result, at) => {
						const question = questions[at];
						return question ? [toReply(result, question, task, mask)] : [];
					}),
				),
			);
		},
		describe: (stage, detail) => workflow.trace.describe(stage, restoreMembers(detail, options.gate?.mask ?? null)),
		route(text, members) {
			const ids = new Set(members.flat());
			const call = toQuestionCall({ ...task, messages: [userMessage(text)], json: false });
			const planned = planCallFor(context, call, options);
			const best = planned.ok ? planned.value.selection.candidates.filter(({ model }) => ids.has(model.id)) : [];
			const [first, ...fallbacks] = best.map(({ model }) => model.id);
			return first ? [first, ...fallbacks.slice(0, MAX_MEMBER_FALLBACKS)] : members[0];
		},
	};
}

/** How a bug in a strategy is logged, and the failure that the client gets. */
export interface BugReport {
	event: string;
	fields?: Record<string, unknown>;
	failure: Failure;
}

/** Runs a strategy. What it throws is a bug: it is logged, and settled like any other failure. */
export async function failOnBug<T>(
	run: () => Promise<Result<T>>,
	{ event, fields, failure }: BugReport,
): Promise<Result<T>> {
	try {
		return await run();
	} catch (error) {
		logError(event, error, fields);
		return fail(failure);
	}
}

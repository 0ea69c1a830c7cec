// Turns strategies' questions into the calls of a workflow, and bounds their cost.
import { type Failure, fail, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import { restoreMembers } from "../inference/masked-call.ts";
import { boundCall, planCallFor, type Workflow } from "../inference/workflow.edge.ts";
import type { CallResult } from "../inference/workflow.ts";
import type { ModelCall } from "../providers/model-call.ts";
import type { EffortRule } from "./effort-rule.ts";
import type { ModelPool } from "./model-pool.edge.ts";
import { MAX_MEMBER_FALLBACKS } from "./panel.ts";
import { toQuestionCall } from "./request.ts";
import { type Answer, type Engine, type NoAnswer, type Question, type Task, userMessage } from "./strategy.ts";

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

/** What a strategy gets of a call. A blank answer is a failure, and one that reached its output limit is cut. */
function toReply(result: CallResult): Answer | NoAnswer {
	if (!result.ok) return result;
	const { text, model, quality, rate, answer } = result;
	if (text.trim() !== "") return { ok: true, text, model, quality, rate, isCut: answer.finishReason === "length" };
	const failure: Failure = {
		reason: "all_models_failed",
		attempts: [`${model}: the answer is blank`],
		costUsd: 0,
		retryAfterMs: null,
	};
	return { ok: false, failure, unaffordable: false };
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
			return workflow.askAll(specs).then((results) => results.map(toReply));
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

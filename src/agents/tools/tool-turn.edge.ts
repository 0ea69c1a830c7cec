// Prices and makes one turn of a tool step: a model's answer that may call tools. What its calls lead to is tool-loop.edge.ts's.
import type { Failure } from "../../failure.ts";
import { placeholder, placeholderBytes } from "../../inference/answer-placeholder.ts";
import type { PlanContext } from "../../inference/caller.edge.ts";
import type { CallOptions } from "../../inference/plan.ts";
import { boundCall, planCallFor } from "../../inference/workflow.edge.ts";
import type { CallResult } from "../../inference/workflow.ts";
import type { ModelPool } from "../../orchestration/model-pool.edge.ts";
import { MAX_MEMBER_FALLBACKS } from "../../orchestration/panel.ts";
import { toQuestionCall } from "../../orchestration/request.ts";
import { type Task, userMessage } from "../../orchestration/strategy.ts";
import type { Message, ModelCall, ToolDefinition } from "../../providers/model-call.ts";
import { orderForRetry } from "../run/retry.ts";
import { endStepWorkflow, openStepWorkflow, type StepCalls, type StepHooks } from "../step.edge.ts";
import type { Intensity, StepModels } from "../step-decision.ts";
import { selectStepPool } from "../step-pool.edge.ts";
import { type StepRules, toPromptTask } from "../step-pricer.edge.ts";

/** Results of a turn that the last turn after it is held for, in bytes of JSON. Longer ones are cut for it. */
const HELD_RESULTS_BYTES = 2_000;

/** A turn to be priced. All texts are masked. */
export interface TurnRequest {
	messages: readonly Message[];
	tools: readonly ToolDefinition[];
	/** What the step is to do, by which models are ranked. */
	question: string;
	intensity: Intensity;
	maxTokens: number;
	models: StepModels;
	/** Models to keep to where they may serve, in order. */
	sticky: readonly string[];
	/** Models that failed an earlier try, which are asked last. */
	askLast: readonly string[];
	/** Models that it does without where another may serve. */
	avoid: readonly string[];
	/** The step's last turn, which may call no tools. */
	isLast: boolean;
	asksFor: string;
	/** The form of the answer, for providers that hold a model to one; text by default. */
	schema?: Readonly<Record<string, unknown>>;
}

/** A turn that can be made. */
export interface PricedTurn {
	context: PlanContext;
	call: ModelCall;
	options: CallOptions;
	/** Catalog ids in the order they are asked. */
	models: readonly [string, ...string[]];
	/** The most that it can cost. */
	boundNanoUsd: number;
}

/** Why a turn has no price. */
export interface UnpricedTurn {
	/** The refusal by compliance, where it keeps the turn from every model. */
	refusal: Failure | null;
}

function toOutput(schema: NonNullable<TurnRequest["schema"]>): ModelCall["output"] {
	return { type: "json_schema", name: "reply", schema: { ...schema } };
}

function toTurnCall(
	{ messages, tools, maxTokens, isLast, schema }: TurnRequest,
	rules: StepRules,
	models: StepModels,
): ModelCall {
	const { efforts, temperature } = rules;
	const effortFor = models === "cheapest" ? efforts.least : efforts.chosen;
	const effort = effortFor({ role: "answerer", maxTokens });
	return {
		...toQuestionCall({ messages, maxTokens, temperature, json: false }, effort),
		tools: [...tools],
		...(schema ? { output: toOutput(schema) } : {}),
		// The tools stay in the request: providers want them where a conversation has calls, and the beginning stays cached.
		...(isLast ? { toolChoice: "none" as const } : {}),
	};
}

function toTurnTask(request: TurnRequest, { temperature, nonce }: StepRules): Task {
	const { messages, maxTokens, question } = request;
	const limits = { maxTokens, temperature, nonce };
	return { ...toPromptTask([{ role: "user", content: question }], limits, question), messages };
}

/** The models of a turn: those that it keeps to, as far as they may serve, then the pool's. */
function listModels(
	pool: ModelPool,
	call: ModelCall,
	options: CallOptions,
	request: TurnRequest,
	context: PlanContext,
) {
	const { sticky, askLast, avoid, models } = request;
	const planned = planCallFor(context, call, options);
	const eligible = new Set(planned.ok ? planned.value.selection.candidates.map(({ model }) => model.id) : []);
	const kept = sticky.filter((id) => eligible.has(id) && !avoid.includes(id));
	const [first, ...others] = models === "cheapest" ? [...kept, pool.cheapest.model.id] : [...kept, ...pool.single];
	const ordered = orderForRetry([first ?? pool.single[0], ...others], askLast);
	const [best, ...rest] = new Set(ordered);
	return [best ?? pool.single[0], ...rest.slice(0, MAX_MEMBER_FALLBACKS)] as const;
}

/** Prices a turn. */
export function priceTurn(context: PlanContext, rules: StepRules, request: TurnRequest): PricedTurn | UnpricedTurn {
	const { intensity, tools, avoid, models, asksFor, schema } = request;
	const task = toTurnTask(request, rules);
	const limits = { isSingle: true, avoid, tools, ...(schema ? { output: toOutput(schema) } : {}) };
	const pool = selectStepPool(context, rules, intensity, task, limits);
	if (!pool.ok) return { refusal: pool.failure.reason === "compliance_blocked" ? pool.failure : null };
	const call = toTurnCall(request, rules, models);
	const stage = { stage: "turn", role: "answerer", asksFor };
	// The models that it keeps to may be of another tier than the pool's.
	const options: CallOptions = { ...pool.value.options, model: "auto", stage };
	const asked = listModels(pool.value, call, options, request, context);
	const bound = boundCall(context, { call, options, models: asked });
	return bound.ok ? { context, call, options, models: asked, boundNanoUsd: bound.value } : { refusal: null };
}

/** The same turn by its first model alone, which may cost less; null where that may not serve. */
export function withoutFallbacks(turn: PricedTurn): PricedTurn | null {
	const { context, call, options } = turn;
	const models = [turn.models[0]] as const;
	const bound = boundCall(context, { call, options, models });
	return bound.ok ? { ...turn, models, boundNanoUsd: bound.value } : null;
}

/** Prices the last turn that may have to follow a turn: with its longest answer, and short results. */
export function priceLastAfter(
	context: PlanContext,
	rules: StepRules,
	request: TurnRequest,
): PricedTurn | UnpricedTurn {
	const answer: Message = {
		role: "assistant",
		content: [{ type: "text", text: placeholder(placeholderBytes(request.maxTokens)) }],
	};
	const results = userMessage(placeholder(HELD_RESULTS_BYTES));
	return priceTurn(context, rules, {
		...request,
		messages: [...request.messages, answer, results],
		isLast: true,
	});
}

/** A turn that was asked for. */
export interface TurnAnswer extends StepCalls {
	result: CallResult;
	/** The provider's account that it was made with; empty where the operator has one key. */
	account: string;
}

/** Makes a turn. What it may cost is recorded before it is sent. */
export async function makeTurn(turn: PricedTurn, hooks: StepHooks): Promise<TurnAnswer> {
	const { context, call, options, models, boundNanoUsd } = turn;
	const workflow = openStepWorkflow(context, boundNanoUsd, hooks);
	const result = await workflow.ask({ stage: "turn", role: "answerer", call, options, models });
	const account = workflow.billed.at(-1)?.key?.account ?? "";
	return {
		account,
		result: result.ok ? result : { ...result, failure: workflow.toFailure(result.failure) },
		...(await endStepWorkflow(workflow, result.ok)),
	};
}

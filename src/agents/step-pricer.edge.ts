// Prices a step before it is made: its models at an intensity, its strategy, and the most that it can cost. Calls no model.
import type { Result } from "../failure.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { detectAnswerKind } from "../orchestration/answer-kind.ts";
import type { EffortRule, WorkflowEfforts } from "../orchestration/effort-rule.ts";
import { questionBounder } from "../orchestration/engine.edge.ts";
import { type ModelPool, selectPool } from "../orchestration/model-pool.edge.ts";
import { choosePanel, toMember } from "../orchestration/panel.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import { type SizedStrategy, STRATEGY } from "../orchestration/strategies.ts";
import { type EffortPolicy, type Panel, systemMessage, type Task, userMessage } from "../orchestration/strategy.ts";
import type { Message } from "../providers/model-call.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import { detectSignals } from "../routing/signals.ts";
import type { PromptMessage } from "./plan.ts";
import { orderPanel } from "./run/retry.ts";
import type { Intensity } from "./step-decision.ts";
import { SINGLE_ONLY, suitKind } from "./step-strategy.ts";

/** The rules for every call of a run. */
export interface StepRules {
	policy: EffortPolicy;
	config: RoutingConfig | null;
	gate: CallOptions["gate"];
	temperature: number;
	efforts: WorkflowEfforts;
	/** Marks the texts of others in its prompts (inference/material.ts). */
	nonce: string;
}

/** What a step asks, and of which strategies. */
export interface StepSpec {
	messages: readonly PromptMessage[];
	/** The step's purpose, which its calls send to the sandbox upstream. */
	asksFor?: string;
	/** Strategies in order. The first that the share covers is used. The last is used whatever it costs. */
	sizesFor(intensity: Intensity): readonly SizedStrategy[];
	/** The most that every strategy but the last may cost. */
	shareNanoUsd: number;
	/** Models that failed an earlier try of the step, which are asked after all others. */
	askLast?: readonly string[];
	/** The longest second question that may follow the first answer. */
	followUp?: readonly PromptMessage[];
}

/** A step that can be made, and the most that it can cost. */
export interface PricedStep {
	/** The context that priced the step, and makes it. */
	context: PlanContext;
	task: Task;
	pool: ModelPool;
	panel: Panel;
	size: SizedStrategy;
	/** How its calls reason; the bound holds for that. */
	effortFor: EffortRule;
	boundNanoUsd: number;
}

/** The model ids that routing knows the intensities by. */
const ROUTING_MODEL_ID: Readonly<Record<Intensity, string>> = { Laser: "laser-1", Halo: "halo-1", Foton: "foton-1" };

function toModelMessage({ role, content }: PromptMessage): Message {
	if (role === "assistant") return { role, content: [{ type: "text", text: content }] };
	return role === "system" ? systemMessage(content) : userMessage(content);
}

/** Messages as a strategy's task. */
export function toPromptTask(
	messages: readonly PromptMessage[],
	limits: Pick<Task, "maxTokens" | "temperature" | "nonce">,
): Task {
	const prompt = messages.findLast(({ role }) => role === "user")?.content ?? "";
	const task = { messages: messages.map(toModelMessage), prompt, ...limits };
	const kind = detectAnswerKind(prompt, detectSignals(toQuestionCall({ ...task, json: false })));
	return { ...task, kind };
}

/**
 * The models that may work on a task at an intensity. Flat-rate runs never call a hyper-frontier model (docs/reference.md,
 * "Agents").
 * @param isSingle only one model answers, so no panel is ranked.
 */
export function selectStepPool(
	context: PlanContext,
	{ policy, config, gate }: Pick<StepRules, "policy" | "config" | "gate">,
	intensity: Intensity,
	task: Task,
	isSingle = false,
): Result<ModelPool> {
	return selectPool(context, toQuestionCall({ ...task, json: false }), {
		policy,
		model: ROUTING_MODEL_ID[intensity],
		config: config && { config, matches: () => false },
		gate,
		planLimitNanoUsd: null,
		only: {
			allows: ({ hyper_frontier }) => !hyper_frontier,
			noneMessage: "no model that agents may use is available",
		},
		isSingle,
	});
}

/** The pool with only its cheapest model, and fallbacks that cost no more. */
function onlyCheapest(pool: ModelPool): ModelPool {
	return { ...pool, single: toMember(pool.cheapest, pool.rankings.panel) };
}

/** Prices one step at any intensity and length. Each pair is priced once. */
export class StepPricer {
	#context: PlanContext;
	#rules: StepRules;
	#step: StepSpec;
	/** The tasks of its questions: the first, then the second that may follow. */
	#task: Task;
	#followUp: Task | null;
	#maxTokens: number;
	#prices = new Map<string, PricedStep | null>();

	/** @param maxTokens of each call, as requested. At a shorter length the cheapest model answers alone. */
	constructor(context: PlanContext, rules: StepRules, step: StepSpec, maxTokens: number) {
		this.#context = context;
		this.#rules = rules;
		this.#step = step;
		const toTask = (messages: readonly PromptMessage[]) =>
			toPromptTask(messages, { maxTokens, temperature: rules.temperature, nonce: rules.nonce });
		this.#task = { ...toTask(step.messages), asksFor: step.asksFor };
		this.#followUp = step.followUp ? toTask(step.followUp) : null;
		this.#maxTokens = maxTokens;
	}

	/** The step at an intensity and a length; null when no model may make it. */
	priceAt(intensity: Intensity, maxTokens: number): PricedStep | null {
		const key = `${intensity} ${maxTokens}`;
		const earlier = this.#prices.get(key);
		if (earlier !== undefined) return earlier;
		const priced = this.#price(intensity, maxTokens);
		this.#prices.set(key, priced);
		return priced;
	}

	#price(intensity: Intensity, maxTokens: number): PricedStep | null {
		const { sizesFor, shareNanoUsd, askLast = [] } = this.#step;
		const context = this.#context;
		const { efforts } = this.#rules;
		const task: Task = { ...this.#task, maxTokens };
		const isShort = maxTokens < this.#maxTokens;
		const sizes = isShort ? SINGLE_ONLY : sizesFor(intensity).map((size) => suitKind(size, task.kind));
		const isSingle = sizes.every(({ strategy }) => STRATEGY[strategy].isOneCall);
		const found = selectStepPool(context, this.#rules, intensity, task, isSingle);
		if (!found.ok) return null;
		const pool = isShort ? onlyCheapest(found.value) : found.value;
		for (const [position, size] of sizes.entries()) {
			const panel = orderPanel(choosePanel(STRATEGY[size.strategy], pool, size, null), askLast);
			const isLast = position === sizes.length - 1;
			for (const effortFor of isShort ? [efforts.least] : [efforts.chosen, efforts.least]) {
				const boundNanoUsd = this.#bound(pool, task, panel, size, effortFor);
				if (boundNanoUsd === null) continue;
				const isAffordable = boundNanoUsd <= shareNanoUsd || (isLast && effortFor === efforts.least);
				if (isAffordable) return { context, task, pool, panel, size, effortFor, boundNanoUsd };
			}
		}
		return null;
	}

	/** The most that all calls can cost together; null when one of them cannot be made. */
	#bound(pool: ModelPool, task: Task, panel: Panel, { strategy }: SizedStrategy, effortFor: EffortRule): number | null {
		const boundQuestion = questionBounder(this.#context, pool, effortFor);
		const { maxTokens } = task;
		const second = this.#followUp ? [{ ...this.#followUp, maxTokens }] : [];
		let total = 0;
		for (const each of [task, ...second]) {
			for (const question of STRATEGY[strategy].callGraph(each, panel)) {
				const bound = boundQuestion(question);
				if (!bound.ok) return null;
				total += bound.value;
			}
		}
		return total;
	}
}

// Prices a step before it is made: its models at an intensity, its strategy, and the most that it can cost. Calls no model.
import type { Failure, Result } from "../failure.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import { planCallFor } from "../inference/workflow.edge.ts";
import type { JsonObject } from "../json.ts";
import { detectAnswerKind, readDemand } from "../orchestration/answer-kind.ts";
import { sumBounds } from "../orchestration/bounds.ts";
import { followingBound } from "../orchestration/continuation.ts";
import type { EffortRule, WorkflowEfforts } from "../orchestration/effort-rule.ts";
import { questionBounder } from "../orchestration/engine.edge.ts";
import type { ModelPool } from "../orchestration/model-pool.edge.ts";
import { choosePanel, toMember } from "../orchestration/panel.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import { type SizedStrategy, STRATEGY } from "../orchestration/strategies.ts";
import type { Panel, Question, Task } from "../orchestration/strategy.ts";
import { detectSignals } from "../routing/signals.ts";
import { isNecessary } from "./necessary-calls.ts";
import type { PromptMessage } from "./prompt.ts";
import { toModelMessage } from "./prompt-messages.ts";
import { schemaOutput } from "./run/output-form.ts";
import { orderPanel } from "./run/retry.ts";
import type { Intensity, StepModels } from "./step-decision.ts";
import { type PoolRules, selectStepPool } from "./step-pool.edge.ts";
import { SINGLE_ONLY, suitKind } from "./step-strategy.ts";

/** The rules for every call of a run. */
export interface StepRules extends PoolRules {
	temperature: number;
	efforts: WorkflowEfforts;
	/** Marks the texts of others in its prompts (inference/material.ts). */
	nonce: string;
}

/** What a step asks, and of which strategies. */
export interface StepSpec {
	/** The prompt, which says how long the answer may be. */
	messagesFor(maxTokens: number): readonly PromptMessage[];
	/** The part of the prompt that says what is asked, by which answers are compared; the last user message by default. */
	question?: string;
	/** The JSON Schema of the answer, for models that can be held to one. */
	jsonSchema?: Readonly<Record<string, unknown>>;
	/** The client's JSON Schema of the answer: an answer in another form is repaired once. Models that can be held to it are preferred. */
	form?: JsonObject;
	/** The step's purpose, which its calls send to the sandbox upstream. */
	asksFor?: string;
	/** Strategies in order. The first that the money covers is used. The last is used whatever it costs. */
	sizesFor(intensity: Intensity): readonly SizedStrategy[];
	/** The most that every strategy but the last may be expected to cost. */
	shareNanoUsd: number;
	/** The most that every strategy but the last may cost. It must cover the calls without which the strategy has no answer. */
	ceilingNanoUsd: number;
	/** Models that failed an earlier try of the step, which are asked after all others. */
	askLast?: readonly string[];
	/** Models that the step does without where another may serve. */
	avoid?: readonly string[];
	/** The longest second question that may follow the first answer. */
	followUp?: readonly PromptMessage[];
}

/** A step that can be made, and the most that it can cost. */
export interface PricedStep {
	/** The context that priced the step, and makes it. */
	context: PlanContext;
	messages: readonly PromptMessage[];
	task: Task;
	pool: ModelPool;
	panel: Panel;
	size: SizedStrategy;
	/** How its calls reason; the bounds hold for that. */
	effortFor: EffortRule;
	/** The most that its strategy costs: all its calls, or as many as the ceiling covers. */
	boundNanoUsd: number;
}

/** Messages as a strategy's task. */
export function toPromptTask(
	messages: readonly PromptMessage[],
	limits: Pick<Task, "maxTokens" | "temperature" | "nonce">,
	question?: string,
): Task {
	const prompt = question ?? messages.findLast(({ role }) => role === "user")?.content ?? "";
	const task = { messages: messages.map(toModelMessage), prompt, ...limits };
	const signals = detectSignals(toQuestionCall({ ...task, json: false }), question);
	return { ...task, kind: detectAnswerKind(prompt, signals), ...readDemand(prompt, signals) };
}

/** The pool with only its cheapest model, and fallbacks that cost no more. */
function onlyCheapest(pool: ModelPool): ModelPool {
	return { ...pool, single: toMember(pool.cheapest, pool.rankings.panel) };
}

/** Prices one step at any intensity and length, and by its intended or the cheapest models. Each combination is priced once. */
export class StepPricer {
	#context: PlanContext;
	#rules: StepRules;
	#step: StepSpec;
	#maxTokens: number;
	#prices = new Map<string, PricedStep | null>();
	#refusal: Failure | null = null;

	/** @param maxTokens of each call, as requested. A shorter answer is one model's alone: its panel would cost more. */
	constructor(context: PlanContext, rules: StepRules, step: StepSpec, maxTokens: number) {
		this.#context = context;
		this.#rules = rules;
		this.#step = step;
		this.#maxTokens = maxTokens;
	}

	/** The refusal by compliance at the first intensity that has one; null where there is none. */
	get refusal(): Failure | null {
		return this.#refusal;
	}

	/** The step at an intensity and a length; null when no model may make it. */
	priceAt(intensity: Intensity, maxTokens: number, models: StepModels): PricedStep | null {
		const key = `${intensity} ${maxTokens} ${models}`;
		const earlier = this.#prices.get(key);
		if (earlier !== undefined) return earlier;
		const priced = this.#price(intensity, maxTokens, models);
		this.#prices.set(key, priced);
		return priced;
	}

	/** The most that completing a priced step can cost, whose answer was cut or was none; 0 where no model may do that. */
	completionNanoUsd({ context, pool, task, panel, effortFor }: PricedStep): number {
		const bound = followingBound(task, panel, questionBounder(context, pool, effortFor));
		return bound.ok ? bound.value : 0;
	}

	#toTask(messages: readonly PromptMessage[], maxTokens: number, question?: string): Task {
		const { temperature, nonce } = this.#rules;
		return toPromptTask(messages, { maxTokens, temperature, nonce }, question);
	}

	#price(intensity: Intensity, maxTokens: number, models: StepModels): PricedStep | null {
		const { sizesFor, askLast = [], avoid = [], messagesFor, question, asksFor } = this.#step;
		const context = this.#context;
		const { efforts } = this.#rules;
		const messages = messagesFor(maxTokens);
		const task: Task = { ...this.#toTask(messages, maxTokens, question), asksFor };
		const isCheapest = models === "cheapest";
		const isAlone = isCheapest || maxTokens < this.#maxTokens;
		const sizes = isAlone ? SINGLE_ONLY : suitKind(sizesFor(intensity), task.kind);
		const isSingle = sizes.every(({ strategy }) => STRATEGY[strategy].isOneCall);
		const { task: formed, found } = this.#selectPool(task, (each) =>
			selectStepPool(context, this.#rules, intensity, each, { isSingle, avoid }),
		);
		if (!found.ok) {
			if (found.failure.reason === "compliance_blocked") this.#refusal ??= found.failure;
			return null;
		}
		const pool = isCheapest ? onlyCheapest(found.value) : found.value;
		for (const [position, size] of sizes.entries()) {
			const panel = orderPanel(choosePanel(STRATEGY[size.strategy], pool, size, null), askLast);
			const asked = this.#withSchema(formed, panel);
			const questions = this.#questions(asked, panel, size);
			const isLast = position === sizes.length - 1;
			for (const effortFor of isCheapest ? [efforts.least] : [efforts.chosen, efforts.least]) {
				const isRequired = isLast && effortFor === efforts.least;
				const boundNanoUsd = this.#boundSize(pool, questions, effortFor, isRequired);
				if (boundNanoUsd !== null)
					return { context, messages, task: asked, pool, panel, size, effortFor, boundNanoUsd };
			}
		}
		return null;
	}

	/** The models of a task, and the task in the client's form where models can be held to that. */
	#selectPool(task: Task, select: (task: Task) => Result<ModelPool>): { task: Task; found: Result<ModelPool> } {
		const { form } = this.#step;
		const formed = form && { ...task, output: schemaOutput(form), checksForm: true };
		const found = formed && select(formed);
		return found?.ok ? { task: formed ?? task, found } : { task, found: select(task) };
	}

	/**
	 * The most that a size may cost; null where it is not made. A size that may be left out needs a ceiling that covers its necessary
	 * calls, and a share that covers what it is expected to cost.
	 */
	#boundSize(
		pool: ModelPool,
		questions: readonly Question[],
		effortFor: EffortRule,
		isRequired: boolean,
	): number | null {
		const { shareNanoUsd, ceilingNanoUsd } = this.#step;
		const boundQuestion = questionBounder(this.#context, pool, effortFor);
		const whole = sumBounds(questions, boundQuestion);
		if (!whole.ok) return null;
		if (isRequired) return whole.value;
		const necessary = sumBounds(questions.filter(isNecessary), boundQuestion);
		if (!necessary.ok || necessary.value > ceilingNanoUsd) return null;
		const isExpected = whole.value <= shareNanoUsd || this.#expectedCost(pool, questions, effortFor) <= shareNanoUsd;
		return isExpected ? Math.min(whole.value, ceilingNanoUsd) : null;
	}

	/** The task in the step's JSON form, if every model that may answer can be held to it. */
	#withSchema(task: Task, { members }: Panel): Task {
		const { jsonSchema } = this.#step;
		const { catalog } = this.#context.settings;
		const canHold = members.flat().every((id) => catalog.findModel(id)?.supports.json_schema);
		if (!jsonSchema || !canHold) return task;
		return { ...task, output: { type: "json_schema", name: "reply", schema: { ...jsonSchema }, strict: true } };
	}

	/** Every question of a size, with those of the step's second request. */
	#questions(task: Task, panel: Panel, { strategy }: SizedStrategy): Question[] {
		const { followUp } = this.#step;
		const second = followUp ? [{ ...this.#toTask(followUp, task.maxTokens), output: task.output }] : [];
		return [task, ...second].flatMap((each) => STRATEGY[strategy].callGraph(each, panel));
	}

	/** What the calls are expected to cost together, each asked once and none repaired. */
	#expectedCost({ options }: ModelPool, questions: readonly Question[], effortFor: EffortRule): number {
		return [...new Set(questions)]
			.filter(({ asksFor }) => asksFor !== "repair")
			.map((question) => {
				const plan = planCallFor(this.#context, toQuestionCall(question, effortFor(question)), options);
				const candidates = plan.ok ? plan.value.selection.candidates : [];
				const first = candidates.find(({ model }) => model.id === question.member[0]);
				return first?.expectation.cost.totalNanoUsd ?? Number.POSITIVE_INFINITY;
			})
			.reduce((sum, cost) => sum + cost, 0);
	}
}

// Makes a run's moves, one at a time: decides on a step within the guard, makes it, and stores its end before the next. When moves
// are made, and how the run is closed, is agent-run.object.ts's.
import { logError } from "../../http/log.edge.ts";
import { fitPlaceholder, placeholder, placeholderBytes } from "../../inference/answer-placeholder.ts";
import type { PlanContext } from "../../inference/caller.edge.ts";
import { hashText } from "../../proof/hash.ts";
import { usd } from "../../proof/money.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { type BudgetAlert, type HeldStep, SpendGuard } from "../guard.ts";
import { type PromptMessage, parsePlan, planMessages, planRepairMessages, toStepLayout } from "../plan.ts";
import type { RunSnapshot } from "../response.ts";
import { makeStep, type StepHooks, type StepResult, stepInputHash } from "../step.edge.ts";
import { type Intensity, MIN_VISIBLE_TOKENS, type StepStop } from "../step-decision.ts";
import { type PricedStep, StepPricer, type StepRules, type StepSpec } from "../step-pricer.edge.ts";
import { FINAL_RESULTS_BYTES, finalMessages, parseStepAnswer, subtaskMessages } from "../step-prompts.ts";
import { SINGLE_ONLY, stepSizesFor } from "../step-strategy.ts";
import {
	chainStep,
	countSteps,
	nextAction,
	planFromGoal,
	type RunState,
	type RunStep,
	type StepCharge,
	type StepRecord,
	subtaskResults,
	sumChargesNanoUsd,
} from "./run.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** What happens in a run, for its followers. */
export type RunEvent =
	| { type: "planned"; run_id: string; plan: string[]; by: "model" | "goal" }
	| {
			type: "step_started";
			index: number;
			role: StepRecord["role"];
			subtask: string;
			intensity: Intensity;
			strategy: string;
			reason: string;
	  }
	| { type: "step_done"; step: StepRecord }
	| { type: "alert"; alert: BudgetAlert }
	| { type: "finished"; run_id: string; status: string; cost_consumed_usd: number; trajectory_proof: string };

/** What the run's object provides to the driver. */
interface ExecutorContext {
	run: StoredRun;
	/** What the run's calls are planned by, at current prices. */
	planContext(): PlanContext;
	rules: StepRules;
	record: StepHooks["record"];
	report(event: RunEvent): void;
	/** Called within the transaction that stores the plan. */
	queuePlanEvent(state: RunState): void;
	/** Called within the transaction that stores a move. */
	queueProgress(now: Pick<RunSnapshot, "state" | "steps" | "charges">): void;
}

/** A plan by a model may cost one part in so many of the cap. */
const PLAN_COST_DIVISOR = 4;
/** Room for a rejected plan in the prompt that asks for another. */
const REJECTED_PLAN_BYTES = 4_000;
const REJECTION_REASON_BYTES = 160;
/** Room for the digest of the results in the final step, from the most to the least that money allows. */
const FINAL_RESULTS_SIZES_BYTES = [FINAL_RESULTS_BYTES, FINAL_RESULTS_BYTES / 4, FINAL_RESULTS_BYTES / 16];
/** The reserve for later steps allows each an answer of so many tokens. */
const RESERVED_TOKENS = 256;

/** A step to be made. */
interface PlannedStep extends StepSpec {
	role: StepRecord["role"];
	/** Its purpose, in words. */
	subtask: string;
	/** What must be left after it. */
	reserveNanoUsd: number;
	/** The run can do without it. */
	isOptional: boolean;
	followUp?: readonly PromptMessage[];
	askAgain?(answer: string): readonly PromptMessage[] | null;
}

type RunPlan = Pick<RunState, "plan" | "isPlanned">;

type DecidedStep = HeldStep & { priced: PricedStep };

type StepOutcome =
	| { kind: "stopped"; stop: StepStop }
	| { kind: "carried_out"; decided: DecidedStep; done: StepResult };

export class RunExecutor {
	#context: ExecutorContext;
	#guard: SpendGuard;

	constructor(tools: ExecutorContext) {
		this.#context = tools;
		this.#guard = SpendGuard.resume(tools.run.state.guard);
	}

	/** Makes the next move; false when there is none left. */
	async executeNext(): Promise<boolean> {
		const { run: book } = this.#context;
		const move = nextAction(book.spec, book.state);
		if (move.kind === "end") return false;
		if (move.kind === "plan") await this.#plan(move.maxSubtasks);
		else if (move.kind === "subtask") await this.#subtask(move.subtask);
		else await this.#finalize();
		return true;
	}

	get #remainingNanoUsd(): number {
		return this.#guard.remainingNanoUsd;
	}

	async #plan(maxSubtasks: number): Promise<void> {
		const { run: book, report, queuePlanEvent: notePlan } = this.#context;
		const { goal, capNanoUsd, maxSteps, runId: run_id } = book.spec;
		const own: RunPlan = { plan: planFromGoal(book.spec), hasPlan: true };
		const step: PlannedStep = {
			role: "subtask",
			subtask: "Plan",
			messages: planMessages(goal, maxSubtasks),
			asksFor: `plan:${maxSubtasks}`,
			sizesFor: () => SINGLE_ONLY,
			shareNanoUsd: 0,
			reserveNanoUsd: capNanoUsd - Math.floor(capNanoUsd / PLAN_COST_DIVISOR),
			isOptional: true,
			followUp: planRepairMessages(
				goal,
				maxSubtasks,
				placeholder(REJECTED_PLAN_BYTES),
				placeholder(REJECTION_REASON_BYTES),
			),
			askAgain(answer) {
				const read = parsePlan(answer, maxSubtasks);
				if (read.ok) return null;
				return planRepairMessages(goal, maxSubtasks, fitPlaceholder(answer, REJECTED_PLAN_BYTES), read.reason);
			},
		};
		const outcome = toStepLayout(maxSteps).asksForPlan ? await this.#make(step) : null;
		if (outcome?.kind !== "carried_out") {
			const state = { ...book.state, ...own };
			book.save(state, () => notePlan(state));
		} else {
			const { answer: conclusion } = outcome.done;
			const read = conclusion.ok ? parsePlan(conclusion.value.text, maxSubtasks) : null;
			this.#storeStep(step, outcome, read?.ok ? { plan: read.subtasks, hasPlan: true } : own, (state) => {
				if (state.hasPlan) notePlan(state);
			});
		}
		const { plan, hasPlan: isPlanned } = book.state;
		if (isPlanned) report({ type: "planned", run_id, plan, by: plan === own.plan ? "goal" : "model" });
	}

	async #subtask(subtask: string): Promise<void> {
		const { run: book } = this.#context;
		const { goal, policy } = book.spec;
		const { plan, subtasksDone: done } = book.state;
		const earlier = subtaskResults(book.steps);
		const left = Math.max(1, plan.length - done);
		const messages = subtaskMessages({ goal, subtask, number: done + 1, of: plan.length, earlier });
		const toStep = (reserveNanoUsd: number): PlannedStep => ({
			role: "subtask",
			subtask,
			messages,
			asksFor: done + 1 < plan.length ? "subtask" : "last_subtask",
			sizesFor: (intensity) => stepSizesFor(policy, intensity),
			shareNanoUsd: Math.floor(Math.max(0, this.#remainingNanoUsd - reserveNanoUsd) / left),
			reserveNanoUsd,
			isOptional: false,
		});
		const final = this.#finalReserve(earlier);
		// First the later subtasks keep a reserve, each for one short answer of the cheapest model. Then only the final step does. With no
		// result yet nothing is kept: one result without a final step is better than none.
		const reserves = [
			final + (left - 1) * this.#leastCostNanoUsd(messages),
			final,
			...(earlier.length === 0 ? [0] : []),
		];
		let stop: StepStop | null = null;
		for (const reserveNanoUsd of reserves) {
			const outcome = await this.#make(toStep(reserveNanoUsd));
			if (outcome.kind === "carried_out")
				return this.#storeStep(toStep(reserveNanoUsd), outcome, { subtasksDone: done + 1 });
			stop = outcome.stop;
		}
		if (stop) this.#stop(stop);
	}

	async #finalize(): Promise<void> {
		const { run: book } = this.#context;
		const { goal } = book.spec;
		const results = subtaskResults(book.steps);
		const toStep = (digestBytes: number): PlannedStep => ({
			role: "finalize",
			subtask: "Final answer",
			messages: finalMessages(goal, excerptResults(results, digestBytes)),
			asksFor: "final",
			sizesFor: () => SINGLE_ONLY,
			shareNanoUsd: 0,
			reserveNanoUsd: 0,
			isOptional: false,
		});
		let stop: StepStop | null = null;
		for (const digestBytes of FINAL_RESULTS_SIZES_BYTES) {
			const outcome = await this.#make(toStep(digestBytes));
			if (outcome.kind === "carried_out") return this.#storeStep(toStep(digestBytes), outcome, { isFinalized: true });
			stop = outcome.stop;
		}
		// A single result is the output as it is.
		if (results.length === 1 || !stop) book.save({ ...book.state, isFinalized: true });
		else this.#stop(book.state.stop ?? stop, { isFinalized: true });
	}

	#stop({ limit, reason }: Pick<StepStop, "limit" | "reason">, also: Partial<RunState> = {}): void {
		const { run: book } = this.#context;
		book.save({ ...book.state, ...also, stop: { limit, reason } });
	}

	/** The least that the final step needs, with the results so far and one more. */
	#finalReserve(earlier: readonly SubtaskResult[]): number {
		const { goal, maxTokens } = this.#context.run.spec;
		const soFar = excerptResults(earlier, FINAL_RESULTS_BYTES).length;
		const oneMore = placeholderBytes(Math.min(maxTokens, RESERVED_TOKENS));
		const results = placeholder(Math.min(FINAL_RESULTS_BYTES, soFar + oneMore));
		return this.#leastCostNanoUsd(finalMessages(goal, results));
	}

	/** The most that a short answer by the cheapest model can cost. */
	#leastCostNanoUsd(messages: readonly PromptMessage[]): number {
		const { run: book, planContext, rules } = this.#context;
		const tokens = Math.max(MIN_VISIBLE_TOKENS, Math.min(book.spec.maxTokens, RESERVED_TOKENS));
		const step: StepSpec = { messages, sizesFor: () => SINGLE_ONLY, shareNanoUsd: 0 };
		return (
			new StepPricer(planContext(), rules, step, Number.POSITIVE_INFINITY).priceAt("Foton", tokens)?.boundNanoUsd ?? 0
		);
	}

	/** Decides on a step and makes it. Its cost stays held until its end is stored. */
	async #make(step: PlannedStep): Promise<StepOutcome> {
		const { run: book, report, record } = this.#context;
		const decided = this.#decide(step, book.spec.maxTokens);
		if (decided.kind === "stop") return { kind: "stopped", stop: decided };
		const { intensity, reason, priced } = decided;
		const { role, subtask } = step;
		const index = countSteps(book.state);
		report({ type: "step_started", index, role, subtask, intensity, strategy: priced.size.strategy, reason });
		const owner: StepHooks = { record, isStopped: () => book.state.isCancelled };
		const done = await makeStep(priced, owner, step.askAgain);
		return { kind: "carried_out", decided, done };
	}

	#decide(step: PlannedStep, maxTokens: number): DecidedStep | StepStop {
		const { planContext, rules } = this.#context;
		const pricer = new StepPricer(planContext(), rules, step, maxTokens);
		const request = {
			worstCaseNanoUsd: (intensity: Intensity, tokens: number) =>
				pricer.priceAt(intensity, tokens)?.boundNanoUsd ?? null,
			maxTokens,
			reserveNanoUsd: step.reserveNanoUsd,
			isOptional: step.isOptional,
		};
		const decision = this.#guard.decideAndHold(request);
		if (decision.kind === "stop") return decision;
		const priced = pricer.priceAt(decision.intensity, decision.maxTokens);
		if (!priced) throw new Error("what was decided on can be made");
		return { ...decision, priced };
	}

	/** Stores the end of a step: its cost, its answer, and the state of the run after it. */
	#storeStep(
		step: PlannedStep,
		{
			decided,
			done: { answer: conclusion, charge, readers, overrun, isSandbox },
		}: Extract<StepOutcome, { kind: "carried_out" }>,
		change: Partial<RunState>,
		also: (state: RunState) => void = () => undefined,
	): void {
		const { run: book, report, queueProgress: noteMove } = this.#context;
		const { spec } = book;
		const costNanoUsd = sumChargesNanoUsd([charge]);
		const { alerts } = decided.hold.settle(countSteps(book.state), { costNanoUsd, overrun });
		const common: Partial<RunState> = {
			guard: this.#guard.state,
			readers: [...new Set([...book.state.readers, ...readers])],
			isSandbox: book.state.isSandbox || isSandbox,
		};
		const write = (step: RunStep | null, state: RunState) =>
			book.endStep(charge, step, state, () => {
				also(state);
				noteMove({ state, steps: step ? [...book.steps, step] : book.steps, charges: [...book.charges, charge] });
			});
		const isPlan = "plan" in change;
		const { isMet, ...answer } = this.#toStoredAnswer(conclusion, charge, step.role === "subtask" && !isPlan);
		const next = conclusion.ok ? change : this.#changeAfterFailure(conclusion.failure, step, change);
		const state = { ...book.state, ...common, ...next, isMet: book.state.isGoalMet || isMet };
		if (!conclusion.ok && costNanoUsd === 0) {
			write(null, state);
		} else {
			const { trajectory, record } = chainStep(book.state.trajectory, {
				role: step.role,
				model: answer.model,
				intensity: decided.intensity,
				strategy: decided.priced.size.strategy,
				cost_usd: usd(costNanoUsd),
				confidence: answer.confidence,
				input_hash: stepInputHash(step.messages),
				output_hash: hashText(answer.output),
				timestamp: new Date(Date.now()).toISOString(),
			});
			const isAside = isPlan || !conclusion.ok;
			write({ record, subtask: step.subtask, isAside, output: answer.output }, { ...state, trajectory });
			report({ type: "step_done", step: record });
		}
		for (const alert of alerts) report({ type: "alert", alert });
		if (sumChargesNanoUsd(book.charges) !== this.#guard.spentNanoUsd)
			logError("agent_spend_differs", new Error("guard and charges differ"), { run_id: spec.runId });
	}

	/** The stored part of an answer. Without an answer it is the empty text, by the model that was asked last. */
	#toStoredAnswer(conclusion: StepResult["answer"], { calls }: StepCharge, readsMark: boolean) {
		if (!conclusion.ok) {
			const model = calls.at(-1)?.model ?? this.#context.run.spec.intendedModel;
			return { output: "", isMet: false, model, confidence: 0 };
		}
		const { text, model, confidence } = conclusion.value;
		return { ...(readsMark ? parseStepAnswer(text) : { output: text, isMet: false }), model, confidence };
	}

	/** The state after a step without an answer. A plan is then the goal's own; anything else ends the run, unless it was cancelled. */
	#changeAfterFailure(
		failure: { reason: string; message?: string; attempts?: string[] },
		{ role, subtask }: PlannedStep,
		change: Partial<RunState>,
	): Partial<RunState> {
		const { isCancelled } = this.#context.run.state;
		if (isCancelled) return "plan" in change ? change : {};
		if ("plan" in change && failure.reason === "all_models_failed") return change;
		const step = role === "finalize" ? "the final step" : `the step ${JSON.stringify(subtask.slice(0, 80))}`;
		const why = failure.attempts?.at(-1) ?? failure.message ?? failure.reason;
		return { fault: `no model answered ${step} (${why})`.toWellFormed() };
	}
}

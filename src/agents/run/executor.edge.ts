// Executes a run's actions one at a time. The guard decides on a step, the step is made, and its end is stored before the next
// action. agent-run.object.ts says when an action is due and closes the run.

import { loadFormCheck } from "../../answers/load.ts";
import type { Mask } from "../../compliance/mask/mask.ts";
import type { Failure } from "../../failure.ts";
import { logError } from "../../http/log.edge.ts";
import { placeholder, placeholderBytes } from "../../inference/answer-placeholder.ts";
import type { PlanContext } from "../../inference/caller.edge.ts";
import { optionalMember, parseJson } from "../../json.ts";
import { usd } from "../../proof/money.ts";
import { textHash } from "../../proof/salted.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { type GuardState, type HeldStep, SpendGuard, type StepHold } from "../guard.ts";
import { parsePlan, toListedTool, toStepLayout } from "../plan.ts";
import { type PromptHead, type StepMarks, toDateText, toStepMarks } from "../prompt.ts";
import { DEFAULT_TIME_ZONE } from "../request.ts";
import { makeStep, type StepHooks, type StepResult, stepInputHash } from "../step.edge.ts";
import { MIN_VISIBLE_TOKENS, type StepStop } from "../step-decision.ts";
import { type PricedStep, StepPricer, type StepRules, type StepSpec } from "../step-pricer.edge.ts";
import { FINAL_RESULTS_BYTES, finalMessages, frameMessages } from "../step-prompts.ts";
import { SINGLE_ONLY } from "../step-strategy.ts";
import { withoutTaintedLinks } from "../tools/judge-result.edge.ts";
import type { LoopContext } from "../tools/loop-context.ts";
import { type UnreadMessage, withRead } from "../tools/steering.ts";
import { toReadTexts } from "../tools/step-history.ts";
import { toToolDefinition } from "../tools/tool-definition.ts";
import { ToolLoop } from "../tools/tool-loop.edge.ts";
import { chainStep } from "./chain-step.ts";
import { listCharges, mergeCharges, type StepCharge, sumChargesNanoUsd, sumTokens } from "./charges.ts";
import { mayCallTools, nextAction } from "./next-action.ts";
import { type CheckForm, rememberForm, unwrapFormed } from "./output-form.ts";
import { finalPurpose, planPurpose, type StepPurpose, subtaskPrompt, subtaskPurpose } from "./planned-step.ts";
import { triedInVain } from "./retry.ts";
import { countSteps, type RunSpec, type RunState, type RunStep, type StepDraft } from "./run.ts";
import type { RunEvent } from "./run-event.ts";
import { findRunSections, subtaskResults } from "./run-output.ts";
import { isTrivialGoal, planFromGoal, toRunPlan } from "./run-plan.ts";
import { RunTexts } from "./run-texts.ts";
import {
	changeAfterFailure,
	refusedText,
	rememberLimited,
	rememberRefused,
	toRefusedStep,
	toStoredAnswer,
} from "./step-end.ts";
import type { OpenStepCharge, StoredRun } from "./stored-run.edge.ts";

/** What the run's object provides. */
interface ExecutorContext {
	run: StoredRun;
	/** What the run may spend. */
	guard: GuardState;
	/** Account and settings, with current prices. */
	planContext(): PlanContext;
	rules: StepRules;
	/** What is masked in the run's prompts; null where nothing is. */
	mask: Mask | null;
	record(charge: OpenStepCharge): Promise<boolean>;
	report(event: RunEvent): void;
	env: Env;
	/** The gate of the run's calls that covers texts which are about to be read, too. */
	gateWith: LoopContext["gateWith"];
	/** Adds an audit event. Called within a transaction. */
	queueEvent: LoopContext["queueEvent"];
	/** Leaves the audit event of a step that compliance keeps from every model. */
	recordRefusal(refusal: Failure): Promise<void>;
	/** Called within the transaction that stores the plan. */
	queuePlanEvent(state: RunState): void;
}

/** A model's plan may cost the run's cap divided by this. */
const PLAN_COST_DIVISOR = 4;
/** Space for the results in the final prompt. The first size that the remaining money covers is used. */
const FINAL_RESULTS_SIZES_BYTES = [FINAL_RESULTS_BYTES, FINAL_RESULTS_BYTES / 4, FINAL_RESULTS_BYTES / 16];
/** The reserve for later steps covers an answer of this length for each. */
const RESERVED_TOKENS = 256;

/** A step to be made. */
interface PlannedStep extends StepPurpose, Pick<StepSpec, "shareNanoUsd"> {
	/** Money that must be left after it. */
	reserveNanoUsd: number;
	/** The run can go on without it. */
	isOptional: boolean;
}

type StepOutcome =
	| { kind: "stopped"; stop: StepStop }
	| {
			kind: "made";
			draft: StepDraft;
			hold: StepHold;
			result: StepResult;
			/** It was asked in the form of `output_schema`. */
			isFormed: boolean;
			/** Of a tool step: what its turns before have cost. */
			earlier?: StepCharge;
			/** Of a tool step: the messages that it has read. */
			read?: readonly UnreadMessage[];
			/** A limit ended it before its model was done. */
			isLimited?: boolean;
	  };

/** A decision on a step, and why compliance keeps the step from every model, where it does. */
interface StepVerdict {
	decision: (HeldStep & { priced: PricedStep }) | StepStop;
	refusal: Failure | null;
}

const toolNames = ({ tools = [] }: Pick<RunSpec, "tools">): string[] => tools.map(({ name }) => name);

type MadeStep = Extract<StepOutcome, { kind: "made" }>;

export class RunExecutor {
	#context: ExecutorContext;
	#guard: SpendGuard;
	/** The run's texts as its models are sent them. What is stored and hashed holds the values. */
	#texts: RunTexts;
	/** Loaded where the run has a schema for its output. */
	#checkForm: CheckForm | null = null;
	#toolLoop: ToolLoop;

	constructor(context: ExecutorContext) {
		this.#context = context;
		this.#guard = SpendGuard.resume(context.guard);
		this.#texts = new RunTexts(context.mask);
		this.#toolLoop = new ToolLoop({ ...context, guard: this.#guard });
	}

	/** Executes the next action. Returns false when none is left. */
	async executeNext(): Promise<boolean> {
		const { run } = this.#context;
		const action = nextAction(run.spec, run.state);
		if (action.kind === "end") return false;
		if (run.spec.outputSchema) this.#checkForm ??= (await loadFormCheck()).checkForm;
		if (action.kind === "plan") await this.#plan(action.maxSubtasks);
		else if (action.kind === "subtask") await this.#subtask(action.subtask);
		else if (action.kind === "turn") await this.#turn(action.subtask);
		else if (action.kind === "judge") await this.#toolLoop.judge();
		else if (action.kind === "finalize") await this.#finalize();
		return true;
	}

	/** Whether the money covers the next turn, where a turn is next. */
	canTurn(): boolean {
		const { run } = this.#context;
		const action = nextAction(run.spec, run.state);
		if (action.kind !== "turn") return true;
		return this.#toolLoop.canTurn(this.#nextSubtask(action.subtask, toolNames(run.spec)).purpose);
	}

	/** Closes a tool step that a run leaves open at its end: it is charged for its turns, and gives no result. */
	closeToolStep(): Promise<void> {
		return this.#toolLoop.close();
	}

	/** The marks of the next step's prompts. Another try of a step has the same ones: no text came of the earlier try. */
	get #marks(): StepMarks {
		const { run, rules } = this.#context;
		return toStepMarks(rules.nonce, countSteps(run.state) - run.state.failedSteps);
	}

	/** How the prompts of the next step begin. Its date is that of now. */
	get #head(): PromptHead {
		const { spec } = this.#context.run;
		const { goal } = this.#texts.maskSpec(spec);
		const { outputSchema: schema } = spec;
		return {
			goal,
			date: toDateText(Date.now(), spec.timeZone ?? DEFAULT_TIME_ZONE),
			marks: this.#marks,
			...(schema ? { outputSchema: this.#texts.mask(JSON.stringify(schema)) } : {}),
		};
	}

	async #plan(maxSubtasks: number): Promise<void> {
		const { run, report, queuePlanEvent } = this.#context;
		const { capNanoUsd, maxSteps, maxTokens, runId: run_id } = run.spec;
		if (isTrivialGoal(run.spec.goal)) return this.#skipPlan();
		const head = this.#head;
		const ownPlan = toRunPlan(run.spec, this.#texts.restorePlan(planFromGoal(head)));
		const step: PlannedStep = {
			...planPurpose({ ...head, maxSubtasks, maxTokens, ...optionalMember("listedTools", this.#listedTools) }),
			shareNanoUsd: 0,
			reserveNanoUsd: capNanoUsd - Math.floor(capNanoUsd / PLAN_COST_DIVISOR),
			isOptional: true,
		};
		const outcome = toStepLayout(maxSteps).asksForPlan ? await this.#make(step) : null;
		if (outcome?.kind !== "made") {
			// The goal's own plan cost nothing. Its event waits for a step, or for the end of a run that is kept.
			run.saveState({ ...run.state, ...ownPlan, retry: null, owesPlanEvent: true });
		} else {
			const { answer } = outcome.result;
			const parsed = answer.ok ? parsePlan(answer.value.text, maxSubtasks) : null;
			const change = parsed?.ok ? toRunPlan(run.spec, this.#texts.restorePlan(parsed.subtasks)) : ownPlan;
			await this.#storeStep(step, outcome, change, (state) => {
				if (state.hasPlan) queuePlanEvent(state);
			});
		}
		const { plan, hasPlan } = run.state;
		if (hasPlan) report({ type: "planned", run_id, plan, by: plan === ownPlan.plan ? "goal" : "model" });
	}

	/** A trivial goal is its own plan, and its one step the final one. */
	#skipPlan(): void {
		const { run, report } = this.#context;
		const { goal, runId: run_id } = run.spec;
		const plan = [goal];
		run.saveState({ ...run.state, plan, hasPlan: true, assembly: null, isTrivial: true, owesPlanEvent: true });
		report({ type: "planned", run_id, plan, by: "goal" });
	}

	/** The tools of a run as a planner is told them; null in a run without any. */
	get #listedTools(): string[] | null {
		return this.#context.run.spec.tools?.map((tool) => this.#texts.mask(toListedTool(toToolDefinition(tool)))) ?? null;
	}

	/** What the next subtask asks for. @param tools names of those that it may call. */
	#nextSubtask(ownSubtask: string, tools: readonly string[]) {
		const { run } = this.#context;
		const { spec, state, steps } = this.#texts.maskRun(run);
		const head = { ...this.#head, ...(tools.length > 0 ? { tools } : {}) };
		const subtask = this.#texts.mask(ownSubtask);
		const next = { number: run.state.subtasksDone + 1, subtask, earlier: subtaskResults(steps), head };
		return { state, next, purpose: subtaskPurpose(spec, state, next) };
	}

	/** Makes the next turn of the open tool step. */
	async #turn(ownSubtask: string): Promise<void> {
		const { run } = this.#context;
		const { purpose } = this.#nextSubtask(ownSubtask, toolNames(run.spec));
		const outcome = await this.#toolLoop.turn(purpose);
		if (outcome.kind === "stored") return;
		if (outcome.kind === "stopped") {
			// A model may be there again when the run is resumed.
			if (outcome.stop.limit !== "no_model") await this.#toolLoop.close();
			return this.#stop(outcome.stop);
		}
		const { state, spec } = run;
		// With a form, the words of the step may still be brought into it.
		const isLast = state.isTrivial && !spec.outputSchema;
		const done = { subtasksDone: state.subtasksDone + 1, ...(isLast ? { isFinalized: true } : {}) };
		const step: PlannedStep = { ...purpose, shareNanoUsd: 0, reserveNanoUsd: 0, isOptional: false };
		const { change, changes, earlier, ...made } = outcome.step;
		await this.#storeStep(step, { kind: "made", ...made, isFormed: false, earlier }, { ...change, ...done }, () =>
			run.toolCalls.store(changes),
		);
		run.toolCalls.apply(changes);
	}

	async #subtask(ownSubtask: string): Promise<void> {
		const { run } = this.#context;
		const { subtasksDone } = run.state;
		const { spec } = run;
		const tools = mayCallTools(run) ? toolNames(spec) : [];
		const { state, next, purpose } = this.#nextSubtask(ownSubtask, tools);
		const { plan } = state;
		const { earlier, subtask } = next;
		const left = Math.max(1, plan.length - subtasksDone);
		// A later step's prompt holds the results of the steps before it, this one's included.
		const later = [...earlier, ...Array.from({ length: left - 1 }, () => this.#expectedResult(subtask))];
		// The first reserve covers the final step and one short answer of the cheapest model for each later subtask. The second covers
		// the final step only. Before the first result the reserve may be nothing: one result without a final step beats none.
		const finalNanoUsd =
			plan.length > 1 || (spec.outputSchema && spec.tools)
				? this.#finalReserveNanoUsd([...earlier, this.#expectedResult(subtask)])
				: 0;
		const reserves = [
			finalNanoUsd + (left - 1) * this.#leastCostNanoUsd(subtaskPrompt(state, next, later)),
			finalNanoUsd,
			...(earlier.length === 0 ? [0] : []),
		];
		let stop: StepStop | null = null;
		for (const reserveNanoUsd of reserves) {
			const shareNanoUsd = Math.floor(Math.max(0, this.#guard.remainingNanoUsd - reserveNanoUsd) / left);
			const step: PlannedStep = { ...purpose, shareNanoUsd, reserveNanoUsd, isOptional: false };
			if (tools.length > 0) {
				stop = await this.#toolLoop.begin({ ...step, number: countSteps(run.state) - run.state.failedSteps });
				if (!stop) return;
				continue;
			}
			const outcome = await this.#make(step);
			const done = { subtasksDone: subtasksDone + 1, ...(state.isTrivial ? { isFinalized: true } : {}) };
			if (outcome.kind === "made") return this.#storeStep(step, outcome, done);
			stop = outcome.stop;
		}
		if (stop) this.#stop(stop);
	}

	async #finalize(): Promise<void> {
		const { run } = this.#context;
		const { state, steps } = this.#texts.maskRun(run);
		const head = this.#head;
		const isFrame = findRunSections(run.state, run.steps) !== null;
		let stop: StepStop | null = null;
		for (const resultsBytes of FINAL_RESULTS_SIZES_BYTES) {
			const form = optionalMember("form", run.spec.outputSchema);
			const purpose = finalPurpose(state, steps, { head, resultsBytes, isFrame, ...form });
			const step: PlannedStep = { ...purpose, shareNanoUsd: 0, reserveNanoUsd: 0, isOptional: false };
			const outcome = await this.#make(step);
			if (outcome.kind === "made") return this.#storeStep(step, outcome, { isFinalized: true });
			stop = outcome.stop;
		}
		// A single result is the output unchanged.
		if (subtaskResults(steps).length === 1 || !stop) run.saveState({ ...run.state, isFinalized: true });
		else this.#stop(run.state.stop ?? stop, { isFinalized: true });
	}

	#stop({ limit, reason }: Pick<StepStop, "limit" | "reason">, also: Partial<RunState> = {}): void {
		const { run } = this.#context;
		run.saveState({ ...run.state, ...also, stop: { limit, reason }, retry: null });
	}

	/** Stands for the result of a later step where money is reserved. */
	#expectedResult(subtask: string): SubtaskResult {
		const tokens = Math.min(this.#context.run.spec.maxTokens, RESERVED_TOKENS);
		return { index: countSteps(this.#context.run.state), subtask, output: placeholder(placeholderBytes(tokens)) };
	}

	/** The least that the final step can cost, with these results. */
	#finalReserveNanoUsd(expected: readonly SubtaskResult[]): number {
		const results = excerptResults(expected, FINAL_RESULTS_BYTES);
		const prompt = { ...this.#head, results, missing: [] };
		const leastCosts = [finalMessages, frameMessages].map((toMessages) =>
			this.#leastCostNanoUsd((tokens) => toMessages({ ...prompt, maxTokens: tokens })),
		);
		return Math.max(...leastCosts);
	}

	/** The most that a short answer by the cheapest model can cost. */
	#leastCostNanoUsd(messagesFor: StepSpec["messagesFor"]): number {
		const { run, planContext, rules } = this.#context;
		const tokens = Math.max(MIN_VISIBLE_TOKENS, Math.min(run.spec.maxTokens, RESERVED_TOKENS));
		const step: StepSpec = { messagesFor, sizesFor: () => SINGLE_ONLY, shareNanoUsd: 0, ceilingNanoUsd: 0 };
		const pricer = new StepPricer(planContext(), rules, step, tokens);
		return pricer.priceAt("Foton", tokens, "cheapest")?.boundNanoUsd ?? 0;
	}

	/** Decides on a step and makes it. Its money stays on hold until its end is stored. */
	async #make(step: PlannedStep): Promise<StepOutcome> {
		const { run, report, record, recordRefusal } = this.#context;
		const { decision, refusal } = this.#decide(step);
		if (decision.kind === "stop") {
			if (decision.limit === "no_model" && refusal) await recordRefusal(refusal);
			return { kind: "stopped", stop: decision };
		}
		const { intensity, reason, hold, priced } = decision;
		const { role } = step;
		const subtask = this.#texts.restore(step.subtask);
		const index = countSteps(run.state);
		const { strategy } = priced.size;
		report({ type: "step_started", index, role, subtask, intensity, strategy, reason });
		const draft: StepDraft = {
			role,
			subtask,
			intensity,
			strategy,
			input_hash: stepInputHash(this.#texts.restoreMessages(priced.messages), textHash(run.spec.salt)),
		};
		const hooks: StepHooks = {
			record: (charge) => record({ ...charge, step: draft }),
			isStopped: () => run.state.isCancelled,
		};
		const result = await makeStep(priced, hold.worstCaseNanoUsd, hooks, step.askAgain);
		return { kind: "made", draft, hold, result, isFormed: priced.task.checksForm === true };
	}

	#decide(step: PlannedStep): StepVerdict {
		const { planContext, rules, run } = this.#context;
		const { reserveNanoUsd, isOptional, leastTokens = MIN_VISIBLE_TOKENS } = step;
		const maxTokens =
			step.leastTokens === undefined ? run.spec.maxTokens : Math.max(step.leastTokens, run.spec.maxTokens);
		const askLast = run.state.retry?.askLast ?? [];
		const avoid = triedInVain(run.state.retry);
		const ceilingNanoUsd = this.#guard.ceilingNanoUsd(reserveNanoUsd);
		const stepRules = { ...rules, nonce: this.#marks.answersNonce };
		const pricer = new StepPricer(planContext(), stepRules, { ...step, askLast, avoid, ceilingNanoUsd }, maxTokens);
		const decision = this.#guard.decideAndHold({
			worstCaseNanoUsd: (...terms) => pricer.priceAt(...terms)?.boundNanoUsd ?? null,
			completionNanoUsd(...terms) {
				const priced = pricer.priceAt(...terms);
				return priced ? pricer.completionNanoUsd(priced) : 0;
			},
			maxTokens,
			leastTokens,
			reserveNanoUsd,
			isOptional,
		});
		if (decision.kind === "stop") return { decision, refusal: pricer.refusal };
		const priced = pricer.priceAt(decision.intensity, decision.maxTokens, decision.models);
		if (!priced) throw new Error("what was decided on can be made");
		return { decision: { ...decision, priced }, refusal: null };
	}

	/** An answer as it is stored. */
	#restoreOutput(text: string, { jsonSchema, form }: PlannedStep, isFormed: boolean): string {
		const isJson = jsonSchema || isFormed || (form && parseJson(text) !== undefined);
		const written = this.#texts.restore(text, isJson ? "json" : "text");
		return form && this.#checkForm ? unwrapFormed(this.#checkForm, form, written) : written;
	}

	/** A step's text without images and links that do not lead where the run's owner has been. */
	async #withoutTaintedLinks(output: string): Promise<string> {
		const { run } = this.#context;
		if (!run.state.tools || run.state.tools.untrusted.length === 0) return output;
		const isJson = run.spec.outputSchema !== undefined;
		return withoutTaintedLinks(run.spec.userId, output, toReadTexts(run), isJson);
	}

	/** Stores the end of a step: its cost, its answer, and the state of the run after it. */
	async #storeStep(
		step: PlannedStep,
		{ draft, hold, result, isFormed, earlier, read = [], isLimited = false }: MadeStep,
		change: Partial<RunState>,
		alsoStore: (state: RunState) => void = () => undefined,
	): Promise<void> {
		const { run, planContext, report, queuePlanEvent } = this.#context;
		const { spec } = run;
		const { answer, readers, overrun, isSandbox } = result;
		const { isGoalMet, ...stored } = toStoredAnswer(answer, result.charge, { ...step, isLimited }, spec.intendedModel);
		const output = await this.#withoutTaintedLinks(this.#restoreOutput(stored.output, step, isFormed));
		const index = countSteps(run.state);
		const { alerts } = hold.settle(index, { costNanoUsd: sumChargesNanoUsd([result.charge]), overrun });
		const charge = earlier ? mergeCharges(earlier, result.charge) : result.charge;
		const costNanoUsd = sumChargesNanoUsd([charge]);
		const strays = answer.ok ? this.#texts.describeStrays(answer.value.text) : null;
		if (strays !== null) alerts.push(this.#guard.reportStrays(index, strays));
		const refused = toRefusedStep(index, answer);
		if (refused) alerts.push(this.#guard.reportRefused(index, refusedText(draft, refused)));
		const store = (step: RunStep | null, { owesPlanEvent, ...state }: RunState) =>
			run.endStep(charge, step, state, () => {
				if (owesPlanEvent) queuePlanEvent(state);
				alsoStore(state);
			});
		const isPlan = "plan" in change;
		const state: RunState = {
			...withRead(run.state, read),
			guard: this.#guard.state,
			readers: [...new Set([...run.state.readers, ...readers])],
			isSandbox: run.state.isSandbox || isSandbox,
			...(answer.ok
				? { ...change, retry: null }
				: changeAfterFailure(run.state, answer.failure, draft, change, {
						billed: charge.calls.map(({ model }) => model),
						waitsMs: planContext().settings.stepRetryWaitsMs,
						nowMs: Date.now(),
					})),
			isGoalMet: run.state.isGoalMet || isGoalMet,
			...rememberRefused(run.state, refused),
		};
		if (!answer.ok && charge.calls.length === 0) {
			store(null, state);
		} else {
			const failedSteps = state.failedSteps + (state.retry ? 1 : 0);
			const { trajectory, record } = chainStep(run.state.trajectory, {
				role: draft.role,
				model: stored.model,
				intensity: draft.intensity,
				strategy: draft.strategy,
				cost_usd: usd(costNanoUsd),
				confidence: stored.confidence,
				confidence_basis: stored.confidenceBasis,
				input_hash: draft.input_hash,
				output_hash: textHash(spec.salt)(output),
				timestamp: new Date(Date.now()).toISOString(),
				...sumTokens(charge),
			});
			const hasResult = answer.ok && !isPlan;
			const cutSteps = [...(state.cutSteps ?? []), ...(hasResult && answer.value.isCut ? [record.index] : [])];
			const made: RunStep = { record, subtask: draft.subtask, hasResult, output };
			const next = { ...state, trajectory, failedSteps, cutSteps, ...rememberLimited(state, record.index, isLimited) };
			const snapshot = { state: next, steps: [...run.steps, made] };
			store(made, { ...next, ...rememberForm(this.#checkForm, spec, snapshot, isFormed) });
			report({ type: "step_done", step: record, text: output });
		}
		for (const alert of alerts) report({ type: "alert", alert });
		if (sumChargesNanoUsd(listCharges(run)) !== this.#guard.spentNanoUsd)
			logError("agent_spend_differs", new Error("guard and charges differ"), { run_id: spec.runId });
	}
}

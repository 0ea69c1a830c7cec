// Executes a run's actions one at a time: the plan, its subtasks, the turns of a tool step, and the final answer. Each step is made
// (make-step.edge.ts), and its end is stored (store-step.edge.ts) before the next action. agent-run.object.ts says when an action is due
// and closes the run.
import { loadFormCheck } from "../../answers/load.ts";
import { optionalMember } from "../../json.ts";
import { parsePlan, toListedTool, toStepLayout } from "../plan.ts";
import type { StepStop } from "../step-decision.ts";
import { FINAL_RESULTS_BYTES } from "../step-prompts.ts";
import { toToolDefinition } from "../tools/tool-definition.ts";
import { ToolLoop } from "../tools/tool-loop.edge.ts";
import { type MadeStep, makePlannedStep } from "./make-step.edge.ts";
import { mayCallTools, nextAction } from "./next-action.ts";
import type { CheckForm } from "./output-form.ts";
import { finalPurpose, type PlannedStep, planPurpose, subtaskPurpose } from "./planned-step.ts";
import { countSteps, type RunSpec, type RunState } from "./run.ts";
import { findRunSections, subtaskResults } from "./run-output.ts";
import { isTrivialGoal, planFromGoal, toRunPlan } from "./run-plan.ts";
import type { StepContext } from "./step-context.ts";
import { nextHead } from "./step-head.edge.ts";
import { subtaskMoney } from "./step-money.edge.ts";
import { type StepEffect, storeStep } from "./store-step.edge.ts";

/** A model's plan may cost the run's cap divided by this. */
const PLAN_COST_DIVISOR = 4;
/** Space for the results in the final prompt. The first size that the remaining money covers is used. */
const FINAL_RESULTS_SIZES_BYTES = [FINAL_RESULTS_BYTES, FINAL_RESULTS_BYTES / 4, FINAL_RESULTS_BYTES / 16];

const toolNames = ({ tools = [] }: Pick<RunSpec, "tools">): string[] => tools.map(({ name }) => name);

export class RunExecutor {
	#context: StepContext;
	/** Loaded where the run has a schema for its output. */
	#checkForm: CheckForm | null = null;
	#toolLoop: ToolLoop;

	constructor(context: StepContext) {
		this.#context = context;
		this.#toolLoop = new ToolLoop(context);
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

	async #plan(maxSubtasks: number): Promise<void> {
		const { run, texts, report, queuePlanEvent } = this.#context;
		const { capNanoUsd, maxSteps, maxTokens, runId: run_id } = run.spec;
		if (isTrivialGoal(run.spec.goal)) return this.#skipPlan();
		const head = nextHead(this.#context);
		const ownPlan = toRunPlan(run.spec, texts.restorePlan(planFromGoal(head)));
		const step: PlannedStep = {
			...planPurpose({ ...head, maxSubtasks, maxTokens, ...optionalMember("listedTools", this.#listedTools) }),
			shareNanoUsd: 0,
			reserveNanoUsd: capNanoUsd - Math.floor(capNanoUsd / PLAN_COST_DIVISOR),
			isOptional: true,
		};
		const outcome = toStepLayout(maxSteps).asksForPlan ? await makePlannedStep(this.#context, step) : null;
		if (outcome?.kind !== "made") {
			// The goal's own plan cost nothing. Its event waits for a step, or for the end of a run that is kept.
			run.saveState({ ...run.state, ...ownPlan, retry: null, owesPlanEvent: true });
		} else {
			const { answer } = outcome.made.result;
			const parsed = answer.ok ? parsePlan(answer.value.text, maxSubtasks) : null;
			const change = parsed?.ok ? toRunPlan(run.spec, texts.restorePlan(parsed.subtasks)) : ownPlan;
			await this.#store(step, outcome.made, change, (state) => {
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
		const { run, texts } = this.#context;
		return run.spec.tools?.map((tool) => texts.mask(toListedTool(toToolDefinition(tool)))) ?? null;
	}

	/** What the next subtask asks for. @param tools names of those that it may call. */
	#nextSubtask(ownSubtask: string, tools: readonly string[]) {
		const { run, texts } = this.#context;
		const { spec, state, steps } = texts.maskRun(run);
		const head = { ...nextHead(this.#context), ...(tools.length > 0 ? { tools } : {}) };
		const subtask = texts.mask(ownSubtask);
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
		const { change, changes, ...made } = outcome.step;
		await this.#store(step, { ...made, isFormed: false }, { ...change, ...done }, () => run.toolCalls.store(changes));
		run.toolCalls.apply(changes);
	}

	async #subtask(ownSubtask: string): Promise<void> {
		const { run } = this.#context;
		const { spec } = run;
		const tools = mayCallTools(run) ? toolNames(spec) : [];
		const { state, next, purpose } = this.#nextSubtask(ownSubtask, tools);
		let stop: StepStop | null = null;
		for (const money of subtaskMoney(this.#context, state, next)) {
			const step: PlannedStep = { ...purpose, ...money, isOptional: false };
			if (tools.length > 0) {
				stop = await this.#toolLoop.begin({ ...step, number: countSteps(run.state) - run.state.failedSteps });
				if (!stop) return;
				continue;
			}
			const outcome = await makePlannedStep(this.#context, step);
			const done = { subtasksDone: state.subtasksDone + 1, ...(state.isTrivial ? { isFinalized: true } : {}) };
			if (outcome.kind === "made") return this.#store(step, outcome.made, done);
			stop = outcome.stop;
		}
		if (stop) this.#stop(stop);
	}

	async #finalize(): Promise<void> {
		const { run, texts } = this.#context;
		const { state, steps } = texts.maskRun(run);
		const head = nextHead(this.#context);
		const isFrame = findRunSections(run.state, run.steps) !== null;
		let stop: StepStop | null = null;
		for (const resultsBytes of FINAL_RESULTS_SIZES_BYTES) {
			const form = optionalMember("form", run.spec.outputSchema);
			const purpose = finalPurpose(state, steps, { head, resultsBytes, isFrame, ...form });
			const step: PlannedStep = { ...purpose, shareNanoUsd: 0, reserveNanoUsd: 0, isOptional: false };
			const outcome = await makePlannedStep(this.#context, step);
			if (outcome.kind === "made") return this.#store(step, outcome.made, { isFinalized: true });
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

	#store(
		step: PlannedStep,
		made: MadeStep,
		change: Partial<RunState>,
		alsoStore: StepEffect["alsoStore"] = () => undefined,
	): Promise<void> {
		return storeStep(this.#context, step, made, { change, checkForm: this.#checkForm, alsoStore });
	}
}

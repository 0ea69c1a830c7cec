// Makes one step: its strategy asks the engine within the step's bound, and what each batch of calls may cost is recorded before the
// batch is sent. run/money.edge.ts keeps the run's reservation and writes its receipt.
import { type Failure, ok, type Result } from "../failure.ts";
import { type BilledCall, billInterruptedCallAtBound, toUsageCall } from "../inference/accounting.ts";
import type { PlanContext } from "../inference/caller.edge.ts";
import { reservationExpiryMs } from "../inference/settlement.edge.ts";
import { roundShare } from "../inference/trace.ts";
import { Workflow } from "../inference/workflow.edge.ts";
import { runStrategy } from "../orchestration/continuation.ts";
import { createEngine, failOnBug, questionBounder } from "../orchestration/engine.edge.ts";
import { STRATEGY } from "../orchestration/strategies.ts";
import type { Engine, StrategyResult } from "../orchestration/strategy.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { type Hash, hashText } from "../proof/hash.ts";
import type { TextHash } from "../proof/salted.ts";
import { isNecessary, keepForNecessary } from "./necessary-calls.ts";
import type { PromptMessage } from "./prompt.ts";
import type { StepCharge } from "./run/charges.ts";
import { type PricedStep, toPromptTask } from "./step-pricer.edge.ts";

/** What a step under way may have cost so far. */
export interface OpenCharge extends StepCharge {
	/** Catalog ids of the models that were sent its content. */
	readers: string[];
	/** When the meter settles the run at this charge unless a newer one is recorded, ms since the epoch. */
	expiresAtMs: number;
	/** The part of the charge that is already billed. */
	billedNanoUsd: number;
}

/** What a step needs from its run. */
export interface StepHooks {
	/** Records, before calls are sent, what the step may cost. After false they are not sent. */
	record(charge: OpenCharge): Promise<boolean>;
	/** No further call may be made. */
	isStopped(): boolean;
}

/** What the calls of a step came to. */
export interface StepCalls {
	charge: StepCharge;
	/** Catalog ids of the models that were sent its content. */
	readers: string[];
	/** A call reported more usage than it was allowed. */
	overrun: boolean;
	isSandbox: boolean;
}

/** The result of a step, with or without an answer. */
export interface StepResult extends StepCalls {
	answer: Result<StrategyResult>;
}

/** Hash of a step's messages. */
export function stepInputHash(messages: readonly PromptMessage[], hash: TextHash): Hash {
	const input = { type: "svc.input.v1", messages: messages.map(({ role, content }) => ({ role, content })) };
	return hash(canonicalJson(input));
}

/** The engine without further calls once the run is stopped. Calls under way end normally. */
function stopEngineWhen(engine: Engine, isStopped: () => boolean): Engine {
	const failure: Failure = {
		reason: "all_models_failed",
		attempts: ["the run was stopped"],
		costUsd: 0,
		retryAfterMs: null,
	};
	return {
		...engine,
		ask: async (questions) =>
			isStopped() ? questions.map(() => ({ ok: false, failure, unaffordable: false })) : engine.ask(questions),
	};
}

function toStepCharge(calls: readonly BilledCall[]): StepCharge {
	return { calls: calls.map(toUsageCall), estimated: calls.some(({ bill }) => bill.estimated) };
}

/** Asks by the step's strategy. An exception is a bug: it is logged, and the step is charged like one that failed. */
function askStrategy(
	{ task, panel, size }: PricedStep,
	engine: Engine,
	followUp: (answer: string) => readonly PromptMessage[] | null,
): Promise<Result<StrategyResult>> {
	const strategy = STRATEGY[size.strategy];
	const run = async () => {
		const first = await runStrategy(strategy, task, panel, engine);
		const messages = first.ok ? followUp(first.value.text) : null;
		if (!messages) return first;
		const repair = { ...toPromptTask(messages, task), output: task.output, asksFor: "repair" };
		const second = await runStrategy(strategy, repair, panel, engine);
		return second.ok ? second : first;
	};
	const failure: Failure = {
		reason: "all_models_failed",
		attempts: ["the strategy failed"],
		costUsd: 0,
		retryAfterMs: null,
		isFinal: true,
	};
	return failOnBug(run, { event: "agent_step_failed", failure });
}

/** The calls of a step, or of one turn of it. */
export function openStepWorkflow(context: PlanContext, boundNanoUsd: number, hooks: StepHooks): Workflow {
	const endsAtMs = Date.now() + context.settings.upstreamTotalTimeoutMs;
	const expiresAtMs = reservationExpiryMs(endsAtMs);
	const workflow: Workflow = new Workflow(context, {
		boundNanoUsd,
		endsAtMs,
		// An interrupted call counts its bound, so that the run's cap holds whatever the provider charges.
		billInterrupted: billInterruptedCallAtBound,
		// A step has no receipt of its own: its trace is not shown.
		hashText,
		beforeSend: async (calls) => {
			const isRecorded = await hooks.record({
				...toStepCharge(calls),
				readers: [...new Set(calls.map(({ candidate }) => candidate.model.id))],
				expiresAtMs,
				billedNanoUsd: workflow.spentNanoUsd,
			});
			return isRecorded ? "extended" : "unreachable";
		},
	});
	return workflow;
}

/** Ends the calls of a step. @param isAnswered otherwise those under way are broken off. */
export async function endStepWorkflow(workflow: Workflow, isAnswered: boolean): Promise<StepCalls> {
	if (!isAnswered) workflow.stop();
	await workflow.idle();
	return {
		charge: {
			...toStepCharge(workflow.billed),
			attempts: workflow.attempts.kept,
		},
		readers: Array.from(workflow.readers, ({ id }) => id),
		overrun: workflow.billed.some(({ bill }) => bill.overrun),
		isSandbox: workflow.sandbox,
	};
}

/**
 * Makes a step.
 * @param boundNanoUsd the step's bound, and what is held beyond it to complete a cut answer.
 * @param followUp returns the messages to ask after the first answer, or null. They are counted in the bound.
 */
export async function makeStep(
	step: PricedStep,
	boundNanoUsd: number,
	hooks: StepHooks,
	followUp: (answer: string) => readonly PromptMessage[] | null = () => null,
): Promise<StepResult> {
	const { context, task, pool, effortFor } = step;
	const workflow = openStepWorkflow(context, boundNanoUsd, hooks);
	const necessary = STRATEGY[step.size.strategy].callGraph(task, step.panel).filter(isNecessary);
	const boundQuestion = questionBounder(context, pool, effortFor);
	const engine = keepForNecessary(
		stopEngineWhen(createEngine(workflow, context, pool, task, effortFor), hooks.isStopped),
		necessary,
		(question) => {
			const bound = boundQuestion(question);
			return bound.ok ? bound.value : 0;
		},
		() => boundNanoUsd - workflow.spentNanoUsd,
	);
	const answer = await askStrategy(step, engine, followUp);
	return {
		answer: answer.ok ? ok({ ...answer.value, confidence: roundShare(answer.value.confidence) }) : answer,
		...(await endStepWorkflow(workflow, answer.ok)),
	};
}

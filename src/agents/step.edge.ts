// Makes one step: its strategy asks the engine within the step's part of the run's money, and what each batch may cost is
// recorded before it is sent. The run's money, its reservation and its receipt are run-money.edge.ts's.
import { type Failure, ok, type Result } from "../failure.ts";
import { type BilledCall, billInterruptedCallAtBound, toUsageCall } from "../inference/accounting.ts";
import { reservationExpiryMs } from "../inference/settlement.edge.ts";
import { roundShare } from "../inference/trace.ts";
import { Workflow } from "../inference/workflow.edge.ts";
import { createEngine, failOnBug } from "../orchestration/engine.edge.ts";
import { STRATEGY } from "../orchestration/strategies.ts";
import type { Engine, StrategyResult } from "../orchestration/strategy.ts";
import { type Hash, hashObject } from "../proof/hash.ts";
import type { PromptMessage } from "./plan.ts";
import type { StepCharge } from "./run/run.ts";
import { type PricedStep, toPromptTask } from "./step-pricer.edge.ts";

/** What a step may have cost by now. */
export interface OpenCharge extends StepCharge {
	/** Catalog ids of the models that were sent what it is for. */
	readers: string[];
	/** When the meter settles the run at this if nothing newer is recorded, ms since the epoch. */
	expiresAtMs: number;
	/** Of the charge, nano-USD: what has been billed; the rest may be. */
	billedNanoUsd: number;
}

/** What a step's owner does for it. */
export interface StepHooks {
	/** Records what the step may have cost, before calls are sent; false keeps them from being sent. */
	record(charge: OpenCharge): Promise<boolean>;
	/** Nothing more may be called. */
	isStopped(): boolean;
}

/** A step that was made, with or without an answer. */
export interface StepResult {
	answer: Result<StrategyResult>;
	charge: StepCharge;
	/** Catalog ids of the models that were sent what it asks. */
	readers: string[];
	/** A call reported more usage than it was allowed. */
	overrun: boolean;
	isSandbox: boolean;
}

/** Hash of what a step asks. */
export function stepInputHash(messages: readonly PromptMessage[]): Hash {
	return hashObject({ type: "svc.input.v1", messages: messages.map(({ role, content }) => ({ role, content })) });
}

/** Asks nothing more once the run is stopped; calls under way end. */
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

/** Asks by the step's strategy. What throws is a bug, which is logged and charged like any other failure. */
function askStrategy(
	{ task, panel, size }: PricedStep,
	engine: Engine,
	followUp: (answer: string) => readonly PromptMessage[] | null,
): Promise<Result<StrategyResult>> {
	const strategy = STRATEGY[size.strategy];
	const run = async () => {
		const first = await strategy.run(task, panel, engine);
		const second = first.ok ? followUp(first.value.text) : null;
		if (!first.ok || !second) return first;
		const again = { ...toPromptTask(second, task.maxTokens, task.temperature ?? 0), asksFor: "repair" };
		const repaired = await strategy.run(again, panel, engine);
		return repaired.ok ? repaired : first;
	};
	const failure: Failure = {
		reason: "all_models_failed",
		attempts: ["the strategy failed"],
		costUsd: 0,
		retryAfterMs: null,
	};
	return failOnBug(run, { event: "agent_step_failed", failure });
}

/**
 * Makes a step within its bound.
 * @param followUp what to ask after the first answer, if anything; counted in the bound.
 */
export async function makeStep(
	step: PricedStep,
	hooks: StepHooks,
	followUp: (answer: string) => readonly PromptMessage[] | null = () => null,
): Promise<StepResult> {
	const { context, task, pool, boundNanoUsd } = step;
	const endsAtMs = Date.now() + context.settings.upstreamTotalTimeoutMs;
	const expiresAtMs = reservationExpiryMs(endsAtMs);
	const workflow = new Workflow(context, {
		boundNanoUsd,
		endsAtMs,
		// The run's cap must hold, whatever a provider charges for a broken call.
		billInterrupted: billInterruptedCallAtBound,
		beforeSend: (calls) =>
			hooks.record({
				...toStepCharge(calls),
				readers: [...new Set(calls.map(({ candidate }) => candidate.model.id))],
				expiresAtMs,
				billedNanoUsd: workflow.spentNanoUsd,
			}),
	});
	const engine = stopEngineWhen(createEngine(workflow, context, pool, task), hooks.isStopped);
	const answer = await askStrategy(step, engine, followUp);
	if (!answer.ok) workflow.stop();
	await workflow.idle();
	return {
		answer: answer.ok ? ok({ ...answer.value, confidence: roundShare(answer.value.confidence) }) : answer,
		charge: toStepCharge(workflow.billed),
		readers: Array.from(workflow.readers, ({ id }) => id),
		overrun: workflow.billed.some(({ bill }) => bill.overrun),
		isSandbox: workflow.sandbox,
	};
}

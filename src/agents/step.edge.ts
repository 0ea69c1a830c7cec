// Makes one step: its strategy asks the engine under the step's part of the run's money, and what it cost is told.

import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { Caller } from "../inference/caller.edge.ts";
import { roundShare } from "../inference/trace.ts";
import { Workflow, type WorkflowPurpose } from "../inference/workflow.edge.ts";
import type { UsageCall } from "../meter/settlement.ts";
import { createEngine } from "../orchestration/engine.edge.ts";
import { STRATEGY } from "../orchestration/strategies.ts";
import type { Engine, StrategyResult } from "../orchestration/strategy.ts";
import { type Hash, hashObject, hashText } from "../proof/hash.ts";
import type { PlanMessage } from "./plan.ts";
import type { StepCharge } from "./run/run.ts";
import { type PricedStep, toStepTask } from "./step-pricer.edge.ts";

/** A charge with the models that were sent what it is for. */
export interface OpenCharge extends StepCharge {
	readers: string[];
	/** When the meter settles the run at this if nobody tells it more, ms since the epoch. */
	expiresAtMs: number;
	/** Of the charge, nano-USD: what has been billed; the rest may be. */
	billedNanoUsd: number;
}

/** What a step is made under. */
export interface StepFunding {
	gate: WorkflowPurpose["gate"];
	configDigest: string | null;
	/** Writes down what the step may have cost before a call is sent; false keeps it from being sent. */
	tell(charge: OpenCharge): Promise<boolean>;
	/** Nothing more may be called. */
	isStopped(): boolean;
}

/** A step that was carried out, with or without an answer. */
export interface CarriedOut {
	conclusion: Result<StrategyResult>;
	charge: StepCharge;
	readers: string[];
	/** A call reported more usage than it was allowed. */
	overrun: boolean;
	isSandbox: boolean;
}

/** Hash of what a step asks. */
export function inputHashOf(messages: readonly PlanMessage[]): Hash {
	return hashObject({ type: "svc.input.v1", messages: messages.map(({ role, content }) => ({ role, content })) });
}

/** What a step's own record says; of a run only the run's is kept. */
function purposeOf({ floor, size }: PricedStep, { gate, configDigest }: StepFunding, inputHash: Hash): WorkflowPurpose {
	const { model } = floor.cheapest;
	return {
		kind: "agent",
		inputHash,
		configDigest,
		gate,
		describe: () => ({
			receipt: {
				kind: "agent",
				status: "running",
				policy: "",
				strategy: size.strategy,
				trajectory_proof: "",
				n_steps: 0,
				max_cost_usd: 0,
			},
			usage: { model: model.id, provider: model.provider, mode: "", fallback: false },
		}),
	};
}

/** Asks nothing more once the run is stopped; calls under way end. */
function stoppable(engine: Engine, isStopped: () => boolean): Engine {
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

/**
 * Carries a step out within its bound. The work's reservation is the run's: what it would write there goes to `tell`, and what
 * it settles is the charge.
 * @param followUp what to ask after the first answer, if anything; counted in the bound.
 */
export async function carryOut(
	weighed: PricedStep,
	funding: StepFunding,
	messages: readonly PlanMessage[],
	followUp: (answer: string) => readonly PlanMessage[] | null = () => null,
): Promise<CarriedOut> {
	const { gate } = funding;
	const { caller, task, cast, floor, size, boundNanoUsd } = weighed;
	let settled: StepCharge = { calls: [], estimated: false };
	let work: Workflow | null = null;
	const chargeOf = ({ usage }: { usage: { calls: UsageCall[]; estimated: boolean } }): StepCharge => ({
		calls: usage.calls,
		estimated: usage.estimated,
	});
	const funds: Caller["funds"] = {
		reserve: async () => ok(null),
		extend: (reservation) => {
			const readers = reservation.receipt.compliance?.models ?? [];
			const { expiresAtMs } = reservation;
			return funding.tell({
				...chargeOf(reservation),
				readers,
				expiresAtMs,
				billedNanoUsd: work?.spentNanoUsd ?? 0,
			});
		},
		settle: async (settlement) => {
			settled = chargeOf(settlement);
			return true;
		},
		release: async () => undefined,
	};
	// The run's receipt is signed, once; a step's own is looked at by nobody.
	const stepCaller: Caller = { ...caller, settings: { ...caller.settings, signer: null }, funds };
	const opened = await Workflow.open(stepCaller, purposeOf(weighed, funding, inputHashOf(messages)), {
		boundNanoUsd,
		runMs: caller.settings.upstreamTotalTimeoutMs,
	});
	if (!opened.ok) throw new Error("the funds of a step refuse nothing");
	work = opened.value;
	const engine = stoppable(createEngine(work, stepCaller, floor, task), funding.isStopped);
	const conclusion = await conclude(async () => {
		const first = await STRATEGY[size.strategy].run(task, cast, engine);
		const second = first.ok ? followUp(first.value.text) : null;
		if (!first.ok || !second) return first;
		const again = { ...toStepTask(second, task.maxTokens, task.temperature ?? 0), asksFor: "repair" };
		const repaired = await STRATEGY[size.strategy].run(again, cast, engine);
		return repaired.ok ? repaired : first;
	});
	if (conclusion.ok) await work.settle("complete", hashText(conclusion.value.text));
	else await work.fail(conclusion.failure);
	return {
		conclusion: conclusion.ok
			? ok({ ...conclusion.value, confidence: roundShare(conclusion.value.confidence) })
			: conclusion,
		charge: settled,
		readers: gate ? (work.attestation?.models ?? []) : [],
		overrun: work.billed.some(({ bill }) => bill.overrun),
		isSandbox: work.sandbox,
	};
}

/** What a strategy throws is a bug, which is logged and accounted for like any other failure. */
async function conclude(run: () => Promise<Result<StrategyResult>>): Promise<Result<StrategyResult>> {
	try {
		return await run();
	} catch (error) {
		logError("agent_step_failed", error);
		return fail({ reason: "all_models_failed", attempts: ["the strategy failed"], costUsd: 0, retryAfterMs: null });
	}
}

// Work: many model calls for one request or one step of an agent, under one reservation with a bound that was known before the
// first call. Which calls, and what becomes of their answers, is its owner's business: a strategy, code mode, an agent.
//
// Crash order. Nothing is sent before the meter has it: each batch of calls is written into the reservation first, one meter
// call a batch. So what is recorded of a process that dies is what it was billed, and the worst case of the calls that had
// begun, each under its own model; with no call begun, nothing. `bound_usd` is the whole bound from the start.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Hash } from "../proof/hash.ts";
import { usd } from "../proof/money.ts";
import type { Attestation, Outcome, SealedReceipt } from "../proof/receipt.ts";
import { joinedText, type ModelAnswer, type ModelCall } from "../providers/model-call.ts";
import { type BilledCall, billAtBound, type PlannedCall, reserveBilledSoFar, totalNanoUsd } from "./accounting.ts";
import { Budget, type Hold } from "./budget.ts";
import type { Caller } from "./caller.edge.ts";
import type { CallSet } from "./failover.ts";
import { type CallOptions, type CallPlan, narrowTo, planCall } from "./plan.ts";
import { callsFor, type FailedRun, Run, recordOf } from "./run.edge.ts";
import { type CallTrace, Trace } from "./trace.ts";
import type {
	CallResult,
	CallSpec,
	FailedCall,
	WorkflowEvent,
	WorkflowLimits,
	WorkflowPurpose,
	WorkflowTotals,
} from "./workflow.ts";
import type { SettledWorkflow } from "./workflow-answer.ts";

export type {
	AnsweredCall,
	CallResult,
	CallSpec,
	FailedCall,
	WorkflowEvent,
	WorkflowLimits,
	WorkflowPurpose,
	WorkflowTotals,
} from "./workflow.ts";

/** Plans a call for a caller, at prices as they were when the request came: a bound and its calls are of one price. */
export function planCallFor(
	{ account, settings, startedAtMs }: Caller,
	call: ModelCall,
	options: CallOptions,
): Result<CallPlan> {
	return planCall({ call, options }, account.plan, settings, startedAtMs);
}

/** The same with only those of the spec's models that may serve. */
function planSpec(caller: Caller, { call, options, models }: CallSpec): Result<CallPlan> {
	const plan = planCallFor(caller, call, options);
	if (!plan.ok) return plan;
	const narrowed = narrowTo(plan.value, models);
	return narrowed ? ok(narrowed) : fail(notAsked(`none of ${models.join(", ")} may serve`));
}

/** The most that asking a spec can cost, nano-USD: its dearest call once. A failure when none of its models may serve. */
export function boundCall(caller: Caller, spec: Omit<CallSpec, "stage" | "role">): Result<number> {
	const plan = planSpec(caller, { ...spec, stage: "", role: "" });
	if (!plan.ok) return plan;
	const { attempt, selection } = plan.value;
	const worst = selection.failover.map(({ model, effort, maxTokens }) => attempt(model, effort, maxTokens).worstCase);
	return ok(Math.max(...worst.map(({ totalNanoUsd }) => totalNanoUsd)));
}

/** The most that one call of a set can cost. */
function dearestOf({ calls }: CallSet): number {
	return Math.max(...calls.map(({ attempt }) => attempt.worstCase.totalNanoUsd));
}

/** What is said in an answer: a refusal where there is no text. */
function textOf({ content }: ModelAnswer): string {
	return joinedText(content, "text") ?? joinedText(content, "refusal") ?? "";
}

/** A spec on its way: its calls, and its part of the budget. */
interface Begun {
	spec: CallSpec;
	set: CallSet;
	/** On the work's budget. */
	hold: Hold;
	heldNanoUsd: number;
	traced: CallTrace;
}

/** The meter has no open reservation any more, or did not answer. */
const NOT_RESERVED: Failure = { reason: "storage_unavailable", message: "the calls could not be reserved; try again" };

/** Nobody was asked. */
function notAsked(why: string): Failure {
	return { reason: "all_models_failed", attempts: [why], costUsd: 0, retryAfterMs: null };
}

export class Workflow {
	readonly trace: Trace;
	#caller: Caller;
	#run: Run;
	#stop: AbortController;
	#watcher: (event: WorkflowEvent) => void = () => undefined;
	/** Batches are told to the meter one after the other, so that an older one never replaces a newer. */
	#told: Promise<boolean> = Promise.resolve(true);
	#underWay = new Set<Promise<unknown>>();
	#sandbox = false;
	/** The meter could not be told of a batch: nothing is called any more. */
	#isDeaf = false;

	private constructor(caller: Caller, run: Run, trace: Trace, stop: AbortController) {
		this.#caller = caller;
		this.#run = run;
		this.trace = trace;
		this.#stop = stop;
	}

	/** Reserves the bound; nothing is called yet, and a process that dies before the first call has spent nothing. */
	static async open(
		caller: Caller,
		purpose: WorkflowPurpose,
		{ boundNanoUsd, runMs }: WorkflowLimits,
	): Promise<Result<Workflow>> {
		const trace = new Trace();
		const stop = new AbortController();
		const stoppable = { ...caller, signal: AbortSignal.any([caller.signal, stop.signal]) };
		const record = recordOf(caller, { ...purpose, describe: () => purpose.describe(trace) }, boundNanoUsd);
		const run = await Run.reserve(stoppable, record, runMs, (expiresAtMs) =>
			reserveBilledSoFar(record, [], expiresAtMs),
		);
		return run.ok ? ok(new Workflow(stoppable, run.value, trace, stop)) : run;
	}

	/** Tells what happens from now on. */
	watch(watcher: (event: WorkflowEvent) => void): void {
		this.#watcher = watcher;
	}

	/** No further call is made, and those under way are broken off: the client has gone, or somebody said so. */
	get stopped(): boolean {
		return this.#caller.signal.aborted;
	}

	/** Since the request arrived. */
	get latencyMs(): number {
		return this.#run.latencyMs;
	}

	get boundNanoUsd(): number {
		return this.#run.record.boundNanoUsd;
	}

	get spentNanoUsd(): number {
		return totalNanoUsd(this.#run.billed);
	}

	/** What is attested of the models that were called so far; null without a compliance policy. */
	get attestation(): Attestation | null {
		return this.#run.attestation;
	}

	/** Some answer came from the sandbox upstream. */
	get sandbox(): boolean {
		return this.#sandbox;
	}

	get totals(): WorkflowTotals {
		const { billed } = this.#run;
		return {
			promptTokens: billed.reduce((sum, { bill }) => sum + bill.promptTokens, 0),
			completionTokens: billed.reduce((sum, { bill }) => sum + bill.completionTokens, 0),
			costNanoUsd: this.spentNanoUsd,
			estimated: billed.some(({ bill }) => bill.estimated),
		};
	}

	/** Every call that is billed, in the order they ended. */
	get billed(): readonly BilledCall[] {
		return this.#run.billed;
	}

	/** Breaks off what is under way. */
	stop(): void {
		this.#stop.abort();
	}

	async ask(spec: CallSpec): Promise<CallResult> {
		const [asked] = await this.askAll([spec]);
		if (!asked) throw new Error("one answer to one question");
		return asked;
	}

	/**
	 * Asks a batch side by side; the answers come in the order of the specs. May be called again while a batch is under way.
	 * A spec that does not fit into what is left of the bound is not asked.
	 */
	askAll(specs: readonly CallSpec[]): Promise<CallResult[]> {
		const asking = this.#askAll(specs);
		const settled = asking.catch(() => undefined).finally(() => this.#underWay.delete(settled));
		this.#underWay.add(settled);
		return asking;
	}

	async #askAll(specs: readonly CallSpec[]): Promise<CallResult[]> {
		const begun = specs.map((spec) => this.#begin(spec));
		if (begun.some((one) => one.ok) && !(await this.#tell())) {
			for (const one of begun) if (one.ok) this.#abandon(one.value);
			return specs.map(() => this.#unserved(NOT_RESERVED));
		}
		return Promise.all(begun.map((one) => (one.ok ? this.#carryOut(one.value) : one)));
	}

	/** Takes a spec's part of the budget: its dearest call where there is room, else that of the first alone. */
	#begin(spec: CallSpec): { ok: true; value: Begun } | FailedCall {
		if (this.#isDeaf) return this.#unserved(NOT_RESERVED);
		if (this.stopped) return this.#unserved(notAsked("the request was stopped"));
		const plan = planSpec(this.#caller, spec);
		if (!plan.ok) return this.#unserved(plan.failure);
		const set = callsFor(plan.value, this.#caller);
		const { budget } = this.#run;
		const alone = { ...set, calls: [set.calls[0]] as CallSet["calls"] };
		for (const affordable of [set, alone]) {
			const heldNanoUsd = dearestOf(affordable);
			const hold = budget.hold(heldNanoUsd);
			if (!hold) continue;
			if (!this.trace.has(spec.stage)) this.#watcher({ type: "stage_started", stage: spec.stage });
			const traced = this.trace.ask(spec.stage, spec.role);
			traced.underWay = billAtBound(affordable.calls[0], this.#run.record.startedAtMs);
			return ok({ spec, set: affordable, hold, heldNanoUsd, traced });
		}
		return this.#unserved(notAsked(`${set.calls[0].candidate.model.id}: no room in what is left of the bound`), true);
	}

	#unserved(failure: Failure, unaffordable = false): FailedCall {
		return { ok: false, failure, stopped: this.stopped, unaffordable };
	}

	#abandon({ hold, traced }: Begun): void {
		traced.underWay = null;
		hold.release();
	}

	/** Makes it known to the meter what a crash from now on leaves. */
	#tell(): Promise<boolean> {
		const { funds } = this.#caller;
		const { record, billed, expiresAtMs } = this.#run;
		this.#told = this.#told.then(
			(isOpen) =>
				isOpen && funds.extend(reserveBilledSoFar(record, [...billed, ...this.trace.underWay()], expiresAtMs)),
		);
		this.#told = this.#told.then((isTold) => {
			this.#isDeaf ||= !isTold;
			return isTold;
		});
		return this.#told;
	}

	async #carryOut({ spec, set, hold, heldNanoUsd, traced }: Begun): Promise<CallResult> {
		const budget = new Budget(heldNanoUsd);
		const begins = async (call: PlannedCall) => {
			if (traced.underWay?.candidate === call.candidate) return true;
			traced.underWay = billAtBound(call, this.#run.record.startedAtMs);
			return this.#tell();
		};
		const completing = this.#run.complete(set, {
			budget,
			begins,
			ended: (call, { bill, answer, latencyMs }) => {
				traced.ended(call, bill, answer && textOf(answer), latencyMs);
				const { id: model } = call.candidate.model;
				const cost_usd = usd(bill?.cost.totalNanoUsd ?? 0);
				const { stage, role } = spec;
				const ok = answer !== null;
				this.#watcher({ type: "call_finished", stage, role, model, ok, latency_ms: latencyMs, cost_usd });
			},
		});
		const result = await completing.finally(() => {
			traced.underWay = null;
			hold.spend(budget.spentNanoUsd);
		});
		if (!result.ok) return this.#unserved(result.failure);
		const { call, answer, sandbox } = result.served;
		this.#sandbox ||= sandbox;
		const { model, expectation } = call.candidate;
		const { id, provider } = model;
		const rate = (share: number) => traced.rate(share);
		return { ok: true, text: textOf(answer), answer, model: id, provider, quality: expectation.quality, rate };
	}

	/** Waits for calls that nobody waits for any more. */
	async #idle(): Promise<void> {
		while (this.#underWay.size > 0) await Promise.all(this.#underWay);
	}

	/** Seals and stores what came of the work, once; null when that failed: then nothing of it may be delivered as a success. */
	async settle(outcome: Outcome, outputHash: Hash): Promise<SealedReceipt | null> {
		await this.#idle();
		return this.#run.settle(outcome, outputHash);
	}

	/** What is known of work that was settled, for its answer. */
	accounted(receipt: SealedReceipt): SettledWorkflow {
		const { requestId, startedAtMs } = this.#caller;
		const { latencyMs, boundNanoUsd, totals, trace, attestation } = this;
		return { requestId, startedAtMs, latencyMs, boundNanoUsd, totals, trace, receipt, attestation };
	}

	/** A failure with the cost of all calls, those of stages included whose answers served. */
	#withCost(failure: Failure): Failure {
		return failure.reason === "all_models_failed" ? { ...failure, costUsd: usd(this.spentNanoUsd) } : failure;
	}

	/** Accounts for work that gave nothing: what may have been billed is recorded, else the reservation is freed. */
	async fail(failure: Failure): Promise<FailedRun> {
		const clientClosed = this.stopped;
		this.stop();
		await this.#idle();
		return this.#run.fail(this.#isDeaf ? NOT_RESERVED : this.#withCost(failure), clientClosed);
	}
}

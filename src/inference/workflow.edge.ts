// A workflow's calls: batches under one bound that was known before the first call, traced stage by stage. Which calls, and what
// becomes of their answers, is a strategy's, code mode's or an agent's; where the bound is reserved and settled is its owner's.
//
// Crash order. Nothing is sent before its owner has it written down: each batch goes to `beforeSend` first, once a batch. So what
// is recorded of a process that dies is what it was billed, and the worst case of the calls under way, each under its own model;
// with no call under way, nothing. The bound is the whole one from the start.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { usd } from "../proof/money.ts";
import type { TextHash } from "../proof/salted.ts";
import { joinText, type ModelAnswer, type ModelCall, type Warning } from "../providers/model-call.ts";
import type { Observations } from "../routing/observed.ts";
import { inOneTurn, LONG_CHARS } from "../turns/turns.edge.ts";
import type { ExtendOutcome } from "../usage/funds.edge.ts";
import {
	type BilledCall,
	billAtBound,
	callWarnings,
	type InterruptedBilling,
	type PlannedCall,
	totalNanoUsd,
} from "./accounting.ts";
import { Budget, type Hold } from "./budget.ts";
import { CallRunner, callSetFor } from "./call-runner.edge.ts";
import type { PlanContext } from "./caller.edge.ts";
import type { Rating } from "./confidence-basis.ts";
import type { CallSet } from "./failover.ts";
import { leaveHung } from "./hung-calls.edge.ts";
import { answerForm, restoreAnswer } from "./masked-call.ts";
import { observeProviders } from "./observe.edge.ts";
import { type CallOptions, type CallPlan, callChars, narrowTo, planCall } from "./plan.ts";
import { type CallTrace, type StageTimes, Trace } from "./trace.ts";
import type { CallResult, CallSpec, FailedCall, WorkflowEvent, WorkflowTotals } from "./workflow.ts";

/** Plans a call at the prices of the context's moment. */
export function planCallFor(
	{ account, settings, startedAtMs }: PlanContext,
	call: ModelCall,
	options: CallOptions,
	observe: () => Observations = () => observeProviders(settings, account.userId),
): Result<CallPlan> {
	return planCall({ call, options }, account.plan, settings, startedAtMs, observe);
}

/**
 * Plans a spec's call with those of its models that may serve. Its models were chosen earlier: where all of them are passed by since,
 * because their providers do not serve them, they are asked.
 */
function planSpec(context: PlanContext, { call, options, models }: Omit<CallSpec, "stage" | "role">): Result<CallPlan> {
	const observed = observeProviders(context.settings, context.account.userId);
	const { not_served, ...askingAll } = observed;
	for (const observations of not_served ? [observed, askingAll] : [observed]) {
		const plan = planCallFor(context, call, options, () => observations);
		if (!plan.ok) return plan;
		const narrowed = narrowTo(plan.value, models);
		if (narrowed) return ok(narrowed);
	}
	return fail(notCalled(`none of ${models.join(", ")} may serve`));
}

/** The most that asking a spec can cost, nano-USD: its most expensive call once. A failure when none of its models may serve. */
export function boundCall(context: PlanContext, spec: Omit<CallSpec, "stage" | "role">): Result<number> {
	const plan = planSpec(context, spec);
	if (!plan.ok) return plan;
	const { attempt, selection } = plan.value;
	const worst = selection.failover.map(({ model, effort, maxTokens }) => attempt(model, effort, maxTokens).worstCase);
	return ok(Math.max(...worst.map(({ totalNanoUsd }) => totalNanoUsd)));
}

/** The most that one call of a set can cost. */
function maxCallCost({ calls }: CallSet): number {
	return Math.max(...calls.map(({ attempt }) => attempt.worstCase.totalNanoUsd));
}

/** The text of an answer; where there is none, its refusal. */
function answerText({ content }: ModelAnswer): string {
	return joinText(content, "text") ?? joinText(content, "refusal") ?? "";
}

/** A spec's calls and the part of the workflow's budget that is held for them. */
interface HeldSpec {
	spec: CallSpec;
	set: CallSet;
	/** On the workflow's budget. */
	hold: Hold;
	heldNanoUsd: number;
	traced: CallTrace;
}

type HeldResult = { ok: true; value: HeldSpec } | FailedCall;

/** The reservation is not open any more, or the meter did not answer. */
const NOT_RESERVED: Failure = { reason: "storage_unavailable", message: "the calls could not be reserved; try again" };

/** The failure of a spec for which no call was made. */
function notCalled(why: string): Failure {
	return { reason: "all_models_failed", attempts: [why], costUsd: 0, retryAfterMs: null };
}

/** The failure of a call that the others did not wait for. */
function leftBehind({ calls: [{ candidate }] }: CallSet): Failure {
	return notCalled(`${candidate.model.id}: left behind, since enough others had answered`);
}

/** How a workflow makes its calls. */
interface WorkflowOptions {
	/** The worst case of every call that it may make, together. */
	boundNanoUsd: number;
	/** When every call is over, ms since the epoch. */
	endsAtMs: number;
	/** Stops the workflow; left out where only its owner can. */
	signal?: AbortSignal;
	/** How a call that broke off is billed. */
	billInterrupted: InterruptedBilling;
	/** How the trace hashes what models answered. */
	hashText: TextHash;
	/**
	 * Writes down what a crash from now on leaves. `over_budget`: these calls cannot be reserved, so they are not sent. Anything else but
	 * `extended` is a failure: then nothing is sent any more.
	 * @param calls every call that was billed, and those about to be sent or under way at their bounds.
	 */
	beforeSend(calls: readonly BilledCall[]): Promise<ExtendOutcome>;
}

export class Workflow {
	readonly trace: Trace;
	#context: PlanContext;
	#options: WorkflowOptions;
	#calls: CallRunner;
	#stop = new AbortController();
	#signal: AbortSignal;
	#listener: (event: WorkflowEvent) => void = () => undefined;
	/** Batches are written down one after the other, so that an older one never replaces a newer. */
	#written: Promise<ExtendOutcome> = Promise.resolve("extended");
	#underWay = new Set<Promise<unknown>>();
	#sandbox = false;
	/** A batch could not be written down: nothing is called any more. */
	#isUnwritten = false;
	/** The time of the slowest answer so far, ms; null before the first. */
	#slowestMs: number | null = null;

	constructor(context: PlanContext, options: WorkflowOptions) {
		const { boundNanoUsd, endsAtMs, signal, billInterrupted } = options;
		this.#context = context;
		this.#options = options;
		this.trace = new Trace(options.hashText, Date.now);
		this.#signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
		this.#calls = new CallRunner({
			userId: context.account.userId,
			settings: context.settings,
			signal: this.#signal,
			boundNanoUsd,
			arrivedAtMs: context.arrivedAtMs ?? context.startedAtMs,
			endsAtMs,
			billInterrupted,
			tracing: context.tracing,
			noteKey: context.noteKey,
		});
	}

	/** Reports what happens from now on. */
	watch(listener: (event: WorkflowEvent) => void): void {
		this.#listener = listener;
	}

	/** No further call is made, and those under way are broken off: the client has gone, or the owner stopped it. */
	get stopped(): boolean {
		return this.#signal.aborted;
	}

	get boundNanoUsd(): number {
		return this.#options.boundNanoUsd;
	}

	get spentNanoUsd(): number {
		return totalNanoUsd(this.billed);
	}

	/** Every call that is, or may be, billed, in the order they ended. */
	get billed(): readonly BilledCall[] {
		return this.#calls.billed;
	}

	/** How calls differ from what was asked of them; each warning once. */
	get warnings(): Warning[] {
		const all = this.billed
			.flatMap(callWarnings)
			.map((warning): [string, Warning] => [JSON.stringify(warning), warning]);
		return [...new Map(all).values()];
	}

	/** Its stages in time. */
	get stageTimes(): StageTimes[] {
		return this.trace.times();
	}

	/** Every model that was sent a call. */
	get readers(): CallRunner["readers"] {
		return this.#calls.readers;
	}

	/** Every call that was sent. */
	get attempts(): CallRunner["attempts"] {
		return this.#calls.attempts;
	}

	/** Some answer came from the sandbox upstream. */
	get sandbox(): boolean {
		return this.#sandbox;
	}

	get totals(): WorkflowTotals {
		const { billed } = this;
		return {
			promptTokens: billed.reduce((sum, { bill }) => sum + bill.promptTokens, 0),
			completionTokens: billed.reduce((sum, { bill }) => sum + bill.completionTokens, 0),
			costNanoUsd: this.spentNanoUsd,
			estimated: billed.some(({ bill }) => bill.estimated),
		};
	}

	/** Breaks off what is under way. */
	stop(): void {
		this.#stop.abort();
	}

	/** Waits for all calls under way, even those whose answers are not awaited any more. */
	async idle(): Promise<void> {
		while (this.#underWay.size > 0) await Promise.all(this.#underWay);
	}

	/** The failure of the whole workflow: with the cost of all its calls, those included that served; or why it could call no more. */
	toFailure(failure: Failure): Failure {
		if (this.#isUnwritten) return NOT_RESERVED;
		return "costUsd" in failure ? { ...failure, costUsd: usd(this.spentNanoUsd) } : failure;
	}

	async ask(spec: CallSpec): Promise<CallResult> {
		const [result] = await this.askAll([spec]);
		if (!result) throw new Error("one result for one spec");
		return result;
	}

	/**
	 * Asks a batch side by side; the results come in the order of the specs. May be called again while a batch is under way.
	 * A spec that does not fit into what is left of the bound is not asked.
	 */
	askAll(specs: readonly CallSpec[]): Promise<CallResult[]> {
		const asking = this.#askAll(specs);
		const ended = asking.catch(() => undefined).finally(() => this.#underWay.delete(ended));
		this.#underWay.add(ended);
		return asking;
	}

	async #askAll(specs: readonly CallSpec[]): Promise<CallResult[]> {
		const held: HeldResult[] = [];
		for (const spec of specs) {
			const chars = callChars(spec.call);
			held.push(chars < LONG_CHARS ? this.#hold(spec) : await this.#holdInTurn(spec, chars));
		}
		const written = held.some((one) => one.ok) ? await this.#writeDown() : "extended";
		if (written !== "extended") {
			for (const one of held) if (one.ok) this.#release(one.value);
			const isOverBudget = written === "over_budget";
			const failed = this.#failed(isOverBudget ? notCalled("no room in the key's budget") : NOT_RESERVED);
			return specs.map(() => ({ ...failed, unaffordable: isOverBudget }));
		}
		const leave = new AbortController();
		const earlierMs = this.#slowestMs;
		const { callPatiencePercent: patiencePercent } = this.#context.settings;
		const calls = held.map((one) => (one.ok ? this.#complete(one.value, leave.signal) : Promise.resolve(one)));
		if (!specs.every(({ mayBeLeft }) => mayBeLeft)) return Promise.all(calls);
		const expectedMs = held.map((one) => (one.ok ? one.value.set.calls[0].candidate.expectation.latencyMs : 0));
		return leaveHung(calls, { expectedMs, earlierMs, patiencePercent }, () => leave.abort());
	}

	/** Holds a spec's part of the budget. One with a long text waits for its turn: planning it renders it for each of its models. */
	#holdInTurn(spec: CallSpec, chars: number): Promise<HeldResult> {
		const owner = { user: this.#context.account.userId, signal: null };
		return inOneTurn(() => this.#hold(spec), chars, owner);
	}

	/** Holds a spec's part of the budget: its most expensive call where there is room, else its first call without fallbacks. */
	#hold(spec: CallSpec): HeldResult {
		if (this.#isUnwritten) return this.#failed(NOT_RESERVED);
		if (this.stopped) return this.#failed(notCalled("the request was stopped"));
		const plan = planSpec(this.#context, spec);
		if (!plan.ok) return this.#failed(plan.failure);
		const set = callSetFor(plan.value, this.#context);
		const firstOnly: CallSet = { ...set, calls: [set.calls[0]] };
		for (const affordable of [set, firstOnly]) {
			const heldNanoUsd = maxCallCost(affordable);
			const hold = this.#calls.budget.hold(heldNanoUsd);
			if (!hold) continue;
			if (!this.trace.has(spec.stage)) this.#listener({ type: "stage_started", stage: spec.stage });
			const traced = this.trace.begin(spec.stage, spec.role);
			traced.underWay = billAtBound(affordable.calls[0], this.#context.startedAtMs);
			return ok({ spec, set: affordable, hold, heldNanoUsd, traced });
		}
		const why = `${set.calls[0].candidate.model.id}: no room in what is left of the bound`;
		return { ...this.#failed(notCalled(why)), unaffordable: true };
	}

	#failed(failure: Failure): FailedCall {
		return { ok: false, failure, stopped: this.stopped, unaffordable: false };
	}

	#release({ hold, traced }: HeldSpec): void {
		traced.underWay = null;
		hold.release();
	}

	/** Has written down what a crash from now on leaves. */
	#writeDown(): Promise<ExtendOutcome> {
		this.#written = this.#written.then(async (before) => {
			if (this.#isUnwritten) return before;
			const outcome = await this.#options.beforeSend([...this.billed, ...this.trace.underWay()]);
			this.#isUnwritten = outcome !== "extended" && outcome !== "over_budget";
			return outcome;
		});
		return this.#written;
	}

	/** @param signal leaves it behind: its call is broken off, and billed as one. */
	async #complete({ spec, set, hold, heldNanoUsd, traced }: HeldSpec, signal: AbortSignal): Promise<CallResult> {
		const budget = new Budget(heldNanoUsd);
		const askedAtMs = Date.now();
		const completing = this.#calls.complete(set, {
			budget,
			signal,
			beforeSend: async (call) => {
				if (traced.underWay?.candidate === call.candidate) return true;
				traced.underWay = billAtBound(call, this.#context.startedAtMs);
				return (await this.#writeDown()) === "extended";
			},
			ended: (call, { bill, answer, latencyMs }) => {
				const mask = spec.options.gate?.mask ?? null;
				const delivered = answer && restoreAnswer(answer, mask, answerForm(spec.call.output));
				traced.end(call, bill, delivered && answerText(delivered), latencyMs);
				if (this.#context.tracing?.hasContent) traced.written = answer;
				this.#reportCall(spec, call, bill?.cost.totalNanoUsd ?? 0, answer !== null, latencyMs);
			},
		});
		const result = await completing.finally(() => {
			traced.underWay = null;
			hold.spend(budget.spentNanoUsd);
		});
		if (!result.ok) return this.#failed(signal.aborted ? leftBehind(set) : result.failure);
		const { call, answer, sandbox } = result.served;
		this.#sandbox ||= sandbox;
		this.#slowestMs = Math.max(this.#slowestMs ?? 0, Date.now() - askedAtMs);
		const { model, expectation } = call.candidate;
		const { id, provider } = model;
		const rate = (rating: Rating) => traced.rate(rating);
		return { ok: true, text: answerText(answer), answer, model: id, provider, quality: expectation.quality, rate };
	}

	#reportCall(
		{ stage, role }: CallSpec,
		call: PlannedCall,
		costNanoUsd: number,
		ok: boolean,
		latency_ms: number,
	): void {
		const { id: model } = call.candidate.model;
		this.#listener({ type: "call_finished", stage, role, model, ok, latency_ms, cost_usd: usd(costNanoUsd) });
	}
}

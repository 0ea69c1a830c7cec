// A run: model calls under one reservation. It is reserved for before the first call, each call fails over within what is
// left of it, and it is settled and signed once, after the last. One answer needs one call set; strategies and agents make many.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { type Hash, hashText } from "../proof/hash.ts";
import { type Outcome, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { AnswerAccumulator, isDelta, isUnusable, wellFormedAnswer } from "../providers/accumulate.ts";
import { type CallFailure, type Remains, UpstreamLost } from "../providers/call-failure.ts";
import { breakerKeyOf, ProviderHealth } from "../providers/health.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import { type Deadlines, type OpenStream, openStream } from "../providers/upstream.edge.ts";
import { WellFormedParts } from "../providers/well-formed.ts";
import type { StreamPart } from "../providers/wire.ts";
import { reasonsUnseen, timeToFirstTokenMs } from "../routing/effort.ts";
import {
	type Bill,
	type BilledCall,
	billOf,
	billOfBroken,
	fallbackFrom,
	type PlannedCall,
	type Purpose,
	type RunRecord,
	reservationOf,
	writtenDown,
} from "./accounting.ts";
import { Budget, type Hold } from "./budget.ts";
import type { Caller } from "./caller.edge.ts";
import { type CallSet, callSetOf, FailedCalls } from "./failover.ts";
import type { CallPlan } from "./plan.ts";

/** Time between the end of the longest run and the settlement of a reservation that nobody settled. */
const RESERVATION_MARGIN_MS = 10_000;

/** A model that reasons unseen may be silent for so many times its catalog time to the first token. */
const UNSEEN_REASONING_FACTOR = 3;

/** This isolate's view of the providers. */
export const health = new ProviderHealth();

/** A call of a run that has served. */
export interface ServedCall {
	call: BilledCall;
	answer: ModelAnswer;
	/** The answer came from the sandbox upstream. */
	sandbox: boolean;
}

/** A call that has begun to answer. */
export interface AnswerStream {
	call: PlannedCall;
	sandbox: boolean;
	/** One array per piece of the upstream's body, well-formed. Ends early, without throwing, when the upstream breaks off. */
	parts: AsyncIterable<readonly StreamPart[]>;
	/**
	 * To be called once: after the parts, or instead of the rest of them. Stops the upstream and bills the call.
	 * @param clientClosed nobody is there any more to read the rest.
	 */
	finish(clientClosed: boolean): StreamEnd;
}

/** What became of a stream. */
export interface StreamEnd {
	outcome: Outcome;
	/** Why it broke off; null when it did not. */
	lost: UpstreamLost | null;
	/** What was said. */
	answer: ModelAnswer;
	call: BilledCall;
}

/** A run that gave no answer. Its receipt is of what may have been billed; null when nothing was. */
export interface FailedRun {
	ok: false;
	failure: Failure;
	receipt: SealedReceipt | null;
}

/** What a call set comes to: one call served, or none did. */
export type CallSetResult<T> = { ok: true; served: T } | { ok: false; failure: Failure; clientClosed: boolean };

/** What one attempt at a call comes to. */
type Attempted<T> = { kind: "served"; value: T } | CallFailure;
type Attempt<T> = (call: PlannedCall, hold: Hold, sentAtMs: number) => Promise<Attempted<T>>;

/** A stream up to its first delta. */
interface BegunStream {
	stream: OpenStream;
	/** What was read so far. */
	received: StreamPart[][];
	ended: boolean;
}

/** What an exception while reading a stream means. */
function readFailure(error: unknown, remains: Remains, client: AbortSignal): CallFailure {
	if (client.aborted) return { kind: "client_closed", sent: true, remains };
	const lost = error instanceof UpstreamLost ? error : new UpstreamLost("cut");
	// A whole body of no use has its end count; a stream that was cut has none.
	const usage = lost.why === "unusable" ? (remains.answer?.usage ?? null) : null;
	return { kind: "lost", why: lost.why, remains, usage, error: lost.error };
}

function unusable(answer: ModelAnswer): CallFailure {
	const remains = { answer, usageSoFar: answer.usage };
	return { kind: "lost", why: "unusable", remains, usage: answer.usage, error: null };
}

/** Reads a stream up to its first delta: until then another model can take over unseen. */
async function readFirstDelta(
	stream: OpenStream,
	stop: readonly string[],
	client: AbortSignal,
): Promise<Attempted<BegunStream>> {
	const received: StreamPart[][] = [];
	const accumulator = new AnswerAccumulator();
	try {
		for (let next = await stream.parts.next(); !next.done; next = await stream.parts.next()) {
			received.push(next.value);
			for (const part of next.value) accumulator.add(part);
			if (next.value.some(isDelta)) return { kind: "served", value: { stream, received, ended: false } };
		}
	} catch (error) {
		return readFailure(error, { answer: accumulator.answer(), usageSoFar: stream.usageSoFar() }, client);
	}
	const answer = accumulator.answer();
	return isUnusable(answer, stop) ? unusable(answer) : { kind: "served", value: { stream, received, ended: true } };
}

/** Reads a stream to its end. */
async function readWhole(
	stream: OpenStream,
	stop: readonly string[],
	client: AbortSignal,
): Promise<Attempted<ModelAnswer>> {
	const accumulator = new AnswerAccumulator();
	try {
		for await (const parts of stream.parts) for (const part of parts) accumulator.add(part);
	} catch (error) {
		return readFailure(error, { answer: accumulator.answer(), usageSoFar: stream.usageSoFar() }, client);
	}
	const answer = wellFormedAnswer(accumulator.answer());
	return isUnusable(answer, stop) ? unusable(answer) : { kind: "served", value: answer };
}

export class Run {
	readonly record: RunRecord;
	/** Every call that is, or may be, billed, in the order they ended. */
	readonly billed: BilledCall[] = [];
	readonly budget: Budget;
	#caller: Caller;
	#endsAtMs: number;

	private constructor(caller: Caller, record: RunRecord, endsAtMs: number) {
		this.#caller = caller;
		this.record = record;
		this.budget = new Budget(record.boundNanoUsd);
		this.#endsAtMs = endsAtMs;
	}

	/**
	 * Reserves the worst case of all call sets together; nothing is called yet.
	 * @param runMs the longest that all calls together may take.
	 */
	static async open(
		caller: Caller,
		purpose: Purpose,
		sets: readonly [CallSet, ...CallSet[]],
		runMs: number,
	): Promise<Result<Run>> {
		const [{ calls }] = sets;
		const record: RunRecord = {
			requestId: caller.requestId,
			userId: caller.account.userId,
			startedAtMs: caller.startedAtMs,
			catalogVersion: calls[0].plan.catalogVersion,
			purpose,
			boundNanoUsd: sets.reduce((sum, { boundNanoUsd }) => sum + boundNanoUsd, 0),
		};
		const endsAtMs = Date.now() + runMs;
		const reserved = await caller.funds.reserve(reservationOf(record, calls[0], endsAtMs + RESERVATION_MARGIN_MS));
		return reserved.ok ? ok(new Run(caller, record, endsAtMs)) : reserved;
	}

	/** Since the request arrived. */
	get latencyMs(): number {
		return Date.now() - this.record.startedAtMs;
	}

	/** Makes the calls of a set in order until one has given its whole answer. */
	complete(set: CallSet): Promise<CallSetResult<ServedCall>> {
		return this.#withFailover(set, async (call, hold, sentAtMs) => {
			const opened = await this.#open(call);
			if (opened.kind !== "stream") return opened;
			const whole = await readWhole(opened, call.plan.call.stop, this.#caller.signal);
			if (whole.kind !== "served") return whole;
			const answer = whole.value;
			const billed = this.#bill(call, hold, billOf(call, answer.usage, answer, sentAtMs));
			return { kind: "served", value: { call: billed, answer, sandbox: opened.sandbox } };
		});
	}

	/** Makes the calls of a set in order until one has said its first words. */
	stream(set: CallSet): Promise<CallSetResult<AnswerStream>> {
		return this.#withFailover(set, async (call, hold, sentAtMs) => {
			const opened = await this.#open(call);
			if (opened.kind !== "stream") return opened;
			const first = await readFirstDelta(opened, call.plan.call.stop, this.#caller.signal);
			if (first.kind === "served")
				return { kind: "served", value: this.#answerStream(call, hold, first.value, sentAtMs) };
			opened.abort();
			return first;
		});
	}

	/** Makes one upstream call; who has sent a head is well. */
	async #open(call: PlannedCall): Promise<OpenStream | CallFailure> {
		const { wire, request, access } = call.attempt;
		const opened = await openStream(wire, request, this.#deadlines(call), this.#caller.signal);
		if (opened.kind === "stream") health.succeeded(breakerKeyOf(access));
		return opened;
	}

	#answerStream(call: PlannedCall, hold: Hold, begun: BegunStream, sentAtMs: number): AnswerStream {
		const { stream, received, ended } = begun;
		const accumulator = new AnswerAccumulator();
		const wellFormed = new WellFormedParts();
		let lost: UpstreamLost | null = null;
		const deliverable = (parts: readonly StreamPart[]) => {
			const passed = parts.flatMap((part) => wellFormed.pass(part) ?? []);
			for (const part of passed) accumulator.add(part);
			return passed;
		};
		async function* parts() {
			try {
				for (const batch of received) yield deliverable(batch);
				if (!ended) for await (const batch of stream.parts) yield deliverable(batch);
				const rest = wellFormed.end();
				for (const part of rest) accumulator.add(part);
				if (rest.length > 0) yield rest;
			} catch (error) {
				lost = error instanceof UpstreamLost ? error : new UpstreamLost("cut");
			}
		}
		const finish = (clientClosed: boolean): StreamEnd => {
			const outcome: Outcome = clientClosed ? "client_closed" : lost ? "cut" : "complete";
			const answer = accumulator.answer();
			if (outcome === "complete") {
				return { outcome, lost, answer, call: this.#bill(call, hold, billOf(call, answer.usage, answer, sentAtMs)) };
			}
			const remains = { answer, usageSoFar: stream.usageSoFar() };
			stream.abort();
			return { outcome, lost, answer, call: this.#bill(call, hold, this.#billOfBroken(call, remains, sentAtMs)) };
		};
		return { call, sandbox: stream.sandbox, parts: parts(), finish };
	}

	/** An agent's cap must hold whatever a provider charges for a broken call: there it is the bound. */
	#billOfBroken(call: PlannedCall, remains: Remains, sentAtMs: number): Bill {
		if (this.record.purpose.kind === "agent") return billOf(call, null, remains.answer, sentAtMs);
		return billOfBroken(call, remains, sentAtMs);
	}

	#bill(call: PlannedCall, hold: Hold, bill: Bill): BilledCall {
		const billed = { ...call, bill };
		hold.spend(bill.cost.totalNanoUsd);
		this.billed.push(billed);
		return billed;
	}

	/** The bill of a call that did not serve; null when it cost nothing. */
	#billOfFailed(call: PlannedCall, failure: CallFailure, sentAtMs: number): Bill | null {
		// An error status was not generated for, and what was not sent was not read.
		if (failure.kind === "status" || (failure.kind === "client_closed" && !failure.sent)) return null;
		if (failure.kind === "lost" && failure.why === "unusable") {
			return billOf(call, failure.usage, failure.remains.answer, sentAtMs);
		}
		return this.#billOfBroken(call, failure.remains, sentAtMs);
	}

	/** Deadlines of the next upstream call: all calls of a run share its end. */
	#deadlines({ candidate: { model, effort }, attempt: { access } }: PlannedCall): Deadlines {
		const { upstreamTimeoutMs: headMs, upstreamIdleTimeoutMs: idleMs } = this.#caller.settings;
		const unseen = reasonsUnseen(model, access.provider, effort);
		const reasoningMs = unseen ? UNSEEN_REASONING_FACTOR * timeToFirstTokenMs(model, effort) : 0;
		return {
			headMs,
			firstDeltaMs: Math.max(idleMs, reasoningMs),
			idleMs,
			totalMs: Math.max(1, this.#endsAtMs - Date.now()),
		};
	}

	/** Calls in order until one serves. */
	async #withFailover<T>(set: CallSet, attempt: Attempt<T>): Promise<CallSetResult<T>> {
		const failed = new FailedCalls();
		for (const call of set.calls) {
			const tried = await this.#tryTwice(call, failed, set.lastResort, attempt);
			if (tried?.kind === "served") return { ok: true, served: tried.value };
			if (tried?.next === "end" || Date.now() >= this.#endsAtMs) break;
		}
		return { ok: false, failure: failed.failure(), clientClosed: failed.clientClosed };
	}

	/** Tries a call; a model that the request named is tried once more, where that may help, before another stands in. */
	async #tryTwice<T>(call: PlannedCall, failed: FailedCalls, lastResort: boolean, attempt: Attempt<T>) {
		const first = await this.#try(call, failed, lastResort, attempt);
		const { mode, fallbackFrom: insteadOf, failover } = call.plan.selection;
		const isNamed = mode === "direct" && insteadOf === null && call.candidate === failover[0];
		if (!isNamed || first?.kind !== "failed" || first.retryAfterMs === null) return first;
		await this.#pause(first.retryAfterMs);
		return (await this.#try(call, failed, lastResort, attempt)) ?? first;
	}

	/** Waits, less long when the client leaves. */
	async #pause(ms: number): Promise<void> {
		const { signal } = this.#caller;
		if (signal.aborted) return;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(done, ms);
			function done(): void {
				clearTimeout(timer);
				signal.removeEventListener("abort", done);
				resolve();
			}
			signal.addEventListener("abort", done, { once: true });
		});
	}

	/** One try at one call; null when it may not be made: no room in the budget, or nobody is to ask this provider now. */
	async #try<T>(
		planned: PlannedCall,
		failed: FailedCalls,
		lastResort: boolean,
		attempt: Attempt<T>,
	): Promise<{ kind: "served"; value: T } | ({ kind: "failed" } & ReturnType<FailedCalls["add"]>) | null> {
		const { candidate, attempt: exact, plan } = planned;
		const key = breakerKeyOf(exact.access);
		if (!failed.allows(planned)) return null;
		const hold = this.budget.hold(exact.worstCase.totalNanoUsd);
		if (!hold) return null;
		const sentAtMs = Date.now();
		if (lastResort) health.probe(key, sentAtMs);
		else if (!health.acquire(key, sentAtMs)) {
			hold.release();
			return null;
		}
		const intended = plan.selection.failover[0];
		const call = { ...planned, intendedWasAsked: candidate === intended || failed.asked(intended.model.id) };
		this.#logCall(call);
		const result = await attempt(call, hold, sentAtMs);
		if (result.kind === "served") return result;
		const bill = this.#billOfFailed(call, result, sentAtMs);
		if (bill) this.#bill(call, hold, bill);
		else hold.release();
		const consequence = failed.add(call, result, bill?.cost.totalNanoUsd ?? 0);
		const nowMs = Date.now();
		if (consequence.counts) health.failed(key, consequence.operatorsFault, nowMs);
		else health.inconclusive(key);
		if (result.kind === "status" && result.status === 429 && !consequence.operatorsFault)
			health.throttled(key, candidate.model.id, result.retryAfterMs, nowMs);
		return { kind: "failed", ...consequence };
	}

	/** Notes in the log line who is serving. */
	#logCall(call: PlannedCall): void {
		const { model } = call.candidate;
		Object.assign(this.#caller.log, {
			model: model.id,
			provider: model.provider,
			mode: call.plan.selection.mode,
			fallback: fallbackFrom(call) !== null,
		});
	}

	/** Seals and stores usage and receipt of what came of the run, once; null when that failed. */
	async settle(outcome: Outcome, outputHash: Hash): Promise<SealedReceipt | null> {
		const { log, timings, settings, funds } = this.#caller;
		const ending = { outcome, outputHash, atMs: Date.now(), latencyMs: this.latencyMs };
		const { usage, receipt: unsigned } = writtenDown(this.record, this.billed, ending);
		const receipt = await sealReceipt(unsigned, settings.signer);
		Object.assign(log, { outcome, cost_usd: unsigned.cost_usd, estimated: unsigned.estimated });
		const settled = await timings.measure("settle", () => funds.settle({ usage, receipt }));
		return settled ? receipt : null;
	}

	/** Accounts for a run that gave no answer: what may have been billed is recorded, else the reservation is freed. */
	async fail(failure: Failure, clientClosed: boolean): Promise<FailedRun> {
		if (this.billed.length === 0) {
			await this.#caller.funds.release();
			return { ...fail(failure), receipt: null };
		}
		const receipt = await this.settle(clientClosed ? "client_closed" : "cut", hashText(""));
		if (receipt) return { ...fail(failure), receipt };
		return { ...fail({ reason: "receipt_unavailable", requestId: this.record.requestId }), receipt: null };
	}
}

/** Chooses the calls of a plan by what this isolate knows of the providers now. */
export function callsFor(plan: CallPlan, { account }: Pick<Caller, "account">): CallSet {
	return callSetOf(plan, health, account.plan.priority, Date.now());
}

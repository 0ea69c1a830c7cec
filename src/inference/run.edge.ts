// A run: model calls under one reservation. It is reserved for before the first call, each call fails over within what is
// left of it, and it is settled and signed once, after the last. One answer needs one call set; strategies and agents make many.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { type Hash, hashText } from "../proof/hash.ts";
import { type Outcome, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { AnswerAccumulator, isEmptyAnswer } from "../providers/accumulate.ts";
import { Breakers } from "../providers/breaker.ts";
import { type CallFailure, UpstreamLost } from "../providers/call-failure.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import { callUpstream, type Deadlines, type OpenStream, openStream } from "../providers/upstream.edge.ts";
import { WellFormedParts } from "../providers/well-formed.ts";
import type { StreamPart } from "../providers/wire.ts";
import {
	type BilledCall,
	billOf,
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

/** This isolate's view of the providers. */
export const breakers = new Breakers();

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

/** What a call set comes to: one call served, or none did. */
export type CallSetResult<T> = { ok: true; served: T } | { ok: false; failure: Failure; clientClosed: boolean };

/** What one attempt at a call comes to. */
type Attempted<T> = { kind: "served"; value: T } | CallFailure;

function isDelta({ type }: StreamPart): boolean {
	return type === "text" || type === "reasoning" || type === "refusal" || type === "tool_call";
}

/** A stream up to its first delta. */
interface BegunStream {
	stream: OpenStream;
	/** What was read so far. */
	received: StreamPart[][];
	ended: boolean;
}

/** Reads a stream up to its first delta: until then another model can take over unseen. */
async function readFirstDelta(stream: OpenStream, client: AbortSignal): Promise<Attempted<BegunStream>> {
	const received: StreamPart[][] = [];
	const accumulator = new AnswerAccumulator();
	try {
		for (let next = await stream.parts.next(); !next.done; next = await stream.parts.next()) {
			received.push(next.value);
			for (const part of next.value) accumulator.add(part);
			if (next.value.some(isDelta)) return { kind: "served", value: { stream, received, ended: false } };
		}
	} catch (error) {
		if (client.aborted) return { kind: "client_closed" };
		const lost = error instanceof UpstreamLost ? error : new UpstreamLost("cut");
		return { kind: "lost", why: lost.why, usage: accumulator.usage, error: lost.error };
	}
	if (!isEmptyAnswer(accumulator.answer())) return { kind: "served", value: { stream, received, ended: true } };
	return { kind: "lost", why: "unusable", usage: accumulator.usage, error: null };
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
			const { wire, request } = call.attempt;
			const result = await callUpstream(wire, request, this.#deadlines(), this.#caller.signal);
			if (result.kind !== "answer") return result;
			const { answer, sandbox } = result;
			const billed = this.#bill(call, hold, answer.usage, answer, sentAtMs);
			return { kind: "served", value: { call: billed, answer, sandbox } };
		});
	}

	/** Makes the calls of a set in order until one has said its first words. */
	stream(set: CallSet): Promise<CallSetResult<AnswerStream>> {
		return this.#withFailover(set, async (call, hold, sentAtMs) => {
			const { wire, request } = call.attempt;
			const opened = await openStream(wire, request, this.#deadlines(), this.#caller.signal);
			if (opened.kind !== "stream") return opened;
			const first = await readFirstDelta(opened, this.#caller.signal);
			if (first.kind === "served")
				return { kind: "served", value: this.#answerStream(call, hold, first.value, sentAtMs) };
			opened.abort();
			return first;
		});
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
			if (outcome !== "complete") stream.abort();
			if (outcome === "cut") breakers.failed(call.candidate.model.provider, false, Date.now());
			const answer = accumulator.answer();
			// What a stream reported before it broke off is not all it will be billed for.
			const usage = outcome === "complete" ? answer.usage : null;
			return { outcome, lost, answer, call: this.#bill(call, hold, usage, answer, sentAtMs) };
		};
		return { call, sandbox: stream.sandbox, parts: parts(), finish };
	}

	#bill(
		call: PlannedCall,
		hold: Hold,
		usage: ModelAnswer["usage"],
		delivered: ModelAnswer | null,
		sentAtMs: number,
	): BilledCall {
		const billed = { ...call, bill: billOf(call, usage, delivered, sentAtMs) };
		hold.spend(billed.bill.cost.totalNanoUsd);
		this.billed.push(billed);
		return billed;
	}

	/** Deadlines of the next upstream call: all calls of a run share its end. */
	#deadlines(): Deadlines {
		const { upstreamTimeoutMs, upstreamIdleTimeoutMs } = this.#caller.settings;
		const totalMs = Math.max(1, this.#endsAtMs - Date.now());
		return { firstByteMs: upstreamTimeoutMs, idleMs: upstreamIdleTimeoutMs, totalMs };
	}

	/** Calls in order until one serves. A call that finds no room in the budget, or whose provider is shunned, is passed over. */
	async #withFailover<T>(
		{ calls }: CallSet,
		attempt: (call: PlannedCall, hold: Hold, sentAtMs: number) => Promise<Attempted<T>>,
	): Promise<CallSetResult<T>> {
		const failed = new FailedCalls();
		for (const call of calls) {
			const hold = failed.allows(call) ? this.budget.hold(call.attempt.worstCase.totalNanoUsd) : null;
			if (!hold) continue;
			this.#logCall(call);
			const { provider } = call.candidate.model;
			const sentAtMs = Date.now();
			breakers.called(provider, sentAtMs);
			const result = await attempt(call, hold, sentAtMs);
			if (result.kind === "served") {
				breakers.succeeded(provider);
				return { ok: true, served: result.value };
			}
			// An error status was not billed; whatever else became of the call may have been.
			const usage = result.kind === "lost" ? result.usage : null;
			const billed = result.kind === "status" ? null : this.#bill(call, hold, usage, null, sentAtMs);
			if (!billed) hold.release();
			const consequence = failed.add(call, result, billed?.bill.cost.totalNanoUsd ?? 0);
			if (consequence.counts) breakers.failed(provider, consequence.operatorsFault, Date.now());
			if (consequence.next === "end" || Date.now() >= this.#endsAtMs) break;
		}
		return { ok: false, failure: failed.failure(), clientClosed: failed.clientClosed };
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
	async fail(failure: Failure, clientClosed: boolean): Promise<{ ok: false; failure: Failure }> {
		if (this.billed.length === 0) {
			await this.#caller.funds.release();
			return fail(failure);
		}
		const receipt = await this.settle(clientClosed ? "client_closed" : "cut", hashText(""));
		return fail(receipt ? failure : { reason: "receipt_unavailable", requestId: this.record.requestId });
	}
}

/** Chooses the calls of a plan by what this isolate knows of the providers now. */
export function callsFor(plan: CallPlan): CallSet {
	return callSetOf(plan, breakers, Date.now());
}

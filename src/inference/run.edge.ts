// A run: model calls under one reservation. It is reserved for before the first call, each call fails over within what is
// left of it, and it is settled and signed once, after the last. One answer needs one call set; strategies and agents make many.

import type { Model } from "../catalog/schema.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Reservation } from "../meter/settlement.ts";
import { type Hash, hashText } from "../proof/hash.ts";
import { type Attestation, type Outcome, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { type CallFailure, UpstreamInterrupted } from "../providers/call-failure.ts";
import { breakerKey, type Permit, ProviderHealth } from "../providers/health.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import { type Deadlines, openUpstreamStream, type UpstreamStream } from "../providers/upstream.edge.ts";
import type { StreamPart } from "../providers/wire.ts";
import { reasonsUnseen, timeToFirstTokenMs } from "../routing/effort.ts";
import {
	type Bill,
	type BilledCall,
	billCall,
	billFailedCall,
	billInterruptedCall,
	billInterruptedCallAtBound,
	fallbackFrom,
	type PlannedCall,
	type RequestPurpose,
	type RequestRecord,
	reserveWholeBound,
	toUsageAndReceipt,
} from "./accounting.ts";
import { Budget, type Hold } from "./budget.ts";
import type { Caller } from "./caller.edge.ts";
import { type CallSet, type Consequence, FailedCalls, isNamed, shortenToAfford, toCallSet } from "./failover.ts";
import type { CallPlan } from "./plan.ts";
import { type AttemptResult, type PrimedStream, readFirstDelta, readWhole, StreamRelay } from "./read-stream.ts";
import { Turns } from "./turns.ts";

/** Time between the end of the longest run and the settlement of a reservation that nobody settled. */
const RESERVATION_MARGIN_MS = 10_000;

/** Upstream calls of one run that wait for their response head at once: a Worker has six connections for that. */
const MAX_WAITING_FOR_HEADS = 6;

/** A model that reasons unseen may be silent for so many times its catalog time to the first token. */
const UNSEEN_REASONING_FACTOR = 3;

/** This isolate's view of the providers. */
export const health = new ProviderHealth();

/** What a run on its way is written down from. */
export function recordOf(caller: Caller, purpose: RequestPurpose, boundNanoUsd: number): RequestRecord {
	return {
		requestId: caller.requestId,
		userId: caller.account.userId,
		startedAtMs: caller.startedAtMs,
		catalogVersion: caller.settings.catalog.version,
		purpose,
		boundNanoUsd,
	};
}

function openSinceMs({ attempt }: PlannedCall): number {
	return health.openSinceMs(breakerKey(attempt.access));
}

/** A call of a run that has served. */
export interface ServedCall {
	call: BilledCall;
	answer: ModelAnswer;
	/** The answer came from the sandbox upstream. */
	sandbox: boolean;
}

/** A call that has begun to answer. */
export interface CallStream {
	call: PlannedCall;
	sandbox: boolean;
	/** One array per piece of the upstream's body, well-formed. Ends early, without throwing, when the upstream breaks off. */
	parts: AsyncIterable<readonly StreamPart[]>;
	/** Aborts when a deadline passes, even while nobody reads. */
	over: AbortSignal;
	/**
	 * To be called once: after the parts, or instead of the rest of them. Stops the upstream and bills the call.
	 * @param clientClosed nobody is there any more to read the rest.
	 */
	finish(clientClosed: boolean): CallStreamEnd;
}

/** What became of a stream. */
export interface CallStreamEnd {
	outcome: Outcome;
	/** Why there is no more of it; null when it is whole. */
	lost: UpstreamInterrupted | null;
	/** What was handed on. */
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

/** What became of one call that was made. */
export interface EndedCall {
	/** Null when it cost nothing. */
	bill: Bill | null;
	/** Null when it gave none. */
	answer: ModelAnswer | null;
	latencyMs: number;
}

/** Who follows the calls of a set, for a run that has several under way. */
export interface CallWatch {
	/** What the set may spend: its own part of the run's budget, held there. */
	budget: Budget;
	/** Before a call is sent; false keeps it from being made. */
	begins(call: PlannedCall): Promise<boolean>;
	/** At once when a call has ended, in the same turn as it is billed. */
	ended(call: PlannedCall, ended: EndedCall): void;
}

/** Makes a call that was held for, and bills it if it serves. */
type Attempt<T> = (call: PlannedCall, hold: Hold, permit: Permit, sentAtMs: number) => Promise<AttemptResult<T>>;

/** What one try at a call comes to. */
type Tried<T> =
	| { kind: "served"; value: T }
	| { kind: "failed"; consequence: Consequence; costNanoUsd: number }
	/** The provider is shut off. */
	| { kind: "shut_off" }
	/** No time, no money, or the provider has failed this request in a way that another call will not cure. */
	| { kind: "not_made" };

export class Run {
	readonly record: RequestRecord;
	/** Every call that is, or may be, billed, in the order they ended. */
	readonly billed: BilledCall[] = [];
	readonly budget: Budget;
	/** Every model that was sent a call: also where the connection broke, most of the text may have arrived. */
	readonly #readers = new Set<Model>();
	#caller: Caller;
	#endsAtMs: number;
	#heads = new Turns(MAX_WAITING_FOR_HEADS);

	private constructor(caller: Caller, record: RequestRecord, endsAtMs: number) {
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
		purpose: RequestPurpose,
		sets: readonly [CallSet, ...CallSet[]],
		runMs: number,
	): Promise<Result<Run>> {
		const [{ calls }] = sets;
		const boundNanoUsd = sets.reduce((sum, set) => sum + set.boundNanoUsd, 0);
		const record = recordOf(caller, purpose, boundNanoUsd);
		return Run.reserve(caller, record, runMs, (expiresAtMs) => reserveWholeBound(record, calls[0], expiresAtMs));
	}

	/**
	 * Reserves for a run whose calls are not all known yet.
	 * @param reservation what is recorded at `expiresAtMs` if nobody settles the run.
	 */
	static async reserve(
		caller: Caller,
		record: RequestRecord,
		runMs: number,
		reservation: (expiresAtMs: number) => Reservation,
	): Promise<Result<Run>> {
		const run = new Run(caller, record, Date.now() + runMs);
		const reserved = await caller.funds.reserve(reservation(run.expiresAtMs));
		return reserved.ok ? ok(run) : reserved;
	}

	/** When the meter settles the run if nobody has. */
	get expiresAtMs(): number {
		return this.#endsAtMs + RESERVATION_MARGIN_MS;
	}

	/** Since the request arrived. */
	get latencyMs(): number {
		return Date.now() - this.record.startedAtMs;
	}

	/** What is attested of the models that were called so far; null without a compliance policy. */
	get attestation(): Attestation | null {
		return this.record.purpose.gate?.attest(this.#readers) ?? null;
	}

	/** Makes the calls of a set in order until one has given its whole answer; sets may be completed side by side. */
	complete(set: CallSet, watch?: CallWatch): Promise<CallSetResult<ServedCall>> {
		const attempt: Attempt<ServedCall> = async (call, hold, permit, sentAtMs) => {
			const opened = await this.#open(call, permit);
			if (opened.kind !== "stream") return opened;
			const whole = await readWhole(opened, call.plan.call.stop, this.#caller.signal);
			if (whole.kind !== "served") return whole;
			const answer = whole.value;
			const billed = this.#bill(call, hold, billCall(call, answer.usage, answer, sentAtMs));
			watch?.ended(call, { bill: billed.bill, answer, latencyMs: Date.now() - sentAtMs });
			return { kind: "served", value: { call: billed, answer, sandbox: opened.sandbox } };
		};
		return this.#withFailover(set, attempt, watch);
	}

	/** Makes the calls of a set in order until one has said its first words. */
	stream(set: CallSet): Promise<CallSetResult<CallStream>> {
		return this.#withFailover(set, async (call, hold, permit, sentAtMs) => {
			const opened = await this.#open(call, permit);
			if (opened.kind !== "stream") return opened;
			const first = await readFirstDelta(opened, call.plan.call.stop, this.#caller.signal);
			if (first.kind !== "served") return first;
			return { kind: "served", value: this.#answerStream(call, hold, first.value, sentAtMs) };
		});
	}

	/** Makes one upstream call; who has sent a head is well. */
	async #open(call: PlannedCall, permit: Permit): Promise<UpstreamStream | CallFailure> {
		const { wire, request } = call.attempt;
		const opened = await this.#heads.take(() =>
			openUpstreamStream(wire, request, this.#deadlines(call), this.#caller.signal),
		);
		if (opened.kind === "stream") permit.succeeded();
		return opened;
	}

	#answerStream(call: PlannedCall, hold: Hold, begun: PrimedStream, sentAtMs: number): CallStream {
		const { stream } = begun;
		const relay = new StreamRelay(begun);
		const finish = (clientClosed: boolean): CallStreamEnd => {
			const answer = relay.answer();
			const bill = relay.isWhole
				? billCall(call, answer.usage, answer, sentAtMs)
				: this.#billOfBroken(call, relay.remains(), sentAtMs);
			stream.abort();
			const outcome = clientClosed ? "client_closed" : relay.isWhole ? "complete" : "cut";
			const lost = relay.isWhole ? null : (relay.lost ?? new UpstreamInterrupted("cut"));
			return { outcome, lost, answer, call: this.#bill(call, hold, bill) };
		};
		return { call, sandbox: stream.sandbox, parts: relay.parts(), over: stream.over, finish };
	}

	/** An agent's cap must hold whatever a provider charges for a broken call. */
	get #billOfBroken(): typeof billInterruptedCall {
		return this.record.purpose.kind === "agent" ? billInterruptedCallAtBound : billInterruptedCall;
	}

	#bill(call: PlannedCall, hold: Hold, bill: Bill): BilledCall {
		const billed = { ...call, bill };
		hold.spend(bill.cost.totalNanoUsd);
		this.billed.push(billed);
		return billed;
	}

	/** Deadlines of the next upstream call: all calls of a run share its end. */
	#deadlines({ candidate: { model, effort }, attempt: { access } }: PlannedCall): Deadlines {
		const { upstreamTimeoutMs: headMs, upstreamIdleTimeoutMs: idleMs } = this.#caller.settings;
		const unseen = reasonsUnseen(model, access.provider, effort);
		const reasoningMs = unseen ? UNSEEN_REASONING_FACTOR * timeToFirstTokenMs(model, effort) : 0;
		return { headMs, firstDeltaMs: Math.max(idleMs, reasoningMs), idleMs, endsAtMs: this.#endsAtMs };
	}

	/** Calls in order until one serves. */
	async #withFailover<T>(set: CallSet, attempt: Attempt<T>, watch?: CallWatch): Promise<CallSetResult<T>> {
		const failed = new FailedCalls();
		const shutOff: PlannedCall[] = [];
		for (const [place, call] of set.calls.entries()) {
			const tried = await this.#tryTwice(call, set.calls[place + 1], failed, attempt, watch);
			if (tried.kind === "served") return { ok: true, served: tried.value };
			if (tried.kind === "shut_off") shutOff.push(call);
			if (tried.kind === "failed" && tried.consequence.next === "end") break;
		}
		const [longestShutOff] = shutOff.toSorted((a, b) => openSinceMs(a) - openSinceMs(b));
		if (!failed.any && longestShutOff) {
			const tried = await this.#try(longestShutOff, failed, attempt, watch, true);
			if (tried.kind === "served") return { ok: true, served: tried.value };
		}
		return { ok: false, failure: failed.failure(), clientClosed: failed.clientClosed };
	}

	/**
	 * Tries a call; a model that the request named is tried once more, where that may help, before another stands in.
	 * @param next the stand-in, which must be left room for if the second try ends like the first.
	 */
	async #tryTwice<T>(
		call: PlannedCall,
		next: PlannedCall | undefined,
		failed: FailedCalls,
		attempt: Attempt<T>,
		watch: CallWatch | undefined,
	): Promise<Tried<T>> {
		const first = await this.#try(call, failed, attempt, watch);
		if (!isNamed(call) || first.kind !== "failed" || first.consequence.retryAfterMs === null) return first;
		const { freeNanoUsd } = watch?.budget ?? this.budget;
		const roomNanoUsd = freeNanoUsd - first.costNanoUsd;
		if (next && !shortenToAfford(next, roomNanoUsd)) return first;
		await this.#pause(first.consequence.retryAfterMs);
		const second = await this.#try(call, failed, attempt, watch);
		return second.kind === "served" || second.kind === "failed" ? second : first;
	}

	/** Waits, less long when the client leaves. */
	async #pause(ms: number): Promise<void> {
		const { signal } = this.#caller;
		if (signal.aborted) return;
		await new Promise<void>((resolve) => {
			const done = () => {
				clearTimeout(timer);
				signal.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, ms);
			signal.addEventListener("abort", done);
		});
	}

	/** @param isForced calls a provider that is shut off all the same. */
	async #try<T>(
		intact: PlannedCall,
		failed: FailedCalls,
		attempt: Attempt<T>,
		watch: CallWatch | undefined,
		isForced = false,
	): Promise<Tried<T>> {
		const askedAtMs = Date.now();
		if (askedAtMs >= this.#endsAtMs || !failed.allows(intact)) return { kind: "not_made" };
		const budget = watch?.budget ?? this.budget;
		const planned = shortenToAfford(intact, budget.freeNanoUsd);
		const hold = planned && budget.hold(planned.attempt.worstCase.totalNanoUsd);
		if (!planned || !hold) return { kind: "not_made" };
		const { candidate, attempt: exact, plan } = planned;
		const key = breakerKey(exact.access);
		const permit = isForced ? health.force(key, askedAtMs) : health.acquire(key, askedAtMs);
		if (!permit) {
			hold.release();
			return { kind: "shut_off" };
		}
		const intended = plan.selection.failover[0].model;
		const call = { ...planned, intendedWasAsked: candidate.model === intended || failed.asked(intended.id) };
		const unused = (error: unknown) => {
			permit.inconclusive();
			throw error;
		};
		if (watch && !(await watch.begins(call).catch(unused))) {
			hold.release();
			permit.inconclusive();
			return { kind: "not_made" };
		}
		if (!watch) this.#logCall(call);
		this.#readers.add(candidate.model);
		const sentAtMs = Date.now();
		const result = await attempt(call, hold, permit, sentAtMs).catch(unused);
		if (result.kind === "served") return result;
		const bill = billFailedCall(call, result, sentAtMs, this.#billOfBroken);
		if (bill) this.#bill(call, hold, bill);
		else hold.release();
		watch?.ended(call, { bill, answer: null, latencyMs: Date.now() - sentAtMs });
		const costNanoUsd = bill?.cost.totalNanoUsd ?? 0;
		const consequence = failed.add(call, result, costNanoUsd);
		const endedAtMs = Date.now();
		if (consequence.counts) permit.failed(consequence.operatorsFault, endedAtMs);
		else permit.inconclusive();
		if (result.kind === "status" && result.status === 429 && !consequence.operatorsFault)
			health.throttled(key, candidate.model.id, result.retryAfterMs, endedAtMs);
		return { kind: "failed", consequence, costNanoUsd };
	}

	/** Notes in the log line who is serving; of calls side by side none is, and the line has what is settled. */
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
		const ending = { outcome, outputHash, atMs: Date.now(), latencyMs: this.latencyMs, readers: this.#readers };
		const { usage, receipt: unsigned } = toUsageAndReceipt(this.record, this.billed, ending);
		const receipt = await sealReceipt(unsigned, settings.signer);
		const { model, provider, mode, fallback } = usage;
		const { cost_usd, estimated } = unsigned;
		Object.assign(log, { model, provider, mode, fallback, outcome, cost_usd, estimated });
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
	return toCallSet(plan, health, account.plan.priority, Date.now());
}

// Makes the calls of call sets within one bound: each is held for, fails over to the next of its set, feeds the breakers and is
// billed. Reservation, settlement and receipts are settlement.edge.ts's.

import { outputTokens } from "../catalog/price.ts";
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Model } from "../catalog/schema.ts";
import type { Failure } from "../failure.ts";
import { logWarning } from "../http/log.edge.ts";
import type { Outcome } from "../proof/receipt.ts";
import { sendAuthorized } from "../providers/authorize.edge.ts";
import type { Permit } from "../providers/breaker.ts";
import { type CallFailure, type PartialAnswer, UpstreamInterrupted } from "../providers/call-failure.ts";
import { breakerKey } from "../providers/health.ts";
import { health } from "../providers/isolate-health.edge.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import { callId, hasSeveralKeys, keyId, modelKeys, rankKeys } from "../providers/model-keys.ts";
import { UNSERVED_MS } from "../providers/unserved-models.ts";
import { type Deadlines, openUpstreamStream, type UpstreamStream } from "../providers/upstream.edge.ts";
import type { StreamPart } from "../providers/wire.ts";
import { answerTimeMs, reasonsHidden, timeToFirstTokenMs } from "../routing/effort.ts";
import type { Settings } from "../settings.ts";
import type { ProviderKeyState } from "../telemetry/metric-store.edge.ts";
import type { CallTracing } from "../telemetry/request-trace.edge.ts";
import {
	type Bill,
	type BilledCall,
	billCall,
	billFailedCall,
	type InterruptedBilling,
	type KeyedCall,
	type PlannedCall,
} from "./accounting.ts";
import { AttemptLog, type OpenAttempt } from "./attempt-log.ts";
import { Budget, type Hold } from "./budget.ts";
import { promptMark, userMark } from "./call-marks.ts";
import type { PlanContext } from "./caller.edge.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { toConversationKey } from "./conversations.ts";
import {
	type CallSet,
	type Consequence,
	callIdOf,
	FailedCalls,
	isNamed,
	MAX_CALLS,
	shortenToAfford,
	toCallSet,
} from "./failover.ts";
import { roundWaitUp } from "./observe.edge.ts";
import type { CallPlan } from "./plan.ts";
import { type AttemptResult, readFirstDelta, readWhole, type StreamRelay } from "./read-stream.ts";

/** Upstream calls of one runner that wait for their response head at once: a Worker has six connections for that. */
const MAX_WAITING_FOR_HEADS = 6;

/** A model that reasons unseen may be silent for this many times its catalog time to the first token. */
const UNSEEN_REASONING_FACTOR = 3;

function outForMs({ attempt, candidate }: PlannedCall): number {
	return health.outForMs(attempt.access, candidate.model, Date.now());
}

function calledModel({ attempt, candidate }: PlannedCall): { provider: string; model: string } {
	return { provider: breakerKey(attempt.access), model: candidate.model.id };
}

/** So long a key is left alone whose balance or quota is used up, and one that may not use a model. */
const NO_BALANCE_MS = 3_600_000;
const NOT_PERMITTED_MS = 600_000;

/** What of one of several keys was refused, and for how long it is left alone: a wrong key until it is another one. */
function toKeyRefusal(call: KeyedCall, status: number | null): { id: string; waitMs: number } {
	if (status === 403) return { id: callIdOf(call), waitMs: NOT_PERMITTED_MS };
	const waitMs = status === 401 ? Number.POSITIVE_INFINITY : NO_BALANCE_MS;
	return { id: keyId(call.attempt.access, call.key), waitMs };
}

/** Notes when keys that a set's models have several of may be served again. */
function noteKeys({ calls }: CallSet, failed: FailedCalls): void {
	for (const { attempt, candidate } of calls) {
		if (!hasSeveralKeys(attempt.access)) continue;
		const { throttledMs, refusedMs } = health.modelState(attempt.access, candidate.model, Date.now());
		if (throttledMs > 0) failed.addWait(roundWaitUp(throttledMs));
		if (refusedMs === 0) failed.noteKeyLeft();
	}
}

/** Compares the waits of two keys, the worst reason first. */
function compareWaits(a: readonly number[], b: readonly number[]): number {
	const place = a.findIndex((wait, index) => wait !== b[index]);
	if (place < 0) return 0;
	return (a[place] ?? 0) < (b[place] ?? 0) ? -1 : 1;
}

/** A call that gave its whole answer. */
export interface ServedCall {
	call: BilledCall;
	answer: ModelAnswer;
	/** The answer came from the sandbox upstream. */
	sandbox: boolean;
}

/** A call that has begun to answer. */
export interface CallStream {
	call: KeyedCall;
	sandbox: boolean;
	/** One array per piece of the upstream's body, well-formed. Ends early, without throwing, when the upstream breaks off. */
	parts: AsyncIterable<readonly StreamPart[]>;
	/** Aborts when a deadline passes, even while nothing is read. */
	over: AbortSignal;
	/**
	 * To be called once: after the parts, or instead of the rest of them. Stops the upstream and bills the call.
	 * @param clientClosed the client has gone and will not read the rest.
	 */
	finish(clientClosed: boolean): CallStreamEnd;
}

/** How a call stream ended. */
export interface CallStreamEnd {
	outcome: Outcome;
	/** Why the answer is not whole; null when it is. */
	lost: UpstreamInterrupted | null;
	/** What was delivered. */
	answer: ModelAnswer;
	call: BilledCall;
}

/** One call of a set served, or none did. */
type CallSetResult<T> = { ok: true; served: T } | { ok: false; failure: Failure; clientClosed: boolean };

/** How one call ended. */
interface EndedCall {
	/** Null when it cost nothing. */
	bill: Bill | null;
	/** Null when it gave none. */
	answer: ModelAnswer | null;
	latencyMs: number;
}

/** Follows the calls of one set, where several sets are under way. */
interface CallWatch {
	/** The set's own part of the runner's budget, held there. */
	budget: Budget;
	/** Breaks off the calls of this set. */
	signal?: AbortSignal;
	/** Before a call is sent; false keeps it from being sent. */
	beforeSend(call: PlannedCall): Promise<boolean>;
	/** When a call has ended, in the same turn as it is billed. */
	ended(call: PlannedCall, ended: EndedCall): void;
}

/** Makes a call that was held for, and bills it if it serves. */
type Attempt<T> = (call: KeyedCall, hold: Hold, permit: Permit, sent: SentCall) => Promise<AttemptResult<T>>;

/** A call that was sent. */
interface SentCall {
	sentAtMs: number;
	/** Where it is noted. */
	noted: OpenAttempt;
}

/** What the tries of one set share. */
interface SetTries<T> {
	failed: FailedCalls;
	attempt: Attempt<T>;
	watch: CallWatch | undefined;
}

/** The outcome of one try at a call. */
type TryResult<T> =
	| { kind: "served"; value: T }
	| { kind: "failed"; consequence: Consequence; costNanoUsd: number }
	/** The provider's breaker is open. */
	| { kind: "shut_off" }
	/** No time, no money, or the provider has failed this request in a way that another call will not cure. */
	| { kind: "not_made" };

/** How a stream that has begun broke off; null when it did not. */
function toStreamFailure(
	lost: UpstreamInterrupted | null,
	clientClosed: boolean,
	partial: PartialAnswer,
): CallFailure | null {
	if (clientClosed) return { kind: "client_closed", sent: true, partial };
	return lost && { kind: "lost", why: lost.why, sent: true, partial, error: lost.error };
}

/** How a runner makes its calls. */
interface CallRunnerOptions {
	/** Whose calls they are. */
	userId: string;
	settings: Pick<Settings, "upstreamTimeoutMs" | "upstreamIdleTimeoutMs">;
	/** Breaks off every call under way. */
	signal: AbortSignal;
	/** The most that all calls together may cost. */
	boundNanoUsd: number;
	/** When the request arrived, ms since the epoch. */
	arrivedAtMs: number;
	/** When every call is over, ms since the epoch. */
	endsAtMs: number;
	/** How a call that broke off is billed. */
	billInterrupted: InterruptedBilling;
	/** Puts the calls into their request's trace. */
	tracing?: CallTracing | undefined;
	/** Told in which states the keys of providers are found. */
	noteKey?: ((state: ProviderKeyState) => void) | undefined;
	/** Told of each call of an unwatched set when it is sent. */
	onSend?(call: KeyedCall): void;
}

export class CallRunner {
	/** Every call that is, or may be, billed, in the order they ended. */
	readonly billed: BilledCall[] = [];
	readonly budget: Budget;
	/** Every call that was sent. */
	readonly attempts: AttemptLog;
	#readers = new Set<Model>();
	#options: CallRunnerOptions;
	readonly #user: string;
	#heads = new ConcurrencyLimit(MAX_WAITING_FOR_HEADS);

	constructor(options: CallRunnerOptions) {
		this.#options = options;
		this.#user = userMark(options.userId);
		this.budget = new Budget(options.boundNanoUsd);
		this.attempts = new AttemptLog(options.arrivedAtMs);
	}

	/** Every model that was sent a call: even where the connection broke, most of the text may have arrived. */
	get readers(): ReadonlySet<Model> {
		return this.#readers;
	}

	/** Notes how long an answer took, or its first words. The time of the sandbox upstream says nothing about a provider. */
	#noteAnswer(
		call: PlannedCall,
		sentAtMs: number,
		expectedMs: number,
		{ sandbox }: Pick<UpstreamStream, "sandbox">,
	): void {
		const nowMs = Date.now();
		const tookMs = sandbox ? 0 : nowMs - sentAtMs;
		health.recent.noteAnswer(calledModel(call), this.#user, tookMs, expectedMs, nowMs);
	}

	/** Makes the calls of a set in order until one has given its whole answer; sets may be completed side by side. */
	complete(set: CallSet, watch?: CallWatch): Promise<CallSetResult<ServedCall>> {
		const signal = watch?.signal ? AbortSignal.any([this.#options.signal, watch.signal]) : this.#options.signal;
		const attempt: Attempt<ServedCall> = async (call, hold, permit, { sentAtMs, noted }) => {
			const opened = await this.#open(call, permit, signal, noted);
			if (opened.kind !== "stream") return opened;
			const whole = await readWhole(opened, call.plan.call.stop, signal, () => noted.noteFirstToken(Date.now()));
			if (whole.kind !== "served") return whole;
			noted.end(null, Date.now());
			const answer = whole.value;
			const { model, effort } = call.candidate;
			this.#noteAnswer(
				call,
				sentAtMs,
				answerTimeMs(model, effort, answer.usage ? outputTokens(answer.usage) : 0),
				opened,
			);
			const billed = this.#bill(call, hold, billCall(call, answer.usage, answer, sentAtMs));
			watch?.ended(call, { bill: billed.bill, answer, latencyMs: Date.now() - sentAtMs });
			return { kind: "served", value: { call: billed, answer, sandbox: opened.sandbox } };
		};
		return this.#withFailover(set, attempt, watch);
	}

	/** Makes the calls of a set in order until one has said its first words. */
	stream(set: CallSet): Promise<CallSetResult<CallStream>> {
		return this.#withFailover(set, async (call, hold, permit, sent) => {
			const { sentAtMs, noted } = sent;
			const opened = await this.#open(call, permit, this.#options.signal, noted);
			if (opened.kind !== "stream") return opened;
			const first = await readFirstDelta(opened, call.plan.call.stop, this.#options.signal);
			if (first.kind !== "served") return first;
			noted.noteFirstToken(Date.now());
			this.#noteAnswer(call, sentAtMs, timeToFirstTokenMs(call.candidate.model, call.candidate.effort), opened);
			return { kind: "served", value: this.#toCallStream(call, hold, first.value, sent) };
		});
	}

	/** Makes one upstream call. A response head proves to the breaker that the provider is available. */
	async #open(
		call: KeyedCall,
		permit: Permit,
		signal: AbortSignal,
		noted: OpenAttempt,
	): Promise<UpstreamStream | CallFailure> {
		const { wire, access } = call.attempt;
		const { span, key } = call;
		const rendered = call.attempt.request;
		const request = span ? { ...rendered, headers: { ...rendered.headers, ...span.headers } } : rendered;
		const authorization = { access, key, limits: this.#deadlines(call), signal };
		const opened = await this.#heads.run(() =>
			sendAuthorized(request, authorization, (authorized, deadlines) =>
				openUpstreamStream(wire, authorized, deadlines, signal),
			),
		);
		if (opened.kind === "stream") {
			noted.noteHead();
			permit.succeeded();
			health.unserved.noteServed(callIdOf(call));
			health.keys.noteServed(keyId(access, key), callIdOf(call));
			this.#noteKey(call, "ok", null);
		}
		return opened;
	}

	/** @param waitMs until it may be good again; infinite where nobody knows. */
	#noteKey({ attempt, key }: KeyedCall, state: ProviderKeyState["state"], waitMs: number | null): void {
		const untilMs = waitMs === null || waitMs === Number.POSITIVE_INFINITY ? null : Date.now() + waitMs;
		this.#options.noteKey?.({ provider: attempt.access.provider.id, name: key.name, state, untilMs });
	}

	#toCallStream(call: KeyedCall, hold: Hold, relay: StreamRelay, { sentAtMs, noted }: SentCall): CallStream {
		const { upstream } = relay;
		const finish = (clientClosed: boolean): CallStreamEnd => {
			const answer = relay.answer();
			const bill = relay.isWhole
				? billCall(call, answer.usage, answer, sentAtMs)
				: this.#options.billInterrupted(call, relay.remains(), sentAtMs);
			upstream.abort();
			const outcome = clientClosed ? "client_closed" : relay.isWhole ? "complete" : "cut";
			const lost = relay.isWhole ? null : (relay.lost ?? new UpstreamInterrupted("cut"));
			noted.end(toStreamFailure(lost, clientClosed, relay.remains()), Date.now());
			return { outcome, lost, answer, call: this.#bill(call, hold, bill) };
		};
		return { call, sandbox: upstream.sandbox, parts: relay.parts(), over: upstream.deadlineSignal, finish };
	}

	#bill(call: KeyedCall, hold: Hold, bill: Bill): BilledCall {
		const billed = { ...call, bill };
		hold.spend(bill.cost.totalNanoUsd);
		this.billed.push(billed);
		return billed;
	}

	/** Deadlines of one upstream call; all calls share the last. */
	#deadlines({ candidate: { model, effort }, attempt: { access } }: PlannedCall): Deadlines {
		const { settings, endsAtMs } = this.#options;
		const { upstreamTimeoutMs, upstreamIdleTimeoutMs: idleMs } = settings;
		// Some servers send the head at once, and load the model or read the prompt after it.
		const { timeout_ms: beginMs } = access.provider;
		const unseen = reasonsHidden(model, access.provider, effort);
		const reasoningMs = unseen ? UNSEEN_REASONING_FACTOR * timeToFirstTokenMs(model, effort) : 0;
		const firstDeltaMs = Math.max(beginMs ?? idleMs, reasoningMs);
		return { headMs: beginMs ?? upstreamTimeoutMs, firstDeltaMs, idleMs, endsAtMs };
	}

	/** Makes the calls of a set in order until one serves. */
	async #withFailover<T>(set: CallSet, attempt: Attempt<T>, watch?: CallWatch): Promise<CallSetResult<T>> {
		const failed = new FailedCalls();
		const tries: SetTries<T> = { failed, attempt, watch };
		const shutOff: PlannedCall[] = [];
		for (const [place, call] of set.calls.entries()) {
			if (failed.tries >= MAX_CALLS) break;
			const tried = await this.#tryTwice(call, set.calls[place + 1], tries);
			if (tried.kind === "served") return { ok: true, served: tried.value };
			if (tried.kind === "shut_off") shutOff.push(call);
			if (tried.kind === "failed" && tried.consequence.next === "end") break;
		}
		const [nextOpen] = shutOff.toSorted((a, b) => outForMs(a) - outForMs(b));
		if (!failed.any && nextOpen) {
			const tried = await this.#try(nextOpen, tries, true);
			if (tried.kind === "served") return { ok: true, served: tried.value };
		}
		noteKeys(set, failed);
		return { ok: false, failure: failed.failure(), clientClosed: failed.clientClosed };
	}

	/** Tries a call with one key after the other, as long as a free one may be served and a try is left for the fallback. */
	async #tryKeys<T>(call: PlannedCall, fallback: PlannedCall | undefined, tries: SetTries<T>): Promise<TryResult<T>> {
		const { failed } = tries;
		const mostTries = MAX_CALLS - (fallback ? 1 : 0);
		for (;;) {
			const tried = await this.#try(call, tries);
			const mayGoOn = tried.kind === "failed" && tried.consequence.isKeys && failed.tries < mostTries;
			if (!mayGoOn || !hasSeveralKeys(call.attempt.access)) return tried;
			if (!this.#chooseKey(call, failed).isFree) return tried;
		}
	}

	/** The conversation's key for a call that is free and was not refused; else the one that will be free first. */
	#chooseKey(
		{ attempt: { access }, candidate: { model }, plan }: PlannedCall,
		failed: FailedCalls,
	): { key: ProviderKey; isFree: boolean; isRefused: boolean } {
		const [only] = access.keys;
		if (!hasSeveralKeys(access)) return { key: only, isFree: true, isRefused: false };
		const { userId } = this.#options;
		const { messages } = plan.call;
		const conversation = () => toConversationKey({ userId, messages, conversation: plan.options.conversation });
		const nowMs = Date.now();
		const states = rankKeys(modelKeys(access, model), conversation, model.id).map((key) => {
			const { refusedMs, unserved, throttledMs } = health.keyState(access, key, model, nowMs);
			const call = callId(keyId(access, key), model.id);
			const waits = [refusedMs, unserved ? 1 + unserved.askAgainMs : 0, throttledMs, failed.wasRefused(call) ? 1 : 0];
			return { key, waits, isFree: waits.every((wait) => wait === 0), isRefused: refusedMs > 0 };
		});
		const [best] = states.toSorted((a, b) => compareWaits(a.waits, b.waits));
		return best ?? { key: only, isFree: true, isRefused: false };
	}

	/**
	 * Tries a call. A model that the request named is tried once more before its fallback, where that may help.
	 * @param fallback there must be room left for it if the second try ends like the first.
	 */
	async #tryTwice<T>(call: PlannedCall, fallback: PlannedCall | undefined, tries: SetTries<T>): Promise<TryResult<T>> {
		const { failed, watch } = tries;
		const first = await this.#tryKeys(call, fallback, tries);
		if (!isNamed(call) || first.kind !== "failed" || first.consequence.retryAfterMs === null) return first;
		const { freeNanoUsd } = watch?.budget ?? this.budget;
		const roomNanoUsd = freeNanoUsd - first.costNanoUsd;
		if (fallback && !shortenToAfford(fallback, roomNanoUsd)) return first;
		await this.#pause(first.consequence.retryAfterMs);
		const second = await this.#try(call, tries);
		if (second.kind === "failed") failed.noteSecondTry();
		return second.kind === "served" || second.kind === "failed" ? second : first;
	}

	/** Waits; ends early when the calls are broken off. */
	async #pause(ms: number): Promise<void> {
		const { signal } = this.#options;
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

	/** @param isForced calls the provider even though its breaker is open. */
	async #try<T>(intact: PlannedCall, { failed, attempt, watch }: SetTries<T>, isForced = false): Promise<TryResult<T>> {
		const { endsAtMs, billInterrupted, onSend, tracing } = this.#options;
		const askedAtMs = Date.now();
		if (askedAtMs >= endsAtMs || !failed.allows(intact)) return { kind: "not_made" };
		const budget = watch?.budget ?? this.budget;
		const planned = shortenToAfford(intact, budget.freeNanoUsd);
		const hold = planned && budget.hold(planned.attempt.worstCase.totalNanoUsd);
		if (!planned || !hold) return { kind: "not_made" };
		const { candidate, attempt: exact, plan } = planned;
		const breaker = breakerKey(exact.access);
		const chosen = this.#chooseKey(planned, failed);
		const permit = isForced
			? health.force(breaker, this.#user, askedAtMs)
			: chosen.isRefused
				? null
				: health.acquire(breaker, this.#user, askedAtMs);
		if (!permit) {
			hold.release();
			return { kind: "shut_off" };
		}
		const intended = plan.selection.failover[0].model;
		const { key } = chosen;
		const call: KeyedCall = {
			...planned,
			// Shorter than what was held for, where it differs.
			attempt: plan.isForAccount(candidate.model, key.account)
				? exact
				: plan.attempt(candidate.model, candidate.effort, candidate.maxTokens, key.account),
			key,
			intendedWasAsked: candidate.model === intended || failed.wasAsked(intended.id),
			...(tracing ? { span: tracing.next() } : {}),
		};
		const unused = (error: unknown) => {
			permit.inconclusive();
			throw error;
		};
		if (watch && !(await watch.beforeSend(call).catch(unused))) {
			hold.release();
			permit.inconclusive();
			return { kind: "not_made" };
		}
		if (!watch) onSend?.(call);
		this.#readers.add(candidate.model);
		const sentAtMs = Date.now();
		const noted = this.attempts.begin(candidate.model, sentAtMs, call.span?.spanId);
		health.noteCalled(candidate.model.id);
		health.unserved.noteAsked(callIdOf(call), sentAtMs);
		const result = await attempt(call, hold, permit, { sentAtMs, noted }).catch(unused);
		if (result.kind === "served") return result;
		noted.end(result, Date.now());
		const bill = billFailedCall(call, result, sentAtMs, billInterrupted);
		if (bill) this.#bill(call, hold, bill);
		else hold.release();
		watch?.ended(call, { bill, answer: null, latencyMs: Date.now() - sentAtMs });
		const costNanoUsd = bill?.cost.totalNanoUsd ?? 0;
		const consequence = failed.add(call, result, costNanoUsd);
		this.#noteFailure(call, result, consequence, permit, sentAtMs);
		return { kind: "failed", consequence, costNanoUsd };
	}

	/** Notes what a failed call says of its provider and its model. */
	#noteFailure(
		call: KeyedCall,
		failure: CallFailure,
		consequence: Consequence,
		permit: Permit,
		sentAtMs: number,
	): void {
		const { counts, operatorsFault, isUnserved, isKeys } = consequence;
		const { id: model, provider, upstream_model } = call.candidate.model;
		const nowMs = Date.now();
		const status = failure.kind === "status" ? failure.status : null;
		if (counts) {
			const hasOpened = permit.failed({ operatorsFault, prompt: promptMark(call.plan.call) }, nowMs);
			if (hasOpened && operatorsFault) logWarning("provider_refuses", { provider, status });
			health.recent.noteFailure(calledModel(call), this.#user, nowMs);
		} else permit.inconclusive();
		const { access } = call.attempt;
		const named = call.key.name === "" ? {} : { provider_key: call.key.name };
		if (operatorsFault && isKeys) this.#noteKey(call, "refused", toKeyRefusal(call, status).waitMs);
		if (operatorsFault && isKeys && hasSeveralKeys(access)) {
			const { id, waitMs } = toKeyRefusal(call, status);
			if (health.keys.noteRefusal(id, waitMs, nowMs)) logWarning("provider_refuses", { provider, status, ...named });
		}
		if (isUnserved && health.unserved.note(callIdOf(call), nowMs))
			logWarning("model_not_served", { model, upstream_model, provider, status, ...named, passed_by_ms: UNSERVED_MS });
		if (failure.kind === "status" && status === 429 && !operatorsFault && !isUnserved) {
			health.keys.noteThrottle(callIdOf(call), failure.retryAfterMs, sentAtMs, nowMs);
			this.#noteKey(call, "throttled", health.keys.throttledForMs(callIdOf(call), nowMs));
		}
	}
}

/** Chooses the calls of a plan by what this isolate knows of the providers now. */
export function callSetFor(plan: CallPlan, { account }: Pick<PlanContext, "account">): CallSet {
	const calling = { user: userMark(account.userId), hasPriority: account.plan.priority };
	return toCallSet(plan, health, calling, Date.now());
}

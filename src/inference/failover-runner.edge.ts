// Makes one of the calls of a set after the other until one serves, within one bound: each is held for, tried with the keys of its
// provider, feeds the breakers and is billed. What a call is, how it is sent and what it costs is its kind's: call-runner.edge.ts has
// those that write, encoders/encoder-runner.edge.ts the others. Reservation, settlement and receipts are settlement.edge.ts's.
import type { ProviderKey } from "../catalog/provider-keys.ts";
import { clip } from "../clip.ts";
import type { Failure } from "../failure.ts";
import { logWarning } from "../http/log.edge.ts";
import { sendAuthorized } from "../providers/authorize.edge.ts";
import type { Permit } from "../providers/breaker.ts";
import type { CallFailure } from "../providers/call-failure.ts";
import { breakerKey } from "../providers/health.ts";
import { health } from "../providers/isolate-health.edge.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import { callId, hasSeveralKeys, keyId, modelKeys, rankKeys } from "../providers/model-keys.ts";
import { UNSERVED_MS } from "../providers/unserved-models.ts";
import type { UpstreamRequest } from "../providers/wire.ts";
import type { Settings } from "../settings.ts";
import type { ProviderKeyState } from "../telemetry/metric-store.edge.ts";
import type { CallSpan, CallTracing } from "../telemetry/request-trace.edge.ts";
import type { Bill } from "./accounting.ts";
import { AttemptLog, type OpenAttempt } from "./attempt-log.ts";
import { Budget, type Hold } from "./budget.ts";
import { userMark } from "./call-marks.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { type Consequence, callIdOf, FailedCalls, type FailoverCall, type KeyOfCall, MAX_CALLS } from "./failover.ts";
import { roundWaitUp } from "./observe.edge.ts";
import type { AttemptResult } from "./read-stream.ts";

/** Upstream calls of one runner that wait for their response head at once: a Worker has six connections for that. */
const MAX_WAITING_FOR_HEADS = 6;

function outForMs({ attempt, candidate }: FailoverCall): number {
	return health.outForMs(attempt.access, candidate.model, Date.now());
}

/** A model as recent calls are kept. */
export function calledModel({ attempt, candidate }: FailoverCall): { provider: string; model: string } {
	return { provider: breakerKey(attempt.access), model: candidate.model.id };
}

/** The longest kind of an error that a log shows. */
const MAX_CODE_CHARS = 64;

/** So long a key is left alone whose balance or quota is used up, and one that may not use a model. */
const NO_BALANCE_MS = 3_600_000;
const NOT_PERMITTED_MS = 600_000;

/** What of one of several keys was refused, and for how long it is left alone: a wrong key until it is another one. */
function toKeyRefusal(call: KeyOfCall, status: number | null): { id: string; waitMs: number } {
	if (status === 403) return { id: callIdOf(call), waitMs: NOT_PERMITTED_MS };
	const waitMs = status === 401 ? Number.POSITIVE_INFINITY : NO_BALANCE_MS;
	return { id: keyId(call.attempt.access, call.key), waitMs };
}

/** Notes when keys that a set's models have several of may be served again. */
function noteKeys(calls: readonly FailoverCall[], failed: FailedCalls): void {
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

/** One call of a set served, or none did. */
export type CallSetResult<T> = { ok: true; served: T } | { ok: false; failure: Failure; clientClosed: boolean };

/** How one call ended. */
interface EndedCall {
	/** Null when it cost nothing. */
	bill: Bill | null;
	/** Null when it gave none. */
	answer: ModelAnswer | null;
	latencyMs: number;
}

/** Follows the calls of one set, where several sets are under way. */
export interface CallWatch<C> {
	/** The set's own part of the runner's budget, held there. */
	budget: Budget;
	/** Breaks off the calls of this set. */
	signal?: AbortSignal;
	/** Before a call is sent; false keeps it from being sent. */
	beforeSend(call: C): Promise<boolean>;
	/** When a call has ended, in the same turn as it is billed. */
	ended(call: C, ended: EndedCall): void;
}

/** Makes a call that was held for, and bills it if it serves. */
export type Attempt<T, K> = (call: K, hold: Hold, permit: Permit, sent: SentCall) => Promise<AttemptResult<T>>;

/** A call that was sent. */
export interface SentCall {
	sentAtMs: number;
	/** Where it is noted. */
	noted: OpenAttempt;
}

/** How a call is sent. */
interface Sending<Limits> {
	request: UpstreamRequest;
	limits: Limits;
	signal: AbortSignal;
	permit: Permit;
	noted: OpenAttempt;
}

/** What the tries of one set share. */
interface SetTries<T, C, K> {
	failed: FailedCalls;
	attempt: Attempt<T, K>;
	watch: CallWatch<C> | undefined;
}

/** The outcome of one try at a call. */
type TryResult<T> =
	| { kind: "served"; value: T }
	| { kind: "failed"; consequence: Consequence; costNanoUsd: number }
	/** The provider's breaker is open. */
	| { kind: "shut_off" }
	/** No time, no money, or the provider has failed this request in a way that another call will not cure. */
	| { kind: "not_made" };

/** What a call that is billed has besides. */
interface Billed {
	bill: Bill;
	/** Absent for a call that may never have been sent. */
	key?: ProviderKey;
}

/** How a runner makes its calls. */
export interface RunnerOptions<K> {
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
	/** Puts the calls into their request's trace. */
	tracing?: CallTracing | undefined;
	/** Told in which states the keys of providers are found. */
	noteKey?: ((state: ProviderKeyState) => void) | undefined;
	/** Told of each call of an unwatched set when it is sent. */
	onSend?(call: K): void;
}

/** @typeParam C a call that may be made. @typeParam K the same with the key that it is made with. */
export abstract class FailoverRunner<C extends FailoverCall, K extends C & KeyOfCall> {
	/** Every call that is, or may be, billed, in the order they ended. */
	readonly billed: (C & Billed)[] = [];
	readonly budget: Budget;
	/** Every call that was sent. */
	readonly attempts: AttemptLog;
	#readers = new Set<C["candidate"]["model"]>();
	protected readonly options: RunnerOptions<K>;
	protected readonly user: string;
	readonly #heads = new ConcurrencyLimit(MAX_WAITING_FOR_HEADS);

	constructor(options: RunnerOptions<K>) {
		this.options = options;
		this.user = userMark(options.userId);
		this.budget = new Budget(options.boundNanoUsd);
		this.attempts = new AttemptLog(options.arrivedAtMs);
	}

	/** Whether the request named this call's model: then it is tried once more before a fallback. */
	protected abstract isNamed(call: C): boolean;
	/** The call within what is left of the bound, changed if need be; null where it cannot be. */
	protected abstract afford(call: C, leftNanoUsd: number): C | null;
	/** What keeps to one key of several. */
	protected abstract conversationOf(call: C): string;
	/** Tells what a call says from what others say. */
	protected abstract promptOf(call: C): string;
	/** The call as it is made with a key. @param failed what was tried before. */
	protected abstract toKeyed(call: C, key: ProviderKey, failed: FailedCalls, span: CallSpan | undefined): K;
	/** The bill of a call that did not serve; null when it cost nothing. */
	protected abstract billFailed(call: K, failure: CallFailure, sentAtMs: number): Bill | null;

	/** Every model that was sent a call: even where the connection broke, most of the text may have arrived. */
	get readers(): ReadonlySet<C["candidate"]["model"]> {
		return this.#readers;
	}

	protected bill(call: K, hold: Hold, bill: Bill): K & Billed {
		const billed = { ...call, bill };
		hold.spend(bill.cost.totalNanoUsd);
		this.billed.push(billed);
		return billed;
	}

	/** Sends a call's request in its trace, under its key, when a connection is free. @param send opens the answer. */
	protected async open<Limits extends { headMs: number; endsAtMs: number }, Opened extends { kind: "stream" | "json" }>(
		call: K,
		{ request, limits, signal, permit, noted }: Sending<Limits>,
		send: (request: UpstreamRequest, limits: Limits) => Promise<Opened | CallFailure>,
	): Promise<Opened | CallFailure> {
		const { span, key, attempt } = call;
		const traced = span ? { ...request, headers: { ...request.headers, ...span.headers } } : request;
		const authorization = { access: attempt.access, key, limits, signal };
		const opened = await this.#heads.run(() => sendAuthorized(traced, authorization, send));
		if (opened.kind === "stream" || opened.kind === "json") this.#noteHead(call, permit, noted);
		return opened;
	}

	/** Notes a response head, which proves to the breaker that the provider is available. */
	#noteHead(call: K, permit: Permit, noted: OpenAttempt): void {
		noted.noteHead();
		permit.succeeded();
		health.unserved.noteServed(callIdOf(call));
		health.keys.noteServed(keyId(call.attempt.access, call.key), callIdOf(call));
		this.#noteKey(call, "ok", null);
	}

	/** @param waitMs until it may be good again; infinite where nobody knows. */
	#noteKey({ attempt, key }: KeyOfCall, state: ProviderKeyState["state"], waitMs: number | null): void {
		const untilMs = waitMs === null || waitMs === Number.POSITIVE_INFINITY ? null : Date.now() + waitMs;
		this.options.noteKey?.({ provider: attempt.access.provider.id, name: key.name, state, untilMs });
	}

	/** Makes the calls of a set in order until one serves. */
	protected async withFailover<T>(
		calls: readonly C[],
		attempt: Attempt<T, K>,
		watch?: CallWatch<C>,
	): Promise<CallSetResult<T>> {
		const failed = new FailedCalls();
		const tries: SetTries<T, C, K> = { failed, attempt, watch };
		const shutOff: C[] = [];
		for (const [place, call] of calls.entries()) {
			if (failed.tries >= MAX_CALLS) break;
			const tried = await this.#tryTwice(call, calls[place + 1], tries);
			if (tried.kind === "served") return { ok: true, served: tried.value };
			if (tried.kind === "shut_off") shutOff.push(call);
			if (tried.kind === "failed" && tried.consequence.next === "end") break;
		}
		const [nextOpen] = shutOff.toSorted((a, b) => outForMs(a) - outForMs(b));
		if (!failed.any && nextOpen) {
			const tried = await this.#try(nextOpen, tries, true);
			if (tried.kind === "served") return { ok: true, served: tried.value };
		}
		noteKeys(calls, failed);
		return { ok: false, failure: failed.failure(), clientClosed: failed.clientClosed };
	}

	/** Tries a call with one key after the other, as long as a free one may be served and a try is left for the fallback. */
	async #tryKeys<T>(call: C, fallback: C | undefined, tries: SetTries<T, C, K>): Promise<TryResult<T>> {
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
	#chooseKey(call: C, failed: FailedCalls): { key: ProviderKey; isFree: boolean; isRefused: boolean } {
		const { access } = call.attempt;
		const { model } = call.candidate;
		const [only] = access.keys;
		if (!hasSeveralKeys(access)) return { key: only, isFree: true, isRefused: false };
		const nowMs = Date.now();
		const states = rankKeys(modelKeys(access, model), () => this.conversationOf(call), model.id).map((key) => {
			const { refusedMs, unserved, throttledMs } = health.keyState(access, key, model, nowMs);
			const isAsked = failed.wasRefused(callId(keyId(access, key), model.id));
			const waits = [refusedMs, unserved ? 1 + unserved.askAgainMs : 0, throttledMs, isAsked ? 1 : 0];
			return { key, waits, isFree: waits.every((wait) => wait === 0), isRefused: refusedMs > 0 };
		});
		const [best] = states.toSorted((a, b) => compareWaits(a.waits, b.waits));
		return best ?? { key: only, isFree: true, isRefused: false };
	}

	/**
	 * Tries a call. A model that the request named is tried once more before its fallback, where that may help.
	 * @param fallback there must be room left for it if the second try ends like the first.
	 */
	async #tryTwice<T>(call: C, fallback: C | undefined, tries: SetTries<T, C, K>): Promise<TryResult<T>> {
		const { failed, watch } = tries;
		const first = await this.#tryKeys(call, fallback, tries);
		if (!this.isNamed(call) || first.kind !== "failed" || first.consequence.retryAfterMs === null) return first;
		const { freeNanoUsd } = watch?.budget ?? this.budget;
		const roomNanoUsd = freeNanoUsd - first.costNanoUsd;
		if (fallback && !this.afford(fallback, roomNanoUsd)) return first;
		await this.#pause(first.consequence.retryAfterMs);
		const second = await this.#try(call, tries);
		if (second.kind === "failed") failed.noteSecondTry();
		return second.kind === "served" || second.kind === "failed" ? second : first;
	}

	/** Waits; ends early when the calls are broken off. */
	async #pause(ms: number): Promise<void> {
		const { signal } = this.options;
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
	async #try<T>(intact: C, { failed, attempt, watch }: SetTries<T, C, K>, isForced = false): Promise<TryResult<T>> {
		const { endsAtMs, onSend, tracing } = this.options;
		const askedAtMs = Date.now();
		if (askedAtMs >= endsAtMs || !failed.allows(intact)) return { kind: "not_made" };
		const budget = watch?.budget ?? this.budget;
		const planned = this.afford(intact, budget.freeNanoUsd);
		const hold = planned && budget.hold(planned.attempt.worstCase.totalNanoUsd);
		if (!planned || !hold) return { kind: "not_made" };
		const { candidate } = planned;
		const breaker = breakerKey(planned.attempt.access);
		const chosen = this.#chooseKey(planned, failed);
		const permit = isForced
			? health.force(breaker, this.user, askedAtMs)
			: chosen.isRefused
				? null
				: health.acquire(breaker, this.user, askedAtMs);
		if (!permit) {
			hold.release();
			return { kind: "shut_off" };
		}
		const call = this.toKeyed(planned, chosen.key, failed, tracing?.next());
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
		const bill = this.billFailed(call, result, sentAtMs);
		if (bill) this.bill(call, hold, bill);
		else hold.release();
		watch?.ended(call, { bill, answer: null, latencyMs: Date.now() - sentAtMs });
		const costNanoUsd = bill?.cost.totalNanoUsd ?? 0;
		const consequence = failed.add(call, result, costNanoUsd);
		this.#noteFailure(call, result, consequence, permit, sentAtMs);
		return { kind: "failed", consequence, costNanoUsd };
	}

	/** Notes what a failed call says of its provider and its model. */
	#noteFailure(call: K, failure: CallFailure, consequence: Consequence, permit: Permit, sentAtMs: number): void {
		const { counts, operatorsFault, isUnserved, isKeys } = consequence;
		const { id: model, provider, upstream_model } = call.candidate.model;
		const nowMs = Date.now();
		const status = failure.kind === "status" ? failure.status : null;
		// The kind of the refusal alone: texts may name the account.
		const code = failure.kind === "status" ? (failure.error?.code ?? null) : null;
		const refusal = { provider, status, ...(code === null ? {} : { code: clip(code, MAX_CODE_CHARS) }) };
		if (counts) {
			const hasOpened = permit.failed({ operatorsFault, prompt: this.promptOf(call) }, nowMs);
			if (hasOpened && operatorsFault) logWarning("provider_refuses", refusal);
			health.recent.noteFailure(calledModel(call), this.user, nowMs);
		} else permit.inconclusive();
		const { access } = call.attempt;
		const named = call.key.name === "" ? {} : { provider_key: call.key.name };
		if (operatorsFault && isKeys) this.#noteKey(call, "refused", toKeyRefusal(call, status).waitMs);
		if (operatorsFault && isKeys && hasSeveralKeys(access)) {
			const { id, waitMs } = toKeyRefusal(call, status);
			if (health.keys.noteRefusal(id, waitMs, nowMs)) logWarning("provider_refuses", { ...refusal, ...named });
		}
		if (isUnserved && health.unserved.note(callIdOf(call), nowMs))
			logWarning("model_not_served", { model, upstream_model, provider, status, ...named, passed_by_ms: UNSERVED_MS });
		if (failure.kind === "status" && status === 429 && !operatorsFault && !isUnserved) {
			health.keys.noteThrottle(callIdOf(call), failure.retryAfterMs, sentAtMs, nowMs);
			this.#noteKey(call, "throttled", health.keys.throttledForMs(callIdOf(call), nowMs));
		}
	}
}

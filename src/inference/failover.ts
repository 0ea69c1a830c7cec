// Chooses the calls of a plan, decides what a failed call means for the next, and words the failure when none served. Pure.
import type { CallCost } from "../catalog/price.ts";
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Model } from "../catalog/schema.ts";
import type { Failure } from "../failure.ts";
import { usd } from "../proof/money.ts";
import {
	type CallFailure,
	type LostReason,
	NO_PARTIAL_ANSWER,
	type NoToken,
	type TokenFault,
} from "../providers/call-failure.ts";
import { readContextOverflow } from "../providers/context-overflow.ts";
import { breakerKey, type ProviderHealth } from "../providers/health.ts";
import { callId, hasSeveralKeys, keyId } from "../providers/model-keys.ts";
import { type RefusalCause, readRefusalCause } from "../providers/refusal-cause.ts";
import type { Candidate } from "../routing/selection.ts";
import type { ProviderAccess } from "../settings.ts";
import type { CallSpan } from "../telemetry/request-trace.edge.ts";
import { billInterruptedCall, type PlannedCall } from "./accounting.ts";
import type { CallPlan } from "./plan.ts";

/** Tries of one call set: with other keys of a model, and at other models. */
export const MAX_CALLS = 3;

/** The calls that one plan may make, in order, and what they can cost together. */
export interface CallSet {
	calls: [PlannedCall, ...PlannedCall[]];
	boundNanoUsd: number;
}

/** Whose calls they are. */
export interface CallingUser {
	/** A short hash (userMark). */
	user: string;
	/** Whether the user's pricing plan may call throttled models. */
	hasPriority: boolean;
}

/**
 * The first candidates, as many as may be called, whose breaker is closed and that have a key which is neither refused nor throttled;
 * else the one that will be available first.
 */
function availableCandidates(
	plan: CallPlan,
	health: ProviderHealth,
	{ user, hasPriority }: CallingUser,
	nowMs: number,
): readonly [Candidate, ...Candidate[]] {
	const { failover } = plan.selection;
	const stateOf = ({ model }: Candidate) => health.modelState(plan.accessFor(model), model, nowMs);
	const outMs = ({ model }: Candidate) => health.outForMs(plan.accessFor(model), model, nowMs);
	const throttledMs = (candidate: Candidate) => stateOf(candidate).throttledMs;
	const isAdmitted = (candidate: Candidate) =>
		health.isOpenTo(breakerKey(plan.accessFor(candidate.model)), user, nowMs) && stateOf(candidate).refusedMs === 0;
	const available: Candidate[] = [];
	for (const candidate of failover) {
		if (isAdmitted(candidate) && (hasPriority || throttledMs(candidate) === 0)) available.push(candidate);
		if (available.length === MAX_CALLS) break;
	}
	const [first, ...rest] = available;
	if (first) return [first, ...rest];
	const [soonest] = failover.filter(isAdmitted).toSorted((a, b) => throttledMs(a) - throttledMs(b));
	const [nextOpen = failover[0]] = failover.toSorted((a, b) => outMs(a) - outMs(b));
	return [soonest ?? nextOpen];
}

/** A model as calls are told apart by. */
export type CalledModel = Pick<Model, "id" | "provider" | "upstream_model">;

/** A call as it is tried: whose model it asks, where that is, and what it may cost. */
export interface FailoverCall {
	candidate: { model: CalledModel };
	attempt: { access: ProviderAccess; worstCase: Pick<CallCost, "totalNanoUsd"> };
}

/** A call with the key that it is made with. */
export interface KeyOfCall extends FailoverCall {
	key: ProviderKey;
	/** The call's span; absent while no address for traces is set. */
	span?: CallSpan;
}

/** A call's model under its key, as the providers' health and a set's failures name it. */
export function callIdOf({ attempt: { access }, candidate: { model }, key }: KeyOfCall): string {
	return callId(keyId(access, key), model.id);
}

/** Whether the request named this model: then it is tried once more before a fallback. */
export function isNamed({ plan: { selection }, candidate }: Pick<PlannedCall, "plan" | "candidate">): boolean {
	const { mode, fallbackFrom, failover } = selection;
	return mode === "direct" && fallbackFrom === null && candidate === failover[0];
}

/** What a broken first try may be billed at: a second try must leave enough for the fallbacks. */
function secondTryNanoUsd([first, ...fallbacks]: CallSet["calls"], nowMs: number): number {
	if (!isNamed(first) || fallbacks.length === 0) return 0;
	return billInterruptedCall(first, NO_PARTIAL_ANSWER, nowMs).cost.totalNanoUsd;
}

/** Chooses up to three candidates to call. */
export function toCallSet(plan: CallPlan, health: ProviderHealth, calling: CallingUser, nowMs: number): CallSet {
	const { failover, ceilingNanoUsd } = plan.selection;
	const planned = (candidate: Candidate): PlannedCall => ({
		plan,
		candidate,
		attempt: plan.attempt(candidate.model, candidate.effort, candidate.maxTokens),
		intendedWasAsked: candidate === failover[0],
	});
	const [first, ...rest] = availableCandidates(plan, health, calling, nowMs);
	const calls: CallSet["calls"] = [planned(first), ...rest.map(planned)];
	const worstCases = calls.reduce((total, { attempt }) => total + attempt.worstCase.totalNanoUsd, 0);
	const sum = worstCases + secondTryNanoUsd(calls, nowMs);
	// The ceiling holds for all calls of the request together; each single call is within it already.
	return { calls, boundNanoUsd: ceilingNanoUsd === null ? sum : Math.min(sum, ceilingNanoUsd) };
}

/**
 * The call, if its worst case is within what is left; else the call with a shorter answer, where the plan chose its length; else
 * null.
 */
export function shortenToAfford(call: PlannedCall, leftNanoUsd: number): PlannedCall | null {
	if (call.attempt.worstCase.totalNanoUsd <= leftNanoUsd) return call;
	const candidate = call.plan.shorten(call.candidate, leftNanoUsd);
	if (!candidate) return null;
	const attempt = call.plan.attempt(candidate.model, candidate.effort, candidate.maxTokens);
	return { ...call, candidate, attempt };
}

/** What a call did that was lost. */
export const LOST: Readonly<Record<LostReason, string>> = {
	no_head: "broke off before it answered",
	head_timeout: "did not answer in time",
	timeout: "fell silent",
	out_of_time: "had not answered when the time of the request was up",
	cut: "broke off its answer",
	reported: "reported an error instead of an answer",
	empty: "gave an empty answer",
	unusable: "gave an answer that cannot be read",
	too_large: "gave an answer that is too large",
	mismatched: "answered with another number of results than inputs were sent, or with vectors of another length",
};

/** What went wrong where a token was asked for. */
const NO_TOKEN: Readonly<Record<TokenFault, string>> = {
	refused: "its token endpoint refused the credentials",
	failed: "its token endpoint reported an error",
	unreachable: "its token endpoint could not be reached",
	late: "its token endpoint did not answer in time",
	unusable: "no usable token came of its credentials",
};

function renderStatus(status: number | null): string {
	return status === null ? "" : ` (status ${status})`;
}

/** What a failed call means for the next one. */
export interface Consequence {
	/** `end`: the request itself is at fault; `anyone`: any other call may succeed; `elsewhere`: one at another provider may. */
	next: "end" | "anyone" | "elsewhere";
	/** The operator's account or base address is at fault: no call to the provider can succeed. */
	operatorsFault: boolean;
	/** The provider does not serve this model, or not to this account. */
	isUnserved: boolean;
	/** Whether the breaker counts it. It counts only what the provider did, never what a prompt or a client can cause. */
	counts: boolean;
	/** Another of the provider's keys may be served. */
	isKeys: boolean;
	/** The wait before a second try of the same model; null where a second try cannot help. */
	retryAfterMs: number | null;
}

/** Cloudflare's TLS errors with the origin: another call to the same host will fail too. */
const SAME_HOST_STATUSES = new Set([525, 526]);

/** Bedrock's status for a model that failed, whoever is at fault (ModelErrorException). */
const MODEL_FAILED = 424;

/** The longest wait before a second try. */
const MAX_RETRY_WAIT_MS = 2_000;
/** The wait before a second try when the provider named none. */
const RETRY_PAUSE_MS = 200;

const NOTHING_FOLLOWS = { operatorsFault: false, isUnserved: false, isKeys: false, counts: false, retryAfterMs: null };
const ENDS: Consequence = { ...NOTHING_FOLLOWS, next: "end" };
/** What follows from a refusal that is not the prompt's. */
const REFUSED: Readonly<Record<Exclude<RefusalCause, "prompt">, Consequence>> = {
	account: { ...NOTHING_FOLLOWS, next: "elsewhere", operatorsFault: true, isKeys: true, counts: true },
	address: { ...NOTHING_FOLLOWS, next: "elsewhere", operatorsFault: true, counts: true },
	model: { ...NOTHING_FOLLOWS, next: "anyone", isUnserved: true, isKeys: true },
};

/** Reasons that are the provider's fault alone. */
const PROVIDERS_FAULT = new Set<LostReason>(["no_head", "head_timeout"]);

/** Whose fault a failed call is, where its provider refused it; null for other failures. */
function refusalCause(model: CalledModel, failure: CallFailure): RefusalCause | null {
	if (failure.kind !== "status" || failure.status < 400 || failure.status >= 500) return null;
	if (failure.status === 408 || failure.status === MODEL_FAILED) return null;
	return readRefusalCause(failure.status, failure.error, [model.id, model.upstream_model]);
}

/** What follows where there was no token: no other model of the provider has one, and another key may. */
function toTokenConsequence({ why, retryAfterMs }: NoToken): Consequence {
	if (why === "refused" || why === "unusable") return REFUSED.account;
	const isWorthATry = why === "failed" || why === "unreachable";
	return {
		...NOTHING_FOLLOWS,
		next: "elsewhere",
		isKeys: true,
		counts: true,
		retryAfterMs: isWorthATry ? retryPauseMs(retryAfterMs) : null,
	};
}

/** The failover table (docs/reference/models.md, "Failover"). */
export function toConsequence(model: CalledModel, failure: CallFailure): Consequence {
	if (failure.kind === "client_closed") return ENDS;
	if (failure.kind === "no_token") return toTokenConsequence(failure);
	if (failure.kind === "lost") {
		const retryAfterMs = failure.why === "no_head" ? RETRY_PAUSE_MS : null;
		return { ...NOTHING_FOLLOWS, next: "anyone", counts: PROVIDERS_FAULT.has(failure.why), retryAfterMs };
	}
	const cause = refusalCause(model, failure);
	if (cause !== null && cause !== "prompt") return REFUSED[cause];
	const { status } = failure;
	if (SAME_HOST_STATUSES.has(status)) return { ...NOTHING_FOLLOWS, next: "elsewhere", counts: true };
	if (status === 429) {
		const waitMs = failure.retryAfterMs;
		const retryAfterMs = waitMs !== null && waitMs <= MAX_RETRY_WAIT_MS ? waitMs : null;
		return { ...NOTHING_FOLLOWS, next: "anyone", isKeys: true, retryAfterMs };
	}
	if (status === 408 || status >= 500)
		return { ...NOTHING_FOLLOWS, next: "anyone", counts: true, retryAfterMs: retryPauseMs(failure.retryAfterMs) };
	return status < 400 || status === MODEL_FAILED ? { ...NOTHING_FOLLOWS, next: "anyone" } : ENDS;
}

function retryPauseMs(waitMs: number | null): number | null {
	if (waitMs === null) return RETRY_PAUSE_MS;
	return waitMs <= MAX_RETRY_WAIT_MS ? Math.max(waitMs, RETRY_PAUSE_MS) : null;
}

function attemptLine({ candidate: { model } }: FailoverCall, failure: CallFailure): string {
	const at = `${model.id} at ${model.provider}`;
	if (failure.kind === "status") {
		const { status } = failure;
		const cause = refusalCause(model, failure);
		if (cause === "model") return `${at}: the provider does not serve this model (status ${status})`;
		return cause === "address"
			? `${at}: nothing is served at its base address (status ${status})`
			: `${at}: status ${status}`;
	}
	if (failure.kind === "client_closed") return `${at}: the client hung up`;
	if (failure.kind === "no_token") return `${at}: ${NO_TOKEN[failure.why]}${renderStatus(failure.status)}`;
	return `${at}: ${failure.sent ? LOST[failure.why] : "could not be reached"}`;
}

/** Ids of the operator's account, which providers name in what they say of a prompt. */
const ACCOUNT_IDS =
	/\b(?:org|proj|ak|sk)[-_][\w*.-]{6,}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<=\bprojects\/)[\w.:-]+|[\w.-]+@[\w-]+\.iam\.gserviceaccount\.com/gi;

function hideAccountIds(message: string): string {
	return message.replace(ACCOUNT_IDS, "…");
}

/** The calls of a set that did not serve, with their cost and their combined failure. */
export class FailedCalls {
	#avoidedProviders = new Set<string>();
	/** Models under the keys that they were refused with (callId). */
	#refused = new Set<string>();
	#asked = new Set<string>();
	#lines: string[] = [];
	#secondTries = 0;
	#waitsMs: number[] = [];
	#costNanoUsd = 0;
	/** So far, every provider has refused the deployment's account. */
	#areRefusals = true;
	#last: { call: FailoverCall; failure: CallFailure } | null = null;

	/** Whether a model was asked. */
	wasAsked(modelId: string): boolean {
		return this.#asked.has(modelId);
	}

	/** How many tries failed, without second tries of a named model. */
	get tries(): number {
		return this.#lines.length - this.#secondTries;
	}

	/** Notes that the last try was a second one of a named model. */
	noteSecondTry(): void {
		this.#secondTries++;
	}

	/** Whether any model was asked. */
	get any(): boolean {
		return this.#asked.size > 0;
	}

	/** Whether a model was refused with a key. */
	wasRefused(call: string): boolean {
		return this.#refused.has(call);
	}

	/** Notes that a key may be free again in so long, ms. */
	addWait(waitMs: number): void {
		this.#waitsMs.push(waitMs);
	}

	/** Notes that a model has a key left that was not refused: a later try may succeed. */
	noteKeyLeft(): void {
		this.#areRefusals = false;
	}

	/** Whether a call's provider may be asked after its earlier failures. */
	allows({ candidate }: FailoverCall): boolean {
		return !this.#avoidedProviders.has(candidate.model.provider);
	}

	/** @param costNanoUsd the bill of the call. */
	add(call: KeyOfCall, failure: CallFailure, costNanoUsd: number): Consequence {
		this.#last = { call, failure };
		this.#asked.add(call.candidate.model.id);
		this.#lines.push(attemptLine(call, failure));
		this.#costNanoUsd += costNanoUsd;
		if ("retryAfterMs" in failure && failure.retryAfterMs !== null) this.#waitsMs.push(failure.retryAfterMs);
		const all = toConsequence(call.candidate.model, failure);
		// What a key is refused for is not its provider's where there are others.
		const isOneKeys = all.isKeys && hasSeveralKeys(call.attempt.access);
		if (isOneKeys) this.#refused.add(callIdOf(call));
		const consequence = isOneKeys ? { ...all, next: "anyone" as const, counts: false } : all;
		this.#areRefusals &&= consequence.operatorsFault;
		if (consequence.next === "elsewhere") this.#avoidedProviders.add(call.candidate.model.provider);
		return consequence;
	}

	get clientClosed(): boolean {
		return this.#last?.failure.kind === "client_closed";
	}

	/** The failure that the client gets. */
	failure(): Failure {
		const last = this.#last;
		if (last?.failure.kind === "status" && toConsequence(last.call.candidate.model, last.failure).next === "end") {
			const { provider } = last.call.candidate.model;
			const { error, status } = last.failure;
			const message = error
				? hideAccountIds(error.message.toWellFormed()).slice(0, 500)
				: `${provider} refused the request`;
			const overflow = error && readContextOverflow(error);
			const refused = { reason: "upstream_rejected" as const, message, provider, upstreamStatus: status };
			return overflow ? { ...refused, overflow } : refused;
		}
		return {
			reason: "all_models_failed",
			attempts: this.#lines,
			costUsd: usd(this.#costNanoUsd),
			retryAfterMs: this.#waitsMs.length > 0 ? Math.min(...this.#waitsMs) : null,
			...(this.any && this.#areRefusals ? { isFinal: true } : {}),
		};
	}
}

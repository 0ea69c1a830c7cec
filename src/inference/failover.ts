// Which calls a chat request may make, and making them in turn until one serves: failover under the reserved bound.
import type { Failure } from "../failure.ts";
import { usd } from "../proof/money.ts";
import type { Breakers } from "../providers/breaker.ts";
import type { CallFailure, LostReason } from "../providers/upstream.edge.ts";
import type { Candidate } from "../routing/select.ts";
import { type BilledCall, billOf, type Call, type Run, totalNanoUsd } from "./accounting.ts";
import type { ChatPlan } from "./plan.ts";

const MAX_CALLS = 3;

/** The calls a request may make, in order, and what they can cost together. */
export interface CallPlan {
	calls: [Call, ...Call[]];
	boundNanoUsd: number;
}

/** Chooses up to three candidates whose providers are not shut off; when all are, the one shut off longest is tried. */
export function planCalls(plan: ChatPlan, breakers: Breakers, nowMs: number): CallPlan {
	const { failover, ceilingNanoUsd } = plan.selection;
	const open = failover.filter(({ model }) => breakers.admits(model.provider, nowMs));
	const longest = failover.toSorted(
		(a, b) => breakers.openSinceMs(a.model.provider) - breakers.openSinceMs(b.model.provider),
	);
	const chosen = (open.length > 0 ? open : longest).slice(0, open.length > 0 ? MAX_CALLS : 1);
	const call = (candidate: Candidate): Call => ({
		candidate,
		attempt: plan.attempt(candidate.model, candidate.effort),
	});
	const [first = failover[0], ...rest] = chosen;
	const calls: [Call, ...Call[]] = [call(first), ...rest.map(call)];
	const sum = calls.reduce((total, { attempt }) => total + attempt.worstCase.totalNanoUsd, 0);
	// A ceiling holds for the request, however many calls it takes; each single call is under it already.
	return { calls, boundNanoUsd: ceilingNanoUsd === null ? sum : Math.min(sum, ceilingNanoUsd) };
}

const LOST: Readonly<Record<LostReason, string>> = {
	no_head: "could not be reached, or broke off before it answered",
	timeout: "did not answer in time",
	cut: "broke off its answer",
	unusable: "gave no usable answer",
	too_large: "gave an answer that is too large",
	reported: "reported an error in its stream",
};

/** What a failed call means for the next one. */
interface Consequence {
	/** `end`: the request itself is refused; `anyone`: another call may do better; `elsewhere`: but not at this provider. */
	next: "end" | "anyone" | "elsewhere";
	operatorsFault: boolean;
	/** Whether the breaker counts it. */
	counts: boolean;
}

/** Statuses that say the deployment's account with the provider is at fault. */
const OPERATOR_STATUSES = new Set([401, 402, 403]);
/** Codes that say the same under another status: OpenAI's empty account (429), Google's wrong key (400). */
const OPERATOR_CODES = new Set(["insufficient_quota", "invalid_api_key"]);
/** Cloudflare's TLS trouble with the origin: the same host will not do better. */
const SAME_HOST_STATUSES = new Set([525, 526]);

/** The failover table (decisions.md, "Chat"). */
export function consequenceOf(failure: CallFailure): Consequence {
	if (failure.kind === "client_closed") return { next: "end", operatorsFault: false, counts: false };
	if (failure.kind === "lost") return { next: "anyone", operatorsFault: false, counts: true };
	const { status, error } = failure;
	if (OPERATOR_STATUSES.has(status) || OPERATOR_CODES.has(error?.code ?? ""))
		return { next: "elsewhere", operatorsFault: true, counts: true };
	if (SAME_HOST_STATUSES.has(status)) return { next: "elsewhere", operatorsFault: false, counts: true };
	if (status === 408 || status === 429 || status >= 500 || status < 400)
		return { next: "anyone", operatorsFault: false, counts: true };
	return { next: "end", operatorsFault: false, counts: false };
}

function lineOf({ candidate: { model } }: Call, failure: CallFailure): string {
	const at = `${model.id} at ${model.provider}`;
	if (failure.kind === "status") return `${at}: status ${failure.status}`;
	return `${at}: ${failure.kind === "lost" ? LOST[failure.why] : "the client hung up"}`;
}

/** What became of the calls that did not serve. */
class FailedCalls {
	/** Calls that may have been billed. */
	readonly billed: BilledCall[] = [];
	readonly shunned = new Set<string>();
	#run: Run;
	#lines: string[] = [];
	#waitsMs: number[] = [];
	#last: { call: Call; failure: CallFailure } | null = null;

	constructor(run: Run) {
		this.#run = run;
	}

	/** Whether a call may be made: its provider is not shunned, and the bound has room for it. */
	allows({ candidate, attempt }: Call): boolean {
		const fits = totalNanoUsd(this.billed) + attempt.worstCase.totalNanoUsd <= this.#run.boundNanoUsd;
		return fits && !this.shunned.has(candidate.model.provider);
	}

	add(call: Call, failure: CallFailure, sentAtMs: number): Consequence {
		this.#last = { call, failure };
		this.#lines.push(lineOf(call, failure));
		if (failure.kind === "status" && failure.retryAfterMs !== null) this.#waitsMs.push(failure.retryAfterMs);
		// An error status was not billed; whatever else became of the call may have been.
		if (failure.kind !== "status") {
			const usage = failure.kind === "lost" ? failure.usage : null;
			this.billed.push({ ...call, bill: billOf(this.#run, call, usage, null, sentAtMs) });
		}
		const consequence = consequenceOf(failure);
		if (consequence.next === "elsewhere") this.shunned.add(call.candidate.model.provider);
		return consequence;
	}

	get clientClosed(): boolean {
		return this.#last?.failure.kind === "client_closed";
	}

	/** The failure that the client is told of. */
	failure(): Failure {
		const last = this.#last;
		if (last?.failure.kind === "status" && consequenceOf(last.failure).next === "end") {
			const { provider } = last.call.candidate.model;
			const message = last.failure.error?.message.toWellFormed().slice(0, 500) ?? `${provider} refused the request`;
			return { reason: "upstream_rejected", message, provider, upstreamStatus: last.failure.status };
		}
		return {
			reason: "all_models_failed",
			attempts: this.#lines,
			costUsd: usd(totalNanoUsd(this.billed)),
			retryAfterMs: this.#waitsMs.length > 0 ? Math.min(...this.#waitsMs) : null,
		};
	}
}

/** A call that served. */
export interface Served<T> {
	call: Call;
	value: T;
	sentAtMs: number;
	/** Calls before it that may have been billed. */
	billed: BilledCall[];
}

/** What becomes of calls in turn: one served, or none did. */
export type Turn<T> =
	| { ok: true; served: Served<T> }
	| { ok: false; failure: Failure; billed: BilledCall[]; clientClosed: boolean };

export interface TurnOptions {
	breakers: Breakers;
	now(): number;
	/** False once the client has been answered: then there is no going back to another model. */
	mayFailOver(): boolean;
}

/**
 * Makes a run's calls in order until one serves.
 * @param attempt makes one call; never throws for what an upstream can do.
 */
export async function takeTurns<T>(
	run: Run,
	calls: readonly Call[],
	{ breakers, now, mayFailOver }: TurnOptions,
	attempt: (call: Call) => Promise<{ kind: "served"; value: T } | CallFailure>,
): Promise<Turn<T>> {
	const failed = new FailedCalls(run);
	for (const call of calls) {
		if (!failed.allows(call)) continue;
		const { provider } = call.candidate.model;
		const sentAtMs = now();
		breakers.called(provider, sentAtMs);
		const result = await attempt(call);
		if (result.kind === "served") {
			breakers.succeeded(provider);
			return { ok: true, served: { call, value: result.value, sentAtMs, billed: failed.billed } };
		}
		const { next, operatorsFault, counts } = failed.add(call, result, sentAtMs);
		if (counts) breakers.failed(provider, operatorsFault, now());
		if (next === "end" || !mayFailOver()) break;
	}
	return { ok: false, failure: failed.failure(), billed: failed.billed, clientClosed: failed.clientClosed };
}

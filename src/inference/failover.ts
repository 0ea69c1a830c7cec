// Which calls a plan may make, what a failed one means for the next, and what the client is told when none served. Pure.
import type { Failure } from "../failure.ts";
import { usd } from "../proof/money.ts";
import type { Breakers } from "../providers/breaker.ts";
import type { CallFailure, LostReason } from "../providers/call-failure.ts";
import type { Candidate } from "../routing/select.ts";
import type { PlannedCall } from "./accounting.ts";
import type { CallPlan } from "./plan.ts";

const MAX_CALLS = 3;

/** The calls that one plan may make, in order, and what they can cost together. */
export interface CallSet {
	calls: [PlannedCall, ...PlannedCall[]];
	boundNanoUsd: number;
}

/** Chooses up to three candidates whose providers are not shut off; when all are, the one shut off longest is tried. */
export function callSetOf(plan: CallPlan, breakers: Breakers, nowMs: number): CallSet {
	const { failover, ceilingNanoUsd } = plan.selection;
	const open = failover.filter(({ model }) => breakers.admits(model.provider, nowMs));
	const longest = failover.toSorted(
		(a, b) => breakers.openSinceMs(a.model.provider) - breakers.openSinceMs(b.model.provider),
	);
	const chosen = (open.length > 0 ? open : longest).slice(0, open.length > 0 ? MAX_CALLS : 1);
	const planned = (candidate: Candidate): PlannedCall => ({
		plan,
		candidate,
		attempt: plan.attempt(candidate.model, candidate.effort),
	});
	const [first = failover[0], ...rest] = chosen;
	const calls: [PlannedCall, ...PlannedCall[]] = [planned(first), ...rest.map(planned)];
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

function lineOf({ candidate: { model } }: PlannedCall, failure: CallFailure): string {
	const at = `${model.id} at ${model.provider}`;
	if (failure.kind === "status") return `${at}: status ${failure.status}`;
	return `${at}: ${failure.kind === "lost" ? LOST[failure.why] : "the client hung up"}`;
}

/** The calls of a set that did not serve, and what they add up to. */
export class FailedCalls {
	#shunned = new Set<string>();
	#lines: string[] = [];
	#waitsMs: number[] = [];
	#costNanoUsd = 0;
	#last: { call: PlannedCall; failure: CallFailure } | null = null;

	/** Whether a call's provider may be asked after what it has done. */
	allows({ candidate }: PlannedCall): boolean {
		return !this.#shunned.has(candidate.model.provider);
	}

	/** @param costNanoUsd what the call is billed at. */
	add(call: PlannedCall, failure: CallFailure, costNanoUsd: number): Consequence {
		this.#last = { call, failure };
		this.#lines.push(lineOf(call, failure));
		this.#costNanoUsd += costNanoUsd;
		if (failure.kind === "status" && failure.retryAfterMs !== null) this.#waitsMs.push(failure.retryAfterMs);
		const consequence = consequenceOf(failure);
		if (consequence.next === "elsewhere") this.#shunned.add(call.candidate.model.provider);
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
			costUsd: usd(this.#costNanoUsd),
			retryAfterMs: this.#waitsMs.length > 0 ? Math.min(...this.#waitsMs) : null,
		};
	}
}

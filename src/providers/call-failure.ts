// How an upstream call can fail, as a value.
import type { ModelAnswer } from "./model-call.ts";
import type { ReportedUsage, UpstreamError } from "./wire.ts";

/**
 * Why a call gave no answer.
 * `no_head`: no connection, or it broke before the response head.
 * `head_timeout`: no response head in time.
 * `timeout`: silence after the head.
 * `out_of_time`: the time of the whole request was up.
 * `cut`: the connection broke or ended early.
 * `reported`: the upstream reported an error.
 * `empty`: the answer ended normally and was empty.
 * `unusable`: the answer cannot be read.
 * `too_large`: the answer exceeds the size limit.
 * `mismatched`: the answer has another number of vectors or results than inputs were sent, or vectors of another length.
 */
export type LostReason =
	| "no_head"
	| "head_timeout"
	| "timeout"
	| "out_of_time"
	| "cut"
	| "reported"
	| "empty"
	| "unusable"
	| "too_large"
	| "mismatched";

/**
 * Why there was no token to make a call with.
 * `refused`: the credentials were refused.
 * `failed`: the token endpoint answered another error, or was busy.
 * `unreachable`, `late`: it could not be reached, or did not answer in time.
 * `unusable`: its answer cannot be read, or the credentials cannot be used to ask it.
 */
export type TokenFault = "refused" | "failed" | "unreachable" | "late" | "unusable";

/** No token: nothing was sent to the provider, and nothing is billed. */
export interface NoToken {
	kind: "no_token";
	why: TokenFault;
	/** Status of the token endpoint; null where none came. */
	status: number | null;
	retryAfterMs: number | null;
}

/** What a call that broke off had delivered and reported by then. */
export interface PartialAnswer {
	answer: ModelAnswer | null;
	reported: ReportedUsage | null;
}

export const NO_PARTIAL_ANSWER: PartialAnswer = { answer: null, reported: null };

/** A call that ended without a whole answer. */
interface InterruptedCall {
	/** False when the provider never had the whole request. Otherwise it may have served the request, and may bill it. */
	sent: boolean;
	partial: PartialAnswer;
}

/** The ways a call can fail. */
export type CallFailure =
	/** An error status. Nothing was generated, and nothing is billed. */
	| { kind: "status"; status: number; error: UpstreamError | null; retryAfterMs: number | null }
	| NoToken
	| (InterruptedCall & { kind: "lost"; why: LostReason; error: UpstreamError | null })
	/** The client has disconnected. */
	| (InterruptedCall & { kind: "client_closed" });

/** Thrown when a call that had begun gives no whole answer. */
export class UpstreamInterrupted extends Error {
	override name = "UpstreamLost";
	why: LostReason;
	error: UpstreamError | null;
	constructor(why: LostReason, error: UpstreamError | null = null) {
		super(`the upstream call was lost: ${why}`);
		this.why = why;
		this.error = error;
	}
}

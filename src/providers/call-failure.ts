// How an upstream call can fail, as a value.
import type { ModelAnswer } from "./model-call.ts";
import type { ReportedUsage, UpstreamError } from "./wire.ts";

/**
 * Why a call gave no answer. `no_head`: no connection, or one that broke before the response head; `head_timeout`: no head in
 * time; `timeout`: silence after the head; `out_of_time`: the time of the whole request was up; `cut`: the connection broke
 * or ended early; `reported`: the upstream said so itself; `empty`: it ended by itself with nothing said; `unusable`: it
 * cannot be read.
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
	| "too_large";

/** What a call that broke off had said and reported by then. */
export interface PartialAnswer {
	answer: ModelAnswer | null;
	reported: ReportedUsage | null;
}

export const NO_PARTIAL_ANSWER: PartialAnswer = { answer: null, reported: null };

/** Ways for a call to fail. */
export type CallFailure =
	/** An error status: nothing was generated, nothing is billed. */
	| { kind: "status"; status: number; error: UpstreamError | null; retryAfterMs: number | null }
	/** `sent` is false when the provider never had the whole request; else it may have been carried out, and may be billed. */
	| { kind: "lost"; why: LostReason; sent: boolean; remains: PartialAnswer; error: UpstreamError | null }
	/** The client has gone. */
	| { kind: "client_closed"; sent: boolean; remains: PartialAnswer };

/** Why a call that had begun gave no whole answer. */
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

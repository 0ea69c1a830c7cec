// How an upstream call can fail, as a value.
import type { TokenUsage } from "../catalog/price.ts";
import type { ModelAnswer } from "./model-call.ts";
import type { UpstreamError } from "./wire.ts";

/**
 * `no_head`: no connection, or one that broke before the response head; the platform reports a refused connection and one
 * that broke after the request was sent with the same error, so both count as sent. `head_timeout`: no head in time.
 * `timeout`: silence, or the end of the call's time, after the head.
 */
export type LostReason = "no_head" | "head_timeout" | "timeout" | "cut" | "unusable" | "too_large" | "reported";

/** What a call that broke off had said and reported by then. */
export interface Remains {
	answer: ModelAnswer | null;
	/** Counts of a running call are no end counts. */
	usageSoFar: TokenUsage | null;
}

export const NOTHING_SAID: Remains = { answer: null, usageSoFar: null };

/** Ways for a call to fail. */
export type CallFailure =
	/** An error status: nothing was generated, nothing is billed. */
	| { kind: "status"; status: number; error: UpstreamError | null; retryAfterMs: number | null }
	/** The request may have reached a model, and may be billed. `usage` is the end count of an answer that was of no use. */
	| { kind: "lost"; why: LostReason; remains: Remains; usage: TokenUsage | null; error: UpstreamError | null }
	/** `sent` is false when the client had gone before the call was made. */
	| { kind: "client_closed"; sent: boolean; remains: Remains };

/** Why a call that had begun gave no whole answer. */
export class UpstreamLost extends Error {
	override name = "UpstreamLost";
	why: LostReason;
	error: UpstreamError | null;
	constructor(why: LostReason, error: UpstreamError | null = null) {
		super(`the upstream call was lost: ${why}`);
		this.why = why;
		this.error = error;
	}
}

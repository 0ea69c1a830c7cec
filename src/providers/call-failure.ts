// How an upstream call can fail, as a value.
import type { TokenUsage } from "../catalog/price.ts";
import type { UpstreamError } from "./wire.ts";

export type LostReason = "no_head" | "timeout" | "cut" | "unusable" | "too_large" | "reported";

/** Ways for a call to fail. */
export type CallFailure =
	/** An error status: nothing was generated, nothing is billed. */
	| { kind: "status"; status: number; error: UpstreamError | null; retryAfterMs: number | null }
	/**
	 * The request may have reached a model, and may be billed: a deadline passed, the body broke off or is unusable.
	 * `no_head` covers a refused connection as well, because the platform reports both with the same error.
	 */
	| { kind: "lost"; why: LostReason; usage: TokenUsage | null; error: UpstreamError | null }
	| { kind: "client_closed" };

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

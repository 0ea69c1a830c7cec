// The upstream calls of a request, with their times, as its row has them. Pure; the clock is an argument.
import type { Model } from "../catalog/schema.ts";
import { type AttemptError, type CallAttempt, keepAttempts } from "../meter/call-attempt.ts";
import type { CallFailure } from "../providers/call-failure.ts";

/** The status of an upstream whose answer has begun. */
const ANSWERING_STATUS = 200;

function toAttemptError(failure: CallFailure): AttemptError {
	if (failure.kind !== "lost") return failure.kind;
	return failure.sent ? failure.why : "unreachable";
}

/** A call under way. */
export class OpenAttempt {
	readonly #attempt: CallAttempt;
	readonly #sentAtMs: number;

	constructor(attempt: CallAttempt, sentAtMs: number) {
		this.#attempt = attempt;
		this.#sentAtMs = sentAtMs;
	}

	/** Notes that its answer begins. */
	noteHead(): void {
		this.#attempt.status = ANSWERING_STATUS;
	}

	/** Notes its first token, or its whole body; later ones are none. */
	noteFirstToken(nowMs: number): void {
		this.#attempt.firstTokenMs ??= Math.max(0, nowMs - this.#sentAtMs);
	}

	/** @param failure null where it served. */
	end(failure: CallFailure | null, nowMs: number): void {
		this.#attempt.ms = Math.max(0, nowMs - this.#sentAtMs);
		if (!failure) return;
		this.#attempt.error = toAttemptError(failure);
		if (failure.kind === "status") this.#attempt.status = failure.status;
	}
}

export class AttemptLog {
	readonly #arrivedAtMs: number;
	readonly #attempts: CallAttempt[] = [];

	/** @param arrivedAtMs when the request arrived. */
	constructor(arrivedAtMs: number) {
		this.#arrivedAtMs = arrivedAtMs;
	}

	/** Begins a call. @param spanId of its span, where the request is traced. */
	begin({ id: model, provider }: Pick<Model, "id" | "provider">, nowMs: number, spanId?: string): OpenAttempt {
		const startedMs = Math.max(0, nowMs - this.#arrivedAtMs);
		const attempt: CallAttempt = { provider, model, status: null, error: null, startedMs, firstTokenMs: null, ms: 0 };
		if (spanId !== undefined) attempt.spanId = spanId;
		this.#attempts.push(attempt);
		return new OpenAttempt(attempt, nowMs);
	}

	/** The calls so far that are kept, in the order of their starts. */
	get kept(): CallAttempt[] {
		return keepAttempts(this.#attempts);
	}
}

/** From the arrival to the first token of the attempt that served, ms; null where none did. */
export function toFirstTokenMs(attempts: readonly CallAttempt[]): number | null {
	const served = attempts.findLast(({ error, firstTokenMs }) => error === null && firstTokenMs !== null);
	return served?.firstTokenMs == null ? null : served.startedMs + served.firstTokenMs;
}

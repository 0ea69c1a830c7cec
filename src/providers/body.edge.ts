// The body of an upstream's response, read piece by piece under its deadlines and a size limit.
import { type LostReason, UpstreamInterrupted } from "./call-failure.ts";

/** A larger answer than any model writes; it keeps a broken upstream from filling the isolate. */
const MAX_ANSWER_BYTES = 33_554_432;

/** How long an upstream may be silent, and when its time is up. */
export interface BodyDeadlines {
	/** Of silence before the first delta: a model that reasons unseen says nothing meanwhile. */
	firstDeltaMs: number;
	/** Of silence between two pieces of the body from then on. */
	idleMs: number;
	/** When the call is over in any case, ms since the epoch. */
	endsAtMs: number;
}

/**
 * Tells when somebody has waited for longer than is allowed, and when time is up. Only waiting counts as silence: an answer
 * that nobody reads is not a silent one. One timer, however often something is received.
 */
class SilenceTimer {
	#allowedMs: number;
	#endsAtMs: number;
	#onTimeout: (why: "timeout" | "out_of_time") => void;
	#waitingSinceMs: number | null = null;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#armedForMs = Number.POSITIVE_INFINITY;

	constructor(allowedMs: number, endsAtMs: number, onOver: (why: "timeout" | "out_of_time") => void) {
		this.#allowedMs = allowedMs;
		this.#endsAtMs = endsAtMs;
		this.#onTimeout = onOver;
		this.#arm(endsAtMs, Date.now());
	}

	#arm(atMs: number, nowMs: number): void {
		clearTimeout(this.#timer);
		this.#armedForMs = atMs;
		this.#timer = setTimeout(() => this.#check(Date.now()), Math.max(1, atMs - nowMs));
	}

	/** When the present wait is too long, or time is up. */
	#nextDeadlineMs(): number {
		const sinceMs = this.#waitingSinceMs ?? Number.POSITIVE_INFINITY;
		return Math.min(sinceMs + this.#allowedMs, this.#endsAtMs);
	}

	#check(nowMs: number): void {
		const nextMs = this.#nextDeadlineMs();
		if (nowMs < nextMs) this.#arm(nextMs, nowMs);
		else this.#onTimeout(nowMs < this.#endsAtMs ? "timeout" : "out_of_time");
	}

	/** Somebody waits from now on. A timer that is set for earlier will find out when to look again. */
	startWait(): void {
		const nowMs = Date.now();
		this.#waitingSinceMs = nowMs;
		if (this.#nextDeadlineMs() < this.#armedForMs) this.#arm(this.#nextDeadlineMs(), nowMs);
	}

	/** Something was received: nobody waits. */
	endWait(): void {
		this.#waitingSinceMs = null;
	}

	/** Allows another time of silence from the next wait on. */
	setAllowedMs(allowedMs: number): void {
		this.#allowedMs = allowedMs;
	}

	stop(): void {
		clearTimeout(this.#timer);
	}
}

/** One response's body. Comments and pings are signs of life like any other piece. */
export class UpstreamBody {
	#reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
	#decoder = new TextDecoder();
	#idleMs: number;
	#timer: SilenceTimer;
	#lost: LostReason | null = null;
	#bytes = 0;

	/** @param onLost told when a deadline has passed, even while nobody reads. */
	constructor(
		response: Pick<Response, "body">,
		{ firstDeltaMs, idleMs, endsAtMs }: BodyDeadlines,
		onLost: () => void = () => undefined,
	) {
		this.#reader = response.body?.getReader();
		this.#idleMs = idleMs;
		this.#timer = new SilenceTimer(firstDeltaMs, endsAtMs, (why) => {
			this.#lost ??= why;
			// Cancelling ends a pending read, whoever made the response.
			this.close();
			onLost();
		});
	}

	/** The model has begun to speak: from now on it may be silent for less. */
	noteOutput(): void {
		this.#timer.setAllowedMs(this.#idleMs);
	}

	/**
	 * The next piece as text; null at the end.
	 * @throws UpstreamInterrupted when the connection breaks, a deadline has passed or the body is too large.
	 */
	async read(): Promise<string | null> {
		if (this.#lost) throw new UpstreamInterrupted(this.#lost);
		this.#timer.startWait();
		const piece = await this.#reader?.read().catch(() => {
			throw new UpstreamInterrupted(this.#lost ?? "cut");
		});
		this.#timer.endWait();
		if (this.#lost) throw new UpstreamInterrupted(this.#lost);
		if (!piece || piece.done) {
			this.#timer.stop();
			return null;
		}
		this.#bytes += piece.value.byteLength;
		if (this.#bytes > MAX_ANSWER_BYTES) throw new UpstreamInterrupted("too_large");
		return this.#decoder.decode(piece.value, { stream: true });
	}

	/** What is left of the body as text; of a longer one, at least so many characters. */
	async readRest(maxChars = Number.POSITIVE_INFINITY): Promise<string> {
		const pieces: string[] = [];
		let chars = 0;
		for (let piece = await this.read(); piece !== null; piece = await this.read()) {
			pieces.push(piece);
			chars += piece.length;
			if (chars >= maxChars) break;
		}
		return pieces.join("");
	}

	/** Whoever stops reading stops the upstream. */
	close(): void {
		this.#timer.stop();
		this.#reader?.cancel().catch(() => undefined);
	}
}

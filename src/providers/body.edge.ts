// Reads the body of an upstream response piece by piece, under deadlines and a size limit.
import { type LostReason, UpstreamInterrupted } from "./call-failure.ts";

/** Larger than any model's answer. It keeps a broken upstream from filling the isolate. */
const MAX_ANSWER_BYTES = 33_554_432;

/** How long a response body may take. */
export interface BodyDeadlines {
	/** Longest silence before the first output. A model whose reasoning is hidden sends nothing meanwhile. */
	firstDeltaMs: number;
	/** Longest silence between two pieces of the body after that. */
	idleMs: number;
	/** When the call ends in any case, ms since the epoch. */
	endsAtMs: number;
}

/**
 * Reports when a read has waited too long, or the call's time is up. Only waiting counts as silence: an upstream whose
 * answer nobody reads is not silent. It uses one timer, however many pieces arrive.
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
		const nowMs = Date.now();
		// The first wait begins soon, so that the timer that it needs is set at once.
		this.#arm(Math.min(nowMs + allowedMs, endsAtMs), nowMs);
	}

	#arm(atMs: number, nowMs: number): void {
		clearTimeout(this.#timer);
		this.#armedForMs = atMs;
		this.#timer = setTimeout(() => this.#check(Date.now()), Math.max(1, atMs - nowMs));
	}

	/** When the current wait is too long, or the call's time is up. */
	#nextDeadlineMs(): number {
		const sinceMs = this.#waitingSinceMs ?? Number.POSITIVE_INFINITY;
		return Math.min(sinceMs + this.#allowedMs, this.#endsAtMs);
	}

	#check(nowMs: number): void {
		const nextMs = this.#nextDeadlineMs();
		if (nowMs < nextMs) this.#arm(nextMs, nowMs);
		else this.#onTimeout(nowMs < this.#endsAtMs ? "timeout" : "out_of_time");
	}

	/** A read waits from now on. A timer set for earlier sets itself again when it fires. */
	startWait(): void {
		const nowMs = Date.now();
		this.#waitingSinceMs = nowMs;
		if (this.#nextDeadlineMs() < this.#armedForMs) this.#arm(this.#nextDeadlineMs(), nowMs);
	}

	/** A piece was received, so no read waits. */
	endWait(): void {
		this.#waitingSinceMs = null;
	}

	/** Sets the longest silence from the next wait on. */
	setAllowedMs(allowedMs: number): void {
		this.#allowedMs = allowedMs;
	}

	stop(): void {
		clearTimeout(this.#timer);
	}
}

/** The body of one response. Comments and pings count as pieces like any other. */
export class UpstreamBody {
	#reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
	#idleMs: number;
	#timer: SilenceTimer;
	#lost: LostReason | null = null;
	#bytes = 0;

	/** @param onLost called when a deadline passes, even while nobody reads. */
	constructor(
		response: Pick<Response, "body">,
		{ firstDeltaMs, idleMs, endsAtMs }: BodyDeadlines,
		onLost: () => void = () => undefined,
	) {
		this.#reader = response.body?.getReader();
		this.#idleMs = idleMs;
		this.#timer = new SilenceTimer(firstDeltaMs, endsAtMs, (why) => {
			this.#lost ??= why;
			// Cancelling ends a pending read, whoever created the response.
			this.close();
			onLost();
		});
	}

	/** The model has begun its output. From now on the shorter silence limit holds. */
	noteOutput(): void {
		this.#timer.setAllowedMs(this.#idleMs);
	}

	/**
	 * The next piece; null at the end.
	 * @throws UpstreamInterrupted when the connection breaks, a deadline has passed or the body is too large.
	 */
	async read(): Promise<Uint8Array | null> {
		if (this.#lost) throw new UpstreamInterrupted(this.#lost);
		this.#timer.startWait();
		let piece: ReadableStreamReadResult<Uint8Array> | undefined;
		try {
			piece = await this.#reader?.read();
		} catch {
			throw new UpstreamInterrupted(this.#lost ?? "cut");
		}
		this.#timer.endWait();
		if (this.#lost) throw new UpstreamInterrupted(this.#lost);
		if (!piece || piece.done) {
			this.#timer.stop();
			return null;
		}
		this.#bytes += piece.value.byteLength;
		if (this.#bytes > MAX_ANSWER_BYTES) throw new UpstreamInterrupted("too_large");
		return piece.value;
	}

	/** The rest of the body as text. Reading stops once `maxChars` characters have come. */
	async readRest(maxChars = Number.POSITIVE_INFINITY): Promise<string> {
		const decoder = new TextDecoder();
		const pieces: string[] = [];
		let chars = 0;
		for (let piece = await this.read(); piece !== null; piece = await this.read()) {
			const text = decoder.decode(piece, { stream: true });
			pieces.push(text);
			chars += text.length;
			if (chars >= maxChars) break;
		}
		return pieces.join("");
	}

	/** Ends the upstream response when its reader stops. */
	close(): void {
		this.#timer.stop();
		this.#reader?.cancel().catch(() => undefined);
	}
}

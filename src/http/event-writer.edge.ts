// Writes an answer to a client as it comes, mostly Server-Sent Events: with back-pressure, a comment now and then so that no
// proxy takes silence for death, and notice when the client has gone.

/** A silent connection gets a comment this often; proxies cut at 100 seconds. */
const KEEP_ALIVE_MS = 15_000;
/** How often the silence is looked at. */
const SILENCE_CHECK_MS = 1_000;

/** A comment, which clients ignore. */
export function sseComment(text: string): string {
	return `: ${text}\n\n`;
}

export class EventWriter {
	#writer: WritableStreamDefaultWriter<Uint8Array>;
	#encoder = new TextEncoder();
	#keepAlive: ReturnType<typeof setInterval>;
	#wroteAtMs = Date.now();
	#gone = new AbortController();
	#waits = true;
	#stopWaiting: () => void = () => undefined;

	/** @param keepAlive what is written into silence: a comment, or white space where one JSON text is all that comes. */
	constructor(writable: WritableStream<Uint8Array>, keepAlive = sseComment("keep-alive")) {
		this.#writer = writable.getWriter();
		this.#writer.closed.catch(() => this.#gone.abort());
		this.#keepAlive = setInterval(() => {
			if (Date.now() - this.#wroteAtMs >= KEEP_ALIVE_MS) void this.write(keepAlive);
		}, SILENCE_CHECK_MS);
	}

	/** Aborts when nobody reads any more. */
	get gone(): AbortSignal {
		return this.#gone.signal;
	}

	/** Writes whole events, as text, and waits until the client takes them. Never throws: one that has gone gets nothing. */
	write(events: string): Promise<void> {
		if (this.#gone.signal.aborted) return Promise.resolve();
		this.#wroteAtMs = Date.now();
		return new Promise((resolve) => {
			if (this.#waits) this.#stopWaiting = resolve;
			else resolve();
			this.#writer.write(this.#encoder.encode(events)).then(resolve, () => {
				this.#gone.abort();
				resolve();
			});
		});
	}

	/** Lets whoever waits for the client go on without it, now and from now on. */
	stopWaiting(): void {
		this.#waits = false;
		this.#stopWaiting();
	}

	comment(text: string): Promise<void> {
		return this.write(sseComment(text));
	}

	/** Ends the keep-alive of a stream that the client will not get. */
	abandon(): void {
		clearInterval(this.#keepAlive);
	}

	async close(): Promise<void> {
		this.abandon();
		await this.#writer.close().catch(() => undefined);
	}
}

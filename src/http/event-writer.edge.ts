// Writes an answer to a client piece by piece, mostly as Server-Sent Events: with back-pressure, with comments that keep a silent
// connection open, and with a signal when the client has left.

/** A silent connection gets a comment this often. Proxies cut it after 100 seconds. */
const KEEP_ALIVE_MS = 15_000;
/** How often silence is checked. */
const SILENCE_CHECK_MS = 1_000;

/** A comment of an event stream, which clients ignore. */
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

	/** @param keepAlive written into silence: a comment, or white space before a JSON body. */
	constructor(writable: WritableStream<Uint8Array>, keepAlive = sseComment("keep-alive")) {
		this.#writer = writable.getWriter();
		this.#writer.closed.catch(() => this.#gone.abort());
		this.#keepAlive = setInterval(() => {
			if (Date.now() - this.#wroteAtMs >= KEEP_ALIVE_MS) void this.write(keepAlive);
		}, SILENCE_CHECK_MS);
	}

	/** Aborts when the client has left. */
	get gone(): AbortSignal {
		return this.#gone.signal;
	}

	/** Writes complete events and waits until the client takes them. Never throws; for a client that has left it does nothing. */
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

	/** Ends all waiting for the client, now and later. */
	stopWaiting(): void {
		this.#waits = false;
		this.#stopWaiting();
	}

	comment(text: string): Promise<void> {
		return this.write(sseComment(text));
	}

	/** Stops the keep-alive of a stream that the client will not get. */
	abandon(): void {
		clearInterval(this.#keepAlive);
	}

	async close(): Promise<void> {
		this.abandon();
		await this.#writer.close().catch(() => undefined);
	}
}

// Writes an answer to a client piece by piece, mostly as Server-Sent Events: with back-pressure, with comments that keep a silent
// connection open, and with a signal when the client has left.

/** What a silent connection gets, and how often. */
export interface KeepAlive {
	/** A comment, or white space before a JSON body. */
	text: string;
	everyMs: number;
}

/** A comment of an event stream, which clients ignore. */
export function sseComment(text: string): string {
	return `: ${text}\n\n`;
}

/** The keep-alive of an event stream. Proxies cut a silent connection after 100 seconds. */
export const STREAM_KEEP_ALIVE: KeepAlive = { text: sseComment("keep-alive"), everyMs: 15_000 };
/** Checks of the silence in one interval of the keep-alive. */
const SILENCE_CHECKS = 10;

export class EventWriter {
	#writer: WritableStreamDefaultWriter<Uint8Array>;
	#encoder = new TextEncoder();
	#keepAlive: ReturnType<typeof setInterval>;
	#wroteAtMs = Date.now();
	#gone = new AbortController();
	#waits = true;
	#stopWaiting: () => void = () => undefined;

	constructor(writable: WritableStream<Uint8Array>, { text, everyMs }: KeepAlive = STREAM_KEEP_ALIVE) {
		this.#writer = writable.getWriter();
		this.#writer.closed.catch(() => this.#gone.abort());
		this.#keepAlive = setInterval(() => {
			if (Date.now() - this.#wroteAtMs >= everyMs) void this.write(text);
		}, everyMs / SILENCE_CHECKS);
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

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

/** Text that the client has not taken yet. */
interface WaitingText {
	bytes: Uint8Array;
	/** Ends the wait of its writer. */
	onTaken(): void;
}

/**
 * The stream buffers nothing: each read takes one text. A TransformStream takes twice the CPU. The platform's
 * IdentityTransformStream is cheaper, but it notices a client that has left only at the next write.
 */
export class EventWriter {
	/** The body of the response. */
	readonly readable: ReadableStream<Uint8Array>;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	#waiting: WaitingText[] = [];
	/** A read waits for text. */
	#isRead = false;
	#onEnd: (() => void) | null = null;
	#encoder = new TextEncoder();
	#keepAlive: ReturnType<typeof setInterval>;
	#wroteAtMs = Date.now();
	#gone = new AbortController();
	#hasGone = false;
	#waits = true;
	/** What a silent connection gets from now on. */
	keepAliveText: string;

	constructor({ text, everyMs }: KeepAlive = STREAM_KEEP_ALIVE) {
		const source: UnderlyingSource<Uint8Array> = {
			start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
				this.#controller = controller;
			},
			pull: () => this.#pull(),
			cancel: () => this.#leave(),
		};
		this.readable = new ReadableStream(source, { highWaterMark: 0 });
		this.keepAliveText = text;
		this.#keepAlive = setInterval(() => {
			const isTaken = this.#waiting.length === 0;
			if (isTaken && Date.now() - this.#wroteAtMs >= everyMs) void this.write(this.keepAliveText);
		}, everyMs / SILENCE_CHECKS);
	}

	/** Aborts when the client has left. */
	get gone(): AbortSignal {
		return this.#gone.signal;
	}

	/** Whether the client has left. */
	get hasGone(): boolean {
		return this.#hasGone;
	}

	#pull(): void {
		const next = this.#waiting.shift();
		if (next) {
			this.#controller?.enqueue(next.bytes);
			next.onTaken();
		} else this.#isRead = true;
		this.#endIfDone();
	}

	#leave(): void {
		this.#hasGone = true;
		this.#gone.abort();
		for (const { onTaken } of this.#waiting.splice(0)) onTaken();
		this.#endIfDone();
	}

	#endIfDone(): void {
		const onEnd = this.#onEnd;
		if (!onEnd || this.#waiting.length > 0) return;
		this.#onEnd = null;
		if (!this.#hasGone) this.#controller?.close();
		onEnd();
	}

	/** Writes complete events and waits until the client takes them. Never throws; for a client that has left it does nothing. */
	write(events: string): Promise<void> {
		if (this.#hasGone) return Promise.resolve();
		this.#wroteAtMs = Date.now();
		const bytes = this.#encoder.encode(events);
		if (this.#isRead) {
			this.#isRead = false;
			this.#controller?.enqueue(bytes);
			return Promise.resolve();
		}
		return new Promise((resolve) => {
			this.#waiting.push({ bytes, onTaken: resolve });
			if (!this.#waits) resolve();
		});
	}

	/** Ends all waiting for the client, now and later. */
	stopWaiting(): void {
		this.#waits = false;
		for (const { onTaken } of this.#waiting) onTaken();
	}

	comment(text: string): Promise<void> {
		return this.write(sseComment(text));
	}

	/** Stops the keep-alive of a stream that the client will not get. */
	abandon(): void {
		clearInterval(this.#keepAlive);
	}

	/** Ends the body once the client has taken everything, and waits for that. */
	close(): Promise<void> {
		this.abandon();
		return new Promise((resolve) => {
			this.#onEnd = resolve;
			this.#endIfDone();
		});
	}
}

// Makes one upstream request: sends it, waits for the response head, decodes the body, and returns the outcome as a
// value. Reads streams and whole answers alike, whichever of them was requested. Failover is left to the engine.
import { logError } from "../http/log.edge.ts";
import { parseRetryAfterMs } from "../http/retry-after.ts";
import { parseJson } from "../json.ts";
import { isOutputPart, toStreamParts } from "./accumulate.ts";
import { type BodyDeadlines, UpstreamBody } from "./body.edge.ts";
import { type CallFailure, NO_PARTIAL_ANSWER, UpstreamInterrupted } from "./call-failure.ts";
import {
	type EventReader,
	type ReportedUsage,
	type StreamEvent,
	type StreamPart,
	type UpstreamRequest,
	utf8Bytes,
	type Wire,
} from "./wire.ts";

/** How long an upstream request may take. */
export interface Deadlines extends BodyDeadlines {
	/** Longest wait from the request to the response head. */
	headMs: number;
}

/** How much of an error body is read. The rest adds nothing. */
const MAX_ERROR_CHARS = 65_536;

/** A stream whose response head has arrived. Its parts end normally only when the format's end mark was seen. */
export interface UpstreamStream {
	kind: "stream";
	sandbox: boolean;
	/**
	 * One array per piece of the body. Throws UpstreamInterrupted when the stream breaks off, is unreadable, or a
	 * deadline passes.
	 */
	parts: AsyncIterableIterator<StreamPart[], void>;
	/** Usage as reported so far; null when there was none. */
	reported(): ReportedUsage | null;
	/** Aborts when a deadline passes, even while nobody reads. */
	deadlineSignal: AbortSignal;
	/** Ends the upstream request. */
	abort(): void;
}

/**
 * A request body on its way. The platform reports the same error for a refused connection and for one that broke after
 * the request. It accepts the last byte only after passing on all bytes before it, and a provider does nothing without
 * the last byte. So `sent` tells the two apart.
 */
class OutgoingBody {
	readonly stream: ReadableStream<Uint8Array>;
	#sent = false;

	constructor(text: string) {
		const bytes = utf8Bytes(text);
		const { readable, writable } = new FixedLengthStream(bytes.byteLength);
		this.stream = readable;
		// The body breaks off together with the request, which reports the failure itself.
		this.#write(writable.getWriter(), bytes).catch(() => undefined);
	}

	async #write(writer: WritableStreamDefaultWriter<Uint8Array>, bytes: Uint8Array): Promise<void> {
		await writer.write(bytes.subarray(0, -1));
		await writer.write(bytes.subarray(-1));
		this.#sent = true;
		await writer.close();
	}

	/** Whether the provider may have the whole body. */
	get sent(): boolean {
		return this.#sent;
	}
}

/**
 * Sends a request and waits for its head. Redirects are not followed, so the provider key goes only to the configured
 * host.
 * @throws UpstreamInterrupted when the head does not come in time, else whatever the platform throws.
 */
async function fetchHead(
	{ url, headers }: UpstreamRequest,
	body: OutgoingBody,
	{ headMs, endsAtMs }: Deadlines,
	abort: AbortController,
): Promise<Response> {
	const leftMs = endsAtMs - Date.now();
	const { signal } = abort;
	const pending = fetch(url, { method: "POST", headers, body: body.stream, redirect: "manual", signal });
	let timer: ReturnType<typeof setTimeout> | undefined;
	const deadline = new Promise<never>((_, reject) => {
		timer = setTimeout(
			() => {
				// When the request had little time left, the provider was not slow.
				reject(new UpstreamInterrupted(leftMs < headMs ? "out_of_time" : "head_timeout"));
				abort.abort();
			},
			Math.max(1, Math.min(headMs, leftMs)),
		);
	});
	try {
		return await Promise.race([pending, deadline]);
	} finally {
		clearTimeout(timer);
	}
}

/** A provider's wait holds as it is sent, but for what can only be a slip: a week. */
const LONGEST_WAIT_MS = 604_800_000;

/** Reads what an error status says, as far as its body comes in time. */
async function readStatusFailure(
	wire: Pick<Wire, "parseError">,
	{ status, headers }: Response,
	body: UpstreamBody,
): Promise<CallFailure> {
	const error = wire.parseError(parseJson(await body.readRest(MAX_ERROR_CHARS).catch(() => "")), headers);
	const waitMs = parseRetryAfterMs(headers, Date.now()) ?? error?.retryAfterMs ?? null;
	return { kind: "status", status, error, retryAfterMs: waitMs === null ? null : Math.min(waitMs, LONGEST_WAIT_MS) };
}

const END_OF_PARTS = { done: true, value: undefined } as const;

/**
 * The stream parts of one response body, streamed or whole. It is one object without generators: a stream has thousands
 * of pieces, and each layer of generators would cost two promises per piece.
 */
class PartStream implements AsyncIterableIterator<StreamPart[], void> {
	#wire: Wire;
	#body: UpstreamBody;
	#finish: () => void;
	#close: () => void;
	#isWhole: boolean;
	#decoder: ReturnType<Wire["createDecoder"]>;
	#events: StreamEvent[] = [];
	#reader: EventReader;
	/** Usage of a body that came whole. */
	#wholeBodyUsage: ReportedUsage | null = null;
	/** The error that ends the stream. It is thrown after the parts of the same piece were returned. */
	#pendingError: UpstreamInterrupted | null = null;
	#hasEnded = false;

	/**
	 * @param isWhole the upstream answered with a whole body.
	 * @param finish called when the body was read to its end.
	 * @param close ends the request; called when the parts end otherwise.
	 */
	constructor(wire: Wire, body: UpstreamBody, isWhole: boolean, finish: () => void, close: () => void) {
		this.#wire = wire;
		this.#body = body;
		this.#isWhole = isWhole;
		this.#finish = finish;
		this.#close = close;
		this.#decoder = wire.createDecoder();
		this.#reader = wire.createReader((event) => this.#events.push(event));
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	reported(): ReportedUsage | null {
		return this.#wholeBodyUsage ?? this.#decoder.reportedUsage();
	}

	async next(): Promise<IteratorResult<StreamPart[], void>> {
		try {
			const value = this.#isWhole ? await this.#readWholeBody() : await this.#readNextParts();
			if (value) return { done: false, value };
			this.#finish();
			return END_OF_PARTS;
		} catch (error) {
			this.#hasEnded = true;
			this.#close();
			if (error instanceof UpstreamInterrupted) throw error;
			// A bug of ours that the upstream's content triggered. The client loses this call, not the whole request.
			logError("upstream_unreadable", error);
			throw new UpstreamInterrupted("unusable");
		}
	}

	async return(): Promise<IteratorResult<StreamPart[], void>> {
		this.#hasEnded = true;
		this.#close();
		return END_OF_PARTS;
	}

	/** The parts of the next pieces that have any; null at the end. */
	async #readNextParts(): Promise<StreamPart[] | null> {
		if (this.#pendingError) throw this.#pendingError;
		while (!this.#hasEnded) {
			const piece = await this.#body.read();
			this.#hasEnded = piece === null;
			const parts: StreamPart[] = [];
			this.#decode(piece, parts);
			if (piece === null && !this.#pendingError) {
				for (const part of this.#decoder.end()) parts.push(part);
				if (!this.#decoder.finished) this.#pendingError = new UpstreamInterrupted("cut");
			}
			if (parts.some(isOutputPart)) this.#body.noteOutput();
			if (parts.length > 0) return parts;
			if (this.#pendingError) throw this.#pendingError;
		}
		return null;
	}

	/** @param piece null at the end of the body. */
	#decode(piece: Uint8Array | null, parts: StreamPart[]): void {
		let unreadable: UpstreamInterrupted | null = null;
		try {
			if (piece) this.#reader.feed(piece);
			else this.#reader.end();
		} catch (error) {
			// What came before it is delivered.
			if (!(error instanceof UpstreamInterrupted)) throw error;
			unreadable = error;
		}
		const events = this.#events;
		this.#events = [];
		for (const event of events) {
			for (const part of this.#decoder.decode(event)) {
				if (part.type === "failure") {
					this.#pendingError = new UpstreamInterrupted("reported", part.error);
					return;
				}
				parts.push(part);
			}
		}
		this.#pendingError = unreadable;
	}

	async #readWholeBody(): Promise<StreamPart[] | null> {
		if (this.#hasEnded) return null;
		this.#hasEnded = true;
		const json = parseJson(await this.#body.readRest());
		const counts = this.#wire.parseUsage(json);
		if (counts) this.#wholeBodyUsage = { counts, isFinal: true };
		const answer = this.#wire.parseAnswer(json);
		if (answer) return toStreamParts(answer);
		const error = this.#wire.parseError(json);
		throw new UpstreamInterrupted(error ? "reported" : "unusable", error);
	}
}

function isJson(response: Response): boolean {
	return /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
}

/** An answer whose head has arrived, before anything of it is read. */
interface UpstreamAnswer {
	kind: "answer";
	response: Response;
	sandbox: boolean;
	body: UpstreamBody;
	/** Aborts when a deadline passes, even while nobody reads. */
	deadlineSignal: AbortSignal;
	/** To be called when the body was read to its end. */
	finish(): void;
	/** Ends the upstream request. */
	close(): void;
}

/** Sends a request and waits for its head. Never throws for anything an upstream can do. */
async function openUpstream(
	wire: Pick<Wire, "parseError">,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<UpstreamAnswer | CallFailure> {
	if (client.aborted) return { kind: "client_closed", sent: false, partial: NO_PARTIAL_ANSWER };
	const abort = new AbortController();
	let body: UpstreamBody | null = null;
	let isOver = false;
	/** Nothing is left to abort, which would cost more than it does. */
	const finish = () => {
		isOver = true;
		client.removeEventListener("abort", close);
	};
	const close = () => {
		if (isOver) return;
		finish();
		abort.abort();
		body?.close();
	};
	client.addEventListener("abort", close, { once: true });
	const outgoing = new OutgoingBody(request.body);
	let response: Response;
	try {
		response = await fetchHead(request, outgoing, deadlines, abort);
	} catch (error) {
		close();
		const { sent } = outgoing;
		if (client.aborted) return { kind: "client_closed", sent, partial: NO_PARTIAL_ANSWER };
		const why = error instanceof UpstreamInterrupted ? error.why : "no_head";
		return { kind: "lost", why, sent, partial: NO_PARTIAL_ANSWER, error: null };
	}
	const { idleMs, endsAtMs } = deadlines;
	if (response.status !== 200) {
		// The status says most of it, so the body gets little time.
		body = new UpstreamBody(response, {
			firstDeltaMs: idleMs,
			idleMs,
			endsAtMs: Math.min(endsAtMs, Date.now() + idleMs),
		});
		return readStatusFailure(wire, response, body).finally(close);
	}
	const deadline = new AbortController();
	body = new UpstreamBody(response, deadlines, () => deadline.abort());
	const sandbox = response.headers.get("x-svc-sandbox") === "1";
	return { kind: "answer", response, sandbox, body, deadlineSignal: deadline.signal, finish, close };
}

/** Opens an answer as a stream, whichever of the two it is; reading the parts may throw. */
export async function openUpstreamStream(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<UpstreamStream | CallFailure> {
	const opened = await openUpstream(wire, request, deadlines, client);
	if (opened.kind !== "answer") return opened;
	const { response, sandbox, body, deadlineSignal, finish, close } = opened;
	const parts = new PartStream(wire, body, isJson(response), finish, close);
	return {
		kind: "stream",
		sandbox,
		parts,
		reported: () => parts.reported(),
		deadlineSignal,
		abort: close,
	};
}

/** An answer that is one JSON value, whose head has arrived. */
export interface UpstreamJson {
	kind: "json";
	sandbox: boolean;
	/** To be called once. Throws UpstreamInterrupted as the parts of a stream do. @returns undefined for what is not JSON. */
	read(): Promise<unknown>;
}

/** Opens an answer that is one JSON value. */
export async function openUpstreamJson(
	wire: Pick<Wire, "parseError">,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<UpstreamJson | CallFailure> {
	const opened = await openUpstream(wire, request, deadlines, client);
	if (opened.kind !== "answer") return opened;
	const { sandbox, body, finish, close } = opened;
	return {
		kind: "json",
		sandbox,
		async read() {
			try {
				const text = await body.readRest();
				finish();
				return parseJson(text);
			} catch (error) {
				close();
				throw error;
			}
		},
	};
}

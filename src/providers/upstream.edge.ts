// One upstream call, always streamed, so that a long answer is never taken for a silent provider: sent, its head awaited, its
// body decoded, and what came of it as a value. Failover stands above it.
import { createParser } from "eventsource-parser";
import { logError } from "../http/log.edge.ts";
import { isDelta, toStreamParts } from "./accumulate.ts";
import { UpstreamBody } from "./body.edge.ts";
import { type CallFailure, NO_PARTIAL_ANSWER, UpstreamInterrupted } from "./call-failure.ts";
import { parseJson } from "./json.ts";
import {
	type ReportedUsage,
	type ServerSentEvent,
	type StreamPart,
	type UpstreamRequest,
	utf8Bytes,
	type Wire,
} from "./wire.ts";

export interface Deadlines {
	/** From the request to the response head. */
	headMs: number;
	/** Of silence before the first delta: a model that reasons unseen says nothing meanwhile. */
	firstDeltaMs: number;
	/** Of silence between two pieces of the body from then on. */
	idleMs: number;
	/** When the call is over in any case, ms since the epoch. */
	endsAtMs: number;
}

/** An error body is read as far as this; the rest says nothing new. */
const MAX_ERROR_CHARS = 65_536;

/** A stream whose head has arrived. Its parts end normally only when the format's end mark was seen. */
export interface UpstreamStream {
	kind: "stream";
	sandbox: boolean;
	/** One array per piece of the body; throws UpstreamInterrupted when the stream breaks off, is unreadable, or a deadline passes. */
	parts: AsyncIterableIterator<StreamPart[], void>;
	/** Usage as reported so far; null when there was none. */
	reported(): ReportedUsage | null;
	/** Aborts when a deadline passes, even while nobody reads. */
	over: AbortSignal;
	/** Ends the upstream call. */
	abort(): void;
}

/**
 * A request body on its way. The platform reports a refused connection and one that broke after the request with the same
 * error; but it takes the last byte only when it has passed on those before it, and a provider does nothing without it.
 */
class OutgoingBody {
	readonly stream: ReadableStream<Uint8Array>;
	#sent = false;

	constructor(text: string) {
		const bytes = utf8Bytes(text);
		const { readable, writable } = new FixedLengthStream(bytes.byteLength);
		this.stream = readable;
		// It breaks off together with the call, which says so itself.
		this.#write(writable.getWriter(), bytes).catch(() => undefined);
	}

	async #write(writer: WritableStreamDefaultWriter<Uint8Array>, bytes: Uint8Array): Promise<void> {
		await writer.write(bytes.subarray(0, -1));
		await writer.write(bytes.subarray(-1));
		this.#sent = true;
		await writer.close();
	}

	/** Whether the provider may have the whole of it. */
	get sent(): boolean {
		return this.#sent;
	}
}

/**
 * Sends a request and waits for its head. Redirects are not followed: the provider's key goes to the configured host only.
 * @throws UpstreamInterrupted when it does not come in time, else whatever the platform throws.
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
				// A request with little time left does not make a provider slow.
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

/** `Retry-After` in seconds or as a date, `retry-after-ms`; null when there is none. */
function parseRetryAfterMs(headers: Headers, nowMs: number): number | null {
	const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
	if (Number.isFinite(ms) && ms >= 0) return ms;
	const value = headers.get("retry-after");
	if (value === null) return null;
	const seconds = Number(value);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(value);
	return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/** What an error status says, as far as its body comes in time. */
async function readStatusFailure(wire: Wire, { status, headers }: Response, body: UpstreamBody): Promise<CallFailure> {
	const error = wire.parseError(parseJson(await body.readRest(MAX_ERROR_CHARS).catch(() => "")));
	const waitMs = parseRetryAfterMs(headers, Date.now()) ?? error?.retryAfterMs ?? null;
	return { kind: "status", status, error, retryAfterMs: waitMs };
}

const END_OF_PARTS = { done: true, value: undefined } as const;

/**
 * The parts of one call's body, whichever way the upstream wrote it. One object and no generators: a stream has thousands of
 * pieces, and each layer of generators costs every one of them two promises.
 */
class PartStream implements AsyncIterableIterator<StreamPart[], void> {
	#wire: Wire;
	#body: UpstreamBody;
	#close: () => void;
	#isWhole: boolean;
	#decoder: ReturnType<Wire["createDecoder"]>;
	#events: ServerSentEvent[] = [];
	#parser = createParser({ onEvent: ({ event, data }) => this.#events.push({ event, data }) });
	/** Of a whole body. */
	#wholeBodyUsage: ReportedUsage | null = null;
	/** How the stream came to grief, behind what was said in the same piece. */
	#pendingError: UpstreamInterrupted | null = null;
	#hasEnded = false;

	/**
	 * @param isWhole the upstream answered a request for a stream with a whole body all the same.
	 * @param close ends the call; called however the parts end.
	 */
	constructor(wire: Wire, body: UpstreamBody, isWhole: boolean, close: () => void) {
		this.#wire = wire;
		this.#body = body;
		this.#isWhole = isWhole;
		this.#close = close;
		this.#decoder = wire.createDecoder();
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
			this.#close();
			return END_OF_PARTS;
		} catch (error) {
			this.#hasEnded = true;
			this.#close();
			if (error instanceof UpstreamInterrupted) throw error;
			// A fault of ours that an upstream's words have found: it costs the client this call, not the whole request.
			logError("upstream_unreadable", error);
			throw new UpstreamInterrupted("unusable");
		}
	}

	async return(): Promise<IteratorResult<StreamPart[], void>> {
		this.#hasEnded = true;
		this.#close();
		return END_OF_PARTS;
	}

	/** What the next pieces of the body say, as soon as they say anything; null at the end. */
	async #readNextParts(): Promise<StreamPart[] | null> {
		if (this.#pendingError) throw this.#pendingError;
		while (!this.#hasEnded) {
			const piece = await this.#body.read();
			this.#hasEnded = piece === null;
			const parts: StreamPart[] = [];
			// Some upstreams leave out the blank line after their last event.
			this.#decode(piece ?? "\n\n", parts);
			if (piece === null && !this.#pendingError) {
				for (const part of this.#decoder.end()) parts.push(part);
				if (!this.#decoder.finished) this.#pendingError = new UpstreamInterrupted("cut");
			}
			if (parts.some(isDelta)) this.#body.noteOutput();
			if (parts.length > 0) return parts;
			if (this.#pendingError) throw this.#pendingError;
		}
		return null;
	}

	#decode(text: string, parts: StreamPart[]): void {
		this.#parser.feed(text);
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

/** Makes a call and waits for its head. Never throws for what an upstream can do; the parts of its stream may. */
export async function openUpstreamStream(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<UpstreamStream | CallFailure> {
	if (client.aborted) return { kind: "client_closed", sent: false, remains: NO_PARTIAL_ANSWER };
	const abort = new AbortController();
	let body: UpstreamBody | null = null;
	const close = () => {
		client.removeEventListener("abort", close);
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
		if (client.aborted) return { kind: "client_closed", sent, remains: NO_PARTIAL_ANSWER };
		const why = error instanceof UpstreamInterrupted ? error.why : "no_head";
		return { kind: "lost", why, sent, remains: NO_PARTIAL_ANSWER, error: null };
	}
	const { idleMs, endsAtMs } = deadlines;
	if (response.status !== 200) {
		// Its status says most of it: nobody waits long for the rest.
		body = new UpstreamBody(response, {
			firstDeltaMs: idleMs,
			idleMs,
			endsAtMs: Math.min(endsAtMs, Date.now() + idleMs),
		});
		return readStatusFailure(wire, response, body).finally(close);
	}
	const deadline = new AbortController();
	body = new UpstreamBody(response, deadlines, () => deadline.abort());
	const parts = new PartStream(wire, body, isJson(response), close);
	const sandbox = response.headers.get("x-svc-sandbox") === "1";
	return {
		kind: "stream",
		sandbox,
		parts,
		reported: () => parts.reported(),
		over: deadline.signal,
		abort: close,
	};
}

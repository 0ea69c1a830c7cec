// One upstream call: deadlines, size limit, whole or streamed, and what came of it as a value. Failover stands above it.
import { createParser } from "eventsource-parser";
import { type CallFailure, type LostReason, UpstreamLost } from "./call-failure.ts";
import type { ModelAnswer } from "./model-call.ts";
import type { ServerSentEvent, StreamPart, UpstreamRequest, Wire } from "./wire.ts";

export interface Deadlines {
	/** To the response head. */
	firstByteMs: number;
	/** Between two pieces of the body. */
	idleMs: number;
	/** For the whole call. */
	totalMs: number;
}

/** A larger answer than any model writes; it keeps a broken upstream from filling the isolate. */
const MAX_ANSWER_BYTES = 33_554_432;

/** What an unstreamed call came to. */
export type CallResult = { kind: "answer"; answer: ModelAnswer; sandbox: boolean } | CallFailure;

/** A stream whose head has arrived. Its parts end normally only when the format's end mark was seen. */
export interface OpenStream {
	kind: "stream";
	sandbox: boolean;
	/** One array per piece of the body; throws UpstreamLost when the stream breaks off, is unreadable, or a deadline passes. */
	parts: AsyncGenerator<StreamPart[], void>;
	/** Ends the upstream call. */
	abort(): void;
}

/** Waits for `promise`, at most `ms`; on time-out the call is aborted. */
async function within<T>(promise: Promise<T>, ms: number, abort: AbortController): Promise<T> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const deadline = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			reject(new UpstreamLost("timeout"));
			abort.abort();
		}, ms);
	});
	try {
		return await Promise.race([promise, deadline]);
	} finally {
		clearTimeout(timer);
	}
}

/** Pieces of a body as text, each within the idle deadline, all within the total one and the size limit. */
async function* textPieces(
	response: Response,
	deadlines: Deadlines,
	endsAtMs: number,
	abort: AbortController,
): AsyncGenerator<string, void> {
	const reader = response.body?.getReader();
	if (!reader) return;
	const decoder = new TextDecoder();
	let bytes = 0;
	try {
		for (;;) {
			const left = Math.max(1, Math.min(deadlines.idleMs, endsAtMs - Date.now()));
			const { done, value } = await within(reader.read(), left, abort);
			if (done) break;
			bytes += value.byteLength;
			if (bytes > MAX_ANSWER_BYTES) throw new UpstreamLost("too_large");
			yield decoder.decode(value, { stream: true });
		}
		yield decoder.decode();
	} finally {
		// Whoever stops reading stops the upstream.
		reader.cancel().catch(() => undefined);
	}
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** `Retry-After` in seconds or as a date, `retry-after-ms`; null when there is none. */
function retryAfterMs(headers: Headers, nowMs: number): number | null {
	const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
	if (Number.isFinite(ms) && ms >= 0) return ms;
	const value = headers.get("retry-after");
	if (value === null) return null;
	const seconds = Number(value);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(value);
	return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/** A call whose head has arrived with status 200. */
interface OpenResponse {
	kind: "open";
	response: Response;
	pieces: AsyncGenerator<string, void>;
	abort: AbortController;
	/** Stops listening for the client's hang-up. */
	release(): void;
}

async function joined(pieces: AsyncGenerator<string, void>): Promise<string> {
	let text = "";
	for await (const piece of pieces) text += piece;
	return text;
}

/** Sends a request and waits for its head. Redirects are not followed: the provider's key goes to the configured host only. */
async function open(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<OpenResponse | CallFailure> {
	const abort = new AbortController();
	if (client.aborted) return { kind: "client_closed" };
	const hangUp = () => abort.abort();
	client.addEventListener("abort", hangUp, { once: true });
	const release = () => client.removeEventListener("abort", hangUp);
	const endsAtMs = Date.now() + deadlines.totalMs;
	try {
		const { url, headers, body } = request;
		const pending = fetch(url, { method: "POST", headers, body, redirect: "manual", signal: abort.signal });
		const response = await within(pending, Math.min(deadlines.firstByteMs, deadlines.totalMs), abort);
		const pieces = textPieces(response, deadlines, endsAtMs, abort);
		if (response.status === 200) return { kind: "open", response, pieces, abort, release };
		const error = wire.error(parseJson(await joined(pieces).catch(() => "")));
		release();
		const waitMs = retryAfterMs(response.headers, Date.now()) ?? error?.retryAfterMs ?? null;
		return { kind: "status", status: response.status, error, retryAfterMs: waitMs };
	} catch (error) {
		release();
		return failureOf(error, "no_head", client);
	}
}

/** What an exception during a call means. */
function failureOf(error: unknown, otherwise: LostReason, client: AbortSignal): CallFailure {
	if (client.aborted) return { kind: "client_closed" };
	if (error instanceof UpstreamLost) return { kind: "lost", why: error.why, usage: null, error: error.error };
	return { kind: "lost", why: otherwise, usage: null, error: null };
}

function fromSandbox(response: Response): boolean {
	return response.headers.get("x-svc-sandbox") === "1";
}

/** Calls an upstream once for a whole answer. Never throws for what an upstream can do. */
export async function callUpstream(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<CallResult> {
	const call = await open(wire, request, deadlines, client);
	if (call.kind !== "open") return call;
	try {
		const body = parseJson(await joined(call.pieces));
		const answer = wire.answer(body);
		if (!answer) return { kind: "lost", why: "unusable", usage: wire.usage(body), error: wire.error(body) };
		return { kind: "answer", answer, sandbox: fromSandbox(call.response) };
	} catch (error) {
		return failureOf(error, "cut", client);
	} finally {
		call.release();
	}
}

/** What was said before a stream came to grief, and how it did. */
interface Decoded {
	parts: StreamPart[];
	lost: UpstreamLost | null;
}

async function* partsOf(wire: Wire, call: OpenResponse): AsyncGenerator<StreamPart[], void> {
	const decoder = wire.decoder();
	const events: ServerSentEvent[] = [];
	const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
	const decode = (text: string): Decoded => {
		parser.feed(text);
		const parts: StreamPart[] = [];
		for (const event of events.splice(0)) {
			for (const part of decoder.decode(event)) {
				if (part.type === "failure") return { parts, lost: new UpstreamLost("reported", part.error) };
				parts.push(part);
			}
		}
		return { parts, lost: null };
	};
	try {
		for await (const piece of call.pieces) {
			const { parts, lost } = decode(piece);
			if (parts.length > 0) yield parts;
			if (lost) throw lost;
		}
		// Some upstreams leave out the blank line after their last event.
		const { parts, lost } = decode("\n\n");
		if (!lost) parts.push(...decoder.end());
		if (parts.length > 0) yield parts;
		if (lost) throw lost;
		if (!decoder.finished) throw new UpstreamLost("cut");
	} catch (error) {
		throw error instanceof UpstreamLost ? error : new UpstreamLost("cut");
	} finally {
		call.release();
		call.abort.abort();
	}
}

/** Opens an upstream stream. Never throws; its parts may. */
export async function openStream(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<OpenStream | CallFailure> {
	const call = await open(wire, request, deadlines, client);
	if (call.kind !== "open") return call;
	const parts = partsOf(wire, call);
	const abort = () => {
		call.abort.abort();
		parts.return().catch(() => undefined);
	};
	return { kind: "stream", sandbox: fromSandbox(call.response), parts, abort };
}

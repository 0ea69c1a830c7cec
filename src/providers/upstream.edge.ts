// One upstream call, always streamed, so that a long answer is never taken for a silent provider: deadlines, size limit, and
// what came of it as a value. Failover stands above it.
import { createParser } from "eventsource-parser";
import type { TokenUsage } from "../catalog/price.ts";
import { isDelta, partsOfAnswer } from "./accumulate.ts";
import { type CallFailure, type LostReason, NOTHING_SAID, UpstreamLost } from "./call-failure.ts";
import { parseJson } from "./json.ts";
import type { ServerSentEvent, StreamPart, UpstreamRequest, Wire } from "./wire.ts";

export interface Deadlines {
	/** From the request to the response head. */
	headMs: number;
	/** Of silence before the first delta: a model that reasons unseen says nothing meanwhile. */
	firstDeltaMs: number;
	/** Of silence between two pieces of the body from then on. */
	idleMs: number;
	/** For the whole call. */
	totalMs: number;
}

/** A larger answer than any model writes; it keeps a broken upstream from filling the isolate. */
const MAX_ANSWER_BYTES = 33_554_432;
/** An error body is read as far as this; the rest says nothing new. */
const MAX_ERROR_CHARS = 65_536;

/** A stream whose head has arrived. Its parts end normally only when the format's end mark was seen. */
export interface OpenStream {
	kind: "stream";
	sandbox: boolean;
	/** One array per piece of the body; throws UpstreamLost when the stream breaks off, is unreadable, or a deadline passes. */
	parts: AsyncGenerator<StreamPart[], void>;
	/** Usage as reported so far, which for a running call is no end count; null when there was none. */
	usageSoFar(): TokenUsage | null;
	/** Ends the upstream call. */
	abort(): void;
}

/** Waits for the head, at most `ms`; on time-out the call is aborted. */
async function headWithin(pending: Promise<Response>, ms: number, abort: AbortController): Promise<Response> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const deadline = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			reject(new UpstreamLost("head_timeout"));
			abort.abort();
		}, ms);
	});
	try {
		return await Promise.race([pending, deadline]);
	} finally {
		clearTimeout(timer);
	}
}

/**
 * Calls `onSilence` when somebody has waited for longer than is allowed. Only waiting counts: an answer that nobody reads
 * is not a silent one. One timer, however often something is heard.
 */
class SilenceWatch {
	#allowedMs: number;
	#endsAtMs: number;
	#waitingSinceMs: number | null = null;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#onSilence: () => void;

	/** @param endsAtMs when waiting is over in any case. */
	constructor(allowedMs: number, endsAtMs: number, onSilence: () => void) {
		this.#allowedMs = allowedMs;
		this.#endsAtMs = endsAtMs;
		this.#onSilence = onSilence;
	}

	/** When the present wait is too long; at the earliest, when nobody waits. */
	#deadlineMs(nowMs: number): number {
		return Math.min((this.#waitingSinceMs ?? nowMs) + this.#allowedMs, this.#endsAtMs);
	}

	#arm(nowMs: number): void {
		this.#timer = setTimeout(() => this.#look(Date.now()), Math.max(1, this.#deadlineMs(nowMs) - nowMs));
	}

	#look(nowMs: number): void {
		this.#timer = undefined;
		if (this.#waitingSinceMs === null) return;
		if (nowMs >= this.#deadlineMs(nowMs)) this.#onSilence();
		else this.#arm(nowMs);
	}

	/** Somebody waits from now on. */
	wait(): void {
		const nowMs = Date.now();
		this.#waitingSinceMs = nowMs;
		if (this.#timer === undefined) this.#arm(nowMs);
	}

	/** Something was heard: nobody waits. */
	heard(): void {
		this.#waitingSinceMs = null;
	}

	/** Allows another, shorter time from the next wait on. */
	allow(allowedMs: number): void {
		if (allowedMs === this.#allowedMs) return;
		this.#allowedMs = allowedMs;
		this.stop();
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}
}

/** The body of a call whose head has arrived, read piece by piece under its deadlines. */
class Body {
	#reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
	#decoder = new TextDecoder();
	#watch: SilenceWatch;
	#deadlines: Deadlines;
	#lost: LostReason | null = null;
	#bytes = 0;

	constructor(response: Response, deadlines: Deadlines, endsAtMs: number) {
		this.#reader = response.body?.getReader();
		this.#deadlines = deadlines;
		this.#watch = new SilenceWatch(deadlines.firstDeltaMs, endsAtMs, () => this.#lose("timeout"));
	}

	#lose(why: LostReason): void {
		this.#lost ??= why;
		// Cancelling ends a pending read, whoever made the response.
		this.#reader?.cancel().catch(() => undefined);
	}

	/** The model has begun to speak: from now on it may be silent for less. */
	spoke(): void {
		this.#watch.allow(this.#deadlines.idleMs);
	}

	/** The next piece as text; null at the end. */
	async read(): Promise<string | null> {
		this.#watch.wait();
		const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
		this.#watch.heard();
		if (this.#lost) throw new UpstreamLost(this.#lost);
		if (done || !value) {
			this.#watch.stop();
			return null;
		}
		this.#bytes += value.byteLength;
		if (this.#bytes > MAX_ANSWER_BYTES) throw new UpstreamLost("too_large");
		return this.#decoder.decode(value, { stream: true });
	}

	async rest(mostChars = Number.POSITIVE_INFINITY): Promise<string> {
		let text = "";
		for (let piece = await this.read(); piece !== null && text.length <= mostChars; piece = await this.read()) {
			text += piece;
		}
		return text;
	}

	/** Whoever stops reading stops the upstream. */
	close(): void {
		this.#watch.stop();
		this.#reader?.cancel().catch(() => undefined);
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

/** What was said in a piece of a stream, and how the stream came to grief behind it. */
interface Decoded {
	parts: StreamPart[];
	lost: UpstreamLost | null;
}

/** Decodes the body of one call, whichever way the upstream wrote it. */
class PartReader {
	#wire: Wire;
	#body: Body;
	#decoder: ReturnType<Wire["decoder"]>;
	#events: ServerSentEvent[] = [];
	#parser = createParser({ onEvent: ({ event, data }) => this.#events.push({ event, data }) });

	constructor(wire: Wire, body: Body) {
		this.#wire = wire;
		this.#body = body;
		this.#decoder = wire.decoder();
	}

	usageSoFar(): TokenUsage | null {
		return this.#decoder.usageSoFar();
	}

	#decode(text: string): Decoded {
		this.#parser.feed(text);
		const parts: StreamPart[] = [];
		for (const event of this.#events.splice(0)) {
			for (const part of this.#decoder.decode(event)) {
				if (part.type === "failure") return { parts, lost: new UpstreamLost("reported", part.error) };
				parts.push(part);
			}
		}
		return { parts, lost: null };
	}

	async *events(): AsyncGenerator<StreamPart[], void> {
		for (let piece = await this.#body.read(); piece !== null; piece = await this.#body.read()) {
			const { parts, lost } = this.#decode(piece);
			if (parts.some(isDelta)) this.#body.spoke();
			if (parts.length > 0) yield parts;
			if (lost) throw lost;
		}
		// Some upstreams leave out the blank line after their last event.
		const { parts, lost } = this.#decode("\n\n");
		if (!lost) parts.push(...this.#decoder.end());
		if (parts.length > 0) yield parts;
		if (lost) throw lost;
		if (!this.#decoder.finished) throw new UpstreamLost("cut");
	}

	/** An upstream may answer a request for a stream with a whole body all the same. */
	async *whole(): AsyncGenerator<StreamPart[], void> {
		const json = parseJson(await this.#body.rest());
		const answer = json === undefined ? null : this.#wire.answer(json);
		if (answer) {
			yield partsOfAnswer(answer);
			return;
		}
		const usage = this.#wire.usage(json);
		if (usage) yield [{ type: "usage", usage }];
		throw new UpstreamLost("unusable", this.#wire.error(json));
	}
}

function isJson(response: Response): boolean {
	return /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
}

async function* closing(
	parts: AsyncGenerator<StreamPart[], void>,
	close: () => void,
): AsyncGenerator<StreamPart[], void> {
	try {
		yield* parts;
	} catch (error) {
		throw error instanceof UpstreamLost ? error : new UpstreamLost("cut");
	} finally {
		close();
	}
}

/**
 * Sends a request and waits for its head. Never throws for what an upstream can do; the parts of its stream may.
 * Redirects are not followed: the provider's key goes to the configured host only.
 */
export async function openStream(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<OpenStream | CallFailure> {
	if (client.aborted) return { kind: "client_closed", sent: false, remains: NOTHING_SAID };
	const abort = new AbortController();
	const endsAtMs = Date.now() + deadlines.totalMs;
	let body: Body | null = null;
	const close = () => {
		client.removeEventListener("abort", close);
		abort.abort();
		body?.close();
	};
	client.addEventListener("abort", close, { once: true });
	try {
		const { url, headers, body: sent } = request;
		const pending = fetch(url, { method: "POST", headers, body: sent, redirect: "manual", signal: abort.signal });
		const response = await headWithin(pending, Math.min(deadlines.headMs, deadlines.totalMs), abort);
		body = new Body(response, deadlines, endsAtMs);
		if (response.status !== 200) {
			const error = wire.error(parseJson(await body.rest(MAX_ERROR_CHARS).catch(() => "")));
			close();
			const waitMs = retryAfterMs(response.headers, Date.now()) ?? error?.retryAfterMs ?? null;
			return { kind: "status", status: response.status, error, retryAfterMs: waitMs };
		}
		const reader = new PartReader(wire, body);
		const parts = closing(isJson(response) ? reader.whole() : reader.events(), close);
		const abandon = () => {
			close();
			parts.return().catch(() => undefined);
		};
		const sandbox = response.headers.get("x-svc-sandbox") === "1";
		return { kind: "stream", sandbox, parts, usageSoFar: () => reader.usageSoFar(), abort: abandon };
	} catch (error) {
		close();
		if (client.aborted) return { kind: "client_closed", sent: true, remains: NOTHING_SAID };
		const why = error instanceof UpstreamLost ? error.why : "no_head";
		return { kind: "lost", why, remains: NOTHING_SAID, usage: null, error: null };
	}
}

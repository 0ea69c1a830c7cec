// One upstream call: deadlines, size limit, and what came of it as a value. Retry and failover stand above it.
import type { ChatAnswer } from "../chat/call.ts";
import type { UpstreamError, UpstreamRequest, Wire } from "./wire.ts";

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

/** What an upstream call came to. */
export type CallResult =
	| { kind: "answer"; answer: ChatAnswer; sandbox: boolean }
	/** An error status: nothing was generated, nothing is billed. */
	| { kind: "status"; status: number; error: UpstreamError | null; retryAfterMs: number | null }
	/**
	 * The request may have reached a model, and may be billed: a deadline passed, the body broke off or is unusable.
	 * `no_head` covers a refused connection as well, because the platform reports both with the same error.
	 */
	| { kind: "lost"; why: "no_head" | "timeout" | "cut" | "unusable" | "too_large"; usage: ChatAnswer["usage"] }
	| { kind: "client_closed" };

type LostReason = Extract<CallResult, { kind: "lost" }>["why"];

class Lost extends Error {
	why: LostReason;
	constructor(why: LostReason) {
		super(why);
		this.why = why;
	}
}

/** Waits for `promise`, at most `ms`; on time-out the call is aborted. */
async function within<T>(promise: Promise<T>, ms: number, abort: AbortController): Promise<T> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const deadline = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			reject(new Lost("timeout"));
			abort.abort();
		}, ms);
	});
	try {
		return await Promise.race([promise, deadline]);
	} finally {
		clearTimeout(timer);
	}
}

async function readText(
	response: Response,
	deadlines: Deadlines,
	endsAtMs: number,
	abort: AbortController,
): Promise<string> {
	const reader = response.body?.getReader();
	if (!reader) return "";
	const decoder = new TextDecoder();
	let text = "";
	let bytes = 0;
	for (;;) {
		const left = Math.max(1, Math.min(deadlines.idleMs, endsAtMs - Date.now()));
		const { done, value } = await within(reader.read(), left, abort);
		if (done) return text + decoder.decode();
		bytes += value.byteLength;
		if (bytes > MAX_ANSWER_BYTES) {
			abort.abort();
			throw new Lost("too_large");
		}
		text += decoder.decode(value, { stream: true });
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

async function resultOf(wire: Wire, response: Response, text: () => Promise<string>): Promise<CallResult> {
	if (response.status !== 200) {
		const body = await text().catch(() => "");
		return {
			kind: "status",
			status: response.status,
			error: wire.error(parseJson(body)),
			retryAfterMs: retryAfterMs(response.headers, Date.now()),
		};
	}
	const body = parseJson(await text());
	const answer = wire.answer(body);
	if (!answer) return { kind: "lost", why: "unusable", usage: wire.usage(body) };
	return { kind: "answer", answer, sandbox: response.headers.get("x-svc-sandbox") === "1" };
}

/**
 * Calls an upstream once and never throws for what an upstream can do.
 * Redirects are not followed: the provider's key goes to the configured host only.
 */
export async function callUpstream(
	wire: Wire,
	request: UpstreamRequest,
	deadlines: Deadlines,
	client: AbortSignal,
): Promise<CallResult> {
	const abort = new AbortController();
	const hangUp = () => abort.abort();
	if (client.aborted) return { kind: "client_closed" };
	client.addEventListener("abort", hangUp, { once: true });
	const endsAtMs = Date.now() + deadlines.totalMs;
	let connected = false;
	try {
		const { url, headers, body } = request;
		const pending = fetch(url, { method: "POST", headers, body, redirect: "manual", signal: abort.signal });
		const response = await within(pending, Math.min(deadlines.firstByteMs, deadlines.totalMs), abort);
		connected = true;
		return await resultOf(wire, response, () => readText(response, deadlines, endsAtMs, abort));
	} catch (error) {
		if (client.aborted) return { kind: "client_closed" };
		if (error instanceof Lost) return { kind: "lost", why: error.why, usage: null };
		return { kind: "lost", why: connected ? "cut" : "no_head", usage: null };
	} finally {
		client.removeEventListener("abort", hangUp);
	}
}

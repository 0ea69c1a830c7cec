// How an endpoint answers work that may take long: as Server-Sent Events with progress, or as one JSON body that white space
// keeps alive. What the work is, and what it costs, is the caller's.
import type { Failure } from "../failure.ts";
import { inTime } from "../in-time.edge.ts";
import type { RequestContext } from "./context.ts";
import type { HandlerResult, JsonResult } from "./endpoint.ts";
import { toHttpFailure } from "./errors.ts";
import { EventWriter, sseComment } from "./event-writer.edge.ts";
import { logError } from "./log.edge.ts";
import { toFailure } from "./respond.edge.ts";

/** One JSON object, which is the data of one event. */
export type ProgressEvent = Record<string, unknown>;

export interface LongAnswerOptions {
	/** Events instead of one body. */
	stream: boolean;
	/** Headers of a head that goes out before the work has ended, as far as they are known by then. */
	headers?: () => Record<string, string>;
}

/** Runs the work. `signal` aborts when the client has left; the work ends by itself all the same, and accounts for what it did. */
export type LongWork<T> = (progress: (event: ProgressEvent) => void, signal: AbortSignal) => Promise<JsonResult<T>>;

/** Events that may wait for a slow reader; the next one after them says how many were left out. */
const MAX_WAITING_EVENTS = 256;

function eventText(name: "progress" | "result" | "error", value: unknown): string {
	return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** How an answer whose head is out is written. */
interface AnswerForm {
	/** Until then a client without progress waits for a head, and a failure is an ordinary error response. */
	headWaitMs: number;
	headers: Record<string, string>;
	/** Written when the head goes out before the answer is there. */
	first: string;
	keepAlive: string;
	result(value: unknown): string;
	error(body: unknown): string;
}

const EVENTS: AnswerForm = {
	headWaitMs: 10_000,
	headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" },
	first: sseComment("working"),
	keepAlive: sseComment("keep-alive"),
	result: (value) => eventText("result", value),
	error: (body) => eventText("error", body),
};

/** White space before a JSON text means nothing (RFC 8259, section 2), and clients and proxies see that something comes. */
const JSON_BODY: AnswerForm = {
	headWaitMs: 30_000,
	// The status is out before the outcome is known: no cache may keep what may be an error.
	// A compressor would keep the white space to itself; the local runtime (miniflare) has one that `no-transform` does not stop.
	headers: {
		"content-type": "application/json",
		"cache-control": "no-store, no-transform",
		"content-encoding": "identity",
	},
	first: "\n",
	keepAlive: "\n",
	result: (value) => JSON.stringify(value),
	error: (body) => JSON.stringify(body),
};

/** A body on its way. */
interface OpenBody {
	readable: ReadableStream<Uint8Array>;
	writer: EventWriter;
}

/** The client's side: nothing, until something is to be sent before the work has ended. */
class Delivery {
	#keepAlive: string;
	#left = new AbortController();
	#opened = Promise.withResolvers<void>();
	#body: OpenBody | null = null;
	#waitingEvents = 0;
	#skippedEvents = 0;

	constructor(keepAlive: string) {
		this.#keepAlive = keepAlive;
	}

	/** Aborts when the body's reader has gone. */
	get left(): AbortSignal {
		return this.#left.signal;
	}

	/** Resolves when there is something to send. */
	get opened(): Promise<void> {
		return this.#opened.promise;
	}

	get hasBody(): boolean {
		return this.#body !== null;
	}

	/** The body, from now on: a failure is told in it. */
	open(): OpenBody {
		if (this.#body) return this.#body;
		// Not the platform's IdentityTransformStream, which is cheaper: it tells of a client that has left only at the next write.
		const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
		const writer = new EventWriter(writable, this.#keepAlive);
		writer.gone.addEventListener("abort", () => this.#left.abort(), { once: true });
		this.#body = { readable, writer };
		this.#opened.resolve();
		return this.#body;
	}

	progress(event: ProgressEvent): void {
		if (this.#waitingEvents === MAX_WAITING_EVENTS) {
			this.#skippedEvents++;
			return;
		}
		const said = this.#skippedEvents > 0 ? { ...event, skipped_events: this.#skippedEvents } : event;
		this.#skippedEvents = 0;
		this.#waitingEvents++;
		const written = this.open().writer.write(eventText("progress", said));
		void written.then(() => this.#waitingEvents--);
	}

	/** Ends the body, and waits until the client has taken it or has left. */
	async end(text: string, signal: AbortSignal): Promise<void> {
		const { writer } = this.open();
		const left = new Promise<void>((resolve) => {
			signal.addEventListener("abort", () => resolve(), { once: true });
			if (signal.aborted) resolve();
		});
		await Promise.race([writer.write(text).then(() => writer.close()), left]);
		writer.abandon();
	}
}

/** The body of a failure whose status can no longer be sent: the same object, with the status as a member. */
function lateErrorBody(failure: Failure, context: RequestContext): Record<string, unknown> {
	context.log.error = failure.reason;
	const { status, body } = toHttpFailure(failure, context.errorDialect, context.requestId);
	return { ...body, status };
}

/** What work answers before its client is to be sent a head; null when the head goes first. */
async function answerBeforeHead<T>(
	done: Promise<JsonResult<T>>,
	opened: Promise<void>,
	waitMs: number,
): Promise<JsonResult<T> | null> {
	const noAnswer = () => null;
	return inTime(Promise.race([done, opened.then(noAnswer)]), waitMs, noAnswer);
}

/**
 * Answers work that may take long (docs/reference.md, "Long answers").
 *
 * Unstreamed, what ends within 30 s is an ordinary answer. Then the head goes out as 200, white space follows every 15 s, and
 * at last the body; a failure is then the error body with its `status`. Streamed, the head goes out with the first progress
 * or after 10 s; a failure before it is an ordinary error response, one after it `event: error`. The work is awaited even
 * when the client has left. Whatever it throws is logged and answered like an exception of a handler.
 *
 * Work asks for its admission first: a head that went out before would admit the request without its reservation.
 */
export async function longAnswer<T>(
	context: RequestContext,
	{ stream, headers = () => ({}) }: LongAnswerOptions,
	work: LongWork<T>,
): Promise<HandlerResult<T>> {
	const form = stream ? EVENTS : JSON_BODY;
	const delivery = new Delivery(form.keepAlive);
	const signal = AbortSignal.any([context.signal, delivery.left]);
	const progress = stream ? (event: ProgressEvent) => delivery.progress(event) : () => undefined;
	const done = (async () => work(progress, signal))().catch(
		(error: unknown): JsonResult<T> => ({ ok: false, failure: toFailure(error, context.requestId) }),
	);
	context.waitUntil(done);
	const answer = await answerBeforeHead(done, delivery.opened, form.headWaitMs);
	if (answer && !delivery.hasBody && !(stream && answer.ok)) return answer;
	const hasWaited = !answer && !delivery.hasBody;
	const { readable, writer } = delivery.open();
	if (hasWaited) void writer.write(form.first);
	context.finished = done
		.then((ended) => {
			const text = ended.ok ? form.result(ended.value) : form.error(lateErrorBody(ended.failure, context));
			return delivery.end(text, signal);
		})
		.catch((error: unknown) => logError("long_answer_failed", error, { request_id: context.requestId }));
	context.waitUntil(context.finished);
	const known = answer?.ok ? (answer.headers ?? {}) : headers();
	return { ok: true, response: new Response(readable, { headers: { ...known, ...form.headers } }) };
}

// Answers work that may take long: by Server-Sent Events with progress, or by one JSON body that white space keeps alive. The
// caller does the work and accounts for its cost.
import type { Failure } from "../failure.ts";
import { withDeadline } from "../in-time.edge.ts";
import type { ExchangeNotes, RequestContext } from "./context.ts";
import type { HandlerResult, JsonResult } from "./endpoint.ts";
import { toHttpFailure } from "./errors.ts";
import { EventWriter, type KeepAlive, STREAM_KEEP_ALIVE, sseComment } from "./event-writer.edge.ts";
import { logError } from "./log.edge.ts";
import { toFailure } from "./respond.edge.ts";

/** The data of one event: a JSON object. */
export type ProgressEvent = Record<string, unknown>;

export interface LongAnswerOptions {
	/** Events instead of one body. */
	stream: boolean;
	/** Headers of a head that is sent before the work has ended, as far as they are known by then. */
	headers?: () => Record<string, string>;
}

/** Runs the work. `signal` aborts when the client has left. The work then ends by itself and accounts for what it did. */
export type LongWork<T> = (progress: (event: ProgressEvent) => void, signal: AbortSignal) => Promise<JsonResult<T>>;

/** Events that may wait for a slow client. Further ones are skipped, and the next event says how many. */
const MAX_WAITING_EVENTS = 256;

function eventText(name: "progress" | "result" | "requires_action" | "error", value: unknown): string {
	return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** How an answer is written after its head. */
interface AnswerForm {
	/** Without progress, the head is sent after this time. Until then, a failure is an ordinary error response. */
	headWaitMs: number;
	headers: Record<string, string>;
	/** Written when the head is sent before the answer is there. */
	first: string;
	keepAlive: KeepAlive;
	/** @param event the name of the event that a stream ends with. */
	result(value: unknown, event: "result" | "requires_action"): string;
	error(body: unknown): string;
}

const EVENTS: AnswerForm = {
	headWaitMs: 10_000,
	headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" },
	first: sseComment("working"),
	// Where the platform does not report that a client has left, the next write does, and the work then stops spending.
	keepAlive: { ...STREAM_KEEP_ALIVE, everyMs: 2_000 },
	result: (value, event) => eventText(event, value),
	error: (body) => eventText("error", body),
};

/** White space before JSON text means nothing (RFC 8259, section 2), and it keeps clients and proxies waiting. */
const JSON_BODY: AnswerForm = {
	headWaitMs: 30_000,
	// The status is sent before the outcome is known, so no cache may keep a body that may be an error. A compressor would hold
	// back the white space; that of the local runtime (miniflare) ignores `no-transform`.
	headers: {
		"content-type": "application/json",
		"cache-control": "no-store, no-transform",
		"content-encoding": "identity",
	},
	first: "\n",
	keepAlive: { text: "\n", everyMs: 15_000 },
	result: (value) => JSON.stringify(value),
	error: (body) => JSON.stringify(body),
};

/** A body that is being sent. */
interface OpenBody {
	readable: ReadableStream<Uint8Array>;
	writer: EventWriter;
}

/** What the client gets. There is no body until something is to be sent before the work has ended. */
class Delivery {
	#keepAlive: KeepAlive;
	#trail: ExchangeNotes;
	#left = new AbortController();
	#opened = Promise.withResolvers<void>();
	#body: OpenBody | null = null;
	#waitingEvents = 0;
	#skippedEvents = 0;

	/** @param trail of the request that is answered. */
	constructor(keepAlive: KeepAlive, trail: ExchangeNotes) {
		this.#keepAlive = keepAlive;
		this.#trail = trail;
	}

	/** Aborts when the client has left. */
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

	/** Opens the body. From now on, a failure is reported in it. */
	open(): OpenBody {
		if (this.#body) return this.#body;
		const writer = new EventWriter(this.#keepAlive);
		writer.gone.addEventListener("abort", () => this.#left.abort(), { once: true });
		this.#body = { readable: writer.readable, writer };
		this.#trail.sentStatus = 200;
		this.#opened.resolve();
		return this.#body;
	}

	progress(event: ProgressEvent): void {
		if (this.#waitingEvents === MAX_WAITING_EVENTS) {
			this.#skippedEvents++;
			return;
		}
		const reported = this.#skippedEvents > 0 ? { ...event, skipped_events: this.#skippedEvents } : event;
		this.#skippedEvents = 0;
		this.#waitingEvents++;
		const written = this.open().writer.write(eventText("progress", reported));
		void written.then(() => this.#waitingEvents--);
	}

	/** Ends the body and waits until the client has taken it or has left. */
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

/** The body of a failure after the head: the usual object with the status as a member. */
function lateErrorBody(failure: Failure, context: RequestContext): Record<string, unknown> {
	context.log.error = failure.reason;
	context.trail.failure = failure;
	const { status, body } = toHttpFailure(failure, context.errorDialect, context.requestId);
	return { ...body, status };
}

/** The answer of work that ends before the head is sent; null when the head is sent first. */
async function answerBeforeHead<T>(
	done: Promise<JsonResult<T>>,
	opened: Promise<void>,
	waitMs: number,
): Promise<JsonResult<T> | null> {
	const noAnswer = () => null;
	return withDeadline(Promise.race([done, opened.then(noAnswer)]), waitMs, noAnswer);
}

/**
 * Answers work that may take long (docs/reference/conventions.md, "Long answers").
 *
 * Unstreamed, work that ends within 30 s gets an ordinary answer. After that, the head is sent as 200, white space follows
 * every 15 s, and the body comes last; a failure is then the error body with its `status`. Streamed, the head is sent with the
 * first progress or after 10 s, and a comment follows every 2 s of silence. A failure before the head is an ordinary error response, one after it is `event: error`. The
 * work is awaited even when the client has left. What it throws is logged and answered like an exception of a handler.
 *
 * The work must have itself admitted first. A head that is sent earlier would admit the request without its reservation.
 */
export async function longAnswer<T>(
	context: RequestContext,
	{ stream, headers = () => ({}) }: LongAnswerOptions,
	work: LongWork<T>,
): Promise<HandlerResult<T>> {
	const form = stream ? EVENTS : JSON_BODY;
	const delivery = new Delivery(form.keepAlive, context.trail);
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
			const text = ended.ok
				? form.result(ended.value, ended.event ?? "result")
				: form.error(lateErrorBody(ended.failure, context));
			return delivery.end(text, signal);
		})
		.catch((error: unknown) => logError("long_answer_failed", error, { request_id: context.requestId }));
	context.waitUntil(context.finished);
	const known = answer?.ok ? (answer.headers ?? {}) : headers();
	return { ok: true, response: new Response(readable, { headers: { ...known, ...form.headers } }) };
}

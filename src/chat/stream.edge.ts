// A streamed chat completion: the head waits for the first delta, failover works until then, and the end waits for the settlement.
import type { KeyContext } from "../account/context.ts";
import type { Failure } from "../failure.ts";
import type { Answer } from "../http/endpoint.ts";
import { toHttpFailure } from "../http/errors.ts";
import { logError } from "../http/log.edge.ts";
import { type BilledCall, billOf, type Call, type Outcome, outputHash, type Run } from "../inference/accounting.ts";
import { type Served, takeTurns } from "../inference/failover.ts";
import { type Begun, begin, breakers, deadlinesOf, logCall, record, recordFailure } from "../inference/run.edge.ts";
import { StreamAccumulator } from "../providers/accumulate.ts";
import { type CallFailure, type OpenStream, openStream, UpstreamLost } from "../providers/upstream.edge.ts";
import { WellFormedParts } from "../providers/well-formed.ts";
import type { StreamPart } from "../providers/wire.ts";
import { type ChunkHead, comment, errorEvent, lastChunks, partChunk, roleChunk } from "./chunks.ts";
import { type ChatCompletion, svcBlock, usageBlock } from "./completion.ts";
import type { ChatRequest } from "./request.ts";

/** How long the response head waits for the first delta; until then another model may take over unseen. */
const HEAD_WAIT_MS = 10_000;
/** A silent connection gets a comment this often; proxies cut at 100 seconds. */
const KEEP_ALIVE_MS = 15_000;
/** How often the silence is looked at. */
const SILENCE_CHECK_MS = 1_000;
/** A stream may run longer than an unstreamed call, as long as something comes. */
const STREAM_TOTAL_MS = 600_000;

/** A stream that has said its first word. */
interface Speaking {
	stream: OpenStream;
	/** Parts read so far. */
	heard: StreamPart[];
	ended: boolean;
}

function isDelta({ type }: StreamPart): boolean {
	return type === "text" || type === "reasoning" || type === "refusal" || type === "tool_call";
}

/** Reads a stream up to its first delta. */
async function firstDelta(
	stream: OpenStream,
	client: AbortSignal,
): Promise<{ kind: "served"; value: Speaking } | CallFailure> {
	const heard: StreamPart[] = [];
	const accumulator = new StreamAccumulator();
	try {
		for (let next = await stream.parts.next(); !next.done; next = await stream.parts.next()) {
			heard.push(next.value);
			accumulator.add(next.value);
			if (isDelta(next.value)) return { kind: "served", value: { stream, heard, ended: false } };
		}
	} catch (error) {
		if (client.aborted) return { kind: "client_closed" };
		const lost = error instanceof UpstreamLost ? error : new UpstreamLost("cut");
		return { kind: "lost", why: lost.why, usage: accumulator.answer().usage, error: lost.error };
	}
	const { finishReason, usage } = accumulator.answer();
	if (finishReason !== "stop") return { kind: "served", value: { stream, heard, ended: true } };
	return { kind: "lost", why: "unusable", usage, error: null };
}

/** Writes events to the client, with back-pressure, and notices when it has gone. */
class EventWriter {
	#writer: WritableStreamDefaultWriter<Uint8Array>;
	#encoder = new TextEncoder();
	#keepAlive: ReturnType<typeof setInterval>;
	#wroteAtMs = Date.now();
	gone = false;

	constructor(writable: WritableStream<Uint8Array>, onGone: () => void) {
		this.#writer = writable.getWriter();
		this.#writer.closed.catch(() => {
			this.gone = true;
			onGone();
		});
		this.#keepAlive = setInterval(() => {
			if (Date.now() - this.#wroteAtMs >= KEEP_ALIVE_MS) void this.write(comment("keep-alive"));
		}, SILENCE_CHECK_MS);
	}

	async write(text: string): Promise<void> {
		if (this.gone) return;
		this.#wroteAtMs = Date.now();
		await this.#writer.write(this.#encoder.encode(text)).catch(() => {
			this.gone = true;
		});
	}

	/** Ends the keep-alive of a stream that the client will not get. */
	abandon(): void {
		clearInterval(this.#keepAlive);
	}

	async close(): Promise<void> {
		this.abandon();
		await this.#writer.close().catch(() => undefined);
	}
}

/** What the client has been told of a stream, and what is kept for its end. */
interface Delivery {
	accumulator: StreamAccumulator;
	head: ChunkHead;
	writer: EventWriter;
	wellFormed: WellFormedParts;
}

async function deliver({ accumulator, head, writer, wellFormed }: Delivery, part: StreamPart): Promise<void> {
	const whole = wellFormed.pass(part);
	if (!whole) return;
	accumulator.add(whole);
	const text = partChunk(head, whole);
	if (text) await writer.write(text);
}

/** Delivers a stream to its end; a message when it did not get there. */
async function deliverAll(delivery: Delivery, { stream, heard, ended }: Speaking): Promise<UpstreamLost | null> {
	await delivery.writer.write(roleChunk(delivery.head));
	for (const part of heard) await deliver(delivery, part);
	try {
		for (let next = ended ? null : await stream.parts.next(); next && !next.done; next = await stream.parts.next()) {
			await deliver(delivery, next.value);
			if (delivery.writer.gone) return null;
		}
		for (const part of delivery.wellFormed.end()) await deliver(delivery, part);
		return null;
	} catch (error) {
		return error instanceof UpstreamLost ? error : new UpstreamLost("cut");
	}
}

function errorOf(lost: UpstreamLost): { message: string; code: string } {
	const message = lost.error?.message.toWellFormed().slice(0, 500) ?? "the upstream stream broke off";
	return { message, code: lost.error?.code ?? (lost.why === "timeout" ? "upstream_timeout" : "upstream_cut") };
}

class StreamedRun {
	#context: KeyContext;
	#begun: Begun;
	#includeUsage: boolean;
	#writer: EventWriter;
	#speaking: OpenStream | null = null;
	/** Set once the client has its head: there is no other model after that. */
	committed = false;

	constructor(context: KeyContext, begun: Begun, includeUsage: boolean, writable: WritableStream<Uint8Array>) {
		this.#context = context;
		this.#begun = begun;
		this.#includeUsage = includeUsage;
		this.#writer = new EventWriter(writable, () => this.#speaking?.abort());
	}

	/** Runs to the end. `onServed` is told when the first delta is there. @returns the failure, if nobody served and the client has no head yet. */
	async run(onServed: (sandbox: boolean) => void): Promise<Failure | null> {
		const { run, calls, endsAtMs } = this.#begun;
		const options = { breakers, now: () => Date.now(), mayFailOver: () => !this.committed && Date.now() < endsAtMs };
		const { timings } = this.#context;
		const turn = await timings.measure("first_delta", () =>
			takeTurns(run, calls, options, (call) => this.#attempt(call)),
		);
		if (turn.ok) {
			onServed(turn.served.value.stream.sandbox);
			await this.#serve(run, turn.served);
			return null;
		}
		const { failure } = await recordFailure(
			this.#context,
			run,
			turn.billed,
			turn.clientClosed || this.#writer.gone,
			turn.failure,
		);
		if (!this.committed) {
			this.#writer.abandon();
			return failure;
		}
		const { body } = toHttpFailure(failure);
		await this.#writer.write(errorEvent({ message: String(body["message"]), code: failure.reason }, null));
		await this.#writer.close();
		return null;
	}

	/** Tells a client that has been waiting that the answer is still to come. */
	async reassure(): Promise<void> {
		this.committed = true;
		await this.#writer.write(comment("waiting for the model"));
	}

	async #attempt(call: Call): Promise<{ kind: "served"; value: Speaking } | CallFailure> {
		logCall(this.#context, this.#begun.run, call);
		const { wire, request } = call.attempt;
		const deadlines = deadlinesOf(this.#context, this.#begun.endsAtMs);
		const opened = await openStream(wire, request, deadlines, this.#context.signal);
		if (opened.kind !== "stream") return opened;
		this.#speaking = opened;
		const first = await firstDelta(opened, this.#context.signal);
		if (first.kind !== "served") opened.abort();
		return this.#writer.gone && first.kind !== "served" ? { kind: "client_closed" } : first;
	}

	async #serve(run: Run, { call, value, sentAtMs, billed }: Served<Speaking>): Promise<void> {
		const accumulator = new StreamAccumulator();
		const head = {
			id: run.requestId,
			created: Math.floor(run.startedAtMs / 1000),
			model: call.candidate.model.id,
			includeUsage: this.#includeUsage,
		};
		const delivery = { accumulator, head, writer: this.#writer, wellFormed: new WellFormedParts() };
		const lost = await this.#context.timings.measure("upstream", () => deliverAll(delivery, value));
		const closed = this.#writer.gone || this.#context.signal.aborted;
		if (closed || lost) value.stream.abort();
		if (lost && !closed) breakers.failed(call.candidate.model.provider, false, Date.now());
		const answer = accumulator.answer();
		const outcome: Outcome = closed ? "client_closed" : lost ? "cut" : "complete";
		// What a stream reported before it broke off is not all it will be billed for.
		const usage = outcome === "complete" ? answer.usage : null;
		const all: BilledCall[] = [...billed, { ...call, bill: billOf(run, call, usage, answer, sentAtMs) }];
		const receipt = await record(this.#context, run, all, outcome, outputHash(answer, call.candidate.model.id));
		const svc = receipt ? svcBlock({ run, billed: all, receipt, latencyMs: Date.now() - run.startedAtMs }) : null;
		await this.#end(delivery, answer, all, lost, svc);
	}

	async #end(
		{ head, writer }: Delivery,
		answer: ReturnType<StreamAccumulator["answer"]>,
		all: readonly BilledCall[],
		lost: UpstreamLost | null,
		svc: ChatCompletion["svc"] | null,
	): Promise<void> {
		const last = all.at(-1);
		if (lost) await writer.write(errorEvent(errorOf(lost), svc));
		else if (!svc || !last) {
			await writer.write(
				errorEvent({ message: "the answer could not be accounted for", code: "receipt_unavailable" }, null),
			);
		} else {
			const finish = { reason: answer.finishReason, native: answer.nativeFinishReason };
			await writer.write(lastChunks(head, finish, usageBlock(answer, last), svc));
		}
		await writer.close();
	}
}

/** Streams a chat request. Until the head is sent, a failure is an ordinary error response. */
export async function streamChat(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const begun = await begin(body, context, STREAM_TOTAL_MS);
	if (!begun.ok) return begun;
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const streamed = new StreamedRun(context, begun.value, body.stream_options?.include_usage === true, writable);
	const served = Promise.withResolvers<boolean>();
	const work = streamed.run(served.resolve);
	context.finished = work.then(
		() => undefined,
		(error: unknown) => logError("stream_failed", error, { request_id: context.requestId }),
	);
	context.waitUntil(context.finished);
	let timer: ReturnType<typeof setTimeout> | undefined;
	const waited = new Promise<"waited">((resolve) => {
		timer = setTimeout(() => resolve("waited"), HEAD_WAIT_MS);
	});
	// Once the stream is served, its work ends only when the client has read it all.
	const first = await Promise.race([
		served.promise.then((sandbox) => ({ sandbox })),
		work.then((failure) => ({ failure })),
		waited,
	]);
	clearTimeout(timer);
	if (first === "waited") void streamed.reassure();
	else if ("failure" in first && first.failure) return { ok: false, failure: first.failure };
	streamed.committed = true;
	const headers = {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache, no-transform",
		...(first !== "waited" && "sandbox" in first && first.sandbox ? { "x-svc-sandbox": "1" } : {}),
	};
	return { ok: true, response: new Response(readable, { headers }) };
}

// A streamed completion: the head waits for the first delta, the end for the settlement.
import type { KeyContext } from "../account/context.ts";
import { type Failure, fail } from "../failure.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { toHttpFailure } from "../http/errors.ts";
import { EventWriter } from "../http/event-writer.edge.ts";
import { logError } from "../http/log.edge.ts";
import { withDeadline } from "../in-time.edge.ts";
import { toCaller } from "../inference/caller.edge.ts";
import {
	type CompletionStream,
	type CompletionStreamEnd,
	inferStream,
	type OpenCompletionStream,
} from "../inference/infer.edge.ts";
import type { UpstreamInterrupted } from "../providers/call-failure.ts";
import type { ChatExtras } from "./asked.ts";
import {
	blocksChunk,
	type ChunkHead,
	chunkHead,
	errorEvent,
	lastChunks,
	partChunk,
	roleChunk,
	type StreamError,
} from "./chunks.ts";
import { usageBlock } from "./completion.ts";

/** How long the response head waits for the first delta; until then a failure is an ordinary error response. */
const HEAD_WAIT_MS = 10_000;

const INTERNAL_ERROR: StreamError = {
	type: "server_error",
	code: "internal_error",
	message: "an unexpected error; the log has it under this request id",
};
const NOT_ACCOUNTED: StreamError = {
	type: "server_error",
	code: "receipt_unavailable",
	message: "the answer could not be accounted for",
};

function errorOf({ why, error }: UpstreamInterrupted): StreamError {
	const message = error?.message.toWellFormed().slice(0, 500) ?? "the upstream stream broke off";
	const code = why === "timeout" || why === "out_of_time" ? "upstream_timeout" : "upstream_cut";
	return { type: "upstream_error", code: error?.code ?? code, message };
}

/** How an entrance words a stream. */
interface Form extends Pick<ChatExtras, "svcOf" | "inFields"> {
	/** Whether the client asked for usage. */
	includeUsage: boolean;
}

/** The events that end a stream, by how the answer ended. */
function lastEvents(head: ChunkHead, { lost, accounted }: CompletionStreamEnd, svcOf: Form["svcOf"]): string {
	const svc = accounted ? svcOf(accounted) : null;
	if (lost) return errorEvent(errorOf(lost), svc);
	if (!accounted || !svc) return errorEvent(NOT_ACCOUNTED, null);
	const { answer, billed } = accounted;
	const finish = { reason: answer.finishReason, native: answer.nativeFinishReason };
	return (blocksChunk(head, answer) ?? "") + lastChunks(head, finish, usageBlock(answer, billed), svc);
}

/** Writes an answer's parts, as fast as the client reads them and as long as the upstream's time is not up. */
async function relay({ parts, over }: CompletionStream, head: ChunkHead, writer: EventWriter): Promise<void> {
	over.addEventListener("abort", () => writer.stopWaiting(), { once: true });
	// The next piece is read while the client takes the last one.
	let written = writer.write(roleChunk(head));
	for await (const batch of parts) {
		let events = "";
		for (const part of batch) events += partChunk(head, part) ?? "";
		await written;
		if (writer.gone.aborted) return;
		if (events !== "") written = writer.write(events);
	}
	await written;
}

/** Writes an answer to its end. What was delivered is accounted for, even where the delivery itself came to grief. */
async function deliver(streamed: CompletionStream, writer: EventWriter, { includeUsage, svcOf }: Form): Promise<void> {
	const { record, modelId } = streamed;
	const { requestId } = record;
	const created = Math.floor(record.startedAtMs / 1000);
	const head = chunkHead({ id: requestId, created, model: modelId }, includeUsage);
	const isRelayed = await relay(streamed, head, writer).then(
		() => true,
		(error: unknown) => {
			logError("stream_failed", error, { request_id: requestId });
			return false;
		},
	);
	const ending = await streamed.end(writer.gone.aborted);
	const svc = ending.accounted && svcOf(ending.accounted);
	await writer.write(isRelayed ? lastEvents(head, ending, svcOf) : errorEvent(INTERNAL_ERROR, svc));
	await writer.close();
}

/** A stream on its way to its first delta. */
class StreamedResponse {
	#writer: EventWriter;
	#form: Form;
	/** Set once the client is sent its head: from then on it hears of a failure by an event. */
	#hasHead = false;

	constructor(writer: EventWriter, form: Form) {
		this.#writer = writer;
		this.#form = form;
	}

	/** Sends the head to a client that has been waiting long, and says that the answer is still to come. */
	sendHeadEarly(): void {
		this.#hasHead = true;
		void this.#writer.comment("waiting for the model");
	}

	/** Runs to the end. `onServed` is told when the first delta is there. @returns the failure, if the client has no head yet. */
	async run(open: OpenCompletionStream, onServed: (sandbox: boolean) => void): Promise<Failure | null> {
		const opened = await open();
		if (opened.ok) {
			this.#hasHead = true;
			onServed(opened.value.sandbox);
			await deliver(opened.value, this.#writer, this.#form);
			return null;
		}
		const failure = this.#form.inFields(opened.failure);
		if (!this.#hasHead) {
			this.#writer.abandon();
			return failure;
		}
		const { body } = toHttpFailure(failure);
		const svc = opened.settled && this.#form.svcOf(opened.settled);
		const type = failure.reason === "receipt_unavailable" ? "server_error" : "upstream_error";
		await this.#end(errorEvent({ type, code: failure.reason, message: String(body["message"]) }, svc));
		return null;
	}

	/** Ends a stream whose run came to grief; a client without a head gets an ordinary error response. */
	async fail(): Promise<void> {
		if (this.#hasHead) await this.#end(errorEvent(INTERNAL_ERROR, null));
		else this.#writer.abandon();
	}

	async #end(event: string): Promise<void> {
		await this.#writer.write(event);
		await this.#writer.close();
	}
}

/** Answers as a stream. Until the head is sent, a failure is an ordinary error response. */
export async function streamAnswer(
	{ request, purpose, svcOf, inFields }: ChatExtras,
	includeUsage: boolean,
	context: KeyContext,
): Promise<HandlerResult<never>> {
	// Not the platform's IdentityTransformStream, which is cheaper: it tells of a client that has left only at the next write.
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const writer = new EventWriter(writable);
	const caller = { ...toCaller(context), signal: AbortSignal.any([context.signal, writer.gone]) };
	const reserved = await inferStream(request, purpose, caller).catch((error: unknown) => {
		writer.abandon();
		throw error;
	});
	if (!reserved.ok) {
		writer.abandon();
		return fail(inFields(reserved.failure));
	}
	const response = new StreamedResponse(writer, { includeUsage, svcOf, inFields });
	const served = Promise.withResolvers<boolean>();
	const work = response.run(reserved.value, served.resolve);
	context.finished = work.then(
		() => undefined,
		(error: unknown) => {
			logError("stream_failed", error, { request_id: context.requestId });
			return response.fail();
		},
	);
	context.waitUntil(context.finished);
	// Once the stream is served, its work ends only when the client has read it all.
	const begun = Promise.race([served.promise.then((sandbox) => ({ sandbox })), work.then((failure) => ({ failure }))]);
	const first = await withDeadline(begun, HEAD_WAIT_MS, () => "waited" as const);
	if (first === "waited") response.sendHeadEarly();
	else if ("failure" in first && first.failure) return fail(first.failure);
	const headers = {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache, no-transform",
		...(first !== "waited" && "sandbox" in first && first.sandbox ? { "x-svc-sandbox": "1" } : {}),
	};
	return { ok: true, response: new Response(readable, { headers }) };
}

// Answers with a streamed completion. The head waits for the first delta, the end for the settlement.
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
import { type EntranceRequest, toUsageBlock } from "./completion.ts";

/** The response head waits this long for the first delta. Until then, a failure is an ordinary error response. */
const HEAD_WAIT_MS = 10_000;

const INTERNAL_ERROR: StreamError = {
	type: "server_error",
	code: "internal_error",
	message: "an unexpected error; the log has it under this request id",
};
const NOT_SETTLED: StreamError = {
	type: "server_error",
	code: "receipt_unavailable",
	message: "the answer could not be accounted for",
};

function toStreamError({ why, error }: UpstreamInterrupted): StreamError {
	const message = error?.message.toWellFormed().slice(0, 500) ?? "the upstream stream broke off";
	const code = why === "timeout" || why === "out_of_time" ? "upstream_timeout" : "upstream_cut";
	return { type: "upstream_error", code: error?.code ?? code, message };
}

/** How an entrance words a stream. */
interface StreamWording extends Pick<EntranceRequest, "toSvcBlock" | "withClientFields"> {
	/** Whether the client asked for usage. */
	includeUsage: boolean;
}

/** The events that end a stream; they depend on how the answer ended. */
function finalEvents(
	head: ChunkHead,
	{ lost, accounted }: CompletionStreamEnd,
	toSvcBlock: StreamWording["toSvcBlock"],
): string {
	const svc = accounted ? toSvcBlock(accounted) : null;
	if (lost) return errorEvent(toStreamError(lost), svc);
	if (!accounted || !svc) return errorEvent(NOT_SETTLED, null);
	const { answer, billed } = accounted;
	const finish = { reason: answer.finishReason, native: answer.nativeFinishReason };
	return (blocksChunk(head, answer) ?? "") + lastChunks(head, finish, toUsageBlock(answer, billed), svc);
}

/** Writes an answer's parts as fast as the client reads them, until the upstream's time is up. */
async function relay({ parts, over }: CompletionStream, head: ChunkHead, writer: EventWriter): Promise<void> {
	over.addEventListener("abort", () => writer.stopWaiting(), { once: true });
	// The next batch is read while the client takes the last one.
	let written = writer.write(roleChunk(head));
	for await (const batch of parts) {
		let events = "";
		for (const part of batch) events += partChunk(head, part) ?? "";
		await written;
		if (writer.hasGone) return;
		if (events !== "") written = writer.write(events);
	}
	await written;
}

/** Writes an answer to its end. The answer is settled even if its delivery fails. */
async function deliver(
	streamed: CompletionStream,
	writer: EventWriter,
	{ includeUsage, toSvcBlock }: StreamWording,
): Promise<void> {
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
	const svc = ending.accounted && toSvcBlock(ending.accounted);
	await writer.write(isRelayed ? finalEvents(head, ending, toSvcBlock) : errorEvent(INTERNAL_ERROR, svc));
	await writer.close();
}

/** The response to a client that waits for its first delta. */
class StreamedResponse {
	#writer: EventWriter;
	#wording: StreamWording;
	/** From then on, a failure is reported by an event. */
	#hasHead = false;

	constructor(writer: EventWriter, wording: StreamWording) {
		this.#writer = writer;
		this.#wording = wording;
	}

	/** Sends the head to a client that has waited long, with a comment that the answer is still to come. */
	sendHeadEarly(): void {
		this.#hasHead = true;
		void this.#writer.comment("waiting for the model");
	}

	/**
	 * Runs to the end.
	 * @param onServed called when the first delta is there.
	 * @returns the failure if the client has no head yet.
	 */
	async run(open: OpenCompletionStream, onServed: (sandbox: boolean) => void): Promise<Failure | null> {
		const opened = await open();
		if (opened.ok) {
			this.#hasHead = true;
			onServed(opened.value.sandbox);
			await deliver(opened.value, this.#writer, this.#wording);
			return null;
		}
		const failure = this.#wording.withClientFields(opened.failure);
		if (!this.#hasHead) {
			this.#writer.abandon();
			return failure;
		}
		const { body } = toHttpFailure(failure);
		const svc = opened.settled && this.#wording.toSvcBlock(opened.settled);
		const type = failure.reason === "receipt_unavailable" ? "server_error" : "upstream_error";
		await this.#end(errorEvent({ type, code: failure.reason, message: String(body["message"]) }, svc));
		return null;
	}

	/** Ends a stream whose work threw. A client without a head gets an ordinary error response. */
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
export async function respondStreaming(
	{ request, purpose, toSvcBlock, withClientFields }: EntranceRequest,
	includeUsage: boolean,
	context: KeyContext,
): Promise<HandlerResult<never>> {
	const writer = new EventWriter();
	const caller = { ...toCaller(context), signal: AbortSignal.any([context.signal, writer.gone]) };
	const reserved = await inferStream(request, purpose, caller).catch((error: unknown) => {
		writer.abandon();
		throw error;
	});
	if (!reserved.ok) {
		writer.abandon();
		return fail(withClientFields(reserved.failure));
	}
	const response = new StreamedResponse(writer, { includeUsage, toSvcBlock, withClientFields });
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
	// Once the first delta is there, the work ends only when the client has read everything.
	const firstOutcome = Promise.race([
		served.promise.then((sandbox) => ({ sandbox })),
		work.then((failure) => ({ failure })),
	]);
	const first = await withDeadline(firstOutcome, HEAD_WAIT_MS, () => "waited" as const);
	if (first === "waited") response.sendHeadEarly();
	else if ("failure" in first && first.failure) return fail(first.failure);
	const headers = {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache, no-transform",
		...(first !== "waited" && "sandbox" in first && first.sandbox ? { "x-svc-sandbox": "1" } : {}),
	};
	return { ok: true, response: new Response(writer.readable, { headers }) };
}

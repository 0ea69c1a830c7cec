// Answers with a stream in the form of an entrance. The head waits for the first delta, the end for the settlement.
import type { KeyContext } from "../account/context.ts";
import { type Failure, fail } from "../failure.ts";
import type { ExchangeNotes } from "../http/context.ts";
import type { ErrorDialect } from "../http/dialects.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { failureMessage } from "../http/errors.ts";
import { EventWriter } from "../http/event-writer.edge.ts";
import { logError } from "../http/log.edge.ts";
import { withDeadline } from "../in-time.edge.ts";
import type { UpstreamInterrupted } from "../providers/call-failure.ts";
import type { StreamPart } from "../providers/wire.ts";
import type { EntranceRequest, StreamError, StreamForm } from "./answer-form.ts";
import { toCaller } from "./caller.edge.ts";
import {
	type CompletionStream,
	type CompletionStreamEnd,
	inferStream,
	type OpenCompletionStream,
	type SettledRequest,
} from "./infer.edge.ts";

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

/** The events that end a stream; they depend on how the answer ended. */
function finalEvents(form: StreamForm, { lost, accounted }: CompletionStreamEnd): string | Promise<string> {
	if (lost) return form.fail(toStreamError(lost), accounted);
	return accounted ? form.end(accounted) : form.fail(NOT_SETTLED, null);
}

/** The events of some parts, in their order. */
async function partEvents(form: StreamForm, parts: readonly StreamPart[]): Promise<string> {
	let events = "";
	for (const part of parts) {
		const text = form.part(part);
		events += typeof text === "string" ? text : await text;
	}
	return events;
}

/** Writes an answer's parts as fast as the client reads them, until the upstream's time is up. */
async function relay(
	{ record, modelId, account, parts, over }: CompletionStream,
	form: StreamForm,
	writer: EventWriter,
): Promise<void> {
	over.addEventListener("abort", () => writer.stopWaiting(), { once: true });
	const { requestId, startedAtMs } = record;
	// The next batch is read while the client takes the last one.
	let written = writer.write(form.begin({ requestId, startedAtMs, modelId, account }));
	if (form.keepAlive !== undefined) writer.keepAliveText = form.keepAlive;
	for await (const batch of parts) {
		const events = await partEvents(form, batch);
		await written;
		if (writer.hasGone) return;
		if (events !== "") written = writer.write(events);
	}
	await written;
}

/** Writes an answer to its end. The answer is settled even if its delivery fails. */
async function deliver(streamed: CompletionStream, writer: EventWriter, form: StreamForm): Promise<void> {
	const { requestId } = streamed.record;
	const isRelayed = await relay(streamed, form, writer).then(
		() => true,
		(error: unknown) => {
			logError("stream_failed", error, { request_id: requestId });
			return false;
		},
	);
	const ending = await streamed.end(writer.gone.aborted);
	if (!writer.hasGone)
		await writer.write(await (isRelayed ? finalEvents(form, ending) : form.fail(INTERNAL_ERROR, ending.accounted)));
	await writer.close();
}

/** The response to a client that waits for its first delta. */
class StreamedResponse {
	#writer: EventWriter;
	#form: StreamForm;
	#withClientFields: EntranceRequest<unknown>["withClientFields"];
	#dialect: ErrorDialect | undefined;
	#trail: ExchangeNotes;
	/** From then on, a failure is reported by an event. */
	#hasHead = false;

	constructor(
		writer: EventWriter,
		{ toStream, withClientFields }: EntranceRequest<unknown>,
		{ errorDialect, trail }: Pick<KeyContext, "errorDialect" | "trail">,
	) {
		this.#writer = writer;
		this.#dialect = errorDialect;
		this.#trail = trail;
		this.#form = toStream();
		this.#withClientFields = withClientFields;
	}

	/** From now on, the client has the status of a success. */
	#noteHead(): void {
		this.#hasHead = true;
		this.#trail.sentStatus = 200;
	}

	/** Sends the head to a client that has waited long, with a comment that the answer is still to come. */
	sendHeadEarly(): void {
		this.#noteHead();
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
			this.#noteHead();
			onServed(opened.value.sandbox);
			await deliver(opened.value, this.#writer, this.#form);
			return null;
		}
		const failure = this.#withClientFields(opened.failure);
		if (!this.#hasHead) {
			this.#writer.abandon();
			return failure;
		}
		this.#trail.failure = failure;
		const message = failureMessage(failure, this.#dialect);
		const type = failure.reason === "receipt_unavailable" ? "server_error" : "upstream_error";
		await this.#fail({ type, code: failure.reason, message }, opened.settled);
		return null;
	}

	/** Ends a stream whose work threw. A client without a head gets an ordinary error response. */
	async fail(): Promise<void> {
		if (this.#hasHead) await this.#fail(INTERNAL_ERROR, null);
		else this.#writer.abandon();
	}

	async #fail(error: StreamError, settled: SettledRequest | null): Promise<void> {
		await this.#writer.write(await this.#form.fail(error, settled));
		await this.#writer.close();
	}
}

/** Answers as a stream. Until the head is sent, a failure is an ordinary error response. */
export async function respondStreaming(
	entrance: EntranceRequest<unknown>,
	context: KeyContext,
): Promise<HandlerResult<never>> {
	const writer = new EventWriter();
	const caller = { ...toCaller(context), signal: AbortSignal.any([context.signal, writer.gone]) };
	const reserved = await inferStream(entrance.request, entrance.purpose, caller).catch((error: unknown) => {
		writer.abandon();
		throw error;
	});
	if (!reserved.ok) {
		writer.abandon();
		return fail(entrance.withClientFields(reserved.failure));
	}
	const response = new StreamedResponse(writer, entrance, context);
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
		...entrance.headers,
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache, no-transform",
		...(first !== "waited" && "sandbox" in first && first.sandbox ? { "x-svc-sandbox": "1" } : {}),
	};
	return { ok: true, response: new Response(writer.readable, { headers }) };
}

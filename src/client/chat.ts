// Chat and skills with their streams of OpenAI chunks. OpenAI's library does the same; this is for who has only this client.
import { SvcError, toSvcError } from "./errors.ts";
import type { CallSettings, EndpointArguments, Transport } from "./transport.ts";

/** A chunk of a streamed completion, as far as it is read here; the rest is as in OpenAI's interface. */
export interface CompletionChunk {
	id: string;
	model: string;
	choices: { delta: { content?: string | null }; finish_reason: string | null }[];
	/** On the last chunk: how it was routed, what it cost, its receipt. */
	svc?: Record<string, unknown>;
	[member: string]: unknown;
}

/** Endpoints that stream chunks. */
type ChatEndpoint = "create_chat_completion" | "invoke_skill";

/**
 * The chunks of a completion as they come.
 * @param given with `stream: true` in its body.
 * @throws SvcError also for an error that ends the stream, and `stream_broken` when it ends without its last mark.
 */
export async function* readChunks<Id extends ChatEndpoint>(
	transport: Transport,
	id: Id,
	given: EndpointArguments<Id>,
	settings: CallSettings = {},
): AsyncGenerator<CompletionChunk> {
	let lastRequestId: string | null = null;
	for await (const { text, requestId } of transport.events(id, given, settings)) {
		lastRequestId = requestId;
		if (text === "[DONE]") return;
		// The boundary: chunks are OpenAI's.
		const chunk = JSON.parse(text) as CompletionChunk;
		if ("error" in chunk) throw toSvcError(chunk, 200, requestId);
		yield chunk;
	}
	throw new SvcError({ code: "stream_broken", message: "the stream ended too early", requestId: lastRequestId });
}

// The Server-Sent Events of a streamed completion: OpenAI's chunks with the `svc` block. Pure.
import type { ModelAnswer } from "../providers/model-call.ts";
import type { StreamPart } from "../providers/wire.ts";
import { type ChatCompletion, type SvcBlock, toolCallFields } from "./completion.ts";
import { blockFields } from "./provider-blocks.ts";

/** What every chunk of a stream repeats, written once. */
export interface ChunkHead {
	fields: { id: string /** Unix seconds. */; created: number; model: string };
	/** Whether the client asked for usage: then every chunk has the member. */
	includeUsage: boolean;
	/** The event around a delta and nothing else. */
	beforeDelta: string;
	afterDelta: string;
}

/** The head of a stream's chunks. */
export function chunkHead(fields: ChunkHead["fields"], includeUsage: boolean): ChunkHead {
	const begun = JSON.stringify({ object: "chat.completion.chunk", ...fields }).slice(0, -1);
	return {
		fields,
		includeUsage,
		beforeDelta: `data: ${begun},"choices":[{"index":0,"delta":`,
		afterDelta: `,"logprobs":null,"finish_reason":null}]${includeUsage ? ',"usage":null' : ""}}\n\n`,
	};
}

/** One event. */
export function event(payload: unknown): string {
	return `data: ${JSON.stringify(payload)}\n\n`;
}

export const DONE = "data: [DONE]\n\n";

interface MoreFields {
	/** Of the upstream's body; ours win. */
	upstream?: Record<string, unknown>;
	usage?: ChatCompletion["usage"];
	svc?: SvcBlock;
}

function chunk({ includeUsage, fields }: ChunkHead, choices: unknown[], more: MoreFields = {}): string {
	const { upstream, usage = null, svc } = more;
	return event({
		...upstream,
		object: "chat.completion.chunk",
		...fields,
		choices,
		...(includeUsage ? { usage } : {}),
		...(svc ? { svc } : {}),
	});
}

/** The first chunk: who speaks. */
export function roleChunk(head: ChunkHead): string {
	return chunk(head, [
		{ index: 0, delta: { role: "assistant", content: "", refusal: null }, logprobs: null, finish_reason: null },
	]);
}

function deltaOf({ fields: { model } }: ChunkHead, part: StreamPart): Record<string, unknown> | null {
	switch (part.type) {
		case "text":
			return { content: part.text };
		case "reasoning":
			return { reasoning_content: part.text };
		case "refusal":
			return { refusal: part.text };
		case "tool_call": {
			const { index, id, name, signature } = part;
			const call = { id, name, arguments: "", ...(signature === undefined ? {} : { signature }) };
			return { tool_calls: [{ index, ...toolCallFields(call, model) }] };
		}
		case "tool_arguments":
			return { tool_calls: [{ index: part.index, function: { arguments: part.text } }] };
		case "extra":
			return part.fields;
		default:
			return null;
	}
}

/** The chunk of a part; null for parts that are said at the end. */
export function partChunk(head: ChunkHead, part: StreamPart): string | null {
	if (part.type === "logprobs") {
		return chunk(head, [{ index: 0, delta: {}, logprobs: { content: part.content }, finish_reason: null }]);
	}
	if (part.type === "body_fields")
		return chunk(head, [{ index: 0, delta: {}, logprobs: null, finish_reason: null }], { upstream: part.fields });
	const delta = deltaOf(head, part);
	return delta ? head.beforeDelta + JSON.stringify(delta) + head.afterDelta : null;
}

/** The chunk of an answer's provider blocks, which is said once they are all there; null without any. */
export function blocksChunk(head: ChunkHead, answer: ModelAnswer): string | null {
	const delta = blockFields(answer);
	if (Object.keys(delta).length === 0) return null;
	return chunk(head, [{ index: 0, delta, logprobs: null, finish_reason: null }]);
}

/** The end of a whole stream: finish reason, usage where it was asked for, the `svc` block on whichever comes last. */
export function lastChunks(
	head: ChunkHead,
	finish: { reason: string; native: string | null },
	usage: ChatCompletion["usage"],
	svc: SvcBlock,
): string {
	const choice = {
		index: 0,
		delta: {},
		logprobs: null,
		finish_reason: finish.reason,
		native_finish_reason: finish.native,
	};
	if (!head.includeUsage) return chunk(head, [choice], { svc }) + DONE;
	return chunk(head, [choice]) + chunk(head, [], { usage, svc }) + DONE;
}

/** How a stream ends that breaks off. `upstream_error` is what an upstream did, `server_error` what this service did. */
export interface StreamError {
	type: "upstream_error" | "server_error";
	code: string;
	message: string;
}

/** The end of a stream that broke: an error that OpenAI clients throw, and no `[DONE]`. */
export function errorEvent({ message, type, code }: StreamError, svc: SvcBlock | null): string {
	return event({ error: { message, type, code, param: null }, ...(svc ? { svc } : {}) });
}

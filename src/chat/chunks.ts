// The Server-Sent Events of a streamed completion: OpenAI's chunks with the `svc` block. Pure.
import type { StreamError } from "../inference/answer-form.ts";
import type { SvcBlock } from "../inference/svc-block.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import type { StreamPart } from "../providers/wire.ts";
import { type ChatCompletion, renderToolCall } from "./completion.ts";
import { toBlockFields } from "./provider-blocks.ts";

/** What every chunk of a stream repeats, serialized once. */
export interface ChunkHead {
	fields: { id: string /** Unix seconds. */; created: number; model: string };
	/** Whether the client asked for usage. If so, every chunk has the member. */
	includeUsage: boolean;
	/** The text around a delta in an event that holds nothing else. */
	beforeDelta: string;
	afterDelta: string;
}

/** The head of a stream's chunks. */
export function chunkHead(fields: ChunkHead["fields"], includeUsage: boolean): ChunkHead {
	const opening = JSON.stringify({ object: "chat.completion.chunk", ...fields }).slice(0, -1);
	return {
		fields,
		includeUsage,
		beforeDelta: `data: ${opening},"choices":[{"index":0,"delta":`,
		afterDelta: `,"logprobs":null,"finish_reason":null}]${includeUsage ? ',"usage":null' : ""}}\n\n`,
	};
}

/** One event. */
function renderEvent(payload: unknown): string {
	return `data: ${JSON.stringify(payload)}\n\n`;
}

const DONE_EVENT = "data: [DONE]\n\n";

interface ChunkExtras {
	/** Fields of the upstream's body; ours win. */
	upstream?: Record<string, unknown>;
	usage?: ChatCompletion["usage"];
	svc?: SvcBlock;
}

function renderChunkEvent({ includeUsage, fields }: ChunkHead, choices: unknown[], more: ChunkExtras = {}): string {
	const { upstream, usage = null, svc } = more;
	return renderEvent({
		...upstream,
		object: "chat.completion.chunk",
		...fields,
		choices,
		...(includeUsage ? { usage } : {}),
		...(svc ? { svc } : {}),
	});
}

/** The first chunk, which names the role. */
export function roleChunk(head: ChunkHead): string {
	return renderChunkEvent(head, [
		{ index: 0, delta: { role: "assistant", content: "", refusal: null }, logprobs: null, finish_reason: null },
	]);
}

function toDelta({ fields: { model } }: ChunkHead, part: StreamPart): Record<string, unknown> | null {
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
			return { tool_calls: [{ index, ...renderToolCall(call, model) }] };
		}
		case "tool_arguments":
			return { tool_calls: [{ index: part.index, function: { arguments: part.text } }] };
		case "extra":
			return part.fields;
		default:
			return null;
	}
}

/** The chunk of a part; null for parts that belong to the end. */
export function partChunk(head: ChunkHead, part: StreamPart): string | null {
	if (part.type === "logprobs") {
		return renderChunkEvent(head, [{ index: 0, delta: {}, logprobs: { content: part.content }, finish_reason: null }]);
	}
	if (part.type === "body_fields")
		return renderChunkEvent(head, [{ index: 0, delta: {}, logprobs: null, finish_reason: null }], {
			upstream: part.fields,
		});
	const delta = toDelta(head, part);
	return delta ? head.beforeDelta + JSON.stringify(delta) + head.afterDelta : null;
}

/** The chunk of an answer's provider blocks, sent when all of them are there; null without any. */
export function blocksChunk(head: ChunkHead, answer: ModelAnswer): string | null {
	const delta = toBlockFields(answer);
	if (Object.keys(delta).length === 0) return null;
	return renderChunkEvent(head, [{ index: 0, delta, logprobs: null, finish_reason: null }]);
}

/** The end of a complete stream: the finish reason, usage if requested, and the `svc` block on the last chunk. */
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
	if (!head.includeUsage) return renderChunkEvent(head, [choice], { svc }) + DONE_EVENT;
	return renderChunkEvent(head, [choice]) + renderChunkEvent(head, [], { usage, svc }) + DONE_EVENT;
}

/** The end of a broken stream: an error that OpenAI clients throw, and no `[DONE]`. */
export function errorEvent({ message, type, code }: StreamError, svc: SvcBlock | null): string {
	return renderEvent({ error: { message, type, code, param: null }, ...(svc ? { svc } : {}) });
}

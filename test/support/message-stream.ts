// Reads a streamed message as strictly as no client does: every event in its place, one block at a time, nothing after the end.
import type { ContentBlock } from "../../src/messages/answer-blocks.ts";
import { eventsOf } from "./sse.ts";

type Json = Record<string, unknown>;

/** How a strictly read stream ended. */
export interface MessageStreamRead {
	/** Of `message_start`; null for a stream that failed before it. */
	start: Json | null;
	/** The blocks that ended, put together. */
	content: ContentBlock[];
	/** Types of the blocks that were still open at the end. */
	open: string[];
	/** `message_delta`; null for a broken stream. */
	delta: Json | null;
	/** The error event; null for a complete stream. */
	error: Json | null;
	pings: number;
	names: string[];
}

function member(value: unknown, name: string): unknown {
	return Object(value) === value ? Reflect.get(Object(value), name) : undefined;
}

function fault(why: string, at: unknown): Error {
	return new Error(`${why}: ${JSON.stringify(at)}`);
}

/** The member that a delta adds to, by its type, and the types of blocks that may have it. */
const DELTAS: Readonly<Record<string, { member: string; of: readonly string[] }>> = {
	text_delta: { member: "text", of: ["text"] },
	thinking_delta: { member: "thinking", of: ["thinking"] },
	signature_delta: { member: "signature", of: ["thinking"] },
	input_json_delta: { member: "partial_json", of: ["tool_use"] },
};

/** Blocks of these types begin empty and grow. */
const EMPTY_AT_START: Readonly<Record<string, readonly string[]>> = {
	text: ["text"],
	thinking: ["thinking", "signature"],
};

class Reader {
	readonly read: MessageStreamRead = {
		start: null,
		content: [],
		open: [],
		delta: null,
		error: null,
		pings: 0,
		names: [],
	};
	#block: { block: ContentBlock; json: string; isSigned: boolean } | null = null;
	#index = 0;
	#isOver = false;

	event(name: string, json: Json): void {
		if (json["type"] !== name) throw fault("an event of two names", [name, json]);
		if (this.#isOver) throw fault("an event after the end", json);
		this.read.names.push(name);
		if (name === "error") this.#error(json);
		else if (name === "message_start") this.#start(json);
		else if (!this.read.start) throw fault("an event before message_start", json);
		else if (name === "ping") this.read.pings++;
		else if (this.read.delta) {
			if (name !== "message_stop") throw fault("an event after message_delta", json);
			this.#isOver = true;
		} else this.#content(name, json);
	}

	end(): MessageStreamRead {
		if (!this.#isOver) throw fault("no end", this.read.names.slice(-5));
		if (this.#block) this.read.open.push(this.#block.block.type);
		return this.read;
	}

	#error(json: Json): void {
		if (typeof member(json["error"], "type") !== "string" || typeof member(json["error"], "message") !== "string")
			throw fault("an error without type and message", json);
		this.read.error = json;
		this.#isOver = true;
	}

	#start({ message }: Json): void {
		if (this.read.start) throw fault("a second message_start", message);
		if (!Array.isArray(member(message, "content")) || member(message, "stop_reason") !== null)
			throw fault("a message that does not begin empty", message);
		this.read.start = message as Json;
	}

	#content(name: string, json: Json): void {
		if (name === "message_delta") {
			if (this.#block) throw fault("message_delta within a block", json);
			if (typeof member(json["delta"], "stop_reason") !== "string") throw fault("no stop_reason", json);
			this.read.delta = json;
			return;
		}
		if (json["index"] !== this.#index) throw fault(`not of block ${this.#index}`, json);
		if (name === "content_block_start") this.#startBlock(json["content_block"] as ContentBlock);
		else if (name === "content_block_delta") this.#addDelta(json["delta"] as Json);
		else if (name === "content_block_stop") this.#stopBlock();
		else throw fault("an unknown event", json);
	}

	#startBlock(block: ContentBlock): void {
		if (this.#block) throw fault("a block within a block", block);
		for (const name of EMPTY_AT_START[block.type] ?? [])
			if (block[name] !== "") throw fault("a block that does not begin empty", block);
		this.#block = { block: { ...block }, json: "", isSigned: false };
	}

	#addDelta(delta: Json): void {
		const open = this.#block;
		const { member: name, of } = DELTAS[String(delta["type"])] ?? { member: "", of: [] };
		const added = delta[name];
		if (!open || !of.includes(open.block.type) || typeof added !== "string") throw fault("a delta of no block", delta);
		if (open.isSigned) throw fault("a delta after the signature", delta);
		if (added === "" && name !== "signature") throw fault("an empty delta", delta);
		open.isSigned = name === "signature";
		if (name === "partial_json") open.json += added;
		else open.block[name] = `${open.block[name]}${added}`;
	}

	#stopBlock(): void {
		if (!this.#block) throw fault("the end of no block", this.#index);
		const { block, json } = this.#block;
		if (block.type === "tool_use" && json !== "") block["input"] = parsedInput(json);
		this.read.content.push(block);
		this.#block = null;
		this.#index++;
	}
}

function parsedInput(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return { _raw: json };
	}
}

/** Reads the events of a message. Throws for an order that Anthropic's grammar does not have. */
export function readMessageStream(sse: string): MessageStreamRead {
	const reader = new Reader();
	for (const { event, data } of eventsOf(sse)) reader.event(event, JSON.parse(data) as Json);
	return reader.end();
}

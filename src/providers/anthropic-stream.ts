// Decodes an Anthropic stream into stream parts. anthropic-answer.ts says what blocks mean. Text cut inside a character
// is passed on as it came; well-formed.ts repairs it.
import * as z from "zod";
import { jsonObjectSchema } from "../http/json-object.ts";
import { parseJson } from "../json.ts";
import {
	type AnthropicBlock,
	anthropicBlockSchema,
	blockEndParts,
	Citations,
	finishPart,
	parseAnthropicError,
	refusalParts,
	stopDetailsSchema,
	stopSequenceSchema,
	usageFromAnthropic,
} from "./anthropic-answer.ts";
import type { ReportedUsage, StreamDecoder, StreamEvent, StreamPart, UpstreamError } from "./wire.ts";

const index = z.int().min(0);
const streamUsageSchema = jsonObjectSchema.nullish().catch(null);

const anthropicEventSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.looseObject({
			type: z.literal("message_start"),
			message: z.looseObject({
				/** Empty, except in answers that continue an earlier one. */
				content: z.array(anthropicBlockSchema).nullish(),
				stop_reason: z.string().nullish(),
				stop_sequence: stopSequenceSchema,
				usage: streamUsageSchema,
			}),
		}),
		z.looseObject({ type: z.literal("content_block_start"), index, content_block: anthropicBlockSchema }),
		z.looseObject({ type: z.literal("content_block_delta"), index, delta: z.looseObject({ type: z.string() }) }),
		z.looseObject({ type: z.literal("content_block_stop"), index }),
		z.looseObject({
			type: z.literal("message_delta"),
			delta: z.looseObject({
				stop_reason: z.string().nullish(),
				stop_sequence: stopSequenceSchema,
				stop_details: stopDetailsSchema,
			}),
			usage: streamUsageSchema,
		}),
		z.looseObject({ type: z.literal("message_stop") }),
	]),
);
const KNOWN_EVENTS = new Set<string>([
	"message_start",
	"content_block_start",
	"content_block_delta",
	"content_block_stop",
	"message_delta",
	"message_stop",
]);
type AnthropicEvent = z.infer<typeof anthropicEventSchema>;
type AnthropicEventByType<T extends AnthropicEvent["type"]> = Extract<AnthropicEvent, { type: T }>;
type AnthropicDelta = AnthropicEventByType<"content_block_delta">["delta"];

/** A block that has started and not stopped. */
interface OpenBlock {
	block: AnthropicBlock;
	/** The tool input received so far. */
	json: string;
}

function deltaText(delta: AnthropicDelta, field: string): string {
	const value = delta[field];
	return typeof value === "string" ? value : "";
}

function toAnthropicParts(type: "text" | "reasoning", text: string): StreamPart[] {
	return text === "" ? [] : [{ type, text }];
}

/** Merges a delta into a block that this service does not read: strings are appended, other values replaced. */
function mergeDelta(block: Record<string, unknown>, { type: _type, ...fields }: AnthropicDelta): void {
	for (const [field, value] of Object.entries(fields)) {
		const before = block[field];
		block[field] = typeof before === "string" && typeof value === "string" ? before + value : value;
	}
}

/** Applies one delta to its block and returns the parts that can be delivered now. */
function applyDelta(open: OpenBlock, delta: AnthropicDelta): StreamPart[] {
	const { block } = open;
	if (delta.type === "input_json_delta") {
		open.json += deltaText(delta, "partial_json");
	} else if (block.type === "text") {
		if (delta.type === "text_delta") return toAnthropicParts("text", deltaText(delta, "text"));
		if (delta.type === "citations_delta") block.citations = [...(block.citations ?? []), delta["citation"]];
	} else if (block.type === "thinking") {
		if (delta.type === "thinking_delta") {
			const thinking = deltaText(delta, "thinking");
			block.thinking += thinking;
			return toAnthropicParts("reasoning", thinking);
		}
		if (delta.type === "signature_delta") block["signature"] = delta["signature"];
	} else if (block.type === "other") {
		mergeDelta(block.block, delta);
	}
	return [];
}

/** Decodes one Messages stream. */
export class AnthropicDecoder implements StreamDecoder {
	finished = false;
	#hasFailed = false;
	#hasStarted = false;
	#openBlocks = new Map<number, OpenBlock>();
	#citations = new Citations();
	#toolCount = 0;
	#stopReason: string | null = null;
	#stopSequence: string | null = null;
	/** The members of the usage object, each as last reported. */
	#usage: Record<string, unknown> = {};
	/** Whether the output was counted at the end of the stream. A stream begins with a count of about one token. */
	#usageIsFinal = false;

	/** The parts of one event. Pings, unknown events and everything after the end have none. */
	decode({ data }: StreamEvent): StreamPart[] {
		if (this.finished || this.#hasFailed) return [];
		const json = parseJson(data);
		if (json === undefined) return this.#fail({ message: "the stream holds an event that is not JSON", code: null });
		const type = z.looseObject({ type: z.string() }).safeParse(json).data?.type ?? "";
		if (type === "error")
			return this.#fail(parseAnthropicError(json) ?? { message: "the stream reports an error", code: null });
		// Vertex reports its own failures without a type.
		const foreign = type === "" ? parseAnthropicError(json) : null;
		if (foreign) return this.#fail(foreign);
		if (!KNOWN_EVENTS.has(type)) return [];
		const parsed = anthropicEventSchema.safeParse(json);
		if (!parsed.success) return this.#fail({ message: `the stream holds a malformed ${type} event`, code: null });
		return this.#read(parsed.data);
	}

	/** The usage of a stream that broke off after its output was counted. */
	end(): StreamPart[] {
		return this.finished || this.#hasFailed ? [] : this.#usageParts();
	}

	#read(event: AnthropicEvent): StreamPart[] {
		switch (event.type) {
			case "message_start":
				return this.#startMessage(event);
			case "content_block_start":
				return [...this.#closeBlock(event.index), ...this.#startBlock(event.index, event.content_block)];
			case "content_block_delta": {
				const open = this.#openBlocks.get(event.index);
				return open ? applyDelta(open, event.delta) : [];
			}
			case "content_block_stop":
				return this.#closeBlock(event.index);
			case "message_delta":
				this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
				this.#stopSequence = event.delta.stop_sequence ?? this.#stopSequence;
				this.#addUsage(event.usage);
				this.#usageIsFinal ||= event.usage?.["output_tokens"] != null;
				return refusalParts(event.delta.stop_details);
			case "message_stop":
				return this.#stopMessage();
		}
	}

	#fail(failure: UpstreamError): StreamPart[] {
		this.#hasFailed = true;
		return [{ type: "failure", error: failure }];
	}

	/** Counts are cumulative: a new value replaces the old one. */
	#addUsage(usage: Record<string, unknown> | null | undefined): void {
		for (const [field, value] of Object.entries(usage ?? {})) if (value !== null) this.#usage[field] = value;
	}

	#startMessage({ message }: AnthropicEventByType<"message_start">): StreamPart[] {
		const parts: StreamPart[] = [];
		// A second start means that the upstream began again. Undelivered parts are dropped; delivered parts stand.
		if (this.#hasStarted) {
			this.#openBlocks.clear();
			this.#citations = new Citations();
			this.#usage = {};
			parts.push({ type: "restart" });
		}
		this.#hasStarted = true;
		this.#stopReason = message.stop_reason ?? null;
		this.#stopSequence = message.stop_sequence ?? null;
		this.#addUsage(message.usage);
		this.#usageIsFinal = this.#stopReason !== null;
		for (const [position, block] of (message.content ?? []).entries())
			parts.push(...this.#startBlock(position, block), ...this.#closeBlock(position));
		return parts;
	}

	#startBlock(position: number, block: AnthropicBlock): StreamPart[] {
		this.#openBlocks.set(position, { block, json: "" });
		if (block.type === "text") return toAnthropicParts("text", block.text);
		if (block.type === "thinking") return toAnthropicParts("reasoning", block.thinking);
		return [];
	}

	/** Ends a block. A tool call is emitted only now, because until here a restart could have dropped it. */
	#closeBlock(position: number): StreamPart[] {
		const open = this.#openBlocks.get(position);
		if (!open) return [];
		this.#openBlocks.delete(position);
		const { block, json } = open;
		if (block.type === "other" && json !== "") block.block["input"] = parseJson(json) ?? json;
		this.#citations.add(block);
		const parts = blockEndParts(block, this.#toolCount, json);
		if (block.type === "tool_use") this.#toolCount++;
		return parts;
	}

	#stopMessage(): StreamPart[] {
		const parts = [...this.#openBlocks.keys()].flatMap((position) => this.#closeBlock(position));
		parts.push(...this.#citations.parts());
		parts.push(finishPart(this.#stopReason, this.#stopSequence, this.#toolCount > 0), ...this.#usageParts());
		this.finished = true;
		return parts;
	}

	reportedUsage(): ReportedUsage | null {
		const counts = usageFromAnthropic(this.#usage);
		return counts && { counts, isFinal: this.#usageIsFinal };
	}

	#usageParts(): StreamPart[] {
		const usage = this.#usageIsFinal ? usageFromAnthropic(this.#usage) : null;
		return usage ? [{ type: "usage", usage }] : [];
	}
}

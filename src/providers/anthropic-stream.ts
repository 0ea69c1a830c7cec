// An Anthropic stream read into parts. What blocks mean is said in anthropic-answer.ts; text cut inside a character is
// passed on as it came, well-formed.ts puts it together.
import * as z from "zod";
import {
	type Block,
	blockSchema,
	Citations,
	closingParts,
	fromAnthropicStopReason,
	parseAnthropicError,
	refusalParts,
	stopDetails,
	usageFromAnthropic,
} from "./anthropic-answer.ts";
import { jsonObjectSchema, parseJson } from "./json.ts";
import type { ReportedUsage, ServerSentEvent, StreamDecoder, StreamPart, UpstreamError } from "./wire.ts";

const index = z.int().min(0);
const usageField = jsonObjectSchema.nullish().catch(null);

const eventSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.looseObject({
			type: z.literal("message_start"),
			message: z.looseObject({
				/** Empty, but for answers that go on from an earlier one. */
				content: z.array(blockSchema).nullish(),
				stop_reason: z.string().nullish(),
				usage: usageField,
			}),
		}),
		z.looseObject({ type: z.literal("content_block_start"), index, content_block: blockSchema }),
		z.looseObject({ type: z.literal("content_block_delta"), index, delta: z.looseObject({ type: z.string() }) }),
		z.looseObject({ type: z.literal("content_block_stop"), index }),
		z.looseObject({
			type: z.literal("message_delta"),
			delta: z.looseObject({ stop_reason: z.string().nullish(), stop_details: stopDetails }),
			usage: usageField,
		}),
		z.looseObject({ type: z.literal("message_stop") }),
	]),
);
const READ_EVENTS = new Set<string>([
	"message_start",
	"content_block_start",
	"content_block_delta",
	"content_block_stop",
	"message_delta",
	"message_stop",
]);
type StreamEvent = z.infer<typeof eventSchema>;
type EventOf<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
type Delta = EventOf<"content_block_delta">["delta"];

/** A block between its start and its stop. */
interface OpenBlock {
	block: Block;
	/** Input of a tool, as far as it came. */
	json: string;
}

function textOf(delta: Delta, field: string): string {
	const value = delta[field];
	return typeof value === "string" ? value : "";
}

function textPart(type: "text" | "reasoning", text: string): StreamPart[] {
	return text === "" ? [] : [{ type, text }];
}

/** Deltas of blocks nobody here reads: text is appended, anything else set. */
function mergeDelta(block: Record<string, unknown>, { type: _type, ...fields }: Delta): void {
	for (const [field, value] of Object.entries(fields)) {
		const before = block[field];
		block[field] = typeof before === "string" && typeof value === "string" ? before + value : value;
	}
}

/** Applies one delta to its block, and says what the client can have of it now. */
function applyDelta(open: OpenBlock, delta: Delta): StreamPart[] {
	const { block } = open;
	if (delta.type === "input_json_delta") {
		open.json += textOf(delta, "partial_json");
	} else if (block.type === "text") {
		if (delta.type === "text_delta") return textPart("text", textOf(delta, "text"));
		if (delta.type === "citations_delta") block.citations = [...(block.citations ?? []), delta["citation"]];
	} else if (block.type === "thinking") {
		if (delta.type === "thinking_delta") {
			const thinking = textOf(delta, "thinking");
			block.thinking += thinking;
			return textPart("reasoning", thinking);
		}
		if (delta.type === "signature_delta") block["signature"] = delta["signature"];
	} else if (block.type === "other") {
		mergeDelta(block.block, delta);
	}
	return [];
}

/** Decoder of one Messages stream. */
export class AnthropicDecoder implements StreamDecoder {
	finished = false;
	#failed = false;
	#started = false;
	#open = new Map<number, OpenBlock>();
	#citations = new Citations();
	#toolCount = 0;
	#stopReason: string | null = null;
	/** Members of the usage object, each as last reported. */
	#usage: Record<string, unknown> = {};
	/** Whether the output was counted at its end; a stream begins with a count of about one token. */
	#usageIsFinal = false;

	/** The parts of one event; none for pings, unknown events, and whatever comes after the end. */
	decode({ data }: ServerSentEvent): StreamPart[] {
		if (this.finished || this.#failed) return [];
		const json = parseJson(data);
		if (json === undefined) return this.#fail({ message: "the stream holds an event that is not JSON", code: null });
		const type = z.looseObject({ type: z.string() }).safeParse(json).data?.type ?? "";
		if (type === "error")
			return this.#fail(parseAnthropicError(json) ?? { message: "the stream reports an error", code: null });
		if (!READ_EVENTS.has(type)) return [];
		const parsed = eventSchema.safeParse(json);
		if (!parsed.success) return this.#fail({ message: `the stream holds a malformed ${type} event`, code: null });
		return this.#read(parsed.data);
	}

	/** The usage of a stream that broke off after its output was counted. */
	end(): StreamPart[] {
		return this.finished || this.#failed ? [] : this.#usageParts();
	}

	#read(event: StreamEvent): StreamPart[] {
		switch (event.type) {
			case "message_start":
				return this.#startMessage(event);
			case "content_block_start":
				return [...this.#close(event.index), ...this.#start(event.index, event.content_block)];
			case "content_block_delta": {
				const open = this.#open.get(event.index);
				return open ? applyDelta(open, event.delta) : [];
			}
			case "content_block_stop":
				return this.#close(event.index);
			case "message_delta":
				this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
				this.#addUsage(event.usage);
				this.#usageIsFinal ||= event.usage?.["output_tokens"] != null;
				return refusalParts(event.delta.stop_details);
			case "message_stop":
				return this.#stopMessage();
		}
	}

	#fail(failure: UpstreamError): StreamPart[] {
		this.#failed = true;
		return [{ type: "failure", error: failure }];
	}

	/** Counts are cumulative: one that is restated replaces the one before. */
	#addUsage(usage: Record<string, unknown> | null | undefined): void {
		for (const [field, value] of Object.entries(usage ?? {})) if (value !== null) this.#usage[field] = value;
	}

	#startMessage({ message }: EventOf<"message_start">): StreamPart[] {
		const parts: StreamPart[] = [];
		// A second start is an upstream that began anew: what is not yet said is thrown away, what is said stays said.
		if (this.#started) {
			this.#open.clear();
			this.#citations = new Citations();
			this.#usage = {};
			parts.push({ type: "restart" });
		}
		this.#started = true;
		this.#stopReason = message.stop_reason ?? null;
		this.#addUsage(message.usage);
		this.#usageIsFinal = this.#stopReason !== null;
		for (const [position, block] of (message.content ?? []).entries())
			parts.push(...this.#start(position, block), ...this.#close(position));
		return parts;
	}

	#start(position: number, block: Block): StreamPart[] {
		this.#open.set(position, { block, json: "" });
		if (block.type === "text") return textPart("text", block.text);
		if (block.type === "thinking") return textPart("reasoning", block.thinking);
		return [];
	}

	/** A block is whole: now a tool call is said, since until here a restart could have thrown it away. */
	#close(position: number): StreamPart[] {
		const open = this.#open.get(position);
		if (!open) return [];
		this.#open.delete(position);
		const { block, json } = open;
		if (block.type === "other" && json !== "") block.block["input"] = parseJson(json) ?? json;
		this.#citations.add(block);
		const parts = closingParts(block, this.#toolCount, json);
		if (block.type === "tool_use") this.#toolCount++;
		return parts;
	}

	#stopMessage(): StreamPart[] {
		const parts = [...this.#open.keys()].flatMap((position) => this.#close(position));
		parts.push(...this.#citations.parts());
		const reason = fromAnthropicStopReason(this.#stopReason, this.#toolCount > 0);
		parts.push({ type: "finish", reason, native: this.#stopReason }, ...this.#usageParts());
		this.finished = true;
		return parts;
	}

	reported(): ReportedUsage | null {
		const counts = usageFromAnthropic(this.#usage);
		return counts && { counts, isFinal: this.#usageIsFinal };
	}

	#usageParts(): StreamPart[] {
		const usage = this.#usageIsFinal ? usageFromAnthropic(this.#usage) : null;
		return usage ? [{ type: "usage", usage }] : [];
	}
}

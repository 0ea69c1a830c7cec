// Decodes the events of a ConverseStream into stream parts. bedrock-answer.ts says what blocks mean, event-stream.ts reads the bytes.
import * as z from "zod";
import { jsonObjectSchema } from "../http/json-object.ts";
import { isJsonObject, parseJson } from "../json.ts";
import {
	BEDROCK_FAILED_REASONS,
	type BedrockBlock,
	bedrockBlockEndParts,
	bedrockBlockSchema,
	bedrockFinishPart,
	modelFieldsSchema,
	parseBedrockError,
	usageFromBedrock,
} from "./bedrock-answer.ts";
import type { ReportedUsage, StreamDecoder, StreamEvent, StreamPart, UpstreamError } from "./wire.ts";

const contentBlockIndex = z.int().min(0);

const deltaSchema = z.lazy(() =>
	z.looseObject({
		text: z.string().nullish(),
		toolUse: z.looseObject({ input: z.string().default("") }).nullish(),
		reasoningContent: z
			.looseObject({
				text: z.string().nullish(),
				signature: z.string().nullish(),
				redactedContent: z.string().nullish(),
			})
			.nullish(),
	}),
);
type Delta = z.infer<typeof deltaSchema>;

const EVENTS = {
	contentBlockStart: z.lazy(() => z.looseObject({ contentBlockIndex, start: jsonObjectSchema.default({}) })),
	contentBlockDelta: z.lazy(() => z.looseObject({ contentBlockIndex, delta: deltaSchema })),
	contentBlockStop: z.lazy(() => z.looseObject({ contentBlockIndex })),
	messageStop: z.lazy(() =>
		z.looseObject({ stopReason: z.string().nullish(), additionalModelResponseFields: modelFieldsSchema }),
	),
	metadata: z.lazy(() => z.looseObject({ usage: z.unknown().optional() })),
};
type EventName = keyof typeof EVENTS;
type EventOf<Name extends EventName> = z.infer<(typeof EVENTS)[Name]>;

function isEventName(name: string | undefined): name is EventName {
	return name !== undefined && Object.hasOwn(EVENTS, name);
}

/** A block that has begun and not stopped. */
interface OpenContent {
	block: BedrockBlock;
	/** The tool input received so far. */
	json: string;
	/** The encrypted reasoning received so far, which is joined at the block's end. */
	redacted: string[];
}

/** The block that a first delta begins: only tools have an event of their own for it. */
function toBlock({ reasoningContent }: Delta): BedrockBlock {
	if (!reasoningContent) return { type: "text", text: "" };
	const isRedacted = typeof reasoningContent.redactedContent === "string";
	return isRedacted ? { type: "redacted", redactedContent: "" } : { type: "reasoning", reasoningText: { text: "" } };
}

/** The base64 of the bytes of all pieces. Each of them is padded by itself. */
function joinBase64(pieces: readonly string[]): string {
	if (pieces.length < 2) return pieces.join("");
	try {
		return btoa(pieces.map((piece) => atob(piece)).join(""));
	} catch {
		return pieces.join("");
	}
}

/** Applies one delta to its block and returns the parts that can be delivered now. */
function addToContent(open: OpenContent, { text, toolUse, reasoningContent }: Delta): StreamPart[] {
	const { block } = open;
	if (toolUse) open.json += toolUse.input;
	if (reasoningContent?.redactedContent) open.redacted.push(reasoningContent.redactedContent);
	if (block.type === "reasoning") {
		const { reasoningText } = block;
		const thought = reasoningContent?.text ?? "";
		reasoningText.text += thought;
		reasoningText.signature = (reasoningText.signature ?? "") + (reasoningContent?.signature ?? "");
		return thought === "" ? [] : [{ type: "reasoning", text: thought }];
	}
	return block.type === "text" && text ? [{ type: "text", text }] : [];
}

/** Decodes one ConverseStream. It ends with the stop reason and with the counts, in whichever order. */
export class BedrockDecoder implements StreamDecoder {
	#hasFailed = false;
	#hasStopped = false;
	#hasMetadata = false;
	#openBlocks = new Map<number, OpenContent>();
	#toolCount = 0;
	#usage: unknown = null;

	get finished(): boolean {
		return this.#hasStopped && this.#hasMetadata;
	}

	/** The parts of one event. Unknown events have none. */
	decode({ event, data }: StreamEvent): StreamPart[] {
		if (this.#hasFailed) return [];
		const json = parseJson(data);
		if (event?.startsWith("exception ")) return this.#fail(this.#readException(event, json));
		if (!isEventName(event)) return [];
		if (json === undefined) return this.#fail({ message: "the stream holds an event that is not JSON", code: null });
		const parts = this.#read(event, json);
		return parts ?? this.#fail({ message: `the stream holds a malformed ${event} event`, code: null });
	}

	end(): StreamPart[] {
		return [];
	}

	#readException(event: string, json: unknown): UpstreamError {
		const code = event.slice("exception ".length) || null;
		const known = parseBedrockError(isJsonObject(json) ? json : {});
		return { message: known?.message ?? code ?? "the stream reports an error", code };
	}

	/** The parts of an event; null where it is malformed. */
	#read(name: EventName, json: unknown): StreamPart[] | null {
		switch (name) {
			case "contentBlockStart": {
				const parsed = EVENTS[name].safeParse(json);
				return parsed.success ? this.#startBlock(parsed.data) : null;
			}
			case "contentBlockDelta": {
				const parsed = EVENTS[name].safeParse(json);
				return parsed.success ? this.#addDelta(parsed.data) : null;
			}
			case "contentBlockStop": {
				const parsed = EVENTS[name].safeParse(json);
				return parsed.success ? this.#closeBlock(parsed.data.contentBlockIndex) : null;
			}
			case "messageStop": {
				const parsed = EVENTS[name].safeParse(json);
				return parsed.success ? this.#stopMessage(parsed.data) : null;
			}
			case "metadata": {
				const parsed = EVENTS[name].safeParse(json);
				this.#usage = parsed.data?.usage;
				this.#hasMetadata = true;
				const usage = usageFromBedrock(this.#usage);
				return usage ? [{ type: "usage", usage }] : [];
			}
		}
	}

	#fail(error: UpstreamError): StreamPart[] {
		this.#hasFailed = true;
		return [{ type: "failure", error }];
	}

	#startBlock({ contentBlockIndex: index, start }: EventOf<"contentBlockStart">): StreamPart[] {
		const parts = this.#closeBlock(index);
		// A start that says nothing is of a text or of reasoning: its first delta says which.
		if (Object.keys(start).length > 0)
			this.#openBlocks.set(index, { block: bedrockBlockSchema.parse(start), json: "", redacted: [] });
		return parts;
	}

	#addDelta({ contentBlockIndex: index, delta }: EventOf<"contentBlockDelta">): StreamPart[] {
		const open = this.#openBlocks.get(index) ?? { block: toBlock(delta), json: "", redacted: [] };
		this.#openBlocks.set(index, open);
		return addToContent(open, delta);
	}

	/** Ends a block. A tool call is emitted whole, in the form of the unstreamed answer. */
	#closeBlock(index: number): StreamPart[] {
		const open = this.#openBlocks.get(index);
		if (!open) return [];
		this.#openBlocks.delete(index);
		const { block, json, redacted } = open;
		if (block.type === "redacted") block.redactedContent = joinBase64(redacted);
		const parts = bedrockBlockEndParts(block, this.#toolCount, json);
		if (block.type === "tool_use") this.#toolCount++;
		return parts;
	}

	#stopMessage({ stopReason, additionalModelResponseFields }: EventOf<"messageStop">): StreamPart[] {
		const native = stopReason ?? null;
		if (native !== null && BEDROCK_FAILED_REASONS.has(native))
			return this.#fail({ message: `the model's output was unusable: ${native}`, code: native });
		if (this.#hasStopped) return [];
		const parts = [...this.#openBlocks.keys()].flatMap((index) => this.#closeBlock(index));
		this.#hasStopped = true;
		return [...parts, bedrockFinishPart(native, additionalModelResponseFields, this.#toolCount > 0)];
	}

	reportedUsage(): ReportedUsage | null {
		const counts = usageFromBedrock(this.#usage);
		return counts && { counts, isFinal: true };
	}
}

// A model call and its answer, independent of any provider or entrance: messages made of ordered parts. Wires map them
// to and from a provider's format, entrances to and from a client's.
import type { TokenUsage } from "../catalog/price.ts";
import type { AudioFormat, Effort, WireName } from "../catalog/vocabulary.ts";

/** Ends a prefix that the provider should cache (Anthropic's `cache_control`). Other wires leave it out. */
export interface CacheMark {
	ttl?: "5m" | "1h";
}

export interface TextPart {
	type: "text";
	text: string;
	cache?: CacheMark;
	/** Goes on with the text before it, from which only a cache mark parts it. */
	continues?: true;
}

export interface ImagePart {
	type: "image";
	/** A `data:` or `https:` address. */
	url: string;
	detail?: string;
	cache?: CacheMark;
}

/** Pages of a PDF. Its page objects may be compressed, shared or hidden, so not every file tells how many it has. */
export interface PdfPages {
	/** As this service counts them; null where it cannot read the file. */
	counted: number | null;
	/** More than any reader of the file finds; null where the bytes do not bound it. */
	atMost: number | null;
}

/** A PDF. Files of text are texts by now (inference/sent-file.ts). */
export interface FilePart {
	type: "file";
	mediaType: "application/pdf";
	/** Without line breaks and without a `data:` address around it. */
	base64: string;
	/** What the client calls it. */
	name?: string;
	pages: PdfPages;
	cache?: CacheMark;
}

/** A recording that a model listens to. */
export interface AudioPart {
	type: "audio";
	format: AudioFormat;
	/** Without line breaks. */
	base64: string;
	/** No decoder makes it longer, by its bytes. */
	maxSeconds: number;
	cache?: CacheMark;
}

/** What a user and a tool may both show a model. */
export type ShownPart = TextPart | ImagePart | FilePart;

/** A model's reasoning, as far as the provider shows it. */
interface ReasoningPart {
	type: "reasoning";
	text: string;
	/** Id of the only model that may be sent it; any may without. */
	onlyFor?: string;
	/** The provider's account that it was made with, where the operator has several keys: keys of another do not read it. */
	account?: string;
}

/** Text by which a model refuses. */
interface RefusalPart {
	type: "refusal";
	text: string;
}

export interface ToolCallPart {
	type: "tool_call";
	id: string;
	name: string;
	/** JSON text, as the model wrote it. */
	arguments: string;
	/** Opaque token of the provider (Gemini's thought signature). It must return with the call on the next turn. */
	signature?: string;
	/** Id of the only model that may be sent the signature; any may without. */
	onlyFor?: string;
	/** The provider's account that it was made with, where the operator has several keys: keys of another do not read it. */
	account?: string;
	cache?: CacheMark;
}

export interface ToolResultPart {
	type: "tool_result";
	/** Id of the tool call that it answers. */
	callId: string;
	content: ShownPart[];
	/** The tool failed, and the content says how. */
	isError?: true;
	cache?: CacheMark;
}

/**
 * A provider's own block that no other part represents (signed thinking, provider-run tools). It keeps its position and
 * is never read.
 */
export interface ProviderPart {
	type: "provider";
	/** The wire that the block belongs to. Other wires leave it out. */
	wire: WireName;
	block: Record<string, unknown>;
	/** Id of the only model that may be sent it; any may without. */
	onlyFor?: string;
	/** The provider's account that it was made with, where the operator has several keys: keys of another do not read it. */
	account?: string;
}

type SystemPart = TextPart;
export type UserPart = ShownPart | AudioPart | ToolResultPart | ProviderPart;
export type AssistantPart = TextPart | RefusalPart | ReasoningPart | ToolCallPart | ProviderPart;
export type ContentPart = SystemPart | UserPart | AssistantPart;

export type Message =
	| { role: "system"; content: SystemPart[]; name?: string }
	/** Tool results are in the user's message, because the client ran the tools. */
	| { role: "user"; content: UserPart[]; name?: string }
	| { role: "assistant"; content: AssistantPart[]; name?: string };

export interface ToolDefinition {
	name: string;
	description?: string;
	/** JSON Schema of the arguments. */
	parameters?: Record<string, unknown>;
	strict?: boolean;
	/** Its argument is one text, without a schema. A call's arguments are then `{"input": "<the text>"}`, whatever the wire. */
	input?: "text";
	/** The grammar of that text. A wire that cannot enforce it leaves it out with a warning. */
	grammar?: { syntax: string; definition: string };
	cache?: CacheMark;
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };

export type OutputFormat =
	| { type: "text" }
	| { type: "json_object" }
	| { type: "json_schema"; name: string; description?: string; schema?: Record<string, unknown>; strict?: boolean };

/** Sampling parameters by their common names. Those that a model refuses are left out with a warning. */
export const SAMPLING_PARAMETERS = [
	"temperature",
	"top_p",
	"presence_penalty",
	"frequency_penalty",
	"seed",
	"logit_bias",
] as const;
export type SamplingParameter = (typeof SAMPLING_PARAMETERS)[number];

/** The part of a call that a fault or a warning is about. An entrance translates it to its own field name. */
export type CallField =
	| SamplingParameter
	| "messages"
	| "tools"
	| "parallel_tool_calls"
	| "output"
	| "max_tokens"
	| "stop"
	| "logprobs"
	| "effort"
	| "user";

/** What a model is asked. */
export interface ModelCall {
	messages: Message[];
	tools: ToolDefinition[];
	toolChoice?: ToolChoice;
	parallelToolCalls?: boolean;
	output: OutputFormat;
	/** Visible and reasoning tokens together. */
	maxTokens: number;
	stop: string[];
	/** Only what the client set. */
	sampling: Partial<Record<SamplingParameter, unknown>>;
	logprobs?: { top?: number };
	/** The effort that the client set; undefined leaves it to this service. */
	effort?: Effort;
	/** The effort that this service wants where the client sets none. The nearest that the model has is sent, without a warning. */
	preferredEffort?: Effort;
	/** Room for reasoning is added to `maxTokens`, which counts visible tokens only. */
	addsReasoning?: true;
	/** The client's id for its end user. */
	user?: string;
	/**
	 * Fields of the client's body that this service does not know, in OpenAI's format. Providers of that format may be
	 * sent some of them.
	 */
	unknownFields: Record<string, unknown>;
	/** The model whose tool calls the last messages answer. No other model can continue them. */
	toolLoopModel?: string;
}

/** Temperature when the client sets none (docs/reference/chat.md, "Chat"). */
export const DEFAULT_TEMPERATURE = 0.7;

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** What a model answered. */
export interface ModelAnswer {
	/** In the order of the answer. */
	content: AssistantPart[];
	finishReason: FinishReason;
	/** The provider's own finish reason. */
	nativeFinishReason: string | null;
	/** The stop sequence that matched, where the provider says so. */
	stopSequence?: string;
	logprobs: unknown;
	/** Null when the provider reported no usable counts. */
	usage: TokenUsage | null;
	/** Message fields that this service does not know. They are passed through. */
	extra: Record<string, unknown>;
	/** Fields of the upstream's body beside the answer that this service does not know. They are passed through. */
	bodyFields: Record<string, unknown>;
}

/** Tells the client how its request was carried out. */
export interface Warning {
	code:
		| "parameter_dropped"
		| "parameter_changed"
		| "model_replaced"
		| "truncated"
		| "tool_dropped"
		| "input_dropped"
		| "output_dropped"
		| "not_stored"
		| "provider_overrun"
		| "placeholder_not_restored";
	/** A field of the call, or an unknown field of the client's body. */
	param: CallField | (string & {}) | null;
	message: string;
	/** The client cures it by setting `param`: the message ends with that advice, under the client's name. */
	isCuredBySetting?: true;
}

/** The parts of one type, in order. */
export function partsOfType<Part extends ContentPart, T extends Part["type"]>(
	content: readonly Part[],
	type: T,
): Extract<Part, { type: T }>[] {
	return content.filter((part): part is Extract<Part, { type: T }> => part.type === type);
}

/** The concatenated text of the parts of one type; null when there is none. */
export function joinText(content: readonly ContentPart[], type: "text" | "reasoning" | "refusal"): string | null {
	const parts = partsOfType(content, type);
	return parts.length > 0 ? parts.map(({ text }) => text).join("") : null;
}

/** Every text in a call's messages that a model is sent as text, in order, including the texts of tool results. */
export function* messageTexts({ messages }: Pick<ModelCall, "messages">): Generator<string> {
	for (const { content } of messages) {
		for (const part of content) {
			if (part.type === "text") yield part.text;
			else if (part.type === "tool_result")
				for (const inner of part.content) if (inner.type === "text") yield inner.text;
		}
	}
}

/** Parts that are no text: a provider counts their tokens by what they show, not by their bytes. */
export type MediaPart = ImagePart | FilePart | AudioPart;

function isMedia(part: ContentPart): part is MediaPart {
	return part.type === "image" || part.type === "file" || part.type === "audio";
}

/** The images, files and recordings in a call's messages, in order, including those in tool results. */
export function callMedia({ messages }: Pick<ModelCall, "messages">): MediaPart[] {
	return messages.flatMap(({ content }) =>
		(content as readonly ContentPart[]).flatMap((part) =>
			(part.type === "tool_result" ? part.content : [part]).filter(isMedia),
		),
	);
}

/** The images in a call's messages. */
export function callImages(call: Pick<ModelCall, "messages">): ImagePart[] {
	return partsOfType(callMedia(call), "image");
}

/** The sampling parameters that a call sets, in a fixed order. */
export function samplingParameters({ sampling }: Pick<ModelCall, "sampling">): [SamplingParameter, unknown][] {
	return SAMPLING_PARAMETERS.flatMap((name): [SamplingParameter, unknown][] =>
		sampling[name] === undefined ? [] : [[name, sampling[name]]],
	);
}

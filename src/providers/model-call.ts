// A model call and its answer, in a form of no provider and no entrance: messages of ordered parts. Wires map it to and from
// a provider's format, entrances to and from a client's.
import type { TokenUsage } from "../catalog/price.ts";
import type { Effort, WireName } from "../catalog/vocabulary.ts";

export interface TextPart {
	type: "text";
	text: string;
}

export interface ImagePart {
	type: "image";
	/** `data:` or `https:` address. */
	url: string;
	detail?: string;
}

/** What a model thought before it answered, as far as it shows it. */
export interface ReasoningPart {
	type: "reasoning";
	text: string;
}

/** Text by which a model declines. */
export interface RefusalPart {
	type: "refusal";
	text: string;
}

export interface ToolCallPart {
	type: "tool_call";
	id: string;
	name: string;
	/** JSON text, as the model wrote it. */
	arguments: string;
	/** Opaque mark of the provider (Gemini's thought signature) that must return with the call on the next turn. */
	signature?: string;
}

export interface ToolResultPart {
	type: "tool_result";
	/** Id of the call it answers. */
	callId: string;
	content: (TextPart | ImagePart)[];
	/** The tool failed, and the content says how. */
	isError?: true;
}

/** A block of a provider's own that no other part stands for (signed thinking, server-run tools): carried in its place, never read. */
export interface ProviderPart {
	type: "provider";
	/** Whose block it is; other wires leave it out. */
	wire: WireName;
	block: Record<string, unknown>;
}

export type SystemPart = TextPart;
export type UserPart = TextPart | ImagePart | ToolResultPart | ProviderPart;
export type AssistantPart = TextPart | RefusalPart | ReasoningPart | ToolCallPart | ProviderPart;
export type ContentPart = SystemPart | UserPart | AssistantPart;

export type Message =
	| { role: "system"; content: SystemPart[]; name?: string }
	/** Results of tools stand in the message of whoever ran them. */
	| { role: "user"; content: UserPart[]; name?: string }
	| { role: "assistant"; content: AssistantPart[]; name?: string };

export interface ToolDefinition {
	name: string;
	description?: string;
	/** JSON Schema of the arguments. */
	parameters?: Record<string, unknown>;
	strict?: boolean;
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };

export type OutputFormat =
	| { type: "text" }
	| { type: "json_object" }
	| { type: "json_schema"; name: string; description?: string; schema?: Record<string, unknown>; strict?: boolean };

/** Sampling parameters by their common names; a model may refuse some, which then are left out with a warning. */
export const SAMPLING_PARAMETERS = [
	"temperature",
	"top_p",
	"presence_penalty",
	"frequency_penalty",
	"seed",
	"logit_bias",
] as const;
export type SamplingParameter = (typeof SAMPLING_PARAMETERS)[number];

/** What a fault or a warning can be about; an entrance says it in its own field names. */
export type CallField =
	| SamplingParameter
	| "messages"
	| "tools"
	| "parallel_tool_calls"
	| "output"
	| "max_tokens"
	| "logprobs"
	| "effort"
	| "user";

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
	/** What the client asked for; undefined leaves it to the service. */
	effort?: Effort;
	/** The client's name for its end user. */
	user?: string;
	/** Fields of the client's body that nobody here knows, in OpenAI's format; a provider of that format may be sent some. */
	unknownFields: Record<string, unknown>;
	/** The model whose tool calls the last messages answer: nobody else can go on with them. */
	toolLoopModel?: string;
}

/** Temperature where the client sets none (docs/reference.md, "Chat"). */
export const DEFAULT_TEMPERATURE = 0.7;

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

export interface ModelAnswer {
	/** In the order the model said it. */
	content: AssistantPart[];
	finishReason: FinishReason;
	/** The provider's own word. */
	nativeFinishReason: string | null;
	logprobs: unknown;
	/** Null when the provider reported none, or nothing usable. */
	usage: TokenUsage | null;
	/** Message fields nobody here knows, passed through. */
	extra: Record<string, unknown>;
	/** Fields of the upstream's body beside the answer that nobody here knows, passed through. */
	bodyFields: Record<string, unknown>;
}

/** Something the client should know about how its request was carried out. */
export interface Warning {
	code: "parameter_dropped" | "parameter_changed" | "provider_overrun";
	/** A field of the call, or one of the client's body that nobody knows. */
	param: CallField | (string & {}) | null;
	message: string;
}

/** The parts of one type, in order. */
export function partsOfType<Part extends ContentPart, T extends Part["type"]>(
	content: readonly Part[],
	type: T,
): Extract<Part, { type: T }>[] {
	return content.filter((part): part is Extract<Part, { type: T }> => part.type === type);
}

/** The text of the parts of one type put together; null when there is none. */
export function joinedText(content: readonly ContentPart[], type: "text" | "reasoning" | "refusal"): string | null {
	const parts = partsOfType(content, type);
	return parts.length > 0 ? parts.map(({ text }) => text).join("") : null;
}

/** Every text of a call's messages that a model is sent as such, in order; results of tools included. */
export function* messageTexts({ messages }: Pick<ModelCall, "messages">): Generator<string> {
	for (const { content } of messages) {
		for (const part of content) {
			if (part.type === "text") yield part.text;
			else if (part.type === "tool_result")
				for (const inner of part.content) if (inner.type === "text") yield inner.text;
		}
	}
}

/** The strings in a JSON value, names of members included. Not recursive: depth is the client's. */
function* stringsIn(value: unknown): Generator<string> {
	const waiting: unknown[] = [value];
	while (waiting.length > 0) {
		const next = waiting.pop();
		if (typeof next === "string") yield next;
		else if (Array.isArray(next)) for (const item of next) waiting.push(item);
		else if (typeof next === "object" && next !== null) {
			yield* Object.keys(next);
			for (const item of Object.values(next)) waiting.push(item);
		}
	}
}

/** A JSON value as one text, in order, names before what they name: `ssn: const: 536904399`. Not recursive either. */
function toOutline(value: unknown): string {
	const waiting: (readonly [name: string, value: unknown])[] = [["", value]];
	let outline = "";
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const [name, item] = next;
		outline += name;
		if (typeof item === "string" || typeof item === "number") outline += `${item}\n`;
		else if (Array.isArray(item)) for (const inner of item.toReversed()) waiting.push(["", inner]);
		else if (typeof item === "object" && item !== null)
			for (const [inner, of] of Object.entries(item).toReversed()) waiting.push([`${inner}: `, of]);
		else outline += "\n";
	}
	return outline;
}

/** The texts of a JSON value, each alone and all together: a number, or a password, is told by the name before it. */
function* jsonTexts(value: unknown): Generator<string> {
	yield* stringsIn(value);
	yield toOutline(value);
}

/** Members of a provider's own blocks that are for it alone: signatures and what it has sealed. */
const SEALED_MEMBERS = new Set(["signature", "data", "encrypted_content", "thought_signature", "thoughtSignature"]);

function* partTexts(part: ContentPart): Generator<string> {
	switch (part.type) {
		case "text":
		case "refusal":
		case "reasoning":
			yield part.text;
			return;
		case "tool_call":
			yield part.name;
			yield part.arguments;
			return;
		case "tool_result":
			for (const inner of part.content) yield* partTexts(inner);
			return;
		case "provider":
			yield* jsonTexts(Object.fromEntries(Object.entries(part.block).filter(([name]) => !SEALED_MEMBERS.has(name))));
			return;
		case "image":
			// What a picture shows is not read; an address of one is a text.
			if (!part.url.startsWith("data:")) yield part.url;
	}
}

/** Every text that a model is sent with a call: messages of all roles, calls and results of tools, definitions, schemas. */
export function* allCallTexts(call: ModelCall): Generator<string> {
	for (const { content, name } of call.messages) {
		if (name !== undefined) yield name;
		for (const part of content) yield* partTexts(part);
	}
	yield* jsonTexts(call.tools);
	yield* jsonTexts(call.output);
	yield* call.stop;
	if (call.user !== undefined) yield call.user;
	yield* jsonTexts(call.unknownFields);
}

/** Images of a call's messages in order, those in results of tools included. */
export function callImages({ messages }: Pick<ModelCall, "messages">): ImagePart[] {
	return messages.flatMap(({ content }) =>
		(content as readonly ContentPart[]).flatMap((part) =>
			part.type === "image" ? [part] : part.type === "tool_result" ? partsOfType(part.content, "image") : [],
		),
	);
}

/** The sampling parameters that a call sets, in a fixed order. */
export function samplingParameters({ sampling }: Pick<ModelCall, "sampling">): [SamplingParameter, unknown][] {
	return SAMPLING_PARAMETERS.flatMap((name): [SamplingParameter, unknown][] =>
		sampling[name] === undefined ? [] : [[name, sampling[name]]],
	);
}

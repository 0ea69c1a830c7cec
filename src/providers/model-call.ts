// The inner form of a chat call and its answer: what the OpenAI, Anthropic and Google formats share. Wires map it both ways.

import type { TokenUsage } from "../catalog/price.ts";
import type { Effort } from "../catalog/vocabulary.ts";

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

export interface ToolCall {
	id: string;
	name: string;
	/** JSON text, as the model wrote it. */
	arguments: string;
	/** Opaque mark of the provider (Gemini's thought signature) that must return with the call on the next turn. */
	signature?: string;
}

/** A block of a provider's own that the OpenAI format has no place for (Anthropic's signed thinking); carried, never read. */
export type OpaqueBlock = Record<string, unknown>;

export type Message =
	| { role: "system"; content: TextPart[]; name?: string }
	| { role: "user"; content: (TextPart | ImagePart)[]; name?: string }
	| {
			role: "assistant";
			content: TextPart[];
			toolCalls: ToolCall[];
			refusal?: string;
			reasoning?: string;
			/** Provider blocks to return as they came, in order. */
			opaque?: OpaqueBlock[];
			name?: string;
	  }
	| { role: "tool"; toolCallId: string; content: TextPart[] };

export interface Tool {
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

/** Sampling knobs by their OpenAI names; a model may refuse some, which then are left out with a warning. */
export const KNOBS = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "logit_bias"] as const;
export type Knob = (typeof KNOBS)[number];

export interface ChatCall {
	messages: Message[];
	tools: Tool[];
	toolChoice?: ToolChoice;
	parallelToolCalls?: boolean;
	output: OutputFormat;
	/** Visible and reasoning tokens together. */
	maxTokens: number;
	stop: string[];
	/** Only what the client set. */
	knobs: Partial<Record<Knob, unknown>>;
	logprobs?: { top?: number };
	/** What the client asked for; undefined leaves it to the service. */
	effort?: Effort;
	/** The client's name for its end user. */
	user?: string;
	/** The model whose tool calls the last messages answer: nobody else can go on with them. */
	midLoopModel?: string;
}

/** Temperature where the client sets none (spec 4.1). */
export const DEFAULT_TEMPERATURE = 0.7;

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

export interface ChatAnswer {
	content: string | null;
	refusal: string | null;
	reasoning: string | null;
	toolCalls: ToolCall[];
	/** Blocks the client must send back with this message on the next turn. */
	opaque: OpaqueBlock[];
	finishReason: FinishReason;
	/** The provider's own word. */
	nativeFinishReason: string | null;
	logprobs: unknown;
	/** Null when the provider reported none, or nothing usable. */
	usage: TokenUsage | null;
	/** Message fields nobody here knows, passed through. */
	extra: Record<string, unknown>;
}

/** Something the client should know about how its request was carried out. */
export interface Warning {
	code: "parameter_dropped" | "parameter_changed" | "provider_overrun";
	param: string | null;
	message: string;
}

/** Texts of a call's messages in order. */
export function* textsOf(call: ChatCall): Generator<string> {
	for (const message of call.messages) for (const part of message.content) if (part.type === "text") yield part.text;
}

/** Images of a call's messages in order. */
export function imagesOf(call: ChatCall): ImagePart[] {
	return call.messages.flatMap((message) =>
		message.role === "user" ? message.content.filter((part) => part.type === "image") : [],
	);
}

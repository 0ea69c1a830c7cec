// What a wire format does: turn the inner call into a request of its own, and its answer back.

import type { TokenUsage } from "../catalog/price.ts";
import type { Model, Provider } from "../catalog/schema.ts";
import type { Effort, EffortChoice } from "../catalog/vocabulary.ts";
import type { ProviderAccess } from "../settings.ts";
import type { CallField, FinishReason, ModelAnswer, ModelCall, ProviderPart, Warning } from "./model-call.ts";

/** The part of a request that is the same for every model of a wire: messages and tools, serialized once. */
export interface PreparedPrompt {
	/** Members of the request's JSON object, without braces. */
	json: string;
	/** At least as many tokens as any tokenizer makes of it. */
	tokenBound: number;
}

/** The exact request to an upstream, and what it can cost at most. */
export interface UpstreamRequest {
	url: string;
	headers: Record<string, string>;
	body: string;
	maxInputTokens: number;
	maxOutputTokens: number;
	warnings: Warning[];
}

/** An upstream's error body, read. */
export interface UpstreamError {
	message: string;
	code: string | null;
	/** Wait the body itself names (Google's RetryInfo). */
	retryAfterMs?: number;
}

/** A JSON Schema in the subset a provider takes, and the keywords that found no place in it: unique, sorted. */
export interface CompiledSchema {
	schema: Record<string, unknown>;
	dropped: string[];
}

/** One Server-Sent Event. */
export interface ServerSentEvent {
	event?: string | undefined;
	data: string;
}

/** What a stream says, whatever its format. Put together in order, the parts of a stream make the unstreamed answer. */
export type StreamPart =
	| { type: "text"; text: string }
	| { type: "reasoning"; text: string }
	| { type: "refusal"; text: string }
	/** A call begins; `index` counts the calls of the whole stream from 0. Its arguments follow as text. */
	| { type: "tool_call"; index: number; id: string; name: string; signature?: string }
	| { type: "tool_arguments"; index: number; text: string }
	/** A whole block of the provider's own, where it stands. */
	| ProviderPart
	/** The upstream began anew: provider blocks said so far are void, text and calls stay said. */
	| { type: "restart" }
	/** OpenAI's `logprobs` of the choice, to be concatenated. */
	| { type: "logprobs"; content: unknown[] }
	/** Delta fields nobody here knows. */
	| { type: "extra"; fields: Record<string, unknown> }
	/** Fields beside the answer that nobody here knows; of a field said twice the last counts. */
	| { type: "body_fields"; fields: Record<string, unknown> }
	/** Why the model stopped; once per stream. */
	| { type: "finish"; reason: FinishReason; native: string | null }
	/** Usage so far; the last one counts. */
	| { type: "usage"; usage: TokenUsage }
	/** The upstream reports an error, or says something that makes the stream worthless; nothing follows. */
	| { type: "failure"; error: UpstreamError };

/** Usage as a provider has reported it. */
export interface ReportedUsage {
	counts: TokenUsage;
	/** Whether it was counted at the end; counts of a running call are lower. */
	isFinal: boolean;
}

/** Reads one stream. Never throws for what an upstream sends: what cannot be read is a failure part. */
export interface StreamDecoder {
	decode(event: ServerSentEvent): StreamPart[];
	/** Asked once, when the body has ended: parts that only the end makes certain. */
	end(): StreamPart[];
	/** Whether the format's own end mark was seen; a body that ends without it broke off. */
	readonly finished: boolean;
	/** Usage as reported so far; null when there was none. */
	reportedUsage(): ReportedUsage | null;
}

/** Everything a request is made of. */
export interface RequestOptions {
	call: ModelCall;
	prompt: PreparedPrompt;
	model: Model;
	access: ProviderAccess;
	effort: EffortChoice;
}

export interface Wire {
	/** Whether an image may stand as an https address; otherwise only as `data:`. */
	readonly remoteImages: boolean;
	/** Names a tool may have; a provider refuses a request with any other. */
	readonly toolName: RegExp;
	/** The provider may ask for small differences (see Provider). */
	prepare(call: ModelCall, provider: Provider): PreparedPrompt;
	/** Names what `prepare` does differently for a provider: of one variant, all are sent the same. */
	variant(provider: Provider): string;
	request(options: RequestOptions): UpstreamRequest;
	/** The answer in a whole parsed body, as some upstreams write it where a stream was asked for; null when it holds none. */
	parseAnswer(body: unknown): ModelAnswer | null;
	/** The usage in a parsed body, even where it holds no answer. */
	parseUsage(body: unknown): TokenUsage | null;
	/** A decoder for one stream. */
	createDecoder(): StreamDecoder;
	/** The error in a parsed body, or null when it is not of this format. */
	parseError(body: unknown): UpstreamError | null;
}

/**
 * The share of an output limit that reasoning may take, by effort. The rest is for the visible answer. It sets the budget of
 * providers that take one, and the room that a plan leaves.
 */
export const REASONING_SHARE: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 0.1,
	low: 0.25,
	medium: 0.5,
	high: 0.75,
	xhigh: 0.75,
	max: 0.75,
};

/** More tokens than any catalog model counts for one image; its bytes say nothing about that. */
const IMAGE_TOKEN_BOUND = 16_384;

const encoder = new TextEncoder();

export function utf8Bytes(text: string): Uint8Array {
	return encoder.encode(text);
}

/** Length of a text in UTF-8 bytes. No tokenizer makes more tokens than that. */
export function utf8Length(text: string): number {
	return utf8Bytes(text).byteLength;
}

/**
 * Token bound of serialized prompt JSON.
 * @param images each image's text as it stands in the JSON: an address, or base64 alone.
 */
export function promptTokenBound(json: string, images: readonly string[]): number {
	const imageBytes = images.reduce((sum, text) => sum + utf8Length(JSON.stringify(text)), 0);
	return utf8Length(json) - imageBytes + images.length * IMAGE_TOKEN_BOUND;
}

/** Says that a parameter the client set was left out. */
export function droppedParameterWarning(model: Model, param: CallField): Warning {
	return { code: "parameter_dropped", param, message: `${model.id} does not take ${param}; it was left out` };
}

/** Says that a field of the request's body that nobody here knows went no further. */
export function unknownFieldWarning(param: string): Warning {
	return { code: "parameter_dropped", param, message: `${param} is not known to this service and was not sent` };
}

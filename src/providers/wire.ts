// The interface of a wire: it renders a model call as an upstream request and reads the answer. Also what all wires
// share.

import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import type { Model, Provider } from "../catalog/schema.ts";
import type { Effort, EffortChoice } from "../catalog/vocabulary.ts";
import { clip } from "../clip.ts";
import type { ProviderAccess } from "../settings.ts";
import { utf8Length } from "../text/utf8.ts";
import type {
	CallField,
	FilePart,
	FinishReason,
	MediaPart,
	ModelAnswer,
	ModelCall,
	ProviderPart,
	Warning,
} from "./model-call.ts";

/** A number of tokens as an upstream reports it. */
export const reportedTokenCount = z.int().min(0);

/** Messages and tools, serialized once. They are the same for every model of a wire. */
export interface PreparedPrompt {
	/** Members of the request's JSON object, without braces. */
	json: string;
	/** An upper bound on the tokens that any tokenizer makes of it, media left out. */
	tokenBound: number;
	/** Its media. What each counts depends on the model. */
	media: readonly MediaPart[];
	/** It asks for a cache that is kept for an hour, which is dearer to write. */
	writesHourCache?: boolean;
}

/** The exact request to an upstream, and the most that it can use. */
export interface UpstreamRequest {
	url: string;
	headers: Record<string, string>;
	body: string;
	maxInputTokens: number;
	maxOutputTokens: number;
	/** Its input may be priced as written to a cache that is kept for an hour. */
	writesHourCache?: boolean;
	warnings: Warning[];
}

/** The content of an upstream's error body. */
export interface UpstreamError {
	message: string;
	code: string | null;
	/** The kind of error, where the body has one beside its code. */
	type?: string;
	/** The wait that the body itself names (Google's RetryInfo), ms. */
	retryAfterMs?: number;
}

/** A JSON Schema in the subset that a provider takes, and the keywords that it could not express: unique, sorted. */
export interface CompiledSchema {
	schema: Record<string, unknown>;
	dropped: string[];
}

/** One event of a stream: a Server-Sent Event, or a message of AWS's binary form. */
export interface StreamEvent {
	event?: string | undefined;
	data: string;
}

/** Why a model stopped. */
export interface Finish {
	reason: FinishReason;
	/** The provider's own reason. */
	native: string | null;
	/** The stop sequence that matched, where the provider says so. */
	stopSequence?: string;
}

/** One part of a stream, in any format. The parts of a stream, put together in order, make the unstreamed answer. */
export type StreamPart =
	| { type: "text"; text: string }
	| { type: "reasoning"; text: string }
	| { type: "refusal"; text: string }
	/** A tool call begins. `index` counts the calls of the stream from 0. Its arguments follow as text. */
	| { type: "tool_call"; index: number; id: string; name: string; signature?: string }
	| { type: "tool_arguments"; index: number; text: string }
	/** A whole block of the provider's own, in its position. */
	| ProviderPart
	/** The upstream began again. Earlier provider blocks are void; text and calls stand. */
	| { type: "restart" }
	/** OpenAI's `logprobs` of the choice, to be concatenated. */
	| { type: "logprobs"; content: unknown[] }
	/** Fields of a delta that this service does not know. */
	| { type: "extra"; fields: Record<string, unknown> }
	/** Fields beside the answer that this service does not know. The last value of a field counts. */
	| { type: "body_fields"; fields: Record<string, unknown> }
	/** Why the model stopped; once per stream. */
	| ({ type: "finish" } & Finish)
	/** Usage so far; the last one counts. */
	| { type: "usage"; usage: TokenUsage }
	/** The upstream reports an error, or sends something that makes the stream unusable. Nothing follows. */
	| { type: "failure"; error: UpstreamError };

/** Usage as a provider has reported it. */
export interface ReportedUsage {
	counts: TokenUsage;
	/** Whether it was counted at the end. Counts of a running call are lower. */
	isFinal: boolean;
}

/** Takes the body of one stream apart into events, whatever pieces it comes in. */
export interface EventReader {
	/** @throws UpstreamInterrupted for bytes that make no event; those before them have been passed on. */
	feed(piece: Uint8Array): void;
	/** Called once, when the body has ended. @throws UpstreamInterrupted in the middle of an event. */
	end(): void;
}

/** Decodes one stream. Never throws for what an upstream sends: what cannot be read becomes a failure part. */
export interface StreamDecoder {
	decode(event: StreamEvent): StreamPart[];
	/** Called once, when the body has ended. Returns the parts that only the end makes certain. */
	end(): StreamPart[];
	/** Whether the format's end mark was seen. A body that ends without it broke off. */
	readonly finished: boolean;
	/** Usage as reported so far; null when there was none. */
	reportedUsage(): ReportedUsage | null;
}

/** Everything that a request is rendered from. */
export interface RequestOptions {
	call: ModelCall;
	prompt: PreparedPrompt;
	model: Model;
	access: ProviderAccess;
	effort: EffortChoice;
	/** The answer is requested in one body. Without it, it is requested as a stream. */
	isWhole?: boolean;
}

/** One of the four upstream wire formats. */
export interface Wire {
	/** Whether an image may be an https address. Otherwise only `data:` is taken. */
	readonly remoteImages: boolean;
	/** The names a tool may have. A provider refuses a request with any other. */
	readonly toolName: RegExp;
	/** Serializes messages and tools. A provider or a model may need small differences. */
	preparePrompt(call: ModelCall, provider: Provider, model: Model): PreparedPrompt;
	/** Identifies those differences. All models of one variant are sent the same prompt. */
	promptVariant(provider: Provider, model: Model): string;
	renderRequest(options: RequestOptions): UpstreamRequest;
	/** The answer in a whole parsed body; null when there is none. Some upstreams send one although a stream was requested. */
	parseAnswer(body: unknown): ModelAnswer | null;
	/** The usage in a parsed body, even where the body holds no answer. */
	parseUsage(body: unknown): TokenUsage | null;
	/** A reader of one stream's events. */
	createReader(onEvent: (event: StreamEvent) => void): EventReader;
	/** A decoder for one stream. */
	createDecoder(): StreamDecoder;
	/**
	 * The error in a parsed body; null when the body is not an error of this format.
	 * @param headers of the response, where it is one with an error status.
	 */
	parseError(body: unknown, headers?: Headers): UpstreamError | null;
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

/** More tokens than any shipped model counts for one image. An image's bytes say nothing about its tokens. */
const IMAGE_TOKEN_BOUND = 16_384;

/** The most pages that a model reads of a file. It refuses a request with more than it takes. */
function boundPages({ pages }: FilePart, { max_pages }: NonNullable<Model["documents"]>["pdf"]): number {
	return Math.min(pages.atMost ?? Number.POSITIVE_INFINITY, max_pages ?? Number.POSITIVE_INFINITY);
}

/** The most tokens that a model counts for one part; infinite where only the length of its input bounds them. */
function boundMediaTokens(part: MediaPart, { image_tokens = IMAGE_TOKEN_BOUND, documents, audio }: Model): number {
	if (part.type === "image") return image_tokens;
	if (part.type === "audio") return audio ? Math.ceil(part.maxSeconds * audio.tokens_per_second) : 0;
	if (!documents) return 0;
	return boundPages(part, documents.pdf) * (documents.pdf.tokens_per_page ?? Number.POSITIVE_INFINITY);
}

/** The prompt with the bound of one model, by what its media count there. No provider takes more input than a model has room for. */
export function withMediaTokens(prompt: PreparedPrompt, model: Model): PreparedPrompt {
	if (prompt.media.length === 0) return prompt;
	const tokens = prompt.media.reduce((sum, part) => sum + boundMediaTokens(part, model), prompt.tokenBound);
	const { max_input_tokens, context_window } = model.limits;
	const hasImagesOnly = prompt.media.every(({ type }) => type === "image");
	return { ...prompt, tokenBound: hasImagesOnly ? tokens : Math.min(tokens, max_input_tokens ?? context_window) };
}

const utf8Encoder = new TextEncoder();

export function utf8Bytes(text: string): Uint8Array {
	return utf8Encoder.encode(text);
}

/** A file as an address that holds it. */
export function toDataAddress({ mediaType, base64 }: FilePart): string {
	return `data:${mediaType};base64,${base64}`;
}

/**
 * A prompt with the upper bound on its tokens: no tokenizer makes more of them than UTF-8 has bytes.
 * @param texts each medium's text as it stands in the JSON: an address, or base64 alone.
 */
export function toPrompt(json: string, media: readonly MediaPart[], texts: readonly string[]): PreparedPrompt {
	const mediaBytes = texts.reduce((sum, text) => sum + utf8Length(JSON.stringify(text)), 0);
	return { json, tokenBound: utf8Length(json) - mediaBytes, media };
}

/**
 * A body with the prompt before the settings. A conversation's bodies then begin alike whatever settings change, which is
 * what a cache of prefixes needs.
 * @param model the members that name the model, where the address does not.
 */
export function toUpstreamBody(
	model: Record<string, unknown>,
	prompt: PreparedPrompt,
	settings: Record<string, unknown>,
): Pick<UpstreamRequest, "body" | "maxInputTokens" | "writesHourCache"> {
	const [first = "", last = ""] = [model, settings].map((fields) => JSON.stringify(fields).slice(1, -1));
	const around = [first, last].filter((members) => members !== "");
	// Added up, not joined: a sum holds its parts, and the prompt is copied only for the one model that is sent it.
	const add = (sum: string, members: string) => (sum === "" || members === "" ? sum + members : `${sum},${members}`);
	return {
		body: `{${[first, prompt.json, last].reduce(add)}}`,
		maxInputTokens: utf8Length(`{${around.join(",")}`) + prompt.tokenBound,
		...(prompt.writesHourCache ? { writesHourCache: true } : {}),
	};
}

/**
 * Where a call goes: what the provider's row says, else what its wire has.
 * @param ofWire what follows the base address on the wire.
 */
export function toCallUrl({ access, model, isWhole = false }: RequestOptions, ofWire: string): string {
	const { provider, baseUrl } = access;
	const path = isWhole ? provider.paths?.whole : provider.paths?.stream;
	if (path === undefined) return baseUrl + ofWire;
	// Claude's names on Vertex hold an @ as it is.
	return baseUrl + path.replace("{model}", encodeURIComponent(model.upstream_model).replaceAll("%40", "@"));
}

/** The members that name the model in a body, or what stands in their place where the address names it. */
export function toModelMembers({ access: { provider }, model }: RequestOptions): Record<string, string> {
	return provider.model_members ?? { model: model.upstream_model };
}

/** Warns that a parameter the client set was left out. */
export function droppedParameterWarning(model: Model, param: CallField): Warning {
	return { code: "parameter_dropped", param, message: `${model.id} does not take ${param}; it was left out` };
}

/** Fields that help a provider and change no answer: where its prompt cache looks, whom its abuse checks mean. */
const HINT_FIELDS = new Set(["prompt_cache_key", "safety_identifier"]);
/** Fields of OpenAI's that entrances know, and that only some providers take (`passes` in their catalog rows). */
const PASSED_FIELDS = new Set(["verbosity"]);

/** A client may give a field a name of any length. */
const MAX_FIELD_NAME_CHARS = 200;

/**
 * Warns of fields of the client's body that were not sent, because nobody knows them or the provider does not take them.
 * A hint that is left out needs no warning: agents send one with every request.
 */
export function unsentFieldWarnings(model: Model, params: readonly string[]): Warning[] {
	return params
		.filter((param) => !HINT_FIELDS.has(param))
		.map((param) => {
			const name = clip(param, MAX_FIELD_NAME_CHARS);
			const message = PASSED_FIELDS.has(param)
				? `${model.id} does not take ${name}; it was left out`
				: `${name} is not known to this service and was not sent`;
			return { code: "parameter_dropped", param: name, message };
		});
}

/** What a provider takes as stop sequences. */
interface StopLimits {
	atMost?: number;
	/** White space alone may stop an answer. */
	takesBlank?: boolean;
}

/** The stop sequences that a provider takes, the first ones of those that it can match; undefined without any. */
export function toSentStops(
	model: Model,
	stop: readonly string[],
	{ atMost = Number.POSITIVE_INFINITY, takesBlank = true }: StopLimits,
): { stop: string[] | undefined; warnings: Warning[] } {
	// The empty text stops nothing, and providers refuse it.
	const wanted = stop.filter((text) => text !== "");
	const sent = wanted.filter((text) => takesBlank || text.trim() !== "").slice(0, atMost);
	const leftOut = wanted.length - sent.length;
	const message = `${model.id} does not take all ${wanted.length} stop sequences; ${leftOut} of them were left out`;
	return {
		stop: sent.length > 0 ? sent : undefined,
		warnings: leftOut > 0 ? [{ code: "parameter_changed", param: "stop", message }] : [],
	};
}

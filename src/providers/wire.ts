// What a wire format does: turn the inner call into a request of its own, and its answer back.
import type { Model } from "../catalog/schema.ts";
import type { ChatAnswer, ChatCall, Warning } from "../chat/call.ts";
import type { TokenUsage } from "../routing/cost.ts";
import type { EffortChoice } from "../routing/effort.ts";
import type { ProviderAccess } from "../settings.ts";

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
}

export interface Wire {
	prepare(call: ChatCall): PreparedPrompt;
	request(
		call: ChatCall,
		prompt: PreparedPrompt,
		model: Model,
		access: ProviderAccess,
		effort: EffortChoice,
	): UpstreamRequest;
	/** The answer in a parsed body, or null when it holds none that could be delivered. */
	answer(body: unknown): ChatAnswer | null;
	/** The usage in a parsed body, even where it holds no answer. */
	usage(body: unknown): TokenUsage | null;
	/** The error in a parsed body, or null when it is not of this format. */
	error(body: unknown): UpstreamError | null;
}

/** More tokens than any catalog model counts for one image; its bytes say nothing about that. */
const IMAGE_TOKEN_BOUND = 16_384;

const encoder = new TextEncoder();

/** Length of a text in UTF-8 bytes: no tokenizer makes more tokens than that. */
export function utf8Length(text: string): number {
	return encoder.encode(text).byteLength;
}

/** Token bound of serialized prompt JSON in which images stand as `data:` or `https:` addresses. */
export function promptTokenBound(json: string, imageUrls: readonly string[]): number {
	const imageBytes = imageUrls.reduce((sum, url) => sum + utf8Length(JSON.stringify(url)), 0);
	return utf8Length(json) - imageBytes + imageUrls.length * IMAGE_TOKEN_BOUND;
}

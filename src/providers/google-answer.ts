// What stands in a generateContent response: its shape, its usage, its errors and its words for why it ended.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { tokenCount } from "./json.ts";
import type { FinishReason } from "./model-call.ts";
import type { UpstreamError } from "./wire.ts";

const text = z.string().nullish();

/** A piece of a streamed argument (Gemini 3 on Vertex). */
const partialArg = z.lazy(() =>
	z.looseObject({
		jsonPath: z.string(),
		stringValue: text,
		numberValue: z.number().nullish(),
		boolValue: z.boolean().nullish(),
		nullValue: z.unknown().optional(),
		willContinue: z.boolean().nullish(),
	}),
);

const functionCall = z.lazy(() =>
	z.looseObject({
		id: text,
		name: text,
		args: z.unknown().optional(),
		partialArgs: z.array(partialArg).nullish(),
		willContinue: z.boolean().nullish(),
	}),
);

const part = z.lazy(() =>
	z.looseObject({
		text,
		thought: z.boolean().nullish(),
		thoughtSignature: text,
		functionCall: functionCall.nullish(),
	}),
);

const candidate = z.lazy(() =>
	z.looseObject({
		content: z.looseObject({ parts: z.array(part).nullish() }).nullish(),
		finishReason: text,
		finishMessage: text,
	}),
);

/** A generateContent response, or one chunk of a streamed one. */
export const responseSchema = z.lazy(() =>
	z.looseObject({
		candidates: z.array(candidate).nullish(),
		promptFeedback: z.looseObject({ blockReason: text }).nullish(),
		usageMetadata: z.unknown().optional(),
		responseId: text,
	}),
);

export type GoogleFunctionCall = z.output<typeof functionCall>;
export type GooglePart = z.output<typeof part>;
export type GoogleCandidate = z.output<typeof candidate>;
export type GooglePartialArg = z.output<typeof partialArg>;

const usageSchema = z.lazy(() =>
	z.looseObject({
		promptTokenCount: tokenCount,
		cachedContentTokenCount: tokenCount.nullish(),
		candidatesTokenCount: tokenCount.nullish(),
		thoughtsTokenCount: tokenCount.nullish(),
		toolUsePromptTokenCount: tokenCount.nullish(),
		totalTokenCount: tokenCount.nullish(),
	}),
);

/**
 * Disjoint buckets from `usageMetadata`, or null when it counts nothing (some chunks carry only a `trafficType`).
 * Cached input stands inside the prompt, thoughts and tool prompts beside it.
 */
export function usageFromGoogle(raw: unknown): TokenUsage | null {
	const parsed = usageSchema.safeParse(raw);
	if (!parsed.success) return null;
	const usage = parsed.data;
	const candidates = usage.candidatesTokenCount ?? 0;
	const thoughts = usage.thoughtsTokenCount ?? 0;
	const input = usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0);
	// A total beyond its parts is output nobody itemized: never under-count it.
	const rest = Math.max(0, (usage.totalTokenCount ?? 0) - input - candidates - thoughts);
	const itemized = usage.candidatesTokenCount !== null && usage.candidatesTokenCount !== undefined;
	const cacheRead = Math.min(usage.cachedContentTokenCount ?? 0, usage.promptTokenCount);
	return {
		uncachedInput: input - cacheRead,
		cacheRead,
		cacheWrite: 0,
		outputText: candidates + (itemized ? 0 : rest),
		reasoning: thoughts + (itemized ? rest : 0),
	};
}

/** The usage in a parsed body, even where the body holds no answer. */
export function parseGoogleUsage(body: unknown): TokenUsage | null {
	const parsed = z.looseObject({ usageMetadata: z.unknown() }).safeParse(body);
	return parsed.success ? usageFromGoogle(parsed.data.usageMetadata) : null;
}

/** Google's way of saying that there is no usable answer. */
const FAILED_REASONS = new Set([
	"MALFORMED_FUNCTION_CALL",
	"UNEXPECTED_TOOL_CALL",
	"MALFORMED_RESPONSE",
	"MISSING_THOUGHT_SIGNATURE",
	"TOO_MANY_TOOL_CALLS",
]);
const FILTERED = /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR|IMAGE_.*)$/;

/** Whether a finish reason means that the answer is worthless. */
export function isFailedReason(native: string): boolean {
	return FAILED_REASONS.has(native);
}

/** The closed reason for Google's own word. Google says `STOP` after tool calls as well. */
export function fromGoogleFinishReason(native: string | null, hasToolCalls: boolean): FinishReason {
	if (native === "MAX_TOKENS") return "length";
	if (native !== null && FILTERED.test(native)) return "content_filter";
	return hasToolCalls ? "tool_calls" : "stop";
}

const errorSchema = z.lazy(() =>
	z.looseObject({
		error: z.looseObject({
			code: z.union([z.number(), z.string()]).nullish(),
			message: text,
			status: text,
			details: z.array(z.unknown()).nullish(),
		}),
	}),
);
const retryInfo = z.lazy(() => z.looseObject({ "@type": z.string().endsWith("RetryInfo"), retryDelay: z.string() }));
const wrongKey = z.lazy(() => z.looseObject({ reason: z.literal("API_KEY_INVALID") }));
const quotaFailure = z.lazy(() =>
	z.looseObject({
		"@type": z.string().endsWith("QuotaFailure"),
		violations: z.array(z.looseObject({ quotaId: text })),
	}),
);

/** Milliseconds of a protobuf duration in JSON: seconds with a fraction and an `s`. */
function durationMs(duration: string): number | null {
	const match = /^(\d+(?:\.\d+)?)s$/.exec(duration);
	return match ? Math.ceil(Number((Number(match[1]) * 1000).toFixed(6))) : null;
}

/**
 * The error in a body, alone or in an array, or null when there is none.
 * A used-up daily quota is no matter of waiting: it is `insufficient_quota`, without a delay.
 */
export function readError(body: unknown): UpstreamError | null {
	const parsed = errorSchema.safeParse(Array.isArray(body) ? body[0] : body);
	if (!parsed.success) return null;
	const { code, message, status, details } = parsed.data.error;
	const name = status ?? (code === null || code === undefined ? null : String(code));
	const error: UpstreamError = { message: message ?? name ?? "the upstream reports an error", code: name };
	const quotaIds = (details ?? []).flatMap((detail) => {
		const failure = quotaFailure.safeParse(detail);
		return failure.success ? failure.data.violations.map(({ quotaId }) => quotaId ?? "") : [];
	});
	// Google says of a wrong key that the argument is invalid, with status 400.
	if ((details ?? []).some((detail) => wrongKey.safeParse(detail).success))
		return { ...error, code: "invalid_api_key" };
	if (quotaIds.some((quotaId) => quotaId.includes("PerDay"))) return { ...error, code: "insufficient_quota" };
	for (const detail of details ?? []) {
		const info = retryInfo.safeParse(detail);
		const retryAfterMs = info.success ? durationMs(info.data.retryDelay) : null;
		if (retryAfterMs !== null) return { ...error, retryAfterMs };
	}
	return error;
}

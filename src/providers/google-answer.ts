// The content of a generateContent response: its shape, usage, errors and finish reasons.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import type { FinishReason } from "./model-call.ts";
import type { UpstreamError } from "./wire.ts";
import { reportedTokenCount } from "./wire.ts";

const optionalString = z.string().nullish();

/** One piece of a streamed argument (Gemini 3 on Vertex). */
const partialArgSchema = z.lazy(() =>
	z.looseObject({
		jsonPath: z.string(),
		stringValue: optionalString,
		numberValue: z.number().nullish(),
		boolValue: z.boolean().nullish(),
		nullValue: z.unknown().optional(),
		willContinue: z.boolean().nullish(),
	}),
);

const functionCallSchema = z.lazy(() =>
	z.looseObject({
		id: optionalString,
		name: optionalString,
		args: z.unknown().optional(),
		partialArgs: z.array(partialArgSchema).nullish(),
		willContinue: z.boolean().nullish(),
	}),
);

const googlePartSchema = z.lazy(() =>
	z.looseObject({
		text: optionalString,
		thought: z.boolean().nullish(),
		thoughtSignature: optionalString,
		functionCall: functionCallSchema.nullish(),
	}),
);

const googleCandidateSchema = z.lazy(() =>
	z.looseObject({
		content: z.looseObject({ parts: z.array(googlePartSchema).nullish() }).nullish(),
		finishReason: optionalString,
		finishMessage: optionalString,
	}),
);

/** A generateContent response, or one chunk of a streamed one. */
export const googleResponseSchema = z.lazy(() =>
	z.looseObject({
		candidates: z.array(googleCandidateSchema).nullish(),
		promptFeedback: z.looseObject({ blockReason: optionalString }).nullish(),
		usageMetadata: z.unknown().optional(),
		responseId: optionalString,
	}),
);

export type GoogleFunctionCall = z.output<typeof functionCallSchema>;
export type GooglePart = z.output<typeof googlePartSchema>;
export type GoogleCandidate = z.output<typeof googleCandidateSchema>;
export type GooglePartialArg = z.output<typeof partialArgSchema>;

const googleUsageSchema = z.lazy(() =>
	z.looseObject({
		promptTokenCount: reportedTokenCount,
		cachedContentTokenCount: reportedTokenCount.nullish(),
		candidatesTokenCount: reportedTokenCount.nullish(),
		thoughtsTokenCount: reportedTokenCount.nullish(),
		toolUsePromptTokenCount: reportedTokenCount.nullish(),
		totalTokenCount: reportedTokenCount.nullish(),
	}),
);

/**
 * Disjoint token counts from `usageMetadata`; null when it holds no counts (some chunks carry only a `trafficType`).
 * Google counts cached input inside the prompt, thoughts and tool prompts beside it.
 */
export function usageFromGoogle(raw: unknown): TokenUsage | null {
	const parsed = googleUsageSchema.safeParse(raw);
	if (!parsed.success) return null;
	const usage = parsed.data;
	const candidates = usage.candidatesTokenCount ?? 0;
	const thoughts = usage.thoughtsTokenCount ?? 0;
	const input = usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0);
	// When the total exceeds its parts, the rest is output that nobody itemized. It is never left out.
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

/** Finish reasons by which Google says that there is no usable answer. */
const GOOGLE_FAILED_REASONS = new Set([
	"MALFORMED_FUNCTION_CALL",
	"UNEXPECTED_TOOL_CALL",
	"MALFORMED_RESPONSE",
	"MISSING_THOUGHT_SIGNATURE",
	"TOO_MANY_TOOL_CALLS",
]);
const FILTER_REASON = /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR|IMAGE_.*)$/;

/** Whether a finish reason means that the answer is unusable. */
export function isGoogleFailedReason(native: string): boolean {
	return GOOGLE_FAILED_REASONS.has(native);
}

/** The finish reason for Google's own. Google reports `STOP` after tool calls, too. */
export function fromGoogleFinishReason(native: string | null, hasToolCalls: boolean): FinishReason {
	if (native === "MAX_TOKENS") return "length";
	if (native !== null && FILTER_REASON.test(native)) return "content_filter";
	return hasToolCalls ? "tool_calls" : "stop";
}

const googleErrorSchema = z.lazy(() =>
	z.looseObject({
		error: z.looseObject({
			code: z.union([z.number(), z.string()]).nullish(),
			message: optionalString,
			status: optionalString,
			details: z.array(z.unknown()).nullish(),
		}),
	}),
);
const retryInfoSchema = z.lazy(() =>
	z.looseObject({ "@type": z.string().endsWith("RetryInfo"), retryDelay: z.string() }),
);
const wrongKeySchema = z.lazy(() => z.looseObject({ reason: z.literal("API_KEY_INVALID") }));
const quotaFailureSchema = z.lazy(() =>
	z.looseObject({
		"@type": z.string().endsWith("QuotaFailure"),
		violations: z.array(z.looseObject({ quotaId: optionalString })),
	}),
);

/** Milliseconds of a protobuf duration in JSON: seconds with a fraction and an `s`. */
function parseDurationMs(duration: string): number | null {
	const match = /^(\d+(?:\.\d+)?)s$/.exec(duration);
	return match ? Math.ceil(Number((Number(match[1]) * 1000).toFixed(6))) : null;
}

/**
 * The error in a body, alone or in an array; null when there is none. Waiting does not help against a used-up daily
 * quota: it is reported as `insufficient_quota`, without a delay.
 */
export function parseGoogleError(body: unknown): UpstreamError | null {
	const parsed = googleErrorSchema.safeParse(Array.isArray(body) ? body[0] : body);
	if (!parsed.success) return null;
	const { code, message, status, details } = parsed.data.error;
	const name = status ?? (code === null || code === undefined ? null : String(code));
	const error: UpstreamError = { message: message ?? name ?? "the upstream reports an error", code: name };
	const quotaIds = (details ?? []).flatMap((detail) => {
		const failure = quotaFailureSchema.safeParse(detail);
		return failure.success ? failure.data.violations.map(({ quotaId }) => quotaId ?? "") : [];
	});
	// For a wrong key Google answers status 400 and an invalid argument.
	if ((details ?? []).some((detail) => wrongKeySchema.safeParse(detail).success))
		return { ...error, code: "invalid_api_key" };
	if (quotaIds.some((quotaId) => quotaId.includes("PerDay"))) return { ...error, code: "insufficient_quota" };
	for (const detail of details ?? []) {
		const info = retryInfoSchema.safeParse(detail);
		const retryAfterMs = info.success ? parseDurationMs(info.data.retryDelay) : null;
		if (retryAfterMs !== null) return { ...error, retryAfterMs };
	}
	return error;
}

// Reads whole answers, usage and errors in the OpenAI chat completions format, as the providers of this wire write it.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { toWellFormedAnswer } from "./accumulate.ts";
import type { AssistantPart, FinishReason, ModelAnswer } from "./model-call.ts";
import { toTextArguments } from "./text-tools.ts";
import type { UpstreamError } from "./wire.ts";
import { reportedTokenCount } from "./wire.ts";

const openAiUsageSchema = z.lazy(() =>
	z.looseObject({
		prompt_tokens: reportedTokenCount,
		completion_tokens: reportedTokenCount,
		total_tokens: reportedTokenCount.nullish(),
		/** Where Moonshot reports cached tokens. */
		cached_tokens: reportedTokenCount.nullish(),
		prompt_tokens_details: z
			.looseObject({ cached_tokens: reportedTokenCount.nullish(), cache_write_tokens: reportedTokenCount.nullish() })
			.nullish(),
		completion_tokens_details: z.looseObject({ reasoning_tokens: reportedTokenCount.nullish() }).nullish(),
	}),
);

/**
 * Disjoint token counts from OpenAI's overlapping ones; null when they are missing or malformed. OpenAI counts
 * reasoning inside `completion_tokens`. xAI counts it beside them, which the total reveals.
 */
export function usageFromOpenAi(raw: unknown): TokenUsage | null {
	const parsed = openAiUsageSchema.safeParse(raw);
	if (!parsed.success) return null;
	const usage = parsed.data;
	const reported = usage.completion_tokens_details?.reasoning_tokens ?? 0;
	const outside = usage.total_tokens === usage.prompt_tokens + usage.completion_tokens + reported && reported > 0;
	const completion =
		outside || reported > usage.completion_tokens ? usage.completion_tokens + reported : usage.completion_tokens;
	const cacheRead = Math.min(
		usage.prompt_tokens_details?.cached_tokens ?? usage.cached_tokens ?? 0,
		usage.prompt_tokens,
	);
	const cacheWrite = Math.min(usage.prompt_tokens_details?.cache_write_tokens ?? 0, usage.prompt_tokens - cacheRead);
	return {
		uncachedInput: usage.prompt_tokens - cacheRead - cacheWrite,
		cacheRead,
		cacheWrite,
		outputText: completion - reported,
		reasoning: reported,
	};
}

/** Arguments of a tool call: a text, or in some servers' answers the object itself. */
export const openAiArguments = z.lazy(() =>
	z.union([z.string(), z.record(z.string(), z.unknown()).transform((whole) => JSON.stringify(whole))]).nullish(),
);

/** One part of array content. Mistral's thinking parts contain parts themselves. */
export const openAiContentPart = z.lazy(() =>
	z.looseObject({
		type: z.string(),
		text: z.string().optional(),
		thinking: z.unknown().optional(),
	}),
);
const openAiMessageSchema = z.lazy(() =>
	z.looseObject({
		role: z.string().nullish(),
		content: z.union([z.string(), z.array(openAiContentPart)]).nullish(),
		refusal: z.string().nullish(),
		reasoning_content: z.string().nullish(),
		reasoning: z.string().nullish(),
		tool_calls: z
			.array(
				z.union([
					z.looseObject({
						id: z.string().nullish(),
						function: z.looseObject({ name: z.string(), arguments: openAiArguments }),
					}),
					z.looseObject({
						id: z.string().nullish(),
						custom: z.looseObject({ name: z.string(), input: z.string().nullish() }),
						function: z.undefined().optional(),
					}),
				]),
			)
			.nullish(),
	}),
);
const openAiCompletionSchema = z.lazy(() =>
	z.looseObject({
		choices: z
			.tuple([
				z.looseObject({
					message: openAiMessageSchema,
					finish_reason: z.string().nullish(),
					logprobs: z.unknown().optional(),
				}),
			])
			.rest(z.unknown()),
		usage: z.unknown().optional(),
	}),
);

/** Splits content into text and thinking. Mistral writes content as parts, with reasoning among them. */
export function splitContent(content: string | z.infer<typeof openAiContentPart>[] | null | undefined): {
	text: string | null;
	thinking: string | null;
} {
	if (content === null || content === undefined) return { text: null, thinking: null };
	if (typeof content === "string") return { text: content, thinking: null };
	const texts = content.filter(({ type }) => type === "text").map(({ text }) => text ?? "");
	const thinking = content
		.filter(({ type }) => type === "thinking")
		.flatMap(({ thinking: parts }) => z.array(openAiContentPart).safeParse(parts).data ?? [])
		.map(({ text }) => text ?? "");
	return { text: texts.length > 0 ? texts.join("") : null, thinking: thinking.length > 0 ? thinking.join("") : null };
}

/**
 * Body fields that are read here, or are not passed on: ids, padding against traffic analysis, and fields that only
 * this service may set.
 */
const KNOWN_BODY_FIELDS = new Set([
	"id",
	"object",
	"created",
	"model",
	"choices",
	"usage",
	"x_groq",
	"obfuscation",
	"error",
	"svc",
]);

/** Whether a body member is a field to pass through: not null, and not known here. */
export function isUnknownBodyField(name: string, value: unknown): boolean {
	return value != null && !KNOWN_BODY_FIELDS.has(name);
}

/** OpenAI's finish reasons, and the older function_call. */
const OPENAI_FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
	stop: "stop",
	length: "length",
	tool_calls: "tool_calls",
	function_call: "tool_calls",
	content_filter: "content_filter",
};
/** Finish reasons by which a provider says that there is no usable answer. */
export const OPENAI_FAILED_REASONS = new Set(["error", "insufficient_system_resource"]);

/**
 * The finish reason for a provider's own. When there are calls to make it is `tool_calls`, unless the answer was cut or
 * filtered.
 */
export function fromOpenAiFinishReason(native: string | null, hasCalls: boolean): FinishReason {
	const reason = OPENAI_FINISH_REASONS[native ?? "stop"] ?? "stop";
	return hasCalls && reason === "stop" ? "tool_calls" : reason;
}

/** The answer in a whole body; null when the body holds no answer that can be delivered. */
export function parseOpenAiAnswer(body: unknown): ModelAnswer | null {
	const parsed = openAiCompletionSchema.safeParse(body);
	if (!parsed.success) return null;
	const [{ message, finish_reason, logprobs }] = parsed.data.choices;
	const { role, content, refusal, reasoning_content, reasoning, tool_calls, ...extra } = message;
	const { text, thinking } = splitContent(content);
	const thought = reasoning_content || reasoning || thinking;
	const parts: AssistantPart[] = [];
	if (thought) parts.push({ type: "reasoning", text: thought });
	if (text !== null) parts.push({ type: "text", text });
	if (refusal) parts.push({ type: "refusal", text: refusal });
	for (const [index, call] of (tool_calls ?? []).entries()) {
		const id = call.id || `call_${index}`;
		const { name } = call.function ?? call.custom;
		const args = call.function ? call.function.arguments || "{}" : toTextArguments(call.custom.input ?? "");
		parts.push({ type: "tool_call", id, name, arguments: args });
	}
	const native = finish_reason ?? null;
	if (native !== null && OPENAI_FAILED_REASONS.has(native)) return null;
	return toWellFormedAnswer({
		content: parts,
		finishReason: fromOpenAiFinishReason(native, (tool_calls ?? []).length > 0),
		nativeFinishReason: native,
		logprobs: logprobs ?? null,
		usage: usageFromOpenAi(parsed.data.usage),
		extra,
		bodyFields: Object.fromEntries(
			Object.entries(parsed.data).filter(([name, value]) => isUnknownBodyField(name, value)),
		),
	});
}

const errorWord = z.lazy(() => z.union([z.string(), z.number()]).nullish());
/** What FastAPI finds wrong with a request. */
const validationDetail = z.lazy(() =>
	z
		.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() }))
		.min(1)
		.transform((faults) => faults.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")),
);
/** The error bodies of these providers: wrapped, flat, `{code, error}`, and FastAPI's `{detail}`, which may hold `{error}` or a list. */
const openAiErrorSchema = z.lazy(() =>
	z.union([
		z
			.looseObject({ error: z.looseObject({ message: z.string(), type: errorWord, code: errorWord }) })
			.transform(({ error }) => error),
		z.looseObject({ message: z.string(), type: errorWord, code: errorWord }),
		z
			.looseObject({ error: z.string(), code: errorWord })
			.transform(({ error, code }) => ({ message: error, code, type: null })),
		z
			.looseObject({
				detail: z.union([
					z.string(),
					z.looseObject({ error: z.string() }).transform(({ error }) => error),
					validationDetail,
				]),
			})
			.transform(({ detail }) => ({ message: detail, code: null, type: null })),
	]),
);

/** The error in a body of any of these providers; null when there is none. */
export function parseOpenAiError(body: unknown): UpstreamError | null {
	const parsed = openAiErrorSchema.safeParse(body);
	if (!parsed.success) return null;
	const { message, code, type } = parsed.data;
	const name = code ?? type ?? null;
	const error: UpstreamError = { message, code: name === null ? null : String(name) };
	return code == null || type == null || type === code ? error : { ...error, type: String(type) };
}

/** The usage in a parsed body, even where the body holds no answer. */
export function parseOpenAiUsage(body: unknown): TokenUsage | null {
	const parsed = z.looseObject({ usage: z.unknown() }).safeParse(body);
	return parsed.success ? usageFromOpenAi(parsed.data.usage) : null;
}

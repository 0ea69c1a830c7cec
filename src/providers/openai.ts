// The OpenAI chat completions format, as ten of the catalog's providers speak it with small differences.
import * as z from "zod";
import type { Model } from "../catalog/schema.ts";
import type { Effort } from "../catalog/vocabulary.ts";
import {
	type ChatAnswer,
	type ChatCall,
	DEFAULT_TEMPERATURE,
	type FinishReason,
	imagesOf,
	type Message,
	type OutputFormat,
	type TextPart,
	type Tool,
	type ToolCall,
	type ToolChoice,
	type Warning,
} from "../chat/call.ts";
import type { TokenUsage } from "../routing/cost.ts";
import type { EffortChoice } from "../routing/effort.ts";
import type { ProviderAccess } from "../settings.ts";
import {
	type PreparedPrompt,
	promptTokenBound,
	type UpstreamError,
	type UpstreamRequest,
	utf8Length,
	type Wire,
} from "./wire.ts";

type Fields = Record<string, unknown>;

function textOf(parts: readonly TextPart[]): string | Fields[] {
	const [first] = parts;
	return parts.length === 1 && first ? first.text : parts.map(({ text }) => ({ type: "text", text }));
}

function toolCallFields({ id, name, arguments: args }: ToolCall): Fields {
	return { id, type: "function", function: { name, arguments: args } };
}

function messageFields(message: Message): Fields {
	switch (message.role) {
		case "system":
			return { role: "system", content: textOf(message.content), name: message.name };
		case "tool":
			return { role: "tool", tool_call_id: message.toolCallId, content: textOf(message.content) };
		case "assistant":
			return {
				role: "assistant",
				content: message.content.length > 0 ? textOf(message.content) : null,
				refusal: message.refusal,
				name: message.name,
				tool_calls: message.toolCalls.length > 0 ? message.toolCalls.map(toolCallFields) : undefined,
			};
		case "user": {
			const texts = message.content.filter((part) => part.type === "text");
			const content =
				texts.length === message.content.length
					? textOf(texts)
					: message.content.map((part) =>
							part.type === "text"
								? { type: "text", text: part.text }
								: { type: "image_url", image_url: { url: part.url, detail: part.detail } },
						);
			return { role: "user", content, name: message.name };
		}
	}
}

function toolFields({ name, description, parameters, strict }: Tool): Fields {
	return { type: "function", function: { name, description, parameters, strict } };
}

function toolChoiceField(choice: ToolChoice): unknown {
	return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function responseFormat(output: OutputFormat): Fields | undefined {
	if (output.type === "text") return undefined;
	if (output.type === "json_object") return { type: "json_object" };
	const { name, description, schema, strict } = output;
	return { type: "json_schema", json_schema: { name, description, schema, strict } };
}

/** Share of the output limit that reasoning may take where a provider counts it beside the limit. */
const THINKING_SHARE: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 0.1,
	low: 0.25,
	medium: 0.5,
	high: 0.75,
	xhigh: 0.75,
	max: 0.75,
};

/** The fields that set a model's effort, and what is left of its output limit for the visible answer. */
function reasoningFields(
	model: Model,
	effort: EffortChoice,
	maxTokens: number,
): { fields: Fields; visibleTokens: number } {
	const whole = (fields: Fields) => ({ fields, visibleTokens: maxTokens });
	if (!model.reasoning || effort === null || effort === "default") return whole({});
	const thinking = { type: effort === "none" ? "disabled" : "enabled" };
	switch (model.reasoning.control) {
		case "thinking_type":
			return whole({ thinking });
		case "thinking_type_and_effort":
			return whole(effort === "none" ? { thinking } : { thinking, reasoning_effort: effort });
		case "thinking_type_and_output_config":
			return whole(effort === "none" ? { thinking } : { thinking, output_config: { effort } });
		case "enable_thinking": {
			const budget = Math.floor(maxTokens * THINKING_SHARE[effort]);
			if (budget === 0) return whole({ enable_thinking: false });
			return { fields: { enable_thinking: true, thinking_budget: budget }, visibleTokens: maxTokens - budget };
		}
		default:
			return whole({ reasoning_effort: effort });
	}
}

/** Optional fields under the provider's names; what it or the model refuses is left out and named. */
function optionalFields(
	call: ChatCall,
	model: Model,
	{ provider }: ProviderAccess,
): { fields: Fields; warnings: Warning[] } {
	const refused = new Set([...model.request.rejects, ...provider.drops]);
	const given: Fields = { ...call.knobs };
	if (call.parallelToolCalls !== undefined && call.tools.length > 0)
		given["parallel_tool_calls"] = call.parallelToolCalls;
	if (call.user !== undefined) given["user"] = call.user;
	const fields: Fields = {};
	const warnings: Warning[] = [];
	for (const [param, value] of Object.entries(given)) {
		if (!refused.has(param)) fields[provider.renames[param] ?? param] = value;
		// The end user's name is for the provider's abuse checks; nobody misses it where it has no place.
		else if (param !== "user")
			warnings.push({
				code: "parameter_dropped",
				param,
				message: `${model.id} does not take ${param}; it was left out`,
			});
	}
	if (call.knobs.temperature === undefined && !refused.has("temperature")) fields["temperature"] = DEFAULT_TEMPERATURE;
	return { fields, warnings };
}

function prepare(call: ChatCall): PreparedPrompt {
	const fields: Fields = {
		messages: call.messages.map(messageFields),
		tools: call.tools.length > 0 ? call.tools.map(toolFields) : undefined,
	};
	const json = JSON.stringify(fields).slice(1, -1);
	const urls = imagesOf(call).map(({ url }) => url);
	return { json, tokenBound: promptTokenBound(json, urls) };
}

function request(
	call: ChatCall,
	prompt: PreparedPrompt,
	model: Model,
	access: ProviderAccess,
	effort: EffortChoice,
): UpstreamRequest {
	const reasoning = reasoningFields(model, effort, call.maxTokens);
	const optional = optionalFields(call, model, access);
	const settings: Fields = {
		model: model.upstream_model,
		[model.request.max_tokens_field]: reasoning.visibleTokens,
		...optional.fields,
		...reasoning.fields,
		stop: call.stop.length > 0 ? call.stop : undefined,
		tool_choice:
			call.toolChoice === undefined || call.tools.length === 0 ? undefined : toolChoiceField(call.toolChoice),
		response_format: responseFormat(call.output),
		logprobs: call.logprobs ? true : undefined,
		top_logprobs: call.logprobs?.top,
	};
	const head = JSON.stringify(settings).slice(0, -1);
	return {
		url: `${access.baseUrl}/chat/completions`,
		headers: {
			authorization: `Bearer ${access.apiKey}`,
			"content-type": "application/json",
			accept: "application/json",
		},
		body: `${head},${prompt.json}}`,
		maxInputTokens: utf8Length(head) + prompt.tokenBound,
		maxOutputTokens: call.maxTokens,
		warnings: optional.warnings,
	};
}

const count = z.int().min(0);
const usageSchema = z.looseObject({
	prompt_tokens: count,
	completion_tokens: count,
	total_tokens: count.nullish(),
	/** Moonshot's place for it. */
	cached_tokens: count.nullish(),
	prompt_tokens_details: z
		.looseObject({ cached_tokens: count.nullish(), cache_write_tokens: count.nullish() })
		.nullish(),
	completion_tokens_details: z.looseObject({ reasoning_tokens: count.nullish() }).nullish(),
});

/**
 * Disjoint buckets from OpenAI's overlapping counts, or null when they are absent or no counts.
 * OpenAI counts reasoning inside `completion_tokens`; xAI counts it beside, which the total gives away.
 */
export function usageFromOpenai(raw: unknown): TokenUsage | null {
	const parsed = usageSchema.safeParse(raw);
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

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional(), thinking: z.unknown().optional() });
const messageSchema = z.looseObject({
	role: z.string().nullish(),
	content: z.union([z.string(), z.array(contentPart)]).nullish(),
	refusal: z.string().nullish(),
	reasoning_content: z.string().nullish(),
	reasoning: z.string().nullish(),
	tool_calls: z
		.array(
			z.looseObject({
				id: z.string().nullish(),
				function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
			}),
		)
		.nullish(),
});
const bodySchema = z.looseObject({
	choices: z
		.tuple([
			z.looseObject({ message: messageSchema, finish_reason: z.string().nullish(), logprobs: z.unknown().optional() }),
		])
		.rest(z.unknown()),
	usage: z.unknown().optional(),
});

/** Mistral writes content as parts, reasoning among them. */
function splitContent(content: z.infer<typeof messageSchema>["content"]): {
	text: string | null;
	thinking: string | null;
} {
	if (content === null || content === undefined) return { text: null, thinking: null };
	if (typeof content === "string") return { text: content, thinking: null };
	const texts = content.filter(({ type }) => type === "text").map(({ text }) => text ?? "");
	const thinking = content
		.filter(({ type }) => type === "thinking")
		.flatMap(({ thinking: parts }) => z.array(contentPart).safeParse(parts).data ?? [])
		.map(({ text }) => text ?? "");
	return { text: texts.length > 0 ? texts.join("") : null, thinking: thinking.length > 0 ? thinking.join("") : null };
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
	stop: "stop",
	length: "length",
	tool_calls: "tool_calls",
	function_call: "tool_calls",
	content_filter: "content_filter",
};
/** The provider's own way of saying that there is no usable answer. */
const FAILED_REASONS = new Set(["error", "insufficient_system_resource"]);

function wellFormed(text: string | null | undefined): string | null {
	return text?.toWellFormed() ?? null;
}

function answer(body: unknown): ChatAnswer | null {
	const parsed = bodySchema.safeParse(body);
	if (!parsed.success) return null;
	const [{ message, finish_reason, logprobs }] = parsed.data.choices;
	const { role, content, refusal, reasoning_content, reasoning, tool_calls, ...extra } = message;
	const { text, thinking } = splitContent(content);
	const toolCalls = (tool_calls ?? []).map((call, index) => ({
		id: call.id ?? `call_${index}`,
		name: call.function.name.toWellFormed(),
		arguments: (call.function.arguments ?? "{}").toWellFormed(),
	}));
	const native = finish_reason ?? null;
	if (native !== null && FAILED_REASONS.has(native)) return null;
	const finishReason =
		toolCalls.length > 0 && native !== "length" ? "tool_calls" : (FINISH_REASONS[native ?? "stop"] ?? "stop");
	const empty = !text && !refusal && toolCalls.length === 0;
	if (empty && finishReason === "stop") return null;
	return {
		content: wellFormed(text),
		refusal: wellFormed(refusal),
		reasoning: wellFormed(reasoning_content ?? reasoning ?? thinking),
		toolCalls,
		finishReason,
		nativeFinishReason: native,
		logprobs: logprobs ?? null,
		usage: usageFromOpenai(parsed.data.usage),
		extra,
	};
}

const word = z.union([z.string(), z.number()]).nullish();
/** The error bodies of the ten providers: wrapped, flat, `{code, error}` and FastAPI's `{detail}`. */
const errorSchema = z.union([
	z
		.looseObject({ error: z.looseObject({ message: z.string(), type: word, code: word }) })
		.transform(({ error }) => error),
	z.looseObject({ message: z.string(), type: word, code: word }),
	z
		.looseObject({ error: z.string(), code: word })
		.transform(({ error, code }) => ({ message: error, code, type: null })),
	z.looseObject({ detail: z.string() }).transform(({ detail }) => ({ message: detail, code: null, type: null })),
]);

function error(body: unknown): UpstreamError | null {
	const parsed = errorSchema.safeParse(body);
	if (!parsed.success) return null;
	const { message, code, type } = parsed.data;
	const name = code ?? type ?? null;
	return { message, code: name === null ? null : String(name) };
}

function usage(body: unknown): TokenUsage | null {
	const parsed = z.looseObject({ usage: z.unknown() }).safeParse(body);
	return parsed.success ? usageFromOpenai(parsed.data.usage) : null;
}

export const openaiWire: Wire = { prepare, request, answer, usage, error };

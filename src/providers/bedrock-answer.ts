// Reads an answer of Bedrock's Converse into a model answer: blocks, stop reason, usage, error. The stream decoder shares its parts.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { jsonObjectSchema } from "../http/json-object.ts";
import { optionalMember } from "../json.ts";
import { toModelAnswer } from "./accumulate.ts";
import { normalizeArguments } from "./anthropic-answer.ts";
import type { FinishReason, ModelAnswer } from "./model-call.ts";
import { BEDROCK_REASONING } from "./returned-blocks.ts";
import type { StreamPart, UpstreamError } from "./wire.ts";
import { reportedTokenCount } from "./wire.ts";

const bedrockUsageSchema = z.lazy(() =>
	z.looseObject({
		inputTokens: reportedTokenCount,
		outputTokens: reportedTokenCount,
		cacheReadInputTokens: reportedTokenCount.nullish(),
		cacheWriteInputTokens: reportedTokenCount.nullish(),
		cacheDetails: z
			.array(z.looseObject({ ttl: z.string(), inputTokens: reportedTokenCount }))
			.nullish()
			.catch(null),
	}),
);

/**
 * Disjoint token counts; null when they are missing or malformed. Bedrock counts what a cache held or gets beside inputTokens
 * (user guide, "Prompt caching"), and does not tell reasoning from other output.
 */
export function usageFromBedrock(raw: unknown): TokenUsage | null {
	const parsed = bedrockUsageSchema.safeParse(raw);
	if (!parsed.success) return null;
	const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = parsed.data;
	const sum = (counts: readonly { inputTokens: number }[]) => counts.reduce((total, one) => total + one.inputTokens, 0);
	const details = cacheDetails ?? [];
	const minuteWrite = sum(details.filter(({ ttl }) => ttl === "5m"));
	const written = Math.max(cacheWriteInputTokens ?? 0, sum(details));
	// Tokens that the details leave out count as written for an hour if any were: the dearer rate.
	const hourCacheWrite = details.some(({ ttl }) => ttl === "1h") ? written - minuteWrite : 0;
	return {
		uncachedInput: inputTokens,
		cacheRead: cacheReadInputTokens ?? 0,
		cacheWrite: written - hourCacheWrite,
		...(hourCacheWrite > 0 ? { hourCacheWrite } : {}),
		outputText: outputTokens,
		reasoning: 0,
	};
}

/** The words of Converse's StopReason, and those that Claude has besides. */
const BEDROCK_STOP_REASONS: ReadonlyMap<string, FinishReason> = new Map([
	["max_tokens", "length"],
	["model_context_window_exceeded", "length"],
	["guardrail_intervened", "content_filter"],
	["content_filtered", "content_filter"],
	["refusal", "content_filter"],
]);

/** Stop reasons by which Bedrock says that there is no usable answer. */
export const BEDROCK_FAILED_REASONS: ReadonlySet<string> = new Set(["malformed_model_output", "malformed_tool_use"]);

const stopFieldSchema = z
	.looseObject({ stop_sequence: z.string().nullish().catch(null) })
	.nullish()
	.catch(null);

/** Fields of the model's own, as they were asked for: Claude's stop sequence, in a stream inside of `delta`. */
export const modelFieldsSchema = z.lazy(() =>
	z
		.looseObject({ stop_sequence: z.string().nullish().catch(null), delta: stopFieldSchema })
		.nullish()
		.catch(null),
);

/** Why the model stopped. `tool_calls` is given exactly when there are calls to make, unless the answer was cut or filtered. */
export function bedrockFinishPart(
	native: string | null,
	fields: z.infer<typeof modelFieldsSchema>,
	hasToolCalls: boolean,
): StreamPart {
	const stopSequence = fields?.stop_sequence ?? fields?.delta?.stop_sequence;
	return {
		type: "finish",
		reason: BEDROCK_STOP_REASONS.get(native ?? "") ?? (hasToolCalls ? "tool_calls" : "stop"),
		native,
		...optionalMember("stopSequence", native === "stop_sequence" ? stopSequence?.toWellFormed() : null),
	};
}

const reasoningTextSchema = z.looseObject({ text: z.string().default(""), signature: z.string().nullish() });

/** A content block of a kind that this service reads, or any other. */
export const bedrockBlockSchema = z.lazy(() =>
	z.union([
		z.looseObject({ text: z.string() }).transform(({ text }) => ({ type: "text" as const, text })),
		z
			.looseObject({
				toolUse: z.looseObject({ toolUseId: z.string(), name: z.string(), input: z.unknown().optional() }),
			})
			.transform(({ toolUse }) => ({ type: "tool_use" as const, toolUse })),
		z
			.looseObject({ reasoningContent: z.looseObject({ reasoningText: reasoningTextSchema }) })
			.transform(({ reasoningContent: { reasoningText } }) => ({ type: "reasoning" as const, reasoningText })),
		z
			.looseObject({ reasoningContent: z.looseObject({ redactedContent: z.string() }) })
			.transform(({ reasoningContent: { redactedContent } }) => ({ type: "redacted" as const, redactedContent })),
		// A model's text with its sources. They are only sent where documents were asked about with citations.
		z
			.looseObject({ citationsContent: z.looseObject({ content: z.array(z.looseObject({ text: z.string() })) }) })
			.transform(({ citationsContent: { content } }) => ({
				type: "text" as const,
				text: content.map(({ text }) => text).join(""),
			})),
		jsonObjectSchema.transform((block) => ({ type: "other" as const, block })),
	]),
);
export type BedrockBlock = z.infer<typeof bedrockBlockSchema>;

function providerPart(block: Record<string, unknown>): StreamPart {
	return { type: "provider", wire: "bedrock", block };
}

/**
 * The parts that follow from a whole block, besides its text: signed reasoning, a tool call, blocks of Bedrock's own.
 * @param toolIndex index of the next tool call in the answer.
 * @param json the streamed input of a tool; null when the block itself holds it.
 */
export function bedrockBlockEndParts(block: BedrockBlock, toolIndex: number, json: string | null = null): StreamPart[] {
	switch (block.type) {
		case "text":
			return [];
		case "reasoning": {
			const { text, signature } = block.reasoningText;
			if (!signature) return [];
			return [providerPart({ type: BEDROCK_REASONING, text, signature })];
		}
		case "redacted":
			return [providerPart({ type: BEDROCK_REASONING, data: block.redactedContent })];
		case "other":
			return [providerPart(block.block)];
		case "tool_use": {
			const { toolUseId: id, name, input } = block.toolUse;
			const text = json === null || json.trim() === "" ? JSON.stringify(input ?? {}) : normalizeArguments(json);
			return [
				{ type: "tool_call", index: toolIndex, id, name: name.toWellFormed() },
				{ type: "tool_arguments", index: toolIndex, text },
			];
		}
	}
}

const converseSchema = z.lazy(() =>
	z.looseObject({
		output: z.looseObject({ message: z.looseObject({ content: z.array(bedrockBlockSchema) }) }),
		stopReason: z.string().nullish(),
		additionalModelResponseFields: modelFieldsSchema,
		usage: z.unknown().optional(),
	}),
);

/** The answer in a parsed body; null when the body is none, or says that it is malformed. */
export function parseBedrockAnswer(body: unknown): ModelAnswer | null {
	const parsed = converseSchema.safeParse(body);
	if (!parsed.success) return null;
	const { output, stopReason, additionalModelResponseFields, usage: rawUsage } = parsed.data;
	if (BEDROCK_FAILED_REASONS.has(stopReason ?? "")) return null;
	const parts: StreamPart[] = [];
	let calls = 0;
	for (const block of output.message.content) {
		if (block.type === "text" && block.text !== "") parts.push({ type: "text", text: block.text });
		if (block.type === "reasoning" && block.reasoningText.text !== "")
			parts.push({ type: "reasoning", text: block.reasoningText.text });
		parts.push(...bedrockBlockEndParts(block, calls));
		if (block.type === "tool_use") calls++;
	}
	parts.push(bedrockFinishPart(stopReason ?? null, additionalModelResponseFields, calls > 0));
	const usage = usageFromBedrock(rawUsage);
	if (usage) parts.push({ type: "usage", usage });
	return toModelAnswer(parts);
}

/** The usage in a parsed body, even where the body holds no answer. */
export function parseBedrockUsage(body: unknown): TokenUsage | null {
	const parsed = z.looseObject({ usage: z.unknown().optional() }).safeParse(body);
	return parsed.success ? usageFromBedrock(parsed.data.usage) : null;
}

const bedrockErrorSchema = z.lazy(() =>
	z.looseObject({
		message: z.string().nullish(),
		Message: z.string().nullish(),
		originalMessage: z.string().nullish(),
		__type: z.string().nullish(),
	}),
);

/** What AWS says of a signature whose time is not now. It names no side, and the clock of this machine is the operator's to set. */
const CLOCK_MESSAGE = /^Signature (?:expired|not yet current)\b/;

/**
 * The error in a parsed body `{message}`; null when it is not one. Its kind stands in a header, as in AWS's other JSON APIs
 * (smithy.io, "AWS restJson1 protocol", "Operation error serialization"): `ThrottlingException:http://…`.
 */
export function parseBedrockError(body: unknown, headers?: Headers): UpstreamError | null {
	const parsed = bedrockErrorSchema.safeParse(body);
	if (!parsed.success) return null;
	const { message, Message, originalMessage, __type } = parsed.data;
	const named = headers?.get("x-amzn-errortype") ?? __type;
	const code = named?.replace(/^.*#/, "").split(":", 1)[0] || null;
	const text = originalMessage ?? message ?? Message ?? code;
	if (text === null || text === undefined) return null;
	if (!CLOCK_MESSAGE.test(text)) return { message: text, code };
	return { message: `the clocks of this service and of AWS differ: ${text}`, code: "clock_skew" };
}

// Reads an Anthropic message into a model answer: blocks, stop reason, usage, error. The stream decoder shares its
// parts.
import * as z from "zod";
import type { TokenUsage } from "../catalog/price.ts";
import { optionalMember, parseJson } from "../json.ts";
import { toModelAnswer } from "./accumulate.ts";
import { parseGoogleError } from "./google-answer.ts";
import type { FinishReason, ModelAnswer } from "./model-call.ts";
import type { StreamPart, UpstreamError } from "./wire.ts";
import { reportedTokenCount } from "./wire.ts";

const anthropicCountsSchema = z.lazy(() =>
	z.looseObject({
		input_tokens: reportedTokenCount.nullish(),
		output_tokens: reportedTokenCount.nullish(),
		cache_read_input_tokens: reportedTokenCount.nullish(),
		cache_creation_input_tokens: reportedTokenCount.nullish(),
		cache_creation: z
			.looseObject({
				ephemeral_5m_input_tokens: reportedTokenCount.nullish(),
				ephemeral_1h_input_tokens: reportedTokenCount.nullish(),
			})
			.nullish()
			.catch(null),
		output_tokens_details: z.looseObject({ thinking_tokens: reportedTokenCount.nullish() }).nullish(),
	}),
);
const anthropicUsageSchema = z.lazy(() =>
	z.looseObject({
		...anthropicCountsSchema.unwrap().shape,
		input_tokens: reportedTokenCount,
		output_tokens: reportedTokenCount,
		iterations: z.array(anthropicCountsSchema).nullish(),
	}),
);

/** Anthropic's counts: its input excludes cached tokens, its output includes thinking. */
function toCounts(usage: z.infer<typeof anthropicCountsSchema>) {
	return {
		input: usage.input_tokens ?? 0,
		cacheRead: usage.cache_read_input_tokens ?? 0,
		cacheWrite: usage.cache_creation_input_tokens ?? 0,
		minuteWrite: usage.cache_creation?.ephemeral_5m_input_tokens ?? 0,
		hourWrite: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
		output: usage.output_tokens ?? 0,
		thinking: usage.output_tokens_details?.thinking_tokens ?? 0,
	};
}

/** Disjoint token counts from Anthropic's usage; null when it is missing or malformed. */
export function usageFromAnthropic(raw: unknown): TokenUsage | null {
	const parsed = anthropicUsageSchema.safeParse(raw);
	if (!parsed.success) return null;
	const top = toCounts(parsed.data);
	const iterations = (parsed.data.iterations ?? []).map(toCounts);
	// With compaction or a fallback model, the top level leaves out iterations that are billed. In other answers the
	// top level has counts that the iterations do not repeat. The larger of the two never counts too little.
	const larger = (key: keyof typeof top) =>
		Math.max(
			top[key],
			iterations.reduce((sum, counts) => sum + counts[key], 0),
		);
	const output = larger("output");
	const reasoning = Math.min(larger("thinking"), output);
	const written = Math.max(larger("cacheWrite"), larger("minuteWrite") + larger("hourWrite"));
	// Tokens that the breakdown leaves out count as written for an hour if any were: the dearer rate.
	const hourCacheWrite = larger("hourWrite") > 0 ? written - larger("minuteWrite") : 0;
	return {
		uncachedInput: larger("input"),
		cacheRead: larger("cacheRead"),
		cacheWrite: written - hourCacheWrite,
		...(hourCacheWrite > 0 ? { hourCacheWrite } : {}),
		outputText: output - reasoning,
		reasoning,
	};
}

const ANTHROPIC_STOP_REASONS: ReadonlyMap<string, FinishReason> = new Map([
	["end_turn", "stop"],
	["stop_sequence", "stop"],
	// A tool that the provider runs has paused. What is there is delivered as it is.
	["pause_turn", "stop"],
	["max_tokens", "length"],
	["model_context_window_exceeded", "length"],
	["tool_use", "tool_calls"],
	["refusal", "content_filter"],
]);

/**
 * The finish reason for Anthropic's stop reason. `tool_calls` is given exactly when there are calls to make, unless the
 * answer was cut or filtered.
 */
function fromAnthropicStopReason(native: string | null, hasToolCalls: boolean): FinishReason {
	const reason = ANTHROPIC_STOP_REASONS.get(native ?? "end_turn") ?? "stop";
	if (reason === "length" || reason === "content_filter") return reason;
	return hasToolCalls ? "tool_calls" : "stop";
}

/** A content block of a type that this service reads, or any other block. */
export const anthropicBlockSchema = z.lazy(() =>
	z.union([
		z.looseObject({ type: z.literal("text"), text: z.string().default(""), citations: z.array(z.unknown()).nullish() }),
		z.looseObject({ type: z.literal("thinking"), thinking: z.string().default("") }),
		z.looseObject({ type: z.literal("redacted_thinking") }),
		z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown().optional() }),
		z
			.looseObject({ type: z.string() })
			.refine(({ type }) => !["text", "thinking", "tool_use"].includes(type))
			.transform((block) => ({ type: "other" as const, block })),
	]),
);
export type AnthropicBlock = z.infer<typeof anthropicBlockSchema>;

/** A JSON round trip may change a number with this many digits. */
const LONG_NUMBER = /\d{16}/;

/**
 * Arguments in the form of the unstreamed answer. Text that is not JSON (a call cut by the limit) stays as the model
 * wrote it.
 */
export function normalizeArguments(text: string): string {
	const parsed = parseJson(text);
	return parsed === undefined || LONG_NUMBER.test(text) ? text.toWellFormed() : JSON.stringify(parsed);
}

function anthropicBlockPart(block: Record<string, unknown>): StreamPart {
	return { type: "provider", wire: "anthropic", block };
}

/**
 * The parts that follow from a whole block, besides its text: signed thinking, a tool call, blocks of provider-run
 * tools.
 * @param toolIndex index of the next tool call in the answer.
 * @param json the streamed input of a tool; null when the block itself holds it.
 */
export function blockEndParts(block: AnthropicBlock, toolIndex: number, json: string | null = null): StreamPart[] {
	switch (block.type) {
		case "text":
			return [];
		case "thinking":
		case "redacted_thinking":
			return [anthropicBlockPart(block)];
		case "other":
			return [anthropicBlockPart(block.block)];
		case "tool_use": {
			const text = json === null || json.trim() === "" ? JSON.stringify(block.input ?? {}) : normalizeArguments(json);
			return [
				{ type: "tool_call", index: toolIndex, id: block.id, name: block.name.toWellFormed() },
				{ type: "tool_arguments", index: toolIndex, text },
			];
		}
	}
}

/** Collects the citations of an answer's texts, which become one message field. */
export class Citations {
	#citations: unknown[] = [];

	add(block: AnthropicBlock): void {
		if (block.type === "text") this.#citations.push(...(block.citations ?? []));
	}

	parts(): StreamPart[] {
		return this.#citations.length > 0 ? [{ type: "extra", fields: { citations: this.#citations } }] : [];
	}
}

/** The stop sequence that matched. */
export const stopSequenceSchema = z.lazy(() => z.string().nullish().catch(null));

/** Why the model stopped, and at which stop sequence. */
export function finishPart(
	native: string | null,
	stopSequence: string | null | undefined,
	hasToolCalls: boolean,
): StreamPart {
	return {
		type: "finish",
		reason: fromAnthropicStopReason(native, hasToolCalls),
		native,
		...optionalMember("stopSequence", native === "stop_sequence" ? stopSequence?.toWellFormed() : null),
	};
}

/** Why the model refused, in words. */
export const stopDetailsSchema = z.lazy(() =>
	z.looseObject({ explanation: z.string().nullish() }).nullish().catch(null),
);

/** The explanation of a refusal, as a refusal part. */
export function refusalParts(details: z.infer<typeof stopDetailsSchema>): StreamPart[] {
	return details?.explanation ? [{ type: "refusal", text: details.explanation }] : [];
}

const anthropicMessageSchema = z.lazy(() =>
	z.looseObject({
		content: z.array(anthropicBlockSchema),
		stop_reason: z.string().nullish(),
		stop_sequence: stopSequenceSchema,
		stop_details: stopDetailsSchema,
		usage: z.unknown().optional(),
	}),
);

/** The answer in a parsed body; null when the body is not a message. */
export function parseAnthropicAnswer(body: unknown): ModelAnswer | null {
	const parsed = anthropicMessageSchema.safeParse(body);
	if (!parsed.success) return null;
	const { content: blocks, stop_reason, stop_sequence, stop_details, usage: rawUsage } = parsed.data;
	const citations = new Citations();
	const parts: StreamPart[] = [];
	let calls = 0;
	for (const block of blocks) {
		citations.add(block);
		if (block.type === "text" && block.text !== "") parts.push({ type: "text", text: block.text });
		if (block.type === "thinking" && block.thinking !== "") parts.push({ type: "reasoning", text: block.thinking });
		parts.push(...blockEndParts(block, calls));
		if (block.type === "tool_use") calls++;
	}
	const native = stop_reason ?? null;
	parts.push(...refusalParts(stop_details), ...citations.parts(), finishPart(native, stop_sequence, calls > 0));
	const tokenUsage = usageFromAnthropic(rawUsage);
	if (tokenUsage) parts.push({ type: "usage", usage: tokenUsage });
	return toModelAnswer(parts);
}

/** The usage in a parsed body, even where the body holds no answer. */
export function parseAnthropicUsage(body: unknown): TokenUsage | null {
	const parsed = z.looseObject({ usage: z.unknown().optional() }).safeParse(body);
	return parsed.success ? usageFromAnthropic(parsed.data.usage) : null;
}

const anthropicErrorBodySchema = z.lazy(() =>
	z.looseObject({ error: z.looseObject({ type: z.string(), message: z.string() }) }),
);

/**
 * The error in a parsed body `{type: "error", error: {type, message}}`, or in Google's form: Vertex refuses calls of Claude in it. Null
 * when it is neither.
 */
export function parseAnthropicError(body: unknown): UpstreamError | null {
	const parsed = anthropicErrorBodySchema.safeParse(body);
	return parsed.success ? { message: parsed.data.error.message, code: parsed.data.error.type } : parseGoogleError(body);
}

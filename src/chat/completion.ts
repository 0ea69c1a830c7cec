// The chat completion that the client gets: OpenAI's shape with the `svc` block (spec 2.1). Pure.
import * as z from "zod";
import { TIERS } from "../catalog/vocabulary.ts";
import { type BilledCall, fallbackFrom, type Run, reasonFor, warningsOf } from "../inference/accounting.ts";
import { markedCallId } from "../inference/tool-call-ids.ts";
import { usd } from "../proof/money.ts";
import type { SealedReceipt } from "../proof/receipt.ts";
import type { ChatAnswer, ToolCall } from "../providers/model-call.ts";
import { detectedSignals } from "../routing/signals.ts";

export const MODES = ["quality", "balanced", "agility", "direct"] as const;

const toolCall = z.looseObject({
	id: z.string(),
	type: z.literal("function"),
	function: z.object({ name: z.string(), arguments: z.string() }),
});

export const chatCompletionSchema = z.object({
	id: z.string(),
	object: z.literal("chat.completion"),
	created: z.int(),
	model: z.string(),
	choices: z.tuple([
		z.object({
			index: z.literal(0),
			message: z.looseObject({
				role: z.literal("assistant"),
				content: z.string().nullable(),
				refusal: z.string().nullable(),
				reasoning_content: z.string().optional(),
				tool_calls: z.array(toolCall).optional(),
			}),
			finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
			native_finish_reason: z.string().nullable(),
			logprobs: z.unknown(),
		}),
	]),
	usage: z.object({
		prompt_tokens: z.int(),
		completion_tokens: z.int(),
		total_tokens: z.int(),
		prompt_tokens_details: z.object({ cached_tokens: z.int() }),
		completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
	}),
	svc: z.object({
		routing: z.object({
			mode: z.enum(MODES),
			model_display: z.string(),
			provider: z.string(),
			reason: z.string(),
			tier: z.enum(TIERS),
			signals_detected: z.record(z.string(), z.boolean()),
		}),
		cost: z.object({ input_usd: z.number(), output_usd: z.number(), total_usd: z.number(), estimated: z.boolean() }),
		latency_ms: z.int(),
		proof: z.object({
			request_id: z.string(),
			timestamp: z.string(),
			proof_hash: z.string(),
			model: z.string(),
			provider: z.string(),
			mode: z.enum(MODES),
			reason: z.string(),
			verifiable: z.literal(true),
			signature: z.string().nullable(),
			key_id: z.string().nullable(),
		}),
		fallback: z.boolean(),
		fallback_from: z.string().nullable(),
		fallback_to: z.string().nullable(),
		warnings: z.array(z.object({ code: z.string(), param: z.string().nullable(), message: z.string() })),
	}),
});

export type ChatCompletion = z.output<typeof chatCompletionSchema>;

/** The `svc` block. */
export type SvcBlock = ChatCompletion["svc"];

/** Everything an answer is made of. */
export interface AnswerParts {
	run: Run;
	answer: ChatAnswer;
	/** Every billed call; the last one served. */
	billed: readonly BilledCall[];
	receipt: SealedReceipt;
	latencyMs: number;
}

function servedBy(billed: readonly BilledCall[]): BilledCall {
	const last = billed.at(-1);
	if (!last) throw new Error("an answer that nobody gave");
	return last;
}

function costOfAll(billed: readonly BilledCall[]): SvcBlock["cost"] {
	const sum = (part: "inputNanoUsd" | "outputNanoUsd" | "totalNanoUsd") =>
		usd(billed.reduce((total, { bill }) => total + bill.cost[part], 0));
	return {
		input_usd: sum("inputNanoUsd"),
		output_usd: sum("outputNanoUsd"),
		total_usd: sum("totalNanoUsd"),
		estimated: billed.some(({ bill }) => bill.estimated),
	};
}

/** Writes the `svc` block. Costs are those of the receipt. */
export function svcBlock({ run, billed, receipt, latencyMs }: Omit<AnswerParts, "answer">): SvcBlock {
	const last = servedBy(billed);
	const { model } = last.candidate;
	const { mode } = run.plan.selection;
	const reason = reasonFor(run, last.candidate);
	const from = fallbackFrom(run, last.candidate);
	return {
		routing: {
			mode,
			model_display: model.display_name,
			provider: model.provider,
			reason,
			tier: model.tier,
			signals_detected: detectedSignals(run.plan.signals),
		},
		cost: costOfAll(billed),
		latency_ms: latencyMs,
		proof: {
			request_id: run.requestId,
			timestamp: receipt.created_at,
			proof_hash: receipt.proof_hash,
			model: model.id,
			provider: model.provider,
			mode,
			reason,
			verifiable: true,
			signature: receipt.signature,
			key_id: receipt.key_id,
		},
		fallback: from !== null,
		fallback_from: from,
		fallback_to: from === null ? null : model.id,
		warnings: warningsOf(last),
	};
}

/** OpenAI's usage of the call that served. */
export function usageBlock(answer: ChatAnswer, { bill }: BilledCall): ChatCompletion["usage"] {
	const { promptTokens, completionTokens } = bill;
	return {
		prompt_tokens: promptTokens,
		completion_tokens: completionTokens,
		total_tokens: promptTokens + completionTokens,
		prompt_tokens_details: { cached_tokens: answer.usage?.cacheRead ?? 0 },
		completion_tokens_details: { reasoning_tokens: answer.usage?.reasoning ?? 0 },
	};
}

/** A tool call as OpenAI writes it; a provider's own mark goes where OpenAI-compatible clients of Gemini expect it. */
export function toolCallFields({ id, name, arguments: args, signature }: ToolCall, modelId: string) {
	return {
		id: markedCallId(id, modelId),
		type: "function" as const,
		function: { name, arguments: args },
		...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
	};
}

function messageOf(
	{ content, refusal, reasoning, toolCalls, opaque, extra }: ChatAnswer,
	modelId: string,
): ChatCompletion["choices"][0]["message"] {
	return {
		...extra,
		role: "assistant",
		content,
		refusal,
		...(reasoning === null ? {} : { reasoning_content: reasoning }),
		...(opaque.length === 0 ? {} : { thinking_blocks: opaque }),
		...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map((call) => toolCallFields(call, modelId)) }),
	};
}

/** Writes the completion. */
export function completionOf(parts: AnswerParts): ChatCompletion {
	const { run, answer, billed } = parts;
	const last = servedBy(billed);
	return {
		id: run.requestId,
		object: "chat.completion",
		created: Math.floor(run.startedAtMs / 1000),
		model: last.candidate.model.id,
		choices: [
			{
				index: 0,
				message: messageOf(answer, last.candidate.model.id),
				finish_reason: answer.finishReason,
				native_finish_reason: answer.nativeFinishReason,
				logprobs: answer.logprobs,
			},
		],
		usage: usageBlock(answer, last),
		svc: svcBlock(parts),
	};
}

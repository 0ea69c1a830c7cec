// The chat completion that the client gets: OpenAI's shape with the `svc` block (spec 2.1). Pure.
import * as z from "zod";
import { TIERS } from "../catalog/vocabulary.ts";
import { usd } from "../proof/money.ts";
import type { SealedReceipt } from "../proof/receipt.ts";
import { detectedSignals } from "../routing/signals.ts";
import type { Bill, Run } from "./accounting.ts";
import type { ChatAnswer, Warning } from "./call.ts";

export const MODES = ["quality", "balanced", "agility", "direct"] as const;

const toolCall = z.object({
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

/** Everything a completion is made of. */
export interface CompletionParts {
	run: Run;
	answer: ChatAnswer;
	bill: Bill;
	receipt: SealedReceipt;
	latencyMs: number;
	warnings: Warning[];
}

function messageOf({
	content,
	refusal,
	reasoning,
	toolCalls,
	extra,
}: ChatAnswer): ChatCompletion["choices"][0]["message"] {
	return {
		...extra,
		role: "assistant",
		content,
		refusal,
		...(reasoning === null ? {} : { reasoning_content: reasoning }),
		...(toolCalls.length === 0
			? {}
			: {
					tool_calls: toolCalls.map(({ id, name, arguments: args }) => ({
						id,
						type: "function" as const,
						function: { name, arguments: args },
					})),
				}),
	};
}

/** Writes the completion. Costs are those of the receipt. */
export function completionOf(parts: CompletionParts): ChatCompletion {
	const { answer, bill, receipt } = parts;
	const { requestId, startedAtMs, plan } = parts.run;
	const { model } = parts.run.candidate;
	const { mode, reason, fallbackFrom } = plan.selection;
	const { promptTokens, completionTokens, cost } = bill;
	return {
		id: requestId,
		object: "chat.completion",
		created: Math.floor(startedAtMs / 1000),
		model: model.id,
		choices: [
			{
				index: 0,
				message: messageOf(answer),
				finish_reason: answer.finishReason,
				native_finish_reason: answer.nativeFinishReason,
				logprobs: answer.logprobs,
			},
		],
		usage: {
			prompt_tokens: promptTokens,
			completion_tokens: completionTokens,
			total_tokens: promptTokens + completionTokens,
			prompt_tokens_details: { cached_tokens: answer.usage?.cacheRead ?? 0 },
			completion_tokens_details: { reasoning_tokens: answer.usage?.reasoning ?? 0 },
		},
		svc: {
			routing: {
				mode,
				model_display: model.display_name,
				provider: model.provider,
				reason,
				tier: model.tier,
				signals_detected: detectedSignals(plan.signals),
			},
			cost: {
				input_usd: usd(cost.inputNanoUsd),
				output_usd: usd(cost.outputNanoUsd),
				total_usd: usd(cost.totalNanoUsd),
				estimated: bill.estimated,
			},
			latency_ms: parts.latencyMs,
			proof: {
				request_id: requestId,
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
			fallback: fallbackFrom !== null,
			fallback_from: fallbackFrom,
			fallback_to: fallbackFrom === null ? null : model.id,
			warnings: parts.warnings,
		},
	};
}

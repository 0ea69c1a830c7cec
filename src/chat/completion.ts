// The chat completion that the client gets, in OpenAI's shape with the `svc` block (docs/reference.md, "Chat"). Pure.
import * as z from "zod";
import { INTENTS, TIERS } from "../catalog/vocabulary.ts";
import { attestationSchema } from "../compliance/attestation.ts";
import type { Failure } from "../failure.ts";
import {
	type BilledCall,
	callWarnings,
	explainServingModel,
	fallbackFrom,
	lastBilledCall,
} from "../inference/accounting.ts";
import { toClientWarning, warningsSchema } from "../inference/client-fields.ts";
import type { ChatPurpose, SettledAnswer, SettledRequest } from "../inference/infer.edge.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { markedCallId } from "../inference/tool-call-ids.ts";
import { usd } from "../proof/money.ts";
import { joinText, type ModelAnswer, partsOfType, type ToolCallPart } from "../providers/model-call.ts";
import { MODES } from "../routing/mode.ts";
import { observedSchema } from "../routing/observed.ts";
import { toIntentShares, toSignalFlags } from "../routing/signals.ts";
import { toBlockFields } from "./provider-blocks.ts";

const answeredToolCallSchema = z.lazy(() =>
	z.looseObject({
		id: z.string(),
		type: z.literal("function"),
		function: z.object({ name: z.string(), arguments: z.string() }),
	}),
);

export const chatCompletionSchema = z.lazy(() =>
	z.looseObject({
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
					tool_calls: z.array(answeredToolCallSchema).optional(),
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
				intents: z.record(z.enum(INTENTS), z.number()).describe("How likely the prompt has each intent."),
				observed: observedSchema.describe(
					"What else the choice was made with; POST /v1/route takes it and repeats the choice.",
				),
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
				compliance: attestationSchema.optional().describe("When a compliance policy was in force."),
			}),
			fallback: z.boolean(),
			fallback_from: z.string().nullable(),
			fallback_to: z.string().nullable(),
			warnings: warningsSchema,
		}),
	}),
);

export type ChatCompletion = z.output<typeof chatCompletionSchema>;

export type SvcBlock = ChatCompletion["svc"];

function totalCostFields(billed: readonly BilledCall[]): SvcBlock["cost"] {
	const sum = (part: "inputNanoUsd" | "outputNanoUsd" | "totalNanoUsd") =>
		usd(billed.reduce((total, { bill }) => total + bill.cost[part], 0));
	return {
		input_usd: sum("inputNanoUsd"),
		output_usd: sum("outputNanoUsd"),
		total_usd: sum("totalNanoUsd"),
		estimated: billed.some(({ bill }) => bill.estimated),
	};
}

/** The `svc` block of a settled request. Its costs are those of the receipt. */
export function toSvcBlock({ billed, receipt, latencyMs, attestation, maskWarnings }: SettledRequest): SvcBlock {
	const last = lastBilledCall(billed);
	const { plan, candidate } = last;
	const { model } = candidate;
	const { mode } = plan.selection;
	const reason = explainServingModel(last);
	const from = fallbackFrom(last);
	return {
		routing: {
			mode,
			model_display: model.display_name,
			provider: model.provider,
			reason,
			tier: model.tier,
			signals_detected: toSignalFlags(plan.signals),
			intents: toIntentShares(plan.signals),
			observed: plan.observed,
		},
		cost: totalCostFields(billed),
		latency_ms: latencyMs,
		proof: {
			request_id: receipt.request_id,
			timestamp: receipt.created_at,
			proof_hash: receipt.proof_hash,
			model: model.id,
			provider: model.provider,
			mode,
			reason,
			verifiable: true,
			signature: receipt.signature,
			key_id: receipt.key_id,
			...(attestation ? { compliance: attestation } : {}),
		},
		fallback: from !== null,
		fallback_from: from,
		fallback_to: from === null ? null : model.id,
		warnings: [...callWarnings(last), ...maskWarnings].map(toClientWarning),
	};
}

/** OpenAI's usage of the call that served. Cached and reasoning tokens are parts of the billed tokens, never more. */
export function toUsageBlock({ usage }: ModelAnswer, billed: readonly BilledCall[]): ChatCompletion["usage"] {
	const { promptTokens, completionTokens } = lastBilledCall(billed).bill;
	return {
		prompt_tokens: promptTokens,
		completion_tokens: completionTokens,
		total_tokens: promptTokens + completionTokens,
		prompt_tokens_details: { cached_tokens: Math.min(usage?.cacheRead ?? 0, promptTokens) },
		completion_tokens_details: { reasoning_tokens: Math.min(usage?.reasoning ?? 0, completionTokens) },
	};
}

/** A tool call as OpenAI writes it. A signature goes where OpenAI-compatible clients of Gemini expect it. */
export function renderToolCall({ id, name, arguments: args, signature }: Omit<ToolCallPart, "type">, modelId: string) {
	return {
		id: markedCallId(id, modelId),
		type: "function" as const,
		function: { name, arguments: args },
		...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
	};
}

function toChoiceMessage(answer: ModelAnswer, modelId: string): ChatCompletion["choices"][0]["message"] {
	const { content, extra } = answer;
	const reasoning = joinText(content, "reasoning");
	const calls = partsOfType(content, "tool_call");
	return {
		...extra,
		role: "assistant",
		content: joinText(content, "text"),
		refusal: joinText(content, "refusal"),
		...(reasoning === null ? {} : { reasoning_content: reasoning }),
		...toBlockFields(answer),
		...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => renderToolCall(call, modelId)) }),
	};
}

/** A completion with the `svc` block of its entrance. */
export type CompletionWith<Svc extends SvcBlock> = ChatCompletion & { svc: Svc };

/** A request to the engine from an entrance that answers as chat does, and how its outcome is worded. */
export interface EntranceRequest<Svc extends SvcBlock = SvcBlock> {
	request: InferenceRequest;
	purpose: ChatPurpose;
	toSvcBlock(settled: SettledRequest): Svc;
	/** A failure of the engine under the names of the client's body. */
	withClientFields(failure: Failure): Failure;
}

/** The completion of an answer that has been settled. */
export function toCompletion<Svc extends SvcBlock>(accounted: SettledAnswer, svc: Svc): CompletionWith<Svc> {
	const { record, answer, billed } = accounted;
	const { model } = lastBilledCall(billed).candidate;
	return {
		// Fields of the upstream's body; ours win over those of the same names.
		...answer.bodyFields,
		id: record.requestId,
		object: "chat.completion",
		created: Math.floor(record.startedAtMs / 1000),
		model: model.id,
		choices: [
			{
				index: 0,
				message: toChoiceMessage(answer, model.id),
				finish_reason: answer.finishReason,
				native_finish_reason: answer.nativeFinishReason,
				logprobs: answer.logprobs,
			},
		],
		usage: toUsageBlock(answer, billed),
		svc,
	};
}

// The chat completion that the client gets, in OpenAI's shape with the `svc` block (docs/reference/chat.md, "Chat"). Pure.
import * as z from "zod";
import { type BilledCall, lastBilledCall } from "../inference/accounting.ts";
import type { SettledAnswer } from "../inference/infer.edge.ts";
import { type SvcBlock, svcBlockSchema } from "../inference/svc-block.ts";
import { toTokenCounts } from "../inference/token-counts.ts";
import { markedCallId } from "../inference/tool-call-ids.ts";
import { joinText, type ModelAnswer, partsOfType, type ToolCallPart } from "../providers/model-call.ts";
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
		svc: svcBlockSchema,
	}),
);

export type ChatCompletion = z.output<typeof chatCompletionSchema>;

/** OpenAI's usage of the call that served. */
export function toUsageBlock(answer: ModelAnswer, billed: readonly BilledCall[]): ChatCompletion["usage"] {
	const { input, cacheRead, output, reasoning } = toTokenCounts(answer, billed);
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details: { cached_tokens: cacheRead },
		completion_tokens_details: { reasoning_tokens: reasoning },
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

/** A refusal in words is content, too: whoever reads that alone must not find nothing. */
function toChoiceMessage(
	{ answer, refusal }: Pick<SettledAnswer, "answer" | "refusal">,
	modelId: string,
): ChatCompletion["choices"][0]["message"] {
	const { content, extra } = answer;
	const reasoning = joinText(content, "reasoning");
	const calls = partsOfType(content, "tool_call");
	return {
		...extra,
		role: "assistant",
		content: joinText(content, "text"),
		refusal: joinText(content, "refusal") ?? refusal?.text ?? null,
		...(reasoning === null ? {} : { reasoning_content: reasoning }),
		...toBlockFields(answer),
		...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => renderToolCall(call, modelId)) }),
	};
}

/** A completion with the `svc` block of its entrance. */
export type CompletionWith<Svc extends SvcBlock> = ChatCompletion & { svc: Svc };

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
				message: toChoiceMessage(accounted, model.id),
				finish_reason: answer.finishReason,
				native_finish_reason: answer.nativeFinishReason,
				logprobs: answer.logprobs,
			},
		],
		usage: toUsageBlock(answer, billed),
		svc,
	};
}

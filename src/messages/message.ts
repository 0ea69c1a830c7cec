// The message that the client gets, in Anthropic's shape with the `svc` block (docs/reference/messages.md, "Messages"). Pure.
import * as z from "zod";
import { lastBilledCall } from "../inference/accounting.ts";
import { answerId } from "../inference/answer-form.ts";
import type { SettledAnswer, SettledRequest } from "../inference/infer.edge.ts";
import type { SealParts } from "../inference/sealed-reasoning.edge.ts";
import { type SvcBlock, svcBlockSchema } from "../inference/svc-block.ts";
import { toTokenCounts } from "../inference/token-counts.ts";
import { joinText, type ModelAnswer } from "../providers/model-call.ts";
import type { BlockForm } from "./answer-blocks.ts";
import { toContent } from "./answer-content.ts";

const MESSAGE_STOP_REASONS = [
	"end_turn",
	"max_tokens",
	"stop_sequence",
	"tool_use",
	"pause_turn",
	"refusal",
	"model_context_window_exceeded",
] as const;
type StopReason = (typeof MESSAGE_STOP_REASONS)[number];

const answeredBlockSchema = z.lazy(() =>
	z.union([
		z.looseObject({ type: z.literal("text"), text: z.string() }),
		z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
		z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
		z.looseObject({
			type: z.literal("tool_use"),
			id: z.string(),
			name: z.string(),
			input: z.record(z.string(), z.unknown()),
			caller: z.object({ type: z.literal("direct") }),
		}),
		z.looseObject({ type: z.string() }),
	]),
);

const messageUsageSchema = z.lazy(() =>
	z.object({
		input_tokens: z.int().describe("Without those of the cache."),
		cache_read_input_tokens: z.int(),
		cache_creation_input_tokens: z.int(),
		cache_creation: z.object({ ephemeral_5m_input_tokens: z.int(), ephemeral_1h_input_tokens: z.int() }),
		output_tokens: z.int(),
		output_tokens_details: z.object({ thinking_tokens: z.int() }),
		server_tool_use: z.null(),
		service_tier: z.null(),
		inference_geo: z.null(),
		speed: z.null(),
	}),
);
type MessageUsage = z.output<typeof messageUsageSchema>;

export const answeredMessageSchema = z.lazy(() =>
	z.object({
		id: z.string(),
		type: z.literal("message"),
		role: z.literal("assistant"),
		model: z.string().describe("Catalog id of the model that answered."),
		content: z.array(answeredBlockSchema),
		stop_reason: z.enum(MESSAGE_STOP_REASONS),
		stop_sequence: z.string().nullable(),
		stop_details: z
			.object({ type: z.literal("refusal"), category: z.null(), explanation: z.string().nullable() })
			.nullable(),
		container: z.null(),
		diagnostics: z.null(),
		usage: messageUsageSchema,
		svc: svcBlockSchema,
	}),
);
export type AnsweredMessage = z.output<typeof answeredMessageSchema>;

/** Why an answer ended, as Anthropic's members say it. */
type MessageEnding = Pick<AnsweredMessage, "stop_reason" | "stop_sequence" | "stop_details">;

function toStopReason({ finishReason, nativeFinishReason, content }: ModelAnswer): StopReason {
	switch (finishReason) {
		case "tool_calls":
			// Clients answer each call of such a message, and ask again.
			return content.some(({ type }) => type === "tool_call") ? "tool_use" : "end_turn";
		case "content_filter":
			return "refusal";
		case "length":
			return nativeFinishReason === "model_context_window_exceeded" ? nativeFinishReason : "max_tokens";
		case "stop":
			if (content.some(({ type }) => type === "refusal")) return "refusal";
			if (nativeFinishReason === "stop_sequence" || nativeFinishReason === "pause_turn") return nativeFinishReason;
			return "end_turn";
	}
}

/** Only the wires of Anthropic and Bedrock tell a matching stop sequence from an ordinary end. */
export function toMessageEnding({ answer, refusal }: Pick<SettledAnswer, "answer" | "refusal">): MessageEnding {
	const reason = toStopReason(answer);
	const stop_reason = refusal?.text != null && reason === "end_turn" ? "refusal" : reason;
	return {
		stop_reason,
		stop_sequence: stop_reason === "stop_sequence" ? (answer.stopSequence ?? null) : null,
		stop_details:
			stop_reason === "refusal"
				? { type: "refusal", category: null, explanation: joinText(answer.content, "refusal") }
				: null,
	};
}

/** Usage of the call that served, as billed. Anthropic counts cached input beside the other input. */
export function toMessageUsage(answer: Pick<ModelAnswer, "usage">, billed: SettledAnswer["billed"]): MessageUsage {
	const { input, cacheRead, cacheWrite, hourCacheWrite, output, reasoning } = toTokenCounts(answer, billed);
	return {
		input_tokens: input - cacheRead - cacheWrite,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
		cache_creation: {
			ephemeral_5m_input_tokens: cacheWrite - hourCacheWrite,
			ephemeral_1h_input_tokens: hourCacheWrite,
		},
		output_tokens: output,
		output_tokens_details: { thinking_tokens: reasoning },
		server_tool_use: null,
		service_tier: null,
		inference_geo: null,
		speed: null,
	};
}

/** What a message takes from its request. */
export interface MessageWording {
	/** How a model's answer is shown. */
	toBlockForm(modelId: string): BlockForm;
	seal: SealParts;
	/** @param answer null where there is none. */
	toSvcBlock(settled: SettledRequest, answer: ModelAnswer | null): SvcBlock;
}

/** The members that stand before the content is known, also in a stream. */
export function toMessageHead(requestId: string, modelId: string) {
	const [type, role] = ["message" as const, "assistant" as const];
	return { id: answerId("msg_", requestId), type, role, model: modelId, container: null, diagnostics: null };
}

/** The whole message of an answer that has been settled. */
export async function toMessage(settled: SettledAnswer, wording: MessageWording): Promise<AnsweredMessage> {
	const { record, answer, billed } = settled;
	const { candidate, key } = lastBilledCall(billed);
	const { id } = candidate.model;
	return {
		...toMessageHead(record.requestId, id),
		content: await toContent(answer, wording.toBlockForm(id), wording.seal, key?.account),
		...toMessageEnding(settled),
		usage: toMessageUsage(answer, billed),
		svc: wording.toSvcBlock(settled, answer),
	};
}

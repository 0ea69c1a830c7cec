// Answers as the message entrance words them, without an engine: a settled answer of one call, and a seal that can be read.

import { inputTokens, outputTokens } from "../../src/catalog/price.ts";
import type { SettledAnswer } from "../../src/inference/infer.edge.ts";
import type { SvcBlock } from "../../src/inference/svc-block.ts";
import type { BlockForm } from "../../src/messages/answer-blocks.ts";
import { MessageEvents } from "../../src/messages/events.ts";
import type { MessageWording } from "../../src/messages/message.ts";
import { AnswerAccumulator } from "../../src/providers/accumulate.ts";
import type { AssistantPart, ModelAnswer } from "../../src/providers/model-call.ts";
import type { StreamPart } from "../../src/providers/wire.ts";

export const REQUEST_ID = "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV";
export const MESSAGE_ID = "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** Stands for the `svc` block, which the entrance's tests through the front door look at. */
export const SVC = { routing: { mode: "direct" } } as unknown as SvcBlock;

/** A seal that anybody can read. */
export async function openSeal(parts: readonly AssistantPart[], { modelId }: { modelId: string }): Promise<string> {
	return `svc1${JSON.stringify({ modelId, parts })}`;
}

export function testWording(form: Partial<BlockForm> = {}): MessageWording {
	return {
		toBlockForm: (modelId) => ({ modelId, isNative: false, showsThinking: true, returnsReasoning: false, ...form }),
		seal: openSeal,
		toSvcBlock: () => SVC,
	};
}

/** An answer of one call, billed by its usage. */
export function settledAnswer(answer: ModelAnswer, modelId = "m"): SettledAnswer {
	const bill = {
		promptTokens: answer.usage ? inputTokens(answer.usage) : 0,
		completionTokens: answer.usage ? outputTokens(answer.usage) : 0,
	};
	const billed = [{ bill, candidate: { model: { id: modelId } } }];
	return { record: { requestId: REQUEST_ID, startedAtMs: 0 }, answer, billed } as unknown as SettledAnswer;
}

/** What the parts of a stream come to. */
export function accumulate(parts: readonly StreamPart[]): ModelAnswer {
	const accumulator = new AnswerAccumulator();
	for (const part of parts) accumulator.add(part);
	return accumulator.answer();
}

/** The events of a stream of these parts. @param isCut it breaks off after them. */
export async function streamEvents(
	parts: readonly StreamPart[],
	wording: MessageWording,
	{ modelId = "m", isCut = false }: { modelId?: string; isCut?: boolean } = {},
): Promise<string> {
	const events = new MessageEvents(wording);
	let sse = events.begin({ requestId: REQUEST_ID, startedAtMs: 0, modelId, account: "" });
	for (const part of parts) sse += await events.part(part);
	if (isCut) return sse + events.fail({ type: "upstream_error", code: "upstream_cut", message: "cut" }, null);
	return sse + (await events.end(settledAnswer(accumulate(parts), modelId)));
}

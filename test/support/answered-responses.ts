// Answers as the Responses entrance words them, without an engine: a settled answer of one call, and a seal that can be read.
import OpenAI from "openai";
import { inputTokens, outputTokens } from "../../src/catalog/price.ts";
import type { SettledAnswer } from "../../src/inference/infer.edge.ts";
import type { SvcBlock } from "../../src/inference/svc-block.ts";
import { AnswerAccumulator } from "../../src/providers/accumulate.ts";
import type { AssistantPart, ModelAnswer } from "../../src/providers/model-call.ts";
import { WellFormedParts } from "../../src/providers/well-formed.ts";
import type { StreamPart } from "../../src/providers/wire.ts";
import type { ResponseObject } from "../../src/responses/response.ts";
import { type ResponseWording, responseWording } from "../../src/responses/response-form.ts";

const ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const REQUEST_ID = `svc-${ULID}`;

/** Stands for the `svc` block, which the tests through the front door look at. */
const SVC = { routing: { mode: "direct" }, warnings: [] } as unknown as SvcBlock;

/** A seal that anybody can read. */
export async function openSeal(parts: readonly AssistantPart[], { modelId }: { modelId: string }): Promise<string> {
	return JSON.stringify({ modelId, parts });
}

export function testResponseWording(wording: Partial<ResponseWording> = {}): ResponseWording {
	return {
		tools: new Map(),
		reasoningForm: "content",
		hasLogprobs: false,
		rawBody: { input: "hi" },
		includesSealed: true,
		seal: openSeal,
		toSvcBlock: () => SVC,
		store: null,
		...wording,
	};
}

/** An answer of one call, billed by its usage. */
export function settledResponse(answer: ModelAnswer, modelId = "m"): SettledAnswer {
	const bill = {
		promptTokens: answer.usage ? inputTokens(answer.usage) : 0,
		completionTokens: answer.usage ? outputTokens(answer.usage) : 0,
	};
	const billed = [{ bill, candidate: { model: { id: modelId } } }];
	const record = { requestId: REQUEST_ID, startedAtMs: 1_000 };
	return { record, answer, billed, latencyMs: 2_000 } as unknown as SettledAnswer;
}

/** The parts as they are delivered, and the answer that is accounted for. */
export function toDelivered(parts: readonly StreamPart[]): { parts: StreamPart[]; answer: ModelAnswer } {
	const wellFormed = new WellFormedParts();
	const passed = [...parts.flatMap((part) => wellFormed.pass(part) ?? []), ...wellFormed.end()];
	const accumulator = new AnswerAccumulator();
	for (const part of passed) accumulator.add(part);
	return { parts: passed, answer: accumulator.answer() };
}

/** The Response to a request that was not streamed. */
export async function wholeResponse(answer: ModelAnswer, wording: ResponseWording): Promise<ResponseObject> {
	return responseWording(wording).toAnswer(settledResponse(answer));
}

/** The events of a stream of these parts. @param isCut it breaks off after them. */
export async function responseEvents(
	parts: readonly StreamPart[],
	wording: ResponseWording,
	isCut = false,
): Promise<string> {
	const { parts: passed, answer } = toDelivered(parts);
	const form = responseWording(wording).toStream();
	let sse = form.begin({ requestId: REQUEST_ID, startedAtMs: 1_000, modelId: "m", account: "" });
	for (const part of passed) sse += await form.part(part);
	const cut = { type: "upstream_error", code: "upstream_cut", message: "cut" } as const;
	return sse + (await (isCut ? form.fail(cut, settledResponse(answer)) : form.end(settledResponse(answer))));
}

/** What OpenAI's client makes of a stream, and the events that it told of. */
export async function readByOpenAi(sse: string): Promise<{ response: OpenAI.Responses.Response; events: string[] }> {
	const client = new OpenAI({
		apiKey: "k",
		baseURL: "https://svc.test/v1",
		maxRetries: 0,
		fetch: async () => new Response(sse, { headers: { "content-type": "text/event-stream" } }),
	});
	const stream = client.responses.stream({ model: "m", input: "hi" });
	const events: string[] = [];
	stream.on("event", ({ type }) => void events.push(type));
	return { response: await stream.finalResponse(), events };
}

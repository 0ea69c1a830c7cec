// What a whole message says besides its content: why it ended, what it used, and what of the answer it cannot say.
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { TokenUsage } from "../../../src/catalog/price.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { findUnsayable } from "../../../src/messages/answer-content.ts";
import { answeredMessageSchema, toMessage, toMessageEnding, toMessageUsage } from "../../../src/messages/message.ts";
import type { AssistantPart, ModelAnswer } from "../../../src/providers/model-call.ts";
import { MESSAGE_ID, SVC, settledAnswer, testWording } from "../../support/messages.ts";

const USAGE: TokenUsage = {
	uncachedInput: 10,
	cacheRead: 4,
	cacheWrite: 3,
	hourCacheWrite: 2,
	outputText: 5,
	reasoning: 6,
};

function answer(content: AssistantPart[], more: Partial<ModelAnswer> = {}): ModelAnswer {
	return {
		content,
		finishReason: "stop",
		nativeFinishReason: null,
		logprobs: null,
		usage: USAGE,
		extra: {},
		bodyFields: {},
		...more,
	};
}

async function contentOf(content: AssistantPart[], form = {}) {
	return (await toMessage(settledAnswer(answer(content)), testWording(form))).content;
}

const call: AssistantPart = { type: "tool_call", id: "call_1", name: "f", arguments: '{"a": 1}' };
const CALL_BLOCK = {
	type: "tool_use",
	id: markedCallId("call_1", "m"),
	name: "f",
	input: { a: 1 },
	caller: { type: "direct" },
};

describe("a message", () => {
	it("has every member that Anthropic's has, and the svc block", async () => {
		const { content, svc, ...message } = await toMessage(
			settledAnswer(answer([{ type: "text", text: "hi" }])),
			testWording(),
		);
		// Their declarations check that no member is missing.
		const theirs: Omit<Anthropic.Message, "content"> = message;
		const schema = answeredMessageSchema.unwrap().omit({ content: true, svc: true }).strict();
		expect(schema.parse(theirs)).toEqual(message);
		expect([content, svc]).toEqual([[{ type: "text", text: "hi" }], SVC]);
		expect(message).toMatchObject({
			id: MESSAGE_ID,
			model: "m",
			stop_reason: "end_turn",
			stop_sequence: null,
			stop_details: null,
		});
	});

	it("counts cached tokens apart from its input, and reasoning within its output", () => {
		expect(toMessageUsage(answer([]), settledAnswer(answer([])).billed)).toMatchObject({
			input_tokens: 10,
			cache_read_input_tokens: 4,
			cache_creation_input_tokens: 5,
			cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
			output_tokens: 11,
			output_tokens_details: { thinking_tokens: 6 },
		});
	});

	it("shows no more tokens than were billed", () => {
		const { billed } = settledAnswer(answer([], { usage: { ...USAGE, uncachedInput: 0, cacheRead: 0 } }));
		expect(toMessageUsage(answer([]), billed)).toMatchObject({
			input_tokens: 0,
			cache_read_input_tokens: 4,
			cache_creation_input_tokens: 1,
			output_tokens: 11,
		});
	});

	it.each([
		["stop", "end_turn", "end_turn"],
		["stop", "stop", "end_turn"],
		["stop", "STOP", "end_turn"],
		["stop", null, "end_turn"],
		["stop", "pause_turn", "pause_turn"],
		["stop", "stop_sequence", "stop_sequence"],
		["length", "length", "max_tokens"],
		["length", "MAX_TOKENS", "max_tokens"],
		["length", "model_context_window_exceeded", "model_context_window_exceeded"],
		["tool_calls", "stop", "tool_use"],
		["content_filter", "SAFETY", "refusal"],
		["content_filter", "refusal", "refusal"],
	] as const)("that ended with %s (%s) has the stop reason %s", (finishReason, nativeFinishReason, stop_reason) => {
		const calls: AssistantPart[] = [{ type: "tool_call", id: "c", name: "f", arguments: "{}" }];
		const content = finishReason === "tool_calls" ? calls : [];
		expect(
			toMessageEnding({ answer: answer(content, { finishReason, nativeFinishReason }), refusal: null }).stop_reason,
		).toBe(stop_reason);
	});

	it("asks for no tool use where its upstream says so and calls none", () => {
		const text: AssistantPart[] = [{ type: "text", text: "Done." }];
		expect(toMessageEnding({ answer: answer(text, { finishReason: "tool_calls" }), refusal: null }).stop_reason).toBe(
			"end_turn",
		);
	});

	it("names the stop sequence that matched", () => {
		const ending = { nativeFinishReason: "stop_sequence", stopSequence: "END" };
		expect(toMessageEnding({ answer: answer([], ending), refusal: null })).toMatchObject({
			stop_reason: "stop_sequence",
			stop_sequence: "END",
		});
	});

	it("refuses in text, and says why beside it; Anthropic's own says it beside the text only", async () => {
		const refusal = answer([{ type: "refusal", text: "I won't." }]);
		const stop_details = { type: "refusal", category: null, explanation: "I won't." };
		expect(await toMessage(settledAnswer(refusal), testWording())).toMatchObject({
			content: [{ type: "text", text: "I won't." }],
			stop_reason: "refusal",
			stop_details,
		});
		const native = { ...refusal, finishReason: "content_filter" as const };
		expect(await toMessage(settledAnswer(native), testWording({ isNative: true }))).toMatchObject({
			content: [],
			stop_details,
		});
	});
});

describe("its content", () => {
	it("has another model's reasoning as thinking without a signature", async () => {
		expect(await contentOf([{ type: "reasoning", text: "hm" }, call])).toEqual([
			{ type: "thinking", thinking: "hm", signature: "" },
			CALL_BLOCK,
		]);
	});

	it("has no word of reasoning that the client does not want, and seals it for a provider that wants it back", async () => {
		const content: AssistantPart[] = [{ type: "reasoning", text: "hm" }, call];
		expect(await contentOf(content, { showsThinking: false })).toEqual([CALL_BLOCK]);
		const sealed = `svc1${JSON.stringify({ modelId: "m", parts: [{ type: "reasoning", text: "hm" }] })}`;
		expect(await contentOf(content, { showsThinking: false, returnsReasoning: true })).toEqual([
			{ type: "redacted_thinking", data: sealed },
			CALL_BLOCK,
		]);
	});

	it("has Anthropic's thinking with its signature, and its other blocks unchanged", async () => {
		const thinking = { type: "thinking", thinking: "hm", signature: "sig" };
		const silent = { type: "thinking", thinking: "", signature: "sig2" };
		const redacted = { type: "redacted_thinking", data: "abc" };
		const blocks = [thinking, redacted, silent].map((block) => ({
			type: "provider" as const,
			wire: "anthropic" as const,
			block,
		}));
		const content = await contentOf([{ type: "reasoning", text: "hm" }, ...blocks, call], { isNative: true });
		expect(content).toEqual([thinking, redacted, silent, CALL_BLOCK]);
	});

	it("seals signed thinking whose shown text is another", async () => {
		const signed = { type: "thinking", thinking: "ask <PERSON_1>", signature: "sig" };
		const part: AssistantPart = { type: "provider", wire: "anthropic", block: signed };
		const content = await contentOf([{ type: "reasoning", text: "ask Ann" }, part], { isNative: true });
		expect(content).toEqual([
			{ type: "thinking", thinking: "ask Ann", signature: "" },
			{ type: "redacted_thinking", data: `svc1${JSON.stringify({ modelId: "m", parts: [part] })}` },
		]);
	});

	it("seals a call's signature before the call, under the provider's own id", async () => {
		const parts = [{ type: "tool_call", id: "call_1", name: "f", arguments: "", signature: "sig" }];
		expect(await contentOf([{ ...call, signature: "sig" }])).toEqual([
			{ type: "redacted_thinking", data: `svc1${JSON.stringify({ modelId: "m", parts })}` },
			CALL_BLOCK,
		]);
	});

	it("leaves out a signature that is too long to travel", async () => {
		const wording = { ...testWording(), seal: async () => null };
		const settled = settledAnswer(answer([{ ...call, signature: "sig" }]));
		expect((await toMessage(settled, wording)).content).toEqual([CALL_BLOCK]);
	});

	it.each([
		["", {}],
		["{}", {}],
		['{"a": "cut of', { _raw: '{"a": "cut of' }],
		["[1]", { _raw: "[1]" }],
	])("has the arguments %j as the input %j", async (text, input) => {
		expect(await contentOf([{ ...call, arguments: text }])).toEqual([{ ...CALL_BLOCK, input }]);
	});
});

describe("what it cannot say", () => {
	it("is named: sources, and blocks of other providers", () => {
		const block: AssistantPart = { type: "provider", wire: "google", block: { executableCode: {} } };
		const said = answer([block], {
			extra: { annotations: [] },
			bodyFields: { citations: ["u"], system_fingerprint: "f" },
		});
		expect(findUnsayable(said)).toEqual(["google.executableCode", "citations", "annotations"]);
		expect(findUnsayable(answer([call]))).toEqual([]);
	});
});

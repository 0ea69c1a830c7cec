// The Anthropic format both ways: what is sent, what is read whole and streamed, and what recorded answers come to.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputTokens, outputTokens } from "../../../src/catalog/price.ts";
import { soleKey } from "../../../src/catalog/provider-keys.ts";
import type { Model, Provider } from "../../../src/catalog/schema.ts";
import type { EffortChoice } from "../../../src/catalog/vocabulary.ts";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { AnswerAccumulator } from "../../../src/providers/accumulate.ts";
import { usageFromAnthropic } from "../../../src/providers/anthropic-answer.ts";
import { ANTHROPIC_IDS, callIdFor } from "../../../src/providers/call-ids.ts";
import type { AssistantPart, Message, ModelCall } from "../../../src/providers/model-call.ts";
import { WellFormedParts } from "../../../src/providers/well-formed.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";
import { withMediaTokens } from "../../../src/providers/wire.ts";
import { anthropicWire } from "../../../src/providers/wires.ts";
import { utf8Length } from "../../../src/text/utf8.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { type FlatAnswer, flat, usable } from "../../support/flat-answer.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

type Fields = Record<string, unknown>;

function catalogEntry(): { model: Model; provider: Provider } {
	const model = modelWhere(TEST_CATALOG, ({ id }) => id === "zenith-frontier");
	return { model, provider: TEST_CATALOG.providerFor(model) };
}

interface Variant {
	effort?: EffortChoice;
	/** Differences from the catalog's model: its refused knobs and its efforts. */
	rejects?: string[];
	efforts?: ("none" | "low" | "high")[];
}

function sentCall(call: ModelCall, { effort = null, rejects, efforts }: Variant = {}) {
	const { model: catalogModel, provider } = catalogEntry();
	const { reasoning, request } = catalogModel;
	const model: Model = {
		...catalogModel,
		request: { ...request, rejects: rejects ?? request.rejects },
		reasoning: reasoning && { ...reasoning, efforts: efforts ?? reasoning.efforts },
	};
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: "https://u.test/v1", host: "u.test" };
	const prompt = withMediaTokens(anthropicWire.preparePrompt(call, provider, model), model);
	const sent = anthropicWire.renderRequest({ call, prompt, model, access, effort });
	const json: Fields = JSON.parse(sent.body);
	return { ...sent, json };
}

function callOf(body: Fields): ModelCall {
	return toModelCall(chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], ...body }), TEST_CATALOG);
}

function sent(body: Fields, variant: Variant = {}) {
	return sentCall(callOf(body), variant);
}

function messagesOf(messages: unknown[]) {
	return sent({ messages }).json["messages"];
}

const text = (value: string) => ({ type: "text", text: value });
const toolCall = (id: string, args = "{}") => ({ id, type: "function", function: { name: "f", arguments: args } });
const tools = [{ type: "function", function: { name: "f" } }];

describe("a Messages request", () => {
	it("goes to the provider's path with its version, model id and output limit", () => {
		const { url, headers, json, maxOutputTokens, warnings } = sent({ max_tokens: 5 });
		expect(url).toBe("https://u.test/v1/messages");
		expect(headers).toEqual({
			"anthropic-version": "2023-06-01",
			"content-type": "application/json",
			accept: "text/event-stream",
		});
		expect(json).toEqual({
			model: "zenith-frontier-2026",
			max_tokens: 5,
			stream: true,
			messages: [{ role: "user", content: [text("hi")] }],
		});
		expect(maxOutputTokens).toBe(5);
		expect(warnings).toEqual([]);
	});

	it("always asks for a stream", () => {
		const { headers, json } = sent({});
		expect(headers["accept"]).toBe("text/event-stream");
		expect(json["stream"]).toBe(true);
	});

	it("collects the system and developer messages that precede the first answer, in order", () => {
		const { json } = sent({
			messages: [
				{ role: "system", content: "one" },
				{ role: "user", content: "hi" },
				{ role: "developer", content: "two" },
				{ role: "user", content: "there", name: "Ann" },
			],
		});
		expect(json["system"]).toEqual([text("one"), text("two")]);
		expect(json["messages"]).toEqual([{ role: "user", content: [text("hi"), text("there")] }]);
	});

	it("sends a prompt of system messages alone as the user's", () => {
		const { json } = sent({ messages: [{ role: "system", content: "one" }] });
		expect(json["system"]).toBeUndefined();
		expect(json["messages"]).toEqual([{ role: "user", content: [text("one")] }]);
	});

	it("leaves out empty text, and messages left empty", () => {
		expect(
			messagesOf([
				{ role: "user", content: "a" },
				{ role: "assistant", content: "" },
				{ role: "user", content: [text(" \n"), text("b")] },
			]),
		).toEqual([{ role: "user", content: [text("a"), text("b")] }]);
	});

	it("puts the results of parallel calls into one user message, before its text", () => {
		expect(
			messagesOf([
				{ role: "user", content: "go" },
				{ role: "assistant", content: "two calls", tool_calls: [toolCall("a", '{"x":1}'), toolCall("b", "")] },
				{ role: "tool", tool_call_id: "a", content: "1" },
				{ role: "system", content: "aside" },
				{ role: "user", content: "and now?" },
				{ role: "tool", tool_call_id: "b", content: "" },
			]),
		).toEqual([
			{ role: "user", content: [text("go")] },
			{
				role: "assistant",
				content: [
					text("two calls"),
					{ type: "tool_use", id: "a", name: "f", input: { x: 1 } },
					{ type: "tool_use", id: "b", name: "f", input: {} },
				],
			},
			{
				role: "user",
				content: [
					{ type: "tool_result", tool_use_id: "a", content: [text("1")] },
					{ type: "tool_result", tool_use_id: "b" },
					text("<system>\naside\n</system>"),
					text("and now?"),
				],
			},
		]);
	});

	it("keeps arguments that are no JSON object where the model can see them", () => {
		const inputs = ['{"x":', "[1]", '"s"'].map((args) => {
			const call = { role: "assistant", tool_calls: [toolCall("a", args)] };
			const result = { role: "tool", tool_call_id: "a", content: "1" };
			return messagesOf([{ role: "user", content: "go" }, call, result]);
		});
		expect(inputs).toEqual(
			['{"x":', "[1]", '"s"'].map((_raw) => [
				{ role: "user", content: [text("go")] },
				{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: { _raw } }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [text("1")] }] },
			]),
		);
	});

	it("spells another provider's call ids alike in call and result", () => {
		const messages = messagesOf([
			{ role: "user", content: "go" },
			{ role: "assistant", tool_calls: [toolCall("functions.f:0")] },
			{ role: "tool", tool_call_id: "functions.f:0", content: "1" },
		]);
		const id = callIdFor("functions.f:0", ANTHROPIC_IDS);
		expect(id).toMatch(/^[A-Za-z0-9]{24}$/);
		expect(messages).toMatchObject([{ role: "user" }, { content: [{ id }] }, { content: [{ tool_use_id: id }] }]);
	});

	it("lets a user speak first where the assistant began", () => {
		const messages = messagesOf([
			{ role: "assistant", content: "Welcome." },
			{ role: "user", content: "hi" },
		]);
		expect(messages).toMatchObject([
			{ role: "user", content: [{ type: "text" }] },
			{ role: "assistant", content: [text("Welcome.")] },
			{ role: "user", content: [text("hi")] },
		]);
	});

	it("returns thinking blocks first and unchanged, and no other provider's", () => {
		const signed = { type: "thinking", thinking: "", signature: "s", future: 1 };
		const redacted = { type: "redacted_thinking", data: "d" };
		const call = callOf({});
		const thought: AssistantPart[] = [
			{ type: "provider", wire: "anthropic", block: signed },
			{ type: "provider", wire: "openai", block: { type: "reasoning.encrypted", data: "x" } },
			{ type: "provider", wire: "anthropic", block: redacted },
		];
		const said: AssistantPart[] = [
			{ type: "text", text: "t" },
			{ type: "tool_call", id: "a", name: "f", arguments: "{}" },
		];
		const spoken: Message = { role: "assistant", content: [...thought, ...said] };
		const silent: Message = { role: "assistant", content: thought };
		expect(sentCall({ ...call, messages: [...call.messages, spoken] }).json["messages"]).toMatchObject([
			{ role: "user" },
			{ role: "assistant", content: [signed, redacted, text("t"), { type: "tool_use" }] },
			{ role: "user", content: [{ type: "tool_result" }] },
		]);
		expect(sentCall({ ...call, messages: [...call.messages, silent] }).json["messages"]).toHaveLength(1);
	});

	it("sends images as base64 or by address, and bounds them by what models count", () => {
		const base64 = "A".repeat(1_000_000);
		const content = [`data:image/jpg;base64,${base64}`, "https://i.test/a.png"].map((url) => ({
			type: "image_url",
			image_url: { url },
		}));
		const { json, maxInputTokens } = sent({ messages: [{ role: "user", content }] });
		expect(json["messages"]).toEqual([
			{
				role: "user",
				content: [
					{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: base64 } },
					{ type: "image", source: { type: "url", url: "https://i.test/a.png" } },
				],
			},
		]);
		expect(maxInputTokens).toBeGreaterThan(2 * 16_384);
		expect(maxInputTokens).toBeLessThan(40_000);
	});

	it("never allows fewer tokens than bytes were sent, images aside", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (content) => {
				fc.pre(content.isWellFormed());
				const request = sent({ messages: [{ role: "user", content: `x${content}` }], tools }, { effort: "low" });
				expect(request.maxInputTokens).toBeGreaterThanOrEqual(utf8Length(request.body) - 2);
			}),
		);
	});

	it("leaves out what has no equivalent or is refused, saying so for what the client set", () => {
		const knobs = { temperature: 1, top_p: 0.5, seed: 3, presence_penalty: 1, frequency_penalty: 1, logit_bias: {} };
		const { json, warnings } = sent(knobs);
		expect(Object.keys(json)).toEqual(["model", "messages", "max_tokens", "stream"]);
		expect(warnings.every(({ code }) => code === "parameter_dropped")).toBe(true);
		expect(new Set(warnings.map(({ param }) => param))).toEqual(new Set(Object.keys(knobs)));
	});

	it("keeps the temperature within Anthropic's range, and its default out of the way of top_p", () => {
		const rejects: string[] = [];
		expect(sent({}, { rejects }).json["temperature"]).toBe(0.7);
		expect(sent({ temperature: 0 }, { rejects })).toMatchObject({ json: { temperature: 0 }, warnings: [] });
		expect(sent({ temperature: 1.5 }, { rejects })).toMatchObject({
			json: { temperature: 1 },
			warnings: [{ code: "parameter_changed", param: "temperature" }],
		});
		const { json } = sent({ top_p: 0.5 }, { rejects });
		expect(json).toMatchObject({ top_p: 0.5 });
		expect(json["temperature"]).toBeUndefined();
	});

	it("maps stop texts and the end user, except an e-mail address", () => {
		expect(sent({ stop: ["a", "b"], user: "u1" }).json).toMatchObject({
			stop_sequences: ["a", "b"],
			metadata: { user_id: "u1" },
		});
		expect(sent({ user: "ann@example.org" })).toMatchObject({ warnings: [] });
		expect(sent({ user: "ann@example.org" }).json["metadata"]).toBeUndefined();
	});

	it("carries tools with a schema in any case, and without strict", () => {
		const schema = { type: "object", properties: { x: { type: "number" } } };
		const { json } = sent({
			tools: [
				...tools,
				{ type: "function", function: { name: "g", description: "d", parameters: schema, strict: true } },
			],
		});
		expect(json["tools"]).toEqual([
			{ name: "f", input_schema: { type: "object", properties: {} } },
			{ name: "g", description: "d", input_schema: schema },
		]);
	});

	it("maps tool_choice and parallel_tool_calls", () => {
		const choice = (body: Fields) => sent({ tools, ...body }).json["tool_choice"];
		const named = { type: "function", function: { name: "f" } };
		expect(choice({})).toBeUndefined();
		expect(choice({ tool_choice: "auto" })).toEqual({ type: "auto" });
		expect(choice({ tool_choice: "required" })).toEqual({ type: "any" });
		expect(choice({ tool_choice: "none", parallel_tool_calls: false })).toEqual({ type: "none" });
		expect(choice({ tool_choice: named })).toEqual({ type: "tool", name: "f" });
		expect(choice({ parallel_tool_calls: true })).toBeUndefined();
		expect(choice({ parallel_tool_calls: false })).toEqual({ type: "auto", disable_parallel_tool_use: true });
		expect(choice({ tool_choice: named, parallel_tool_calls: false })).toMatchObject({
			type: "tool",
			disable_parallel_tool_use: true,
		});
		expect(sent({ parallel_tool_calls: false, tool_choice: "auto" }).json["tool_choice"]).toBeUndefined();
	});

	it("asks for an effort and an output format in one field", () => {
		const schema = { type: "object", additionalProperties: false };
		const response_format = { type: "json_schema", json_schema: { name: "n", schema } };
		expect(sent({ response_format }, { effort: "high" }).json["output_config"]).toEqual({
			effort: "high",
			format: { type: "json_schema", schema },
		});
		expect(sent({ response_format }).json["output_config"]).toEqual({ format: { type: "json_schema", schema } });
	});

	it("switches thinking off only where the model allows it", () => {
		expect(sent({}, { effort: "none" }).json).toMatchObject({ thinking: { type: "disabled" } });
		for (const variant of [{ effort: "none", efforts: ["low"] }, { effort: "default" }, { effort: null }] as const) {
			const { json } = sent({}, { ...variant, efforts: ["low"] });
			expect(json["thinking"]).toBeUndefined();
			expect(json["output_config"]).toBeUndefined();
		}
	});

	it("asks for JSON in words where there is no schema, and says so", () => {
		for (const response_format of [{ type: "json_object" }, { type: "json_schema", json_schema: { name: "n" } }]) {
			const { json, warnings } = sent({ response_format });
			expect(JSON.stringify(json["system"])).toContain("JSON object");
			expect(json["output_config"]).toBeUndefined();
			expect(warnings).toMatchObject([{ code: "parameter_changed", param: "output" }]);
		}
	});
});

const USAGE = { input_tokens: 10, output_tokens: 5 };

function answered(content: unknown[], stop_reason: string | null = "end_turn", usage: unknown = USAGE) {
	return flat(anthropicWire.parseAnswer({ type: "message", role: "assistant", content, stop_reason, usage }));
}

describe("a whole answer", () => {
	it("keeps text, thinking, tool calls, blocks of server-run tools and citations", () => {
		const thinking = [
			{ type: "thinking", thinking: "hm", signature: "s1", future: true },
			{ type: "redacted_thinking", data: "d" },
			{ type: "thinking", thinking: "", signature: "s2" },
		];
		const others = [
			{ type: "server_tool_use", id: "srv", name: "web_search", input: { q: 1 } },
			{ type: "web_search_tool_result", tool_use_id: "srv", content: [] },
		];
		const answer = answered(
			[
				...thinking,
				text("a"),
				...others,
				{ ...text("b"), citations: [{ url: "u" }] },
				{ type: "tool_use", id: "toolu_1", name: "f", input: { x: [1] } },
				{ type: "tool_use", id: "toolu_2", name: "g", input: {} },
			],
			"tool_use",
		);
		expect(answer).toEqual({
			content: "ab",
			refusal: null,
			reasoning: "hm",
			toolCalls: [
				{ id: "toolu_1", name: "f", arguments: '{"x":[1]}' },
				{ id: "toolu_2", name: "g", arguments: "{}" },
			],
			opaque: thinking,
			finishReason: "tool_calls",
			nativeFinishReason: "tool_use",
			logprobs: null,
			usage: { uncachedInput: 10, cacheRead: 0, cacheWrite: 0, outputText: 5, reasoning: 0 },
			extra: { anthropic_blocks: others, citations: [{ url: "u" }] },
		});
		expect(answered([text("a")])?.extra).toEqual({});
	});

	it("maps stop reasons to the closed set and keeps Anthropic's own", () => {
		const reasons = {
			end_turn: "stop",
			stop_sequence: "stop",
			pause_turn: "stop",
			max_tokens: "length",
			model_context_window_exceeded: "length",
			refusal: "content_filter",
			tool_use: "stop",
			constructor: "stop",
		};
		for (const [nativeFinishReason, finishReason] of Object.entries(reasons))
			expect(answered([text("a")], nativeFinishReason)).toMatchObject({ finishReason, nativeFinishReason });
		expect(answered([], "refusal")).toMatchObject({ content: null, finishReason: "content_filter" });
		expect(answered([], "max_tokens")).toMatchObject({ content: null, finishReason: "length" });
	});

	it("names the stop sequence that matched, streamed as whole", () => {
		const whole = (stop_reason: string, stop_sequence: unknown) =>
			anthropicWire.parseAnswer({ content: [text("a")], stop_reason, stop_sequence, usage: USAGE });
		const streamed = (stop_reason: string, stop_sequence: unknown) =>
			decoded([
				start(),
				...said(0, "a"),
				{ type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens: 5 } },
				{ type: "message_stop" },
			]).answer;
		expect(whole("stop_sequence", "END")?.stopSequence).toBe("END");
		for (const [reason, sequence] of [
			["stop_sequence", "END"],
			["stop_sequence", null],
			["stop_sequence", 7],
			["end_turn", null],
			["end_turn", "END"],
		] as const)
			expect(streamed(reason, sequence), `${reason} ${sequence}`).toEqual(flat(whole(reason, sequence)));
		expect(whole("end_turn", "END")?.stopSequence).toBeUndefined();
	});

	it("is unusable when nothing was said or the body is something else", () => {
		const message = (content: unknown[], stop_reason: string | null) =>
			anthropicWire.parseAnswer({ type: "message", role: "assistant", content, stop_reason });
		expect(usable(message([], "end_turn"))).toBeNull();
		expect(usable(message([text("")], "end_turn"))).toBeNull();
		expect(usable(message([], null))).toBeNull();
		// A block of any kind is an answer, and so is nothing at all before a stop sequence.
		const block = { type: "server_tool_use", id: "s", name: "n", input: {} };
		expect(usable(message([block], "end_turn"))).toMatchObject({ content: null, extra: { anthropic_blocks: [block] } });
		expect(usable(message([], "stop_sequence"))).toMatchObject({ content: null, finishReason: "stop" });
		for (const body of [null, [], "x", {}, { content: "x" }, { content: [{}] }, { content: [{ type: "tool_use" }] }])
			expect(flat(anthropicWire.parseAnswer(body))).toBeNull();
	});

	it("is a refusal with the explanation that Anthropic gives", () => {
		const stop_details = { type: "refusal", explanation: "Not this." };
		const body = { type: "message", role: "assistant", content: [], stop_reason: "refusal", stop_details };
		expect(flat(anthropicWire.parseAnswer(body))).toMatchObject({
			refusal: "Not this.",
			finishReason: "content_filter",
		});
		const { answer } = decoded([
			start(),
			{ type: "message_delta", delta: { stop_reason: "refusal", stop_details }, usage: { output_tokens: 1 } },
			{ type: "message_stop" },
		]);
		expect(answer).toMatchObject({ refusal: "Not this.", finishReason: "content_filter" });
	});

	it("is made well-formed before anything is done with it", () => {
		expect(answered([text("a\ud800")])?.content).toBe("a\ufffd");
	});

	it("reads an error in Google's form too, alone, in a list and as an event: Vertex refuses so", () => {
		const error = { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED" };
		const read = { message: "Quota exceeded", code: "RESOURCE_EXHAUSTED" };
		expect(anthropicWire.parseError({ error })).toEqual(read);
		expect(anthropicWire.parseError([{ error }])).toEqual(read);
		const decoder = anthropicWire.createDecoder();
		expect(decoder.decode({ data: JSON.stringify({ error }) })).toEqual([{ type: "failure", error: read }]);
		// What is neither an event nor an error is passed over.
		expect(anthropicWire.createDecoder().decode({ data: '{"vertex":1}' })).toEqual([]);
	});

	it("reads Anthropic's error body, and nothing else as an error", () => {
		const body = { type: "error", error: { type: "overloaded_error", message: "m" }, request_id: "r" };
		expect(anthropicWire.parseError(body)).toEqual({ message: "m", code: "overloaded_error" });
		for (const other of [null, "<html>", {}, { error: "m" }, { type: "message" }])
			expect(anthropicWire.parseError(other)).toBeNull();
	});
});

describe("usage", () => {
	it("is read into disjoint buckets that add up to what was reported", () => {
		const count = fc.nat({ max: 100_000 });
		fc.assert(
			fc.property(count, count, count, count, count, (input, read, write, output, thinking) => {
				fc.pre(thinking <= output);
				const usage = usageFromAnthropic({
					input_tokens: input,
					cache_read_input_tokens: read,
					cache_creation_input_tokens: write,
					output_tokens: output,
					output_tokens_details: { thinking_tokens: thinking },
				});
				expect(usage).toEqual({
					uncachedInput: input,
					cacheRead: read,
					cacheWrite: write,
					outputText: output - thinking,
					reasoning: thinking,
				});
			}),
		);
	});

	it("keeps apart what is written to a cache for an hour", () => {
		const written = (fields: Fields) => {
			const { cacheWrite, hourCacheWrite } = usageFromAnthropic({ ...USAGE, ...fields }) ?? {};
			return [cacheWrite, hourCacheWrite];
		};
		const both = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 };
		expect(written({ cache_creation_input_tokens: 100, cache_creation: both })).toEqual([30, 70]);
		expect(written({ cache_creation: both })).toEqual([30, 70]);
		const minutes = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 };
		expect(written({ cache_creation_input_tokens: 100, cache_creation: minutes })).toEqual([100, undefined]);
		// What the breakdown leaves out counts at the dearer of the two rates that are in use.
		expect(written({ cache_creation_input_tokens: 110, cache_creation: both })).toEqual([30, 80]);
		for (const cache_creation of [null, {}, "x", { ephemeral_1h_input_tokens: -1 }])
			expect(written({ cache_creation_input_tokens: 100, cache_creation })).toEqual([100, undefined]);
	});

	it("never counts less than the iterations add up to, nor less than the whole", () => {
		const iterations = [
			{ type: "compaction", input_tokens: 100, output_tokens: 30 },
			{ type: "message", input_tokens: 20, output_tokens: 10, cache_read_input_tokens: 7 },
		];
		expect(usageFromAnthropic({ input_tokens: 20, output_tokens: 50, iterations })).toEqual({
			uncachedInput: 120,
			cacheRead: 7,
			cacheWrite: 0,
			outputText: 50,
			reasoning: 0,
		});
	});

	it("is null, not zero, when it is missing or no count", () => {
		for (const raw of [
			undefined,
			null,
			{},
			{ input_tokens: 1 },
			{ input_tokens: -1, output_tokens: 1 },
			{ input_tokens: 1.5, output_tokens: 1 },
			{ input_tokens: "1", output_tokens: 1 },
			{ ...USAGE, cache_read_input_tokens: -1 },
		])
			expect(usageFromAnthropic(raw)).toBeNull();
		expect(anthropicWire.parseUsage({ usage: USAGE })).toMatchObject({ uncachedInput: 10 });
		expect(anthropicWire.parseUsage({})).toBeNull();
	});
});

interface Streamed {
	parts: StreamPart[];
	finished: boolean;
	answer: FlatAnswer;
}

function decoded(events: readonly unknown[]): Streamed {
	const decoder = anthropicWire.createDecoder();
	const accumulator = new AnswerAccumulator();
	const parts = events.flatMap((event) =>
		decoder.decode({ data: typeof event === "string" ? event : JSON.stringify(event) }),
	);
	parts.push(...decoder.end());
	// As it is delivered: characters cut in two are put together on the way.
	const wellFormed = new WellFormedParts();
	const delivered = [...parts.map((part) => wellFormed.pass(part)), ...wellFormed.end()];
	for (const part of delivered) if (part) accumulator.add(part);
	return { parts, finished: decoder.finished, answer: flat(accumulator.answer()) };
}

const start = (content: unknown[] = [], usage: unknown = { input_tokens: 10, output_tokens: 1 }) => ({
	type: "message_start",
	message: { id: "msg", type: "message", role: "assistant", content, stop_reason: null, usage },
});
const opened = (index: number, content_block: unknown) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, fields: Fields) => ({ type: "content_block_delta", index, delta: fields });
const closed = (index: number) => ({ type: "content_block_stop", index });
const ended = (stop_reason: string | null = "end_turn", usage: unknown = { output_tokens: 5 }) => [
	{ type: "message_delta", delta: { stop_reason }, usage },
	{ type: "message_stop" },
];
const said = (index: number, value: string) => [
	opened(index, text("")),
	delta(index, { type: "text_delta", text: value }),
	closed(index),
];
const types = (parts: readonly StreamPart[]) => parts.map(({ type }) => type);

describe("a streamed answer", () => {
	const pieces = fc.array(fc.string({ unit: "binary", maxLength: 8 }), { maxLength: 4 });
	const block = fc.oneof(
		pieces.map((texts) => ({
			whole: text(texts.join("")),
			first: text(""),
			deltas: texts.map((value): Fields => ({ type: "text_delta", text: value })),
		})),
		fc.tuple(pieces, fc.string()).map(([texts, signature]) => ({
			whole: { type: "thinking", thinking: texts.join(""), signature },
			first: { type: "thinking", thinking: "", signature: "" },
			deltas: [
				...texts.map((thinking): Fields => ({ type: "thinking_delta", thinking })),
				{ type: "signature_delta", signature },
			],
		})),
		fc.string().map((data) => {
			const whole = { type: "redacted_thinking", data };
			return { whole, first: whole, deltas: [] as Fields[] };
		}),
		fc
			.tuple(fc.constantFrom("tool_use", "server_tool_use"), fc.dictionary(fc.string(), fc.jsonValue()))
			.map(([type, value]) => {
				const json = JSON.stringify(value);
				const input = JSON.parse(json);
				const half = json.length >> 1;
				const named = { type, id: "toolu", name: "f" };
				return {
					whole: { ...named, input },
					first: { ...named, input: {} },
					deltas: [json.slice(0, half), json.slice(half)].map(
						(partial_json): Fields => ({ type: "input_json_delta", partial_json }),
					),
				};
			}),
		fc.array(fc.record({ url: fc.string() })).map((citations) => ({
			whole: { ...text("c"), citations },
			first: { ...text(""), citations: [] },
			deltas: [
				{ type: "text_delta", text: "c" } as Fields,
				...citations.map((citation): Fields => ({ type: "citations_delta", citation })),
			],
		})),
	);
	const stopReason = fc.constantFrom("end_turn", "max_tokens", "tool_use", "refusal", "unheard_of");

	it("comes to the same as the whole answer", () => {
		fc.assert(
			fc.property(fc.array(block, { maxLength: 6 }), stopReason, (blocks, stop) => {
				const usage = { ...USAGE, cache_read_input_tokens: 3, output_tokens_details: { thinking_tokens: 2 } };
				const whole = answered([text("x"), ...blocks.map((entry) => entry.whole)], stop, usage);
				const { answer, finished } = decoded([
					start(),
					...said(0, "x"),
					...blocks.flatMap(({ first, deltas }, position) => [
						opened(position + 1, first),
						...deltas.map((fields) => delta(position + 1, fields)),
						closed(position + 1),
					]),
					...ended(stop, usage),
				]);
				expect(finished).toBe(true);
				expect(answer).toEqual(whole);
			}),
		);
	});

	it("passes on a character that the upstream cut in two", () => {
		const halves = ["\ud83d", "\ude00"].map((half) => delta(0, { type: "text_delta", text: half }));
		expect(decoded([start(), opened(0, text("")), ...halves, closed(0), ...ended()]).answer.content).toBe("\u{1f600}");
	});

	it("says what must return in its place, and at its end what is extra, why it stopped and what it used", () => {
		const { parts } = decoded([
			start(),
			opened(0, { type: "redacted_thinking", data: "d" }),
			closed(0),
			opened(1, { ...text(""), citations: [] }),
			delta(1, { type: "text_delta", text: "hi" }),
			delta(1, { type: "citations_delta", citation: { url: "u" } }),
			closed(1),
			...ended(),
		]);
		expect(parts).toEqual([
			{ type: "provider", wire: "anthropic", block: { type: "redacted_thinking", data: "d" } },
			{ type: "text", text: "hi" },
			{ type: "extra", fields: { citations: [{ url: "u" }] } },
			{ type: "finish", reason: "stop", native: "end_turn" },
			{
				type: "usage",
				usage: { uncachedInput: 10, cacheRead: 0, cacheWrite: 0, outputText: 5, reasoning: 0 },
			},
		]);
	});

	it("ignores pings, unknown events, unknown deltas and whatever follows the end", () => {
		const { answer, parts } = decoded([
			{ type: "ping" },
			start(),
			{ type: "surprise", x: 1 },
			{},
			delta(7, { type: "text_delta", text: "lost" }),
			opened(0, text("")),
			delta(0, { type: "surprise_delta", text: "?" }),
			delta(0, { type: "text_delta", text: "hi" }),
			closed(0),
			closed(9),
			...ended(),
			start(),
			...said(0, "more"),
			...ended("max_tokens"),
			"[DONE]",
		]);
		expect(types(parts)).toEqual(["text", "finish", "usage"]);
		expect(answer).toMatchObject({ content: "hi", finishReason: "stop" });
	});

	it("throws away unfinished blocks and thinking when the upstream begins anew, and never says a torn call", () => {
		const call = (id: string) => opened(1, { type: "tool_use", id, name: "f", input: {} });
		const thought = (thinking: string) => [opened(0, { type: "thinking", thinking, signature: thinking }), closed(0)];
		const { parts, answer } = decoded([
			start([], { input_tokens: 99, output_tokens: 1, cache_read_input_tokens: 50 }),
			...thought("one"),
			call("torn"),
			delta(1, { type: "input_json_delta", partial_json: '{"x":' }),
			start(),
			...thought("two"),
			call("whole"),
			delta(1, { type: "input_json_delta", partial_json: '{"x": 1}' }),
			closed(1),
			...ended("tool_use"),
		]);
		expect(types(parts)).toEqual([
			"reasoning",
			"provider",
			"restart",
			"reasoning",
			"provider",
			"tool_call",
			"tool_arguments",
			"finish",
			"usage",
		]);
		expect(answer).toMatchObject({
			toolCalls: [{ id: "whole", name: "f", arguments: '{"x":1}' }],
			opaque: [{ type: "thinking", thinking: "two", signature: "two" }],
			usage: { uncachedInput: 10, cacheRead: 0 },
		});
	});

	it("counts calls over the whole stream, and gives a call without arguments an empty object", () => {
		const call = (index: number) => [
			opened(index, { type: "tool_use", id: `toolu_${index}`, name: "f", input: {} }),
			delta(index, { type: "input_json_delta", partial_json: "" }),
			closed(index),
		];
		const { parts } = decoded([
			start(),
			...said(0, "a"),
			...call(1),
			...said(2, "b"),
			...call(3),
			...ended("tool_use"),
		]);
		expect(parts.filter(({ type }) => type.startsWith("tool"))).toEqual([
			{ type: "tool_call", index: 0, id: "toolu_1", name: "f" },
			{ type: "tool_arguments", index: 0, text: "{}" },
			{ type: "tool_call", index: 1, id: "toolu_3", name: "f" },
			{ type: "tool_arguments", index: 1, text: "{}" },
		]);
	});

	it("keeps arguments as written when they are cut, or hold numbers that would lose digits", () => {
		for (const json of ['{"x": "half', '{"id": 12345678901234567890}']) {
			const { answer } = decoded([
				start(),
				opened(0, { type: "tool_use", id: "a", name: "f", input: {} }),
				delta(0, { type: "input_json_delta", partial_json: json }),
				closed(0),
				...ended("max_tokens"),
			]);
			expect(answer).toMatchObject({ toolCalls: [{ arguments: json }], finishReason: "length" });
		}
	});

	it("reads blocks that come whole with the message's start", () => {
		const { message } = start([text("hi"), { type: "tool_use", id: "a", name: "f", input: { x: 1 } }]);
		const { answer } = decoded([
			{ type: "message_start", message: { ...message, stop_reason: "tool_use", usage: USAGE } },
			{ type: "message_stop" },
		]);
		expect(answer).toMatchObject({
			content: "hi",
			toolCalls: [{ id: "a", arguments: '{"x":1}' }],
			finishReason: "tool_calls",
			usage: { uncachedInput: 10, outputText: 5 },
		});
	});

	it("appends to blocks it cannot read", () => {
		const { answer } = decoded([
			start(),
			opened(0, { type: "compaction", content: "" }),
			delta(0, { type: "compaction_delta", content: "so " }),
			delta(0, { type: "compaction_delta", content: "far" }),
			closed(0),
			...said(1, "hi"),
			...ended(),
		]);
		expect(answer.extra).toEqual({ anthropic_blocks: [{ type: "compaction", content: "so far" }] });
	});

	it("takes the last count of each kind, and never adds", () => {
		const first = { input_tokens: 34_824, output_tokens: 1, cache_creation_input_tokens: 4 };
		const last = { input_tokens: 3_883, cache_read_input_tokens: 30_464, cache_creation_input_tokens: null };
		const { answer } = decoded([
			start([], first),
			...said(0, "hi"),
			{ type: "message_delta", delta: {}, usage: { output_tokens: 2 } },
			...ended("end_turn", { ...last, output_tokens: 7, output_tokens_details: { thinking_tokens: 3 } }),
		]);
		expect(answer.usage).toEqual({
			uncachedInput: 3_883,
			cacheRead: 30_464,
			cacheWrite: 4,
			outputText: 4,
			reasoning: 3,
		});
	});

	it("that breaks off is not finished, and reports usage only when the output was counted", () => {
		const events = [start(), ...said(0, "hi"), ...ended()];
		expect(types(decoded(events.slice(0, -2)).parts)).toEqual(["text"]);
		const counted = decoded(events.slice(0, -1));
		expect(types(counted.parts)).toEqual(["text", "usage"]);
		expect(counted.finished).toBe(false);
	});

	it("reports no usage when only the beginning was counted", () => {
		const { parts } = decoded([start(), ...said(0, "hi"), { type: "message_stop" }]);
		expect(types(parts)).toEqual(["text", "finish"]);
	});

	it("ends with the upstream's error, whatever follows", () => {
		const { parts, finished } = decoded([
			start(),
			...said(0, "hi"),
			{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
			...said(1, "more"),
			...ended(),
		]);
		expect(parts).toEqual([
			{ type: "text", text: "hi" },
			{ type: "failure", error: { message: "Overloaded", code: "overloaded_error" } },
		]);
		expect(finished).toBe(false);
	});

	it("fails on what cannot be read, and never throws", () => {
		for (const broken of [
			"{",
			"",
			opened(0, null),
			opened(0, { type: "tool_use" }),
			{ type: "message_start" },
			{ type: "error" },
		])
			expect(types(decoded([start(), broken, ...ended()]).parts)).toEqual(["failure"]);
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.json(), fc.string())), (events) => {
				decoded(events);
			}),
		);
	});
});

describe.runIf(hasSharedData("upstream-fixtures"))("recorded answers", () => {
	const folder = "upstream-fixtures/anthropic";
	const names = hasSharedData(folder) ? readdirSync(join(import.meta.dirname, "../../../../shared/data", folder)) : [];
	const linesOf = (name: string) => readSharedData(`${folder}/${name}`).split("\n").filter(Boolean);

	function expectSound({ toolCalls, usage }: FlatAnswer) {
		for (const { arguments: args } of toolCalls) expect(JSON.parse(args)).toBeTypeOf("object");
		expect(usage).not.toBeNull();
		if (!usage) return;
		expect(Math.min(...Object.values(usage))).toBeGreaterThanOrEqual(0);
		expect(inputTokens(usage)).toBeGreaterThanOrEqual(usage.cacheRead + usage.cacheWrite);
		expect(outputTokens(usage)).toBeGreaterThanOrEqual(usage.reasoning);
	}

	it.each(names.filter((name) => name.endsWith(".json")))("%s comes through whole", (name) => {
		const body = JSON.parse(readSharedData(`${folder}/${name}`));
		const blocks: { type: string; text?: string }[] = body.content;
		const answer = flat(anthropicWire.parseAnswer(body));
		if (!answer) throw new Error("unusable");
		expectSound(answer);
		const of = (...wanted: string[]) => blocks.filter(({ type }) => wanted.includes(type));
		expect(answer.content ?? "").toBe(
			of("text")
				.map((entry) => entry.text)
				.join(""),
		);
		expect(answer.toolCalls).toHaveLength(of("tool_use").length);
		expect(answer.opaque).toEqual(of("thinking", "redacted_thinking"));
		expect(answer.extra["anthropic_blocks"] ?? []).toHaveLength(
			blocks.length - of("text", "tool_use", "thinking", "redacted_thinking").length,
		);
		expect(answer.nativeFinishReason).toBe(body.stop_reason);
		expect(answer.usage && outputTokens(answer.usage)).toBe(body.usage.output_tokens);
	});

	it.each(names.filter((name) => name.endsWith(".chunks.txt")))("%s comes through streamed", (name) => {
		const { parts, finished, answer } = decoded(linesOf(name));
		expect(finished).toBe(true);
		expect(types(parts).filter((type) => type === "finish")).toHaveLength(1);
		expect(types(parts)).not.toContain("failure");
		const indices = parts.flatMap((part) => (part.type === "tool_call" ? [part.index] : []));
		expect(indices).toEqual(indices.map((_, position) => position));
		expectSound(answer);
		expect(answer.content || answer.toolCalls.length).toBeTruthy();
	});

	it.each(names.filter((name) => name.endsWith(".chunks.txt")))("%s is unfinished wherever it is cut", (name) => {
		const lines = linesOf(name);
		// Some recordings are several answers, one after the other.
		const stop = lines.findIndex((line) => JSON.parse(line).type === "message_stop");
		const decoder = anthropicWire.createDecoder();
		for (const line of lines.slice(0, stop)) {
			expect(types(decoder.decode({ data: line }))).not.toContain("finish");
			expect(decoder.finished).toBe(false);
		}
		expect(types(decoder.decode({ data: lines[stop] ?? "" }))).toContain("finish");
		expect(decoder.finished).toBe(true);
	});
});

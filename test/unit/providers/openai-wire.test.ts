// The OpenAI format both ways: what is sent, what is read, and what recorded answers of real providers come to.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputTokens, outputTokens } from "../../../src/catalog/price.ts";
import { soleKey } from "../../../src/catalog/provider-keys.ts";
import type { Model } from "../../../src/catalog/schema.ts";
import type { EffortChoice } from "../../../src/catalog/vocabulary.ts";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { isEmptyAnswer } from "../../../src/providers/accumulate.ts";
import { usageFromOpenAi } from "../../../src/providers/openai-answer.ts";
import { toPrompt, withMediaTokens } from "../../../src/providers/wire.ts";
import { openAiWire } from "../../../src/providers/wires.ts";
import { utf8Length } from "../../../src/text/utf8.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { flat, usable } from "../../support/flat-answer.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

function model(id: string): Model {
	return modelWhere(TEST_CATALOG, (candidate) => candidate.id === id);
}

/** Answers at once. */
const plain = model("apex-frontier");
/** Reasons within its output limit, which has a name of its own, and refuses a temperature. */
const reasoner = model("ember-budget");
/** Of a provider with a name of its own for `seed`. */
const renamed = model("tide-mid");

/** The same model, told how to reason in another way. */
function reasoning(control: NonNullable<Model["reasoning"]>["control"]): Model {
	const tokens = { low_effort: 0, high_effort: 1_000 };
	return {
		...renamed,
		reasoning: { control, efforts: ["none", "medium", "high", "max"], inside_max_tokens: false, tokens },
	};
}

function sent(
	model: Model,
	body: Record<string, unknown>,
	effort: EffortChoice = null,
	provider = TEST_CATALOG.providerFor(model),
) {
	const call = toModelCall(
		chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], ...body }),
		TEST_CATALOG,
	);
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: "https://u.test/v1", host: "u.test" };
	const request = openAiWire.renderRequest({
		call,
		prompt: withMediaTokens(openAiWire.preparePrompt(call, provider, model), model),
		model,
		access,
		effort,
	});
	return { ...request, json: JSON.parse(request.body) as Record<string, unknown> };
}

describe("an upstream request", () => {
	it("goes to the provider's path with its model id and output limit", () => {
		const { url, headers, json } = sent(plain, { max_tokens: 5 });
		expect(url).toBe("https://u.test/v1/chat/completions");
		expect(headers).toEqual({ "content-type": "application/json", accept: "text/event-stream" });
		expect(json).toEqual({
			model: "apex-frontier-2026",
			max_tokens: 5,
			stream: true,
			stream_options: { include_usage: true },
			temperature: 0.7,
			messages: [{ role: "user", content: "hi" }],
		});
	});

	it("names the limit as the model wants it and leaves out refused knobs, saying so for those the client set", () => {
		const { json, warnings } = sent(reasoner, { max_tokens: 9, temperature: 1, seed: 3 }, "minimal");
		expect(json).toEqual({
			model: "ember-budget-2026",
			max_completion_tokens: 9,
			stream: true,
			stream_options: { include_usage: true },
			reasoning_effort: "minimal",
			seed: 3,
			messages: [{ role: "user", content: "hi" }],
		});
		expect(warnings.map(({ param }) => param)).toEqual(["temperature"]);
		expect(sent(reasoner, {}, "minimal").warnings).toEqual([]);
	});

	it("asks for any JSON object by a schema where the provider knows no json_object", () => {
		const body = { response_format: { type: "json_object" } };
		const provider = TEST_CATALOG.providerFor(plain);
		expect(sent(plain, body).json["response_format"]).toEqual({ type: "json_object" });
		expect(sent(plain, body, null, { ...provider, json_mode: "json_schema" }).json["response_format"]).toEqual({
			type: "json_schema",
			json_schema: { name: "json", schema: { type: "object" } },
		});
	});

	it("uses a provider's own name for a field", () => {
		expect(sent(renamed, { seed: 3 }, "none").json).toMatchObject({ random_seed: 3 });
	});

	it("sets each provider's way of reasoning, inside the client's limit", () => {
		expect(sent(reasoning("thinking_type"), {}, "none").json["thinking"]).toEqual({ type: "disabled" });
		expect(sent(reasoning("thinking_type_and_effort"), {}, "high").json).toMatchObject({
			thinking: { type: "enabled" },
			reasoning_effort: "high",
		});
		expect(sent(reasoning("thinking_type_and_output_config"), {}, "max").json).toMatchObject({
			thinking: { type: "enabled" },
			output_config: { effort: "max" },
		});
		const beside = sent(reasoning("enable_thinking"), { max_tokens: 1_000 }, "medium");
		expect(beside.json).toMatchObject({ enable_thinking: true, thinking_budget: 500, max_tokens: 500 });
		expect(beside.maxOutputTokens).toBe(1_000);
		expect(sent(reasoning("enable_thinking"), {}, "none").json["enable_thinking"]).toBe(false);
	});

	it("carries tools, tool calls and tool results", () => {
		const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
		const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
		const messages = [
			{ role: "developer", content: "be brief" },
			{ role: "user", content: "hi" },
			{ role: "assistant", content: null, tool_calls: [call] },
			{ role: "tool", tool_call_id: "c1", content: "42" },
		];
		const { json } = sent(plain, {
			messages,
			tools,
			tool_choice: { type: "function", function: { name: "f" } },
			parallel_tool_calls: false,
		});
		expect(json).toMatchObject({
			tools,
			tool_choice: { type: "function", function: { name: "f" } },
			parallel_tool_calls: false,
			messages: [{ role: "system", content: "be brief" }, messages[1], messages[2], messages[3]],
		});
	});

	it("never allows fewer tokens than bytes were sent, images aside", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (content) => {
				fc.pre(content.isWellFormed());
				const request = sent(reasoner, { messages: [{ role: "user", content: `x${content}` }] }, "minimal");
				expect(request.maxInputTokens).toBeGreaterThanOrEqual(utf8Length(request.body) - 2);
			}),
		);
	});

	it("bounds an image by what models count for it, not by the length of its address", () => {
		const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
		const content = [
			{ type: "text", text: "what is this?" },
			{ type: "image_url", image_url: { url } },
		];
		const { maxInputTokens, json } = sent(reasoner, { messages: [{ role: "user", content }] }, "minimal");
		expect(maxInputTokens).toBeLessThan(20_000);
		expect(maxInputTokens).toBeGreaterThan(16_384);
		expect(json["messages"]).toEqual([{ role: "user", content }]);
		expect(toPrompt('"é"', [], []).tokenBound).toBe(4);
	});
});

describe("usage", () => {
	it("is read into disjoint buckets that add up to what was reported", () => {
		const count = fc.nat({ max: 100_000 });
		fc.assert(
			fc.property(count, count, count, count, (prompt, cached, completion, reasoning) => {
				fc.pre(cached <= prompt && reasoning <= completion);
				const usage = usageFromOpenAi({
					prompt_tokens: prompt,
					completion_tokens: completion,
					total_tokens: prompt + completion,
					prompt_tokens_details: { cached_tokens: cached },
					completion_tokens_details: { reasoning_tokens: reasoning },
				});
				expect(usage && inputTokens(usage)).toBe(prompt);
				expect(usage && outputTokens(usage)).toBe(completion);
				expect(usage?.cacheRead).toBe(cached);
				expect(usage?.reasoning).toBe(reasoning);
			}),
		);
	});

	it("counts reasoning that a provider reports beside completion_tokens", () => {
		const usage = usageFromOpenAi({
			prompt_tokens: 291,
			completion_tokens: 26,
			total_tokens: 506,
			completion_tokens_details: { reasoning_tokens: 189 },
		});
		expect(usage).toMatchObject({ outputText: 26, reasoning: 189 });
	});

	it("is null, not zero, when it is missing or no count", () => {
		for (const raw of [
			undefined,
			null,
			{},
			{ prompt_tokens: -1, completion_tokens: 1 },
			{ prompt_tokens: 1.5, completion_tokens: 1 },
			{ prompt_tokens: "1", completion_tokens: 1 },
		]) {
			expect(usageFromOpenAi(raw)).toBeNull();
		}
	});
});

function answered(message: unknown, finish_reason: unknown = "stop") {
	return flat(
		openAiWire.parseAnswer({
			choices: [{ message, finish_reason }],
			usage: { prompt_tokens: 1, completion_tokens: 1 },
		}),
	);
}

describe("an upstream answer", () => {
	it("keeps text, refusal, reasoning, tool calls and fields nobody knows", () => {
		const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
		expect(answered({ content: "t", reasoning_content: "r", annotations: [1] })).toMatchObject({
			content: "t",
			reasoning: "r",
			extra: { annotations: [1] },
		});
		expect(answered({ content: null, refusal: "no" })).toMatchObject({ content: null, refusal: "no" });
		expect(answered({ content: "", tool_calls: [call] })).toMatchObject({
			finishReason: "tool_calls",
			toolCalls: [{ id: "c", name: "f", arguments: "{}" }],
		});
	});

	it("maps finish reasons to the closed set and keeps the provider's own", () => {
		expect(answered({ content: "t" }, "function_call")).toMatchObject({
			finishReason: "tool_calls",
			nativeFinishReason: "function_call",
		});
		expect(answered({ content: "t" }, "eos")).toMatchObject({ finishReason: "stop", nativeFinishReason: "eos" });
		expect(answered({ content: "t" }, "length")).toMatchObject({ finishReason: "length" });
		expect(answered({ content: "" }, "content_filter")).toMatchObject({ finishReason: "content_filter" });
	});

	it("is unusable when nothing was said, the provider failed, or the body is something else", () => {
		const empty = { choices: [{ message: { content: "" }, finish_reason: "stop" }] };
		expect(usable(openAiWire.parseAnswer(empty))).toBeNull();
		const whole = openAiWire.parseAnswer(empty);
		// One of the call's stop sequences may have matched at once.
		expect(whole && isEmptyAnswer(whole, ["END"])).toBe(false);
		expect(answered({ content: "half" }, "insufficient_system_resource")).toBeNull();
		for (const body of [null, [], "x", {}, { choices: [] }, { choices: [{}] }, { error: { message: "m" } }])
			expect(flat(openAiWire.parseAnswer(body))).toBeNull();
	});

	it("is made well-formed before anything is done with it", () => {
		expect(answered({ content: "a\ud800" })?.content).toBe("a\ufffd");
	});

	it("reads the error bodies of every provider", () => {
		expect(openAiWire.parseError({ error: { message: "m", code: "insufficient_quota" } })).toEqual({
			message: "m",
			code: "insufficient_quota",
		});
		expect(openAiWire.parseError({ object: "error", message: "m", type: "rate_limited", code: "1300" })).toEqual({
			message: "m",
			code: "1300",
			type: "rate_limited",
		});
		expect(openAiWire.parseError({ code: "c", error: "m" })).toEqual({ message: "m", code: "c" });
		expect(openAiWire.parseError({ detail: "m" })).toEqual({ message: "m", code: null });
		expect(openAiWire.parseError({ detail: { error: "m" } })).toEqual({ message: "m", code: null });
		expect(openAiWire.parseError("<html>")).toBeNull();
	});

	it("is read from servers of operators: arguments as an object, calls without ids, an empty reason", () => {
		const calls = [
			{ function: { name: "f", arguments: { city: "Rome" } } },
			{ function: { name: "f", arguments: {} } },
		];
		const message = { role: "assistant", content: null, tool_calls: calls };
		const body = {
			choices: [{ index: 0, message, finish_reason: "" }],
			usage: { prompt_tokens: 1, completion_tokens: 2 },
		};
		expect(flat(openAiWire.parseAnswer(body))).toMatchObject({
			finishReason: "tool_calls",
			toolCalls: [
				{ id: "call_0", name: "f", arguments: '{"city":"Rome"}' },
				{ id: "call_1", name: "f", arguments: "{}" },
			],
		});
		const parts = {
			content: [
				{ type: "text", text: "a" },
				{ type: "text", text: "b" },
			],
			tool_calls: null,
		};
		expect(flat(openAiWire.parseAnswer({ choices: [{ message: parts }] }))).toMatchObject({
			content: "ab",
			usage: null,
		});
		const failed = {
			id: "gen-1",
			choices: [{ message: { content: "" }, finish_reason: "error", error: { code: 502, message: "gone" } }],
		};
		expect(openAiWire.parseAnswer(failed)).toBeNull();
	});

	it("reads errors of servers of operators", () => {
		for (const [body, read] of [
			[{ error: { code: 429, message: "m", metadata: { provider_name: "Box" } } }, { message: "m", code: "429" }],
			[
				{ error: { message: "m", type: "NotFoundError", param: "model", code: 404 } },
				{ message: "m", code: "404", type: "NotFoundError" },
			],
			[
				{ error: { code: 400, message: "m", type: "exceed_context_size_error", n_prompt_tokens: 9, n_ctx: 4 } },
				{ message: "m", code: "400", type: "exceed_context_size_error" },
			],
			[
				{ error: "'response_format.type' must be 'json_schema' or 'text'" },
				{ message: "'response_format.type' must be 'json_schema' or 'text'", code: null },
			],
			[
				{ detail: [{ type: "missing", loc: ["body", "messages"], msg: "Field required", input: {} }] },
				{ message: "body.messages: Field required", code: null },
			],
		] as const)
			expect(openAiWire.parseError(body)).toEqual(read);
	});

	const recordings = [
		"alibaba/alibaba-text",
		"alibaba/alibaba-reasoning",
		"alibaba/alibaba-tool-call",
		"deepseek/deepseek-text",
		"deepseek/deepseek-json",
		"deepseek/deepseek-reasoning",
		"deepseek/deepseek-tool-call",
		"mistral/mistral-text",
		"mistral/mistral-reasoning",
		"moonshotai/moonshotai-tool-call",
		"perplexity/perplexity-citations",
		"xai/xai-tool-call",
	];
	it.runIf(hasSharedData("upstream-fixtures")).each(recordings)("recorded in %s comes through whole", (name) => {
		const body = JSON.parse(readSharedData(`upstream-fixtures/${name}.json`));
		const answer = flat(openAiWire.parseAnswer(body));
		expect(answer).not.toBeNull();
		const usage = answer?.usage;
		expect(usage && inputTokens(usage)).toBe(body.usage.prompt_tokens);
		expect(usage && inputTokens(usage) + outputTokens(usage)).toBe(body.usage.total_tokens);
		expect(answer?.toolCalls.length ?? 0).toBe(body.choices[0].message.tool_calls?.length ?? 0);
		expect(answer?.content || answer?.toolCalls.length).toBeTruthy();
		if (name.endsWith("reasoning")) expect(answer?.reasoning?.length).toBeGreaterThan(10);
	});
});

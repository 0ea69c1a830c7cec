// The Gemini format both ways: what is sent, what is read, and what recorded answers of Google come to.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputTokens, outputTokens } from "../../../src/catalog/price.ts";
import { soleKey } from "../../../src/catalog/provider-keys.ts";
import type { EffortChoice } from "../../../src/catalog/vocabulary.ts";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { AnswerAccumulator } from "../../../src/providers/accumulate.ts";
import { usageFromGoogle } from "../../../src/providers/google-answer.ts";
import { compileGoogleParameters, compileGoogleSchema } from "../../../src/providers/google-schema.ts";
import type { Message, ModelCall } from "../../../src/providers/model-call.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";
import { withMediaTokens } from "../../../src/providers/wire.ts";
import { googleWire } from "../../../src/providers/wires.ts";
import { utf8Length } from "../../../src/text/utf8.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { type FlatAnswer, flat, usable } from "../../support/flat-answer.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

/** Takes a budget of thinking tokens. */
const BUDGETED = "glint-budget";
/** Takes a level of thinking. */
const LEVELLED = "prism-mid";

function callOf(body: Record<string, unknown>): ModelCall {
	return toModelCall(chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }], ...body }), TEST_CATALOG);
}

interface Options {
	effort?: EffortChoice;
	rejects?: string[];
}

function send(modelId: string, call: ModelCall, { effort = null, rejects = [] }: Options = {}) {
	const found = TEST_CATALOG.findModel(modelId);
	const provider = found && TEST_CATALOG.findProvider(found.provider);
	if (!found || !provider) throw new Error(modelId);
	const model = { ...found, request: { ...found.request, rejects } };
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: "https://u.test/v1beta", host: "u.test" };
	const request = googleWire.renderRequest({
		call,
		prompt: withMediaTokens(googleWire.preparePrompt(call, provider, model), model),
		model,
		access,
		effort,
	});
	return { ...request, json: JSON.parse(request.body) as Record<string, unknown> };
}

function sent(modelId: string, body: Record<string, unknown>, options?: Options) {
	return send(modelId, callOf(body), options);
}

/** Parts of a stream whose chunks are given, and whether it was finished. */
function streamed(chunks: readonly unknown[]): { parts: StreamPart[]; finished: boolean; answer: FlatAnswer } {
	const decoder = googleWire.createDecoder();
	const parts = chunks.flatMap((chunk) =>
		decoder.decode({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) }),
	);
	const { finished } = decoder;
	parts.push(...decoder.end());
	const accumulator = new AnswerAccumulator();
	for (const part of parts) accumulator.add(part);
	return { parts, finished, answer: flat(accumulator.answer()) };
}

function response(parts: unknown[], finishReason?: string, more: Record<string, unknown> = {}) {
	return { candidates: [{ content: { role: "model", parts }, finishReason }], responseId: "r1", ...more };
}

function answered(parts: unknown[], finishReason = "STOP", more?: Record<string, unknown>) {
	return flat(googleWire.parseAnswer(response(parts, finishReason, more)));
}

describe("a request to Gemini", () => {
	it("goes to the model's streaming path", () => {
		const { url, headers, json, maxOutputTokens } = sent(BUDGETED, { max_tokens: 5 });
		expect(url).toBe("https://u.test/v1beta/models/glint-budget-2026:streamGenerateContent?alt=sse");
		expect(headers).toEqual({ "content-type": "application/json" });
		expect(json).toEqual({
			generationConfig: { maxOutputTokens: 5, temperature: 0.7 },
			contents: [{ role: "user", parts: [{ text: "hi" }] }],
		});
		expect(maxOutputTokens).toBe(5);
	});

	it("puts every instruction into systemInstruction and merges neighbours of one role", () => {
		const messages = [
			{ role: "system", content: "a" },
			{ role: "user", content: "b" },
			{ role: "developer", content: "c" },
			{ role: "user", content: [{ type: "text", text: "d" }] },
			{ role: "assistant", content: "e" },
			{ role: "assistant", content: null, refusal: "f" },
			{ role: "user", content: "" },
		];
		expect(sent(LEVELLED, { messages }).json).toMatchObject({
			systemInstruction: { parts: [{ text: "a" }, { text: "c" }] },
			contents: [
				{ role: "user", parts: [{ text: "b" }, { text: "d" }] },
				{ role: "model", parts: [{ text: "e" }, { text: "f" }] },
			],
		});
		expect(sent(LEVELLED, { messages: messages.slice(0, 1) }).json["contents"]).toEqual([
			{ role: "user", parts: [{ text: "a" }] },
		]);
	});

	it("inlines images and bounds them by what models count, not by their length", () => {
		const data = "A".repeat(1_000_000);
		const content = [
			{ type: "text", text: "what?" },
			{ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
		];
		const { json, maxInputTokens } = sent(LEVELLED, { messages: [{ role: "user", content }] });
		expect(json["contents"]).toEqual([
			{ role: "user", parts: [{ text: "what?" }, { inlineData: { mimeType: "image/png", data } }] },
		]);
		expect(maxInputTokens).toBeGreaterThan(16_384);
		expect(maxInputTokens).toBeLessThan(20_000);
	});

	it("returns calls with their signatures, a sentinel where the first of a turn has none, and results by function name", () => {
		const call = (id: string, args: string) => ({
			id,
			type: "function",
			function: { name: `f_${id}`, arguments: args },
		});
		const chat = callOf({
			messages: [
				{ role: "user", content: "go" },
				{ role: "assistant", content: "ok", tool_calls: [call("a", '{"x":1}'), call("b", "")] },
				{ role: "tool", tool_call_id: "b", content: "plain" },
				{ role: "tool", tool_call_id: "a", content: '{"y":2}' },
				{ role: "assistant", content: null, tool_calls: [call("c", "not json")] },
				{ role: "tool", tool_call_id: "unknown", content: "[1]" },
			],
		});
		for (const message of chat.messages)
			for (const part of message.content) if (part.type === "tool_call" && part.id === "c") part.signature = "S";
		const { json } = send(LEVELLED, chat);
		expect(json["contents"]).toEqual([
			{ role: "user", parts: [{ text: "go" }] },
			{
				role: "model",
				parts: [
					{ text: "ok" },
					{
						functionCall: { id: "a", name: "f_a", args: { x: 1 } },
						thoughtSignature: "skip_thought_signature_validator",
					},
					{ functionCall: { id: "b", name: "f_b", args: {} } },
				],
			},
			{
				role: "user",
				parts: [
					{ functionResponse: { id: "a", name: "f_a", response: { y: 2 } } },
					{ functionResponse: { id: "b", name: "f_b", response: { result: "plain" } } },
				],
			},
			{
				role: "model",
				parts: [{ functionCall: { id: "c", name: "f_c", args: { arguments: "not json" } }, thoughtSignature: "S" }],
			},
			{
				role: "user",
				parts: [
					{ functionResponse: { id: "c", name: "f_c", response: { result: "No output of this call was given." } } },
					{ text: "Output of tool call unknown:" },
					{ text: "[1]" },
				],
			},
		]);
	});

	it("sends no ids of calls to a provider that refuses them, and all else alike", () => {
		const turn = (id: string): Record<string, unknown>[] => [
			{
				role: "assistant",
				content: "ok",
				tool_calls: [{ id, type: "function", function: { name: "f", arguments: '{"id":1}' } }],
			},
			{ role: "tool", tool_call_id: id, content: '{"id":"kept"}' },
		];
		const call = callOf({ messages: [{ role: "user", content: "go" }, ...turn("a"), ...turn("b")] });
		const [model] = TEST_CATALOG.models.filter((each) => TEST_CATALOG.providerFor(each).wire === "google");
		const provider = model && TEST_CATALOG.providerFor(model);
		if (!model || !provider) throw new Error("no model of the wire");
		const vertex = { ...provider, tool_call_ids: "none" as const };
		const contents = (row: typeof provider) =>
			JSON.parse(`{${googleWire.preparePrompt(call, row, model).json}}`).contents;
		const members = ["functionCall", "functionResponse"];
		const bare = JSON.parse(JSON.stringify(contents(provider)), (name, value) =>
			members.includes(name) ? { ...value, id: undefined } : value,
		);
		expect(contents(vertex)).toEqual(bare);
		expect(JSON.stringify(contents(vertex))).toContain('"args":{"id":1}');
		expect(googleWire.promptVariant(vertex, model)).not.toBe(googleWire.promptVariant(provider, model));
	});

	it("returns signatures that came on text, and no other provider's blocks", () => {
		const call = callOf({ messages: [{ role: "user", content: "a" }] });
		const thinking = { type: "thinking", thinking: "t", signature: "s" };
		const signature = { type: "google.thought_signature", thoughtSignature: "T" };
		const answer: Message = {
			role: "assistant",
			content: [
				{ type: "provider", wire: "anthropic", block: thinking },
				{ type: "text", text: "b" },
				{ type: "provider", wire: "google", block: signature },
			],
		};
		call.messages.push(answer, { role: "user", content: [{ type: "text", text: "c" }] });
		expect(send(LEVELLED, call).json["contents"]).toEqual([
			{ role: "user", parts: [{ text: "a" }] },
			{ role: "model", parts: [{ text: "b" }, { text: "", thoughtSignature: "T" }] },
			{ role: "user", parts: [{ text: "c" }] },
		]);
	});

	it("uses Google's names for the knobs and names those it leaves out", () => {
		const knobs = { temperature: 1, top_p: 0.5, seed: 3, presence_penalty: 1, frequency_penalty: -1, stop: "x" };
		const { json, warnings } = sent(LEVELLED, { ...knobs, max_tokens: 9, logit_bias: { "1": 2 } });
		expect(json["generationConfig"]).toEqual({
			maxOutputTokens: 9,
			temperature: 1,
			topP: 0.5,
			seed: 3,
			presencePenalty: 1,
			frequencyPenalty: -1,
			stopSequences: ["x"],
		});
		expect(warnings.map(({ code, param }) => [code, param])).toEqual([["parameter_dropped", "logit_bias"]]);
		const rejecting = sent(LEVELLED, { seed: 3, max_tokens: 9, user: "u" }, { rejects: ["temperature", "seed"] });
		expect(rejecting.json["generationConfig"]).toEqual({ maxOutputTokens: 9 });
		expect(rejecting.warnings.map(({ param }) => param)).toEqual(["seed"]);
	});

	it("keeps a thinking budget inside the client's limit, or off where there is no room for it", () => {
		const config = (body: Record<string, unknown>, effort: EffortChoice, id = BUDGETED) =>
			(sent(id, body, { effort }).json["generationConfig"] as Record<string, unknown>)["thinkingConfig"];
		expect(config({}, "none")).toEqual({ thinkingBudget: 0 });
		expect(config({ max_tokens: 50_000 }, "low")).toEqual({ thinkingBudget: 1_024 });
		expect(config({ max_tokens: 50_000 }, "medium")).toEqual({ thinkingBudget: 8_192 });
		expect(config({ max_tokens: 50_000 }, "high")).toEqual({ thinkingBudget: 24_576 });
		expect(config({ max_tokens: 1_000 }, "high")).toEqual({ thinkingBudget: 750 });
		expect(config({ max_tokens: 100 }, "high")).toEqual({ thinkingBudget: 0 });
		expect(config({}, "default")).toBeUndefined();
		expect(config({}, null)).toBeUndefined();
		expect(config({}, "low", LEVELLED)).toEqual({ thinkingLevel: "low" });
		const cramped = sent(BUDGETED, { max_tokens: 100, reasoning_effort: "high" }, { effort: "high" });
		expect(cramped.warnings.map(({ param }) => param)).toEqual(["effort"]);
	});

	it("declares tools in Gemini's schema subset, says what that lost, and forces calls as asked", () => {
		const parameters = { type: "object", properties: { q: { type: "string" } }, additionalProperties: false };
		const tools = [
			{ type: "function", function: { name: "f", description: "d", parameters } },
			{ type: "function", function: { name: "g", parameters: { type: "object", properties: {} } } },
			{ type: "function", function: { name: "h" } },
		];
		const { json, warnings } = sent(LEVELLED, { tools, parallel_tool_calls: false });
		expect(json["tools"]).toEqual([
			{
				functionDeclarations: [
					{ name: "f", description: "d", parameters: { type: "object", properties: { q: { type: "string" } } } },
					{ name: "g" },
					{ name: "h" },
				],
			},
		]);
		expect(warnings.map(({ code, param }) => [code, param])).toEqual([
			["parameter_dropped", "parallel_tool_calls"],
			["parameter_changed", "tools"],
		]);
		expect(warnings[1]?.message).toContain("additionalProperties");
		const config = (tool_choice: unknown) => sent(LEVELLED, { tools, tool_choice }).json["toolConfig"];
		expect(config(undefined)).toBeUndefined();
		expect(config("auto")).toEqual({ functionCallingConfig: { mode: "AUTO" } });
		expect(config("required")).toEqual({ functionCallingConfig: { mode: "ANY" } });
		expect(config("none")).toEqual({ functionCallingConfig: { mode: "NONE" } });
		expect(config({ type: "function", function: { name: "f" } })).toEqual({
			functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] },
		});
	});

	it("asks for JSON, with a schema where there is one", () => {
		const config = (response_format: unknown) => sent(LEVELLED, { response_format, max_tokens: 9 });
		expect(config({ type: "json_object" }).json["generationConfig"]).toEqual({
			maxOutputTokens: 9,
			temperature: 0.7,
			responseMimeType: "application/json",
		});
		const schema = { type: "object", title: "T", properties: { a: { const: "x" } }, required: ["a"] };
		const { json, warnings } = config({ type: "json_schema", json_schema: { name: "n", description: "d", schema } });
		expect(json["generationConfig"]).toMatchObject({
			responseMimeType: "application/json",
			responseSchema: {
				type: "object",
				description: "d",
				properties: { a: { type: "string", enum: ["x"] } },
				required: ["a"],
			},
		});
		expect(warnings.map(({ param }) => param)).toEqual(["output"]);
		expect(warnings[0]?.message).toContain("title");
	});

	it("never allows fewer tokens than bytes were sent, images aside", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (content) => {
				fc.pre(content.isWellFormed());
				const request = sent(LEVELLED, { messages: [{ role: "user", content: `x${content}` }] });
				expect(request.maxInputTokens).toBeGreaterThanOrEqual(utf8Length(request.body) - 2);
			}),
		);
	});
});

const ALLOWED = new Set(
	"type format description nullable enum items properties required minItems maxItems minimum maximum anyOf propertyOrdering".split(
		" ",
	),
);

/** Throws unless a compiled schema says only what Gemini takes. */
function checkSubset(schema: unknown): void {
	const fields = schema as Record<string, unknown>;
	expect(Object.keys(fields).filter((key) => !ALLOWED.has(key))).toEqual([]);
	expect(["string", "undefined"]).toContain(typeof fields["type"]);
	for (const value of (fields["enum"] as unknown[] | undefined) ?? [])
		expect(value).toEqual(expect.stringMatching(/./s));
	if (fields["type"] === "array") expect(fields["items"]).toBeDefined();
	if (fields["items"] !== undefined) checkSubset(fields["items"]);
	for (const branch of (fields["anyOf"] as unknown[] | undefined) ?? []) checkSubset(branch);
	const properties = (fields["properties"] as Record<string, unknown> | undefined) ?? {};
	for (const property of Object.values(properties)) checkSubset(property);
	for (const name of (fields["required"] as string[] | undefined) ?? [])
		expect(Object.hasOwn(properties, name)).toBe(true);
}

describe("the schema compiler", () => {
	it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
		["a nullable type", { type: ["string", "null"] }, { type: "string", nullable: true }, []],
		[
			"several types",
			{ type: ["string", "integer", "null"], description: "d" },
			{ description: "d", anyOf: [{ type: "string" }, { type: "integer" }], nullable: true },
			[],
		],
		["a const", { const: "a" }, { type: "string", enum: ["a"] }, []],
		["an enum with null", { enum: ["a", null] }, { type: "string", enum: ["a"], nullable: true }, []],
		[
			"a numeric enum",
			{ type: "integer", enum: [1, 2], description: "d" },
			{ type: "integer", description: "d (One of: 1, 2)" },
			["enum"],
		],
		["an unknown format", { type: "string", format: "email" }, { type: "string" }, ["format"]],
		["a known format", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }, []],
		[
			"an optional of pydantic",
			{ anyOf: [{ type: "number", minimum: 0 }, { type: "null" }], default: null, title: "T" },
			{ type: "number", minimum: 0, nullable: true },
			["default", "title"],
		],
		[
			"oneOf",
			{ oneOf: [{ type: "string" }, { type: "boolean" }] },
			{ anyOf: [{ type: "string" }, { type: "boolean" }] },
			[],
		],
		[
			"allOf",
			{
				allOf: [
					{ type: "object", properties: { a: { type: "string" } }, required: ["a"] },
					{ properties: { b: { type: "number" } }, required: ["b"] },
				],
			},
			{ type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a", "b"] },
			[],
		],
		[
			"a local reference",
			{
				type: "object",
				properties: { p: { $ref: "#/$defs/a~1b", description: "mine" } },
				$defs: { "a/b": { type: "string" } },
			},
			{ type: "object", properties: { p: { type: "string", description: "mine" } } },
			[],
		],
		[
			"a cycle",
			{ type: "object", properties: { next: { $ref: "#" }, v: { type: "string" } } },
			{ type: "object", properties: { next: { type: "object" }, v: { type: "string" } } },
			["$ref"],
		],
		["a foreign reference", { $ref: "https://x.test/s" }, { type: "object" }, ["$ref"]],
		[
			"required without a property",
			{ type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] },
			{ type: "object", properties: { a: { type: "string" } }, required: ["a"] },
			["required"],
		],
		[
			"a tuple",
			{ type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2 },
			{ type: "array", items: { type: "number" }, minItems: 2 },
			["prefixItems"],
		],
		["a bare array", { type: "array" }, { type: "array", items: {} }, []],
		[
			"keywords Gemini refuses",
			{
				$schema: "s",
				type: "object",
				properties: { n: { type: "number", exclusiveMinimum: 0 } },
				propertyNames: {},
				additionalProperties: false,
			},
			{ type: "object", properties: { n: { type: "number" } } },
			["$schema", "additionalProperties", "exclusiveMinimum", "propertyNames"],
		],
		[
			"properties named like keywords",
			{ type: "object", properties: { $ref: { type: "string" }, const: { type: "string" } } },
			{ type: "object", properties: { $ref: { type: "string" }, const: { type: "string" } } },
			[],
		],
	])("translates %s", (_, given, schema, dropped) => {
		expect(compileGoogleSchema(given)).toEqual({ schema, dropped });
	});

	it("keeps what stands beside variants in each of them, and makes one object of them for parameters", () => {
		const given = {
			type: "object",
			properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } },
			required: ["c"],
			anyOf: [{ required: ["a"] }, { required: ["b"] }],
		};
		const { properties } = given;
		expect(compileGoogleSchema(given).schema).toEqual({
			anyOf: [
				{ type: "object", properties, required: ["a", "c"] },
				{ type: "object", properties, required: ["b", "c"] },
			],
		});
		expect(compileGoogleParameters(given)).toEqual({
			schema: { type: "object", properties, required: ["c"] },
			dropped: ["anyOf"],
		});
		expect(compileGoogleParameters({ type: "string" })).toEqual({ schema: { type: "object" }, dropped: ["type"] });
	});

	it("cuts schemas that would grow without end", () => {
		const $defs = Object.fromEntries(
			Array.from({ length: 40 }, (_, index) => {
				const next = { $ref: `#/$defs/d${index + 1}` };
				return [`d${index}`, { type: "object", properties: { a: next, b: next }, allOf: [next, next] }];
			}),
		);
		const { schema, dropped } = compileGoogleSchema({ $ref: "#/$defs/d0", $defs });
		expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
		expect(dropped).toContain("$ref");
		let deep: Record<string, unknown> = { type: "string" };
		for (let level = 0; level < 5_000; level++) deep = { allOf: [{ type: "array", items: deep }] };
		expect(compileGoogleSchema(deep).dropped).toEqual(["properties"]);
	});

	it("says only what Gemini takes, whatever it is given", () => {
		const name = fc.constantFrom("a", "b", "__proto__", "type", "$ref");
		const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
			value: fc.oneof(fc.constantFrom<unknown>("a", "", null, 1, 1.5, true), fc.jsonValue({ maxDepth: 1 })),
			schema: fc.oneof(
				{ maxDepth: 4, depthIdentifier: "schema" },
				fc.constantFrom<unknown>({}, true, false, { type: "string" }, { $ref: "#" }, { $ref: "#/$defs/a" }),
				fc.record(
					{
						type: fc.oneof(
							fc.constantFrom<unknown>("string", "object", "array", "null", "INTEGER", "file", 5),
							fc.array(fc.constantFrom("string", "null", "number", "array", "object"), { maxLength: 3 }),
						),
						format: fc.constantFrom("date-time", "int32", "email"),
						enum: fc.array(tie("value"), { maxLength: 3 }),
						const: tie("value"),
						items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
						prefixItems: fc.array(tie("schema"), { maxLength: 2 }),
						properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
						required: fc.oneof(fc.array(name, { maxLength: 3 }), tie("value")),
						propertyOrdering: fc.array(name, { maxLength: 3 }),
						anyOf: fc.array(tie("schema"), { maxLength: 3 }),
						oneOf: fc.array(tie("schema"), { maxLength: 3 }),
						allOf: fc.array(tie("schema"), { maxLength: 2 }),
						not: tie("schema"),
						minimum: tie("value"),
						maxItems: tie("value"),
						$defs: fc.dictionary(name, tie("schema"), { maxKeys: 2 }),
						nullable: fc.boolean(),
						description: tie("value"),
						pattern: fc.string(),
					},
					{ requiredKeys: [] },
				),
			),
		}));
		fc.assert(
			fc.property(schema, (given) => {
				fc.pre(typeof given === "object" && given !== null);
				const fields = given as Record<string, unknown>;
				for (const compiled of [compileGoogleSchema(fields), compileGoogleParameters(fields)]) {
					checkSubset(compiled.schema);
					expect(compiled.dropped).toEqual([...new Set(compiled.dropped)].sort());
				}
				expect(compileGoogleParameters(fields).schema["type"]).toBe("object");
			}),
			{ numRuns: 500 },
		);
	});
});

describe("usage of Gemini", () => {
	it("is read into disjoint buckets that add up to what was reported", () => {
		const count = fc.nat({ max: 100_000 });
		fc.assert(
			fc.property(count, count, count, count, count, (prompt, cached, candidates, thoughts, tools) => {
				fc.pre(cached <= prompt);
				const usage = usageFromGoogle({
					promptTokenCount: prompt,
					cachedContentTokenCount: cached,
					candidatesTokenCount: candidates,
					thoughtsTokenCount: thoughts,
					toolUsePromptTokenCount: tools,
					totalTokenCount: prompt + candidates + thoughts + tools,
				});
				expect(usage).toEqual({
					uncachedInput: prompt - cached + tools,
					cacheRead: cached,
					cacheWrite: 0,
					outputText: candidates,
					reasoning: thoughts,
				});
			}),
		);
	});

	it("never counts less than the total", () => {
		expect(usageFromGoogle({ promptTokenCount: 3, totalTokenCount: 10 })).toMatchObject({
			outputText: 7,
			reasoning: 0,
		});
		expect(usageFromGoogle({ promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 10 })).toMatchObject({
			outputText: 2,
			reasoning: 5,
		});
		expect(usageFromGoogle({ promptTokenCount: 3 })).toMatchObject({ uncachedInput: 3, outputText: 0 });
	});

	it("is null, not zero, when it is missing or no count", () => {
		for (const raw of [
			undefined,
			null,
			{},
			{ trafficType: "ON_DEMAND" },
			{ candidatesTokenCount: 1 },
			{ promptTokenCount: -1 },
			{ promptTokenCount: 1.5 },
			{ promptTokenCount: "1" },
			{ promptTokenCount: 1, candidatesTokenCount: "2" },
		]) {
			expect(usageFromGoogle(raw)).toBeNull();
			expect(googleWire.parseUsage({ usageMetadata: raw })).toBeNull();
		}
		expect(googleWire.parseUsage(null)).toBeNull();
	});
});

describe("an answer of Gemini", () => {
	it("keeps text, thoughts, calls, signatures and parts nobody knows", () => {
		expect(
			answered([
				{ text: "hm", thought: true },
				{ text: "a" },
				{ executableCode: { language: "PYTHON", code: "1" } },
				{ functionCall: { name: "f", args: { x: [1] } }, thoughtSignature: "S" },
				{ functionCall: { id: "given", name: "g" } },
				{ text: "b", thoughtSignature: "T" },
			]),
		).toEqual({
			content: "ab",
			refusal: null,
			reasoning: "hm",
			toolCalls: [
				{ id: "call_r1_0", name: "f", arguments: '{"x":[1]}', signature: "S" },
				{ id: "given", name: "g", arguments: "{}" },
			],
			opaque: [{ type: "google.thought_signature", thoughtSignature: "T" }],
			finishReason: "tool_calls",
			nativeFinishReason: "STOP",
			logprobs: null,
			usage: null,
			extra: { google_parts: [{ executableCode: { language: "PYTHON", code: "1" } }] },
		});
	});

	it.each([
		["STOP", "stop"],
		["MAX_TOKENS", "length"],
		["SAFETY", "content_filter"],
		["RECITATION", "content_filter"],
		["BLOCKLIST", "content_filter"],
		["PROHIBITED_CONTENT", "content_filter"],
		["SPII", "content_filter"],
		["MODEL_ARMOR", "content_filter"],
		["IMAGE_SAFETY", "content_filter"],
		["OTHER", "stop"],
		["LANGUAGE", "stop"],
		["NO_IMAGE", "stop"],
		["SOMETHING_NEW", "stop"],
	])("that ends with %s has finish reason %s and keeps Google's word", (native, finishReason) => {
		expect(answered([{ text: "t" }], native)).toMatchObject({ finishReason, nativeFinishReason: native });
	});

	it("cut at the limit stays cut, even with a call", () => {
		expect(answered([{ functionCall: { name: "f" } }], "MAX_TOKENS")).toMatchObject({ finishReason: "length" });
		expect(answered([], "MAX_TOKENS")).toMatchObject({ content: null, finishReason: "length" });
	});

	it("to a blocked prompt is an empty, filtered one", () => {
		const body = {
			promptFeedback: { blockReason: "SAFETY" },
			usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
		};
		const expected = { content: null, finishReason: "content_filter", nativeFinishReason: "SAFETY" };
		expect(flat(googleWire.parseAnswer(body))).toMatchObject(expected);
		const stream = streamed([body]);
		expect(stream.finished).toBe(true);
		expect(stream.answer).toEqual(flat(googleWire.parseAnswer(body)));
	});

	it("is unusable when nothing was said, the call was malformed, or the body is something else", () => {
		expect(usable(googleWire.parseAnswer(response([{ text: "" }], "STOP")))).toBeNull();
		expect(answered([{ text: "half" }], "MALFORMED_FUNCTION_CALL")).toBeNull();
		expect(answered([{ text: "half" }], "UNEXPECTED_TOOL_CALL")).toBeNull();
		for (const body of [null, [], "x", {}, { candidates: [] }, { candidates: [{}] }, { error: { message: "m" } }])
			expect(usable(googleWire.parseAnswer(body))).toBeNull();
	});

	it("is made well-formed before anything is done with it", () => {
		expect(answered([{ text: "a\ud800" }])?.content).toBe("a\ufffd");
	});
});

describe("an error of Gemini", () => {
	it("names its status and the wait, alone or in an array", () => {
		const error = {
			code: 429,
			message: "m",
			status: "RESOURCE_EXHAUSTED",
			details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }],
		};
		const read = { message: "m", code: "RESOURCE_EXHAUSTED", retryAfterMs: 34_400 };
		expect(googleWire.parseError({ error })).toEqual(read);
		expect(googleWire.parseError([{ error }])).toEqual(read);
		expect(googleWire.parseError({ error: { code: 503, message: "m" } })).toEqual({ message: "m", code: "503" });
		for (const body of [null, "<html>", [], {}, { error: "m" }]) expect(googleWire.parseError(body)).toBeNull();
	});

	it("about a daily quota is no matter of waiting", () => {
		const details = [
			{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "10s" },
			{
				"@type": "type.googleapis.com/google.rpc.QuotaFailure",
				violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
			},
		];
		expect(
			googleWire.parseError({ error: { code: 429, message: "m", status: "RESOURCE_EXHAUSTED", details } }),
		).toEqual({
			message: "m",
			code: "insufficient_quota",
		});
	});

	it.runIf(hasSharedData("upstream-fixtures"))("recorded with a wait by the minute is read", () => {
		const body = JSON.parse(readSharedData("upstream-fixtures/google/google-429-retry-info.json"));
		expect(googleWire.parseError(body)).toMatchObject({ code: "RESOURCE_EXHAUSTED", retryAfterMs: 34_400 });
	});
});

describe("a stream of Gemini", () => {
	const fn = (functionCall: Record<string, unknown>) => response([{ functionCall }]);
	const piece = (jsonPath: string, value: Record<string, unknown>) =>
		fn({ partialArgs: [{ jsonPath, ...value }], willContinue: true });
	const built = (...pieces: unknown[]) =>
		streamed([fn({ name: "f", willContinue: true }), ...pieces, fn({}), response([], "STOP")]);

	it("counts the last usage, once, after the reason", () => {
		const usage = (candidatesTokenCount: number) => ({ usageMetadata: { promptTokenCount: 1, candidatesTokenCount } });
		const { parts } = streamed([
			response([{ text: "a" }], undefined, usage(1)),
			response([{ text: "b" }], "STOP", usage(2)),
			{ usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 5 } },
			{ usageMetadata: { trafficType: "ON_DEMAND" } },
		]);
		expect(parts).toEqual([
			{ type: "text", text: "a" },
			{ type: "text", text: "b" },
			{ type: "finish", reason: "stop", native: "STOP" },
			{
				type: "usage",
				usage: { uncachedInput: 1, cacheRead: 0, cacheWrite: 0, outputText: 5, reasoning: 0 },
			},
		]);
	});

	it("builds arguments piece by piece, whatever their names", () => {
		const { answer } = built(
			piece("$.s", { stringValue: "a", willContinue: true }),
			piece("$.n", { numberValue: 1.5 }),
			piece("$.s", { stringValue: "b", willContinue: true }),
			piece("$.s", { stringValue: "" }),
			piece('$.o["b c"][0].x', { boolValue: false }),
			piece("$.o['d.\\'e'][1]", { nullValue: null }),
			piece("$.o['d.\\'e'][0][0]", { stringValue: "z" }),
			piece("$.__proto__.polluted", { boolValue: true }),
			fn({ willContinue: true }),
		);
		expect(answer.toolCalls).toHaveLength(1);
		expect(answer.toolCalls[0]?.arguments).toBe(
			`{"s":"ab","n":1.5,"o":{"b c":[{"x":false}],"d.'e":[["z"],null]},"__proto__":{"polluted":true}}`,
		);
		expect("polluted" in {}).toBe(false);
	});

	it("keeps characters whole that two pieces share", () => {
		const text = streamed([response([{ text: "\ud83d" }]), response([{ text: "\ude00" }], "STOP")]);
		expect(text.answer.content).toBe("😀");
		const { answer } = built(
			piece("$.s", { stringValue: "\ud83d", willContinue: true }),
			piece("$.s", { stringValue: "\ude00" }),
		);
		expect(answer.toolCalls[0]?.arguments).toBe('{"s":"😀"}');
	});

	it("keeps calls apart: a new name or the end closes the one before", () => {
		const { answer } = streamed([
			fn({ name: "f", willContinue: true }),
			piece("$.x", { stringValue: "1", willContinue: true }),
			fn({ name: "g", args: { y: 2 } }),
			fn({}),
			fn({ name: "h", willContinue: true }),
			piece("$.z", { numberValue: 3 }),
			response([{ text: "" }], "STOP"),
		]);
		expect(answer.toolCalls).toEqual([
			{ id: "call_r1_0", name: "f", arguments: '{"x":"1"}' },
			{ id: "call_r1_1", name: "g", arguments: '{"y":2}' },
			{ id: "call_r1_2", name: "h", arguments: '{"z":3}' },
		]);
		expect(answer.finishReason).toBe("tool_calls");
	});

	it("fails on errors, unreadable chunks and pieces that fit nowhere, and says nothing after", () => {
		const error = { error: { code: 503, message: "m", status: "UNAVAILABLE" } };
		for (const bad of [error, [error], "{", "5", { candidates: 1 }]) {
			const { parts, finished } = streamed([response([{ text: "a" }]), bad, response([{ text: "b" }], "STOP")]);
			expect(parts.map(({ type }) => type)).toEqual(["text", "failure"]);
			expect(finished).toBe(false);
		}
		expect(streamed([error]).parts).toEqual([{ type: "failure", error: { message: "m", code: "UNAVAILABLE" } }]);
		expect(streamed([response([{ text: "a" }], "MALFORMED_FUNCTION_CALL")]).parts.at(-1)).toMatchObject({
			type: "failure",
			error: { code: "MALFORMED_FUNCTION_CALL" },
		});
		for (const path of ["x", "$", "$.a[", "$[0]", "$.a[99999999]", `$${".a".repeat(100)}`])
			expect(built(piece(path, { stringValue: "v" })).parts.map(({ type }) => type)).toEqual(["failure"]);
		const scalar = built(piece("$.a", { numberValue: 1 }), piece("$.a.b", { numberValue: 1 }));
		expect(scalar.parts.map(({ type }) => type)).toEqual(["failure"]);
		expect(streamed([piece("$.a", { numberValue: 1 })]).parts.map(({ type }) => type)).toEqual(["failure"]);
	});

	it("comes to the same as the whole answer, however it is cut", () => {
		const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }).filter((text) => text.isWellFormed());
		const part = fc.oneof(
			fc.record({ text: word }),
			fc.record({ text: word, thought: fc.constant(true) }),
			fc.record({ text: fc.constant(""), thoughtSignature: word }),
			fc.record({ functionCall: fc.record({ name: word, args: fc.dictionary(word, fc.jsonValue()) }) }),
			fc.record({ functionCall: fc.record({ name: word }), thoughtSignature: word }),
			fc.record({ inlineData: fc.record({ mimeType: word }) }),
		);
		fc.assert(
			fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
				const usage = { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: parts.length } };
				const whole = flat(googleWire.parseAnswer(response([{ text: "x" }, ...parts], "STOP", usage)));
				const chunks = [...parts.map((one) => response([one])), response([], "STOP", usage)];
				expect(streamed([response([{ text: "x" }]), ...chunks]).answer).toEqual(whole);
			}),
		);
	});
});

function recorded(name: string): string {
	return readSharedData(`upstream-fixtures/google/${name}`);
}

function chunksOf(name: string): string[] {
	return recorded(`${name}.chunks.txt`)
		.split("\n")
		.filter((line) => line.trim() !== "");
}

describe.runIf(hasSharedData("upstream-fixtures"))("recorded traffic of Gemini", () => {
	it.each(["google-text", "google-tool-call"])("%s comes through whole", (name) => {
		const body = JSON.parse(recorded(`${name}.json`));
		const answer = flat(googleWire.parseAnswer(body));
		expect(answer?.content || answer?.toolCalls.length).toBeTruthy();
		const { usage } = answer ?? {};
		expect(usage && inputTokens(usage)).toBe(body.usageMetadata.promptTokenCount);
		expect(usage && inputTokens(usage) + outputTokens(usage)).toBe(body.usageMetadata.totalTokenCount);
		const signature = body.candidates[0].content.parts[0].thoughtSignature;
		expect(answer?.opaque[0]?.["thoughtSignature"] ?? answer?.toolCalls[0]?.signature).toBe(signature);
	});

	const streams = [
		"google-text",
		"google-tool-call",
		"google-stream-no-args-tool-call",
		"google-stream-tool-call-arguments",
		"google-vertex-stream-tool-call-arguments-nested.1",
	];

	it.each(streams)("%s comes through streamed", (name) => {
		const chunks = chunksOf(name);
		const { parts, finished, answer } = streamed(chunks);
		expect(finished).toBe(true);
		expect(parts.filter(({ type }) => type === "finish")).toHaveLength(1);
		expect(parts.filter(({ type }) => type === "usage")).toHaveLength(1);
		expect(parts.some(({ type }) => type === "failure")).toBe(false);
		const indices = parts.flatMap((part) => (part.type === "tool_call" ? [part.index] : []));
		expect(indices).toEqual(indices.map((_, index) => index));
		expect(new Set(answer.toolCalls.map(({ id }) => id)).size).toBe(indices.length);
		for (const call of answer.toolCalls) expect(JSON.parse(call.arguments)).toBeTypeOf("object");
		expect(answer.finishReason).toBe(indices.length > 0 ? "tool_calls" : "stop");
		expect(answer.nativeFinishReason).toBe("STOP");
		const { usageMetadata } = JSON.parse(chunks.at(-1) ?? "");
		expect(answer.usage && inputTokens(answer.usage)).toBe(usageMetadata.promptTokenCount);
		expect(answer.usage && inputTokens(answer.usage) + outputTokens(answer.usage)).toBe(usageMetadata.totalTokenCount);
		expect(answer.usage?.reasoning).toBe(usageMetadata.thoughtsTokenCount);
		const carried = [
			...answer.opaque.map((block) => block["thoughtSignature"]),
			...answer.toolCalls.map((call) => call.signature),
		];
		const signatures = chunks.flatMap((chunk) => chunk.match(/(?<="thoughtSignature":")[^"]+/g) ?? []);
		expect(carried.filter(Boolean)).toEqual(signatures);
	});

	it.each(streams)("%s, cut before its finish chunk, is not finished", (name) => {
		const { parts, finished } = streamed(chunksOf(name).filter((chunk) => !chunk.includes('"finishReason"')));
		expect(finished).toBe(false);
		expect(parts.filter(({ type }) => type === "finish" || type === "usage")).toEqual([]);
	});

	const calls = (name: string) =>
		streamed(chunksOf(name)).answer.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)]);

	it("has the arguments that were streamed in pieces", () => {
		expect(calls("google-stream-no-args-tool-call")).toEqual([
			["read_theme", {}],
			["read_screen", { id: "A" }],
			["read_screen", { id: "B" }],
			["read_screen", { id: "C" }],
		]);
		expect(calls("google-stream-tool-call-arguments")).toEqual([
			["getWeather", { location: "Boston" }],
			["getWeather", { location: "San Francisco" }],
		]);
		const [[name, { recipe }] = []] = calls("google-vertex-stream-tool-call-arguments-nested.1");
		expect(name).toBe("cookRecipe");
		expect(recipe.name).toBe("Lasagna");
		expect(recipe.ingredients).toHaveLength(10);
		expect(recipe.ingredients[7]).toEqual({ amount: "2 cloves", name: "Garlic" });
		expect(recipe.steps).toHaveLength(10);
		expect(recipe.steps[4]).toBe("In a 9x13 baking dish, spread a thin layer of meat sauce.");
	});
});

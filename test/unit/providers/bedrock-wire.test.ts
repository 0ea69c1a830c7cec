// Bedrock's Converse both ways: what is sent to Claude and to others, and what is read whole and streamed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceUsage } from "../../../src/catalog/price.ts";
import { soleKey } from "../../../src/catalog/provider-keys.ts";
import type { Model, Provider } from "../../../src/catalog/schema.ts";
import type { EffortChoice } from "../../../src/catalog/vocabulary.ts";
import { AnswerAccumulator, toWellFormedAnswer } from "../../../src/providers/accumulate.ts";
import { usageFromBedrock } from "../../../src/providers/bedrock-answer.ts";
import type { CacheMark, Message, ModelCall, TextPart, ToolDefinition } from "../../../src/providers/model-call.ts";
import { WellFormedParts } from "../../../src/providers/well-formed.ts";
import { type StreamPart, withMediaTokens } from "../../../src/providers/wire.ts";
import { bedrockWire } from "../../../src/providers/wires.ts";
import { signThinking } from "../../../src/sandbox/anthropic-request.ts";
import { parseConverse } from "../../../src/sandbox/bedrock-request.ts";
import { utf8Length } from "../../../src/text/utf8.ts";
import { BEDROCK_MODEL, BEDROCK_PROVIDER } from "../../support/catalog.ts";
import { plainCall } from "../../support/rendered.ts";

type Fields = Record<string, unknown>;

/** A model that is not Claude, and has no cache. */
const OTHER: Partial<Model> = {
	upstream_model: "openai.gpt-oss-120b-1:0",
	prices: BEDROCK_MODEL.prices.map((price) => ({ ...price, cached_input: null, cache_write: null })),
	reasoning: {
		control: "reasoning_effort",
		efforts: ["low", "high"],
		inside_max_tokens: true,
		tokens: { low_effort: 1, high_effort: 2 },
	},
};

interface Asked {
	model?: Partial<Model>;
	provider?: Partial<Provider>;
	effort?: EffortChoice;
	isWhole?: boolean;
}

function sent(call: ModelCall, { model: more, provider: own, effort = null, isWhole = true }: Asked = {}) {
	const model = { ...BEDROCK_MODEL, ...more };
	const provider = { ...BEDROCK_PROVIDER, ...own };
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: "https://u.test", host: "u.test" };
	const prompt = withMediaTokens(bedrockWire.preparePrompt(call, provider, model), model);
	const request = bedrockWire.renderRequest({ call, prompt, model, access, effort, isWhole });
	return { ...request, prompt, json: JSON.parse(request.body) as Fields };
}

const text = (value: string, cache?: CacheMark): TextPart => ({
	type: "text",
	text: value,
	...(cache ? { cache } : {}),
});
const user = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({ role: "user", content });
const look: ToolDefinition = {
	name: "look",
	description: "Looks",
	parameters: { type: "object", properties: { at: { type: "integer" } } },
};
const LOOP: Message[] = [
	user(text("go")),
	{ role: "assistant", content: [{ type: "tool_call", id: "t1", name: "look", arguments: '{"at":1}' }] },
	user({ type: "tool_result", callId: "t1", content: [text("seen")] }),
];

describe("a Converse request", () => {
	it("goes to the model's address, whole or streamed, and names no model in its body", () => {
		const { url, headers, json, maxOutputTokens } = sent(plainCall());
		expect(url).toBe("https://u.test/model/eu.anthropic.basin-2026-v1%3A0/converse");
		expect(headers).toEqual({ "content-type": "application/json", accept: "application/json" });
		expect(json).toEqual({
			messages: [{ role: "user", content: [{ text: "go" }] }],
			inferenceConfig: { maxTokens: 1_000, temperature: 0.7 },
		});
		expect(maxOutputTokens).toBe(1_000);
		const streamed = sent(plainCall(), { isWhole: false });
		expect(streamed.url).toMatch(/\/converse-stream$/);
		expect(streamed.headers["accept"]).toBe("application/vnd.amazon.eventstream");
		const arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude";
		expect(sent(plainCall(), { model: { upstream_model: arn } }).url).toContain(
			"/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.anthropic.claude/converse",
		);
	});

	it("has system text, images and documents by their bytes", () => {
		const call = plainCall({
			messages: [
				{ role: "system", content: [text("Be brief."), text("  ")] },
				user({ type: "image", url: "data:image/jpg;base64,AAAA" }, text("what?"), text(" ")),
				user({
					type: "file",
					mediaType: "application/pdf",
					base64: "JVBE",
					name: "Q3 report_2026.pdf",
					pages: { counted: 1, atMost: 1 },
				}),
			],
		});
		const { json, prompt } = sent(call);
		expect(json).toMatchObject({
			system: [{ text: "Be brief." }],
			messages: [
				{
					role: "user",
					content: [
						{ image: { format: "jpeg", source: { bytes: "AAAA" } } },
						{ text: "what?" },
						{ document: { format: "pdf", name: "1 Q3 report 2026 pdf", source: { bytes: "JVBE" } } },
					],
				},
			],
		});
		expect(() => parseConverse(json)).not.toThrow();
		expect(prompt.media).toHaveLength(2);
		const alone = sent(plainCall({ messages: [{ role: "user", content: [call.messages[2]?.content[0] as never] }] }));
		expect(() => parseConverse(alone.json)).not.toThrow();
	});

	it("has what its bound says, whatever is in it", () => {
		const { body, maxInputTokens } = sent(plainCall({ messages: [user(text("äöü ".repeat(99)))], tools: [look] }));
		expect(maxInputTokens).toBeGreaterThanOrEqual(utf8Length(body));
	});

	it("keeps temperatures within 1, and leaves out what Converse does not have", () => {
		const sampling = { temperature: 1.5, top_p: 0.5, seed: 1, presence_penalty: 1 };
		const { json, warnings } = sent(plainCall({ sampling }));
		expect(json["inferenceConfig"]).toEqual({ maxTokens: 1_000, temperature: 1, topP: 0.5 });
		expect(warnings.map(({ code, param }) => [code, param])).toEqual([
			["parameter_changed", "temperature"],
			["parameter_dropped", "presence_penalty"],
			["parameter_dropped", "seed"],
		]);
	});

	it("tells Claude its effort as Anthropic's fields, and others as OpenAI's", () => {
		const fields = (asked: Asked) => sent(plainCall(), asked).json["additionalModelRequestFields"];
		expect(fields({ effort: "high" })).toEqual({ output_config: { effort: "high" } });
		expect(fields({ effort: "none" })).toEqual({ thinking: { type: "disabled" } });
		expect(fields({ effort: "default" })).toBeUndefined();
		expect(fields({ model: OTHER, effort: "low" })).toEqual({ reasoning_effort: "low" });
		expect(fields({ model: { ...OTHER, reasoning: null } })).toBeUndefined();
	});

	it("holds an answer to its schema as a text, and says what it does not hold it to", () => {
		const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
		const { json, warnings } = sent(
			plainCall({ output: { type: "json_schema", name: "num", description: "d", schema } }),
		);
		expect(json["outputConfig"]).toEqual({
			textFormat: {
				type: "json_schema",
				structure: {
					jsonSchema: {
						schema: JSON.stringify({ ...schema, properties: { n: { type: "integer" } }, additionalProperties: false }),
						name: "num",
						description: "d",
					},
				},
			},
		});
		expect(warnings.map(({ message }) => message)).toEqual([
			"basin-frontier does not enforce minimum in a schema; they were left out",
		]);
		expect(() => parseConverse(json)).not.toThrow();
		const any = sent(plainCall({ output: { type: "json_object" } }));
		expect(JSON.stringify(any.json["system"])).toContain("single JSON object");
		expect(any.warnings).toHaveLength(1);
	});

	it("asks Claude which stop sequence matched, and nobody else", () => {
		const paths = (asked: Asked) => sent(plainCall({ stop: ["END"] }), asked).json["additionalModelResponseFieldPaths"];
		expect([paths({}), paths({ isWhole: false }), paths({ model: OTHER })]).toEqual([
			["/stop_sequence"],
			["/delta/stop_sequence"],
			undefined,
		]);
	});
});

describe("tools of a Converse request", () => {
	const toolConfig = (call: Partial<ModelCall>, asked: Asked = {}) => {
		const { json, warnings } = sent(plainCall(call), asked);
		expect(() => parseConverse(json)).not.toThrow();
		const { tools = [], toolChoice } = (json["toolConfig"] ?? {}) as { tools?: Fields[]; toolChoice?: unknown };
		const own = Object(json["additionalModelRequestFields"]).tool_choice;
		return { names: tools.map((tool) => Object(tool["toolSpec"]).name), toolChoice, own, warnings };
	};

	it("are chosen among as Converse says it", () => {
		const tools = [look];
		expect(toolConfig({ tools })).toMatchObject({ names: ["look"], toolChoice: undefined, own: undefined });
		expect(toolConfig({ tools, toolChoice: "auto" }).toolChoice).toEqual({ auto: {} });
		expect(toolConfig({ tools, toolChoice: "required" }).toolChoice).toEqual({ any: {} });
		expect(toolConfig({ tools, toolChoice: { name: "look" } }).toolChoice).toEqual({ tool: { name: "look" } });
	});

	it("are forbidden, or called one by one, in Claude's own words", () => {
		const tools = [look];
		expect(toolConfig({ tools, toolChoice: "none" })).toMatchObject({ names: ["look"], own: { type: "none" } });
		const serial = toolConfig({ tools, toolChoice: "required", parallelToolCalls: false });
		expect(serial).toMatchObject({ toolChoice: undefined, own: { type: "any", disable_parallel_tool_use: true } });
	});

	it("are not shown to a model that cannot be told to call none, unless the conversation has calls", () => {
		const tools = [look];
		expect(toolConfig({ tools, toolChoice: "none" }, { model: OTHER })).toMatchObject({ names: [], warnings: [] });
		const inLoop = toolConfig({ tools, toolChoice: "none", messages: LOOP }, { model: OTHER });
		expect(inLoop.names).toEqual(["look"]);
		expect(inLoop.warnings.map(({ param }) => param)).toEqual(["tools"]);
		const refusing = { ...BEDROCK_MODEL.request, rejects: ["parallel_tool_calls"] };
		const refused = toolConfig(
			{ tools, toolChoice: "required", parallelToolCalls: false },
			{ model: { request: refusing } },
		);
		expect(refused).toMatchObject({ toolChoice: undefined, own: { type: "any" } });
		expect(refused.own).not.toHaveProperty("disable_parallel_tool_use");
		expect(refused.warnings.map(({ param }) => param)).toEqual(["parallel_tool_calls"]);
		const serial = toolConfig({ tools, parallelToolCalls: false }, { model: OTHER });
		expect(serial.warnings.map(({ code, param }) => [code, param])).toEqual([
			["parameter_dropped", "parallel_tool_calls"],
		]);
	});

	it("are defined by name for calls whose tools the request no longer has", () => {
		expect(toolConfig({ messages: LOOP })).toMatchObject({ names: ["look"], own: { type: "none" } });
		expect(toolConfig({ messages: LOOP }, { model: OTHER })).toMatchObject({ names: ["look"], own: undefined });
	});

	it("have ids of nine letters and digits where the row says so, and an output always", () => {
		const messages = [...LOOP.slice(0, 2), user({ type: "tool_result", callId: "t1", content: [text(" ")] })];
		const { json } = sent(plainCall({ messages, tools: [look] }), {
			provider: { tool_call_ids: "nine_alphanumerics" },
		});
		const [, asked, answered] = json["messages"] as { content: [Fields] }[];
		const id = Object(asked?.content[0]["toolUse"]).toolUseId;
		expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
		expect(answered?.content[0]["toolResult"]).toEqual({
			toolUseId: id,
			content: [{ text: "(The tool gave no output.)" }],
		});
	});
});

it("says that a tool failed by its status, or in words to a model that knows none", () => {
	const failed = user({ type: "tool_result", callId: "t1", content: [text("no")], isError: true });
	const result = (model: Partial<Model>) => {
		const { json } = sent(plainCall({ messages: [...LOOP.slice(0, 2), failed], tools: [look] }), { model });
		expect(() => parseConverse(json)).not.toThrow();
		return Object((json["messages"] as { content: Fields[] }[])[2]?.content[0]).toolResult;
	};
	const status = { toolUseId: "t1", content: [{ text: "no" }], status: "error" };
	expect(result({})).toEqual(status);
	expect(result({ upstream_model: "eu.amazon.nova-pro-v1:0", reasoning: null })).toEqual(status);
	expect(result(OTHER)).toEqual({ toolUseId: "t1", content: [{ text: "The tool failed:" }, { text: "no" }] });
});

describe("cache points", () => {
	const points = (call: Partial<ModelCall>, asked: Asked = {}): unknown[] => {
		const found: unknown[] = [];
		const { json } = sent(plainCall(call), asked);
		expect(() => parseConverse(json)).not.toThrow();
		JSON.stringify(json, (name, value) => {
			if (name === "cachePoint") found.push(value.ttl ?? "5m");
			return value;
		});
		return found;
	};
	const marked = (...marks: CacheMark[]) => ({
		messages: [user(...marks.map((mark, index) => text(`part ${index}`, mark)))],
	});

	it("stand behind what the client marked: tools, system, messages, results", () => {
		const cache: CacheMark = {};
		const messages: Message[] = [
			{ role: "system", content: [text("one", cache)] },
			...LOOP.slice(0, 2),
			user({ type: "tool_result", callId: "t1", content: [text("seen", cache)] }),
		];
		const { json } = sent(plainCall({ messages, tools: [{ ...look, cache }] }));
		const point = { cachePoint: { type: "default" } };
		expect(json["toolConfig"]).toMatchObject({ tools: [{ toolSpec: { name: "look" } }, point] });
		expect(json["system"]).toEqual([{ text: "one" }, point]);
		expect((json["messages"] as { content: unknown[] }[]).at(-1)?.content).toMatchObject([{ toolResult: {} }, point]);
	});

	it("are the last four, and none for an hour after one for minutes", () => {
		expect(points(marked({}, {}, {}, {}, {}))).toHaveLength(4);
		expect(points(marked({ ttl: "1h" }, { ttl: "5m" }, { ttl: "1h" }))).toEqual(["1h", "5m", "5m"]);
		expect(sent(plainCall(marked({ ttl: "1h" }))).writesHourCache).toBe(true);
		expect(sent(plainCall(marked({}))).writesHourCache).toBeUndefined();
	});

	it("stay out of requests to a model without a cache, and out of the tools of all but Claude", () => {
		expect(points(marked({ ttl: "1h" }), { model: OTHER })).toEqual([]);
		const nova = { upstream_model: "amazon.nova-pro-v1:0", reasoning: null };
		expect(points({ ...marked({}), tools: [{ ...look, cache: {} }] }, { model: nova })).toEqual(["5m"]);
	});
});

/** What a body's content is, in the order of its blocks. */
function answerOf(content: unknown[], more: Fields = {}) {
	const usage = { inputTokens: 9, outputTokens: 7, totalTokens: 16 };
	return bedrockWire.parseAnswer({
		output: { message: { role: "assistant", content } },
		stopReason: "end_turn",
		usage,
		metrics: { latencyMs: 1 },
		...more,
	});
}

describe("an answer", () => {
	it.each([
		["end_turn", "stop"],
		["stop_sequence", "stop"],
		["max_tokens", "length"],
		["model_context_window_exceeded", "length"],
		["content_filtered", "content_filter"],
		["guardrail_intervened", "content_filter"],
		["refusal", "content_filter"],
		["something_new", "stop"],
	])("that ends with %s ends with %s", (stopReason, reason) => {
		const answer = answerOf([{ text: "a" }], { stopReason });
		expect([answer?.finishReason, answer?.nativeFinishReason]).toEqual([reason, stopReason]);
	});

	it("that is malformed is none", () => {
		for (const stopReason of ["malformed_tool_use", "malformed_model_output"])
			expect(answerOf([{ text: "a" }], { stopReason })).toBeNull();
		for (const body of [null, {}, { output: {} }, { output: { message: { content: "a" } } }, { message: "m" }])
			expect(bedrockWire.parseAnswer(body)).toBeNull();
	});

	it("names the stop sequence that matched", () => {
		const fields = { stopReason: "stop_sequence", additionalModelResponseFields: { stop_sequence: "END" } };
		expect(answerOf([{ text: "a" }], fields)?.stopSequence).toBe("END");
	});

	it("counts what a cache held or got beside its input", () => {
		const counts = { inputTokens: 4, outputTokens: 3, cacheReadInputTokens: 2_000, cacheWriteInputTokens: 100 };
		const read = { uncachedInput: 4, cacheRead: 2_000, cacheWrite: 100, outputText: 3, reasoning: 0 };
		expect(usageFromBedrock({ ...counts, totalTokens: 2_107 })).toEqual(read);
		const cacheDetails = [
			{ ttl: "1h", inputTokens: 60 },
			{ ttl: "5m", inputTokens: 30 },
		];
		// Ten tokens that no detail names count as the dearer ones.
		expect(usageFromBedrock({ ...counts, cacheDetails })).toEqual({ ...read, cacheWrite: 30, hourCacheWrite: 70 });
		for (const wrong of [
			null,
			{},
			{ inputTokens: 1 },
			{ inputTokens: -1, outputTokens: 1 },
			{ inputTokens: "1", outputTokens: 1 },
		])
			expect(usageFromBedrock(wrong)).toBeNull();
	});
});

/** One block of an answer, whole and as deltas. */
interface Written {
	whole: Fields;
	start?: Fields;
	deltas: Fields[];
}

/** A text in pieces of its UTF-16 units: an upstream may cut a character in two. */
const pieces = (value: string, size: number) => value.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
const anyText = fc.string({ unit: "grapheme", maxLength: 40 });
const size = fc.integer({ min: 1, max: 9 });
const block: fc.Arbitrary<Written> = fc.oneof(
	fc.tuple(anyText, size).map(([value, by]) => ({
		whole: { text: value },
		deltas: pieces(value, by).map((piece) => ({ text: piece })),
	})),
	fc
		.tuple(anyText, fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }), size)
		.map(([value, signature, by]) => ({
			whole: { reasoningContent: { reasoningText: { text: value, ...(signature ? { signature } : {}) } } },
			deltas: [
				...pieces(value, by).map((piece) => ({ reasoningContent: { text: piece } })),
				...(signature ? [{ reasoningContent: { signature } }] : []),
			],
		})),
	fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), size).map(([bytes, by]) => {
		const parts = Array.from({ length: Math.ceil(bytes.length / by) }, (_, at) =>
			bytes.subarray(at * by, (at + 1) * by),
		);
		return {
			whole: { reasoningContent: { redactedContent: Buffer.from(bytes).toString("base64") } },
			deltas: parts.map((part) => ({ reasoningContent: { redactedContent: Buffer.from(part).toString("base64") } })),
		};
	}),
	fc
		.tuple(fc.dictionary(fc.string({ maxLength: 6 }), fc.oneof(anyText, fc.integer(), fc.boolean())), size)
		.map(([input, by]) => {
			const toolUse = { toolUseId: "tooluse_1", name: "look" };
			return {
				whole: { toolUse: { ...toolUse, input } },
				start: { toolUse },
				deltas: pieces(JSON.stringify(input), by).map((piece) => ({ toolUse: { input: piece } })),
			};
		}),
);
const stop = fc.constantFrom("end_turn", "max_tokens", "tool_use", "stop_sequence", "guardrail_intervened");
const count = fc.integer({ min: 0, max: 100_000 });
const usage = fc.record({
	inputTokens: count,
	outputTokens: count,
	cacheReadInputTokens: count,
	cacheWriteInputTokens: count,
});

function streamed(events: [name: string, fields: Fields][]) {
	const decoder = bedrockWire.createDecoder();
	const wellFormed = new WellFormedParts();
	const accumulator = new AnswerAccumulator();
	const parts: StreamPart[] = events.flatMap(([event, fields]) =>
		decoder.decode({ event, data: JSON.stringify({ ...fields, p: "abc" }) }),
	);
	for (const part of [...parts, ...decoder.end()]) {
		const passed = wellFormed.pass(part);
		if (passed) accumulator.add(passed);
	}
	for (const part of wellFormed.end()) accumulator.add(part);
	return {
		answer: toWellFormedAnswer(accumulator.answer()),
		isFinished: decoder.finished,
		reported: decoder.reportedUsage(),
	};
}

describe("a streamed answer", () => {
	it("reads and costs what the whole one does", () => {
		fc.assert(
			fc.property(fc.array(block, { maxLength: 5 }), stop, usage, (blocks, stopReason, counts) => {
				// A block without deltas is a text that says nothing.
				const said = blocks.filter(({ deltas, start }) => deltas.length > 0 || start);
				const whole = answerOf(
					said.map((one) => one.whole),
					{ stopReason, usage: counts },
				);
				const { answer, isFinished, reported } = streamed([
					["messageStart", { role: "assistant" }],
					...said.flatMap(({ start, deltas }, contentBlockIndex): [string, Fields][] => [
						...(start ? [["contentBlockStart", { contentBlockIndex, start }] as [string, Fields]] : []),
						...deltas.map((delta): [string, Fields] => ["contentBlockDelta", { contentBlockIndex, delta }]),
						["contentBlockStop", { contentBlockIndex }],
					]),
					["messageStop", { stopReason }],
					["metadata", { usage: counts, metrics: { latencyMs: 1 } }],
				]);
				expect(isFinished).toBe(true);
				expect(answer).toEqual(whole);
				const cost = (of: typeof answer.usage) => of && priceUsage(BEDROCK_MODEL, of, Date.UTC(2026, 10, 28));
				expect(cost(answer.usage)).toEqual(cost(whole?.usage ?? null));
				expect(reported).toEqual({ counts: whole?.usage, isFinal: true });
			}),
			{ numRuns: 400 },
		);
	});

	it("is not at its end without its counts, nor without its stop reason", () => {
		const counts: [string, Fields] = ["metadata", { usage: { inputTokens: 1, outputTokens: 1 } }];
		const end: [string, Fields] = ["messageStop", { stopReason: "end_turn" }];
		expect([streamed([end]), streamed([counts]), streamed([counts, end])].map(({ isFinished }) => isFinished)).toEqual([
			false,
			false,
			true,
		]);
		expect(streamed([end]).reported).toBeNull();
	});

	it.each([
		["an exception", "exception throttlingException", '{"message":"slow down"}', "slow down", "throttlingException"],
		[
			"an exception with the model's own words",
			"exception modelStreamErrorException",
			'{"message":"Model Stream Error","originalMessage":"it broke","originalStatusCode":500}',
			"it broke",
			"modelStreamErrorException",
		],
		[
			"an exception without words",
			"exception internalServerException",
			"",
			"internalServerException",
			"internalServerException",
		],
		[
			"what is not JSON",
			"contentBlockDelta",
			'{"contentBlockIndex":0,',
			"the stream holds an event that is not JSON",
			null,
		],
		[
			"what has no form",
			"contentBlockDelta",
			'{"delta":1}',
			"the stream holds a malformed contentBlockDelta event",
			null,
		],
		[
			"a malformed call",
			"messageStop",
			'{"stopReason":"malformed_tool_use"}',
			"the model's output was unusable: malformed_tool_use",
			"malformed_tool_use",
		],
	])("fails at %s, and says nothing after it", (_, event, data, message, code) => {
		const decoder = bedrockWire.createDecoder();
		expect(decoder.decode({ event, data })).toEqual([{ type: "failure", error: { message, code } }]);
		expect(decoder.decode({ event: "messageStop", data: '{"stopReason":"end_turn"}' })).toEqual([]);
		expect(decoder.finished).toBe(false);
	});
});

it("sends signed and encrypted reasoning back as it came", () => {
	const thought = { reasoningContent: { reasoningText: { text: "hm", signature: signThinking("hm") } } };
	const sealed = { reasoningContent: { redactedContent: "c2VhbGVk" } };
	const call = { toolUse: { toolUseId: "t1", name: "look", input: { at: 1 } } };
	const { content = [] } = answerOf([thought, sealed, call], { stopReason: "tool_use" }) ?? {};
	const messages: Message[] = [LOOP[0] as Message, { role: "assistant", content }, LOOP[2] as Message];
	const { json } = sent(plainCall({ messages, tools: [look] }));
	expect((json["messages"] as { content: unknown[] }[])[1]?.content).toEqual([thought, sealed, call]);
	// Claude refuses a message that ends with what it thought.
	const last: Message[] = [
		LOOP[0] as Message,
		{ role: "assistant", content: content.slice(0, 2) },
		user(text("go on")),
	];
	expect(JSON.stringify(sent(plainCall({ messages: last })).json)).not.toContain("reasoningContent");
});

describe("an error", () => {
	const parse = (body: unknown, type?: string) =>
		bedrockWire.parseError(body, new Headers(type === undefined ? {} : { "x-amzn-errortype": type }));

	it("has its kind from the header, and its words in whatever spelling", () => {
		expect(parse({ message: "m" }, "ThrottlingException:http://internal.amazon.com/")).toEqual({
			message: "m",
			code: "ThrottlingException",
		});
		expect(parse({ Message: "m" }, "AccessDeniedException")).toEqual({ message: "m", code: "AccessDeniedException" });
		expect(parse({ __type: "com.amazon.coral.service#ExpiredTokenException", message: "m" })).toEqual({
			message: "m",
			code: "ExpiredTokenException",
		});
		expect(parse({}, "ModelNotReadyException")).toEqual({
			message: "ModelNotReadyException",
			code: "ModelNotReadyException",
		});
		for (const body of [null, "<html>", [], {}]) expect(parse(body)).toBeNull();
	});

	it("of the clock says so", () => {
		const message =
			"Signature expired: 20261128T190000Z is now earlier than 20261128T195500Z (20261128T200000Z - 5 min.)";
		expect(parse({ message }, "InvalidSignatureException")).toEqual({
			message: `the clocks of this service and of AWS differ: ${message}`,
			code: "clock_skew",
		});
	});
});

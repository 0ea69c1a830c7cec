// A Messages body as a call: what each block becomes, what is left out and said, and that chat's form gives the same.
import { describe, expect, it } from "vitest";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { messagesRequestSchema } from "../../../src/messages/request.ts";
import { type MessagesContext, toMessagesCall } from "../../../src/messages/to-call.ts";
import type { ModelCall } from "../../../src/providers/model-call.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

type Body = Record<string, unknown>;

function read(body: Body, more: Partial<MessagesContext> = {}) {
	const parsed = messagesRequestSchema.parse(body);
	return toMessagesCall(parsed, { catalog: TEST_CATALOG, opened: new Map(), rawBody: body, ...more });
}

function callFrom(body: Body, more: Partial<MessagesContext> = {}) {
	const result = read(body, more);
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return result.value;
}

/** The paths and messages of what validation refuses. */
function refusals(body: Body): [string, string][] {
	const { error } = messagesRequestSchema.safeParse(body);
	return (error?.issues ?? []).map(({ path, message }) => [path.join("."), message]);
}

const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const text = (value: string, more: Body = {}) => ({ type: "text", text: value, ...more });
const withUser = (...content: unknown[]): Body => ({ max_tokens: 100, messages: [user(...content)] });
const QUESTION = withUser(text("Hi"));

describe("the same conversation in chat's form and in Anthropic's", () => {
	const PNG = "iVBORw0KGgo=";
	const WEATHER = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
	const first = markedCallId("toolu_1", "summit-premium");
	const second = markedCallId("toolu_2", "summit-premium");
	const chat: Body = {
		model: "summit-premium",
		max_tokens: 1_024,
		temperature: 0.2,
		top_p: 0.9,
		stop: ["END"],
		user: "u-1",
		reasoning_effort: "high",
		parallel_tool_calls: false,
		tool_choice: "required",
		tools: [
			{ type: "function", function: { name: "weather", description: "Weather", parameters: WEATHER, strict: true } },
		],
		response_format: { type: "json_schema", json_schema: { name: "output", schema: WEATHER } },
		messages: [
			{
				role: "system",
				content: [
					{ type: "text", text: "Be brief." },
					{ type: "text", text: "Be kind." },
				],
			},
			{
				role: "user",
				content: [
					{ type: "text", text: "Where is this?" },
					{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
					{ type: "image_url", image_url: { url: "https://example.com/a.png" } },
				],
			},
			{ role: "system", content: "The user is in a hurry." },
			{
				role: "assistant",
				content: "Let me look.",
				reasoning_content: "Two cities.",
				tool_calls: [
					{ id: first, type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } },
					{ id: second, type: "function", function: { name: "weather", arguments: '{"city":"Genf"}' } },
				],
			},
			{ role: "tool", tool_call_id: first, content: "sunny" },
			{ role: "tool", tool_call_id: second, content: [{ type: "text", text: "rainy" }] },
		],
	};
	const messages: Body = {
		model: "summit-premium",
		max_tokens: 1_024,
		temperature: 0.2,
		top_p: 0.9,
		stop_sequences: ["END"],
		metadata: { user_id: "u-1" },
		output_config: { effort: "high", format: { type: "json_schema", schema: WEATHER } },
		tool_choice: { type: "any", disable_parallel_tool_use: true },
		tools: [{ name: "weather", description: "Weather", input_schema: WEATHER, strict: true }],
		system: [text("Be brief."), text("Be kind.")],
		messages: [
			user(
				text("Where is this?"),
				{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
				{ type: "image", source: { type: "url", url: "https://example.com/a.png" } },
			),
			{ role: "system", content: "The user is in a hurry." },
			assistant(
				{ type: "thinking", thinking: "Two cities.", signature: "" },
				text("Let me look."),
				{ type: "tool_use", id: first, name: "weather", input: { city: "Bern" } },
				{ type: "tool_use", id: second, name: "weather", input: { city: "Genf" } },
			),
			user(
				{ type: "tool_result", tool_use_id: first, content: "sunny" },
				{ type: "tool_result", tool_use_id: second, content: [text("rainy")] },
			),
		],
	};
	const chatCall = (body: Body): ModelCall => toModelCall(chatRequestSchema.parse(body), TEST_CATALOG);

	it("is the same call", () => {
		const { call, warnings } = callFrom(messages);
		expect(call).toEqual(chatCall(chat));
		expect(call.toolLoopModel).toBe("summit-premium");
		expect(warnings).toEqual([]);
	});

	it("is the same call with Anthropic's signed thinking", () => {
		const block = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
		const redacted = { type: "redacted_thinking", data: "RXNlY3JldA==" };
		const { call } = callFrom({
			max_tokens: 9,
			messages: [user(text("Hi")), assistant(block, redacted, text("Hello")), user(text("And?"))],
		});
		const inChat = chatCall({
			max_tokens: 9,
			messages: [
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: "Hello", thinking_blocks: [block, redacted] },
				{ role: "user", content: "And?" },
			],
		});
		expect(call).toEqual(inChat);
	});

	it("is the same but for the marks of cached prefixes", () => {
		const marked = callFrom({
			...QUESTION,
			system: [text("Be brief.", { cache_control: { type: "ephemeral", ttl: "1h" } })],
			tools: [{ name: "f", input_schema: WEATHER, cache_control: { type: "ephemeral" } }],
			cache_control: { type: "ephemeral" },
		}).call;
		expect(marked.messages).toEqual([
			{ role: "system", content: [{ type: "text", text: "Be brief.", cache: { ttl: "1h" } }] },
			{ role: "user", content: [{ type: "text", text: "Hi", cache: {} }] },
		]);
		expect(marked.tools[0]?.cache).toEqual({});
	});
});

describe("blocks", () => {
	it("of a user stand after tool results, each result in a message of its own", () => {
		const { call } = callFrom(
			withUser(
				text("And now?"),
				{ type: "tool_result", tool_use_id: "a", content: "1", is_error: true },
				{ type: "tool_result", tool_use_id: "b", is_error: false },
			),
		);
		expect(call.messages).toEqual([
			{ role: "user", content: [{ type: "tool_result", callId: "a", content: [text("1")], isError: true }] },
			{ role: "user", content: [{ type: "tool_result", callId: "b", content: [text("")] }] },
			{ role: "user", content: [text("And now?")] },
		]);
	});

	it("that are documents become text, headed by title and context", () => {
		const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
		const { call, warnings } = callFrom(
			withUser(
				{ type: "document", source: { type: "text", media_type: "text/plain", data: "One" }, title: "T", context: "C" },
				{ type: "document", source: { type: "base64", media_type: "text/csv", data: "w6Qs4oKs" } },
				{
					type: "document",
					source: { type: "content", content: [picture, text("seen")] },
					title: "T",
					citations: { enabled: true },
				},
				{ type: "search_result", source: "https://a.example", title: "A", content: [text("x"), text("y")] },
			),
		);
		expect(call.messages[0]?.content).toEqual([
			text("Document: T\nContext: C\n\nOne"),
			text("ä,€"),
			text("Document: T"),
			{ type: "image", url: "data:image/png;base64,AAAA" },
			text("seen"),
			text("A (https://a.example)\nx\ny"),
		]);
		expect(warnings.map(({ param }) => param)).toEqual(["messages[0].content[2].citations"]);
	});

	it("that a wire would have to fetch, and files, are refused by name", () => {
		const document = (source: Body) => ({ type: "document", source });
		const body = withUser(
			document({ type: "base64", media_type: "application/pdf", data: "AAAA" }),
			document({ type: "url", url: "https://example.com/a.pdf" }),
			document({ type: "file", file_id: "file_1" }),
			{ type: "image", source: { type: "file", file_id: "file_1" } },
			{ type: "image", source: { type: "url", url: "http://example.com/a.png" } },
			document({ type: "base64", media_type: "text/plain", data: "/////w==" }),
		);
		expect(refusals(body)).toEqual([
			["messages.0.content.0.source", expect.stringMatching(/^is no PDF/)],
			["messages.0.content.1.source.type", expect.stringMatching(/^url: /)],
			["messages.0.content.2.source.type", expect.stringMatching(/^file: /)],
			["messages.0.content.3.source.type", expect.stringMatching(/^file: /)],
			["messages.0.content.4.source.url", expect.stringMatching(/https/)],
			["messages.0.content.5.source", expect.stringMatching(/UTF-8/)],
		]);
	});

	it("of an unknown type are refused with type and path", () => {
		expect(refusals({ messages: [user({ type: "hologram" }), assistant(text("a"), { type: "image" })] })).toEqual([
			["messages.0.content.0.type", '"hologram" is no block of a user message'],
			["messages.1.content.1.type", '"image" is no block of an assistant message'],
		]);
	});

	it("of Anthropic's own tools are left out, with one warning for each type", () => {
		const { call, warnings } = callFrom({
			max_tokens: 9,
			messages: [
				user(text("Hi"), { type: "container_upload", file_id: "f" }),
				assistant(
					{ type: "server_tool_use", id: "s", name: "web_search", input: {} },
					{ type: "web_search_tool_result", tool_use_id: "s", content: [] },
					{ type: "server_tool_use", id: "t", name: "web_search", input: {} },
					text("Found."),
				),
				assistant({ type: "server_tool_use", id: "t", name: "web_search", input: {} }),
				user({ type: "compaction", content: "We met." }, text("Thanks")),
			],
		});
		expect(call.messages).toEqual([user(text("Hi")), assistant(text("Found.")), user(text("We met."), text("Thanks"))]);
		expect(warnings.map(({ code, param }) => [code, param])).toEqual([
			["input_dropped", "messages[0].content[1]"],
			["input_dropped", "messages[1].content[0]"],
			["input_dropped", "messages[1].content[1]"],
		]);
	});

	it("of reasoning that this service sealed become what was sealed, and give calls their signatures", () => {
		const sealed = { type: "redacted_thinking", data: "svc1AAAA" };
		const id = markedCallId("call_1", "glint-budget");
		const opened = new Map([
			[
				"svc1AAAA",
				{
					provider: "acme",
					modelId: "glint-budget",
					parts: [
						{ type: "provider" as const, wire: "google" as const, block: { type: "google.thought_signature" } },
						{ type: "tool_call" as const, id: "call_1", name: "f", arguments: "", signature: "c2ln" },
					],
				},
			],
		]);
		const body = {
			max_tokens: 9,
			messages: [user(text("Hi")), assistant(sealed, { type: "tool_use", id, name: "f", input: {} })],
		};
		expect(callFrom(body, { opened }).call.messages[1]?.content).toEqual([
			{ type: "provider", wire: "google", block: { type: "google.thought_signature" }, onlyFor: "glint-budget" },
			{ type: "tool_call", id: "call_1", name: "f", arguments: "{}", signature: "c2ln", onlyFor: "glint-budget" },
		]);
		expect(read(body, { opened: new Map([["svc1AAAA", null]]) })).toMatchObject({
			ok: false,
			failure: { reason: "invalid_encrypted_content" },
		});
	});
});

describe("tools", () => {
	const own = (name: string) => ({ name, input_schema: { type: "object" } });

	it("that Anthropic runs are left out and named; those that the client runs become functions", () => {
		const { call, warnings } = callFrom({
			...QUESTION,
			tools: [
				{ ...own("mine"), type: "custom", defer_loading: true },
				{ type: "web_search_20250305", name: "web_search", max_uses: 3 },
				{ type: "bash_20250124", name: "bash" },
				{ type: "computer_20251124", name: "computer", display_width_px: 1 },
				{ type: "teleport_20270101", name: "teleport" },
			],
			tool_choice: { type: "auto" },
		});
		expect(call.tools.map(({ name }) => name)).toEqual(["mine", "bash"]);
		expect(call.toolChoice).toBe("auto");
		expect(warnings.map(({ code, param }) => [code, param])).toEqual([
			["tool_dropped", "tools[1]"],
			["parameter_changed", "tools[2]"],
			["tool_dropped", "tools[3]"],
			["tool_dropped", "tools[4]"],
		]);
	});

	it("that cannot be sent are refused where tool_choice demands one", () => {
		const tools = [{ type: "web_search_20250305", name: "web_search" }];
		const failure = (path: string) => ({ ok: false, failure: { reason: "invalid_request", issues: [{ path }] } });
		expect(read({ ...QUESTION, tools, tool_choice: { type: "tool", name: "web_search" } })).toMatchObject(
			failure("tool_choice.name"),
		);
		expect(read({ ...QUESTION, tools, tool_choice: { type: "any" } })).toMatchObject(failure("tool_choice"));
		expect(callFrom({ ...QUESTION, tools, tool_choice: { type: "auto" } }).call.toolChoice).toBeUndefined();
		const both = [...tools, own("mine")];
		expect(callFrom({ ...QUESTION, tools: both, tool_choice: { type: "tool", name: "mine" } }).call.toolChoice).toEqual(
			{
				name: "mine",
			},
		);
	});

	it("change with what system messages add and take away", () => {
		const change = (type: string, tool: Body) => ({ type, tool });
		const { call } = callFrom({
			...QUESTION,
			tools: [own("a"), own("b")],
			messages: [
				user(text("Hi")),
				{
					role: "system",
					content: [
						change("tool_removal", { type: "tool_reference", name: "a" }),
						change("tool_addition", { type: "tool_definition", definition: own("c") }),
					],
				},
				{ role: "system", content: [change("tool_removal", { type: "tool_reference", name: "b" })] },
				{ role: "system", content: [change("tool_addition", { type: "tool_reference", name: "a" })] },
			],
		});
		expect(call.tools.map(({ name }) => name)).toEqual(["c", "a"]);
		expect(call.messages).toEqual([user(text("Hi"))]);
	});
});

describe("limits and effort", () => {
	it("leave room for a short answer under a high ceiling", () => {
		expect(callFrom({ ...QUESTION, max_tokens: 128_000 })).toMatchObject({
			call: { maxTokens: 1_024 },
			options: { outputLimit: { atMost: 128_000 } },
		});
		expect(callFrom(QUESTION)).toMatchObject({ call: { maxTokens: 100 }, options: { outputLimit: { atMost: 100 } } });
		expect(callFrom({ messages: QUESTION["messages"] })).toMatchObject({
			call: { maxTokens: 1_024 },
			options: { model: "auto", mode: null, outputLimit: { atMost: 32_000, isDefault: true } },
		});
	});

	it.each([
		[{}, {}],
		[{ thinking: null, output_config: null }, {}],
		[{ thinking: { type: "disabled" } }, { effort: "none" }],
		[{ thinking: { type: "adaptive", display: "omitted" } }, { preferredEffort: "medium" }],
		[{ thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } }, { effort: "xhigh" }],
		[{ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 1_024 } }, { preferredEffort: "minimal" }],
		[{ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 10_000 } }, { preferredEffort: "low" }],
		[{ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 16_000 } }, { preferredEffort: "medium" }],
		[{ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 31_999 } }, { preferredEffort: "high" }],
	])("%j is %j", (body, expected) => {
		const { effort, preferredEffort } = callFrom({ ...QUESTION, ...body }).call;
		expect({ ...(effort && { effort }), ...(preferredEffort && { preferredEffort }) }).toEqual(expected);
	});

	it("follow the last system message that names an effort", () => {
		const turn = (effort: string | null) => ({ role: "system", output_config: { effort } });
		const body = { ...QUESTION, output_config: { effort: "low" } };
		const messages = [user(text("Hi")), turn("high"), turn("max"), turn(null)];
		expect(callFrom({ ...body, messages }).call.effort).toBe("max");
	});
});

describe("the origins of a call's messages", () => {
	it("are the client's messages, also where one became several or none", () => {
		const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: id });
		const { call, origins } = callFrom({
			max_tokens: 9,
			system: "Be brief.",
			messages: [user({ type: "container_upload", file_id: "f" }), user(result("a"), result("b"), text("c"))],
		});
		expect(call.messages).toHaveLength(4);
		expect(origins).toEqual([null, 1, 1, 1]);
	});
});

describe("system messages", () => {
	it("that end with the next user message are not sent after it", () => {
		const note = (clear_at: string) => ({ role: "system", content: clear_at, clear_at });
		const before = [user(text("Hi")), note("next_user_message"), note("never")];
		const sent = (messages: unknown[]) => callFrom({ ...QUESTION, messages }).call.messages.length;
		expect(sent(before)).toBe(3);
		expect(sent([...before, assistant(text("Hello")), user(text("And?"))])).toBe(4);
	});

	it("alone, without a text, leave nothing to send", () => {
		const messages = [{ role: "system", output_config: { effort: "low" } }];
		expect(read({ ...QUESTION, messages })).toMatchObject({ ok: false, failure: { reason: "invalid_request" } });
	});
});

describe("an answer that the client began", () => {
	const body = { max_tokens: 9, messages: [user(text("Hi")), assistant(text("{"))] };

	it("is kept, with a warning where the model would not go on with it", () => {
		expect(callFrom(body).warnings.map(({ param }) => param)).toEqual(["messages[1]"]);
		expect(callFrom({ ...body, model: "summit-premium" }).warnings).toEqual([]);
		expect(callFrom(body).call.messages.at(-1)).toEqual(assistant(text("{")));
	});
});

const CLIENT_FILES = ["claude-code-2.1.330-1.json", "claude-code-2.1.330-2-tool-result.json"];

describe.runIf(CLIENT_FILES.every((file) => hasSharedData(`clients/${file}`)))("what Claude Code sends", () => {
	it.each(CLIENT_FILES)("%s is a call without a warning", (file) => {
		const { body, headers } = JSON.parse(readSharedData(`clients/${file}`));
		const { call, options, warnings } = callFrom(body, { betas: headers["anthropic-beta"] });
		expect(warnings).toEqual([]);
		expect(call.tools).toHaveLength(12);
		expect(call).toMatchObject({ effort: "medium", user: expect.any(String), maxTokens: 1_024 });
		const outputLimit = { atMost: 128_000 };
		expect(options).toEqual({ model: "claude-opus-5-5", mode: null, outputLimit });
	});
});

// The call of a Responses body: the same as of the same conversation through chat.
import { describe, expect, it } from "vitest";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { callFor, failureFor, faultsOf } from "../../support/responses.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

const [MODEL] = TEST_CATALOG.models;
if (!MODEL) throw new Error("the test catalog is empty");
const CALL_ID = markedCallId("call_1", MODEL.id);

/** The same conversation in both forms. */
const CHAT = {
	messages: [
		{ role: "system", content: "Be brief." },
		{ role: "developer", content: "Use tools." },
		{
			role: "user",
			content: [
				{ type: "text", text: "What is this?" },
				{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
			],
		},
		{
			role: "assistant",
			reasoning_content: "I should look.",
			content: "Let me look.",
			tool_calls: [
				{ id: CALL_ID, type: "function", function: { name: "look", arguments: '{"at":"it"}' } },
				{ id: "call_2", type: "function", function: { name: "look", arguments: "{}" } },
			],
		},
		{ role: "tool", tool_call_id: CALL_ID, content: "a cat" },
		{ role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "a dog" }] },
	],
	tools: [
		{
			type: "function",
			function: { name: "look", description: "Looks.", parameters: { type: "object", properties: {} }, strict: false },
		},
	],
	tool_choice: { type: "function", function: { name: "look" } },
	parallel_tool_calls: true,
	response_format: { type: "json_schema", json_schema: { name: "animal", schema: { type: "object" }, strict: true } },
	temperature: 0.2,
	top_p: 0.9,
	logprobs: true,
	top_logprobs: 3,
	reasoning_effort: "low",
	user: "u-1",
	prompt_cache_key: "k",
	verbosity: "low",
	max_tokens: 500,
};
const RESPONSES = {
	instructions: "Be brief.",
	input: [
		{ role: "developer", content: "Use tools." },
		{
			type: "message",
			role: "user",
			content: [
				{ type: "input_text", text: "What is this?" },
				{ type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
			],
		},
		{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "I should look." }] },
		{
			type: "message",
			id: "msg_1",
			role: "assistant",
			status: "completed",
			content: [{ type: "output_text", text: "Let me look.", annotations: [], logprobs: [] }],
		},
		{
			type: "function_call",
			id: "fc_1",
			call_id: CALL_ID,
			name: "look",
			arguments: '{"at":"it"}',
			status: "completed",
		},
		{ type: "function_call", id: "fc_2", call_id: "call_2", name: "look", arguments: "{}" },
		{ type: "function_call_output", call_id: CALL_ID, output: "a cat" },
		{ type: "function_call_output", call_id: "call_2", output: [{ type: "input_text", text: "a dog" }] },
	],
	tools: [
		{
			type: "function",
			name: "look",
			description: "Looks.",
			parameters: { type: "object", properties: {} },
			strict: false,
		},
	],
	tool_choice: { type: "function", name: "look" },
	parallel_tool_calls: true,
	text: { format: { type: "json_schema", name: "animal", schema: { type: "object" }, strict: true }, verbosity: "low" },
	temperature: 0.2,
	top_p: 0.9,
	include: ["message.output_text.logprobs"],
	top_logprobs: 3,
	reasoning: { effort: "low", summary: "auto" },
	user: "u-1",
	prompt_cache_key: "k",
	max_output_tokens: 500,
};

describe("a conversation", () => {
	it("gives the same call through chat and through Responses", () => {
		const chat = toModelCall(chatRequestSchema.parse(CHAT), TEST_CATALOG);
		const { call, warnings } = callFor(RESPONSES);
		expect(call).toEqual(chat);
		expect(call.toolLoopModel).toBe(MODEL.id);
		expect(warnings).toEqual([]);
	});

	it("of one text is a message of the user's", () => {
		const { call, options } = callFor({ input: "hi" });
		expect(call.messages).toEqual([{ role: "user", content: [{ type: "text", text: "hi" }] }]);
		const outputLimit = { atMost: 32_000, isDefault: true };
		expect(options).toEqual({ model: "auto", mode: null, outputLimit, defaultMaxTokens: 32_000 });
	});

	it("is needed", () => {
		const missing = { reason: "invalid_request", issues: [{ path: "input", message: "is missing or empty" }] };
		for (const input of [undefined, null, "", []]) expect(failureFor({ input })).toEqual(missing);
		const message = "holds nothing that a model can be sent";
		expect(failureFor({ input: [{ type: "reasoning", summary: [] }] })).toMatchObject({
			issues: [{ path: "input", message }],
		});
	});
});

describe("a faulty item", () => {
	it("is named by index and type", () => {
		expect(faultsOf({ input: [{ role: "user", content: "hi" }, { type: "telepathy_call" }] })).toEqual([
			'input.1.type: unknown type "telepathy_call"',
		]);
		expect(faultsOf({ input: [{ type: "function_call", call_id: "c", name: "f" }] })).toEqual([
			"input.0.arguments: Invalid input: expected string, received undefined",
		]);
		expect(faultsOf({ input: [{ role: "user", content: [{ type: "input_video" }] }] })).toEqual([
			'input.0.content.0.type: unknown type "input_video"',
		]);
		expect(faultsOf({ input: 7 })).toEqual(["input: must be a string or an array of items"]);
	});
});

describe.skipIf(!hasSharedData("clients"))("what Codex sends", () => {
	const names = ["auto-1", "auto-2-tool-output", "gpt-6-astra", "gpt-6-sol"];

	it.each(names)("%s can be served, with a warning for its web search alone", (name) => {
		const { body } = JSON.parse(readSharedData(`clients/codex-0.169-${name}.json`));
		const { call, warnings } = callFor(body);
		expect(warnings.map(({ message }) => message)).toEqual(
			name.startsWith("auto") ? ["this service cannot run web_search, so it was left out"] : [],
		);
		expect(call.tools.map((tool) => tool.name)).toContain(
			name.startsWith("auto") ? "multi_agent_v1__spawn_agent" : "functions__exec",
		);
	});
});

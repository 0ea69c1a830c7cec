// Items as messages: turns, tool loops, reasoning, files, and what no model can be sent.
import { describe, expect, it } from "vitest";
import type { OpenedReasoning } from "../../../src/inference/sealed-reasoning.edge.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import type { AssistantPart } from "../../../src/providers/model-call.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { callFor, failureFor } from "../../support/responses.ts";

const MODEL_ID = TEST_CATALOG.models[1]?.id ?? "";
const USER = { role: "user", content: "hi" };
const call = (call_id: string, more = {}) => ({ type: "function_call", call_id, name: "f", arguments: "{}", ...more });
const output = (call_id: string, text = "done") => ({ type: "function_call_output", call_id, output: text });
const said = (text: string) => ({ role: "assistant", content: [{ type: "output_text", text }] });

const messagesOf = (...input: object[]) => callFor({ input }).call.messages;
const issuesOf = (...input: object[]) => {
	const failure = failureFor({ input });
	return failure.reason === "invalid_request"
		? failure.issues.map(({ path, message }) => `${path}: ${message}`)
		: failure;
};
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("items of the assistant that follow each other", () => {
	it("are one turn, in their order, and each output is a message", () => {
		const messages = messagesOf(
			USER,
			said("a"),
			call("c1"),
			said("b"),
			call("c2"),
			output("c2"),
			output("c1"),
			said("c"),
		);
		expect(messages.map(({ role, content }) => `${role} ${content.map(({ type }) => type).join(" ")}`)).toEqual([
			"user text",
			"assistant text tool_call text tool_call",
			"user tool_result",
			"user tool_result",
			"assistant text",
		]);
	});

	it("are parted by outputs, so that a loop of calls alternates", () => {
		const messages = messagesOf(USER, call("c1"), output("c1"), call("c2"), output("c2"));
		expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
	});

	it("that are empty say nothing, and nothing is said of them", () => {
		const { call: made, warnings } = callFor({ input: [USER, { role: "assistant", content: [] }, USER] });
		expect(made.messages.map(({ role }) => role)).toEqual(["user", "user"]);
		expect(warnings).toEqual([]);
	});

	it("that are reasoning alone are left out with a warning", () => {
		const reasoning = { type: "reasoning", id: "rs", summary: [], content: [{ type: "reasoning_text", text: "hm" }] };
		const { call: made, warnings } = callFor({ input: [USER, reasoning] });
		expect(made.messages).toHaveLength(1);
		expect(warnings).toMatchObject([{ code: "input_dropped", param: "input" }]);
	});
});

describe("an output", () => {
	it("continues the model that made its call, by the call's mark", () => {
		const id = markedCallId("call_x", MODEL_ID);
		const { toolLoopModel, messages } = callFor({ input: [USER, call(id), output(id)] }).call;
		expect(toolLoopModel).toBe(MODEL_ID);
		expect(messages[2]?.content).toMatchObject([{ callId: "call_x" }]);
		expect(callFor({ input: [USER, call(id), output(id), USER] }).call.toolLoopModel).toBeUndefined();
	});

	it("without an earlier call is refused by its place", () => {
		expect(issuesOf(USER, output("c1"), call("c1"))).toEqual([
			"input.1.call_id: no earlier item is the call of this function_call_output",
		]);
	});

	it("has texts, images and files of text", () => {
		const parts = [
			{ type: "input_text", text: "see" },
			{ type: "input_image", image_url: "https://a.test/b.png", detail: "auto" },
			{ type: "input_file", filename: "a.md", file_data: `data:text/markdown;base64,${base64("# hi")}` },
		];
		expect(messagesOf(USER, call("c"), { ...output("c"), output: parts })[2]?.content).toEqual([
			{
				type: "tool_result",
				callId: "c",
				content: [
					{ type: "text", text: "see" },
					{ type: "image", url: "https://a.test/b.png", detail: "auto" },
					{ type: "text", text: "File: a.md\n\n# hi" },
				],
			},
		]);
	});

	it("of a custom tool answers a call whose argument is one text", () => {
		const custom = { type: "custom_tool_call", call_id: "c", name: "exec", input: 'ls "a"\n' };
		const result = { type: "custom_tool_call_output", call_id: "c", output: "a" };
		expect(messagesOf(USER, custom, result).slice(1)).toEqual([
			{
				role: "assistant",
				content: [{ type: "tool_call", id: "c", name: "exec", arguments: '{"input":"ls \\"a\\"\\n"}' }],
			},
			{ role: "user", content: [{ type: "tool_result", callId: "c", content: [{ type: "text", text: "a" }] }] },
		]);
	});
});

describe("sealed reasoning", () => {
	const thinking: AssistantPart = { type: "provider", wire: "anthropic", block: { type: "thinking", signature: "s" } };
	const ofText: AssistantPart = {
		type: "provider",
		wire: "google",
		block: { type: "google.thought_signature", thoughtSignature: "t" },
	};
	const ofCall: AssistantPart = {
		type: "tool_call",
		id: markedCallId("c", MODEL_ID),
		name: "f",
		arguments: "",
		signature: "u",
	};
	const item = (encrypted_content: string, text = "") => ({
		type: "reasoning",
		summary: text === "" ? [] : [{ type: "summary_text", text }],
		encrypted_content,
	});
	const opened = (...parts: AssistantPart[]): ReadonlyMap<string, OpenedReasoning> =>
		new Map([["sealed", { provider: "p", modelId: MODEL_ID, parts }]]);
	const turn = (parts: AssistantPart[], ...input: object[]) =>
		callFor({ input: [USER, ...input] }, { opened: opened(...parts) }).call.messages[1]?.content;

	it("stands before the answer, for its model only", () => {
		expect(turn([thinking], item("sealed", "hm"), said("ho"))).toEqual([
			{ type: "reasoning", text: "hm", onlyFor: MODEL_ID },
			{ ...thinking, onlyFor: MODEL_ID },
			{ type: "text", text: "ho" },
		]);
	});

	it("that holds its text is not said twice", () => {
		expect(turn([{ type: "reasoning", text: "all of it" }], item("sealed", "some"), said("ho"))).toEqual([
			{ type: "reasoning", text: "all of it", onlyFor: MODEL_ID },
			{ type: "text", text: "ho" },
		]);
	});

	it("puts the signature of a text behind it, and that of a call on the call", () => {
		expect(turn([ofText, ofCall], item("sealed"), said("ho"), call(markedCallId("c", MODEL_ID)))).toEqual([
			{ type: "text", text: "ho" },
			{ ...ofText, onlyFor: MODEL_ID },
			{ type: "tool_call", id: "c", name: "f", arguments: "{}", signature: "u", onlyFor: MODEL_ID },
		]);
	});

	it("signs the call that follows it, though calls of other turns have the same id", () => {
		const id = markedCallId("c", MODEL_ID);
		const signed = (signature: string): OpenedReasoning => ({
			provider: "p",
			modelId: MODEL_ID,
			parts: [{ ...ofCall, signature }],
		});
		const input = [USER, item("one"), call(id), output(id), item("two"), call(id), output(id), call(id), output(id)];
		const both = new Map([
			["one", signed("first")],
			["two", signed("second")],
		]);
		const parts = callFor({ input }, { opened: both }).call.messages.flatMap(({ content }): object[] => content);
		expect(parts.filter((part) => "type" in part && part.type === "tool_call")).toMatchObject([
			{ signature: "first" },
			{ signature: "second" },
			expect.not.objectContaining({ signature: expect.anything() }),
		]);
	});

	it("that does not open is refused by its place", () => {
		expect(failureFor({ input: [USER, item("gAAAA"), said("ho")] })).toMatchObject({
			reason: "invalid_encrypted_content",
			param: "input[1].encrypted_content",
		});
		expect(failureFor({ input: [{ type: "compaction", encrypted_content: "gAAAA" }, USER] })).toMatchObject({
			reason: "invalid_encrypted_content",
			param: "input[0].encrypted_content",
		});
	});
});

describe("an item", () => {
	it("of a tool that ran elsewhere is left out with its output, and named", () => {
		const shell = { type: "local_shell_call", id: "ls", call_id: "s", action: { type: "exec", command: ["ls"] } };
		const search = { type: "web_search_call", id: "ws", status: "completed" };
		const { call: made, warnings } = callFor({ input: [USER, search, shell, output("s"), said("ho")] });
		expect(made.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
		expect(warnings.map(({ param, message }) => `${param}: ${message}`)).toEqual([
			"input[1]: models here cannot be sent web_search_call, so it was left out",
			"input[2]: models here cannot be sent local_shell_call, so it was left out",
			"input[3]: its call was left out, so this function_call_output was, too",
		]);
	});

	it("that refers to another which is not stored is refused", () => {
		expect(failureFor({ input: [USER, { type: "item_reference", id: "msg_1" }] })).toMatchObject({
			reason: "previous_response_not_found",
			param: "input[1].id",
		});
	});

	it("has any id of the client's, and members that answers have", () => {
		const { warnings } = callFor({
			input: [
				{ type: "message", id: "msg_é 1", role: "user", content: "hi", status: "completed" },
				{ ...said("ho"), id: "x".repeat(300), type: "message", status: "in_progress", phase: "commentary" },
				{ ...call("c"), id: "fc", status: "completed" },
				{ ...output("c"), id: "fco", name: "f", status: "completed" },
			],
		});
		expect(warnings).toEqual([]);
	});
});

describe("content", () => {
	const user = (...content: object[]) => ({ role: "user", content });

	it("that would have to be fetched is refused by name", () => {
		const content = [
			{ type: "input_image", file_id: "file-1" },
			{ type: "input_file", file_id: "file-1" },
			{ type: "input_file", file_url: "https://a.test/a.txt" },
			{ type: "input_file" },
			{ type: "input_image" },
		];
		expect(issuesOf(user(...content))).toEqual([
			"input.0.content.0.file_id: files are not stored here; send the image as image_url",
			"input.0.content.1.file_id: files are not stored here; send the content itself as file_data",
			"input.0.content.2.file_url: files are not fetched; send the content as file_data",
			"input.0.content.3.file_data: is missing",
			"input.0.content.4.image_url: is missing",
		]);
	});

	it("is refused in a message of a role that has none such", () => {
		const image = { type: "input_image", image_url: "https://a.test/b.png" };
		expect(
			issuesOf(
				{ role: "developer", content: [image] },
				user({ type: "refusal", refusal: "no" }),
				{ role: "assistant", content: [image] },
				user(),
			),
		).toEqual([
			"input.0.content.0: a system or developer message holds text only",
			"input.1.content.0: only an assistant's message can hold a refusal",
			"input.2.content.0: an assistant's message holds text and refusals only",
			"input.3.content: must not be empty",
		]);
	});

	it("of an assistant can be a refusal", () => {
		const refused = { role: "assistant", content: [{ type: "refusal", refusal: "no" }] };
		expect(messagesOf(USER, refused)[1]?.content).toEqual([{ type: "refusal", text: "no" }]);
	});

	it("of an image in its original size is sent as high, with a warning", () => {
		const image = { type: "input_image", image_url: "https://a.test/b.png", detail: "original" };
		const { call: made, warnings } = callFor({ input: [user(image)] });
		expect(made.messages[0]?.content).toMatchObject([{ detail: "high" }]);
		expect(warnings).toMatchObject([{ code: "parameter_changed", param: "input[0].content[0].detail" }]);
	});
});

// Responses bodies: such as clients send, in any order and mixture, and some with a value in them that breaks what trusts it.
import fc from "fast-check";
import { FOREIGN_ITEM_TYPES } from "../../src/responses/items.ts";
import { odd } from "./generate-odd.ts";

/** Few, so that calls, outputs and tools meet. */
const callId = fc.constantFrom("call_1", "call_2", "call_3", "call_4-mAAAAA");
const toolName = fc.constantFrom("f", "g", "read.file", "a__b", "x".repeat(90));
const namespaceName = fc.constantFrom("a", "functions", "y".repeat(90));
const words = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom("hi", "", "one two three", "ß😀") },
	{ weight: 1, arbitrary: odd.text },
);

const textPart = fc.record({ type: fc.constantFrom("input_text", "output_text", "text"), text: words });
const textFile = fc.record({
	type: fc.constant("input_file"),
	filename: fc.constantFrom("a.txt", "a.md"),
	file_data: fc.constantFrom("aGk=", "data:text/plain;base64,aGk="),
});
const image = fc.record(
	{
		type: fc.constant("input_image"),
		image_url: fc.constantFrom("https://a.test/b.png", "data:image/png;base64,AAAA"),
		detail: fc.constantFrom("auto", "original"),
	},
	{ requiredKeys: ["type", "image_url"] },
);
const refusal = fc.record({ type: fc.constant("refusal"), refusal: words });

/** A text, or a list of these parts. */
function contentOf(...parts: fc.Arbitrary<object>[]): fc.Arbitrary<unknown> {
	return fc.oneof(words, fc.array(fc.oneof(...parts), { minLength: 1, maxLength: 3 }));
}
const sent = contentOf(textPart, textFile, image);
const message = fc.oneof(
	fc.record({ role: fc.constant("user"), content: sent }),
	fc.record({ role: fc.constant("assistant"), content: contentOf(textPart, refusal) }),
	fc.record({ role: fc.constantFrom("system", "developer"), content: contentOf(textPart, textFile) }),
);

const functionTool = fc.record(
	{
		type: fc.constant("function"),
		name: toolName,
		description: words,
		parameters: fc.constant({ type: "object", properties: {} }),
		strict: fc.constantFrom(true, false, null),
	},
	{ requiredKeys: ["type", "name"] },
);
const customTool = fc.record(
	{
		type: fc.constant("custom"),
		name: toolName,
		format: fc.constantFrom({ type: "text" }, { type: "grammar", syntax: "lark", definition: "start: /.+/" }),
	},
	{ requiredKeys: ["type", "name"] },
);
const tool = fc.oneof(
	functionTool,
	customTool,
	fc.record({
		type: fc.constant("namespace"),
		name: namespaceName,
		description: words,
		tools: fc.array(fc.oneof(functionTool, customTool), { maxLength: 3 }),
	}),
	fc.record({ type: fc.constantFrom("web_search", "mcp", "local_shell", "future_tool") }),
);

const functionCall = fc.record(
	{ type: fc.constant("function_call"), call_id: callId, name: toolName, arguments: words, namespace: namespaceName },
	{ requiredKeys: ["type", "call_id", "name", "arguments"] },
);
const customCall = fc.record({
	type: fc.constant("custom_tool_call"),
	call_id: callId,
	name: toolName,
	input: words,
});
const foreignCall = fc.record({ type: fc.constantFrom(...FOREIGN_ITEM_TYPES), call_id: callId });
const output = fc.record({
	type: fc.constantFrom("function_call_output", "custom_tool_call_output"),
	call_id: callId,
	output: sent,
});
const reasoning = fc.record(
	{
		type: fc.constant("reasoning"),
		summary: fc.array(fc.record({ type: fc.constant("summary_text"), text: words }), { maxLength: 2 }),
		encrypted_content: fc.constantFrom(null, "sealed"),
	},
	{ requiredKeys: ["type"] },
);

/** Items that clients send together. */
const items: fc.Arbitrary<object[]> = fc.oneof(
	{ weight: 5, arbitrary: message.map((one) => [one]) },
	{
		weight: 5,
		arbitrary: fc
			.tuple(fc.oneof(functionCall, customCall, foreignCall), output)
			.map(([made, answer]) => [made, { ...answer, call_id: made.call_id }]),
	},
	{ weight: 1, arbitrary: functionCall.map((made) => [made]) },
	{ weight: 2, arbitrary: fc.tuple(reasoning, message) },
	{
		weight: 1,
		arbitrary: fc
			.record({ type: fc.constant("additional_tools"), tools: fc.array(tool, { maxLength: 3 }) })
			.map((one) => [one]),
	},
);
/** Items that are refused. */
const refused: fc.Arbitrary<object> = fc.oneof(
	output,
	fc.constantFrom(
		{ type: "item_reference", id: "msg_1" },
		{ type: "future_call" },
		{ type: "reasoning", encrypted_content: "foreign" },
		{ role: "user", content: [] },
		{ role: "system", content: [{ type: "input_image", image_url: "https://a.test/b.png" }] },
		{ role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: "aGk=" }] },
	),
);
const input = fc
	.tuple(
		fc.array(items, { maxLength: 8 }),
		fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(refused) }),
	)
	.map(([all, last]) => [...all.flat(), ...last]);

const toolChoice = fc.oneof(
	fc.constantFrom("required", { type: "web_search" }),
	fc.record({ type: fc.constantFrom("function", "custom"), name: toolName }),
	fc.record({
		type: fc.constant("allowed_tools"),
		mode: fc.constant("auto"),
		tools: fc.array(functionTool, { maxLength: 2 }),
	}),
);

const body = fc.record(
	{
		input: fc.oneof({ weight: 1, arbitrary: words }, { weight: 9, arbitrary: input }),
		instructions: words,
		tools: fc.array(tool, { maxLength: 5 }),
		tool_choice: fc.oneof(
			{ weight: 3, arbitrary: fc.constantFrom("none", "auto") },
			{ weight: 1, arbitrary: toolChoice },
		),
		truncation: fc.constantFrom("auto", "disabled"),
		max_output_tokens: fc.integer({ min: 1, max: 200_000 }),
		include: fc.array(fc.constantFrom("reasoning.encrypted_content", "message.output_text.logprobs", "x"), {
			maxLength: 2,
		}),
		top_logprobs: fc.integer({ min: 0, max: 20 }),
		service_tier: fc.constantFrom("auto", "priority"),
		prompt_cache_key: words,
		background: fc.constant(false),
	},
	{ requiredKeys: ["input"] },
);

/** Replaces one member, at any depth, by an odd value. */
function withOddValue(value: unknown, at: number, replacement: unknown): unknown {
	const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
	const found = members[Math.floor(at * members.length)];
	if (!found) return replacement;
	const [name, inner] = found;
	const rest = at * members.length - Math.floor(at * members.length);
	const changed = rest < 0.3 ? replacement : withOddValue(inner, rest, replacement);
	if (Array.isArray(value)) return value.with(Number(name), changed);
	return Object.fromEntries(members.map(([key, member]) => [key, key === name ? changed : member]));
}

/** A body that may be served, and sometimes one with a fault in it. */
export const responsesBodies: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 4, arbitrary: body },
	{
		weight: 1,
		arbitrary: fc
			.tuple(body, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), odd.json)
			.map(([whole, at, replacement]) => withOddValue(whole, at, replacement)),
	},
);

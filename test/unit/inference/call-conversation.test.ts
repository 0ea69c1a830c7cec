// The conversation of a call has every text that a model is sent, wherever it stands.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detect } from "../../../src/compliance/detect.ts";
import { callConversation } from "../../../src/inference/call-conversation.ts";
import type { ModelCall } from "../../../src/providers/model-call.ts";

const EMPTY: ModelCall = {
	messages: [],
	tools: [],
	output: { type: "text" },
	maxTokens: 10,
	stop: [],
	sampling: {},
	unknownFields: {},
};

const textsOf = (call: ModelCall) => callConversation(call).texts.map(({ text }) => text);

const MARK = "ada@analytical.org";

/** A call with the mark in one place. */
const PLACES: readonly [string, ModelCall][] = [
	["a system message", { ...EMPTY, messages: [{ role: "system", content: [{ type: "text", text: MARK }] }] }],
	["a name", { ...EMPTY, messages: [{ role: "user", content: [], name: MARK }] }],
	[
		"an address of an image",
		{ ...EMPTY, messages: [{ role: "user", content: [{ type: "image", url: `https://a.test/${MARK}` }] }] },
	],
	[
		"a tool's result",
		{
			...EMPTY,
			messages: [
				{ role: "user", content: [{ type: "tool_result", callId: "c", content: [{ type: "text", text: MARK }] }] },
			],
		},
	],
	["reasoning", { ...EMPTY, messages: [{ role: "assistant", content: [{ type: "reasoning", text: MARK }] }] }],
	["a refusal", { ...EMPTY, messages: [{ role: "assistant", content: [{ type: "refusal", text: MARK }] }] }],
	[
		"a call's arguments",
		{
			...EMPTY,
			messages: [
				{ role: "assistant", content: [{ type: "tool_call", id: "c", name: "who", arguments: `{"of":"${MARK}"}` }] },
			],
		},
	],
	[
		"a provider's own block",
		{
			...EMPTY,
			messages: [
				{
					role: "assistant",
					content: [
						{ type: "provider", wire: "anthropic", block: { type: "thinking", thinking: MARK, signature: "s" } },
					],
				},
			],
		},
	],
	["a tool's description", { ...EMPTY, tools: [{ name: "who", description: MARK }] }],
	[
		"a tool's parameters",
		{ ...EMPTY, tools: [{ name: "who", parameters: { properties: { of: { enum: ["a", MARK] } } } }] },
	],
	["a name in them", { ...EMPTY, tools: [{ name: "who", parameters: { properties: { [MARK]: {} } } }] }],
	["a schema of the answer", { ...EMPTY, output: { type: "json_schema", name: "x", schema: { const: MARK } } }],
	["a stop sequence", { ...EMPTY, stop: [MARK] }],
	["the user's name", { ...EMPTY, user: MARK }],
	["a field that is passed on unread", { ...EMPTY, unknownFields: { x: [{ y: MARK }] } }],
];

describe("every text of a call", () => {
	it.each(PLACES)("has %s", (_, call) => {
		expect(textsOf(call).join("\n")).toContain(MARK);
	});

	it.each<[string, ModelCall]>([
		["a tool's parameters", { ...EMPTY, tools: [{ name: "who", parameters: { ssn: { const: 536904399 } } }] }],
		["a schema of the answer", { ...EMPTY, output: { type: "json_schema", name: "x", schema: { ssn: 536904399 } } }],
		["a field that is passed on unread", { ...EMPTY, unknownFields: { ssn: [536904399, "b"], next: true } }],
	])("has the numbers in %s, with the names they stand under", (_, call) => {
		expect(textsOf(call).join("\n")).toMatch(/^(?:.*: )?ssn: (?:const: )?536904399$/m);
	});

	it("has a password of a tool's parameters behind its name", () => {
		const parameters = { properties: { login: { default: { user: "ada", password: "Zu8kQ0p!x92Lw" } } } };
		const conversation = callConversation({ ...EMPTY, tools: [{ name: "log_in", parameters }] });
		expect(detect(conversation).kinds).toEqual({ SECRETS: ["generic_secret"] });
	});

	it("has ids of calls that are digits, with less evidence than a text of a number has", () => {
		const call = (id: string): ModelCall => ({
			...EMPTY,
			messages: [{ role: "assistant", content: [{ type: "tool_call", id, name: "who", arguments: "{}" }] }],
		});
		const found = (id: string) => Object.values(detect(callConversation(call(id))).kinds).flat();
		expect(found("call_536-90-4399")).toEqual(["us_ssn"]);
		expect(found("4111111111111111")).toEqual(["credit_card"]);
		for (const id of ["call_8Fk2pQ0sYz", "9434765919", "123456782", "call_1", "functions.search:0"])
			expect(found(id), id).toEqual([]);
	});

	it("has no picture, and nothing that a provider has sealed", () => {
		const call: ModelCall = {
			...EMPTY,
			messages: [
				{ role: "user", content: [{ type: "image", url: "data:image/png;base64,iVBORw0KGgo=" }] },
				{ role: "assistant", content: [{ type: "provider", wire: "anthropic", block: { signature: "c2VhbGVk" } }] },
			],
		};
		expect(textsOf(call).join()).not.toMatch(/iVBOR|c2VhbGVk/);
	});

	it("is told of values nested as deep as a body may be", () => {
		const depth = fc.integer({ min: 1, max: 20_000 });
		fc.assert(
			fc.property(depth, (levels) => {
				let value: unknown = MARK;
				for (let level = 0; level < levels; level++) value = [value];
				expect(textsOf({ ...EMPTY, unknownFields: { value } })).toContain(MARK);
			}),
			{ numRuns: 5 },
		);
	});
});

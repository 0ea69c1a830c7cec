// Tools of one text: their calls' arguments as JSON whole and in pieces, and how each wire sends and reads them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WIRE_NAMES } from "../../../src/catalog/vocabulary.ts";
import { AnswerAccumulator, toModelAnswer } from "../../../src/providers/accumulate.ts";
import type { Message, ToolDefinition } from "../../../src/providers/model-call.ts";
import { readTextArguments, TextArgumentsWriter, toTextArguments } from "../../../src/providers/text-tools.ts";
import { WellFormedParts } from "../../../src/providers/well-formed.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";
import { openAiWire } from "../../../src/providers/wires.ts";
import { plainCall, render } from "../../support/rendered.ts";

const anyText = fc.string({ unit: "binary", maxLength: 12 });

describe("the arguments of a text tool's call", () => {
	it("are the same in pieces as whole, wherever the text was cut", () => {
		fc.assert(
			fc.property(fc.array(anyText, { maxLength: 6 }), (pieces) => {
				const writer = new TextArgumentsWriter();
				const written = [...pieces.map((piece) => writer.add(piece)), writer.end()].join("");
				const text = pieces.join("");
				expect(written).toBe(toTextArguments(text));
				expect(readTextArguments(written)).toBe(text.toWellFormed());
			}),
		);
	});

	it("are none where a model wrote something else", () => {
		for (const json of ["", "{", "null", '"text"', "[]", "{}", '{"input":1}'])
			expect(readTextArguments(json)).toBeNull();
	});
});

const grammar = { syntax: "lark", definition: "start: /.+/" };
const patch: ToolDefinition = { name: "patch", description: "d", input: "text", grammar };
const note: ToolDefinition = { name: "note", input: "text" };
const list: ToolDefinition = { name: "list", parameters: { type: "object", properties: { path: { type: "string" } } } };
const TEXT_SCHEMA = {
	type: "object",
	properties: { input: { type: "string" } },
	required: ["input"],
	additionalProperties: false,
};
const HISTORY: Message[] = [
	{ role: "user", content: [{ type: "text", text: "go" }] },
	{
		role: "assistant",
		content: [
			{ type: "tool_call", id: "a", name: "patch", arguments: toTextArguments('say "hi"\n') },
			{ type: "tool_call", id: "b", name: "list", arguments: '{"path":"."}' },
			{ type: "tool_call", id: "c", name: "note", arguments: "no json" },
		],
	},
	{
		role: "user",
		content: ["a", "b", "c"].map((callId) => ({
			type: "tool_result",
			callId,
			content: [{ type: "text", text: "ok" }],
		})),
	},
];
const CALL = plainCall({ messages: HISTORY, tools: [patch, list, note], toolChoice: { name: "patch" } });

describe("a text tool", () => {
	it("is a custom tool for a provider that has them, with its grammar, its calls and its choice", () => {
		const { json, warnings } = render("openai", CALL, { custom_tools: true });
		expect(json["tools"]).toEqual([
			{ type: "custom", custom: { name: "patch", description: "d", format: { type: "grammar", grammar } } },
			{ type: "function", function: { name: "list", parameters: list.parameters } },
			{ type: "custom", custom: { name: "note" } },
		]);
		expect(json["tool_choice"]).toEqual({ type: "custom", custom: { name: "patch" } });
		expect(json["messages"]).toMatchObject([
			{ role: "user" },
			{
				role: "assistant",
				tool_calls: [
					{ id: "a", type: "custom", custom: { name: "patch", input: 'say "hi"\n' } },
					{ id: "b", type: "function", function: { name: "list", arguments: '{"path":"."}' } },
					{ id: "c", type: "custom", custom: { name: "note", input: "no json" } },
				],
			},
			{ role: "tool", tool_call_id: "a", content: "ok" },
			{ role: "tool", tool_call_id: "b", content: "ok" },
			{ role: "tool", tool_call_id: "c", content: "ok" },
		]);
		expect(warnings).toEqual([]);
	});

	it("is a function of one string elsewhere, and a grammar that is not enforced is named", () => {
		const { json, warnings, model } = render("openai", CALL);
		expect(json["tools"]).toEqual([
			{ type: "function", function: { name: "patch", description: "d", parameters: TEXT_SCHEMA } },
			{ type: "function", function: { name: "list", parameters: list.parameters } },
			{ type: "function", function: { name: "note", parameters: TEXT_SCHEMA } },
		]);
		expect(json["tool_choice"]).toEqual({ type: "function", function: { name: "patch" } });
		expect(warnings).toEqual([
			{
				code: "parameter_changed",
				param: "tools",
				message: `${model.id} enforces no grammar of a tool's input; left out for patch`,
			},
		]);
		const anthropic = render("anthropic", CALL);
		expect(anthropic.json["tools"]).toMatchObject([{ name: "patch", input_schema: TEXT_SCHEMA }, {}, {}]);
		expect(anthropic.json["messages"]).toMatchObject([
			{},
			{ content: [{ type: "tool_use", name: "patch", input: { input: 'say "hi"\n' } }, {}, {}] },
			{},
		]);
		const google = render("google", CALL);
		const { additionalProperties: _, ...compiled } = TEXT_SCHEMA;
		expect(google.json["tools"]).toMatchObject([
			{ functionDeclarations: [{ name: "patch", parameters: compiled }, {}, {}] },
		]);
		for (const { warnings } of [anthropic, google])
			expect(warnings.map(({ code, param }) => [code, param])).toEqual([["parameter_changed", "tools"]]);
	});

	it.each(WIRE_NAMES)("without a grammar needs no warning (%s)", (wire) => {
		expect(render(wire, plainCall({ tools: [note] })).warnings).toEqual([]);
	});
});

/** What a stream's chunks come to, as they are delivered. */
function streamed(chunks: readonly unknown[]) {
	const decoder = openAiWire.createDecoder();
	const parts = chunks.flatMap((chunk) => decoder.decode({ data: JSON.stringify(chunk) }));
	const wellFormed = new WellFormedParts();
	const accumulator = new AnswerAccumulator();
	const delivered = [...parts.map((part) => wellFormed.pass(part)), ...wellFormed.end()];
	for (const part of delivered) if (part) accumulator.add(part);
	return { parts, answer: accumulator.answer() };
}

const fragment = (fields: Record<string, unknown>) => ({ choices: [{ delta: { tool_calls: [fields] } }] });
const finish = (finish_reason: string) => ({ choices: [{ delta: {}, finish_reason }] });

describe("a custom tool's call", () => {
	it("is read from a stream as JSON that grows", () => {
		const { parts } = streamed([
			fragment({ index: 0, id: "c1", type: "custom", custom: { name: "patch", input: "" } }),
			fragment({ index: 0, custom: { input: 'a"' } }),
			fragment({ index: 0, custom: { input: "b\n" } }),
			finish("tool_calls"),
		]);
		expect(parts).toEqual<StreamPart[]>([
			{ type: "tool_call", index: 0, id: "c1", name: "patch" },
			{ type: "tool_arguments", index: 0, text: '{"input":"' },
			{ type: "tool_arguments", index: 0, text: 'a\\"' },
			{ type: "tool_arguments", index: 0, text: "b\\n" },
			{ type: "tool_arguments", index: 0, text: '"}' },
			{ type: "finish", reason: "tool_calls", native: "tool_calls" },
		]);
	});

	it("waits for its name", () => {
		const { answer } = streamed([
			fragment({ index: 0, id: "c1", type: "custom" }),
			fragment({ index: 0, custom: { input: "early " } }),
			fragment({ index: 0, custom: { name: "patch", input: "late" } }),
			finish("tool_calls"),
		]);
		expect(answer.content).toEqual([
			{ type: "tool_call", id: "c1", name: "patch", arguments: '{"input":"early late"}' },
		]);
	});

	const calls = fc.array(
		fc.record({ isCustom: fc.boolean(), pieces: fc.array(anyText, { minLength: 1, maxLength: 4 }) }),
		{
			minLength: 1,
			maxLength: 3,
		},
	);

	it("comes to the same streamed as whole, beside calls of functions", () => {
		fc.assert(
			fc.property(calls, fc.constantFrom("tool_calls", "stop", "length"), (made, reason) => {
				const member = (isCustom: boolean, name: string | undefined, input: string) =>
					isCustom ? { type: "custom", custom: { name, input } } : { function: { name, arguments: input } };
				const whole = openAiWire.parseAnswer({
					choices: [
						{
							message: {
								content: null,
								tool_calls: made.map(({ isCustom, pieces }, index) => ({
									id: `c${index}`,
									...member(isCustom, `f${index}`, pieces.join("")),
								})),
							},
							finish_reason: reason,
						},
					],
				});
				const { answer } = streamed([
					...made.flatMap(({ isCustom, pieces }, index) =>
						pieces.map((piece, at) =>
							fragment(
								at === 0
									? { index, id: `c${index}`, ...member(isCustom, `f${index}`, piece) }
									: { index, ...member(isCustom, undefined, piece) },
							),
						),
					),
					finish(reason),
				]);
				expect(answer).toEqual(whole);
				for (const [index, part] of answer.content.entries())
					if (part.type === "tool_call" && made[index]?.isCustom)
						expect(JSON.parse(part.arguments)).toHaveProperty("input");
			}),
		);
	});

	it("keeps the arguments so far when the stream breaks off", () => {
		const { parts } = streamed([
			fragment({ index: 0, id: "c1", type: "custom", custom: { name: "patch", input: "ab" } }),
		]);
		expect(toModelAnswer(parts)?.content).toEqual([
			{ type: "tool_call", id: "c1", name: "patch", arguments: '{"input":"ab' },
		]);
	});
});

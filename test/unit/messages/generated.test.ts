// Generated Messages bodies: nothing throws, every warning names a field, and conversations mean the same in chat's form.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { messagesRequestSchema } from "../../../src/messages/request.ts";
import { toMessagesCall } from "../../../src/messages/to-call.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { type JsonSchema, SchemaValues } from "../../support/generate-schema.ts";

const schema: JsonSchema = JSON.parse(
	JSON.stringify(z.toJSONSchema(messagesRequestSchema, { io: "input", unrepresentable: "any" })),
);
const PNG = "iVBORw0KGgo=";
const values = new SchemaValues(schema, {
	name: fc.constantFrom("f", "web_search", "bash"),
	input_schema: fc.constant({ type: "object" }),
	data: fc.constantFrom(PNG, "svc1AAAA", "c2ln"),
	media_type: fc.constantFrom("image/png", "text/plain", "application/pdf"),
});
const opened = new Map([["svc1AAAA", { provider: "acme", modelId: "glint-budget", parts: [] }]]);

/** Reads a body; null for one that validation refuses. */
function read(rawBody: unknown) {
	const parsed = messagesRequestSchema.safeParse(rawBody);
	return parsed.success ? toMessagesCall(parsed.data, { catalog: TEST_CATALOG, opened, rawBody }) : null;
}

describe("a generated body", () => {
	it("that fits the documented schema is a call or a named fault, and its warnings name fields", () => {
		let calls = 0;
		fc.assert(
			fc.property(values.fitting(schema), (body) => {
				const result = read(body);
				if (!result?.ok) return;
				calls++;
				const { call, warnings, origins } = result.value;
				expect(call.messages.every(({ content }) => content.length > 0)).toBe(true);
				expect(origins).toHaveLength(call.messages.length);
				expect(warnings.length).toBeLessThanOrEqual(51);
				for (const { param, message } of warnings)
					expect([param, message]).toEqual([expect.any(String), expect.any(String)]);
				for (const { param } of warnings) expect(param).not.toBe("");
			}),
			{ numRuns: 400 },
		);
		expect(calls).toBeGreaterThan(40);
	});

	it("with a fault in it never throws, and its issues have a path or a message", () => {
		fc.assert(
			fc.property(values.faulty(schema), (body) => {
				const { error } = messagesRequestSchema.safeParse(body);
				for (const { message } of error?.issues ?? []) expect(message).not.toBe("");
				read(body);
			}),
			{ numRuns: 400 },
		);
	});
});

interface Turn {
	chat: Record<string, unknown>[];
	messages: Record<string, unknown>;
}

const words = fc.constantFrom("Hello", "What is the weather?", "Ωμέγα", "{}", "a\nb");

const userTurn: fc.Arbitrary<Turn> = fc.tuple(words, fc.boolean(), fc.boolean()).map(([text, isPlain, hasImage]) => {
	const url = `data:image/png;base64,${PNG}`;
	const chat = [{ type: "text", text }, ...(hasImage ? [{ type: "image_url", image_url: { url } }] : [])];
	const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
	const blocks = [{ type: "text", text }, ...(hasImage ? [image] : [])];
	return {
		chat: [{ role: "user", content: isPlain && !hasImage ? text : chat }],
		messages: { role: "user", content: isPlain && !hasImage ? text : blocks },
	};
});

const systemTurn: fc.Arbitrary<Turn> = words.map((content) => ({
	chat: [{ role: "system", content }],
	messages: { role: "system", content },
}));

const input = fc.dictionary(fc.constantFrom("city", "n"), fc.oneof(words, fc.integer()));

/** An assistant's turn with calls of tools, and the user's turn with their results. */
const toolTurns: fc.Arbitrary<Turn[]> = fc
	.tuple(
		words,
		words,
		fc.array(fc.tuple(input, words), { minLength: 1, maxLength: 3 }),
		fc.constantFrom("apex-frontier", null),
	)
	.map(([thinking, text, calls, model]) => {
		const ids = calls.map((_, index) => (model ? markedCallId(`call_${index}`, model) : `toolu_${index}`));
		const use = (index: number) => ({
			id: ids[index] ?? "",
			input: calls[index]?.[0] ?? {},
			result: calls[index]?.[1] ?? "",
		});
		const uses = calls.map((_, index) => use(index));
		return [
			{
				chat: [
					{
						role: "assistant",
						content: text,
						reasoning_content: thinking,
						tool_calls: uses.map(({ id, input: args }) => ({
							id,
							type: "function",
							function: { name: "f", arguments: JSON.stringify(args) },
						})),
					},
				],
				messages: {
					role: "assistant",
					content: [
						{ type: "thinking", thinking, signature: "" },
						{ type: "text", text },
						...uses.map(({ id, input: args }) => ({ type: "tool_use", id, name: "f", input: args })),
					],
				},
			},
			{
				chat: uses.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
				messages: {
					role: "user",
					content: uses.map(({ id, result }) => ({ type: "tool_result", tool_use_id: id, content: result })),
				},
			},
		];
	});

const LAST_WORD: Turn = {
	chat: [{ role: "user", content: "Go on." }],
	messages: { role: "user", content: "Go on." },
};

const conversation = fc
	.array(
		fc.oneof(
			userTurn.map((turn) => [turn]),
			systemTurn.map((turn) => [turn]),
			toolTurns,
		),
		{ minLength: 1, maxLength: 6 },
	)
	// Chat does not continue a tool loop when a system message follows the results; Anthropic's clients send such messages.
	.map((turns) => [...turns.flat(), ...(turns.at(-1)?.[0]?.messages["role"] === "system" ? [LAST_WORD] : [])]);

describe("a generated conversation", () => {
	it("is the same call in chat's form and in Anthropic's", () => {
		fc.assert(
			fc.property(conversation, fc.option(words), (turns, system) => {
				const inChat = {
					max_tokens: 99,
					messages: [...(system ? [{ role: "system", content: system }] : []), ...turns.flatMap(({ chat }) => chat)],
				};
				const result = read({
					max_tokens: 99,
					...(system && { system }),
					messages: turns.map(({ messages }) => messages),
				});
				expect(result).toMatchObject({ ok: true, value: { warnings: [] } });
				const ours = result?.ok ? result.value.call : null;
				expect(ours).toEqual(toModelCall(chatRequestSchema.parse(inChat), TEST_CATALOG));
			}),
			{ numRuns: 300 },
		);
	});
});

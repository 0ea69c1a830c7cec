// The schema subset of Anthropic's structured outputs.
import { describe, expect, it } from "vitest";
import { compileAnthropicSchema } from "../../../src/providers/anthropic-schema.ts";

describe("a schema for Anthropic", () => {
	it("has closed objects everywhere, and says where the client had opened one", () => {
		const inner = { type: "object", properties: { a: { type: "string" } }, additionalProperties: true };
		const { schema, dropped } = compileAnthropicSchema({
			type: "object",
			properties: { list: { type: "array", items: inner } },
			$defs: { x: { type: "object" } },
		});
		expect(schema).toEqual({
			type: "object",
			properties: { list: { type: "array", items: { ...inner, additionalProperties: false } } },
			$defs: { x: { type: "object", additionalProperties: false } },
			additionalProperties: false,
		});
		expect(dropped).toEqual(["additionalProperties"]);
	});

	it("loses bounds, which are reported, and keeps what merely has a bound's name", () => {
		const { schema, dropped } = compileAnthropicSchema({
			type: "object",
			properties: {
				maximum: { type: "number", minimum: 1, maximum: 5 },
				tags: { type: "array", minItems: 2, maxItems: 3, items: { enum: ["minimum"] } },
			},
			required: ["maximum"],
		});
		expect(schema).toEqual({
			type: "object",
			properties: { maximum: { type: "number" }, tags: { type: "array", items: { enum: ["minimum"] } } },
			required: ["maximum"],
			additionalProperties: false,
		});
		expect(dropped).toEqual(["maxItems", "maximum", "minItems", "minimum"]);
	});

	it("that fits already stays as it is", () => {
		const fitting = {
			type: "object",
			properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } },
			required: ["a"],
			additionalProperties: false,
		};
		expect(compileAnthropicSchema(fitting)).toEqual({ schema: fitting, dropped: [] });
	});
});

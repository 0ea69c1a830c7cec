// Schemas that no answer can be checked by, each with the place of its fault.
import { describe, expect, it } from "vitest";
import { findSchemaFault } from "../../../src/answers/schema-fault.ts";

describe("a schema", () => {
	it.each([
		{},
		{
			type: "object",
			properties: { a: { type: ["string", "null"] }, b: true },
			required: ["a"],
			additionalProperties: false,
		},
		{ $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } }, $ref: "#/$defs/node" },
		{ type: "array", items: { $ref: "#" }, minItems: 0 },
		{ properties: { "a/b": { type: "integer" } }, allOf: [{ $ref: "#/properties/a~1b" }] },
		{ enum: [1, "a", null], description: 7, unheard_of: { type: "never" } },
	])("passes: %j", (schema) => {
		expect(findSchemaFault(schema)).toBeNull();
	});

	it.each([
		[{ type: "text" }, "type"],
		[{ type: [] }, "type"],
		[{ enum: [] }, "enum"],
		[{ required: [1] }, "required"],
		[{ pattern: "[" }, "pattern"],
		[{ minimum: "1" }, "minimum"],
		[{ maxItems: -1 }, "maxItems"],
		[{ anyOf: { type: "string" } }, "anyOf"],
		[{ anyOf: [{ type: "string" }, 3] }, "anyOf.1"],
		[{ properties: [] }, "properties"],
		[{ properties: { a: { items: { type: "x" } } } }, "properties.a.items.type"],
		[{ $ref: "#/$defs/none" }, "$ref"],
		[{ $ref: "https://example.com/schema.json" }, "$ref"],
		[{ $ref: "#/%zz" }, "$ref"],
		[{ $ref: "#/constructor" }, "$ref"],
		[{ not: "a" }, "not"],
	])("is told where it is at fault: %j", (schema, path) => {
		expect(findSchemaFault(schema)).toMatchObject({ path });
	});

	it("that is too deep is refused, not followed", () => {
		const deep = Array.from({ length: 500 }).reduce<Record<string, unknown>>((items) => ({ items }), {});
		expect(findSchemaFault(deep)?.message).toContain("deeper than 64");
	});
});

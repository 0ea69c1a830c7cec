// Whether a text has the form that was asked for, within bounded time.
import { describe, expect, it } from "vitest";
import { checkForm } from "../../../src/answers/form-check.ts";
import type { OutputFormat } from "../../../src/providers/model-call.ts";

function bySchema(schema: Record<string, unknown>): OutputFormat {
	return { type: "json_schema", name: "form", schema };
}

function met(value: unknown, schema: Record<string, unknown>): boolean | null {
	const check = checkForm(JSON.stringify(value), bySchema(schema));
	return check === null ? null : check.isMet;
}

const PERSON = {
	type: "object",
	properties: { name: { type: "string", minLength: 2 }, age: { type: "integer", minimum: 0 } },
	required: ["name", "age"],
	additionalProperties: false,
};

describe("the form of a text", () => {
	it("is text's whatever it says", () => {
		expect(checkForm("hello", { type: "text" })).toBeNull();
	});

	it("is an object where one is asked for, and nothing around it", () => {
		expect(checkForm(' {"a": 1}\n', { type: "json_object" })).toEqual({ isMet: true });
		for (const text of ["[1]", "1", "null", 'Here: {"a": 1}', '```json\n{"a": 1}\n```', '{"a": 1,}', ""])
			expect(checkForm(text, { type: "json_object" })).toMatchObject({ isMet: false });
	});

	it("is the schema's, and what is wrong is told by its place", () => {
		expect(met({ name: "Ada", age: 36 }, PERSON)).toBe(true);
		expect(checkForm('{"name":"A","age":-1}', bySchema(PERSON))).toMatchObject({
			isMet: false,
			fault: "name: must have at least 2 characters",
		});
		expect(met({ name: "Ada" }, PERSON)).toBe(false);
		expect(met({ name: "Ada", age: 36, more: 1 }, PERSON)).toBe(false);
		expect(met({ name: "Ada", age: "36" }, PERSON)).toBe(false);
	});

	it("knows references, alternatives, enumerations and tuples", () => {
		const tree = {
			$defs: {
				node: {
					type: "object",
					properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
					required: ["next"],
				},
			},
			$ref: "#/$defs/node",
		};
		expect(met({ next: { next: null } }, tree)).toBe(true);
		expect(met({ next: { next: 1 } }, tree)).toBe(false);
		expect(met("a", { enum: ["a", "b"] })).toBe(true);
		expect(met([1, "x"], { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] })).toBe(true);
	});

	it("knows patterns, also beside a format and in properties of that name", () => {
		const schema = { type: "string", pattern: "^[a-z]+@", format: "email" };
		expect(met("ada@x.org", schema)).toBe(true);
		expect(met("ADA@x.org", schema)).toBe(false);
		expect(met("ada@", schema)).toBe(false);
		expect(checkForm('"ADA@x.org"', bySchema(schema))).toMatchObject({ fault: expect.stringContaining("^[a-z]+@") });
		expect(met({ pattern: "(" }, { type: "object", properties: { pattern: { type: "string" } } })).toBe(true);
		expect(met({ pattern: "(" }, { const: { pattern: "(" } })).toBe(true);
	});

	it("says nothing of what it cannot check", () => {
		expect(met("aa", { type: "string", pattern: "^(a)\\1$" })).toBe(true);
		expect(met({ x: 1 }, { $ref: "#/nowhere" })).toBeNull();
		expect(met({ x1: "a" }, { patternProperties: { "^x": { type: "string" } }, additionalProperties: false })).toBe(
			true,
		);
	});

	it("leaves the client's schema as it was", () => {
		const schema = structuredClone(PERSON);
		met({ name: "Ada", age: 36 }, schema);
		expect(schema).toEqual(PERSON);
		expect(Object.getOwnPropertyNames(schema)).toEqual(Object.getOwnPropertyNames(PERSON));
	});

	it("gives up where a schema that refers to itself would take exponential time", () => {
		const twice = { properties: { x: { $ref: "#" } }, required: ["x"] };
		const schema = { anyOf: [twice, twice, { type: "string" }], not: { const: 0 } };
		let value: unknown = 1;
		for (let depth = 0; depth < 60; depth++) value = { x: value };
		expect(met(value, schema)).toBeNull();
	});

	it("takes a pattern that backtracks for ever elsewhere", () => {
		expect(met(`${"a".repeat(5_000)}!`, { type: "string", pattern: "^(a+)+$" })).toBe(false);
	});
});

// A fault in a list is named by its place also where the list is one alternative of several.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { entryList } from "../../../src/http/entry-list.ts";
import { toJsonSchema } from "../../../src/http/json-schema.ts";

const entry = z.discriminatedUnion("type", [z.object({ type: z.literal("a"), text: z.string() })], {
	error: "no kind",
});
const other = { schema: z.looseObject({ type: z.string() }), isMeant: (value: unknown) => Object(value).type === "b" };
const schema = z.union([z.string(), entryList(entry, 3)], { error: "must be a string or a list" });

const faults = (value: unknown, of: z.ZodType = schema) =>
	of.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

describe("a list of entries", () => {
	it("keeps what its entries' schema knows", () => {
		expect(schema.parse([{ type: "a", text: "hi", more: 1 }])).toEqual([{ type: "a", text: "hi" }]);
		expect(schema.parse("hi")).toBe("hi");
	});

	it("names each entry that is wrong", () => {
		expect(faults([{ type: "a", text: "hi" }, { type: "a" }, { type: "x" }])).toEqual([
			"1.text: Invalid input: expected string, received undefined",
			"2.type: no kind",
		]);
		expect(faults(7)).toEqual([": must be a string or a list"]);
	});

	it("that is too long is refused", () => {
		expect(faults([1, 2, 3, 4])).toEqual([": must have at most 3 entries"]);
	});

	it("names a bounded number of faults", () => {
		expect(faults(new Array(500).fill(1), entryList(entry, 1_000))).toHaveLength(20);
	});

	it("reads an entry of another kind by that kind's schema", () => {
		const list = entryList(entry, 3, other);
		expect(list.parse([{ type: "b", more: 1 }])).toEqual([{ type: "b", more: 1 }]);
		expect(faults([{ type: "a" }], list)).toEqual(["0.text: Invalid input: expected string, received undefined"]);
	});

	it("is documented with its entries", () => {
		expect(toJsonSchema(z.object({ list: entryList(entry, 3).nullish() }), "input")).toMatchObject({
			properties: {
				list: { anyOf: [{ type: "array", maxItems: 3, items: { oneOf: [{ type: "object" }] } }, { type: "null" }] },
			},
		});
	});
});

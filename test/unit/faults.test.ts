// Faults of documents: what is left of them, and in which order they are reported.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { inDocumentOrder, mappingMessages, parseMembers } from "../../src/faults.ts";

const item = z.strictObject(
	{ size: z.number("must be a number").optional(), colour: z.string("must be a text").optional() },
	{ error: mappingMessages(["size", "colour"]) },
);
const schema = z.strictObject(
	{ name: z.string("must be a text").optional(), items: z.array(item, "must be a list").optional() },
	{ error: mappingMessages(["name", "items"]) },
);

describe("the faults of a document", () => {
	it("name every unknown key and what was meant by it", () => {
		expect(parseMembers(schema, { nmae: "x", zzz: 1, name: "y" })).toEqual({
			value: { name: "y" },
			faults: [
				{ path: ["nmae"], at: "key", message: "unknown key; did you mean name?" },
				{ path: ["zzz"], at: "key", message: "unknown key" },
			],
		});
	});

	it("leave the members without faults, and nothing of the others", () => {
		const { value, faults } = parseMembers(schema, { name: "y", items: [{ size: 1 }, { size: "two" }] });
		expect(value).toEqual({ name: "y" });
		expect(faults).toEqual([{ path: ["items", 1, "size"], at: "value", message: "must be a number" }]);
	});

	it.each([["text"], [7], [[{ name: "y" }]]])("of %j, which is no mapping, leave nothing", (document) => {
		expect(parseMembers(schema, document)).toEqual({
			value: {},
			faults: [{ path: [], at: "value", message: "must be a mapping" }],
		});
	});

	it("come in the order of the document, those of a container after those inside it", () => {
		const document = { items: [{ colour: 1, siez: 2, size: "three" }], name: 4 };
		const { faults } = parseMembers(schema, document);
		const ofItem = { path: ["items", 0], at: "value" as const, message: "has no weight" };
		expect(inDocumentOrder([ofItem, ...faults], document).map(({ path }) => path.join("."))).toEqual([
			"items.0.colour",
			"items.0.siez",
			"items.0.size",
			"items.0",
			"name",
		]);
	});

	it("have a path that ends where the document does", () => {
		const fault = { path: ["items", 0, "size"], at: "value" as const, message: "must be a number" };
		expect(inDocumentOrder([fault], { items: "one" })).toEqual([{ ...fault, path: ["items"] }]);
	});

	it("name a member that is missing", () => {
		const fault = { path: ["items", 0, "size"], at: "value" as const, message: "must be a number" };
		const named = { ...fault, message: "size must be a number" };
		expect(inDocumentOrder([fault], { items: [{}] })).toEqual([{ ...named, path: ["items", 0] }]);
		expect(inDocumentOrder([fault], { items: { 0: { size: "two" } } })).toEqual([{ ...named, path: ["items"] }]);
	});

	it("have the path in an item that stands for a list", () => {
		const fault = { path: ["items", 0, "size"], at: "value" as const, message: "must be a number" };
		expect(inDocumentOrder([fault], { items: { size: "two" } })).toEqual([{ ...fault, path: ["items", "size"] }]);
	});
});

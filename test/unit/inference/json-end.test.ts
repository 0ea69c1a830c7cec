// The end of a JSON object that comes in pieces.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonEnd } from "../../../src/inference/json-end.ts";

function hasEnded(...pieces: string[]): boolean {
	const end = new JsonEnd();
	for (const piece of pieces) end.add(piece);
	return end.hasEnded;
}

describe("the end of a JSON object", () => {
	it("is its last brace, and nothing before it", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
				const json = JSON.stringify(value);
				expect(hasEnded(json)).toBe(true);
				expect(hasEnded(...json)).toBe(true);
				expect(hasEnded(json.slice(0, -1))).toBe(false);
				expect(hasEnded(json, "rest {")).toBe(true);
			}),
		);
	});

	it("does not come in a text of another form", () => {
		for (const text of ["", "  ", "5", '"a{}"', "null", "text"]) expect(hasEnded(text)).toBe(false);
	});
});

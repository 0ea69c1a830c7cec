// JSON to read.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderJson, showDirectionMarks } from "../../../src/console/json-text.ts";

describe("JSON to read", () => {
	it("says the same value", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(JSON.parse(renderJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it("shows marks that turn the direction of text", () => {
		expect(renderJson("a\u202Eb\u2066c")).toBe('"a\\u202eb\\u2066c"');
		expect(showDirectionMarks("a\u202Eb")).toBe("a\\u202eb");
	});
});

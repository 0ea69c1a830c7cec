// The input of a tool call in a message, and in the receipt of it.
import { describe, expect, it } from "vitest";
import { deliverToolUse, toToolUseInput } from "../../../src/messages/tool-use-input.ts";
import { canonicalJson } from "../../../src/proof/canonical.ts";

const delivered = (text: string) =>
	deliverToolUse({ type: "tool_call", id: "c", name: "f", arguments: text }).arguments;

describe("the input of a call", () => {
	it("is the object that the model wrote", () => {
		expect(toToolUseInput('{"b": 1, "a": "x"}')).toEqual({ b: 1, a: "x" });
		expect(toToolUseInput(" ")).toEqual({});
	});

	it.each(["{", "[1]", '"text"', '{"a": 1e999}', '{"a": "\\ud800"}'])("of %s stays readable as text", (text) => {
		expect(toToolUseInput(text)).toEqual({ _raw: text });
	});

	it.each(['{"b": 1, "a": "x"}', "", "{", '{"a": 1e999}', '{"a": "\\ud800"}'])(
		"of %j is hashed as its canonical JSON",
		(text) => {
			expect(delivered(text)).toBe(canonicalJson(toToolUseInput(text)));
		},
	);
});

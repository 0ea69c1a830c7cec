import { describe, expect, it } from "vitest";
import { firstLine, paint, renderColumns, renderUsd, toPrintable } from "../../../../src/cli/svc/output.ts";

describe("text of others on a terminal", () => {
	it.each([
		["moves the cursor", "a\u001b[2Ab", "a[2Ab"],
		["sets the title", "a\u001b]0;hi\u0007b", "a]0;hib"],
		["writes to the clipboard", "\u001b]52;c;aGk=\u001b\\", "]52;c;aGk=\\"],
		["goes back over the line", "rm -rf ~\rls", "rm -rf ~ls"],
		["turns around", "a\u202eb", "ab"],
	])("never %s", (_what, text, shown) => {
		expect(toPrintable(text)).toBe(shown);
	});

	it("keeps colours, lines and tabs", () => {
		const text = `${paint("red", "no")}\n\tyes ünï 日本`;
		expect(toPrintable(text)).toBe(text);
	});
});

it("amounts have as many places as they need, down to a nano-dollar", () => {
	expect([0, 2, 0.05, 0.0000228, 0.000000001].map(renderUsd)).toEqual([
		"0 USD",
		"2 USD",
		"0.05 USD",
		"0.0000228 USD",
		"0.000000001 USD",
	]);
});

it("columns are as wide as their widest cell, without blanks at the end", () => {
	expect(
		renderColumns([
			["a", "bb", ""],
			["ccc", "d", "e"],
		]),
	).toEqual(["a    bb", "ccc  d   e"]);
});

it("a first line is cut to its width", () => {
	expect([firstLine("\n one\ntwo", 10), firstLine("abcdef", 4)]).toEqual(["one", "abc…"]);
});

// Differences of texts by lines.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "../../../src/console/line-diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

function render(before: string, after: string): string[] {
	return diffLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);
}

describe("a line diff", () => {
	it.each([
		["a\nb\nc", "a\nc", [" a", "-b", " c"]],
		["a\nc", "a\nb\nc", [" a", "+b", " c"]],
		["a\nb", "a\nx", [" a", "-b", "+x"]],
		["", "", [" "]],
	])("of %j and %j", (before, after, lines) => {
		expect(render(before, after)).toEqual(lines);
	});

	it("holds both texts whole", () => {
		const text = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1 }).map((lines) => lines.join("\n"));
		fc.assert(
			fc.property(text, text, (before, after) => {
				const lines = diffLines(before, after);
				const rest = (left: "removed" | "added") =>
					lines.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join("\n");
				expect(rest("added")).toBe(before);
				expect(rest("removed")).toBe(after);
			}),
		);
	});
});

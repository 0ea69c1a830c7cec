import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandWords } from "../../../src/policy/commands/shell/expand.ts";
import { parseShell } from "../../../src/policy/commands/shell/parse.ts";
import { WorkBudget } from "../../../src/policy/work-budget.ts";
import { quoteShellWord, toShellWord } from "../../../src/text/shell-word.ts";

function wordsOf(line: string): readonly string[] {
	const [command] = parseShell(line).commands;
	return expandWords(command?.words ?? [], { value: () => "x y", output: () => "x y", work: new WorkBudget() });
}

describe("a shell word", () => {
	it("is read back as the text that it was made of", () => {
		const text = fc.oneof(
			fc.string({ unit: "grapheme" }),
			fc.string({ unit: fc.constantFrom("'", '"', "$", "`", "\\", "!", "a", " ", "\n", "*", "~", "{", ",") }),
		);
		fc.assert(
			fc.property(
				text.filter((value) => !value.includes("\u0000")),
				(value) => {
					expect(wordsOf(`echo ${quoteShellWord(value)} ${toShellWord(value)}`)).toEqual(["echo", value, value]);
				},
			),
		);
	});

	it("has the quotes that are easiest to read", () => {
		expect(["src/a.ts", "--x=1", "", "a b", "it's", "it's $5", "~"].map(toShellWord)).toEqual([
			"src/a.ts",
			"--x=1",
			"''",
			"'a b'",
			`"it's"`,
			`'it'\\''s $5'`,
			"'~'",
		]);
	});
});

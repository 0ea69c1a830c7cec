// Commands that stand in a script more than once are read once. That they are judged again is in the corpus.
import { describe, expect, it } from "vitest";
import { parseShell } from "../../../../../src/policy/commands/shell/parse.ts";

describe("a command that stands in a script again", () => {
	it("is read once where its text says everything about it", () => {
		const { commands } = parseShell("a b;a b;a b| c;a b| c\na b");
		expect(commands[1]).toBe(commands[0]);
		expect(commands[2]?.text).toBe(commands[0]?.text);
		expect(commands[5]?.text).toBe(commands[3]?.text);
		expect(commands[5]?.reads).toEqual({ from: 4, to: 5 });
		expect(commands[6]?.text?.repeated).toBe(true);
	});

	it("is read again where it reads something else", () => {
		const { commands } = parseShell("a | b; c | b; b; cat <<A; cat <<A\nx\nA\ny\nA\n{ b; b; } <f");
		const texts = [1, 3, 4].map((at) => commands[at]?.text);
		expect(new Set(texts).size).toBe(3);
		expect(commands.slice(5, 7).map(({ redirects }) => redirects[0]?.target)).toEqual([
			[{ kind: "text", text: "x\n", quoted: true }],
			[{ kind: "text", text: "y\n", quoted: true }],
		]);
		expect(commands[7]?.reads).toEqual({ from: 9, to: 10 });
		expect(commands[4]?.reads).toBeNull();
	});
});

describe("a plain command", () => {
	it.each([
		["a b  c ;d", ["a", "b", "c"]],
		["\ta\tb\n", ["a", "b"]],
		["a # b", ["a"]],
		["a b&c", ["a", "b"]],
		["a x=y --z={1,2}", ["a", "x=y", "--z={1,2}"]],
	])("has the words of %j", (text, words) => {
		expect(
			parseShell(text).commands[0]?.words.map((word) => word.map((part) => ("text" in part ? part.text : "")).join("")),
		).toEqual(words);
	});

	it.each(["x=a b", "if a", "then a", "{ a", "! a", "a &> b", "a > b", "2>b a", "for a in b", "a 'b'"])(
		"is not what begins as %j",
		(text) => {
			const { commands } = parseShell(`${text}; ${text}`);
			expect(commands.flatMap(({ words }) => words.map(([part]) => part))).not.toContainEqual(
				expect.objectContaining({ text: expect.stringMatching(/[=&>']|^(?:if|then|!|\{|for)$/) }),
			);
		},
	);
});

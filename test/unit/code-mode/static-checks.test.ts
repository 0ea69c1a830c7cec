// Static checks: what is surely wrong with files is named with its place, and sound files of every kind pass.
import { describe, expect, it } from "vitest";
import { issueText, type StaticCheck, staticIssues } from "../../../src/code-mode/static-checks.ts";

async function checksOf(path: string, content: string): Promise<StaticCheck[]> {
	return (await staticIssues([{ path, content }])).map(({ check }) => check);
}

describe("files that are sound", () => {
	it.each([
		["a.json", '{"a": [1, 2, {"b": null}]}'],
		["a.jsonl", '{"a": 1}\n\n{"b": 2}\n'],
		["tsconfig.json", '{\n  // comments are usual here\n  "a": 1,\n}'],
		[".vscode/settings.json", "{ /* so here */ }"],
		["a.yaml", "a: 1\nb:\n  - c\n  - !Ref d\n---\ne: &x [1]\nf: *x\n"],
		["chart/templates/a.yaml", "a: {{ .Values.a }}\n"],
		["a.toml", '[package]\nname = "a"\nbig = 9223372036854775807\n[[bin]]\npath = "b"\n'],
		["a.py", "def f(x):\n    return x\n"],
		["a.md", "```\nrest of the code\n```\n# ... (\n"],
		["a.txt", "( ... rest of the code ..."],
		["Makefile", "all:\n\techo $(A\n"],
		// Of Objective-C, or of MATLAB, whose comments and quotes are others.
		["a.m", "y = x'; z = w'; % (\n"],
		["a.unknown", "((("],
	])("%s", async (path, content) => {
		expect(await staticIssues([{ path, content }])).toEqual([]);
	});
});

describe("files that are not", () => {
	it.each([
		["a.json", "{'a': 1}", "syntax"],
		["a.json", '{"a": 1,}', "syntax"],
		["a.jsonl", '{"a": 1}\n{', "syntax"],
		["a.yaml", "a: [1\nb: 2\n", "syntax"],
		["a.yml", "a: b: c\n", "syntax"],
		["a.toml", "a = \n", "syntax"],
		["Cargo.toml", "[a\n", "syntax"],
		["a.ts", "function f() {\n", "brackets"],
		["tsconfig.json", "{ // never closed\n", "brackets"],
		["a.py", "```python\nx = 1\n```\n", "markdown_fence"],
		["a.py", "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> other\n", "merge_conflict"],
		["a.rb", "# ... existing code ...\n", "left_out"],
		["a.py", "x = 1 # \u202e admin\n", "hidden_text"],
	] as const)("%s: %j is a fault of %s", async (path, content, check) => {
		expect(await checksOf(path, content)).toEqual([check]);
	});

	it("are named with path, line and reason", async () => {
		const issues = await staticIssues([
			{ path: "a.jsonl", content: '{"a": 1}\n{' },
			{ path: "b.toml", content: "a = 1\nb = \n" },
			{ path: "c.yaml", content: "a: 1\nb: [1\nc: 2\n" },
			{ path: "d.js", content: "f(\n// rest of the code\n" },
		]);
		expect(issues.map(({ path, line, check }) => [path, line, check])).toEqual([
			["a.jsonl", 2, "syntax"],
			["b.toml", 2, "syntax"],
			["c.yaml", 3, "syntax"],
			["d.js", 1, "brackets"],
			["d.js", 2, "left_out"],
		]);
		expect(issues.map(issueText)[3]).toBe("d.js:1: `(` is never closed");
	});

	it("are named thirty times at most", async () => {
		const files = Array.from({ length: 50 }, (_, index) => ({ path: `${index}.js`, content: "(" }));
		expect(await staticIssues(files)).toHaveLength(30);
	});
});

it("hostile files are judged or left, never thrown at the caller", async () => {
	for (const path of ["a.json", "a.yaml", "a.toml", "a.ts", "a.py"])
		for (const piece of ["[", "{", "a: ", "- ", "&a ", "*a ", '"', "\\", "[[a]]\n", "a.", "? "])
			await expect(staticIssues([{ path, content: piece.repeat(3_000) }])).resolves.toBeDefined();
});

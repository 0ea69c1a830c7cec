// Files in plain fences: which are taken, under which names, and where it is not clear.
import { describe, expect, it } from "vitest";
import { readFencedFiles } from "../../../src/code-mode/fenced-files.ts";
import { detectLanguage } from "../../../src/code-mode/language.ts";

const fence = (info: string, content: string, mark = "```") => `${mark}${info}\n${content}\n${mark}\n`;
const CODE = "x = 1";

function read(answer: string, task = "Write a Python function", previous: { path: string; content: string }[] = []) {
	const files = readFencedFiles(answer, { text: task, language: detectLanguage(task), previous });
	return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

describe("a file in a plain fence", () => {
	it.each<[string, string, string, string]>([
		["by the language", "Write a Python function", fence("python", CODE), "main.py"],
		["without a language behind the fence", "Write a Python function", fence("", CODE), "main.py"],
		["by an extension behind the fence", "Write a Python function", fence("py", CODE), "main.py"],
		["in a fence of waves", "Write a Python function", fence("python", CODE, "~~~~"), "main.py"],
		["in the task", "Write slug.py in Python, and read data.json", fence("python", CODE), "slug.py"],
		["in the task, in a folder", "Write `./src/slug.ts`", fence("ts", CODE), "src/slug.ts"],
		["behind the fence", "Write a Python function", fence('python title="lib/a.py"', CODE), "lib/a.py"],
		["as all that stands behind it", "Write a Python function", fence("lib/a.py", CODE), "lib/a.py"],
		["before the fence", "Write a Python function", `**File: \`lib/a.py\`**\n\n${fence("python", CODE)}`, "lib/a.py"],
		["in its first line", "Write a Python function", fence("python", `# lib/a.py\n${CODE}`), "lib/a.py"],
		["by its class", "Write it in Java", fence("java", "public final class Slug {}"), "Slug.java"],
		["of a page", "Write an HTML page", fence("html", "<p>"), "index.html"],
		[
			"not by a sentence",
			"Write a Python function",
			`It is like the one in old.py, only faster:\n${fence("", CODE)}`,
			"main.py",
		],
	])("has its name %s", (_, task, answer, path) => {
		expect(Object.keys(read(`Sure.\n\n${answer}\nThat is all.`, task))).toEqual([path]);
	});

	it("has what stands in it, other fences included", () => {
		const inner = `a\n${fence("", "b")}c`;
		expect(read(fence("markdown", inner, "````"), "Write a README.md in Markdown")).toEqual({
			"README.md": `${inner}\n`,
		});
	});

	it("is told from the commands to run it", () => {
		expect(read(`${fence("python", CODE)}Run it:\n${fence("sh", "python main.py")}`)).toEqual({
			"main.py": `${CODE}\n`,
		});
	});

	it("stands beside others where each has a name", () => {
		const answer = `### a.py\n${fence("python", "a = 1")}### b.py\n${fence("python", "b = 1")}`;
		expect(read(answer)).toEqual({ "a.py": "a = 1\n", "b.py": "b = 1\n" });
	});

	it.each([
		["there are two of its kind", fence("python", CODE) + fence("python", "main()")],
		["only one of two has a name", `a.py:\n${fence("python", CODE)}For example:\n${fence("python", "a()")}`],
		["its language is another", fence("json", "{}")],
		["the fence is not closed", "```python\nx = 1\n"],
		["there is nothing in it", fence("python", " ")],
		["there is no fence", CODE],
	])("is not taken where %s", (_, answer) => {
		expect(read(answer)).toEqual({});
	});

	it("in a repair of one file is that file, and of several is not taken without a name", () => {
		const before = { path: "lib/one.py", content: "" };
		expect(read(fence("", CODE), undefined, [before])).toEqual({ "lib/one.py": `${CODE}\n` });
		expect(read(fence("", CODE), undefined, [before, { path: "lib/two.py", content: "" }])).toEqual({});
	});
});

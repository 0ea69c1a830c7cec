// A cut answer and its continuation: wherever the cut was and however the continuation begins, each file is whole or not there.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CodeFile, fileBlock, readDraft } from "../../../src/code-mode/file-format.ts";
import { joinDraft, wholeLines } from "../../../src/code-mode/seam.ts";

const B = "01234567";
const OPEN = `<<<FILE ${B} add.py>>>\n`;
const END = `<<<END ${B}>>>\n`;
const HEAD = "def add(first, second):\n";
const TAIL = "    total = first + second\n    return total\n";
const ADD = { path: "add.py", content: `${HEAD}${TAIL}` };
const OTHER = { path: "other.py", content: "import add\nprint(add)\n" };

/** The files of a cut answer and what continued it. */
function filesOf(cut: string, continuation: string, previous: CodeFile[] = []) {
	const { files, faults } = readDraft(joinDraft(wholeLines(cut, B), continuation, B), B, { previous });
	return { files, faults: faults.map(({ message }) => message) };
}

describe("the kept part of a cut answer", () => {
	it.each([
		["mid-line", `Here:\n${OPEN}${HEAD}    tot`, `Here:\n${OPEN}${HEAD}`],
		["mid-marker", `${OPEN}${HEAD}${TAIL}<<<END 0123`, `${OPEN}${HEAD}${TAIL}`],
		["a whole marker without its line end", `${OPEN}${ADD.content}${END.trimEnd()}`, `${OPEN}${ADD.content}${END}`],
		["in its only line", "<<<FILE 0123", "<<<FILE 0123"],
	])("%s", (_, text, kept) => {
		expect(wholeLines(text, B)).toBe(kept);
	});
});

describe("a continuation", () => {
	it.each([
		["goes on after a mid-line cut", `${OPEN}${HEAD}    tot`, `${TAIL}${END}`],
		["goes on after a cut at a line's end", `${OPEN}${HEAD}`, `${TAIL}${END}`],
		["goes on after a cut inside an END", `${OPEN}${HEAD}${TAIL}<<<EN`, END],
		["goes on after a cut inside a FILE", `Here:\n<<<FILE ${B} ad`, `${OPEN}${ADD.content}${END}`],
		["goes on inside the first line", `<<<FILE ${B} ad`, `d.py>>>\n${ADD.content}${END}`],
		["begins anew after a cut in the first line", "<<<FILE 0123", `${OPEN}${ADD.content}${END}`],
		["repeats the last line", `${OPEN}${HEAD}`, `${HEAD}${TAIL}${END}`],
		[
			"repeats the last lines",
			`${OPEN}${HEAD}    total = first + second\n`,
			`${HEAD}    total = first + second\n    return total\n${END}`,
		],
		["repeats END", `${OPEN}${ADD.content}${END}`, `${END}\nThat is all.`],
		["begins with a fence", `${OPEN}${HEAD}`, `\`\`\`python\n${TAIL}\`\`\`\n${END}`],
		["begins with a blank line and a fence", `${OPEN}${HEAD}`, `\n\`\`\`\n${TAIL}\`\`\`\n${END}`],
		["begins with a sentence", `${OPEN}${HEAD}`, `Here is the rest of the file:\n\n${TAIL}${END}`],
		["begins with a sentence and no blank line", `${OPEN}${HEAD}`, `Continuing from where I left off:\n${TAIL}${END}`],
		["begins with a sentence of another script", `${OPEN}${HEAD}`, `以下是剩余部分：\n${TAIL}${END}`],
		["begins with a sentence and a fence", `${OPEN}${HEAD}`, `Sure, it goes on.\n\`\`\`py\n${TAIL}\`\`\`\n${END}`],
		["says more after the end", `${OPEN}${HEAD}`, `${TAIL}${END}\nThat is all.\n`],
		["opens the file again from its start", `${OPEN}${HEAD}    x`, `${OPEN}${ADD.content}${END}`],
		[
			"opens the file again from its start, after a sentence",
			`${OPEN}${HEAD}    x`,
			`Here is the whole file:\n\n${OPEN}${ADD.content}${END}`,
		],
		["opens the file again with another beginning", `${OPEN}# first\nx = 1\n`, `${OPEN}${ADD.content}${END}`],
		["opens the file again and goes on", `${OPEN}${HEAD}`, `${OPEN}${TAIL}${END}`],
		["opens the file again and repeats", `${OPEN}# a\n${HEAD}`, `${OPEN}${HEAD}${TAIL}${END}`],
	])("%s", (name, cut, continuation) => {
		const { files, faults } = filesOf(cut, continuation);
		const isRepeatedStart = name === "opens the file again and repeats";
		expect(files).toEqual([isRepeatedStart ? { ...ADD, content: `# a\n${ADD.content}` } : ADD]);
		expect(faults).toEqual([]);
	});

	it("inside a second file leaves the first as it is", () => {
		const cut = `${fileBlock(B, ADD)}\n<<<FILE ${B} other.py>>>\nimport add\npri`;
		expect(filesOf(cut, `print(add)\n${END}`)).toEqual({ files: [ADD, OTHER], faults: [] });
	});

	it("that begins the whole answer again replaces its files", () => {
		const cut = `${fileBlock(B, { ...ADD, content: "old = 1\n" })}<<<FILE ${B} other.py>>>\nimp`;
		const again = `${fileBlock(B, ADD)}${fileBlock(B, OTHER)}`;
		expect(filesOf(cut, again)).toEqual({ files: [ADD, OTHER], faults: [] });
		// What it opens again and does not close, or leaves empty, stays as it was whole.
		expect(filesOf(cut, `${OPEN}${END}`).files).toEqual([{ ...ADD, content: "old = 1\n" }]);
		expect(filesOf(cut, `<<<FILE ${B} add.py>>>\nnew = `).files).toEqual([{ ...ADD, content: "old = 1\n" }]);
	});

	it.each([
		["is empty", "", "is not closed"],
		["is cut again", "    total = first", "is not closed"],
		["is only a fence", "```python\n```", "is not closed"],
		["goes on with another file", fileBlock(B, OTHER), "is not closed before the next marker"],
	])("that %s never makes the file whole", (_, continuation, fault) => {
		const { files, faults } = filesOf(`${OPEN}${HEAD}`, continuation, [{ path: "add.py", content: "before\n" }]);
		expect(files.find(({ path }) => path === "add.py")?.content).toBe("before\n");
		expect(faults[0]).toContain(fault);
	});

	it("keeps rows that are as those before them, and lines that only look like a sentence", () => {
		const row = "    [0, 0, 0, 0, 0],\n";
		const grid = { path: "add.py", content: `GRID = [\n${row.repeat(6)}]\n` };
		expect(filesOf(`${OPEN}GRID = [\n${row.repeat(4)}`, `${row.repeat(2)}]\n${END}`).files).toEqual([grid]);
		const notes = `<<<FILE ${B} NOTES.md>>>\n`;
		const text = "# Notes\n\nHere is the rest of the file:\n\n```js\nx\n```\n";
		const feature = { path: "a.feature", content: "Feature: adding\n\nHere is what it does:\n\nx\n" };
		const open = `<<<FILE ${B} a.feature>>>\nFeature: adding\n\n`;
		expect(filesOf(open, `${feature.content.slice(17)}${END}`).files).toEqual([feature]);
		expect(filesOf(`${notes}# Notes\n\n`, `${text.slice(9)}${END}`).files).toEqual([
			{ path: "NOTES.md", content: text },
		]);
	});

	it("gives every file back wherever the answer was cut", () => {
		const lines = fc.array(fc.constantFrom("a = 1", "    call(b, c)", "}", "", "# 日本語", "if x and y or z:"), {
			minLength: 1,
			maxLength: 12,
		});
		const answer = fc.tuple(lines, lines).map(([one, two]) => {
			const content = (all: string[]) => ["first", ...all.map((line, at) => (line === "" ? "" : `${line} ${at}`)), "x"];
			const files = [one, two].map((all, at) => ({ path: `f${at}.py`, content: `${content(all).join("\n")}\n` }));
			return { files, text: `It is:\n\n${files.map((file) => fileBlock(B, file)).join("\n")}` };
		});
		fc.assert(
			fc.property(answer, fc.nat(), ({ files, text }, at) => {
				const kept = wholeLines(text.slice(0, 8 + (at % (text.length - 8))), B);
				expect(filesOf(kept, text.slice(kept.length))).toEqual({ files, faults: [] });
			}),
		);
	});
});

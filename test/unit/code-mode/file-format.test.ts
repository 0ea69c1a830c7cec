// The format in which models write files: what it takes, and everything that it refuses with a reason.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	boundaryFrom,
	fileBlock,
	formatRules,
	markFor,
	pathFault,
	readDraft,
} from "../../../src/code-mode/file-format.ts";
import { NONCE } from "../../support/nonce.ts";

const B = "0a1b2c3d";
const file = (path: string, content = "x = 1\n") => fileBlock(B, { path, content });

describe("an answer", () => {
	it("gives its files, sorted by path, and leaves out the prose around them", () => {
		const answer = `Here you are:\n${file("src/b.py", "b = 2\n")}and\n${file("src/a.py")}Done.`;
		expect(readDraft(answer, B)).toEqual({
			files: [
				{ path: "src/a.py", content: "x = 1\n" },
				{ path: "src/b.py", content: "b = 2\n" },
			],
			changed: true,
			unclosed: [],
			faults: [],
		});
	});

	it("may hold anything between its fences, other fences included", () => {
		const content = "```\n<<<FILE deadbeef a>>>\n<<<END>>>\n===\n<<<END deadbeef>>>\n\n";
		expect(readDraft(file("a.md", content), B).files).toEqual([{ path: "a.md", content }]);
	});

	it("may end its lines as Windows does", () => {
		const { files, faults } = readDraft(file("a.py").replaceAll("\n", "\r\n"), B);
		expect([files, faults]).toEqual([[{ path: "a.py", content: "x = 1\r\n" }], []]);
	});

	it.each([
		["nothing at all", "", "the answer holds no file in the form that was asked for"],
		["Markdown alone", "```python\nx = 1\n```", "the answer holds no file in the form that was asked for"],
		["another boundary", fileBlock("ffffffff", { path: "a.py", content: "x" }), "the answer holds no file in the form"],
		["a file that is cut off", `<<<FILE ${B} a.py>>>\nx = 1\n`, "is not closed: the answer breaks off"],
		["an END too many", `<<<END ${B}>>>`, "an END stands where no file is open"],
		["an empty file", file("a.py", ""), "is empty"],
		["a blank file", file("a.py", " \n\t\n"), "is empty"],
		["an absolute path", file("/etc/passwd"), "its path is not relative"],
		["a home path", file("~/.bashrc"), "its path is not relative"],
		["a drive", file("C:/x.py"), "its path is not relative"],
		["a way up", file("../x.py"), "its path has the segment .."],
		["a way up inside", file("a/../../x.py"), "its path has the segment .."],
		["a dot", file("./x.py"), "its path has the segment ."],
		["a backslash", file("a\\x.py"), "its path has a backslash"],
		["an empty segment", file("a//x.py"), "its path has an empty segment"],
		["a directory", file("a/"), "its path has an empty segment"],
		["no path", file(""), "has no path"],
		["git's own", file(".git/hooks/pre-commit"), "its path leads into .git"],
		["git's own in capitals", file("a/.GIT/config"), "its path leads into .git"],
		["git's own under its short name", file("GIT~1/config"), "its path leads into .git"],
		["a way up in full-width characters", file("．．／x.py"), "its path has the segment .."],
		["a device with a raised digit", file("com¹.txt"), "its path has the segment com1.txt"],
		["a path in backticks", file("`a.py`"), "which not every system can hold"],
		["a device", file("nul.txt"), "its path has the segment nul.txt, which not every system can hold"],
		["a long path", file("a".repeat(201)), "its path takes more than 200 bytes"],
		["a deep path", file(`${"a/".repeat(16)}b`), "its path has more than 16 segments"],
		["a path that shows as another", file("a\u202egpj.exe"), "its path has characters that do not show"],
		["white space at an end", file(" a.py"), "its path has white space at an end"],
		["a NUL", file("a.py", "a\u0000b\n"), "holds a NUL character"],
	])("is refused for %s", (_, answer, why) => {
		const { files, changed, faults } = readDraft(answer, B);
		expect([files, changed]).toEqual([[], false]);
		expect(faults.map(({ message }) => message).join()).toContain(why);
	});

	it("may have paths in any script", () => {
		for (const path of ["src/größe.py", "文档/说明.md", "e\u0301t\u00e9.txt", "ファイル.ts"])
			expect(readDraft(file(path), B).files.map(({ path: read }) => read)).toEqual([path]);
	});

	it("keeps its good files beside the refused ones", () => {
		const { files, faults } = readDraft(`${file("a.py")}${file("../b.py")}${file("c.py")}`, B);
		expect(files.map(({ path }) => path)).toEqual(["a.py", "c.py"]);
		expect(faults).toEqual([{ path: "../b.py", message: "its path has the segment .." }]);
	});

	it("has every path once, however it is written, and no file that is a directory too", () => {
		const twice = readDraft(`${file("a.py")}${file("A.py", "y = 2\n")}`, B);
		expect([twice.files, twice.faults]).toEqual([
			[{ path: "a.py", content: "x = 1\n" }],
			[{ path: "A.py", message: "is written twice" }],
		]);
		for (const [one, other] of [
			["straße.py", "STRASSE.py"],
			["é.py", "E\u0301.py"],
			["s.py", "ſ.py"],
		] as const)
			expect(readDraft(`${file(one)}${file(other)}`, B).faults[0]?.message, other).toBe("is written twice");
		expect(readDraft(`${file("a/b.py")}${file("a")}`, B).faults[0]?.message).toBe(
			"its path is a directory of another file",
		);
		expect(readDraft(`${file("a")}${file("a/b.py")}`, B).faults[0]?.message).toBe(
			"its path leads through another file",
		);
	});

	it("holds at most 100 files and 1 MiB", () => {
		const many = Array.from({ length: 102 }, (_, index) => file(`f${index}.py`)).join("");
		const drafted = readDraft(many, B);
		expect([drafted.files.length, drafted.faults.length]).toEqual([100, 2]);
		const half = "é".repeat(262_144);
		const large = readDraft(`${file("a.txt", half)}${file("b.txt", half)}`, B);
		expect(large.files.map(({ path }) => path)).toEqual(["a.txt"]);
		expect(large.faults).toEqual([{ path: "b.txt", message: "brings all files over 1048576 bytes" }]);
	});

	it("that does not close a file loses it, not the next one", () => {
		const { files, faults } = readDraft(`<<<FILE ${B} a.py>>>\nx\n${file("b.py")}`, B);
		expect(files.map(({ path }) => path)).toEqual(["b.py"]);
		expect(faults).toEqual([{ path: "a.py", message: "is not closed before the next marker" }]);
	});
});

describe("a repair", () => {
	const previous = [
		{ path: "a.py", content: "a\n" },
		{ path: "b.py", content: "b\n" },
	];

	it("leaves what it does not write as it is", () => {
		expect(readDraft(file("b.py", "b2\n"), B, { previous })).toEqual({
			files: [previous[0], { path: "b.py", content: "b2\n" }],
			changed: true,
			unclosed: [],
			faults: [],
		});
	});

	it("may remove a file that is there", () => {
		expect(readDraft(`<<<DELETE ${B} a.py>>>`, B, { previous })).toEqual({
			files: [previous[1]],
			changed: true,
			unclosed: [],
			faults: [],
		});
		expect(readDraft(`<<<DELETE ${B} c.py>>>`, B, { previous })).toMatchObject({
			changed: false,
			faults: [{ path: "c.py", message: "is to be removed and does not exist" }],
		});
		const both = readDraft(`${file("a.py")}<<<DELETE ${B} a.py>>>`, B, { previous });
		expect(both.faults).toEqual([{ path: "a.py", message: "is written and removed" }]);
	});

	it("of nothing has changed nothing", () => {
		expect(readDraft("It is fine.", B, { previous })).toMatchObject({ files: previous, changed: false });
	});
});

describe("the boundary", () => {
	const boundaryOf = (texts: string[], nonce = NONCE) => boundaryFrom(markFor(nonce, texts));

	it("is the beginning of the request's nonce, whatever the texts say, unless one of them holds it", () => {
		const first = boundaryOf(["task"]);
		expect(NONCE.startsWith(first)).toBe(true);
		expect(boundaryOf(["another task"])).toBe(first);
		const second = boundaryOf(["task", `a file with ${first} in it`]);
		expect(second).not.toBe(first);
		expect(boundaryOf(["task", first, second])).not.toBe(second);
		expect(boundaryOf(["task", `a file with ${first} in it`])).toBe(second);
		expect(boundaryOf(["task"], "fedcba9876543210")).not.toBe(first);
		expect(formatRules(first)).toContain(`<<<FILE ${first} relative/path.ext>>>`);
	});

	it("belongs to a mark that is as long as a nonce", () => {
		expect(markFor(NONCE, [NONCE])).toMatch(/^[0-9a-f]{16}$/);
	});

	it("keeps any content apart from the format", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.string(), (content, task) => {
				fc.pre(content.trim() !== "" && !content.includes("\u0000"));
				const boundary = boundaryOf([content, task]);
				const { files, faults } = readDraft(`${task}\n${fileBlock(boundary, { path: "a", content })}`, boundary);
				expect(faults).toEqual([]);
				expect(files).toEqual([{ path: "a", content: content.endsWith("\n") ? content : `${content}\n` }]);
			}),
		);
	});
});

describe("an answer that its output limit ended", () => {
	it("has no file that it left open, and says why", () => {
		const draft = readDraft(`${file("a.py")}<<<FILE ${B} b.py>>>\nx = 1\n`, B, { isCut: true });
		expect(draft).toMatchObject({ files: [{ path: "a.py" }], unclosed: ["b.py"] });
		expect(draft.faults).toEqual([{ path: "b.py", message: expect.stringContaining("output limit") }]);
	});

	it("between files may lack some", () => {
		const draft = readDraft(`${file("a.py")}Next come`, B, { isCut: true });
		expect(draft).toMatchObject({ files: [{ path: "a.py" }], unclosed: [] });
		expect(draft.faults).toEqual([{ path: null, message: expect.stringContaining("files may be missing") }]);
	});
});

it("no path that is taken leads anywhere else", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 40 }), (path) => {
			if (pathFault(path) !== null) return;
			const at = new URL(encodeURI(path), "https://host.test/root/");
			expect(at.href.startsWith("https://host.test/root/")).toBe(true);
		}),
	);
});

import { execFileSync } from "node:child_process";
import {
	linkSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { HOLDS_FOLDERS, placeFile } from "../../../../src/cli/svc/placed-file.ts";
import { planFiles, writeFiles } from "../../../../src/cli/svc/written-files.ts";

const dir = mkdtempSync(join(tmpdir(), "svc-files-"));
const out = join(dir, "out");
beforeEach(() => {
	rmSync(out, { recursive: true, force: true });
	mkdirSync(out);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const write = (paths: readonly string[], mayOverwrite = false) =>
	writeFiles(
		planFiles(
			dir,
			"out",
			paths.map((path) => ({ path, content: `text of ${path}` })),
			mayOverwrite,
		),
	);

describe("files that a model named", () => {
	it("are written below their folder", () => {
		write(["src/a/b.ts", "README.md"]);
		expect(readFileSync(join(out, "src/a/b.ts"), "utf8")).toBe("text of src/a/b.ts");
	});

	it("of the same path are refused before one is written", () => {
		expect(() => write(["a", "a"])).toThrow("nothing was written");
		expect(readdirSync(out)).toEqual([]);
	});

	it.each([
		"../a",
		"/etc/x",
		"a/../../b",
		"a//b",
		"./a",
		"",
		"a\\..\\b",
		"C:a",
		".git/hooks/pre-commit",
		"sub/.GIT/config",
		"a\u0000b",
		"a\nb",
	])("are not written at %j, nor is any other file then", (path) => {
		expect(() => write(["fine.ts", path])).toThrow("nothing was written");
		expect(readdirSync(out)).toEqual([]);
	});

	it("go through no link and over no file, unless that is asked for", () => {
		mkdirSync(join(dir, "elsewhere"), { recursive: true });
		symlinkSync(join(dir, "elsewhere"), join(out, "linked"));
		symlinkSync(join(dir, "elsewhere/x"), join(out, "link.ts"));
		writeFileSync(join(out, "there.ts"), "mine");
		expect(() => write(["linked/x"], true)).toThrow("is no folder");
		expect(() => write(["link.ts"], true)).toThrow("is no file");
		expect(() => write(["new.ts", "there.ts"])).toThrow("--force");
		expect(readdirSync(join(dir, "elsewhere"))).toEqual([]);
		expect(readdirSync(out).sort()).toEqual(["link.ts", "linked", "there.ts"]);
		write(["there.ts"], true);
		expect(readFileSync(join(out, "there.ts"), "utf8")).toBe("text of there.ts");
	});
});

const WAYS = [
	{ name: "through folders that are held open", holdsFolders: true },
	{ name: "by its path", holdsFolders: false },
].filter(({ holdsFolders }) => HOLDS_FOLDERS || !holdsFolders);

describe.each(WAYS)("a file that is written $name", ({ holdsFolders }) => {
	const elsewhere = join(dir, "elsewhere");
	beforeEach(() => {
		rmSync(elsewhere, { recursive: true, force: true });
		mkdirSync(elsewhere);
		writeFileSync(join(elsewhere, "x.ts"), "theirs");
	});

	/** Plans a file, lets `plant` change the folder, and writes it. */
	function writeAfter(path: string, plant: () => void, mayOverwrite = false): void {
		const planned = planFiles(dir, "out", [{ path, content: "text" }], mayOverwrite);
		plant();
		writeFiles(planned, holdsFolders);
	}
	const untouched = () => {
		expect(readdirSync(elsewhere)).toEqual(["x.ts"]);
		expect(readFileSync(join(elsewhere, "x.ts"), "utf8")).toBe("theirs");
	};
	const there = (path: string) => {
		mkdirSync(join(out, "src"), { recursive: true });
		writeFileSync(join(out, path), "mine");
	};

	it("is whole, and replaces one that is asked for", () => {
		writeAfter("src/a/b.ts", () => {});
		expect(readFileSync(join(out, "src/a/b.ts"), "utf8")).toBe("text");
		writeFileSync(join(out, "src/a/b.ts"), "something longer than the text");
		writeAfter("src/a/b.ts", () => {}, true);
		expect(readFileSync(join(out, "src/a/b.ts"), "utf8")).toBe("text");
	});

	it("does not go through a link in place of a folder that was absent", () => {
		expect(() => writeAfter("src/y.ts", () => symlinkSync(elsewhere, join(out, "src")))).toThrow("cannot be written");
		untouched();
	});

	it("does not go through a link in place of a folder that was there", () => {
		there("src/x.ts");
		const plant = () => {
			renameSync(join(out, "src"), join(out, "before"));
			symlinkSync(elsewhere, join(out, "src"));
		};
		expect(() => writeAfter("src/x.ts", plant, true)).toThrow("cannot be written");
		untouched();
		expect(readFileSync(join(out, "before/x.ts"), "utf8")).toBe("mine");
	});

	it("does not follow a link in its own place, to a file or to nothing", () => {
		for (const target of ["x.ts", "absent.ts"])
			expect(() =>
				writeAfter(`${target}-new`, () => symlinkSync(join(elsewhere, target), join(out, `${target}-new`))),
			).toThrow("EEXIST");
		there("src/x.ts");
		const plant = () => {
			rmSync(join(out, "src/x.ts"));
			symlinkSync(join(elsewhere, "x.ts"), join(out, "src/x.ts"));
		};
		expect(() => writeAfter("src/x.ts", plant, true)).toThrow("ELOOP");
		untouched();
	});

	it("does not change a file that has another name too", () => {
		there("src/x.ts");
		const plant = () => {
			rmSync(join(out, "src/x.ts"));
			linkSync(join(elsewhere, "x.ts"), join(out, "src/x.ts"));
		};
		expect(() => writeAfter("src/x.ts", plant, true)).toThrow("another name");
		untouched();
	});

	it("does not wait for a pipe in its place", () => {
		there("src/x.ts");
		const plant = () => {
			rmSync(join(out, "src/x.ts"));
			execFileSync("mkfifo", [join(out, "src/x.ts")]);
		};
		expect(() => writeAfter("src/x.ts", plant, true)).toThrow("ENXIO");
	});

	it("does not replace one that came to be meanwhile, and names how many are written", () => {
		const planned = planFiles(
			dir,
			"out",
			[
				{ path: "a", content: "1" },
				{ path: "b", content: "2" },
			],
			false,
		);
		writeFileSync(join(out, "b"), "mine");
		expect(() => writeFiles(planned, holdsFolders)).toThrow("(1 of 2 files are written)");
		expect([readFileSync(join(out, "a"), "utf8"), readFileSync(join(out, "b"), "utf8")]).toEqual(["1", "mine"]);
	});
});

describe("a folder replaced by a link while its file is written", () => {
	const elsewhere = join(dir, "elsewhere");

	/** Writes src/x.ts, whose folder is replaced after it was opened or looked at, right before the file is opened. */
	function writeWhileReplaced(holdsFolders: boolean): void {
		rmSync(elsewhere, { recursive: true, force: true });
		mkdirSync(elsewhere);
		mkdirSync(join(out, "src"));
		const parts = ["src", "x.ts"];
		const replace = () => {
			renameSync(join(out, "src"), join(out, "before"));
			symlinkSync(elsewhere, join(out, "src"));
		};
		placeFile(
			{
				root: out,
				parts,
				content: "text",
				// Read right before the file is opened.
				get isNew() {
					replace();
					return true;
				},
			},
			holdsFolders,
		);
	}

	it.skipIf(!HOLDS_FOLDERS)("stays in the folder that was opened", () => {
		writeWhileReplaced(true);
		expect(readdirSync(elsewhere)).toEqual([]);
		expect(readFileSync(join(out, "before/x.ts"), "utf8")).toBe("text");
	});

	it("gets no content elsewhere where folders cannot be held", () => {
		expect(() => writeWhileReplaced(false)).toThrow("replaced meanwhile");
		expect(readdirSync(elsewhere).map((name) => readFileSync(join(elsewhere, name), "utf8"))).toEqual([""]);
	});
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
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

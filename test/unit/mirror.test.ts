// test/unit mirrors src/: the tests of a folder stand under its name, those of a file at its root under the file's.
import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const UNIT = import.meta.dirname;
const SRC = resolve(UNIT, "../../src");
const entries = readdirSync(UNIT, { recursive: true, withFileTypes: true });

/** They are about src as a whole, or about the lists of parts that measure it (test/eval). */
const ABOUT_ALL = ["ablation.test.ts", "architecture.test.ts", "docs.test.ts", "mirror.test.ts"];

describe("test/unit", () => {
	it("has no folder that src has not", () => {
		const folders = entries
			.filter((entry) => entry.isDirectory())
			.map(({ parentPath, name }) => relative(UNIT, join(parentPath, name)));
		expect(folders.filter((folder) => !existsSync(join(SRC, folder)))).toEqual([]);
		expect(folders.length).toBeGreaterThan(10);
	});

	it("has at its root only tests of files at the root of src", () => {
		const tests = entries.filter((entry) => entry.isFile() && entry.parentPath === UNIT).map(({ name }) => name);
		const strangers = tests.filter(
			(name) => !ABOUT_ALL.includes(name) && !existsSync(join(SRC, name.replace(/\.test\.ts$/, ".ts"))),
		);
		expect(strangers).toEqual([]);
	});
});

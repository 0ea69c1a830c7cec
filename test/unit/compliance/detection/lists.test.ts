import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const LISTS = resolve(import.meta.dirname, "../../../../src/compliance/detection/lists");
const files = readdirSync(LISTS).filter((name) => name !== "sources.json");

function parseFile(name: string): unknown {
	return JSON.parse(readFileSync(join(LISTS, name), "utf8"));
}

/** The lists in a file: the file itself, or each of its members. */
function listsIn(name: string): unknown[][] {
	const parsed = parseFile(name);
	if (Array.isArray(parsed)) return [parsed];
	return Object.values(parsed as Record<string, unknown>).filter(Array.isArray);
}

describe("the lists of the detector", () => {
	it("each say what they hold, where it comes from and under which licence", () => {
		const sources = parseFile("sources.json") as Record<string, Record<string, string>>;
		expect(Object.keys(sources).sort()).toEqual([...files].sort());
		const unstated = Object.entries(sources).filter(([, { holds, entries, source, licence }]) =>
			[holds, entries, source, licence].some((text) => !text),
		);
		expect(unstated).toEqual([]);
	});

	it.each(files)("have no entry twice: %s", (name) => {
		for (const list of listsIn(name)) {
			const entries = list.map((entry) => JSON.stringify(entry));
			expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
		}
	});

	it.each(files)("have one entry a line: %s", (name) => {
		const lines = readFileSync(join(LISTS, name), "utf8").split("\n");
		const entries = listsIn(name).flat().length;
		expect(lines.length).toBeGreaterThan(entries);
	});
});

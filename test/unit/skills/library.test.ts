// The skills that ship keep to their form, say nothing twice, and hold nothing that a compliance policy would stop.
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { readLibrary, reportOn } from "../../support/skill-library.ts";

const library = readLibrary();
const [first] = library;

describe.each(library.map((skill) => [skill.id, skill] as const))("%s", (_, skill) => {
	it("has its sections, a length that is read, no filler, and nothing of another's", () => {
		expect(reportOn(skill, library).faults).toEqual([]);
	});

	it("holds no sensitive data of its own, whose class a policy would bar for every task", () => {
		expect(detect(plainConversation(skill.raw)).classes).toEqual([]);
	});
});

describe("the check", () => {
	if (!first) throw new Error("the library is empty");
	const changed = (raw: string) => reportOn({ ...first, raw }, library).faults.join("; ");
	const [, second] = library;

	it.each([
		["another title", (raw: string) => raw.replace(/^# .+/, "# Other"), "title"],
		["a section missing", (raw: string) => raw.replace("## Pitfalls", "## Traps"), "sections"],
		["no role", (raw: string) => raw.replace(/\nYou /, "\nThe reader "), "role"],
		["filler", (raw: string) => raw.replace("## Method", "Follow best practices.\n\n## Method"), "best practices"],
		["half of it", (raw: string) => raw.slice(0, raw.length / 2), "words"],
		["a paragraph of another", (raw: string) => raw + second?.raw.slice(0, 900), `shares with ${second?.id}`],
	])("finds %s", (_, change, fault) => {
		expect(changed(first.raw)).toBe("");
		expect(changed(change(first.raw))).toContain(fault);
	});
});

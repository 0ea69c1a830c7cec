// Skills as files: what a file must hold to be one, and that every file of the library is one that is served.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SKILL_FILES } from "../../../src/skills/library.edge.ts";
import { parseSkill } from "../../../src/skills/skill.ts";

const LIBRARY = resolve(import.meta.dirname, "../../../src/skills/library");
const names = readdirSync(LIBRARY).toSorted();

const file = (front: string, body = "# A\n\nYou do.\n") => `---\n${front}\n---\n${body}`;
const FRONT = "id: a-b\nname: A: b\ndescription: Does a, then b.";

describe("a skill's file", () => {
	it("is read into id, name, description and the body alone", () => {
		expect(parseSkill(file(FRONT))).toEqual({
			id: "a-b",
			name: "A: b",
			description: "Does a, then b.",
			raw: "# A\n\nYou do.\n",
		});
	});

	it.each([
		["no front matter", "# A\n\nYou do.\n"],
		["another order", file("name: A\nid: a\ndescription: D.")],
		["a member missing", file("id: a\nname: A")],
		["a member too many", file(`${FRONT}\nmodel: x`)],
		["an empty member", file("id: a\nname: \ndescription: D.")],
		["an id that is no file name", file("id: ../a\nname: A\ndescription: D.")],
		["no body", file(FRONT, "")],
		["a body that begins without a heading", file(FRONT, "You do.\n")],
	])("with %s is refused", (_, text) => {
		expect(() => parseSkill(text)).toThrow("not a skill");
	});
});

describe("the library", () => {
	it("has 23 skills, and serves every file in alphabetical order", () => {
		expect(names.length).toBe(23);
		expect(Object.keys(SKILL_FILES).map((id) => `${id}.md`)).toEqual(names);
	});

	it.each(names)("%s is a skill under its own name", (name) => {
		expect(`${parseSkill(readFileSync(join(LIBRARY, name), "utf8")).id}.md`).toBe(name);
	});
});

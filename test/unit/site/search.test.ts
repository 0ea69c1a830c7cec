// The search: all words, headings first, a part of the text around what was found.
import { expect, it } from "vitest";
import { type IndexedSection, searchSections } from "../../../src/site/search.ts";

const section = (title: string, text = "", page = "Reference"): IndexedSection => ({
	url: `/${title}`,
	title,
	page,
	text,
});
const INDEX = [
	section("Limits", "A run ends at its cap. Pruned streams count."),
	section("Agents", "An agent works on a goal in a run."),
	section("POST /v1/agent/run", "starts a run", "Endpoint"),
	section("Money", "Costs are integers.", "Design"),
];
const titles = (query: string) => searchSections(INDEX, query).map(({ title }) => title);

it("finds sections that have all words, those in a heading first", () => {
	expect(titles("run")).toEqual(["POST /v1/agent/run", "Limits", "Agents"]);
	expect(titles("RUN  agent")).toEqual(["POST /v1/agent/run", "Agents"]);
	expect(titles("run integers")).toEqual([]);
});

it("prefers words that stand together", () => {
	const index = [section("One", "key of a run, and an idempotency rule"), section("Two", "an idempotency key")];
	expect(searchSections(index, "idempotency key").map(({ title }) => title)).toEqual(["Two", "One"]);
});

it("finds a page's sections by its name", () => {
	expect(titles("design costs")).toEqual(["Money"]);
});

it("finds nothing for nothing", () => {
	expect([titles(""), titles("   "), titles("zebra")]).toEqual([[], [], []]);
});

it("shows the text around what was found, whole where it is short", () => {
	const [short] = searchSections(INDEX, "goal");
	expect(short?.snippet).toEqual(["An agent works on a ", "goal", " in a run."]);
	const [long] = searchSections([section("Long", `${"word ".repeat(60)}needle ${"more ".repeat(60)}`)], "needle");
	expect(long?.snippet[0]).toMatch(/^… (?:word )+$/);
	expect(long?.snippet[1]).toBe("needle");
	expect(long?.snippet[2]).toMatch(/ …$/);
	expect(long?.snippet.join("").length).toBeLessThan(200);
});

it("finds at most twenty, and reads at most eight words", () => {
	const many = Array.from({ length: 30 }, (_, nth) => section(`Part ${nth}`));
	expect(searchSections(many, "part")).toHaveLength(20);
	expect(searchSections(many, `${"part ".repeat(8)}absent`)).toHaveLength(20);
});

it("marks no single letter, and the beginning of a word before its middle", () => {
	const [found] = searchSections([section("Keys", "Unlocked by a key; say what a lock costs.")], "a lock");
	expect(found?.snippet).toEqual(["Unlocked by a key; say what a ", "lock", " costs."]);
	const [letter] = searchSections([section("Keys", "Rotate a key.")], "a");
	expect(letter?.snippet).toEqual(["Rotate a key."]);
});

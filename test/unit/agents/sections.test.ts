// Outputs that are assembled: no section is lost, none appears twice, and the final step's words stand around them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlannedSubtask } from "../../../src/agents/plan.ts";
import { assembleSections, findSections, type Section, toAssembly } from "../../../src/agents/sections.ts";

const toSubtask = (task: string): PlannedSubtask => ({ task, title: null, isSection: null });

function headingsFor(goal: string, ...tasks: string[]): (string | null)[] | null | number {
	const assembly = toAssembly(goal, tasks.map(toSubtask), 1_000);
	if (!assembly) return null;
	return assembly.aboveBytes === 0 ? assembly.headings : assembly.aboveBytes;
}

describe("a plan's results", () => {
	it("are sections where the plan says so, under its titles", () => {
		const subtasks: PlannedSubtask[] = [
			{ task: "List sources", title: "Sources", isSection: false },
			{ task: "Write about China", title: "Tea in China", isSection: true },
			{ task: "Write about Japan", title: null, isSection: true },
		];
		expect(toAssembly("Anything", subtasks, 1_000)).toEqual({
			headings: [null, "Tea in China", "About Japan"],
			aboveBytes: 0,
		});
	});

	it("are no sections where the plan says that, however long they are", () => {
		const subtasks = ["a", "b"].map((task) => ({ task, title: null, isSection: false }));
		expect(toAssembly("Write a book", subtasks, 1_000)).toBeNull();
	});

	it.each<[string, string[], (string | null)[] | null | number]>([
		["Write a book:\n1. Origins\n2. Today", ["Origins", "Today"], ["Origins", "Today"]],
		[
			"Write a book about tea",
			["Research tea", "Write chapter 1 on China.", "Draft the chapter on Japan"],
			[null, "Chapter 1 on China", "Chapter on Japan"],
		],
		["Do this:\n1. Write a song\n2. Write a poem", ["Write a song", "Write a poem"], ["Song", "Poem"]],
		["Write a report that compares both", ["Apples", "Pears"], 4_000],
		["Write a summary report:\n1. Read A\n2. Read B", ["Read A", "Read B"], null],
		["Write a report that recommends one tea", ["Green tea", "Black tea"], null],
		["Explain tea", ["Its origins", "Its taste"], 4_000],
		["Decide which tea to buy", ["Collect prices", "Weigh them"], null],
		["Summarize the three laws", ["The first", "The second"], null],
		["How many legs have ten cows?", ["Legs of a cow", "Times ten"], null],
		["Write a poem", ["Write a poem"], null],
	])("of %j by %j are %j", (goal, tasks, expected) => {
		expect(headingsFor(goal, ...tasks)).toEqual(expected);
	});
});

describe("the sections of a run", () => {
	const result = (text: string, isCut = false) => ({ text, isCut });

	it("are those results that have a heading, and none while there is one result", () => {
		const assembly = { headings: [null, "A", "B"], aboveBytes: 0 };
		expect(findSections(assembly, [result("x"), result("y")])).toEqual([{ heading: "A", text: "y", isCut: false }]);
		expect(findSections(assembly, [result("x")])).toBeNull();
		expect(findSections(null, [result("x"), result("y")])).toBeNull();
		expect(findSections(undefined, [result("x"), result("y")])).toBeNull();
	});

	it("are found by length where nothing else says it", () => {
		const assembly = { headings: ["A", "B"], aboveBytes: 10 };
		expect(findSections(assembly, [result("xxxxx"), result("yyyyy")])).toBeNull();
		expect(findSections(assembly, [result("xxxxx"), result("yyyyyy")])).toHaveLength(2);
	});
});

const section = (heading: string, text: string, isCut = false): Section => ({ heading, text, isCut });

describe("an assembled output", () => {
	const LONG = "This paragraph is long enough to be told from another one by chance.";

	it("is the opening, the sections in their order, and the closing", () => {
		const sections = [section("One", "first"), section("Two", "## Second\n\nsecond")];
		expect(assembleSections(sections, "# Title\n\nHello.\n\n[SECTIONS]\n\nBye.")).toBe(
			"# Title\n\nHello.\n\n## One\n\nfirst\n\n## Second\n\nsecond\n\nBye.",
		);
	});

	it.each([
		["", "## One\n\nfirst"],
		["Hello.", "Hello.\n\n## One\n\nfirst"],
		["Hello.\n**[SECTIONS]**", "Hello.\n\n## One\n\nfirst"],
		["SECTIONS\nBye.", "## One\n\nfirst\n\nBye."],
	])("is whole whatever the final step wrote: %j", (frame, output) => {
		expect(assembleSections([section("One", "first")], frame)).toBe(output);
	});

	it.each(["# One\nfirst", "**One**\n\nfirst", "One\n---\nfirst", "one\nfirst", "<h2>One</h2>\nfirst"])(
		"gives no second heading to %j",
		(text) => {
			expect(assembleSections([section("One", text)], "")).toBe(text);
		},
	);

	it("marks a section that was cut, and lets no code block of it run on", () => {
		const sections = [section("One", "```js\nlet a", true), section("Two", "second")];
		expect(assembleSections(sections, "")).toBe("## One\n\n```js\nlet a\n```\n\n[…]\n\n## Two\n\nsecond");
	});

	it("has no section twice, though the final step or a later section repeats it", () => {
		const sections = [section("One", `# One\n\n${LONG}`), section("Two", `# One\n\n${LONG}\n\n# Two\n\nnew`)];
		for (const frame of ["Hello.", `Hello.\n\n${LONG}`, `# One\n\n${LONG}\n\nHello.`]) {
			const output = assembleSections(sections, frame);
			expect(output.split(LONG)).toHaveLength(2);
			expect(output).toContain("Hello.");
			expect(output).toContain("new");
		}
	});

	it("holds every section of any make, in order", () => {
		const texts = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z .]{50,200}[a-z]$/), { minLength: 1, maxLength: 8 });
		fc.assert(
			fc.property(texts, fc.string(), fc.boolean(), (parts, frame, isCut) => {
				const output = assembleSections(
					parts.map((text, at) => section(`H${at}`, text, isCut)),
					frame,
				);
				let from = 0;
				for (const text of parts) {
					const at = output.indexOf(text, from);
					expect(at).toBeGreaterThanOrEqual(from);
					expect(output.split(text)).toHaveLength(2);
					from = at + text.length;
				}
			}),
		);
	});
});

describe("long texts", () => {
	// The square of this length would take longer than a test may.
	it.each([" ", "\n", ".", "*", "["])("of %j are assembled in linear time", (sign) => {
		const long = `x${sign.repeat(1_000_000)}x`;
		expect(assembleSections([section("A", "one"), section("B", "two")], long)).toContain("## A\n\none\n\n## B\n\ntwo");
		const titled: PlannedSubtask[] = [
			{ task: "a", title: long, isSection: true },
			{ task: "b", title: "B", isSection: true },
		];
		expect(toAssembly("Anything", titled, 1_000)?.headings[1]).toBe("B");
	});
});

// Excerpts of earlier results: never above the bound, and as much as fits.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptResults, excerptText, type SubtaskResult } from "../../../src/agents/excerpt.ts";

const bytes = (text: string) => Buffer.byteLength(text, "utf8");
const text = fc.oneof(
	fc.string({ unit: "grapheme", maxLength: 3_000 }),
	fc.string({ unit: "binary", maxLength: 300 }),
	fc.constantFrom("", "é".repeat(2_000), "😀".repeat(700), "a\n".repeat(3_000), "\ud800".repeat(100)),
);
const results: fc.Arbitrary<SubtaskResult[]> = fc
	.array(fc.record({ subtask: text, output: text }), { maxLength: 30 })
	.map((steps) => steps.map((step, index) => ({ index, ...step })));
const maxSize = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 40_000 }));

const result = (index: number, length: number): SubtaskResult => ({
	index,
	subtask: `subtask ${index}`,
	output: `<${index}>${"x".repeat(length)}</${index}>`,
});

describe("an excerpt", () => {
	it("has at most so many bytes, in whole characters, and of a text that fits all of it", () => {
		fc.assert(
			fc.property(text, maxSize, (whole, maxBytes) => {
				const cut = excerptText(whole, maxBytes);
				expect(bytes(cut)).toBeLessThanOrEqual(maxBytes);
				expect(cut.isWellFormed()).toBe(true);
				const sound = whole.toWellFormed();
				if (bytes(sound) <= maxBytes) expect(cut).toBe(sound);
				// A character cut in two would be read as one that the text does not have.
				else if (!sound.includes("\ufffd")) expect(cut).not.toContain("\ufffd");
			}),
		);
	});

	it("keeps the beginning and the end", () => {
		expect(excerptText("abcdefghijklmnopqrstuvwxyz", 16)).toBe("abcdef\n[…]\nxyz");
	});
});

describe("the excerpts of results", () => {
	it("has at most so many bytes, however many steps there were and whatever they said", () => {
		fc.assert(
			fc.property(results, maxSize, (steps, maxBytes) => {
				const digest = excerptResults(steps, maxBytes);
				expect(bytes(digest)).toBeLessThanOrEqual(maxBytes);
				expect(digest.isWellFormed()).toBe(true);
				expect(excerptResults(structuredClone(steps), maxBytes)).toBe(digest);
			}),
			{ numRuns: 1_000 },
		);
	});

	it("of nothing is empty, and of what fits is whole", () => {
		expect(excerptResults([], 1_000)).toBe("");
		expect(excerptResults([result(0, 3), result(1, 2)], 1_000)).toBe(
			"### Step 0: subtask 0\n<0>xxx</0>\n\n### Step 1: subtask 1\n<1>xx</1>",
		);
	});

	it("gives the newest up to half of the room, and the others even shares", () => {
		const digest = excerptResults([result(0, 5_000), result(1, 5_000), result(2, 50), result(3, 5_000)], 4_000);
		const [first, second, third, last] = digest.split("\n\n").map(bytes);
		expect(bytes(digest)).toBeGreaterThan(3_900);
		expect(Number(last)).toBeGreaterThan(1_900);
		expect(Math.abs(Number(first) - Number(second))).toBeLessThan(3);
		expect(digest).toContain(result(2, 50).output);
		expect(Number(third)).toBeLessThan(100);
	});

	it("gives what the others do not need to the newest", () => {
		const digest = excerptResults([result(0, 10), result(1, 5_000)], 3_000);
		expect(digest).toContain(result(0, 10).output);
		expect(bytes(digest)).toBeGreaterThan(2_950);
	});

	it("counts the oldest where there is no room for a piece of each, and always shows the newest", () => {
		const steps = Array.from({ length: 1_000 }, (_, index) => result(index, 2_000));
		const digest = excerptResults(steps, 2_000);
		const shown = digest.match(/### Step \d+/g) ?? [];
		expect(
			digest.startsWith(`(${1_000 - shown.length} earlier results are left out)\n\n### Step ${1_000 - shown.length}:`),
		).toBe(true);
		expect(shown.length).toBeGreaterThan(4);
		expect(digest).toContain("</999>");
		expect(excerptResults(steps, 100)).toMatch(/^<999>x+\n\[…\]\nx+<\/999>$/);
	});

	it("names a long subtask by its beginning, in one line", () => {
		const [line = ""] = excerptResults([{ index: 7, subtask: `a\n b ${"😀".repeat(300)}`, output: "" }], 2_000).split(
			"\n",
		);
		expect(line).toBe(`### Step 7: a b ${"😀".repeat(116)}…`);
	});
});

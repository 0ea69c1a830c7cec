import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { includesInSteps, lowerInSteps } from "../../../src/routing/long-text.ts";
import { runSteps, type Steps } from "../../../src/turns/steps.ts";

const PIECE = 1_048_576;

function countPauses(steps: Steps<unknown>): number {
	let pauses = 0;
	while (!steps.next().done) pauses++;
	return pauses;
}

/** Texts in which what matters lies on the edge of a piece. */
const edgeText = fc
	.record({
		filler: fc.constantFrom("a", "A b ", "Σ", "ΑΣ ", "ΑΣ'", "İ1", "😀 ", "é"),
		before: fc.integer({ min: 0, max: 6 }),
		edge: fc.array(fc.constantFrom("Σ", "Α", "a", "'", ".", " ", "1", "\n", "İ", "😀", "́"), { maxLength: 8 }),
		after: fc.constantFrom("", "Σ tail", "ΑΣ", "x".repeat(10)),
	})
	.map(({ filler, before, edge, after }) => {
		const head = filler.repeat(Math.ceil((PIECE - before) / filler.length)).slice(0, PIECE - before);
		return head + edge.join("") + after;
	});

describe("a long text in pieces", () => {
	it("is lowered as in one piece", () => {
		fc.assert(
			fc.property(edgeText, (text) => {
				expect(runSteps(lowerInSteps(text)) === text.toLowerCase()).toBe(true);
			}),
			{ numRuns: 60 },
		);
	});

	it("holds words across the edge of a piece, and no others", () => {
		const text = `${"a ".repeat(PIECE / 2 - 2)}the edge is here`;
		for (const words of ["the edge", "is here", "a t", text.slice(PIECE - 1), "", text])
			expect(runSteps(includesInSteps(text, words))).toBe(true);
		for (const words of ["the  edge", "herea", "here ", `${text}!`])
			expect(runSteps(includesInSteps(text, words))).toBe(false);
	});

	it("pauses once a piece, and not in a short text", () => {
		const long = "Plan a trip. ".repeat((4.5 * PIECE) / 13);
		expect(countPauses(lowerInSteps(long))).toBe(4);
		expect(countPauses(includesInSteps(long, "nowhere"))).toBe(4);
		expect(countPauses(lowerInSteps("short")) + countPauses(includesInSteps("short", "x"))).toBe(0);
	});
});

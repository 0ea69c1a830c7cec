// Slips: within how many of them one word becomes another.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areWithinSlips } from "../../src/suggest.ts";

describe("slips", () => {
	it.each([
		["compliance", "compliance", 0],
		["complience", "compliance", 1],
		["complaince", "compliance", 1],
		["compliace", "compliance", 1],
		["compliancee", "compliance", 1],
		["xcompliance", "compliance", 1],
		["cmplaince", "compliance", 2],
		["copmlaince", "compliance", 2],
		["compliant", "compliance", 2],
		["", "ab", 2],
	])("from %s to %s are %i", (word, meant, slips) => {
		expect(areWithinSlips(word, meant, slips)).toBe(true);
		expect(areWithinSlips(meant, word, slips)).toBe(true);
		if (slips > 0) expect(areWithinSlips(word, meant, slips - 1)).toBe(false);
	});

	it("are found whatever the word and wherever the slip", () => {
		const slip = fc.record({ at: fc.nat(), letter: fc.constantFrom("a", "b", "_"), kind: fc.nat(3) });
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 2, maxLength: 12 }),
				slip,
				(word, made) => {
					const at = made.at % (word.length - 1);
					const [before, after] = [word.slice(0, at), word.slice(at + 1)];
					const slipped = [
						before + made.letter + word.slice(at),
						before + after,
						before + made.letter + after,
						before + word[at + 1] + word[at] + word.slice(at + 2),
					][made.kind];
					expect(areWithinSlips(slipped ?? "", word, 1)).toBe(true);
				},
			),
		);
	});
});

// Bounds of an input's tokens: never the wrong way round, and of a list of tokens exact.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leastTokens, likelyTokens, mostTokens } from "../../../src/encoders/token-bounds.ts";
import { utf8Length } from "../../../src/text/utf8.ts";

describe("tokens of an input", () => {
	it("are at least its words, at least one for each 128 bytes, and at most its bytes and a frame", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.lorem()), (text) => {
				const [least, most] = [leastTokens(text), mostTokens(text)];
				expect(least).toBeGreaterThanOrEqual(
					Math.max(text.split(/\s+/).filter(Boolean).length, utf8Length(text) / 128),
				);
				expect(least).toBeLessThanOrEqual(most);
				expect(likelyTokens(text)).toBeLessThanOrEqual(most);
			}),
		);
	});

	it("of a list are as many as it has", () => {
		for (const of of [leastTokens, likelyTokens, mostTokens]) expect(of([1, 2, 3])).toBe(3);
	});

	it("of a text without words are bounded by its bytes", () => {
		expect(leastTokens("é".repeat(128))).toBe(2);
		expect(mostTokens("é")).toBe(10);
		expect(leastTokens(" \n\t ")).toBe(1);
	});
});

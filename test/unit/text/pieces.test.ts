import { describe, expect, it } from "vitest";
import { splitText } from "../../../src/text/pieces.ts";

describe("the pieces of a text", () => {
	it("are the text, none longer than asked for, and no surrogate pair is cut", () => {
		const texts = ["", "a", "abcdefg", "👩‍💻".repeat(9), `x${"🙂".repeat(7)}`, "🙂".repeat(5)];
		for (const text of texts) {
			for (const most of [2, 3, 4, 7, 100]) {
				const pieces = splitText(text, most);
				expect(pieces.join("")).toBe(text);
				expect(pieces.every((piece) => piece.length > 0 && piece.length <= most && piece.isWellFormed())).toBe(true);
			}
		}
		expect(splitText("", 5)).toEqual([]);
	});

	it("of a text with a half of a pair keep it", () => {
		const broken = "ab\ud83d\ud83dcd";
		expect(splitText(broken, 2).join("")).toBe(broken);
	});
});

import { describe, expect, it } from "vitest";
import { clip, clipBytes, clipCharacters, clipMiddle } from "../../src/clip.ts";

describe("a text that is cut", () => {
	it("has no half character at its end", () => {
		expect(clip("ab😀c", 3)).toBe("ab");
		expect(clip("ab😀c", 4)).toBe("ab😀");
		expect(clip("ab", 3)).toBe("ab");
	});

	it("is counted in characters where asked", () => {
		expect(clipCharacters("😀😀😀", 2)).toBe("😀😀");
		expect(clipCharacters("ab", 3)).toBe("ab");
	});

	it("is counted in bytes of UTF-8 where asked", () => {
		expect(clipBytes("aé😀", 7)).toBe("aé😀");
		expect(clipBytes("aé😀", 6)).toBe("aé");
		expect(clipBytes("aé😀", 2)).toBe("a");
		expect(clipBytes("ab", 100)).toBe("ab");
	});

	it("keeps both ends where asked", () => {
		expect(clipMiddle("abcdef", 2)).toBe("ab\nef");
		expect(clipMiddle("abcd", 2)).toBe("abcd");
	});
});

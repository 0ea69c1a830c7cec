import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chunksBeyondAscii, utf8Length } from "../../../src/text/utf8.ts";

/** Texts of several chunks, which characters of two and four bytes lie across, and halves of characters. */
const longText = fc
	.array(
		fc.record({
			part: fc.constantFrom("a", "é", "漢", "🙂", "\ud83d", "\ude42", "\ud83d\ud83d\ude42"),
			times: fc.constantFrom(0, 1, 2, 63, 64, 8_191, 16_383, 16_384),
		}),
		{ maxLength: 5 },
	)
	.map((parts) => parts.map(({ part, times }) => part.repeat(times)).join(""));

test("a text has as many bytes as its encoder writes", () => {
	fc.assert(
		fc.property(fc.oneof(longText, fc.string({ unit: "binary" })), (text) => {
			expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
		}),
	);
});

test("chunks beyond ASCII leave out ASCII only", () => {
	fc.assert(
		fc.property(longText, (text) => {
			const beyond = (some: string) => Array.from(some).filter((char) => char > "\u007f");
			expect(beyond([...chunksBeyondAscii(text)].join(""))).toEqual(beyond(text));
		}),
		{ numRuns: 30 },
	);
	expect([...chunksBeyondAscii("a".repeat(100_000))].join("").length).toBeLessThan(64);
});

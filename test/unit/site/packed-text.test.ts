// Texts packed over a base: unpacked they are what they were, whatever repeats.
import fc from "fast-check";
import { expect, it } from "vitest";
import { TextPacker } from "../../../src/cli/site/pack-text.ts";
import { COPY_MARK, unpackText } from "../../../src/site/packed-text.ts";

const SENTENCES = [
	"A request is admitted. ",
	"Nothing is billed twice — never. ",
	"ß漢😀",
	"<code>",
	",",
	"0123456789".repeat(4),
];
const texts = fc.array(fc.constantFrom(...SENTENCES), { maxLength: 40 }).map((parts) => parts.join(""));

it("a packed text is unpacked as it was", () => {
	fc.assert(
		fc.property(texts, texts, (base, text) => {
			expect(unpackText(new TextPacker(base).pack(text), base)).toBe(text);
		}),
	);
});

it("what stands in the base is said shortly", () => {
	const base = Array.from({ length: 500 }, (_, index) => `line ${index} of a document\n`).join("");
	expect(new TextPacker(base).pack(`<p>${base}</p>`).length).toBeLessThan(30);
});

it("a text with the mark of copies is refused, not spoilt", () => {
	expect(() => new TextPacker("").pack(`a${COPY_MARK}b`)).toThrow("mark of copies");
});

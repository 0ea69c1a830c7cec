import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutResult, dropWholes, fillResult, MAX_READ_BYTES } from "../../../../src/agents/tools/results.ts";
import { hashText } from "../../../../src/proof/hash.ts";
import { utf8Length } from "../../../../src/text/utf8.ts";

describe("a result as a model reads it", () => {
	it("is never longer than its bytes, keeps both ends, and says how much is left out", () => {
		const texts = fc.string({ unit: fc.constantFrom("a", "ä", "語", "😀", "\n"), minLength: 0, maxLength: 3_000 });
		fc.assert(
			fc.property(texts, fc.integer({ min: 200, max: 4_000 }), (text, maxBytes) => {
				const cut = cutResult(text, maxBytes);
				expect(utf8Length(cut.text)).toBeLessThanOrEqual(maxBytes);
				expect(cut.text.isWellFormed()).toBe(true);
				if (!cut.isCut) {
					expect(cut.text).toBe(text);
					return;
				}
				const [, head = "", left, all, tail = ""] =
					/^([\s\S]*)\n\[cut: (\d+) of (\d+) bytes are left out here\]\n([\s\S]*)$/.exec(cut.text) ?? [];
				expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
				expect(Number(all)).toBe(utf8Length(text));
				expect(utf8Length(head) + utf8Length(tail) + Number(left)).toBe(utf8Length(text));
			}),
		);
	});

	it("is hashed as it is read, and kept whole beside that where it was cut", () => {
		const long = "x".repeat(MAX_READ_BYTES + 1);
		const { texts, mark } = fillResult("{}", long, false, hashText);
		expect(mark).toEqual({ resultHash: hashText(texts.result ?? ""), isError: false, isCut: true });
		expect(texts.whole).toBe(long);
		expect(fillResult("{}", "short", true, hashText).texts).toEqual({ arguments: "{}", result: "short", whole: null });
	});

	it("is kept whole only as long as the run has room for it", () => {
		const whole = "x".repeat(1_048_576);
		const worked = Array.from({ length: 20 }, (_, id) => ({ id, texts: { arguments: "{}", result: "x", whole } }));
		const kept = (keptChars: number) => dropWholes(worked, keptChars).filter(({ texts }) => texts.whole !== null);
		expect(kept(0)).toHaveLength(16);
		expect(kept(10 * whole.length)).toHaveLength(6);
		expect(kept(16 * whole.length)).toHaveLength(0);
		expect(dropWholes(worked, 0).map(({ id, texts }) => [id, texts.result])).toEqual(worked.map(({ id }) => [id, "x"]));
	});
});

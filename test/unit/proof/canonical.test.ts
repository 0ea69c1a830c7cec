// Canonical JSON against the vectors printed in RFC 8785, and the published files where they are.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, canonicalPartsInSteps, NotCanonicalError } from "../../../src/proof/canonical.ts";
import { runSteps } from "../../../src/turns/steps.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";
import rfc8785 from "../../vectors/rfc8785.json" with { type: "json" };

function doubleFromHex(hex: string): number {
	return Buffer.from(hex.padStart(16, "0"), "hex").readDoubleBE();
}

describe("canonical JSON", () => {
	it.each(rfc8785.objects)("writes RFC 8785's example %#", ({ input, output }) => {
		expect(canonicalJson(JSON.parse(input))).toBe(output);
	});

	it.each(rfc8785.numbers)("writes the double %s as %s", (hex, text) => {
		expect(canonicalJson(doubleFromHex(hex))).toBe(text);
	});

	it("refuses what JCS cannot represent instead of changing it", () => {
		for (const value of [Number.NaN, Number.POSITIVE_INFINITY, [undefined], "\ud800", { "\udc00": 1 }, 1n, () => 1]) {
			expect(() => canonicalJson(value)).toThrow(NotCanonicalError);
		}
	});

	it("is the same whatever the order of keys, and reads back as the same value", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = canonicalJson(value);
				const reversed = JSON.parse(JSON.stringify(value), (_, member) =>
					member !== null && typeof member === "object" && !Array.isArray(member)
						? Object.fromEntries(Object.entries(member).reverse())
						: member,
				);
				expect(canonicalJson(reversed)).toBe(text);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it.runIf(hasSharedData("vectors/rfc8785"))("writes the published files and 11,000 numbers", () => {
		for (const name of ["arrays", "french", "structures", "unicode", "values", "weird"]) {
			const input = readSharedData(`vectors/rfc8785/testdata/input/${name}.json`);
			expect(canonicalJson(JSON.parse(input))).toBe(readSharedData(`vectors/rfc8785/testdata/output/${name}.json`));
		}
		const lines = ["1000", "10000"].flatMap((size) =>
			readSharedData(`vectors/rfc8785/es6-numbers-${size}.txt`).trim().split("\n"),
		);
		const wrong = lines.filter((line) => {
			const [hex = "", text] = line.split(",");
			return canonicalJson(doubleFromHex(hex)) !== text;
		});
		expect(lines.length).toBe(11_000);
		expect(wrong).toEqual([]);
	});
});

/** Values with strings of several parts, which characters of two units lie across. */
const longValue = fc
	.record({
		value: fc.jsonValue(),
		filler: fc.constantFrom("a", '"', "\u0001", "é", "😀"),
		chars: fc.integer({ min: 262_140, max: 262_150 }),
		tail: fc.string({ unit: "binary" }),
	})
	.map(({ value, filler, chars, tail }) => ({
		z: value,
		text: `${filler.repeat(Math.ceil(chars / filler.length)).slice(filler.length > 1 ? 1 : 0)}${tail}`.toWellFormed(),
		a: [value],
		none: undefined,
	}));

describe("canonical JSON in parts", () => {
	it("is the same as in one", () => {
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), longValue), (value) => {
				expect(runSteps(canonicalPartsInSteps(value)).join("") === canonicalJson(value)).toBe(true);
			}),
			{ numRuns: 60 },
		);
	});

	it("refuses what is refused in one, wherever a part is cut", () => {
		const filler = "a".repeat(262_143);
		for (const value of ["\ud800", `${filler}\ud800`, `${filler}\udc00`, [undefined], { "\udc00": 1 }, Number.NaN, 1n])
			expect(() => runSteps(canonicalPartsInSteps({ value: [value] }))).toThrow(NotCanonicalError);
		expect(runSteps(canonicalPartsInSteps(`${filler}\ud83d\ude00`)).join("")).toBe(`"${filler}😀"`);
	});

	it("pauses between the parts of a long string", () => {
		const pauses = [...canonicalPartsInSteps("a".repeat(1_000_000))];
		expect(pauses).toHaveLength(4);
		expect(Math.max(...pauses)).toBeLessThanOrEqual(8_192);
	});
});

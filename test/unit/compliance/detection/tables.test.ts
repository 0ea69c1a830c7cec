import { describe, expect, it } from "vitest";
import * as signs from "../../../../src/compliance/detection/clinical-signs.ts";
import { IDENTIFIERS } from "../../../../src/compliance/detection/identify.ts";
import { findClass } from "../../../../src/compliance/detection/kinds.ts";
import { PHRASES } from "../../../../src/compliance/detection/phrases.ts";
import { KEY_SHAPES } from "../../../../src/compliance/detection/secret-shapes.ts";

const identifiers = [...new Set([...IDENTIFIERS.digit.flat(), ...IDENTIFIERS.letter.flat()])];
const shapes = [...identifiers, ...KEY_SHAPES].map(({ kind, shape }) => [kind, shape] as const);
const words = [...identifiers.map(({ kind, context }) => [kind, context] as const)];
const phrases = PHRASES.flatMap(({ kind, pattern, near, unless }) => [
	[kind, pattern] as const,
	[kind, near] as const,
	[kind, unless] as const,
]);
const patterns = [...shapes, ...words, ...phrases].flatMap(([kind, pattern]) =>
	pattern === undefined ? [] : [[kind, pattern] as const],
);

/** The pattern without escapes and classes, whose characters are not quantifiers. */
const skeleton = ({ source }: RegExp) => source.replace(/\\(?:[pP]\{\w+\}|k<\w+>|.)/g, "x").replace(/\[[^\]]*\]/g, "x");

describe("the tables", () => {
	it("have shapes that begin where they are tried", () => {
		expect(shapes.filter(([, shape]) => !shape.sticky)).toEqual([]);
	});

	it("repeat nothing without a bound, so that a try costs a constant", () => {
		expect(patterns.filter(([, pattern]) => /[*+]|\{\d+,\}/.test(skeleton(pattern)))).toEqual([]);
	});

	it("repeat no repetition of more than a few", () => {
		const nested = patterns.filter(([, pattern]) => /\{\d+,\d+\}[^()|]*\)\{\d*,?\d{2,}\}/.test(skeleton(pattern)));
		expect(nested).toEqual([]);
	});

	it("hold signs of clinics, held against a sentence, to the same bounds", () => {
		const held = Object.values(signs).flat();
		expect(held.length).toBeGreaterThan(8);
		expect(held.filter((pattern) => /[*+]|\{\d+,\}/.test(skeleton(pattern)))).toEqual([]);
		expect(held.filter(({ global, sticky }) => global || sticky)).toEqual([]);
	});

	it("remember nothing from one text to the next but where a sticky shape is tried", () => {
		expect(patterns.filter(([, pattern]) => pattern.global)).toEqual([]);
	});

	it("name only kinds that belong to a class", () => {
		expect(patterns.filter(([kind]) => findClass(kind) === null)).toEqual([]);
	});
});

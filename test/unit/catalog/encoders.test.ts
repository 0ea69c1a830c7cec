// The shipped encoder models: every one priced, every figure sourced, no id of a model that answers.
import { describe, expect, it } from "vitest";
import { encodersFileSchema, hasDimensions } from "../../../src/catalog/encoder.ts";
import encodersFile from "../../../src/catalog/encoders.json" with { type: "json" };
import encoderSourcesFile from "../../../src/catalog/encoders.sources.json" with { type: "json" };
import { encoderSourcesFileSchema, sourcedEncoderFigures } from "../../../src/catalog/evidence.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";

describe("the encoder models", () => {
	it("have the shape that the service relies on, each id once and none that answers", () => {
		expect(encodersFileSchema.parse(encodersFile)).toEqual(encodersFile);
		const ids = CATALOG.encoders.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		for (const id of ids) {
			expect(CATALOG.findEncoder(id)?.id).toBe(id);
			expect(CATALOG.findModel(id), id).toBeUndefined();
		}
	});

	it("belong to providers of the catalog", () => {
		for (const encoder of CATALOG.encoders) expect(() => CATALOG.providerFor(encoder), encoder.id).not.toThrow();
	});

	it("are priced in whole pico-dollars a token, the first price from the beginning", () => {
		for (const { id, prices } of CATALOG.encoders) {
			expect(prices[0]?.effective_from, id).toBeNull();
			for (const { input } of prices) expect(Math.abs(input * 1e6 - Math.round(input * 1e6)), id).toBeLessThan(1e-6);
		}
	});

	it("name lengths of vectors if they make some, and can make the length that is their own", () => {
		for (const encoder of CATALOG.encoders) {
			expect(encoder.dimensions !== undefined, encoder.id).toBe(encoder.kind === "embedding");
			if (encoder.dimensions) expect(hasDimensions(encoder, encoder.dimensions.default), encoder.id).toBe(true);
		}
	});

	it("name a source for every figure, and none for a figure that is not there", () => {
		const { encoders } = encoderSourcesFileSchema.parse(encoderSourcesFile);
		expect(Object.keys(encoders).toSorted()).toEqual(CATALOG.encoders.map(({ id }) => id).toSorted());
		for (const encoder of CATALOG.encoders)
			expect(Object.keys(encoders[encoder.id]?.evidence ?? {}).toSorted(), encoder.id).toEqual(
				sourcedEncoderFigures(encoder).toSorted(),
			);
	});
});

describe("a length of vectors", () => {
	const of = (sizes: NonNullable<Parameters<typeof hasDimensions>[0]["dimensions"]>["sizes"]) => ({
		dimensions: { default: 8, sizes },
	});

	it("can be asked for where the model makes it", () => {
		expect(hasDimensions(of([4, 8]), 4)).toBe(true);
		expect(hasDimensions(of([4, 8]), 5)).toBe(false);
		expect(hasDimensions(of({ min: 4, max: 8 }), 5)).toBe(true);
		expect(hasDimensions(of({ min: 4, max: 8 }), 3)).toBe(false);
		expect(hasDimensions(of({ min: 4, max: 8 }), 9)).toBe(false);
	});

	it("is its own where none can be chosen", () => {
		expect(hasDimensions(of(null), 8)).toBe(true);
		expect(hasDimensions(of(null), 4)).toBe(false);
		expect(hasDimensions({}, 8)).toBe(false);
	});
});

// The weights that are shipped, and their file format. The catalog's test ties them to its version.
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeWeights, OUTPUTS, sumOutputs } from "../../../../src/routing/signals/classifier.ts";
import { FEATURE_COUNT } from "../../../../src/routing/signals/features.ts";
import { BUCKETS } from "../../../../src/routing/signals/space.ts";
import shippedFile from "../../../../src/routing/signals/weights.json" with { type: "json" };
import { MAX_STEP } from "../../../../src/text/step-text.ts";
import { encodeWeights } from "../../../train/weights-file.ts";

describe("the shipped weights", () => {
	it("take at most 200 KB of the compressed bundle", () => {
		expect(gzipSync(JSON.stringify(shippedFile)).byteLength).toBeLessThanOrEqual(200_000);
	});

	it("are for the features that the service reads", () => {
		const { rows, rowNumbers, gramScales, otherScales } = decodeWeights(shippedFile);
		expect(rows.length).toBe(Math.max(...rowNumbers) * OUTPUTS);
		expect(rowNumbers.length).toBe(FEATURE_COUNT);
		expect([gramScales.length, otherScales.length]).toEqual([OUTPUTS, OUTPUTS]);
	});
});

describe("a file of weights", () => {
	it("gives back each weight of each output to half a step, and nothing for n-grams left out", () => {
		const feature = fc.integer({ min: 0, max: FEATURE_COUNT - 1 });
		const weight = fc.float({ min: -3, max: 3, noNaN: true });
		const pairsOf = fc.array(fc.tuple(feature, weight), { minLength: 1, maxLength: 200 });
		fc.assert(
			fc.property(pairsOf, fc.nat({ max: OUTPUTS - 1 }), (pairs, output) => {
				const fitted = new Float32Array(FEATURE_COUNT * OUTPUTS);
				for (const [at, value] of pairs) fitted[at * OUTPUTS + output] = value;
				const weights = decodeWeights(encodeWeights(fitted, { temperature: 1, levels: [2, 3] }));
				for (const [at] of pairs) {
					const features = { indices: Int32Array.of(at), values: Float32Array.of(1), length: 1 };
					const decoded = sumOutputs(weights, features)[output] ?? 0;
					const scale = (at < BUCKETS ? weights.gramScales : weights.otherScales)[output] ?? 0;
					const exact = fitted[at * OUTPUTS + output] ?? 0;
					const kept = Math.max(-MAX_STEP * scale, Math.min(MAX_STEP * scale, exact));
					expect(Math.abs(decoded - kept)).toBeLessThanOrEqual(scale * 0.5001);
				}
			}),
			{ numRuns: 100 },
		);
	});
});

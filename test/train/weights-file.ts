// Writes fitted weights in the compact form that the service ships: one character a weight, with a scale for each output.
import { OUTPUTS, type WeightsFile } from "../../src/routing/signals/classifier.ts";
import { FEATURE_COUNT } from "../../src/routing/signals/features.ts";
import { BUCKETS } from "../../src/routing/signals/space.ts";
import { MAX_STEP } from "../../src/text/step-text.ts";
import { encodeBuckets, encodeSteps } from "./step-text.ts";

/** Six significant digits: the same text on every machine. */
const DIGITS = 6;

/** The largest weight that is not cut, in root mean squares. */
const WIDEST = { grams: 10, others: 100 } as const;

/** By output: what one step is worth, so that steps reach the largest weight that is kept. */
function toScales(rows: readonly Float32Array[], widest: number): number[] {
	return Array.from({ length: OUTPUTS }, (_, output) => {
		const weights = rows.map((row) => Math.abs(row[output] ?? 0));
		const largest = weights.reduce((most, weight) => Math.max(most, weight), 0);
		const spread = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0) / Math.max(1, weights.length));
		return Number(Math.max(Math.min(largest, widest * spread) / MAX_STEP, 1e-9).toPrecision(DIGITS));
	});
}

function toSteps(row: Float32Array, scales: readonly number[]): number[] {
	return Array.from(row, (weight, output) => {
		const step = Math.round(weight / (scales[output] ?? 1));
		return Math.max(-MAX_STEP, Math.min(MAX_STEP, step));
	});
}

/** The file of fitted weights. N-grams whose steps are all zero are left out. */
export function encodeWeights(
	weights: Float32Array,
	{ temperature, levels }: Pick<WeightsFile, "temperature" | "levels">,
): WeightsFile {
	const row = (feature: number) => weights.subarray(feature * OUTPUTS, (feature + 1) * OUTPUTS);
	const grams = Array.from({ length: BUCKETS }, (_, bucket) => bucket).filter((bucket) => row(bucket).some(Boolean));
	const others = Array.from({ length: FEATURE_COUNT - BUCKETS }, (_, at) => row(BUCKETS + at));
	const gramScales = toScales(grams.map(row), WIDEST.grams);
	const kept = grams.filter((bucket) => toSteps(row(bucket), gramScales).some(Boolean));
	const otherScales = toScales(others, WIDEST.others);
	return {
		temperature,
		levels,
		gram_scales: gramScales,
		other_scales: otherScales,
		buckets: encodeBuckets(kept),
		weights: [
			...kept.map((bucket) => encodeSteps(toSteps(row(bucket), gramScales))),
			...others.map((other) => encodeSteps(toSteps(other, otherScales))),
		].join(""),
	};
}

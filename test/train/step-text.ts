// Writes numbers as text, one character a step; src/text/step-text.ts reads them.
import { MAX_DISTANCE, MAX_STEP, ZERO_CHARACTER } from "../../src/text/step-text.ts";

export function encodeSteps(steps: readonly number[]): string {
	return String.fromCharCode(...steps.map((step) => ZERO_CHARACTER + step));
}

/** The distances between buckets in rising order, a long one as several characters. */
export function encodeBuckets(buckets: readonly number[]): string {
	let before = 0;
	return buckets
		.map((bucket) => {
			const distance = bucket - before;
			before = bucket;
			const full = Math.floor(distance / MAX_DISTANCE);
			return encodeSteps([...Array<number>(full).fill(MAX_STEP), (distance % MAX_DISTANCE) - MAX_STEP]);
		})
		.join("");
}

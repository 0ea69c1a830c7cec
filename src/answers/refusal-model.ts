// The trained model of refusals: two logistic outputs on hashed features. Pure; the weights are an argument.
import { eachBucket, ZERO_CHARACTER } from "../text/step-text.ts";
import { REFUSAL_BUCKETS } from "./refusal-features.ts";

/** What the model says, by output: that a text declines, and of one that does, that a tool or an access is missing. */
export const REFUSAL_OUTPUTS = 2;

/** What `npm run train:signals -- answers` writes. */
export interface RefusalsFile {
	/** A text with a higher first output declines. */
	threshold: number;
	/** By output: what one step of a weight is worth. */
	scales: number[];
	bias: number[];
	/** The buckets that have weights, as distances (text/step-text.ts). */
	buckets: string;
	/** Steps, one row of outputs for each of `buckets`. */
	weights: string;
}

export interface RefusalModel extends Pick<RefusalsFile, "threshold" | "scales" | "bias"> {
	/** By bucket: its row in `rows`, from 1 on; 0 has no weights. */
	readonly rowNumbers: Uint16Array;
	/** Rows of characters, each a step. */
	readonly rows: Uint8Array;
}

/** Reads trained weights. */
export function decodeRefusals({ threshold, scales, bias, buckets, weights }: RefusalsFile): RefusalModel {
	const encoder = new TextEncoder();
	const rowNumbers = new Uint16Array(REFUSAL_BUCKETS);
	let row = 0;
	eachBucket(encoder.encode(buckets), (bucket) => {
		rowNumbers[bucket] = ++row;
	});
	return { threshold, scales, bias, rowNumbers, rows: encoder.encode(weights) };
}

/** A text with fewer features has the norm of one with this many. */
const MIN_NORM_FEATURES = 12;

/** The weight of each feature: one of many says less than one of few. */
export function refusalNorm(features: number): number {
	return 1 / Math.sqrt(Math.max(MIN_NORM_FEATURES, features));
}

/** The outputs of a text by its features, in log-odds. */
export function scoreRefusal(model: RefusalModel, buckets: readonly number[]): number[] {
	const { rowNumbers, rows, scales, bias } = model;
	const norm = refusalNorm(buckets.length);
	return bias.map((start, output) => {
		let steps = 0;
		for (const bucket of buckets) {
			const row = rowNumbers[bucket] ?? 0;
			if (row > 0) steps += (rows[(row - 1) * REFUSAL_OUTPUTS + output] ?? ZERO_CHARACTER) - ZERO_CHARACTER;
		}
		return start + steps * norm * (scales[output] ?? 0);
	});
}

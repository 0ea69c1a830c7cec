// The trained model of prompts: probabilities of intents and an expected difficulty from sparse features. Pure; the
// weights are an argument.
import { INTENTS, type Intent } from "../intents.ts";
import { FEATURE_COUNT } from "./features.ts";
import { BUCKETS, type Features } from "./space.ts";

/** One output for each intent, and one for difficulty. */
export const OUTPUTS = INTENTS.length + 1;
const DIFFICULTY_OUTPUT = INTENTS.length;

/** What `npm run train:signals` writes. Numbers are characters, so that the file is text and compresses well. */
export interface WeightsFile {
	/** Of the logits before the softmax. */
	temperature: number;
	/** Expected difficulties from which a prompt counts as level 2 and as level 3. */
	levels: number[];
	/** By output: what one step of an n-gram's weight is worth, and of another feature's. */
	gram_scales: number[];
	other_scales: number[];
	/** The buckets that have weights, in rising order, as distances. MAX_STEP + 1 means that the next character adds to it. */
	buckets: string;
	/** Steps, one row of outputs for each of `buckets`, then for each other feature. */
	weights: string;
}

/** Steps are from -MAX_STEP to MAX_STEP. */
export const MAX_STEP = 27;
/** The character of step 0: all characters are ASCII, and none needs an escape in JSON. */
export const ZERO_CHARACTER = 0x23 + MAX_STEP;
/** The largest distance of one character. */
export const MAX_DISTANCE = 2 * MAX_STEP;

export interface Weights extends Pick<WeightsFile, "temperature" | "levels"> {
	/** By feature: its row in `rows`; 0 is the row of features without weights. */
	rowOf: Uint16Array;
	/** Rows of OUTPUTS weights. */
	rows: Float32Array;
}

/** The buckets of a list of distances. */
function decodeBuckets(text: string): number[] {
	const buckets: number[] = [];
	let bucket = 0;
	for (let i = 0; i < text.length; i++) {
		const distance = text.charCodeAt(i) - ZERO_CHARACTER + MAX_STEP;
		bucket += distance;
		if (distance < MAX_DISTANCE) buckets.push(bucket);
	}
	return buckets;
}

/** Reads trained weights. */
export function decodeWeights(file: WeightsFile): Weights {
	const buckets = decodeBuckets(file.buckets);
	const rowOf = new Uint16Array(FEATURE_COUNT);
	for (const [at, bucket] of buckets.entries()) rowOf[bucket] = at + 1;
	for (let feature = BUCKETS; feature < FEATURE_COUNT; feature++)
		rowOf[feature] = 1 + buckets.length + feature - BUCKETS;
	const { weights } = file;
	const rows = new Float32Array(OUTPUTS + weights.length);
	for (let i = 0; i < weights.length; i++) {
		const scales = i < buckets.length * OUTPUTS ? file.gram_scales : file.other_scales;
		rows[OUTPUTS + i] = (weights.charCodeAt(i) - ZERO_CHARACTER) * (scales[i % OUTPUTS] ?? 0);
	}
	return { temperature: file.temperature, levels: file.levels, rowOf, rows };
}

/** What the model says of a prompt. */
export interface Prediction {
	/** They add up to 1. */
	probabilities: Record<Intent, number>;
	/** From 1 (a small model answers it well) to 2 and more (strong models differ). */
	expectedDifficulty: number;
}

/** Sums of weighted features by output: logits of the intents, then of difficulty. */
export function sumOutputs({ rowOf, rows }: Pick<Weights, "rowOf" | "rows">, features: Features): Float64Array {
	const { indices, values, length } = features;
	const sums = new Float64Array(OUTPUTS);
	for (let i = 0; i < length; i++) {
		const start = (rowOf[indices[i] ?? 0] ?? 0) * OUTPUTS;
		if (start === 0) continue;
		const value = values[i] ?? 0;
		for (let output = 0; output < OUTPUTS; output++)
			sums[output] = (sums[output] ?? 0) + value * (rows[start + output] ?? 0);
	}
	return sums;
}

/** Probabilities and difficulty from the sums of a prompt. */
export function toPrediction(sums: Float64Array, temperature: number): Prediction {
	const highest = Math.max(...sums.subarray(0, DIFFICULTY_OUTPUT));
	const powers = INTENTS.map((_, output) => Math.exp(((sums[output] ?? 0) - highest) / temperature));
	const total = powers.reduce((sum, power) => sum + power, 0);
	const [
		code = 0,
		math = 0,
		reasoning = 0,
		creative = 0,
		text = 0,
		translation = 0,
		factual = 0,
		advice = 0,
		chat = 0,
	] = powers.map((power) => power / total);
	return {
		probabilities: { code, math, reasoning, creative, text, translation, factual, advice, chat },
		expectedDifficulty: 1 + 1 / (1 + Math.exp(-(sums[DIFFICULTY_OUTPUT] ?? 0))),
	};
}

/** 1 plus the number of levels that a difficulty reaches. */
export function toLevel(expectedDifficulty: number, levels: readonly number[]): 1 | 2 | 3 {
	const reached = levels.filter((level) => expectedDifficulty >= level).length;
	return reached === 0 ? 1 : reached === 1 ? 2 : 3;
}

/** What the model says of the features of a prompt. */
export function predict(weights: Weights, features: Features) {
	const { probabilities, expectedDifficulty } = toPrediction(sumOutputs(weights, features), weights.temperature);
	return { probabilities, level: toLevel(expectedDifficulty, weights.levels) };
}

// The trained model of prompts: probabilities of intents and an expected difficulty from sparse features. Pure; the
// weights are an argument.
import { INTENTS, type Intent } from "../../catalog/vocabulary.ts";
import { eachBucket, ZERO_CHARACTER } from "../../text/step-text.ts";
import { FEATURE_COUNT } from "./features.ts";
import { BUCKETS, type Features } from "./space.ts";

/** Outputs after those of the intents: how difficult a prompt is, and whether it asks in few words for something hard. */
export const DIFFICULTY_OUTPUT = INTENTS.length;
export const HARD_TASK_OUTPUT = INTENTS.length + 1;
export const OUTPUTS = INTENTS.length + 2;

/** What turns of up to the first length together ask for counts in full, beyond the second one not at all: there is enough to read then. */
const HARD_TASK_CHARS = { full: 200, none: 400 } as const;
/** A hard task counts as far as it is more likely than not: hardly any short prompt of people is hard. */
const LEAST_HARD_TASK = 0.5;

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

export interface Weights extends Pick<WeightsFile, "temperature" | "levels"> {
	/** By feature: its row in `rows`, from 1 on; 0 is a feature without weights. */
	rowNumbers: Uint16Array;
	/** Rows of OUTPUTS characters, each a step. */
	rows: Uint8Array;
	gramScales: number[];
	otherScales: number[];
}

/** Numbers the features that have weights, from 1 on: n-grams by a list of distances, then all others. */
function numberRows(distances: Uint8Array): Uint16Array {
	const numbers = new Uint16Array(FEATURE_COUNT);
	let row = 0;
	eachBucket(distances, (bucket) => {
		numbers[bucket] = ++row;
	});
	for (let feature = BUCKETS; feature < FEATURE_COUNT; feature++) numbers[feature] = ++row;
	return numbers;
}

/** Reads trained weights. Steps stay characters, because decoding them would hold up an isolate's first request. */
export function decodeWeights(file: WeightsFile): Weights {
	const encoder = new TextEncoder();
	return {
		temperature: file.temperature,
		levels: file.levels,
		rowNumbers: numberRows(encoder.encode(file.buckets)),
		rows: encoder.encode(file.weights),
		gramScales: file.gram_scales,
		otherScales: file.other_scales,
	};
}

/** What the model says of a prompt. */
interface Prediction {
	/** They add up to 1. */
	probabilities: Record<Intent, number>;
	/** From 1 (a small model answers it well) to 3 (strong models differ): the mean of the grades that people give. */
	expectedDifficulty: number;
}

/** Sums of weighted features by output: logits of the intents, of difficulty and of a hard task. */
export function sumOutputs(weights: Omit<Weights, "temperature" | "levels">, features: Features): Float64Array {
	const { rowNumbers, rows } = weights;
	const { indices, values, length } = features;
	const grams = new Float64Array(OUTPUTS);
	const others = new Float64Array(OUTPUTS);
	for (let i = 0; i < length; i++) {
		const feature = indices[i] ?? 0;
		const row = rowNumbers[feature] ?? 0;
		if (row === 0) continue;
		const start = (row - 1) * OUTPUTS;
		const value = values[i] ?? 0;
		const sums = feature < BUCKETS ? grams : others;
		for (let output = 0; output < OUTPUTS; output++)
			sums[output] = (sums[output] ?? 0) + value * ((rows[start + output] ?? ZERO_CHARACTER) - ZERO_CHARACTER);
	}
	for (let output = 0; output < OUTPUTS; output++)
		grams[output] =
			(grams[output] ?? 0) * (weights.gramScales[output] ?? 0) +
			(others[output] ?? 0) * (weights.otherScales[output] ?? 0);
	return grams;
}

const toShare = (logit: number) => 1 / (1 + Math.exp(-logit));

/**
 * The difficulty, 1 to 3, by the size and words of a conversation, raised where it is short and asks for something hard.
 * @param chars the length of the turns that are read.
 */
export function toExpectedDifficulty(difficulty: number, hardTask: number, chars: number): number {
	const { full, none } = HARD_TASK_CHARS;
	const counted = Math.min(1, Math.max(0, (none - chars) / (none - full)));
	const likely = Math.max(0, (toShare(hardTask) - LEAST_HARD_TASK) / (1 - LEAST_HARD_TASK));
	return 3 - 2 * (1 - toShare(difficulty)) * (1 - counted * likely);
}

/**
 * Probabilities and difficulty from the sums of a prompt.
 * @param chars the length of the turns that are read.
 */
export function toPrediction(sums: Float64Array, temperature: number, chars: number): Prediction {
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
		expectedDifficulty: toExpectedDifficulty(sums[DIFFICULTY_OUTPUT] ?? 0, sums[HARD_TASK_OUTPUT] ?? 0, chars),
	};
}

/** 1 plus the number of levels that a difficulty reaches. */
export function toLevel(expectedDifficulty: number, levels: readonly number[]): 1 | 2 | 3 {
	const reached = levels.filter((level) => expectedDifficulty >= level).length;
	return reached === 0 ? 1 : reached === 1 ? 2 : 3;
}

/**
 * What the model says of the features of a prompt.
 * @param chars the length of the turns that are read.
 */
export function predict(weights: Weights, features: Features, chars: number) {
	const { probabilities, expectedDifficulty } = toPrediction(sumOutputs(weights, features), weights.temperature, chars);
	return { probabilities, expectedDifficulty, level: toLevel(expectedDifficulty, weights.levels) };
}

// Fits the signals' model: a softmax over intents and a logistic output for difficulty, on shared sparse features, by
// AdaGrad. Deterministic.
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { OUTPUTS } from "../../src/routing/signals/classifier.ts";
import { extractFeatures, FEATURE_COUNT } from "../../src/routing/signals/features.ts";
import type { Features } from "../../src/routing/signals/space.ts";
import { createFeatureSpace } from "../../src/routing/signals/space.ts";
import type { Turn } from "../../src/routing/signals/turns.ts";
import { createRandom, shuffle } from "./random.ts";

/** One prompt as the fit sees it. */
export interface Example {
	features: Features;
	/** Shares of the intents; null when they are not to be learned from it. */
	intents: Float32Array | null;
	/** 0 to 1; null when it is not rated. */
	difficulty: number | null;
	intentWeight: number;
	difficultyWeight: number;
}

const space = createFeatureSpace();

/** The features of a conversation, in arrays of its own. */
export function copyFeatures(turns: readonly [Turn, ...Turn[]]): Features {
	extractFeatures(turns, space);
	const { indices, values, length } = space;
	return { indices: indices.slice(0, length), values: values.slice(0, length), length };
}

export interface FitOptions {
	epochs: number;
	learningRate: number;
	decay: number;
	/** The decay of difficulty's weights. */
	difficultyDecay: number;
}

/** Turns the sums of an example into the gradients of its loss by output. */
function toGradients(sums: Float64Array, { intents, difficulty, intentWeight, difficultyWeight }: Example): void {
	const count = INTENTS.length;
	let highest = Number.NEGATIVE_INFINITY;
	for (let k = 0; k < count; k++) highest = Math.max(highest, sums[k] ?? 0);
	let total = 0;
	for (let k = 0; k < count; k++) {
		const power = Math.exp((sums[k] ?? 0) - highest);
		sums[k] = power;
		total += power;
	}
	for (let k = 0; k < count; k++) sums[k] = intents ? intentWeight * ((sums[k] ?? 0) / total - (intents[k] ?? 0)) : 0;
	const rated = 1 / (1 + Math.exp(-(sums[count] ?? 0)));
	sums[count] = difficulty === null ? 0 : difficultyWeight * (rated - difficulty);
}

/** Rows of OUTPUTS weights, by feature. */
export function fitWeights(examples: readonly Example[], options: FitOptions): Float32Array {
	const weights = new Float32Array(FEATURE_COUNT * OUTPUTS);
	const squares = new Float32Array(FEATURE_COUNT * 2).fill(1e-2);
	const random = createRandom(1);
	const order = Int32Array.from(examples.keys());
	const sums = new Float64Array(OUTPUTS);
	for (let epoch = 0; epoch < options.epochs; epoch++) {
		shuffle(order, random);
		const rate = options.learningRate * (1 - (0.9 * epoch) / options.epochs);
		for (const at of order) {
			const example = examples[at];
			if (example) step(weights, squares, sums, example, rate, options);
		}
	}
	return weights;
}

function addOutputs(weights: Float32Array, { indices, values, length }: Features, sums: Float64Array): void {
	for (let i = 0; i < length; i++) {
		const start = (indices[i] ?? 0) * OUTPUTS;
		const value = values[i] ?? 0;
		for (let k = 0; k < OUTPUTS; k++) sums[k] = (sums[k] ?? 0) + (weights[start + k] ?? 0) * value;
	}
}

/** One step of AdaGrad. Intents and difficulty each have their own sum of squares. */
function step(
	weights: Float32Array,
	squares: Float32Array,
	sums: Float64Array,
	example: Example,
	rate: number,
	options: FitOptions,
): void {
	const { indices, values, length } = example.features;
	const last = OUTPUTS - 1;
	sums.fill(0);
	addOutputs(weights, example.features, sums);
	toGradients(sums, example);
	let intentSquare = 0;
	for (let k = 0; k < last; k++) intentSquare += (sums[k] ?? 0) ** 2;
	const difficultySquare = (sums[last] ?? 0) ** 2;
	const intentDecay = options.decay * example.intentWeight;
	const difficultyDecay = example.difficulty === null ? 0 : options.difficultyDecay * example.difficultyWeight;
	for (let i = 0; i < length; i++) {
		const feature = indices[i] ?? 0;
		const value = values[i] ?? 0;
		const start = feature * OUTPUTS;
		const square = value * value;
		const intentSum = (squares[2 * feature] ?? 0) + intentSquare * square;
		const difficultySum = (squares[2 * feature + 1] ?? 0) + difficultySquare * square;
		squares[2 * feature] = intentSum;
		squares[2 * feature + 1] = difficultySum;
		const intentRate = rate / Math.sqrt(intentSum);
		for (let k = 0; k < last; k++) {
			const weight = weights[start + k] ?? 0;
			weights[start + k] = weight - intentRate * ((sums[k] ?? 0) * value + intentDecay * weight);
		}
		const weight = weights[start + last] ?? 0;
		weights[start + last] =
			weight - (rate / Math.sqrt(difficultySum)) * ((sums[last] ?? 0) * value + difficultyDecay * weight);
	}
}

// Fits the intents of prompts: a softmax on sparse features, by AdaGrad. Deterministic.
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { DIFFICULTY_OUTPUT, OUTPUTS } from "../../src/routing/signals/classifier.ts";
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
	weight: number;
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
}

/** Turns the sums of an example into the gradients of its loss by output. */
function toGradients(sums: Float64Array, { intents, weight }: Example): void {
	const count = INTENTS.length;
	let highest = Number.NEGATIVE_INFINITY;
	for (let k = 0; k < count; k++) highest = Math.max(highest, sums[k] ?? 0);
	let total = 0;
	for (let k = 0; k < count; k++) {
		const power = Math.exp((sums[k] ?? 0) - highest);
		sums[k] = power;
		total += power;
	}
	for (let k = 0; k < count; k++) sums[k] = intents ? weight * ((sums[k] ?? 0) / total - (intents[k] ?? 0)) : 0;
}

/** Rows of OUTPUTS weights, by feature. Those of difficulty and of a hard task, the last ones, are left at zero. */
export function fitWeights(examples: readonly Example[], options: FitOptions): Float32Array {
	const weights = new Float32Array(FEATURE_COUNT * OUTPUTS);
	const squares = new Float32Array(FEATURE_COUNT).fill(1e-2);
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

/** One step of AdaGrad. */
function step(
	weights: Float32Array,
	squares: Float32Array,
	sums: Float64Array,
	example: Example,
	rate: number,
	options: FitOptions,
): void {
	const { indices, values, length } = example.features;
	sums.fill(0);
	addOutputs(weights, example.features, sums);
	toGradients(sums, example);
	let sumOfSquares = 0;
	for (let k = 0; k < DIFFICULTY_OUTPUT; k++) sumOfSquares += (sums[k] ?? 0) ** 2;
	const decay = options.decay * example.weight;
	for (let i = 0; i < length; i++) {
		const feature = indices[i] ?? 0;
		const value = values[i] ?? 0;
		const start = feature * OUTPUTS;
		const square = (squares[feature] ?? 0) + sumOfSquares * value * value;
		squares[feature] = square;
		const featureRate = rate / Math.sqrt(square);
		for (let k = 0; k < DIFFICULTY_OUTPUT; k++) {
			const weight = weights[start + k] ?? 0;
			weights[start + k] = weight - featureRate * ((sums[k] ?? 0) * value + decay * weight);
		}
	}
}

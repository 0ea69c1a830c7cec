// Least squares with ridge penalties on sparse features, in which each group of examples has a mean of its own; and what turns its sums
// into logits. Deterministic.
import { OUTPUTS } from "../../src/routing/signals/classifier.ts";
import { FEATURE_COUNT, OFFSET_AT } from "../../src/routing/signals/features.ts";
import { BUCKETS, type Features } from "../../src/routing/signals/space.ts";

/** Rounds of conjugate gradients. */
const ROUNDS = 35;

/** A prompt with the value that is to be learned. */
export interface RidgeExample {
	features: Features;
	target: number;
	weight: number;
	/** Prompts of one group share a mean. */
	group: string;
}

/** The weighted sum of a prompt's features. */
export function sumFeatures(weights: Float64Array, { indices, values, length }: Features): number {
	let sum = weights[OFFSET_AT] ?? 0;
	for (let at = 0; at < length; at++) sum += (weights[indices[at] ?? 0] ?? 0) * (values[at] ?? 0);
	return sum;
}

/**
 * Weights by feature, of the least squares with ridge penalties, by conjugate gradients. Beside them each group has a mean, which
 * is left out of what is returned.
 */
export function fitRidge(examples: readonly RidgeExample[], ridge: { grams: number; others: number }): Float64Array {
	const groups = [...new Set(examples.map(({ group }) => group))];
	const width = FEATURE_COUNT + groups.length;
	const columns = examples.map(({ group }) => FEATURE_COUNT + groups.indexOf(group));
	const penalties = new Float64Array(width).fill(1e-3);
	penalties.fill(ridge.grams, 0, BUCKETS);
	penalties.fill(ridge.others, BUCKETS, FEATURE_COUNT);
	/** Adds weights times residuals to a vector: the transposed product. */
	const addBack = (into: Float64Array, at: number, amount: number) => {
		const { indices, values, length } = examples[at]?.features ?? { indices: [], values: [], length: 0 };
		for (let i = 0; i < length; i++) into[indices[i] ?? 0] = (into[indices[i] ?? 0] ?? 0) + amount * (values[i] ?? 0);
		const column = columns[at] ?? 0;
		into[column] = (into[column] ?? 0) + amount;
	};
	const multiply = (vector: Float64Array) => {
		const product = vector.map((value, at) => value * (penalties[at] ?? 0));
		for (const [at, { features, weight }] of examples.entries())
			addBack(
				product,
				at,
				weight * (sumFeatures(vector, features) - (vector[OFFSET_AT] ?? 0) + (vector[columns[at] ?? 0] ?? 0)),
			);
		return product;
	};
	const residual = new Float64Array(width);
	for (const [at, { target, weight }] of examples.entries()) addBack(residual, at, weight * target);
	const scale = penalties.slice();
	for (const [
		at,
		{
			features: { indices, values, length },
			weight,
		},
	] of examples.entries()) {
		for (let i = 0; i < length; i++)
			scale[indices[i] ?? 0] = (scale[indices[i] ?? 0] ?? 0) + weight * (values[i] ?? 0) ** 2;
		scale[columns[at] ?? 0] = (scale[columns[at] ?? 0] ?? 0) + weight;
	}
	return solveByConjugateGradients(multiply, residual, scale).slice(0, FEATURE_COUNT);
}

function dot(a: Float64Array, b: Float64Array): number {
	let sum = 0;
	for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
	return sum;
}

function addTimes(into: Float64Array, share: number, other: Float64Array): void {
	for (let at = 0; at < into.length; at++) into[at] = (into[at] ?? 0) + share * (other[at] ?? 0);
}

/** Solves a positive definite system, preconditioned by its diagonal. */
function solveByConjugateGradients(
	multiply: (vector: Float64Array) => Float64Array,
	right: Float64Array,
	diagonal: Float64Array,
): Float64Array {
	const solution = new Float64Array(right.length);
	const residual = right.slice();
	const scaled = residual.map((value, at) => value / (diagonal[at] ?? 1));
	const direction = scaled.slice();
	let size = dot(residual, scaled);
	for (let round = 0; round < ROUNDS; round++) {
		const product = multiply(direction);
		const share = size / dot(direction, product);
		addTimes(solution, share, direction);
		addTimes(residual, -share, product);
		for (let at = 0; at < scaled.length; at++) scaled[at] = (residual[at] ?? 0) / (diagonal[at] ?? 1);
		const next = dot(residual, scaled);
		for (let at = 0; at < direction.length; at++)
			direction[at] = (scaled[at] ?? 0) + (next / size) * (direction[at] ?? 0);
		size = next;
	}
	return solution;
}

/** What turns sums into logits. */
export interface Scale {
	slope: number;
	offset: number;
}

/** The scale at which the logistic function of held-out sums fits their targets best. */
export function fitScale(heldOut: readonly { sum: number; target: number }[]): Scale {
	let [slope, offset] = [1, 0];
	for (let round = 0; round < 50; round++) {
		const [hessian, gradient] = [
			[1e-6, 0, 1e-6],
			[0, 0],
		];
		for (const { sum, target } of heldOut) {
			const share = 1 / (1 + Math.exp(-(slope * sum + offset)));
			const weight = share * (1 - share);
			hessian[0] = (hessian[0] ?? 0) + weight * sum * sum;
			hessian[1] = (hessian[1] ?? 0) + weight * sum;
			hessian[2] = (hessian[2] ?? 0) + weight;
			gradient[0] = (gradient[0] ?? 0) + (target - share) * sum;
			gradient[1] = (gradient[1] ?? 0) + target - share;
		}
		const [a = 1, b = 0, c = 1] = hessian;
		const [g = 0, h = 0] = gradient;
		const determinant = a * c - b * b;
		slope += (c * g - b * h) / determinant;
		offset += (a * h - b * g) / determinant;
	}
	return { slope, offset };
}

/** Puts a fit into an output of the classifier's weights. */
export function putOutput(weights: Float32Array, output: number, fitted: Float64Array, { slope, offset }: Scale): void {
	for (let feature = 0; feature < FEATURE_COUNT; feature++)
		weights[feature * OUTPUTS + output] = slope * (fitted[feature] ?? 0) + (feature === OFFSET_AT ? offset : 0);
}

// Fits the expected difficulty of prompts: from people's grades, and from where recorded strong models gain over weak ones. A
// ridge regression on the size of a conversation and its n-grams, in which every source has a mean of its own: so what
// tells sources apart is not taken for difficulty. Deterministic.
import { OUTPUTS } from "../../src/routing/signals/classifier.ts";
import { FEATURE_COUNT, OFFSET_AT, SIZE_AT } from "../../src/routing/signals/features.ts";
import { BUCKETS, type Features } from "../../src/routing/signals/space.ts";
import { keepFeatures } from "./examples.ts";
import { findFold, type LabelledPrompt, readNaturalPrompts, readOwnPrompts, toRepository } from "./labelled.ts";
import { type RecordedGain, readRecordedGains } from "./recorded.ts";
import { copyFeatures } from "./regression.ts";

/** Chosen by cross-validation over the sources of the natural prompts and over fifths of the recorded sets. */
const SETTINGS = {
	/** Weights of a prompt. */
	natural: 1,
	own: 2,
	recorded: 1,
	/** What a gain of 1 counts in the scale of grades, where 0 is easy and 1 is hard. */
	gain: 0.4,
	/** Ridge penalties. */
	grams: 30,
	size: 0.1,
	/** An n-gram in fewer prompts has no weight. */
	minPrompts: 3,
	rounds: 35,
} as const;

/** How many parts a recorded set is tried in. */
const RECORDED_FOLDS = 5;

/** A prompt with its difficulty from 0 to 1, or the gain that stands for it. */
export interface DifficultyExample {
	features: Features;
	target: number;
	weight: number;
	/** Prompts of one group share a mean. */
	group: string;
	/** Where it is held out: a part of its set. Null: nowhere. */
	fold: string | null;
	/** Of people's prompts. */
	row: LabelledPrompt | null;
	/** Of recorded ones. */
	recorded: RecordedGain | null;
}

/** From grades, 1 to 3, to 0 to 1. */
function toTarget({ difficulty }: LabelledPrompt): number {
	return ((difficulty ?? 1) - 1) / 2;
}

export function readDifficultyExamples(): DifficultyExample[] {
	const natural = readNaturalPrompts().map(
		(row): DifficultyExample => ({
			features: copyFeatures(row.turns),
			target: toTarget(row),
			weight: SETTINGS.natural,
			group: toRepository(row.source),
			fold: `natural ${findFold(row.source)}`,
			row,
			recorded: null,
		}),
	);
	const own = readOwnPrompts().map(
		(row): DifficultyExample => ({
			features: copyFeatures(row.turns),
			target: toTarget(row),
			weight: SETTINGS.own,
			group: "own",
			fold: null,
			row,
			recorded: null,
		}),
	);
	const recorded = readRecordedGains().map(
		(each, at): DifficultyExample => ({
			features: copyFeatures(each.turns),
			target: SETTINGS.gain * each.gain,
			weight: SETTINGS.recorded,
			group: each.set,
			fold: `${each.set} ${at % RECORDED_FOLDS}`,
			row: null,
			recorded: each,
		}),
	);
	return keepFrequent([...natural, ...own, ...recorded]);
}

/** Leaves the frequent n-grams and the size. */
function keepFrequent(examples: readonly DifficultyExample[]): DifficultyExample[] {
	const prompts = new Uint32Array(BUCKETS);
	for (const { features } of examples)
		for (const index of new Set(features.indices)) if (index < BUCKETS) prompts[index] = (prompts[index] ?? 0) + 1;
	const isKept = (index: number) =>
		index === SIZE_AT || (index < BUCKETS && (prompts[index] ?? 0) >= SETTINGS.minPrompts);
	return examples.map((example) => ({ ...example, features: keepFeatures(example.features, isKept) }));
}

/** The weighted sum of a prompt's features. */
export function sumDifficulty(weights: Float64Array, { indices, values, length }: Features): number {
	let sum = weights[OFFSET_AT] ?? 0;
	for (let at = 0; at < length; at++) sum += (weights[indices[at] ?? 0] ?? 0) * (values[at] ?? 0);
	return sum;
}

/**
 * Weights by feature, of the least squares with ridge penalties, by conjugate gradients. Beside them each group has a mean, which
 * is left out of what is returned.
 */
export function fitRidge(examples: readonly DifficultyExample[]): Float64Array {
	const groups = [...new Set(examples.map(({ group }) => group))];
	const width = FEATURE_COUNT + groups.length;
	const columns = examples.map(({ group }) => FEATURE_COUNT + groups.indexOf(group));
	const penalties = new Float64Array(width).fill(1e-3);
	penalties.fill(SETTINGS.grams, 0, BUCKETS);
	penalties[SIZE_AT] = SETTINGS.size;
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
				weight * (sumDifficulty(vector, features) - (vector[OFFSET_AT] ?? 0) + (vector[columns[at] ?? 0] ?? 0)),
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
	for (let round = 0; round < SETTINGS.rounds; round++) {
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

/** An example with the sum of a fit that did not see its source or part. */
export interface HeldOutDifficulty {
	example: DifficultyExample;
	sum: number;
}

/** Every prompt that has a fold, judged by a fit without that fold. */
export function holdOutDifficulty(examples: readonly DifficultyExample[]): HeldOutDifficulty[] {
	const folds = [...new Set(examples.flatMap(({ fold }) => fold ?? []))];
	return folds.flatMap((fold) => {
		const weights = fitRidge(examples.filter((example) => example.fold !== fold));
		return examples
			.filter((example) => example.fold === fold)
			.map((example) => ({ example, sum: sumDifficulty(weights, example.features) }));
	});
}

/** The slope and offset at which the logistic function of held-out sums fits the grades of people's prompts best. */
export function fitScale(heldOut: readonly HeldOutDifficulty[]): { slope: number; offset: number } {
	const graded = heldOut.filter(({ example: { row } }) => row !== null);
	let [slope, offset] = [1, 0];
	for (let round = 0; round < 50; round++) {
		const [hessian, gradient] = [
			[1e-6, 0, 1e-6],
			[0, 0],
		];
		for (const { sum, example } of graded) {
			const share = 1 / (1 + Math.exp(-(slope * sum + offset)));
			const weight = share * (1 - share);
			hessian[0] = (hessian[0] ?? 0) + weight * sum * sum;
			hessian[1] = (hessian[1] ?? 0) + weight * sum;
			hessian[2] = (hessian[2] ?? 0) + weight;
			gradient[0] = (gradient[0] ?? 0) + (example.target - share) * sum;
			gradient[1] = (gradient[1] ?? 0) + example.target - share;
		}
		const [a = 1, b = 0, c = 1] = hessian;
		const [g = 0, h = 0] = gradient;
		const determinant = a * c - b * b;
		slope += (c * g - b * h) / determinant;
		offset += (a * h - b * g) / determinant;
	}
	return { slope, offset };
}

/** Puts the fitted difficulty into the last output of fitted weights. */
export function putDifficulty(
	weights: Float32Array,
	fitted: Float64Array,
	{ slope, offset }: { slope: number; offset: number },
): void {
	for (let feature = 0; feature < FEATURE_COUNT; feature++)
		weights[feature * OUTPUTS + OUTPUTS - 1] = slope * (fitted[feature] ?? 0) + (feature === OFFSET_AT ? offset : 0);
}

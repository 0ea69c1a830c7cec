// Fits the classifier of refusals and writes it as the service ships it. Deterministic.
import { REFUSAL_BUCKETS, readRefusalFeatures } from "../../../src/answers/refusal-features.ts";
import { decodeRefusals, type RefusalsFile, refusalNorm, scoreRefusal } from "../../../src/answers/refusal-model.ts";
import { MAX_STEP } from "../../../src/text/step-text.ts";
import { createRandom, shuffle } from "../random.ts";
import { encodeBuckets, encodeSteps } from "../step-text.ts";
import type { AnswerRow } from "./rows.ts";

/** Chosen by cross-validation on the rows for training. */
const FIT = { epochs: 60, learningRate: 0.2, biasRate: 0.02, decay: 3e-4, folds: 5 } as const;

/** The share of rows with answers that may be flagged where the threshold is chosen. Most of them were written to be mistaken. */
const FLAGGED_AT_MOST = 0.025;

/** Six significant digits: the same text on every machine. */
const DIGITS = 6;

/** A feature of fewer rows has no weight. */
const LEAST_ROWS = 5;

interface Example {
	features: readonly number[];
	norm: number;
	target: 0 | 1;
}

interface Fitted {
	weights: Float64Array;
	bias: number;
}

/** Logistic regression by AdaGrad. */
function fitOutput(examples: readonly Example[]): Fitted {
	const weights = new Float64Array(REFUSAL_BUCKETS);
	const squares = new Float64Array(REFUSAL_BUCKETS).fill(1e-2);
	const random = createRandom(1);
	const order = Int32Array.from(examples.keys());
	let bias = 0;
	for (let epoch = 0; epoch < FIT.epochs; epoch++) {
		shuffle(order, random);
		for (const at of order) {
			const { features, norm, target } = examples[at] ?? { features: [], norm: 0, target: 0 };
			const sum = features.reduce((total, bucket) => total + (weights[bucket] ?? 0) * norm, bias);
			const error = 1 / (1 + Math.exp(-sum)) - target;
			bias -= FIT.biasRate * error;
			for (const bucket of features) {
				const weight = weights[bucket] ?? 0;
				const gradient = error * norm + FIT.decay * weight;
				const square = (squares[bucket] ?? 0) + gradient * gradient;
				squares[bucket] = square;
				weights[bucket] = weight - (FIT.learningRate / Math.sqrt(square)) * gradient;
			}
		}
	}
	return { weights, bias };
}

const known = new Map<string, number[]>();

/** The features of a row, which every fit needs. */
function readFeaturesOnce(text: string): number[] {
	const features = known.get(text) ?? readRefusalFeatures(text);
	known.set(text, features);
	return features;
}

const declines = ({ label }: AnswerRow) => label !== "A";

function toExamples(rows: readonly AnswerRow[], isTarget: (row: AnswerRow) => boolean): Example[] {
	const all = rows.map(({ text }) => readFeaturesOnce(text));
	const counts = new Map<number, number>();
	for (const bucket of all.flat()) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
	return rows.map((row, at) => ({
		features: (all[at] ?? []).filter((bucket) => (counts.get(bucket) ?? 0) >= LEAST_ROWS),
		norm: refusalNorm(all[at]?.length ?? 0),
		target: isTarget(row) ? 1 : 0,
	}));
}

function encode(outputs: readonly Fitted[], threshold: number): RefusalsFile {
	const scales = outputs.map(({ weights }) => {
		const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
		return Number((largest / MAX_STEP).toPrecision(DIGITS));
	});
	const toSteps = (bucket: number) =>
		outputs.map(({ weights }, output) => Math.round((weights[bucket] ?? 0) / (scales[output] ?? 1)));
	const kept = Array.from({ length: REFUSAL_BUCKETS }, (_, bucket) => bucket).filter((bucket) =>
		toSteps(bucket).some((step) => step !== 0),
	);
	return {
		threshold,
		scales,
		bias: outputs.map(({ bias }) => Number(bias.toPrecision(DIGITS))),
		buckets: encodeBuckets(kept),
		weights: kept.map((bucket) => encodeSteps(toSteps(bucket))).join(""),
	};
}

/** Both outputs, without a threshold. */
function fitOutputs(rows: readonly AnswerRow[]): RefusalsFile {
	const declining = rows.filter(declines);
	return encode(
		[fitOutput(toExamples(rows, declines)), fitOutput(toExamples(declining, ({ label }) => label === "T"))],
		0,
	);
}

/** The threshold that flags as few ordinary rows as it may, by models that did not see them. */
function chooseThreshold(rows: readonly AnswerRow[]): number {
	const sums = Array.from({ length: FIT.folds }, (_, fold) => {
		const seen = rows.filter((__, at) => at % FIT.folds !== fold);
		const fitted = fitOutput(toExamples(seen, declines));
		// The second output is not read here.
		const model = decodeRefusals(encode([fitted, fitted], 0));
		const unseen = rows.filter((row, at) => at % FIT.folds === fold && row.label === "A");
		return unseen.map(({ text }) => scoreRefusal(model, readFeaturesOnce(text))[0] ?? 0);
	}).flat();
	const highest = sums.sort((a, b) => b - a);
	return Number((highest[Math.floor(FLAGGED_AT_MOST * highest.length)] ?? 0).toPrecision(DIGITS));
}

/** The classifier of the rows for training. */
export function trainRefusals(rows: readonly AnswerRow[]): RefusalsFile {
	const seen = rows.filter(({ isHeldBack }) => !isHeldBack);
	return { ...fitOutputs(seen), threshold: chooseThreshold(seen) };
}

// The trained model of statements: hidden units that sum a unit's features and see what was said before, and a sum a class.
// Pure; the weights are an argument.
import { eachBucket, ZERO_CHARACTER } from "../../text/step-text.ts";
import type { DataClass } from "../vocabulary.ts";
import { STATEMENT_BUCKETS, type UnitFeatures } from "./features.ts";
import { decodeTopics, type TopicTable } from "./topics.ts";

/** The classes that the model tells, by output. */
export const STATEMENT_CLASSES = ["PII", "PHI", "FINANCIAL"] as const satisfies readonly DataClass[];

/** What `npm run train:signals -- statements` writes. */
export interface StatementsFile {
	/** By class: a unit whose sum is higher makes a statement. */
	thresholds: number[];
	/** By hidden unit: what one step of a feature's weight is worth. */
	scales: number[];
	/** By hidden unit. */
	bias: number[];
	/** Rows of hidden units: what was said before. */
	context: number[];
	/** Rows of hidden units, by class. */
	outputs: number[];
	output_bias: number[];
	/** The buckets that have weights, as distances (text/step-text.ts). */
	buckets: string;
	/** Steps, one row of hidden units for each of `buckets`. */
	weights: string;
	/** What the parts of words say of their topic (topics.ts). */
	topics: string;
}

export interface StatementModel extends Omit<StatementsFile, "buckets" | "weights" | "topics"> {
	/** The buckets that have weights. */
	readonly buckets: readonly number[];
	/** By bucket: its row in `rows`, from 1 on; 0 has no weights. */
	readonly rowNumbers: Uint16Array;
	/** Rows of characters, each a step. */
	readonly rows: Uint8Array;
	readonly topics: TopicTable;
}

/** Reads trained weights. Steps stay characters. */
export function decodeStatements({ buckets: distances, weights, topics, ...dense }: StatementsFile): StatementModel {
	const encoder = new TextEncoder();
	const rowNumbers = new Uint16Array(STATEMENT_BUCKETS);
	const buckets: number[] = [];
	eachBucket(encoder.encode(distances), (bucket) => {
		rowNumbers[bucket] = buckets.push(bucket);
	});
	return { ...dense, buckets, rowNumbers, rows: encoder.encode(weights), topics: decodeTopics(topics) };
}

/** What a unit adds to each hidden unit, and how many of its features have weights. */
export interface UnitSums {
	readonly sums: Float64Array;
	readonly count: number;
}

/** A unit with fewer features has the norm of one with this many. */
const MIN_NORM_FEATURES = 12;

/** The norm of features: one of many says less than one of few. */
export function featureNorm(count: number): number {
	return 1 / Math.sqrt(Math.max(MIN_NORM_FEATURES, count));
}

/** Sums the weights of a unit's features. */
export function sumFeatures(model: StatementModel, { buckets, length }: UnitFeatures): UnitSums {
	const { rowNumbers, rows, scales } = model;
	const hidden = scales.length;
	const sums = new Float64Array(hidden);
	let count = 0;
	for (let at = 0; at < length; at++) {
		const row = rowNumbers[buckets[at] ?? 0] ?? 0;
		if (row === 0) continue;
		count++;
		const start = (row - 1) * hidden;
		for (let k = 0; k < hidden; k++) sums[k] = (sums[k] ?? 0) + (rows[start + k] ?? 0);
	}
	for (let k = 0; k < hidden; k++) sums[k] = ((sums[k] ?? 0) - count * ZERO_CHARACTER) * (scales[k] ?? 0);
	return { sums, count };
}

/** The hidden units of what was said before; null if nothing was. */
function contextUnits({ bias }: StatementModel, before: readonly UnitSums[]): Float64Array | null {
	let total = 0;
	for (const { count } of before) total += count;
	if (total === 0) return null;
	const norm = featureNorm(total);
	const units = new Float64Array(bias.length);
	for (const { sums } of before) for (let k = 0; k < units.length; k++) units[k] = (units[k] ?? 0) + (sums[k] ?? 0);
	for (let k = 0; k < units.length; k++) units[k] = Math.max(0, (bias[k] ?? 0) + norm * (units[k] ?? 0));
	return units;
}

function dot(weights: readonly number[], start: number, values: Float64Array): number {
	let sum = 0;
	for (let k = 0; k < values.length; k++) sum += (weights[start + k] ?? 0) * (values[k] ?? 0);
	return sum;
}

/**
 * By class: how much a unit makes a statement.
 * @param before the units before it.
 */
export function scoreUnit(model: StatementModel, own: UnitSums, before: readonly UnitSums[]): number[] {
	const { bias, context, outputs, output_bias } = model;
	const hidden = bias.length;
	const said = contextUnits(model, before);
	const norm = featureNorm(own.count);
	const units = new Float64Array(hidden);
	for (let k = 0; k < hidden; k++) {
		const carried = said ? dot(context, k * hidden, said) : 0;
		units[k] = Math.max(0, (bias[k] ?? 0) + carried + norm * (own.sums[k] ?? 0));
	}
	return output_bias.map((outputBias, output) => outputBias + dot(outputs, output * hidden, units));
}

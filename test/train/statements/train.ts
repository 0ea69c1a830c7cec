// Fits the classifier of statements and writes it as the service ships it: few features, in steps of one character.
import { createUnitFeatures, readUnitFeatures } from "../../../src/compliance/statements/features.ts";
import { STATEMENT_CLASSES, type StatementsFile } from "../../../src/compliance/statements/model.ts";
import { UNITS_BEFORE } from "../../../src/compliance/statements/score.ts";
import { encodeTopics, TopicScores, type TopicTable } from "../../../src/compliance/statements/topics.ts";
import { textUnits } from "../../../src/compliance/statements/units.ts";
import { encodeBuckets, encodeSteps } from "../step-text.ts";
import { type StatementSplit, type StatementText, TOPIC_FOLDS } from "./examples.ts";
import { type FitExample, type FitOptions, type FittedStatements, fitStatements } from "./fit.ts";
import { trainTopics } from "./topics.ts";

/** Chosen by cross-validation on sentences and words that were held out. */
const SETTINGS = {
	hidden: 8,
	/** A feature of fewer texts has no weights. */
	minTexts: 4,
	/** How many features are shipped. */
	features: 12_500,
	/** Weights are shipped in so many steps on each side of zero. */
	steps: 4,
	/** The largest weight that is not cut, in root mean squares. */
	widest: 2.5,
} as const;

const SHARED: Omit<FitOptions, "epochs" | "learningRate" | "dropout"> = {
	hidden: SETTINGS.hidden,
	outputs: STATEMENT_CLASSES.length,
	decay: 1e-4,
};
const FIRST_FIT: FitOptions = { ...SHARED, epochs: 5, learningRate: 0.1, dropout: 0.3 };
/** After the features are chosen. */
const SECOND_FIT: FitOptions = { ...SHARED, epochs: 3, learningRate: 0.05, dropout: 0.15 };

/** Six significant digits: the same text on every machine. */
const DIGITS = 6;

const scores = new TopicScores(new Int8Array(0));
const space = createUnitFeatures(scores);

function readBuckets(text: string, topics: TopicTable): Int32Array[] {
	const units: Int32Array[] = [];
	scores.table = topics;
	for (const { start, end } of textUnits(text)) {
		readUnitFeatures(text.slice(start, end), space);
		units.push(space.buckets.slice(0, space.length));
	}
	return units;
}

/** The units of a conversation, and how many stand before the last text's. */
interface BucketUnits {
	readonly units: readonly Int32Array[];
	readonly earlier: number;
	readonly text: StatementText;
}

function toBucketUnits(text: StatementText, tables: readonly TopicTable[]): BucketUnits {
	const table = tables[text.topicFold] ?? new Int8Array(0);
	const byText = text.texts.map((each) => readBuckets(each, table));
	const earlier = byText.slice(0, -1).reduce((sum, { length }) => sum + length, 0);
	return { units: byText.flat(), earlier, text };
}

/** How many texts each bucket occurs in. */
function countTexts(all: readonly BucketUnits[]): Map<number, number> {
	const counts = new Map<number, number>();
	for (const { units } of all)
		for (const bucket of new Set(units.flatMap((unit) => [...unit]))) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
	return counts;
}

function toExamples(all: readonly BucketUnits[], buckets: readonly number[]): FitExample[] {
	const rows = new Map(buckets.map((bucket, row) => [bucket, row]));
	return all.flatMap(({ units, earlier, text }) => {
		const own = units.map((unit) => Int32Array.from([...unit].flatMap((bucket) => rows.get(bucket) ?? [])));
		const read = own.slice(earlier).map((rowsOfUnit, at) => ({
			own: rowsOfUnit,
			before: Int32Array.from(
				own.slice(Math.max(0, earlier + at - UNITS_BEFORE), earlier + at).flatMap((unit) => [...unit]),
			),
		}));
		return read.length === 0 ? [] : [{ units: read, targets: text.targets, weight: text.weight }];
	});
}

function rowOf(weights: Float32Array, row: number): Float32Array {
	return weights.subarray(row * SETTINGS.hidden, (row + 1) * SETTINGS.hidden);
}

/** The features that say most: large weights in many texts. */
function chooseFeatures(
	buckets: readonly number[],
	{ features }: FittedStatements,
	texts: ReadonlyMap<number, number>,
): number[] {
	const sizes = buckets.map((bucket, row) => {
		const norm = rowOf(features, row).reduce((sum, weight) => sum + Math.abs(weight), 0);
		return { row, size: norm * Math.sqrt(texts.get(bucket) ?? 0) };
	});
	const kept = sizes.toSorted((a, b) => b.size - a.size || a.row - b.row).slice(0, SETTINGS.features);
	return kept.map(({ row }) => row).sort((a, b) => (buckets[a] ?? 0) - (buckets[b] ?? 0));
}

function round(values: Float32Array): number[] {
	return Array.from(values, (value) => Number(value.toPrecision(DIGITS)));
}

function encodeStatements(buckets: readonly number[], fitted: FittedStatements): Omit<StatementsFile, "topics"> {
	const rows = buckets.map((_, row) => rowOf(fitted.features, row));
	const scales = Array.from({ length: SETTINGS.hidden }, (_, k) => {
		const squares = rows.reduce((sum, row) => sum + (row[k] ?? 0) ** 2, 0);
		const widest = SETTINGS.widest * Math.sqrt(squares / Math.max(1, rows.length));
		return Number(Math.max(widest / SETTINGS.steps, 1e-9).toPrecision(DIGITS));
	});
	const toSteps = (row: Float32Array) =>
		Array.from(row, (weight, k) => {
			const step = Math.round(weight / (scales[k] ?? 1));
			return Math.max(-SETTINGS.steps, Math.min(SETTINGS.steps, step));
		});
	const kept = [...rows.keys()].map((row) => ({ row, steps: toSteps(rows[row] ?? new Float32Array(0)) }));
	const telling = kept.filter(({ steps }) => steps.some((step) => step !== 0));
	return {
		thresholds: STATEMENT_CLASSES.map(() => 0),
		scales,
		bias: round(fitted.bias),
		context: round(fitted.context),
		outputs: round(fitted.outputs),
		output_bias: round(fitted.outputBias),
		buckets: encodeBuckets(telling.map(({ row }) => buckets[row] ?? 0)),
		weights: telling.map(({ steps }) => encodeSteps(steps)).join(""),
	};
}

/** The classifier of texts, without thresholds. */
export function trainOn({ trained, topics }: StatementSplit): StatementsFile {
	const { table, withoutFold } = trainTopics(topics, TOPIC_FOLDS);
	const all = trained.map((text) => toBucketUnits(text, withoutFold));
	const counts = countTexts(all);
	const buckets = [...counts].filter(([, count]) => count >= SETTINGS.minTexts).map(([bucket]) => bucket);
	const first = fitStatements(toExamples(all, buckets), buckets.length, FIRST_FIT);
	const chosen = chooseFeatures(buckets, first, counts);
	const features = Float32Array.from(chosen.flatMap((row) => [...rowOf(first.features, row)]));
	const kept = chosen.map((row) => buckets[row] ?? 0);
	const second = fitStatements(toExamples(all, kept), kept.length, SECOND_FIT, { ...first, features });
	return { ...encodeStatements(kept, second), topics: encodeTopics(table) };
}

// Turns labelled prompts into examples for the fit of intents: targets, weights by source, and n-grams frequent enough to keep.
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { SIZE_AT } from "../../src/routing/signals/features.ts";
import { BUCKETS, type Features } from "../../src/routing/signals/space.ts";
import {
	findFold,
	type LabelledPrompt,
	readNaturalPrompts,
	readOwnPrompts,
	readTrainingSets,
	toCollection,
} from "./labelled.ts";
import { copyFeatures, type Example, type FitOptions } from "./regression.ts";
import { readTopicPrompts } from "./topics.ts";

/** Everything that was chosen by cross-validation on the natural prompts. */
const SETTINGS = {
	/** Weights of one prompt. */
	natural: 5,
	own: 6,
	topics: 1.5,
	/** Of a natural prompt that no class fits well. */
	unclear: 0.3,
	/** Training sets: a (collection, intent) pair counts as much as the square root of its prompts. */
	sets: 0.2 * Math.sqrt(300),
	maxPerSetPrompt: 2,
	maxPerPair: 300,
	/** Share of the primary intent where others are sensible too. */
	primaryShare: 0.8,
	/** An n-gram in fewer prompts has no weights. */
	minPrompts: 4,
} as const;

/** How the weights are fitted; chosen in the same way. */
export const FIT: FitOptions = { epochs: 8, learningRate: 0.25, decay: 3e-3 };

/** An example, with the fold that it is held out in; null when it is trained on in all. */
export interface FoldedExample extends Example {
	fold: number | null;
	row: LabelledPrompt;
}

function toTarget({ primary, intents }: LabelledPrompt): Float32Array | null {
	if (intents.length === 0) return null;
	const target = new Float32Array(INTENTS.length);
	const others = intents.filter((each) => each !== primary);
	const primaryShare = primary === null ? 0 : others.length === 0 ? 1 : SETTINGS.primaryShare;
	for (const each of others) target[INTENTS.indexOf(each)] = (1 - primaryShare) / others.length;
	if (primary !== null) target[INTENTS.indexOf(primary)] = primaryShare;
	return target;
}

/** Those features of a prompt that are kept. */
export function keepFeatures({ indices, values }: Features, isKept: (index: number) => boolean): Features {
	const kept = [...indices.keys()].filter((at) => isKept(indices[at] ?? 0));
	return {
		indices: Int32Array.from(kept, (at) => indices[at] ?? 0),
		values: Float32Array.from(kept, (at) => values[at] ?? 0),
		length: kept.length,
	};
}

function toExample(row: LabelledPrompt, fold: number | null, weight: number): FoldedExample {
	const features = keepFeatures(copyFeatures(row.turns), (index) => index < SIZE_AT);
	return { features, intents: toTarget(row), weight, fold, row };
}

/** Evenly spread rows of each (collection, intent) pair, weighted. */
function toSetExamples(rows: readonly LabelledPrompt[]): FoldedExample[] {
	const pairs = Map.groupBy(
		rows.filter(({ primary }) => primary !== null),
		({ source, primary }) => `${toCollection(source)} ${primary}`,
	);
	return [...pairs.values()].flatMap((pair) => {
		const count = Math.min(SETTINGS.maxPerPair, pair.length);
		const weight = Math.min(SETTINGS.maxPerSetPrompt, SETTINGS.sets / Math.sqrt(count));
		const chosen = Array.from({ length: count }, (_, at) => pair[Math.floor((at * pair.length) / count)]);
		return chosen.flatMap((row) => (row ? [toExample(row, null, weight)] : []));
	});
}

/** Removes n-grams that occur in too few prompts. */
function dropRareGrams(examples: readonly Example[]): void {
	const prompts = new Uint32Array(BUCKETS);
	const seenIn = new Int32Array(BUCKETS).fill(-1);
	for (const [at, { features }] of examples.entries()) {
		for (const index of features.indices) {
			if (index >= BUCKETS || seenIn[index] === at) continue;
			seenIn[index] = at;
			prompts[index] = (prompts[index] ?? 0) + 1;
		}
	}
	for (const example of examples) {
		const isKept = (index: number) => index >= BUCKETS || (prompts[index] ?? 0) >= SETTINGS.minPrompts;
		example.features = keepFeatures(example.features, isKept);
	}
}

/** All public prompts and those of this project, as examples. */
export function readExamples(): FoldedExample[] {
	const examples = [
		...toSetExamples(readTrainingSets()),
		...readNaturalPrompts().map((row) =>
			toExample(row, findFold(row.source), SETTINGS.natural * (row.primary === null ? SETTINGS.unclear : 1)),
		),
		...readOwnPrompts().map((row) => toExample(row, null, SETTINGS.own)),
		...readTopicPrompts().flatMap((row) => (row.isHeldBack ? [] : [toExample(row, null, SETTINGS.topics)])),
	];
	dropRareGrams(examples);
	return examples;
}

/** Prompts that are only judged. */
export function toTestExamples(rows: readonly LabelledPrompt[]): FoldedExample[] {
	return rows.map((row) => toExample(row, null, 0));
}

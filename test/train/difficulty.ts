// Fits the expected difficulty of prompts: from people's grades, and from where recorded strong models gain over weak ones. A
// ridge regression on the size of a conversation and its n-grams, in which every source has a mean of its own: so what
// tells sources apart is not taken for difficulty. Deterministic.
import { SIZE_AT } from "../../src/routing/signals/features.ts";
import { BUCKETS } from "../../src/routing/signals/space.ts";
import { keepFeatures } from "./examples.ts";
import { findFold, type LabelledPrompt, readNaturalPrompts, readOwnPrompts, toRepository } from "./labelled.ts";
import { type RecordedGain, readRecordedGains } from "./recorded.ts";
import { copyFeatures } from "./regression.ts";
import { fitRidge, fitScale, type RidgeExample, type Scale, sumFeatures } from "./ridge.ts";

/** Chosen by cross-validation over the sources of the natural prompts and over fifths of the recorded sets. */
const SETTINGS = {
	/** Weights of a prompt. */
	natural: 1,
	own: 2,
	recorded: 1,
	/** What a gain of 1 counts in the scale of grades, where 0 is easy and 1 is hard. */
	gain: 0.4,
	/** An n-gram in fewer prompts has no weight. */
	minPrompts: 3,
} as const;

/** Of the ridge, chosen likewise; the size is the only feature besides n-grams. */
const PENALTIES = { grams: 30, others: 0.1 };

/** How many parts a recorded set is tried in. */
const RECORDED_FOLDS = 5;

/** A prompt with its difficulty from 0 to 1, or the gain that stands for it. */
export interface DifficultyExample extends RidgeExample {
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

/** The fit of all examples. */
export function fitDifficulty(examples: readonly DifficultyExample[]): Float64Array {
	return fitRidge(examples, PENALTIES);
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
		const weights = fitDifficulty(examples.filter((example) => example.fold !== fold));
		return examples
			.filter((example) => example.fold === fold)
			.map((example) => ({ example, sum: sumFeatures(weights, example.features) }));
	});
}

/** The scale at which held-out sums fit the grades of people's prompts best. */
export function scaleDifficulty(heldOut: readonly HeldOutDifficulty[]): Scale {
	return fitScale(heldOut.flatMap(({ example: { row, target }, sum }) => (row === null ? [] : [{ sum, target }])));
}

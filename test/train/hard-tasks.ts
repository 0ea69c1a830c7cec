// Learns which short prompts ask for something hard: from the prompts of topics.txt, beside people's prompts, this project's others and
// recorded questions, nearly all of which do not. Deterministic.
import { PROPERTIES_AT } from "../../src/routing/signals/features.ts";
import { BUCKETS } from "../../src/routing/signals/space.ts";
import { hashUnits, mixHash } from "../../src/text/hash.ts";
import { keepFeatures } from "./examples.ts";
import { FOLD_NAMES, findFold, type LabelledPrompt, readNaturalPrompts, readOwnPrompts } from "./labelled.ts";
import { HARD_GRADE } from "./measures.ts";
import { readRecordedGains } from "./recorded.ts";
import { copyFeatures } from "./regression.ts";
import { fitRidge, fitScale, type RidgeExample, type Scale, sumFeatures } from "./ridge.ts";
import { readTopicPrompts } from "./topics.ts";

/** Chosen by cross-validation over the topics that are trained on and the sources of the natural prompts. */
const SETTINGS = {
	/** Weights of a prompt. */
	natural: 1,
	own: 1,
	topics: 8,
	recorded: 0.3,
	/** What a prompt between easy and hard counts. */
	middling: 0.2,
	/** An n-gram in fewer prompts has no weight. */
	minPrompts: 3,
} as const;
const PENALTIES = { grams: 3, others: 10 };

export interface HardTaskExample extends RidgeExample {
	turns: LabelledPrompt["turns"];
	/** Null for recorded questions, whose difficulty is another. */
	grade: number | null;
	/** The part that it is held out with: sources of people's prompts, topics, and a share of the recorded questions together. */
	fold: number | null;
	isTopic: boolean;
}

function toTarget(grade: number | null): number {
	return grade === null || grade === 1
		? 0
		: grade >= HARD_GRADE
			? 1
			: grade >= 2
				? SETTINGS.middling
				: SETTINGS.middling / 4;
}

function toExample(
	turns: LabelledPrompt["turns"],
	grade: number | null,
	weight: number,
	fold: number | null,
	isTopic = false,
): HardTaskExample {
	return { features: copyFeatures(turns), target: toTarget(grade), weight, group: "all", turns, grade, fold, isTopic };
}

/** N-grams that are frequent enough, and cues. */
function keepKnown(examples: readonly HardTaskExample[]): HardTaskExample[] {
	const prompts = new Uint32Array(BUCKETS);
	for (const { features } of examples)
		for (const index of new Set(features.indices)) if (index < BUCKETS) prompts[index] = (prompts[index] ?? 0) + 1;
	const isKept = (index: number) =>
		index < BUCKETS ? (prompts[index] ?? 0) >= SETTINGS.minPrompts : index < PROPERTIES_AT;
	return examples.map((example) => ({ ...example, features: keepFeatures(example.features, isKept) }));
}

export function readHardTaskExamples(): HardTaskExample[] {
	const folds = FOLD_NAMES.length;
	const topics = readTopicPrompts().filter(({ isHeldBack }) => !isHeldBack);
	return keepKnown([
		...readNaturalPrompts().map(({ turns, difficulty, source }) =>
			toExample(turns, difficulty, SETTINGS.natural, findFold(source)),
		),
		...readOwnPrompts().map(({ turns, difficulty }) => toExample(turns, difficulty, SETTINGS.own, null)),
		...topics.map(({ turns, difficulty, topic }) =>
			toExample(turns, difficulty, SETTINGS.topics, mixHash(hashUnits(`${topic}/`)) % folds, true),
		),
		...readRecordedGains().map(({ turns }, at) => toExample(turns, null, SETTINGS.recorded, at % folds)),
	]);
}

export function fitHardTasks(examples: readonly HardTaskExample[]): Float64Array {
	return fitRidge(examples, PENALTIES);
}

/** An example with the sum of a fit that did not see its part. */
export interface HeldOutHardTask {
	example: HardTaskExample;
	sum: number;
}

/** Every prompt that has a fold, judged by a fit without that fold. */
export function holdOutHardTasks(examples: readonly HardTaskExample[]): HeldOutHardTask[] {
	return FOLD_NAMES.flatMap((_, fold) => {
		const fitted = fitHardTasks(examples.filter((example) => example.fold !== fold));
		return examples
			.filter((example) => example.fold === fold)
			.map((example) => ({ example, sum: sumFeatures(fitted, example.features) }));
	});
}

/** The scale at which held-out sums tell best how likely a graded prompt is hard. */
export function scaleHardTasks(heldOut: readonly HeldOutHardTask[]): Scale {
	return fitScale(
		heldOut.flatMap(({ example: { grade }, sum }) =>
			grade === null ? [] : [{ sum, target: grade >= HARD_GRADE ? 1 : 0 }],
		),
	);
}

// Fits how far apart easy and hard questions are, and what the length of a question adds: a Rasch model of recorded answers.
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { fromLogit } from "../../src/routing/quality.ts";
import { solveLinear } from "./linear.ts";
import type { RecordedQuestion } from "./recorded-models.ts";

const ROUNDS = 60;
/** Precision of the prior on a question's difficulty: one that nobody or everybody answers has a finite one. */
const PRIOR_PRECISION = 0.25;

/** The difficulties of questions, in logits; the abilities of the models are fitted beside them. */
function fitDifficulties(rights: readonly (readonly number[])[]): number[] {
	const abilities = (rights[0] ?? []).map(() => 0);
	const difficulties = rights.map(() => 0);
	for (let round = 0; round < ROUNDS; round++) {
		const slopes = abilities.map(() => 0);
		const gains = abilities.map(() => 0);
		for (const [at, row] of rights.entries()) {
			const difficulty = difficulties[at] ?? 0;
			let [slope, gain] = [PRIOR_PRECISION, PRIOR_PRECISION * difficulty];
			for (const [model, right] of row.entries()) {
				const expected = fromLogit((abilities[model] ?? 0) - difficulty);
				const weight = expected * (1 - expected);
				gains[model] = (gains[model] ?? 0) + right - expected;
				slopes[model] = (slopes[model] ?? 0) + weight;
				gain += right - expected;
				slope += weight;
			}
			difficulties[at] = difficulty - gain / slope;
		}
		for (const model of abilities.keys())
			abilities[model] = (abilities[model] ?? 0) + (gains[model] ?? 0) / (slopes[model] || 1);
	}
	return difficulties;
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What quality.ts is built on. */
export interface DifficultyFit {
	/** Mean difficulties of the easiest, the middle and the hardest third of the questions, in logits. */
	thirds: number[];
	/** Difficulty that each doubling of a question's length adds, beside what its intents say. */
	perDoubling: number;
	/** Length of the questions in characters: geometric mean, 5 % and 95 % quantiles. */
	chars: { mean: number; low: number; high: number };
}

/** Fits the constants of the difficulty of prompts. */
export function fitDifficulty(questions: readonly RecordedQuestion[]): DifficultyFit {
	const ids = Object.keys(questions[0]?.right ?? {});
	const difficulties = fitDifficulties(questions.map(({ right }) => ids.map((id) => right[id] ?? 0)));
	const sorted = difficulties.toSorted((a, b) => a - b);
	const third = Math.ceil(sorted.length / 3);
	const logs = questions.map(({ signals }) => Math.log2(signals.facts.chars));
	const centre = mean(logs);
	const features = questions.map(({ signals }, at) => [
		(logs[at] ?? 0) - centre,
		...INTENTS.map((intent) => signals.probabilities[intent]),
	]);
	const width = INTENTS.length + 1;
	const columns = Array.from({ length: width }, (_, column) => column);
	const sumOver = (of: (row: readonly number[], at: number) => number) =>
		features.reduce((sum, row, at) => sum + of(row, at), 0);
	const matrix = columns.map((a) =>
		columns.map((b) => sumOver((row) => (row[a] ?? 0) * (row[b] ?? 0)) + (a === b ? 0.1 : 0)),
	);
	const [perDoubling = 0] = solveLinear(
		matrix,
		columns.map((a) => sumOver((row, at) => (row[a] ?? 0) * (difficulties[at] ?? 0))),
	);
	const lengths = questions.map(({ signals }) => signals.facts.chars).toSorted((a, b) => a - b);
	const quantile = (share: number) => lengths[Math.round(share * (lengths.length - 1))] ?? 0;
	return {
		thirds: [0, 1, 2].map((part) => mean(sorted.slice(part * third, (part + 1) * third))),
		perDoubling,
		chars: { mean: 2 ** centre, low: quantile(0.05), high: quantile(0.95) },
	};
}

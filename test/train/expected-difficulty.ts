// The expected difficulty as it is shipped, from the two fits that make it, for prompts that neither of them saw.
import { toExpectedDifficulty } from "../../src/routing/signals/classifier.ts";
import { countChars, type Turn } from "../../src/routing/signals/turns.ts";
import {
	type DifficultyExample,
	type HeldOutDifficulty,
	holdOutDifficulty,
	readDifficultyExamples,
	scaleDifficulty,
} from "./difficulty.ts";
import {
	type HardTaskExample,
	type HeldOutHardTask,
	holdOutHardTasks,
	readHardTaskExamples,
	scaleHardTasks,
} from "./hard-tasks.ts";
import type { Scale } from "./ridge.ts";

/** Tells conversations apart. */
export function toTurnsKey(turns: readonly Turn[]): string {
	return JSON.stringify(turns.map(({ text, chars }) => [text, chars]));
}

/** A prompt with the logits of both fits and what they make together. */
export interface HeldOutExpectation {
	example: DifficultyExample;
	difficulty: number;
	hardTask: number;
	expected: number;
}

export interface HeldOutFits {
	graded: DifficultyExample[];
	tasks: HardTaskExample[];
	difficultyScale: Scale;
	taskScale: Scale;
	/** People's prompts and recorded questions. */
	prompts: HeldOutExpectation[];
	/** Logits of topics. */
	topics: { example: HardTaskExample; hardTask: number }[];
}

const toLogit = ({ slope, offset }: Scale, sum: number) => slope * sum + offset;

function turnsOf({ row, recorded }: DifficultyExample): readonly Turn[] {
	return row?.turns ?? recorded?.turns ?? [];
}

function combine(
	rated: readonly HeldOutDifficulty[],
	tried: readonly HeldOutHardTask[],
	difficultyScale: Scale,
	taskScale: Scale,
): HeldOutExpectation[] {
	const sums = new Map(tried.map(({ example: { turns }, sum }) => [toTurnsKey(turns), sum]));
	return rated.map(({ example, sum }) => {
		const turns = turnsOf(example);
		const difficulty = toLogit(difficultyScale, sum);
		const hardTask = toLogit(taskScale, sums.get(toTurnsKey(turns)) ?? 0);
		return {
			example,
			difficulty,
			hardTask,
			expected: toExpectedDifficulty(difficulty, hardTask, countChars(turns)),
		};
	});
}

/** Fits everything without each part in turn. */
export function holdOutFits(): HeldOutFits {
	const graded = readDifficultyExamples();
	const tasks = readHardTaskExamples();
	const rated = holdOutDifficulty(graded);
	const tried = holdOutHardTasks(tasks);
	const [difficultyScale, taskScale] = [scaleDifficulty(rated), scaleHardTasks(tried)];
	return {
		graded,
		tasks,
		difficultyScale,
		taskScale,
		prompts: combine(rated, tried, difficultyScale, taskScale),
		topics: tried.flatMap(({ example, sum }) =>
			example.isTopic ? [{ example, hardTask: toLogit(taskScale, sum) }] : [],
		),
	};
}

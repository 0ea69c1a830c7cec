// Chooses what turns outputs into answers, on prompts of sources that the models did not see.
import { type HeldOut, judge } from "./cross-validation.ts";
import { measureDifficulty, measureIntents } from "./measures.ts";

export interface Calibration {
	temperature: number;
	/** Expected difficulties from which a prompt counts as level 2 and as level 3. */
	levels: [number, number];
}

function range(from: number, to: number, step: number): number[] {
	return Array.from(
		{ length: Math.round((to - from) / step) + 1 },
		(_, at) => Math.round((from + at * step) * 1000) / 1000,
	);
}

/** The value with the lowest loss. */
function lowest(values: readonly number[], loss: (value: number) => number): number {
	const losses = values.map(loss);
	return values[losses.indexOf(Math.min(...losses))] ?? 0;
}

/**
 * The hardest 1 % of prompts have level 3. Few are rated that hard, and they are hard to tell: a larger share would be wrong
 * more often than right.
 */
const HARD_SHARE = 0.01;

/**
 * The temperature at which the first intent's probability is nearest to both shares: how often it is the primary intent,
 * and how often a sensible one. And the levels that agree most often with the ratings.
 */
export function calibrate(heldOut: readonly HeldOut[]): Calibration {
	const temperature = lowest(range(0.4, 2, 0.01), (value) => {
		const { anyError, primaryError } = measureIntents(judge(heldOut, value, []));
		return Math.max(anyError, primaryError);
	});
	const difficulties = judge(heldOut, 1, []).map(({ expectedDifficulty }) => expectedDifficulty);
	const hard = difficulties.toSorted((a, b) => b - a)[Math.floor(HARD_SHARE * difficulties.length)] ?? 2;
	const second = lowest(range(1.1, 1.9, 0.01), (value) => -measureDifficulty(judge(heldOut, 1, [value])).withinHalf);
	return { temperature, levels: [second, Math.round(Math.max(hard, second) * 1000) / 1000] };
}

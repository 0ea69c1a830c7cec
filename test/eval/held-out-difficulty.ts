// Expected difficulties of public prompts from fits that did not see their source, or their part of a recorded set: the shipped
// weights have seen all of them.

import { fromLogit } from "../../src/routing/quality.ts";
import type { Turn } from "../../src/routing/signals/turns.ts";
import { fitScale, holdOutDifficulty, readDifficultyExamples } from "../train/difficulty.ts";

/** The key of a conversation. */
export function toTurnsKey(turns: readonly Turn[]): string {
	return JSON.stringify(turns.map(({ text, chars }) => [text, chars]));
}

/** By key. */
export function readHeldOutDifficulties(): ReadonlyMap<string, number> {
	const heldOut = holdOutDifficulty(readDifficultyExamples());
	const { slope, offset } = fitScale(heldOut);
	return new Map(
		heldOut.map(({ example: { row, recorded }, sum }) => [
			toTurnsKey(row?.turns ?? recorded?.turns ?? []),
			1 + 2 * fromLogit(slope * sum + offset),
		]),
	);
}

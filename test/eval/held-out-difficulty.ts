// Expected difficulties of public prompts from fits that did not see their source, or their part of a recorded set: the shipped
// weights have seen all of them.
import { holdOutFits, toTurnsKey } from "../train/expected-difficulty.ts";

/** By the key of a conversation. */
export function readHeldOutDifficulties(): ReadonlyMap<string, number> {
	return new Map(
		holdOutFits().prompts.map(({ example: { row, recorded }, expected }) => [
			toTurnsKey(row?.turns ?? recorded?.turns ?? []),
			expected,
		]),
	);
}

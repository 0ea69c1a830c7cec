// Words of many languages that say what a prompt asks for, found by their hashes. Pure; the words are in cues.json.

import { hashUnits } from "../../text/hash.ts";
import { isSpaceless, scriptIndex } from "../../text/scripts.ts";
import cueWords from "./cues.json" with { type: "json" };
import { MaskTable } from "./mask-table.ts";

/** Names of the cues. A set of cues is a bit mask by position here. */
export const CUES = Object.keys(cueWords);

/** Longest word of a script without spaces. */
export const MAX_SPACELESS_CUE = 8;

const words = new MaskTable();
const prefixes = new MaskTable();
const spaceless = new MaskTable();

for (const [position, lines] of Object.values(cueWords).entries()) {
	for (const word of lines.flatMap((line) => line.split(" "))) {
		const mask = 1 << position;
		if (isSpaceless(scriptIndex(word.charCodeAt(0)))) spaceless.add(hashUnits(word), mask);
		else if (word.endsWith("*")) prefixes.add(hashUnits(word.slice(0, -1)), mask);
		else words.add(hashUnits(word), mask);
	}
}

/** The cues of a word with this hash. */
export function wordCues(hash: number): number {
	return words.get(hash);
}

/** The cues of every word that starts with what has this hash. */
export function prefixCues(hash: number): number {
	return prefixes.get(hash);
}

/** The cues of what has this hash, wherever it occurs in a script without spaces. */
export function spacelessCues(hash: number): number {
	return spaceless.get(hash);
}

// Regular expressions of rules, in RE2 syntax and time linear in the text. Loaded on first use (load.ts).

import { RE2JS } from "re2js";
import { clipMiddle } from "../clip.ts";

/** Characters looked at from each end of a text; what a match costs grows with text and program. */
export const MATCHED_CHARS = 16_384;
/** Instructions of the programs of one config together; a pattern of a dozen words has about a hundred. */
const MAX_PROGRAM = 2_000;

/** Checks the patterns of one config, in order; answers what is wrong with one, or null. */
export function patternChecker(): (pattern: string) => string | null {
	let room = MAX_PROGRAM;
	return (pattern) => {
		// Once over the limit nothing more is compiled: compiling is what a stranger could make dear.
		if (room <= 0) return "the patterns before this one have used up what patterns may take";
		try {
			room -= RE2JS.compile(pattern).programSize();
		} catch (error) {
			const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
			return `is no regular expression in RE2 syntax${why ? ` (${why.slice(0, 160)})` : ""}`;
		}
		return room < 0
			? `the patterns of a config may take ${MAX_PROGRAM} instructions together; this one goes beyond`
			: null;
	};
}

/**
 * Whether a pattern matches somewhere in a text. Compiled for each use, which takes far less than the up to 8 MiB of
 * states that a compiled one gathers and a cache would keep.
 */
export function matchesPattern(pattern: string, text: string): boolean {
	return RE2JS.compile(pattern).test(clipMiddle(text, MATCHED_CHARS));
}

// The rules' regular expressions: RE2 syntax, time linear in the text. Loaded on first use (load.ts).
import { RE2JS } from "re2js";
import { clipMiddle } from "../clip.ts";

/** Characters of each end of a text that are searched. The time of a match grows with text and program. */
const MATCHED_CHARS = 16_384;
/** Instructions of all programs of one config. A pattern of a dozen words has about a hundred. */
const MAX_PROGRAM_SIZE = 2_000;

/** Checks the patterns of one config in order. The function returns what is wrong with a pattern, or null. */
export function patternChecker(): (pattern: string) => string | null {
	let remaining = MAX_PROGRAM_SIZE;
	return (pattern) => {
		// Over the limit, nothing more is compiled, because compilation is what could be made expensive.
		if (remaining <= 0) return "the patterns before this one have used up what patterns may take";
		try {
			remaining -= RE2JS.compile(pattern).programSize();
		} catch (error) {
			const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
			return `is no regular expression in RE2 syntax${why ? ` (${why.slice(0, 160)})` : ""}`;
		}
		return remaining < 0
			? `the patterns of a config may take ${MAX_PROGRAM_SIZE} instructions together; this one goes beyond`
			: null;
	};
}

/**
 * Whether a pattern matches somewhere in a text. The pattern is compiled for each use. A cache of compiled patterns would
 * hold their states, which are up to 8 MiB each.
 */
export function matchesPattern(pattern: string, text: string): boolean {
	return RE2JS.compile(pattern).test(clipMiddle(text, MATCHED_CHARS));
}

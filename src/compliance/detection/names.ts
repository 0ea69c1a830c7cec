// Given names, and words that are no names. The lists are in lists/.
import GIVEN_NAMES from "./lists/given-names.json" with { type: "json" };
import NOT_NAMES from "./lists/not-names.json" with { type: "json" };

/** Given names in lower case: common in several countries, and hardly ever another word. */
export const givenNames: ReadonlySet<string> = new Set(GIVEN_NAMES);

/**
 * Words in lower case that stand capitalised beside others and name nobody: places, institutions, calendars, titles, the
 * first words of sentences.
 */
export const notNames: ReadonlySet<string> = new Set(NOT_NAMES);

/** Whether two capitalised words name somebody: neither is a place, an institution, a day or a title. */
export function isFullName(value: string): boolean {
	return !value.split(/[ ,]+/).some((word) => notNames.has(word.toLowerCase()) || /name$/i.test(word));
}

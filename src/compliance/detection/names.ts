// The shape of a full name, and words that are no names. The list is in lists/.
import NOT_NAMES from "./lists/not-names.json" with { type: "json" };

/**
 * Words in lower case that stand capitalised beside others and name nobody: places, institutions, calendars, titles, the
 * first words of sentences.
 */
export const notNames: ReadonlySet<string> = new Set(NOT_NAMES);

/** A first name and a surname in a script that has capitals. */
export const FULL_NAME =
	"\\p{Lu}\\p{Ll}[\\p{L}'’-]{0,20}(?: \\p{Lu}\\.)?(?: (?:van|von|de|da|del|di|el|al|bin|der|ten|dos)){0,2} \\p{Lu}\\p{Ll}[\\p{L}'’-]{0,22}";

/** Whether two capitalised words name somebody: neither is a place, an institution, a day or a title. */
export function isFullName(value: string): boolean {
	return !value.split(/[ ,]+/).some((word) => notNames.has(word.toLowerCase()) || /name$/i.test(word));
}

const GERMAN_WORD =
	/\b(?:der|die|das|und|ist|hat|hatte|wurde|bei|wegen|ein|eine[nrms]?|seit|mit|für|nicht|vom?|am|zum|zur|leidet|nimmt|braucht|bekommt)\b/;

/** Whether a text is German, where nouns are capitalised: two capitalised words in a row are mostly no name. */
export function isGerman(text: string): boolean {
	return GERMAN_WORD.test(text);
}

// Decides whom a sentence about health is about, by names, roles and pronouns.
import { FIRST_PERSON, PEOPLE_BY_ROLE } from "./clinical-signs.ts";
import { isClinicalWord } from "./clinical-terms.ts";
import { KNOWN_PERSON, OWN_PEOPLE } from "./health-subjects.ts";
import { FULL_NAME, isFullName, isGerman } from "./names.ts";

const FIRST_PERSONS = /\b(?:i|ich|ik|jag|jeg|je|j)(?![\p{L}\d])/gu;
const NAMES = new RegExp(`(?<![\\p{L}\\d])${FULL_NAME}(?![\\p{L}\\d])`, "gu");
const TITLE_AND_SURNAME =
	/(?<!\p{L})(?:Mr|Mrs|Ms|Miss|Mx|Herrn?|Frau|Mme|M\.|Monsieur|Madame|Sra?\.|Señora?|Sig\.?|Signora?|Dhr|Mevr|Mevrouw|Meneer|Pani?)\.? \p{Lu}[\p{L}'’-]{2,24}/u;

/** The span of a first name and a surname, neither of them a place, an institution or a word of medicine; null if there are none. */
export function findFullName(text: string): readonly [start: number, end: number] | null {
	const titled = TITLE_AND_SURNAME.exec(text);
	if (titled) return [titled.index, titled.index + titled[0].length];
	if (isGerman(text)) return null;
	for (const { 0: name, index } of text.matchAll(NAMES))
		if (isFullName(name) && !name.toLowerCase().split(" ").some(isClinicalWord)) return [index, index + name.length];
	return null;
}

/** Whom a sentence is about: somebody named or identified by a role, only "he" or "she", or the writer. */
export type SentenceSubject = "known" | "pronoun" | "self";

/**
 * Whom a sentence is about; null for nobody.
 * @param text of the sentence.
 * @param lower the same in lower case.
 */
export function findSubject(text: string, lower: string): SentenceSubject | null {
	const others = lower.replace(FIRST_PERSONS, "");
	if (OWN_PEOPLE.test(others) || PEOPLE_BY_ROLE.test(others) || findFullName(text) !== null) return "known";
	if (KNOWN_PERSON.test(others)) return "pronoun";
	return FIRST_PERSON.test(lower) ? "self" : null;
}

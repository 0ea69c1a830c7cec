// Finds the words of medicine in a lower-cased text, by list, stem and ending, in one pass over its characters.
import endingExceptions from "./lists/clinical-ending-exceptions.json" with { type: "json" };
import clinicalEndings from "./lists/clinical-endings.json" with { type: "json" };
import clinicalWords from "./lists/clinical-words.json" with { type: "json" };

/** The groups of words of medicine. If groups share a word, it belongs to the first of them. */
const CLINICAL_GROUPS = ["condition", "treatment", "medicine", "scale"] as const;
export type ClinicalGroup = (typeof CLINICAL_GROUPS)[number];

/** The groups whose words medicine forms with endings. */
const GROUPS_WITH_ENDINGS = ["condition", "treatment", "medicine"] as const;

/** A word of medicine and its offsets, in UTF-16 units. */
export interface ClinicalTerm {
	readonly group: ClinicalGroup;
	readonly start: number;
	readonly end: number;
}

/** Length of the shortest words formed with an ending: colitis. */
const MIN_CHARS_WITH_ENDING = 7;

const isWordCode = new Uint8Array(0x250);
const isLetterCode = new Uint8Array(0x250);
for (let code = 97; code < 123; code++) isWordCode[code] = isLetterCode[code] = 1;
for (let code = 48; code < 58; code++) isWordCode[code] = 1;
for (let code = 0xdf; code < 0x250; code++) if (code !== 0xf7) isWordCode[code] = isLetterCode[code] = 1;

const groupByWord = new Map<string, ClinicalGroup>();
const stemsByBeginning = new Map<string, { readonly stem: string; readonly group: ClinicalGroup }[]>();
/** The beginnings of three letters in the lists: nearly all words of a text have another and are skipped. */
const hasBeginning = new Uint8Array(1 << 15);

function threeLetterKey(text: string, at: number, length: number): number {
	const third = length > 2 ? text.charCodeAt(at + 2) & 31 : 0;
	return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | third;
}

for (const group of CLINICAL_GROUPS)
	for (const word of clinicalWords[group]) {
		hasBeginning[threeLetterKey(word, 0, word.replace("*", "").length)] = 1;
		if (!word.endsWith("*")) {
			if (!groupByWord.has(word)) groupByWord.set(word, group);
			continue;
		}
		const stem = word.slice(0, -1);
		const known = stemsByBeginning.get(stem.slice(0, 3)) ?? [];
		known.push({ stem, group });
		stemsByBeginning.set(stem.slice(0, 3), known);
	}

/** Endings by their last three letters: nearly all other words have others. */
const endingsByKey = new Map<number, { readonly ending: string; readonly group: ClinicalGroup }[]>();
const hasEnding = new Uint8Array(1 << 15);
for (const group of GROUPS_WITH_ENDINGS)
	for (const ending of clinicalEndings[group]) {
		const key = threeLetterKey(ending, ending.length - 3, 3);
		hasEnding[key] = 1;
		endingsByKey.set(key, [...(endingsByKey.get(key) ?? []), { ending, group }]);
	}

/** Words with such an ending that are not of medicine. */
const notClinical: ReadonlySet<string> = new Set(endingExceptions);

function findGroup(lower: string, start: number, end: number): ClinicalGroup | null {
	const length = end - start;
	if (length < 2 || length > 40) return null;
	let word: string | null = null;
	if (hasBeginning[threeLetterKey(lower, start, length)] === 1) {
		word = lower.slice(start, end);
		const listed = groupByWord.get(word);
		if (listed !== undefined) return listed;
		const stem = stemsByBeginning.get(word.slice(0, 3))?.find((each) => lower.startsWith(each.stem, start));
		if (stem !== undefined && stem.stem.length <= length) return stem.group;
	}
	if (length < MIN_CHARS_WITH_ENDING) return null;
	const key = threeLetterKey(lower, end - 3, 3);
	if (hasEnding[key] !== 1) return null;
	const ending = endingsByKey.get(key)?.find((each) => lower.startsWith(each.ending, end - each.ending.length));
	if (ending === undefined || ending.ending.length > length) return null;
	return notClinical.has(word ?? lower.slice(start, end)) ? null : ending.group;
}

/** Calls `visit` for each word of medicine between two offsets of a lower-cased text, in order. */
export function eachClinicalTerm(
	lower: string,
	visit: (term: ClinicalTerm) => void,
	from = 0,
	length = lower.length,
): void {
	for (let at = from; at < length; at++) {
		const first = lower.charCodeAt(at);
		if (first >= 0x250 || isWordCode[first] !== 1) continue;
		const start = at;
		for (at++; at < length; at++) {
			const code = lower.charCodeAt(at);
			if (code >= 0x250 || isWordCode[code] !== 1) break;
		}
		if (isLetterCode[first] !== 1) continue;
		const group = findGroup(lower, start, at);
		if (group !== null) visit({ group, start, end: at });
	}
}

/** Whether a lower-cased word is one of medicine. */
export function isClinicalWord(word: string): boolean {
	const group = findGroup(word, 0, word.length);
	return group !== null && group !== "scale";
}

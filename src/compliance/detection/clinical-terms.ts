// Finds the words of medicine in a small-lettered text, by list, by stem and by ending, in one pass over its characters.
import endingExceptions from "./lists/clinical-ending-exceptions.json" with { type: "json" };
import clinicalEndings from "./lists/clinical-endings.json" with { type: "json" };
import clinicalWords from "./lists/clinical-words.json" with { type: "json" };

/** What a word of medicine says. Where groups share a word, the first of them has it. */
const CLINICAL_GROUPS = [
	"condition",
	"treatment",
	"medicine",
	"symptom",
	"sensation",
	"measure",
	"department",
	"anatomy",
	"injury",
	"trigger",
] as const;
export type ClinicalGroup = (typeof CLINICAL_GROUPS)[number];

/** The groups of which medicine makes words by their endings. */
const GROUPS_WITH_ENDINGS = ["condition", "treatment", "medicine"] as const;

/** A word of medicine where it stands: offsets of UTF-16 units. */
export interface ClinicalTerm {
	readonly group: ClinicalGroup;
	readonly start: number;
	readonly end: number;
}

/** The shortest word that an ending makes: ramipril, colitis. */
const MIN_ENDING = 7;

const isWordCode = new Uint8Array(0x250);
const isLetterCode = new Uint8Array(0x250);
for (let code = 97; code < 123; code++) isWordCode[code] = isLetterCode[code] = 1;
for (let code = 48; code < 58; code++) isWordCode[code] = 1;
for (let code = 0xdf; code < 0x250; code++) if (code !== 0xf7) isWordCode[code] = isLetterCode[code] = 1;

const groupByWord = new Map<string, ClinicalGroup>();
const stemsByBeginning = new Map<string, { readonly stem: string; readonly group: ClinicalGroup }[]>();
/** Which beginnings of three letters the lists have, so that nearly every word of a text is passed unread. */
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

/** Endings by their last three letters, which tell nearly every other word apart. */
const endingsByKey = new Map<number, { readonly ending: string; readonly group: ClinicalGroup }[]>();
const hasEnding = new Uint8Array(1 << 15);
for (const group of GROUPS_WITH_ENDINGS)
	for (const ending of clinicalEndings[group]) {
		const key = threeLetterKey(ending, ending.length - 3, 3);
		hasEnding[key] = 1;
		endingsByKey.set(key, [...(endingsByKey.get(key) ?? []), { ending, group }]);
	}

/** Words that end like one of medicine and are none. */
const notClinical: ReadonlySet<string> = new Set(endingExceptions);

function findGroup(lower: string, start: number, end: number): ClinicalGroup | undefined {
	const length = end - start;
	if (length < 2 || length > 40) return undefined;
	let word: string | undefined;
	if (hasBeginning[threeLetterKey(lower, start, length)] === 1) {
		word = lower.slice(start, end);
		const listed = groupByWord.get(word);
		if (listed !== undefined) return listed;
		const stem = stemsByBeginning.get(word.slice(0, 3))?.find((each) => lower.startsWith(each.stem, start));
		if (stem !== undefined && stem.stem.length <= length) return stem.group;
	}
	if (length < MIN_ENDING) return undefined;
	const key = threeLetterKey(lower, end - 3, 3);
	if (hasEnding[key] !== 1) return undefined;
	const ending = endingsByKey.get(key)?.find((each) => lower.startsWith(each.ending, end - each.ending.length));
	if (ending === undefined || ending.ending.length > length) return undefined;
	return notClinical.has(word ?? lower.slice(start, end)) ? undefined : ending.group;
}

/** Calls `visit` for each word of medicine in order. The text is in small letters. */
export function eachClinicalTerm(lower: string, visit: (term: ClinicalTerm) => void): void {
	const { length } = lower;
	for (let at = 0; at < length; at++) {
		const first = lower.charCodeAt(at);
		if (first >= 0x250 || isWordCode[first] !== 1) continue;
		const start = at;
		for (at++; at < length; at++) {
			const code = lower.charCodeAt(at);
			if (code >= 0x250 || isWordCode[code] !== 1) break;
		}
		if (isLetterCode[first] !== 1) continue;
		const group = findGroup(lower, start, at);
		if (group !== undefined) visit({ group, start, end: at });
	}
}

/** Whether a small-lettered word is one of medicine. */
export function isClinicalWord(word: string): boolean {
	const group = findGroup(word, 0, word.length);
	return group !== undefined && group !== "trigger";
}

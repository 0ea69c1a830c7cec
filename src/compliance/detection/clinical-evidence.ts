// Weighs what a sentence says of somebody's health: words of medicine, signs of a record, and whether somebody is meant.
import {
	ABOUT_PREPOSITION,
	ANIMALS,
	APPOINTMENT,
	CLINICAL_PHRASES,
	CLINICAL_SIGNS,
	DISTRESS,
	FIRST_PERSON,
	GENERAL_STATEMENT,
	OWN_ORGAN,
	PATIENT_ONLY,
	PEOPLE_BY_ROLE,
	REQUEST,
	STORY_SIGNS,
	TIME_SPAN,
	TOPIC_PREPOSITION,
	TREATMENT_BY_DOCTOR,
	WORK_ON_TOPIC,
} from "./clinical-signs.ts";
import { type ClinicalGroup, type ClinicalTerm, eachClinicalTerm, isClinicalWord } from "./clinical-terms.ts";
import type { Genre } from "./genre.ts";
import { isAttributed, NOT_A_CONDITION } from "./health-statements.ts";
import { KNOWN_PERSON, NOT_ABOUT_SOMEBODY, OWN_PEOPLE } from "./health-subjects.ts";
import type { DataKind } from "./kinds.ts";
import { givenNames, notNames } from "./names.ts";
import { verbose } from "./verbose.ts";

/** A longer sentence is read in pieces. */
const MAX_SENTENCE = 400;
/** Says less than that somebody is ill: "I have HIV" is longer. */
const MIN_SENTENCE = 9;
/** Terms looked at in one sentence; more of them say nothing new. */
const MAX_TERMS = 24;
/** Words before a term that may give it to somebody. */
const MAX_ATTRIBUTION_DISTANCE = 72;
/** A sensation is of a part of the body that stands this near. */
const MAX_BODY_PART_DISTANCE = 32;

const FIRST_PERSONS = /\b(?:i|ich|ik|jag|jeg|je|j)(?![\p{L}\d])/gu;
const FULL_NAME =
	/(?<![\p{L}\d])(\p{Lu}\p{Ll}{1,14})(?: \p{Lu}\.)? (?:(?:van|von|de|da|del|di|el|al|bin|den|der|ten|dos) ){0,2}(\p{Lu}[\p{Ll}'’]{1,20})(?![\p{L}\d])/gu;
const TITLE_AND_SURNAME =
	/(?<!\p{L})(?:Mr|Mrs|Ms|Miss|Mx|Herrn?|Frau|Mme|M\.|Monsieur|Madame|Sra?\.|Señora?|Sig\.?|Signora?|Dhr|Mevr|Mevrouw|Meneer|Pani?)\.? \p{Lu}[\p{L}'’-]{2,24}/u;
const CAPITALISED_WORD = /(?<![\p{L}\d])\p{Lu}\p{Ll}{1,13}(?![\p{L}\d])/gu;

/** The columns of a table about patients, and the keys of a record. */
const TABLE_HEADER =
	/(?:patient|visit|member|student|employee|name|mrn|dob|id)[^\n]{0,80}(?:dx\b|diagnos|condition|complaint|medication|rx\b|allerg|symptom)/;
const TABLE_ROW = /[,;|\t][^\n]{0,200}[,;|\t]/;
const HEALTH_KEY =
	/["'](?:diagnos[ei]s|condition|medications?|allerg(?:y|ies)|symptoms?|chief_?complaint|complaint|rx|dx|comorbidities)["']\s?:\s?\[?["'][^"'\n]{3}/;
const PERSON_KEY =
	/["'](?:\w{0,12}name|patient\w{0,8}|mrn|dob|member\w{0,4}|user\w{0,4}|employee\w{0,4}|subject|age|email)["']\s?:/;

interface Sentence {
	readonly start: number;
	readonly text: string;
	readonly lower: string;
	readonly terms: readonly ClinicalTerm[];
}

interface SentenceFinding {
	readonly kind: DataKind | undefined;
	readonly signs: number;
	readonly hasFullName: boolean;
}

const KIND_BY_GROUP: Readonly<Record<ClinicalGroup, DataKind>> = {
	condition: "diagnosis_context",
	treatment: "diagnosis_context",
	medicine: "prescription",
	symptom: "diagnosis_context",
	sensation: "diagnosis_context",
	anatomy: "diagnosis_context",
	injury: "diagnosis_context",
	measure: "lab_result",
	department: "diagnosis_context",
	trigger: "diagnosis_context",
};

/** Nouns are capitalised there, so that two in a row are no name. */
const GERMAN_WORD =
	/\b(?:der|die|das|und|ist|hat|hatte|wurde|bei|wegen|ein|eine[nrms]?|seit|mit|für|nicht|vom?|am|zum|zur|leidet|nimmt|braucht|bekommt)\b/;

/** Whether a first name and a surname stand in a text, neither of them a place, an institution or a word of medicine. */
function hasFullName(text: string): boolean {
	if (TITLE_AND_SURNAME.test(text)) return true;
	const isGerman = GERMAN_WORD.test(text);
	for (const [, first = "", last = ""] of text.matchAll(FULL_NAME)) {
		const both = [first.toLowerCase(), last.toLowerCase()] as const;
		if (isGerman && !givenNames.has(both[0])) continue;
		if (!both.some((word) => notNames.has(word) || isClinicalWord(word))) return true;
	}
	return false;
}

function hasGivenName(text: string): boolean {
	return (text.match(CAPITALISED_WORD) ?? []).some((word) => givenNames.has(word.toLowerCase()));
}

/** What a sentence has of each group, each word once. */
function countWords({ lower, terms, start }: Sentence): (...groups: ClinicalGroup[]) => number {
	const words = new Map<ClinicalGroup, Set<string>>();
	for (const { group, start: from, end } of terms) {
		const known = words.get(group) ?? new Set();
		words.set(group, known.add(lower.slice(from - start, Math.min(end - start, from - start + 5))));
	}
	return (...groups) => groups.reduce((sum, group) => sum + (words.get(group)?.size ?? 0), 0);
}

/** Who a sentence is about: somebody known, only "he" or "she", the writer, or nobody. */
type Subject = "known" | "pronoun" | "self" | undefined;

function findSubject({ text, lower }: Sentence): Subject {
	const others = lower.replace(FIRST_PERSONS, "");
	if (OWN_PEOPLE.test(others) || PEOPLE_BY_ROLE.test(others) || hasFullName(text) || hasGivenName(text)) return "known";
	if (KNOWN_PERSON.test(others)) return "pronoun";
	return FIRST_PERSON.test(lower) ? "self" : undefined;
}

/** Behind a part of the body: an end or a small word, not the rest of a name such as "finger food". */
const BODY_PART_END =
	/^(?:$|(?!['’]s|-)[^\p{L}\d\s]|\s(?!of\b|food\b)\p{L}{1,4}(?!\p{L})|\s(?:after|while|during|yester|playing|since|falling|again|because|badly|hurts?|gebro|désde|depuis|desde|gestern))/u;

/** Whether a part of the body stands near a word of another group; "arm's length" is none. */
function isNearBodyPart({ lower, terms, start }: Sentence, group: ClinicalGroup): boolean {
	return terms.some(
		(part) =>
			part.group === "anatomy" &&
			BODY_PART_END.test(lower.slice(part.end - start, part.end - start + 16)) &&
			terms.some((other) => other.group === group && Math.abs(other.start - part.start) <= MAX_BODY_PART_DISTANCE),
	);
}

/** Symptoms that are a patient's: two, or one with where or since when. */
function hasPatientSymptoms(sentence: Sentence, count: ReturnType<typeof countWords>): boolean {
	const { lower } = sentence;
	const symptoms = count("symptom");
	if (symptoms >= 2 || DISTRESS.test(lower)) return true;
	if (symptoms === 1) return count("sensation", "anatomy", "measure", "medicine") > 0 || TIME_SPAN.test(lower);
	if (isNearBodyPart(sentence, "injury") || OWN_ORGAN.test(lower)) return true;
	return (
		isNearBodyPart(sentence, "sensation") && (TIME_SPAN.test(lower) || count("sensation") > 1 || count("anatomy") > 1)
	);
}

/** With a medicine and somebody, a prescription wherever it stands. */
const DOSE = /\d ?(?:mg|mcg|µg|ml|units?|iu|ie)\b/;
const INTAKE = /\b(?:tak(?:es?|ing|en)|took|prescribed|given|started|on|rx|nimmt|prend|toma|prende)\b/;
const DIAGNOSIS =
	/\b(?:diagnosed (?:with|as|in)|(?:was|been|is) prescribed|(?:being |is |was )treated for|suffers? from|underwent)\b/;

const STRONG_GROUPS: ReadonlySet<ClinicalGroup> = new Set(["condition", "treatment", "medicine"]);

/** The first strong term that is said of the one who is meant, and not only their topic. */
function findAttributedTerm(sentence: Sentence, who: Subject, isGeneral: boolean): ClinicalTerm | undefined {
	const { lower, text, terms, start } = sentence;
	const isWork = WORK_ON_TOPIC.test(lower);
	return terms.find((term) => {
		if (!STRONG_GROUPS.has(term.group)) return false;
		const at = term.start - start;
		const before = lower.slice(Math.max(0, at - MAX_ATTRIBUTION_DISTANCE), at);
		if (NOT_A_CONDITION.test(text.slice(at))) return false;
		const isTopic = TOPIC_PREPOSITION.test(before);
		if ((isTopic && isWork) || ABOUT_PREPOSITION.test(before)) return false;
		if (who === "self")
			return !isGeneral && !isWork && (isAttributed(before) || (FIRST_PERSON.test(before) && !REQUEST.test(lower)));
		return isGeneral || isWork ? who === "known" && !isTopic && isAttributed(before) : true;
	});
}

function isRecord(signs: number, earlierSigns: number, count: ReturnType<typeof countWords>): boolean {
	const strong = count("condition", "treatment", "medicine", "symptom");
	const all = strong + count("measure", "anatomy", "sensation", "department");
	if (signs >= 3) return true;
	if (signs === 2) return all >= 1;
	return signs === 1 && (strong >= 2 || all >= 3 || (earlierSigns >= 1 && strong >= 1) || earlierSigns >= 2);
}

function evaluateSentence(sentence: Sentence, earlierSigns: number, genre: Genre): SentenceFinding {
	const { text, lower } = sentence;
	const count = countWords(sentence);
	const hasDigit = /[\d/:]/.test(lower);
	const signsFound = CLINICAL_SIGNS.filter((sign) => (hasDigit || sign.source.includes("patient")) && sign.test(lower));
	const signs = signsFound.length;
	const kind =
		genre.isPublished || genre.isExercise
			? findKindInStory(sentence, count, signsFound, earlierSigns)
			: findKind(sentence, count, signs, earlierSigns);
	return { kind, signs, hasFullName: kind !== undefined && hasFullName(text) };
}

/**
 * In news and exercises somebody is always ill: only what a record has counts there, a dose that is taken, and a diagnosis or
 * two illnesses of somebody who is named in full or of somebody's family.
 */
function findKindInStory(
	sentence: Sentence,
	count: ReturnType<typeof countWords>,
	signsFound: readonly RegExp[],
	earlierSigns: number,
): DataKind | undefined {
	const { lower, text, terms } = sentence;
	if (NOT_ABOUT_SOMEBODY.test(lower) || GENERAL_STATEMENT.test(lower)) return undefined;
	if (HEALTH_KEY.test(lower) && PERSON_KEY.test(lower)) return "diagnosis_context";
	const signs = signsFound.filter((sign) => !STORY_SIGNS.includes(sign)).length;
	const strong = count("condition", "treatment", "medicine", "symptom", "measure");
	if (PATIENT_ONLY.test(lower) || (signs >= 1 && signsFound.length >= 2 && strong >= 1)) return mainKind(terms);
	const who = findSubject(sentence);
	if (who === undefined) return undefined;
	if (count("medicine") > 0 && DOSE.test(lower) && INTAKE.test(lower)) return "prescription";
	if (!hasFullName(text) && !OWN_PEOPLE.test(lower)) return undefined;
	const illnesses = count("condition", "treatment", "medicine");
	if (illnesses >= 1 && DIAGNOSIS.test(lower)) return mainKind(terms);
	return illnesses + count("symptom") >= 2 ? findKind(sentence, count, signsFound.length, earlierSigns) : undefined;
}

function findKind(
	sentence: Sentence,
	count: ReturnType<typeof countWords>,
	signs: number,
	earlierSigns: number,
): DataKind | undefined {
	const { lower, terms } = sentence;
	if (NOT_ABOUT_SOMEBODY.test(lower)) return undefined;
	const isGeneral = GENERAL_STATEMENT.test(lower);
	const isPhrase = signs > 0 && CLINICAL_PHRASES.test(lower);
	if (!isGeneral && (isPhrase || isRecord(signs, earlierSigns, count) || PATIENT_ONLY.test(lower)))
		return mainKind(terms);
	if (HEALTH_KEY.test(lower) && PERSON_KEY.test(lower)) return "diagnosis_context";
	const who = findSubject(sentence);
	if (who === undefined || (who !== "known" && ANIMALS.test(lower))) return undefined;
	const term = findAttributedTerm(sentence, who, isGeneral);
	if (term !== undefined) return KIND_BY_GROUP[term.group];
	if (isGeneral || WORK_ON_TOPIC.test(lower)) return undefined;
	if (signs > 0 && count("measure") > 0) return "lab_result";
	return isDescribedAsIll(sentence, who, count) ? "diagnosis_context" : undefined;
}

/** Whether somebody who is meant is told of as ill, or as seen by a doctor, without the name of a condition. */
function isDescribedAsIll(sentence: Sentence, who: Subject, count: ReturnType<typeof countWords>): boolean {
	const { lower, terms } = sentence;
	if (CLINICAL_PHRASES.test(lower) || hasPatientSymptoms(sentence, count) || TREATMENT_BY_DOCTOR.test(lower))
		return true;
	if (who === "known" && terms.some((each) => isAttributedSymptom(sentence, each))) return true;
	return count("department") > 0 && APPOINTMENT.test(lower);
}

function isAttributedSymptom({ lower, start }: Sentence, term: ClinicalTerm): boolean {
	return (
		term.group === "symptom" &&
		isAttributed(lower.slice(Math.max(0, term.start - start - MAX_ATTRIBUTION_DISTANCE), term.start - start))
	);
}

function mainKind(terms: readonly ClinicalTerm[]): DataKind {
	const first = terms.find(({ group }) => STRONG_GROUPS.has(group)) ?? terms.find(({ group }) => group === "measure");
	return KIND_BY_GROUP[first?.group ?? "condition"];
}

/** Whether nothing new can come of a sentence: its kind is known, and it names nobody. */
function isAlreadyKnown({ terms, text }: Sentence, kinds: ReadonlySet<DataKind>): boolean {
	return kinds.has(mainKind(terms)) && (kinds.has("person_name") || !hasFullName(text));
}

/** Ends a sentence; a stop behind an abbreviation does not. What is asked for ends at the colon before what it is asked of. */
const CLINICAL_SENTENCE_END = new RegExp(
	verbose`
		(?<=[\p{Ll}\d)%]{3})[.!?](?=\s)
		|\n
		|(?<=
			\b(?:
				this|these|following|below|question|sentence|text|notes?|letter|e-?mail|message|report|document|article|dutch
				|french|spanish|german|italian|english
			)
		):(?=\s)
	`,
	"gu",
);

/** Adds the kinds that the sentences of a text of some genre give away. Each character is read a bounded number of times. */
export function addClinicalEvidence(text: string, genre: Genre, kinds: Set<DataKind>): void {
	const lowered = text.toLowerCase();
	const original = lowered.length === text.length ? text : lowered;
	let terms: ClinicalTerm[] = [];
	let from = 0;
	let end = -1;
	let earlierSigns = 0;
	let isTable = false;
	const closeSentence = () => {
		const sentence = { start: from, text: original.slice(from, end), lower: lowered.slice(from, end), terms };
		const isShort = terms.length === 0 || end - from < MIN_SENTENCE;
		terms = [];
		if (isShort || isAlreadyKnown(sentence, kinds)) return;
		const { kind, signs, hasFullName: names } = evaluateSentence(sentence, earlierSigns, genre);
		const isRow = isTable && sentence.terms.some(({ group }) => group !== "trigger" && group !== "anatomy");
		if (kind !== undefined || isRow) kinds.add(kind ?? mainKind(sentence.terms));
		if (names) kinds.add("person_name");
		isTable =
			TABLE_ROW.test(sentence.lower) && (isTable || (lowered[end] === "\n" && TABLE_HEADER.test(sentence.lower)));
		earlierSigns = signs + (signs > 0 && sentence.terms.some(({ group }) => STRONG_GROUPS.has(group)) ? 1 : 0);
	};
	eachClinicalTerm(lowered, (term) => {
		if (term.start >= end) {
			closeSentence();
			if (end >= 0 && term.start - end > MAX_SENTENCE) {
				earlierSigns = 0;
				isTable = false;
			}
			from = findSentenceStart(lowered, term.start, Math.max(0, end));
			end = findSentenceEnd(lowered, term.end, from + MAX_SENTENCE);
		}
		if (terms.length < MAX_TERMS) terms.push(term);
	});
	closeSentence();
}

function findSentenceStart(lower: string, at: number, floor: number): number {
	const from = Math.max(floor, at - MAX_SENTENCE / 2);
	const before = lower.slice(from, at);
	let start = from;
	for (const { index } of before.matchAll(CLINICAL_SENTENCE_END)) start = from + index + 1;
	return start;
}

function findSentenceEnd(lower: string, at: number, limit: number): number {
	const to = Math.max(at, Math.min(lower.length, limit));
	const from = Math.max(0, at - 3);
	const found = lower.slice(from, to).search(CLINICAL_SENTENCE_END);
	return found < 0 ? to : from + found;
}

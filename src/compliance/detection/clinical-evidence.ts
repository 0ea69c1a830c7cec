// Evaluates what a sentence says about somebody's health: words of medicine, signs of a record, and whom it is about.
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
	REQUEST,
	TIME_SPAN,
	TOPIC_PREPOSITION,
	TREATMENT_BY_DOCTOR,
	WORK_ON_TOPIC,
} from "./clinical-signs.ts";
import { type ClinicalGroup, type ClinicalTerm, eachClinicalTerm } from "./clinical-terms.ts";
import type { FindingSink } from "./finding-sink.ts";
import { isAttributed, NOT_A_CONDITION } from "./health-statements.ts";
import { NOT_ABOUT_SOMEBODY } from "./health-subjects.ts";
import type { DataKind } from "./kinds.ts";
import { findFullName, findSubject, type SentenceSubject } from "./sentence-subject.ts";
import type { StretchReader } from "./stretches.ts";
import { verbose } from "./verbose.ts";

/** A longer sentence is read in pieces. */
const MAX_SENTENCE_CHARS = 400;
/** A shorter sentence does not say that somebody is ill: "I have HIV" is longer. */
const MIN_SENTENCE_CHARS = 9;
/** More terms in one sentence say nothing new. */
const MAX_TERMS = 24;
/** How far before a term the words are that may give it to somebody. */
const MAX_ATTRIBUTION_DISTANCE = 72;
/** A sensation or an injury belongs to a part of the body that is this near. */
const MAX_BODY_PART_DISTANCE = 32;

/** The header of a table about patients; its rows; and the keys of a record. */
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

/** What a sentence was found to say. */
interface SentenceFinding {
	/** Null if it says nothing about anybody's health. */
	readonly kind: DataKind | null;
	/** How many signs of a record it has. */
	readonly signs: number;
	/** The full name of somebody that it is about, as a span of the sentence. */
	readonly name: readonly [start: number, end: number] | null;
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

/** How many different words of some groups a sentence has. */
type WordCount = (...groups: ClinicalGroup[]) => number;

function countWords({ lower, terms, start }: Sentence): WordCount {
	const words = new Map<ClinicalGroup, Set<string>>();
	for (const { group, start: from, end } of terms) {
		const known = words.get(group) ?? new Set();
		words.set(group, known.add(lower.slice(from - start, Math.min(end - start, from - start + 5))));
	}
	return (...groups) => groups.reduce((sum, group) => sum + (words.get(group)?.size ?? 0), 0);
}

/** What may follow a part of the body: an end or a short word, not the rest of a name such as "finger food". */
const BODY_PART_END =
	/^(?:$|(?!['’]s|-)[^\p{L}\d\s]|\s(?!of\b|food\b)\p{L}{1,4}(?!\p{L})|\s(?:after|while|during|yester|playing|since|falling|again|because|badly|hurts?|gebro|désde|depuis|desde|gestern))/u;

/** Whether a part of the body is near a word of another group. "arm's length" is not one. */
function isNearBodyPart({ lower, terms, start }: Sentence, group: ClinicalGroup): boolean {
	return terms.some(
		(part) =>
			part.group === "anatomy" &&
			BODY_PART_END.test(lower.slice(part.end - start, part.end - start + 16)) &&
			terms.some((other) => other.group === group && Math.abs(other.start - part.start) <= MAX_BODY_PART_DISTANCE),
	);
}

/** Whether a sentence has the symptoms of a patient: two, or one with where or since when. */
function hasPatientSymptoms(sentence: Sentence, count: WordCount): boolean {
	const { lower } = sentence;
	const symptoms = count("symptom");
	if (symptoms >= 2 || DISTRESS.test(lower)) return true;
	if (symptoms === 1) return count("sensation", "anatomy", "measure", "medicine") > 0 || TIME_SPAN.test(lower);
	if (isNearBodyPart(sentence, "injury") || OWN_ORGAN.test(lower)) return true;
	return (
		isNearBodyPart(sentence, "sensation") && (TIME_SPAN.test(lower) || count("sensation") > 1 || count("anatomy") > 1)
	);
}

const STRONG_GROUPS: ReadonlySet<ClinicalGroup> = new Set(["condition", "treatment", "medicine"]);

/** The first strong term that the sentence says of its subject, and that is not only a topic. */
function findAttributedTerm(sentence: Sentence, subject: SentenceSubject, isGeneral: boolean): ClinicalTerm | null {
	const { lower, text, terms, start } = sentence;
	const isWork = WORK_ON_TOPIC.test(lower);
	const attributed = terms.find((term) => {
		if (!STRONG_GROUPS.has(term.group)) return false;
		const at = term.start - start;
		const before = lower.slice(Math.max(0, at - MAX_ATTRIBUTION_DISTANCE), at);
		if (NOT_A_CONDITION.test(text.slice(at))) return false;
		const isTopic = TOPIC_PREPOSITION.test(before);
		if ((isTopic && isWork) || ABOUT_PREPOSITION.test(before)) return false;
		if (subject === "self")
			return !isGeneral && !isWork && (isAttributed(before) || (FIRST_PERSON.test(before) && !REQUEST.test(lower)));
		return isGeneral || isWork ? subject === "known" && !isTopic && isAttributed(before) : true;
	});
	return attributed ?? null;
}

/** Whether the signs and words of a sentence, and the signs of the one before, make it part of a record. */
function isRecord(signs: number, earlierSigns: number, count: WordCount): boolean {
	const strong = count("condition", "treatment", "medicine", "symptom");
	const all = strong + count("measure", "anatomy", "sensation", "department");
	if (signs >= 3) return true;
	if (signs === 2) return all >= 1;
	return signs === 1 && (strong >= 2 || all >= 3 || (earlierSigns >= 1 && strong >= 1) || earlierSigns >= 2);
}

function evaluateSentence(sentence: Sentence, earlierSigns: number): SentenceFinding {
	const { text, lower } = sentence;
	const count = countWords(sentence);
	const hasDigit = /[\d/:]/.test(lower);
	const signs = CLINICAL_SIGNS.filter(
		(sign) => (hasDigit || sign.source.includes("patient")) && sign.test(lower),
	).length;
	const kind = findKind(sentence, count, signs, earlierSigns);
	return { kind, signs, name: kind === null ? null : findFullName(text) };
}

function findKind(sentence: Sentence, count: WordCount, signs: number, earlierSigns: number): DataKind | null {
	const { text, lower, terms } = sentence;
	if (NOT_ABOUT_SOMEBODY.test(lower)) return null;
	const isGeneral = GENERAL_STATEMENT.test(lower);
	const isPhrase = signs > 0 && CLINICAL_PHRASES.test(lower);
	if (!isGeneral && (isPhrase || isRecord(signs, earlierSigns, count) || PATIENT_ONLY.test(lower)))
		return mainKind(terms);
	if (HEALTH_KEY.test(lower) && PERSON_KEY.test(lower)) return "diagnosis_context";
	const subject = findSubject(text, lower);
	if (subject === null || (subject !== "known" && ANIMALS.test(lower))) return null;
	const term = findAttributedTerm(sentence, subject, isGeneral);
	if (term !== null) return KIND_BY_GROUP[term.group];
	if (isGeneral || WORK_ON_TOPIC.test(lower)) return null;
	if (signs > 0 && count("measure") > 0) return "lab_result";
	return isDescribedAsIll(sentence, subject, count) ? "diagnosis_context" : null;
}

/** Whether a sentence describes its subject as ill, or as seen by a doctor, without naming a condition. */
function isDescribedAsIll(sentence: Sentence, subject: SentenceSubject, count: WordCount): boolean {
	const { lower, terms } = sentence;
	if (CLINICAL_PHRASES.test(lower) || hasPatientSymptoms(sentence, count) || TREATMENT_BY_DOCTOR.test(lower))
		return true;
	if (subject === "known" && terms.some((term) => isAttributedSymptom(sentence, term))) return true;
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

/** Adds a finding that spans the words of medicine in a sentence, from the first to the last. */
function addTerms(terms: readonly ClinicalTerm[], kind: DataKind, sink: FindingSink): void {
	const [first] = terms;
	const last = terms.at(-1);
	if (first !== undefined && last !== undefined) sink.add(kind, first.start, last.end);
}

/** The end of a sentence, but not a full stop after an abbreviation. A request ends at the colon before the text that it is about. */
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

/**
 * Adds what the sentences of a text say about somebody's health, as far as it is called to read. Each character is read a
 * bounded number of times.
 */
export function createClinicalReader(text: string, sink: FindingSink): StretchReader {
	const lowered = text.toLowerCase();
	const original = lowered.length === text.length ? text : lowered;
	let terms: ClinicalTerm[] = [];
	let from = 0;
	let end = -1;
	let earlierSigns = 0;
	let isTable = false;
	const closeSentence = () => {
		const sentence = { start: from, text: original.slice(from, end), lower: lowered.slice(from, end), terms };
		const isShort = terms.length === 0 || end - from < MIN_SENTENCE_CHARS;
		terms = [];
		if (isShort) return;
		const { kind, signs, name } = evaluateSentence(sentence, earlierSigns);
		const isRow = isTable && sentence.terms.some(({ group }) => group !== "trigger" && group !== "anatomy");
		if (kind !== null || isRow) addTerms(sentence.terms, kind ?? mainKind(sentence.terms), sink);
		if (name !== null) sink.add("person_name", from + name[0], from + name[1]);
		isTable =
			TABLE_ROW.test(sentence.lower) && (isTable || (lowered[end] === "\n" && TABLE_HEADER.test(sentence.lower)));
		earlierSigns = signs + (signs > 0 && sentence.terms.some(({ group }) => STRONG_GROUPS.has(group)) ? 1 : 0);
	};
	const addTerm = (term: ClinicalTerm) => {
		if (term.start >= end) {
			closeSentence();
			if (end >= 0 && term.start - end > MAX_SENTENCE_CHARS) {
				earlierSigns = 0;
				isTable = false;
			}
			from = findSentenceStart(lowered, term.start, Math.max(0, end));
			end = findSentenceEnd(lowered, term.end, from + MAX_SENTENCE_CHARS);
		}
		if (terms.length < MAX_TERMS) terms.push(term);
	};
	let readTo = 0;
	return (to) => {
		eachClinicalTerm(lowered, addTerm, readTo, to);
		readTo = to;
		if (to === lowered.length) closeSentence();
	};
}

function findSentenceStart(lower: string, at: number, floor: number): number {
	const from = Math.max(floor, at - MAX_SENTENCE_CHARS / 2);
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

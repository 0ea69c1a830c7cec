// Evaluates what a sentence says about somebody's health: words of medicine, whom it is about, and whether it is general.
import {
	ABOUT_PREPOSITION,
	ANIMALS,
	CLINIC,
	DOSE,
	FIRST_PERSON,
	GENERAL_STATEMENT,
	NOT_A_CONDITION,
	PATIENT_ONLY,
	WORK_ON_TOPIC,
} from "./clinical-signs.ts";
import { type ClinicalGroup, type ClinicalTerm, eachClinicalTerm } from "./clinical-terms.ts";
import type { FindingSink } from "./finding-sink.ts";
import { NOT_ABOUT_SOMEBODY, SOMEBODY } from "./health-subjects.ts";
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
/** How far before a sentence the words of a clinic may stand. */
const MAX_CLINIC_DISTANCE = 96;

interface Sentence {
	readonly start: number;
	readonly text: string;
	readonly lower: string;
	/** In lower case, with what stands before it. */
	readonly around: string;
	readonly terms: readonly ClinicalTerm[];
}

const KIND_BY_GROUP: Readonly<Record<ClinicalGroup, DataKind>> = {
	condition: "diagnosis_context",
	treatment: "diagnosis_context",
	medicine: "prescription",
	scale: "diagnosis_context",
};

/** The first term that the sentence says of its subject, and that is not only a topic. */
function findAttributedTerm({ lower, text, terms, start }: Sentence, subject: SentenceSubject): ClinicalTerm | null {
	const attributed = terms.find((term) => {
		const at = term.start - start;
		const before = lower.slice(Math.max(0, at - MAX_ATTRIBUTION_DISTANCE), at);
		if (term.group === "scale" || NOT_A_CONDITION.test(text.slice(at)) || ABOUT_PREPOSITION.test(before)) return false;
		return subject !== "self" || FIRST_PERSON.test(before);
	});
	return attributed ?? null;
}

/** What a sentence says about somebody's health; null if it says nothing. */
function findKind(sentence: Sentence): DataKind | null {
	const { text, lower, around, terms } = sentence;
	if (NOT_ABOUT_SOMEBODY.test(lower) || GENERAL_STATEMENT.test(lower)) return null;
	const named = terms.find(({ group }) => group !== "scale");
	if (PATIENT_ONLY.test(lower)) return KIND_BY_GROUP[named?.group ?? "scale"];
	if (named?.group === "medicine" && DOSE.test(lower)) return "prescription";
	if (named !== undefined && CLINIC.test(around) && SOMEBODY.test(around)) return KIND_BY_GROUP[named.group];
	const subject = findSubject(text, lower);
	if (subject === null || (subject !== "known" && ANIMALS.test(lower)) || WORK_ON_TOPIC.test(lower)) return null;
	const term = findAttributedTerm(sentence, subject);
	return term && KIND_BY_GROUP[term.group];
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
	const closeSentence = () => {
		const [first] = terms;
		const last = terms.at(-1);
		if (first === undefined || last === undefined || end - from < MIN_SENTENCE_CHARS) return;
		const around = lowered.slice(Math.max(0, from - MAX_CLINIC_DISTANCE), end);
		const said = original.slice(from, end);
		const kind = findKind({ start: from, text: said, lower: lowered.slice(from, end), around, terms });
		if (kind === null) return;
		sink.add(kind, first.start, last.end);
		const name = findFullName(said);
		if (name !== null) sink.add("person_name", from + name[0], from + name[1]);
	};
	const addTerm = (term: ClinicalTerm) => {
		if (term.start >= end) {
			closeSentence();
			terms = [];
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

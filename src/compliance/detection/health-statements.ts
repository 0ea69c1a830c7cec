// Finds statements about somebody's health: a person, a verb that gives them a medical term, and the term.

import type { FindingSink } from "./finding-sink.ts";
import { KNOWN_PERSON, NOT_ABOUT_SOMEBODY } from "./health-subjects.ts";
import type { DataKind } from "./kinds.ts";
import verbs from "./lists/health-verbs.json" with { type: "json" };
import {
	CONDITION_STEMS,
	CONDITIONS,
	MEDICINE_CLASSES,
	MEDICINES,
	SPECIALISTS,
	STAYS,
	TREATMENTS,
} from "./medical-terms.ts";
import { givenNames } from "./names.ts";
import type { StretchReader } from "./stretches.ts";
import { verbose } from "./verbose.ts";
import { findWordEnd } from "./words.ts";

/** Terms of one sort, and what precedes a term that is somebody's. */
interface StatementPattern {
	readonly kind: DataKind;
	/** Global, for a lower-cased text: ignoring case would take twice as long. */
	readonly terms: RegExp;
	/** Matched against the lower-cased words before a term. */
	readonly before: RegExp;
	/** Matched against the text from the term on. Where it matches, the term is something else. */
	readonly unless?: RegExp;
}

/** Before conditions. */
const CONDITION_VERBS = verbs.having.join("|");
/** Before medicines. */
const MEDICINE_VERBS = verbs.taking.join("|");
/** Before treatments, operations and aids. */
const TREATMENT_VERBS = [...verbs.having, ...verbs.undergoing].join("|");
/** Before doctors by what they treat. */
const VISIT_VERBS = verbs.visiting.join("|");

/** Possessives. */
const OWN = "(?:my|her|his|meine?[nrms]?|seine?[nrms]?|mon|ma|mi|mio|mia|meu|minha|mijn|min|mitt|moja|mój)";

/** Between a verb and its term: at most six words, none of which makes the term a topic. */
const VERB_TO_TERM = verbose`
	(?:
		(?!
			(?:
				about|questions?|whether|why|how|papers?|books?|films?|articles?|games?|course|class|lecture|company|startup
				|making|implement|design|writing|named|called|über|sobre|não|nicht|no|not|n[’']t|never
			)\b
		)[^\s.!?;:]{1,20}[\s]
	){0,6}[^\s.!?;:]{0,16}$
`;

const precededBy = (verbs: string) =>
	new RegExp(
		`(?:(?:(?<![\\p{L}\\d])(?:${verbs})|['’](?:s|m|ve))\\s${VERB_TO_TERM}|(?<![\\p{L}\\d])${OWN} (?:\\S{1,16} )?\\S{0,16}$)`,
		"u",
	);

/** A term followed by these is nobody's condition: its research, its ward, its dashboard. */
export const NOT_A_CONDITION = new RegExp(
	verbose`
		^[\p{L}'’-]{2,30}(?: (?:\p{L}{3,12} )?)?(?:
			research|hospital|awareness|charit|cent(?:er|re)s?\b|classif|detect|predict|data|models?\b|app\b|projects?\b
			|dashboard|essay|thesis|articles?\b|ward\b|nurse|specialist|foundation|stud(?:y|ies)\b|quiz|fund|width|colou?r
			|style|registry|website|campaign|chatbot|simulat|in (?:mice|rats|dogs|cats)
		)
	`,
	"iu",
);

const ATTRIBUTION = precededBy(`${TREATMENT_VERBS}|${MEDICINE_VERBS}`);

/** Whether the lower-cased words before a term give it to somebody, by a verb or a possessive. */
export function isAttributed(before: string): boolean {
	return ATTRIBUTION.test(before);
}

/** Compiles terms with the letters of these languages in place of Unicode's classes, which would take four times as long. */
function toTermPattern(source: string): RegExp {
	return new RegExp(source.replaceAll("\\p{L}", "[a-z\\u00df-\\u024f]"), "g");
}

const STATEMENTS: readonly StatementPattern[] = [
	{
		kind: "diagnosis_context",
		terms: toTermPattern(`\\b(?:${CONDITIONS})|(?:${CONDITION_STEMS})`),
		before: precededBy(CONDITION_VERBS),
		unless: NOT_A_CONDITION,
	},
	{
		kind: "prescription",
		terms: toTermPattern(`\\b(?:${MEDICINES})\\b|\\b(?:${MEDICINE_CLASSES})`),
		before: precededBy(MEDICINE_VERBS),
		unless: NOT_A_CONDITION,
	},
	{
		kind: "diagnosis_context",
		terms: toTermPattern(TREATMENTS),
		before: precededBy(TREATMENT_VERBS),
		unless: NOT_A_CONDITION,
	},
	{
		kind: "diagnosis_context",
		terms: toTermPattern(`\\b(?:${SPECIALISTS})`),
		before: precededBy(VISIT_VERBS),
		unless: /^\p{L}{4,24} (?:friend|colleague|character|salary|role|app\b|website)/iu,
	},
	{ kind: "diagnosis_context", terms: toTermPattern(STAYS), before: /(?:)/ },
];

const CHARS_BEFORE_TERM = 112;
const CHARS_AFTER_TERM = 96;
/** The verb is this near. */
const MAX_VERB_DISTANCE = 72;
/** A term this near after another has the same words around it and is skipped. */
const MIN_TERM_DISTANCE = 32;

/** A term that begins in a stretch may end this far beyond it. */
const LONGEST_TERM = 64;

const ASCII_NAME = /\b[A-Z][a-z]{2,11}\b/g;

/** The end of a sentence, but not a full stop after an abbreviation. */
const SENTENCE_END = /\p{Ll}{3}[.!?][ \n]|\n/u;

/** Whether the words before a term name somebody in particular. */
function isAboutSomebody(sentence: string): boolean {
	if (KNOWN_PERSON.test(sentence.toLowerCase())) return true;
	return (sentence.match(ASCII_NAME) ?? []).some((word) => givenNames.has(word.toLowerCase()));
}

function isStatement(text: string, at: number, { before: said, unless }: StatementPattern): boolean {
	const before = text.slice(Math.max(0, at - CHARS_BEFORE_TERM), at);
	if (!said.test(before.slice(-MAX_VERB_DISTANCE).toLowerCase())) return false;
	const after = text.slice(at, at + CHARS_AFTER_TERM);
	if (unless?.test(after) === true) return false;
	const sentence = before.split(SENTENCE_END).at(-1) ?? before;
	if (!isAboutSomebody(sentence)) return false;
	return !NOT_ABOUT_SOMEBODY.test((before + after).toLowerCase());
}

/** Adds the statements about somebody's health as far as it is called to read. Each term costs a constant. */
export function createHealthStatementReader(text: string, sink: FindingSink): StretchReader {
	const lower = text.toLowerCase();
	// A letter whose lower case has another length shifts the offsets: then only the lower-cased text is read.
	const original = lower.length === text.length ? text : lower;
	const nextByStatement = STATEMENTS.map(() => 0);
	let readTo = 0;
	return (to) => {
		const stretch = lower.slice(readTo, to + LONGEST_TERM);
		for (const [position, statement] of STATEMENTS.entries()) {
			let next = nextByStatement[position] ?? 0;
			for (const { 0: term, index } of stretch.matchAll(statement.terms)) {
				const at = readTo + index;
				if (at >= to) break;
				if (at < next) continue;
				next = at + MIN_TERM_DISTANCE;
				if (isStatement(original, at, statement)) sink.add(statement.kind, at, findWordEnd(original, at + term.length));
			}
			nextByStatement[position] = next;
		}
		readTo = to;
	};
}

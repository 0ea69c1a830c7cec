// Turns a conversation into sparse features: hashed n-grams, cues and measured properties. Training and the service share
// it. Pure.
import { CUES } from "./cues.ts";
import { detectPromptLanguage } from "./languages.ts";
import { measureProperties, PROPERTIES } from "./properties.ts";
import { type Scan, scanText } from "./scan.ts";
import { addFeature, BUCKETS, type FeatureSpace } from "./space.ts";
import { MAX_PRIOR_TURNS, type Turn } from "./turns.ts";

/** Share of an earlier turn's features when the turn after it is short, and when it is long enough to speak for itself. */
const CARRIED_SHORT = 0.6;
const CARRIED_LONG = 0.3;
const SHORT_TURN_CHARS = 120;

/** In a shorter text, the end is not told from the start. */
const TWO_ENDS_CHARS = 120;

/** Scale of n-grams beside cues and properties. */
const NGRAM_SCALE = 1.5;
/** The norm of a shorter text is that of one with this many n-grams. */
const MIN_NGRAMS = 4;

const CUE = { once: 0.5, more: 0.75, edge: 0.5, prior: 1 } as const;

/** Features after the buckets: cues anywhere, near the start, near the end, in the turn before; then properties. */
const CUES_AT = BUCKETS;
const START_CUES_AT = CUES_AT + CUES.length;
const END_CUES_AT = START_CUES_AT + CUES.length;
const PRIOR_CUES_AT = END_CUES_AT + CUES.length;
export const PROPERTIES_AT = PRIOR_CUES_AT + CUES.length;
/** How much there is to read; only difficulty has a weight for it. */
export const SIZE_AT = PROPERTIES_AT + PROPERTIES.length;
/** One for each conversation, however many turns are read; no intent has a weight for it. */
export const OFFSET_AT = SIZE_AT + 1;
/** How many features there are. */
export const FEATURE_COUNT = OFFSET_AT + 1;

/** Longer turns count as this long, because hardly any prompt that was trained on is longer. */
const MAX_SIZE_CHARS = 8_000;
/** What a doubling of the turn before counts beside one of the last turn, and the length from which it does. */
const PRIOR_SIZE = { share: 0.6, chars: 64 } as const;
const SIZE_SCALE = 8;

/** The size of a conversation: the doublings of its last turn and, in part, of the one before. */
function measureSize(last: Turn, before: Turn | undefined): number {
	const chars = Math.min(MAX_SIZE_CHARS, last.chars);
	const priorChars = Math.min(MAX_SIZE_CHARS, before?.chars ?? 0);
	return (Math.log2(1 + chars) + PRIOR_SIZE.share * Math.log2(1 + priorChars / PRIOR_SIZE.chars)) / SIZE_SCALE;
}

/** Adds a feature for each cue of a mask. */
function addCueFeatures(space: FeatureSpace, mask: number, from: number, value: number): void {
	for (let rest = mask >>> 0, at = from; rest !== 0; rest >>>= 1, at++) if (rest & 1) addFeature(space, at, value);
}

/** What was read of a turn. */
interface TurnReading {
	found: Scan;
	/** ISO 639-1 code; null when nothing tells it. */
	language: string | null;
	properties: [property: number, value: number][];
}

/** Adds the features of one turn, times a share. */
function addTurn(space: FeatureSpace, { text, chars }: Turn, share: number): TurnReading {
	space.texts++;
	const gramsAt = space.length;
	const found = scanText(text.toLowerCase(), space);
	const value = (NGRAM_SCALE * share) / Math.sqrt(Math.max(MIN_NGRAMS, space.length - gramsAt));
	space.values.fill(value, gramsAt, space.length);
	addCueFeatures(space, found.cues & ~found.repeatedCues, CUES_AT, CUE.once * share);
	addCueFeatures(space, found.repeatedCues, CUES_AT, CUE.more * share);
	addCueFeatures(space, found.startCues, START_CUES_AT, CUE.edge * share);
	if (text.length > TWO_ENDS_CHARS) addCueFeatures(space, found.endCues, END_CUES_AT, CUE.edge * share);
	const language = detectPromptLanguage(found.scripts, found.languages);
	const properties = measureProperties(text, chars, found, language);
	for (const [property, size] of properties) addFeature(space, PROPERTIES_AT + property, size * share);
	return { found, language, properties };
}

/**
 * Writes the features of a conversation to `space`. An earlier turn's intent is carried to the last one: its features
 * count in part, and its cues once more on their own.
 * @param turns the user's turns, the last one first.
 * @returns what was read of the last turn.
 */
export function extractFeatures([last, ...earlier]: readonly [Turn, ...Turn[]], space: FeatureSpace): TurnReading {
	space.length = 0;
	const reading = addTurn(space, last, 1);
	let share = 1;
	let next = last;
	for (const [age, turn] of earlier.slice(0, MAX_PRIOR_TURNS).entries()) {
		share *= next.chars < SHORT_TURN_CHARS ? CARRIED_SHORT : CARRIED_LONG;
		const { found } = addTurn(space, turn, share);
		if (age === 0) addCueFeatures(space, found.cues, PRIOR_CUES_AT, CUE.prior);
		next = turn;
	}
	addFeature(space, SIZE_AT, measureSize(last, earlier[0]));
	addFeature(space, OFFSET_AT, 1);
	return reading;
}

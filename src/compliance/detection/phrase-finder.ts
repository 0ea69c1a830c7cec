// Finds the phrases of the tables in a text: at a word of one, its pattern and what must be near are checked.
import { FINANCIAL_PHRASES } from "./financial-phrases.ts";
import type { FindingSink } from "./finding-sink.ts";
import { HEALTH_PHRASES } from "./health-phrases.ts";
import type { DataKind } from "./kinds.ts";
import { PERSONAL_PHRASES } from "./personal-phrases.ts";
import type { Phrase } from "./phrase.ts";
import { findWordEnd, Lexicon } from "./words.ts";

/** All tables of phrases as one. */
export const PHRASES: readonly Phrase[] = [...PERSONAL_PHRASES, ...HEALTH_PHRASES, ...FINANCIAL_PHRASES];

const phrases = new Lexicon<Phrase>();
for (const phrase of PHRASES) for (const word of phrase.words) if (/^[a-z0-9]+$/.test(word)) phrases.add(word, phrase);

type TextSpan = readonly [start: number, end: number];

/** No window reaches further back or on. */
const MAX_CHARS_BEFORE = 128;
const MAX_CHARS_AFTER = 512;

/** The span of a pattern's match: at an offset if the pattern is sticky, else the first in a window. */
function matchSpan(pattern: RegExp, text: string, start: number, from: number, to: number): TextSpan | null {
	pattern.lastIndex = start;
	if (pattern.sticky) return pattern.test(text) ? [start, pattern.lastIndex] : null;
	const match = pattern.exec(text.slice(from, to));
	return match && [from + match.index, from + match.index + match[0].length];
}

/** Kinds whose phrases have a label before the value: the finding begins where the value does. */
const LABELLED: ReadonlySet<DataKind> = new Set([
	"mrn",
	"health_plan_id",
	"npi",
	"ndc_code",
	"date_of_birth",
	"ip_address",
	"card_cvv",
	"bank_account",
]);
const VALUE_WITH_DIGIT = /[^\s"'`:=#(|]{0,24}\d/;
const LAST_NAME_IN_PHRASE = /\p{Lu}[\p{L}'’^-]{1,48}$/u;
const NEXT_NAMES = /(?: \p{Lu}[\p{L}'’-]{1,24}){1,2}/uy;

/**
 * The span of what a phrase gives: without its label, and with the rest of its last word.
 * @param word the span of the phrase's word.
 */
function trimPhrase(text: string, { kind, core }: Phrase, [start, end]: TextSpan, word: TextSpan): TextSpan {
	const wordEnd = findWordEnd(text, end);
	// The word is the illness, and the pattern says whose it is.
	if (kind === "diagnosis_context" && core === undefined && (word[1] <= start || word[0] >= end))
		return [word[0], findWordEnd(text, word[1])];
	if (LABELLED.has(kind)) {
		const from = word[1] > start && word[1] < end ? word[1] : start;
		const value = VALUE_WITH_DIGIT.exec(text.slice(from, end));
		return value ? [from + value.index, wordEnd] : [start, wordEnd];
	}
	if (kind !== "person_name") return [start, wordEnd];
	const name = LAST_NAME_IN_PHRASE.exec(text.slice(start, wordEnd));
	NEXT_NAMES.lastIndex = wordEnd;
	return [name ? start + name.index : start, NEXT_NAMES.test(text) ? NEXT_NAMES.lastIndex : wordEnd];
}

/** Finds phrases that start in one stretch of a text. */
export class PhraseFinder {
	readonly #text: string;
	/** The stretch with what windows see around it. */
	readonly #around: string;
	readonly #aroundFrom: number;
	/** Where each core occurs next, so that the stretch is searched for it once, however many words start its phrase. */
	readonly #nextByCore = new Map<RegExp, number>();

	constructor(text: string, from: number, to: number) {
		this.#text = text;
		this.#aroundFrom = Math.max(0, from - MAX_CHARS_BEFORE);
		this.#around = text.slice(this.#aroundFrom, to + MAX_CHARS_AFTER);
	}

	/** Adds the phrases that start at a word. Words come in order. */
	addPhrases(start: number, end: number, sink: FindingSink): void {
		const startingHere = phrases.at(this.#text, start, end);
		if (startingHere === null) return;
		for (const phrase of startingHere) {
			const span = this.#match(phrase, start);
			if (span !== null) sink.add(phrase.kind, ...trimPhrase(this.#text, phrase, span, [start, end]));
		}
	}

	#match({ window: [before, after], core, pattern, near, unless }: Phrase, start: number): TextSpan | null {
		const text = this.#text;
		if (core !== undefined && !this.#hasCore(core, Math.max(0, start - MAX_CHARS_BEFORE), start + after)) return null;
		const from = Math.max(0, start - before);
		const span = matchSpan(pattern, text, start, from, start + after);
		if (span === null) return null;
		const lower = text.slice(from, start + after).toLowerCase();
		return near?.test(lower) !== false && unless?.test(lower) !== true ? span : null;
	}

	/** Whether a core begins between two offsets, which only rise from call to call, except by the length of a window. */
	#hasCore(core: RegExp, from: number, to: number): boolean {
		let at = this.#nextByCore.get(core) ?? -1;
		if (at < from) {
			core.lastIndex = from - this.#aroundFrom;
			at = this.#aroundFrom + (core.exec(this.#around)?.index ?? Number.POSITIVE_INFINITY);
			this.#nextByCore.set(core, at);
		}
		return at < to;
	}
}

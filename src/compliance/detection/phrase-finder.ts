// Finds the phrases of the table in a text: at a word of one, its pattern and what must be near are checked.

import { findWordEnd, Lexicon } from "./ascii-words.ts";
import type { FindingSink } from "./finding-sink.ts";
import type { DataKind } from "./kinds.ts";
import { PHRASES, type Phrase } from "./phrases.ts";

const phrases = new Lexicon<Phrase>();
for (const phrase of PHRASES) for (const word of phrase.words) phrases.add(word, phrase);

type TextSpan = readonly [start: number, end: number];

/** Kinds whose phrases have a label before the value: the finding begins where the value does. */
const KINDS_WITH_LABEL: ReadonlySet<DataKind> = new Set(["mrn", "health_plan_id", "ndc_code", "ip_address"]);
const VALUE_WITH_DIGIT = /[^\s"'`:=#(|]{0,24}\d/;
const LAST_NAME_IN_PHRASE = /\p{Lu}[\p{L}'’^-]{1,48}$/u;

/**
 * The span of what a phrase gives: without its label, and with the rest of its last word.
 * @param wordEnd of the phrase's word.
 */
function trimPhrase(text: string, kind: DataKind, [start, end]: TextSpan, wordEnd: number): TextSpan {
	const to = findWordEnd(text, end);
	if (KINDS_WITH_LABEL.has(kind)) {
		const from = wordEnd > start && wordEnd < end ? wordEnd : start;
		const value = VALUE_WITH_DIGIT.exec(text.slice(from, end));
		return [value ? from + value.index : start, to];
	}
	if (kind !== "person_name") return [start, to];
	const name = LAST_NAME_IN_PHRASE.exec(text.slice(start, to));
	return [name ? start + name.index : start, to];
}

/** The span of a phrase around one of its words; null if it is another text. */
function matchPhrase(text: string, { window, pattern, near, unless }: Phrase, at: number): TextSpan | null {
	const from = Math.max(0, at - window[0]);
	const around = text.slice(from, at + window[1]);
	const match = pattern.exec(around);
	if (match === null) return null;
	const lower = around.toLowerCase();
	if (near?.test(lower) === false || unless?.test(lower) === true) return null;
	return [from + match.index, from + match.index + match[0].length];
}

/** Adds the phrases that start at a word. */
export function addPhrases(text: string, start: number, end: number, sink: FindingSink): void {
	for (const phrase of phrases.at(text, start, end) ?? []) {
		const span = matchPhrase(text, phrase, start);
		if (span !== null) sink.add(phrase.kind, ...trimPhrase(text, phrase.kind, span, end));
	}
}

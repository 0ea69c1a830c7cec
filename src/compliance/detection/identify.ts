// Finds the identifiers of the tables in a text: first the shape, then the check digits, then the evidence around it. Reads
// international bank account numbers, too: the country's length, separators, MOD 97-10.

import { isWordAt, type WordAlphabet } from "./ascii-words.ts";
import { iban } from "./checksums.ts";
import { FINANCIAL_IDENTIFIERS } from "./financial-identifiers.ts";
import type { FindingSink } from "./finding-sink.ts";
import { HEALTH_IDENTIFIERS } from "./health-identifiers.ts";
import type { Identifier } from "./identifier.ts";
import ibanLengths from "./lists/iban-lengths.json" with { type: "json" };
import { NATIONAL_NUMBERS } from "./national-numbers.ts";
import { PERSONAL_IDENTIFIERS } from "./personal-identifiers.ts";
import { WORLD_NUMBERS } from "./world-numbers.ts";

const ALL_IDENTIFIERS = [
	...NATIONAL_NUMBERS,
	...WORLD_NUMBERS,
	...PERSONAL_IDENTIFIERS,
	...HEALTH_IDENTIFIERS,
	...FINANCIAL_IDENTIFIERS,
];
const LONGEST_FIRST_WORD = Math.max(...ALL_IDENTIFIERS.map(({ first }) => first[1]));

function groupByLength(begins: "digit" | "letter"): readonly (readonly Identifier[])[] {
	const candidates = ALL_IDENTIFIERS.filter(({ first }) => first[2] === undefined || first[2] === begins);
	return Array.from({ length: LONGEST_FIRST_WORD + 1 }, (_, length) =>
		candidates.filter(({ first: [fewest, most], between }) =>
			between === false ? length === fewest || length === most : length >= fewest && length <= most,
		),
	);
}

/** The identifiers to try at a word, by what it begins with and by its length. */
export const IDENTIFIERS = { digit: groupByLength("digit"), letter: groupByLength("letter") } as const;

const CONTEXT_CHARS_BEFORE = 64;
const CONTEXT_CHARS_AFTER = 40;

/** No identifier is longer. */
const LONGEST_IDENTIFIER = 128;

/** After so many misses around candidates, the whole stretch is searched once: it may not have the words at all. */
const MAX_CONTEXT_MISSES = 64;

/** Looks for context words around spans of one stretch of a text. */
class ContextSearch {
	readonly #missesByWords = new Map<RegExp, number>();
	readonly #text: string;
	#lower: string | null = null;

	readonly #from: number;
	readonly #to: number;

	constructor(text: string, from: number, to: number) {
		this.#text = text;
		this.#from = from - CONTEXT_CHARS_BEFORE;
		this.#to = to + CONTEXT_CHARS_AFTER + LONGEST_IDENTIFIER;
	}

	/** Whether words occur near a span: at most 64 characters before it, 40 after it, or in it. */
	has(words: RegExp, start: number, end: number): boolean {
		const misses = this.#missesByWords.get(words) ?? 0;
		if (misses > MAX_CONTEXT_MISSES) return false;
		if (words.test(lowerContext(this.#text, start, end))) return true;
		this.#missesByWords.set(words, misses + 1);
		if (misses === MAX_CONTEXT_MISSES && this.#isAnywhere(words))
			this.#missesByWords.set(words, Number.NEGATIVE_INFINITY);
		return false;
	}

	/** Whether the stretch is known not to have the words. */
	lacks(words: RegExp): boolean {
		return (this.#missesByWords.get(words) ?? 0) > MAX_CONTEXT_MISSES;
	}

	/** Whether an identifier cannot be found, because the stretch lacks the context that it needs. */
	lacksContextFor({ needs, context }: Identifier): boolean {
		return needs === "context" && context !== undefined && this.lacks(context);
	}

	#isAnywhere(words: RegExp): boolean {
		this.#lower ??= this.#text.slice(Math.max(0, this.#from), this.#to).toLowerCase();
		return words.test(this.#lower);
	}
}

/** The lower-cased text around a span, with the span. A word cut by the edge is left out: its part may be another word. */
export function lowerContext(text: string, start: number, end: number): string {
	let from = Math.max(0, start - CONTEXT_CHARS_BEFORE);
	let to = Math.min(text.length, end + CONTEXT_CHARS_AFTER);
	if (isWordAt(text, from - 1)) while (from < start && isWordAt(text, from)) from++;
	if (isWordAt(text, to)) while (to > end && isWordAt(text, to - 1)) to--;
	return text.slice(from, to).toLowerCase();
}

/** Whether a span is not part of something longer, such as a UUID, a version, a decimal or the local part of a mailbox. */
export function standsAlone(text: string, start: number, end: number): boolean {
	const before = text.charCodeAt(start - 1);
	if ((before === 45 || before === 46) && isWordAt(text, start - 2)) return false;
	if (isWordAt(text, end)) return false;
	const after = text.charCodeAt(end);
	return !(after === 64 || ((after === 45 || after === 46) && isWordAt(text, end + 1)));
}

/** Whether a value written in groups continues in further groups of at least three digits, by the same separator. */
function isInLongerRun(text: string, start: number, wordEnd: number, end: number): boolean {
	if (wordEnd >= end) return false;
	const separator = text.charCodeAt(wordEnd);
	const areDigits = (from: number) => isDigitAt(text, from) && isDigitAt(text, from + 1) && isDigitAt(text, from + 2);
	if (text.charCodeAt(end) === separator && areDigits(end + 1)) return true;
	return text.charCodeAt(start - 1) === separator && areDigits(start - 4);
}

function isDigitAt(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code > 47 && code < 58;
}

/** Properties of a text as a whole. */
export interface TextProfile {
	/** Where it starts and ends without the whitespace around it. */
	readonly start: number;
	readonly end: number;
	/** It consists of values only. */
	readonly isValues: boolean;
}

const MAX_VALUES_LENGTH = 128;

/** Profiles a text. A form field, a cell or a tool's answer may consist of values only. */
export function toTextProfile(text: string): TextProfile {
	const start = text.length - text.trimStart().length;
	const end = text.trimEnd().length;
	const words = end - start > MAX_VALUES_LENGTH ? [] : text.slice(start, end).split(/[\s,;]+/);
	return {
		start,
		end,
		isValues: words.length > 1 && words.every((word) => /\d/.test(word)),
	};
}

/** Whether a value is the whole text, or one of several values that each have check digits. */
function isBare(text: string, start: number, { identifier, end }: IdentifierMatch, profile: TextProfile): boolean {
	if (start === profile.start && end === profile.end) return true;
	if (!profile.isValues || identifier.check === undefined) return false;
	const isSeparated = (character: string) => character === "" || /[\s,;]/.test(character);
	return isSeparated(text.charAt(start - 1)) && isSeparated(text.charAt(end));
}

interface IdentifierMatch {
	readonly identifier: Identifier;
	readonly end: number;
	/** Its digits are part of a longer run of groups: then it needs a context word. */
	readonly isInRun: boolean;
}

function matchIdentifier(
	text: string,
	start: number,
	wordEnd: number,
	identifier: Identifier,
	context: ContextSearch,
): IdentifierMatch | null {
	const { shape, check, refused } = identifier;
	shape.lastIndex = start;
	if (!shape.test(text)) return null;
	const end = shape.lastIndex;
	if (!standsAlone(text, start, end)) return null;
	const isInRun = isInLongerRun(text, start, wordEnd, end);
	if (isInRun && (identifier.context === undefined || context.lacks(identifier.context))) return null;
	if (check === undefined && refused === undefined) return { identifier, end, isInRun };
	const written = end === wordEnd ? text.slice(start, end) : text.slice(start, end).replace(/[^A-Za-z0-9]/g, "");
	const value = shape.ignoreCase ? written.toUpperCase() : written;
	if (refused?.test(value) || check?.(value) === false) return null;
	return { identifier, end, isInRun };
}

/** Whether a word can begin an identifier: it has a digit, or it is short and a digit follows ("DE 136…"). */
function canBeginIdentifier(text: string, end: number, length: number, alphabet: WordAlphabet): boolean {
	if (alphabet !== "letters") return true;
	if (length > 2) return false;
	const next = text.charCodeAt(end);
	return (next === 32 || next === 45) && isDigitAt(text, end + 1);
}

/** Whether an identifier has the context words that it needs; true also if it needs none. */
function hasEvidence(context: ContextSearch, start: number, { identifier, end, isInRun }: IdentifierMatch): boolean {
	if (identifier.needs === "shape" && !isInRun) return true;
	return identifier.context !== undefined && context.has(identifier.context, start, end);
}

/** Adds the identifiers that begin at words of one stretch of a text. */
export class IdentifierFinder {
	readonly #text: string;
	readonly #profile: TextProfile;
	readonly #context: ContextSearch;

	/** @param profile of the text: an identifier can be bare only in a text of values. */
	constructor(text: string, profile: TextProfile, from: number, to: number) {
		this.#text = text;
		this.#profile = profile;
		this.#context = new ContextSearch(text, from, to);
	}

	/** Adds the identifiers that begin at a word. */
	addIdentifiers(start: number, end: number, alphabet: WordAlphabet, sink: FindingSink): void {
		const text = this.#text;
		if (!canBeginIdentifier(text, end, end - start, alphabet)) return;
		const identifiers = IDENTIFIERS[isDigitAt(text, start) ? "digit" : "letter"][end - start];
		if (identifiers === undefined) return;
		const bare: IdentifierMatch[] = [];
		for (const identifier of identifiers) {
			if (this.#context.lacksContextFor(identifier)) continue;
			const match = matchIdentifier(text, start, end, identifier, this.#context);
			if (match === null) continue;
			if (hasEvidence(this.#context, start, match)) sink.add(identifier.kind, start, match.end);
			else if (identifier.needs === "bare" && isBare(text, start, match, this.#profile)) bare.push(match);
		}
		if (bare.length === 0) return;
		// A check digit says more than a shape that any number may have.
		const checked = bare.filter(({ identifier }) => identifier.check !== undefined);
		for (const { identifier, end: to } of checked.length > 0 ? checked : bare) sink.add(identifier.kind, start, to);
	}
}

/** How many characters an IBAN has, by country. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(Object.entries(ibanLengths));

/** Where the IBAN that begins at a word ends, −1 if there is none. One space or hyphen may separate its groups. */
export function findIbanEnd(text: string, start: number): number {
	if (text.charCodeAt(start) < 65) return -1;
	const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
	if (length === undefined) return -1;
	let value = "";
	let at = start;
	while (value.length < length && at < text.length) {
		const character = text.charAt(at);
		if (isWordAt(text, at)) value += character;
		else if ((character !== " " && character !== "-") || !isWordAt(text, at - 1) || value.length < 4) return -1;
		at++;
	}
	return value.length === length && standsAlone(text, start, at) && iban(value.toUpperCase()) ? at : -1;
}

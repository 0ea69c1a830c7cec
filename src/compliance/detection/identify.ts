// Finds identifiers of the table in a text: shape, then check digits, then the evidence around them.
import type { Identifier } from "./identifier.ts";
import { IDENTIFIERS } from "./identifiers.ts";
import type { DataKind } from "./kinds.ts";
import { isWordAt, type WordAlphabet } from "./words.ts";

const CONTEXT_CHARS_BEFORE = 64;
const CONTEXT_CHARS_AFTER = 40;

/** So often words are looked for around candidates in vain before it is asked whether the text has them at all. */
const MAX_CONTEXT_MISSES = 64;

/** Looks for context words near places in one text. */
export class ContextSearch {
	private readonly misses = new Map<RegExp, number>();
	private readonly text: string;
	private lowered: string | undefined;

	constructor(text: string) {
		this.text = text;
	}

	/** Whether words stand near a span: at most 64 characters before it, 40 behind it, or in it. */
	has(words: RegExp, start: number, end: number): boolean {
		const misses = this.misses.get(words) ?? 0;
		if (misses > MAX_CONTEXT_MISSES) return false;
		if (words.test(lowerContext(this.text, start, end))) return true;
		this.misses.set(words, misses + 1);
		if (misses === MAX_CONTEXT_MISSES && this.isAnywhere(words)) this.misses.set(words, Number.NEGATIVE_INFINITY);
		return false;
	}

	/** Whether words are known not to be in the text. */
	lacks(words: RegExp): boolean {
		return (this.misses.get(words) ?? 0) > MAX_CONTEXT_MISSES;
	}

	/** Whether an identifier cannot be found for want of the words that it needs. */
	lacksContextFor({ needs, context }: Identifier): boolean {
		return needs === "context" && context !== undefined && this.lacks(context);
	}

	private isAnywhere(words: RegExp): boolean {
		this.lowered ??= this.text.toLowerCase();
		return words.test(this.lowered);
	}
}

/** The lower-cased text around a span, the span included; a word that the edge would cut is left out, as its part may be another. */
export function lowerContext(text: string, start: number, end: number): string {
	let from = Math.max(0, start - CONTEXT_CHARS_BEFORE);
	let to = Math.min(text.length, end + CONTEXT_CHARS_AFTER);
	if (isWordAt(text, from - 1)) while (from < start && isWordAt(text, from)) from++;
	if (isWordAt(text, to)) while (to > end && isWordAt(text, to - 1)) to--;
	return text.slice(from, to).toLowerCase();
}

/** Whether a span is no part of something longer, such as a UUID, a version, a decimal or the name of a mailbox. */
export function standsAlone(text: string, start: number, end: number): boolean {
	const before = text.charCodeAt(start - 1);
	if ((before === 45 || before === 46) && isWordAt(text, start - 2)) return false;
	if (isWordAt(text, end)) return false;
	const after = text.charCodeAt(end);
	return !(after === 64 || ((after === 45 || after === 46) && isWordAt(text, end + 1)));
}

/** Whether a value written in groups goes on in more groups of three digits or more, by the sign that parts its own. */
function isInLongerRun(text: string, start: number, wordEnd: number, end: number): boolean {
	if (wordEnd >= end) return false;
	const sign = text.charCodeAt(wordEnd);
	const areDigits = (from: number) => isDigitAt(text, from) && isDigitAt(text, from + 1) && isDigitAt(text, from + 2);
	if (text.charCodeAt(end) === sign && areDigits(end + 1)) return true;
	return text.charCodeAt(start - 1) === sign && areDigits(start - 4);
}

function isDigitAt(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code > 47 && code < 58;
}

/** What is known of a text besides its words: where its characters lie, whether it is values and nothing else. */
export interface TextProfile {
	readonly start: number;
	readonly end: number;
	readonly isValues: boolean;
	readonly context: ContextSearch;
}

const MAX_VALUES_LENGTH = 128;

/** A form field, a cell or the answer of a tool has no words but its values. */
export function toTextProfile(text: string): TextProfile {
	const start = text.length - text.trimStart().length;
	const end = text.trimEnd().length;
	const words = end - start > MAX_VALUES_LENGTH ? [] : text.slice(start, end).split(/[\s,;]+/);
	return {
		start,
		end,
		context: new ContextSearch(text),
		isValues: words.length > 1 && words.every((word) => /\d/.test(word)),
	};
}

/** Whether a value fills its text, or is one of several with a check digit of their own. */
function isBare(text: string, start: number, { identifier, end }: IdentifierMatch, extent: TextProfile): boolean {
	if (start === extent.start && end === extent.end) return true;
	if (!extent.isValues || identifier.check === undefined) return false;
	const isSeparated = (character: string) => character === "" || /[\s,;]/.test(character);
	return isSeparated(text.charAt(start - 1)) && isSeparated(text.charAt(end));
}

interface IdentifierMatch {
	readonly identifier: Identifier;
	readonly end: number;
	/** Its digits are part of a longer run of groups, of which it takes a word to tell it. */
	readonly isInRun: boolean;
}

function matchIdentifier(
	text: string,
	start: number,
	wordEnd: number,
	identifier: Identifier,
	context: ContextSearch,
): IdentifierMatch | undefined {
	const { shape, check, refused } = identifier;
	shape.lastIndex = start;
	if (!shape.test(text)) return undefined;
	const end = shape.lastIndex;
	if (!standsAlone(text, start, end)) return undefined;
	const isInRun = isInLongerRun(text, start, wordEnd, end);
	if (isInRun && (identifier.context === undefined || context.lacks(identifier.context))) return undefined;
	if (check === undefined && refused === undefined) return { identifier, end, isInRun };
	const written = end === wordEnd ? text.slice(start, end) : text.slice(start, end).replace(/[^A-Za-z0-9]/g, "");
	const value = shape.ignoreCase ? written.toUpperCase() : written;
	if (refused?.test(value) || check?.(value) === false) return undefined;
	return { identifier, end, isInRun };
}

/** Whether a word can begin an identifier: it holds a digit, or is short and has one behind it ("DE 136…"). */
function canBeginIdentifier(text: string, end: number, length: number, alphabet: WordAlphabet): boolean {
	if (alphabet !== "letters") return true;
	if (length > 2) return false;
	const next = text.charCodeAt(end);
	return (next === 32 || next === 45) && isDigitAt(text, end + 1);
}

/** Whether the words that an identifier asks for stand around it; true also where it needs none. */
function hasEvidence(context: ContextSearch, start: number, { identifier, end, isInRun }: IdentifierMatch): boolean {
	if (identifier.needs === "shape" && !isInRun) return true;
	return identifier.context !== undefined && context.has(identifier.context, start, end);
}

/**
 * Adds the kinds of identifiers that begin at a word.
 * @param extent of the text: only where it is nothing but values can one be bare.
 */
export function addIdentifiers(
	text: string,
	start: number,
	end: number,
	alphabet: WordAlphabet,
	extent: TextProfile,
	seen: Set<DataKind>,
): void {
	if (!canBeginIdentifier(text, end, end - start, alphabet)) return;
	const identifiers = IDENTIFIERS[isDigitAt(text, start) ? "digit" : "letter"][end - start];
	if (identifiers === undefined) return;
	const bare: Identifier[] = [];
	for (const identifier of identifiers) {
		if (seen.has(identifier.kind) || extent.context.lacksContextFor(identifier)) continue;
		const match = matchIdentifier(text, start, end, identifier, extent.context);
		if (match === undefined) continue;
		if (hasEvidence(extent.context, start, match)) seen.add(identifier.kind);
		else if (identifier.needs === "bare" && isBare(text, start, match, extent)) bare.push(identifier);
	}
	if (bare.length === 0) return;
	// A check digit says more than a shape that any number has.
	const checked = bare.filter(({ check }) => check !== undefined);
	for (const { kind } of checked.length > 0 ? checked : bare) seen.add(kind);
}

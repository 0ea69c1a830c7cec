// Reads a text once, character by character: its n-grams, its cues, and counts of what it is made of. Pure.

import { addUnit, HASH_START } from "../../text/hash.ts";
import { HANGUL, isSpaceless, SCRIPTS, scriptIndex } from "../../text/scripts.ts";
import { MAX_SPACELESS_CUE, prefixCues, spacelessCues, wordCues } from "./cues.ts";
import { countLanguages, createLanguageCounts } from "./languages.ts";
import { addGram, type FeatureSpace } from "./space.ts";

/** A cue this close to an end of a text is likely part of the instruction. */
const EDGE_CHARS = 60;

/** Longest prefix that is looked up. */
const MAX_PREFIX = 10;

const GRAM_UNITS = 4;
/** Keep n-grams of different kinds apart. */
const SALT = {
	gram: 0x4444,
	syllables: 0x2222,
	character: 0x1234567,
	pair: 0x55,
	number: 0xd161,
	mark: 0x9999,
	markPair: 0x9998,
} as const;
const WORD_START = 0x3c;
const WORD_END = 0x3e;
const APOSTROPHE = 0x27;
const UNDERSCORE = 0x5f;
const SPACE = 0x20;
const NEWLINE = 0x0a;

/** What the scan of a text finds beside its n-grams. Cues are bit masks. */
export interface Scan {
	cues: number;
	repeatedCues: number;
	startCues: number;
	endCues: number;
	/** Words, or characters in scripts without spaces, by script. */
	scripts: Uint16Array;
	/** Frequent words by language. */
	languages: Uint16Array;
	digits: number;
	newlines: number;
	/** Brackets, operators and other marks that code and formulas are full of. */
	codeMarks: number;
	questionMarks: number;
}

const CODE_MARKS = new Set([..."{}()[]<>=;/\\_`$@#*+^|&%~"].map((mark) => mark.charCodeAt(0)));
const QUESTION_MARKS = new Set([..."?¿？"].map((mark) => mark.charCodeAt(0)));

function isDigit(unit: number): boolean {
	return unit >= 0x30 && unit <= 0x39;
}

function isWordUnit(unit: number): boolean {
	return isDigit(unit) || unit === UNDERSCORE || scriptIndex(unit) >= 0;
}

/** One pass over a text in lower case. Its methods read what starts at a place and return the place after it. */
class Scanner {
	readonly found: Scan = {
		cues: 0,
		repeatedCues: 0,
		startCues: 0,
		endCues: 0,
		scripts: new Uint16Array(SCRIPTS.length),
		languages: createLanguageCounts(),
		digits: 0,
		newlines: 0,
		codeMarks: 0,
		questionMarks: 0,
	};
	readonly #text: string;
	readonly #space: FeatureSpace;

	constructor(text: string, space: FeatureSpace) {
		this.#text = text;
		this.#space = space;
	}

	scan(): Scan {
		const text = this.#text;
		for (let at = 0; at < text.length; ) {
			const unit = text.charCodeAt(at);
			if (unit <= SPACE) {
				if (unit === NEWLINE) this.found.newlines++;
				at++;
			} else if (isSpaceless(scriptIndex(unit))) at = this.#character(at, unit);
			else if (isWordUnit(unit)) at = this.#word(at, unit);
			else at = this.#mark(at, unit);
		}
		return this.found;
	}

	#addCues(mask: number, at: number): void {
		if (mask === 0) return;
		const { found } = this;
		found.repeatedCues |= found.cues & mask;
		found.cues |= mask;
		if (at < EDGE_CHARS) found.startCues |= mask;
		if (at > this.#text.length - EDGE_CHARS) found.endCues |= mask;
	}

	/** A character of a script without spaces: it and its pair with the next one. */
	#character(at: number, unit: number): number {
		const index = scriptIndex(unit);
		this.found.scripts[index] = (this.found.scripts[index] ?? 0) + 1;
		const hash = addUnit(SALT.character, unit);
		addGram(this.#space, hash);
		const next = this.#text.charCodeAt(at + 1);
		if (isSpaceless(scriptIndex(next))) addGram(this.#space, addUnit(hash, next) ^ SALT.pair);
		this.#addCues(this.#spacelessCues(at), at);
		return at + 1;
	}

	/** The cues that start at a place. */
	#spacelessCues(start: number): number {
		let cues = 0;
		let hash = HASH_START;
		const end = Math.min(this.#text.length, start + MAX_SPACELESS_CUE);
		for (let at = start; at < end; at++) {
			hash = addUnit(hash, this.#text.charCodeAt(at));
			cues |= spacelessCues(hash);
		}
		return cues;
	}

	/** A word or number: it, and its grams of four characters. */
	#word(start: number, first: number): number {
		const text = this.#text;
		let hash = HASH_START;
		let cues = 0;
		let digits = 0;
		let end = start;
		for (; end < text.length; end++) {
			const unit = text.charCodeAt(end);
			if (isDigit(unit)) digits++;
			else if (!isWordUnit(unit) && !(unit === APOSTROPHE && scriptIndex(text.charCodeAt(end + 1)) >= 0)) break;
			else if (isSpaceless(scriptIndex(unit))) break;
			hash = addUnit(hash, unit);
			if (end > start && end < start + MAX_PREFIX) cues |= prefixCues(hash);
		}
		this.found.digits += digits;
		const length = end - start;
		if (digits === length) {
			addGram(this.#space, SALT.number + Math.min(length, 4));
			return end;
		}
		const index = scriptIndex(first);
		if (index >= 0) this.found.scripts[index] = (this.found.scripts[index] ?? 0) + 1;
		addGram(this.#space, hash);
		countLanguages(hash, this.found.languages);
		this.#addCues(cues | wordCues(hash), start);
		if (length + 2 > GRAM_UNITS + 1) this.#grams(start, end);
		if (index === HANGUL) this.#syllables(start, end);
		return end;
	}

	/** Grams of four characters of a word between two marks. */
	#grams(start: number, end: number): void {
		const text = this.#text;
		let [a, b, c] = [WORD_START, text.charCodeAt(start), text.charCodeAt(start + 1)];
		for (let at = start + 2; at <= end; at++) {
			const d = at === end ? WORD_END : text.charCodeAt(at);
			addGram(this.#space, addUnit(addUnit(addUnit(addUnit(SALT.gram, a), b), c), d));
			[a, b, c] = [b, c, d];
		}
	}

	/** Pairs of syllables, because Korean words end in many ways. */
	#syllables(start: number, end: number): void {
		const text = this.#text;
		for (let at = start; at + 1 < end; at++)
			addGram(this.#space, addUnit(addUnit(SALT.syllables, text.charCodeAt(at)), text.charCodeAt(at + 1)));
	}

	#mark(at: number, unit: number): number {
		if (CODE_MARKS.has(unit)) this.found.codeMarks++;
		if (QUESTION_MARKS.has(unit)) this.found.questionMarks++;
		addGram(this.#space, addUnit(SALT.mark, unit));
		const next = this.#text.charCodeAt(at + 1);
		if (next > SPACE && !isWordUnit(next)) addGram(this.#space, addUnit(addUnit(SALT.markPair, unit), next));
		return at + 1;
	}
}

/** Reads a text in lower case. Its n-grams are added to `space`. */
export function scanText(text: string, space: FeatureSpace): Scan {
	return new Scanner(text, space).scan();
}

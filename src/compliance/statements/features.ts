// Turns a unit of text into hashed features: words, their pairs, n-grams and shapes. Training and the service share it. Pure.
import { addUnit, HASH_START, mixHash } from "../../text/hash.ts";
import { HANGUL, isSpaceless, LATIN, scriptIndex } from "../../text/scripts.ts";

/** Features are hashed to this many buckets. */
export const STATEMENT_BUCKETS = 1 << 18;

/** More than a unit of the greatest length can have. */
const CAPACITY = 1 << 11;

/** Keep features of different kinds apart. */
const SALT = {
	word: 0x1357,
	pair: 0x2468,
	gram: 0x4444,
	shortGram: 0x3333,
	character: 0x1234567,
	characters: 0x55,
	topic: 0x7091c,
	part: 0x9a47,
	syllables: 0x2222,
	number: 0xd161,
	mark: 0x9999,
	capitals: 0xca95,
} as const;

const WORD_START = 0x3c;
const WORD_END = 0x3e;
const APOSTROPHE = 0x27;
const CURLY_APOSTROPHE = 0x2019;
const SPACE_CODE = 0x20;

/** At the start of a unit, before the first word. */
const NO_WORD = 0x511;

/** Capitalised words are counted up to this many. */
const MAX_CAPITALS = 4;

/** Reads the words of a unit, part by part (topics.ts). */
export interface WordReader {
	/** Begins a unit. */
	begin(): void;
	/** @param mixed a part of the word, hashed. */
	add(mixed: number): void;
	endWord(): void;
	/** Ends the parts of one character of a script without spaces; the last few make a word. */
	endCharacter(): void;
	/** Reports small numbers that say something of the unit; each becomes a feature. */
	eachLevel(report: (level: number) => void): void;
}

/** The features of one unit at a time, each at most once. */
export interface UnitFeatures {
	readonly words: WordReader;
	readonly buckets: Int32Array;
	length: number;
	/** Whether a bucket counts, a bit each: small enough to stay in the fastest cache. */
	readonly counts: Uint32Array;
	/** The last unit in which each bucket occurred. */
	readonly seenIn: Uint32Array;
	/** How many units were read so far. */
	units: number;
}

/** @param counted the buckets that are written; all, if there are none. */
export function createUnitFeatures(words: WordReader, counted: Iterable<number> | null = null): UnitFeatures {
	const counts = new Uint32Array(STATEMENT_BUCKETS / 32);
	if (counted === null) counts.fill(0xffffffff);
	else for (const bucket of counted) counts[bucket >>> 5] = (counts[bucket >>> 5] ?? 0) | (1 << (bucket & 31));
	return {
		words,
		buckets: new Int32Array(CAPACITY),
		length: 0,
		counts,
		seenIn: new Uint32Array(STATEMENT_BUCKETS),
		units: 0,
	};
}

function add(features: UnitFeatures, hash: number): void {
	addMixed(features, mixHash(hash));
}

/** Adds a feature that is a part of a word, too. */
function addPart(features: UnitFeatures, hash: number): void {
	const mixed = mixHash(hash);
	features.words.add(mixed);
	addMixed(features, mixed);
}

function addMixed(features: UnitFeatures, mixed: number): void {
	const bucket = mixed & (STATEMENT_BUCKETS - 1);
	if ((((features.counts[bucket >>> 5] ?? 0) >>> (bucket & 31)) & 1) === 0) return;
	if (features.seenIn[bucket] === features.units || features.length === CAPACITY) return;
	features.seenIn[bucket] = features.units;
	features.buckets[features.length++] = bucket;
}

/** Decimal digits of the scripts that write their own. Those of full width are made ASCII before. */
function isDecimalDigit(unit: number): boolean {
	if (unit < 0x660) return unit >= 0x30 && unit <= 0x39;
	return unit <= 0x669 || (unit >= 0x6f0 && unit <= 0x6f9) || (unit >= 0x966 && unit <= 0x96f);
}

/** Reads one unit. Its methods read what starts at a place and return the place after it. */
class UnitReader {
	readonly #text: string;
	/** As written, to see capitals; null where lower case has another length. */
	readonly #written: string | null;
	readonly #features: UnitFeatures;
	#previous = NO_WORD;
	#capitals = 0;
	#lastWasCapital = false;

	constructor(written: string, features: UnitFeatures) {
		this.#text = written.toLowerCase();
		this.#written = this.#text.length === written.length ? written : null;
		this.#features = features;
	}

	read(): void {
		const text = this.#text;
		for (let at = 0; at < text.length; ) {
			const unit = text.charCodeAt(at);
			const script = scriptIndex(unit);
			if (unit <= SPACE_CODE) at++;
			else if (isDecimalDigit(unit)) at = this.#number(at);
			else if (isSpaceless(script)) at = this.#character(at, unit);
			else if (script >= 0) at = this.#word(at, script);
			else at = this.#mark(at, unit);
		}
		add(this.#features, SALT.capitals + Math.min(MAX_CAPITALS, this.#capitals));
		this.#features.words.eachLevel((level) => add(this.#features, SALT.topic + level));
	}

	#addWord(hash: number): void {
		add(this.#features, hash);
		add(this.#features, addUnit(addUnit(this.#previous, SALT.pair), hash));
		this.#previous = hash;
	}

	/** A number by its shape: how many digits, with a separator or without. */
	#number(start: number): number {
		const text = this.#text;
		let end = start;
		let digits = 0;
		let separators = 0;
		for (; end < text.length; end++) {
			const unit = text.charCodeAt(end);
			if (isDecimalDigit(unit)) digits++;
			else if ((unit === 0x2e || unit === 0x2c) && isDecimalDigit(text.charCodeAt(end + 1))) separators++;
			else break;
		}
		this.#addWord(SALT.number + 16 * Math.min(2, separators) + Math.min(digits, 12));
		this.#lastWasCapital = false;
		return end;
	}

	/** A character of a script without spaces: it, with the next one, and with the next two. */
	#character(at: number, unit: number): number {
		let hash = addUnit(SALT.character, unit);
		addPart(this.#features, hash);
		for (let next = at + 1; next < at + 3 && isSpaceless(scriptIndex(this.#text.charCodeAt(next))); next++) {
			hash = addUnit(hash, this.#text.charCodeAt(next)) ^ SALT.characters;
			addPart(this.#features, hash);
		}
		this.#features.words.endCharacter();
		this.#previous = addUnit(SALT.character, unit);
		return at + 1;
	}

	#word(start: number, script: number): number {
		const text = this.#text;
		let hash = addUnit(HASH_START, SALT.word);
		let end = start;
		for (; end < text.length; end++) {
			const unit = text.charCodeAt(end);
			const isInner = (unit === APOSTROPHE || unit === CURLY_APOSTROPHE) && scriptIndex(text.charCodeAt(end + 1)) >= 0;
			const own = scriptIndex(unit);
			if (!isInner && (own < 0 || isSpaceless(own))) break;
			hash = addUnit(hash, isInner ? APOSTROPHE : unit);
		}
		this.#addWord(hash);
		this.#features.words.add(mixHash(hash));
		if (end - start > 3) this.#grams(start, end, 4, SALT.gram);
		if (script !== LATIN && end - start > 2) this.#grams(start, end, 3, SALT.shortGram);
		if (script === HANGUL) this.#syllables(start, end);
		if (end - start > 4) this.#parts(start, end, 5);
		if (script === LATIN && end - start > 2) this.#parts(start, end, 3);
		this.#features.words.endWord();
		this.#countCapital(start);
		return end;
	}

	/** Capitalised words after the first; two in a row count more, as a full name does. */
	#countCapital(start: number): void {
		const isCapital = this.#written !== null && this.#written.charCodeAt(start) !== this.#text.charCodeAt(start);
		if (isCapital && start > 0) this.#capitals++;
		if (isCapital && this.#lastWasCapital) add(this.#features, SALT.capitals + MAX_CAPITALS + 1);
		this.#lastWasCapital = isCapital;
	}

	/** N-grams of a word between two marks. */
	#grams(start: number, end: number, size: number, salt: number): void {
		const text = this.#text;
		for (let from = start - 1; from + size <= end + 1; from++) {
			let hash: number = salt;
			for (let at = from; at < from + size; at++)
				hash = addUnit(hash, at < start ? WORD_START : at === end ? WORD_END : text.charCodeAt(at));
			addPart(this.#features, hash);
		}
	}

	/** N-grams that say what a word is about, and nothing else. */
	#parts(start: number, end: number, size: number): void {
		const text = this.#text;
		for (let from = start - 1; from + size <= end + 1; from++) {
			let hash: number = SALT.part + size;
			for (let at = from; at < from + size; at++)
				hash = addUnit(hash, at < start ? WORD_START : at === end ? WORD_END : text.charCodeAt(at));
			this.#features.words.add(mixHash(hash));
		}
	}

	/** Pairs of syllables, because Korean words end in many ways. */
	#syllables(start: number, end: number): void {
		const text = this.#text;
		for (let at = start; at + 1 < end; at++)
			addPart(this.#features, addUnit(addUnit(SALT.syllables, text.charCodeAt(at)), text.charCodeAt(at + 1)));
	}

	#mark(at: number, unit: number): number {
		add(this.#features, addUnit(SALT.mark, unit));
		this.#lastWasCapital = false;
		return at + 1;
	}
}

/** Writes the features of a unit. */
export function readUnitFeatures(text: string, features: UnitFeatures): void {
	features.units++;
	features.length = 0;
	features.words.begin();
	new UnitReader(text.normalize("NFKC"), features).read();
}

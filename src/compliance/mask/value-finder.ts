// Finds the values of a set in texts, in one pass however many there are. Pure.

/** Where a value stands in a text. */
interface ValueSpan {
	readonly start: number;
	readonly end: number;
}

/** Where values stand in a text that overlap each other, or one alone. */
interface OverlappingSpan extends ValueSpan {
	/** The end of the first of them. */
	readonly firstEnd: number;
}

/** Beginnings of values are compared by this many UTF-16 units at most. */
const MAX_PREFIX = 3;
const HASH_MASK = 0xffff;

/** Whether a UTF-16 unit belongs to a word of a script that separates words by spaces. */
function isWordUnit(code: number): boolean {
	if (code < 128) return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
	return (code >= 0xc0 && code < 0xe00) || (code >= 0xf00 && code < 0x2000);
}

/** Whether a word goes on over an offset of a text. */
function isInsideWord(text: string, offset: number): boolean {
	if (offset <= 0 || offset >= text.length) return false;
	return isWordUnit(text.charCodeAt(offset - 1)) && isWordUnit(text.charCodeAt(offset));
}

/** Whether a span of a text begins or ends within a word. */
export function cutsWord(text: string, { start, end }: ValueSpan): boolean {
	return isInsideWord(text, start) || isInsideWord(text, end);
}

/** The hash of the last units read, with one more. Of the units before the last three nothing is left in it. */
function addToHash(hash: number, code: number): number {
	return ((hash << 6) ^ code) & HASH_MASK;
}

/** The hash of units of a text. */
function hashAt(text: string, start: number, length: number): number {
	let hash = 0;
	for (let at = start; at < start + length; at++) hash = addToHash(hash, text.charCodeAt(at));
	return hash;
}

/** Values with one beginning, sorted. What is a beginning of a text is found by a search among them, however many there are. */
class SortedValues {
	readonly #values: readonly string[];
	/** For each value the longest other one that it begins with; -1 without any. */
	readonly #shorter: readonly number[];
	readonly #maxLength: number;

	constructor(values: readonly string[]) {
		this.#values = [...values].sort();
		this.#maxLength = Math.max(...values.map(({ length }) => length));
		const open: number[] = [];
		this.#shorter = this.#values.map((value, index) => {
			while (open.length > 0 && !value.startsWith(this.#values[open.at(-1) ?? 0] ?? "")) open.pop();
			const shorter = open.at(-1) ?? -1;
			open.push(index);
			return shorter;
		});
	}

	/** The last value that is not after a text in order; -1 without any. */
	#findLast(text: string): number {
		let low = 0;
		for (let high = this.#values.length; low < high; ) {
			const middle = (low + high) >> 1;
			if ((this.#values[middle] ?? "") <= text) low = middle + 1;
			else high = middle;
		}
		return low - 1;
	}

	/** The longest value that stands at an offset of a text and is accepted there; null without any. */
	find(text: string, start: number, accepts: (value: string, end: number) => boolean): string | null {
		const ahead = text.slice(start, start + this.#maxLength);
		let index = this.#findLast(ahead);
		const last = this.#values[index] ?? "";
		let shared = last.length;
		if (!ahead.startsWith(last)) {
			shared = 0;
			while (ahead.charCodeAt(shared) === last.charCodeAt(shared)) shared++;
		}
		for (; index >= 0; index = this.#shorter[index] ?? -1) {
			const value = this.#values[index] ?? "";
			if (value.length <= shared && accepts(value, start + value.length)) return value;
		}
		return null;
	}
}

export class ValueFinder {
	/** The values, and which of them are found inside of words, too. */
	readonly #values = new Map<string, boolean>();
	/** How many units a beginning has: no more than the shortest value. */
	#prefixLength = MAX_PREFIX;
	/** Which hashes of beginnings exist. */
	readonly #beginnings = new Uint8Array(HASH_MASK + 1);
	/** Which hashes of the units after beginnings exist; null if some value ends before. */
	#continuations: Uint8Array | null = null;
	/** The values by the hash of their beginning; null while they are out of date. */
	#byHash: Map<number, SortedValues> | null = null;

	/** Adds a value. @param isAnywhere it is found inside of words, too. Once said, that stays. */
	add(value: string, isAnywhere: boolean): void {
		const known = this.#values.get(value);
		if (value === "" || known === true || known === isAnywhere) return;
		this.#values.set(value, isAnywhere);
		if (known === undefined) this.#byHash = null;
	}

	#index(): Map<number, SortedValues> {
		let shortest = 2 * MAX_PREFIX;
		for (const value of this.#values.keys()) shortest = Math.min(shortest, value.length);
		this.#prefixLength = Math.min(MAX_PREFIX, shortest);
		this.#beginnings.fill(0);
		this.#continuations = shortest < 2 * MAX_PREFIX ? null : new Uint8Array(HASH_MASK + 1);
		const byHash = new Map<number, string[]>();
		for (const value of this.#values.keys()) {
			const hash = hashAt(value, 0, this.#prefixLength);
			this.#beginnings[hash] = 1;
			if (this.#continuations) this.#continuations[hashAt(value, MAX_PREFIX, MAX_PREFIX)] = 1;
			const known = byHash.get(hash);
			if (known) known.push(value);
			else byHash.set(hash, [value]);
		}
		this.#byHash = new Map(Array.from(byHash, ([hash, values]) => [hash, new SortedValues(values)]));
		return this.#byHash;
	}

	/** Where values stand in a text, in order. Values that overlap are one span. */
	find(text: string): OverlappingSpan[] {
		if (this.#values.size === 0) return [];
		const byHash = this.#byHash ?? this.#index();
		const beginnings = this.#beginnings;
		const continuations = this.#continuations;
		const length = this.#prefixLength;
		const ahead = length - 1;
		const spans: { start: number; end: number; firstEnd: number }[] = [];
		let at = 0;
		const accepts = (value: string, end: number) =>
			this.#values.get(value) === true || !cutsWord(text, { start: at, end });
		let hash = hashAt(text, 0, Math.min(ahead, text.length));
		for (; at + ahead < text.length; at++) {
			hash = addToHash(hash, text.charCodeAt(at + ahead));
			const beginning = length === MAX_PREFIX ? hash : hashAt(text, at, length);
			if (beginnings[beginning] === 0) continue;
			if (continuations?.[hashAt(text, at + MAX_PREFIX, MAX_PREFIX)] === 0) continue;
			const value = byHash.get(beginning)?.find(text, at, accepts) ?? null;
			if (value === null) continue;
			const end = at + value.length;
			const before = spans.at(-1);
			if (before && at < before.end) before.end = Math.max(before.end, end);
			else spans.push({ start: at, end, firstEnd: end });
		}
		return spans;
	}
}

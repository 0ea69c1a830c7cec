// Decompresses zlib streams (RFC 1950, 1951) at once, as far as reading the objects of a PDF needs it: without checksums, within a
// limit. The platform's own decompression cannot be waited for where a call is read. Pure.
import { lazy } from "../lazy.ts";

const LENGTH_BASES = [
	3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/** The order in which a block gives the lengths of its code-length codes. */
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_CODE_BITS = 15;

/** Canonical Huffman codes: how many there are of each length, and the symbols in the order of their codes. */
interface Codes {
	counts: Uint16Array;
	symbols: Uint16Array;
}

function toCodes(lengths: readonly number[]): Codes {
	const counts = new Uint16Array(MAX_CODE_BITS + 1);
	for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
	const offsets = new Uint16Array(MAX_CODE_BITS + 2);
	for (let bits = 1; bits <= MAX_CODE_BITS; bits++) offsets[bits + 1] = (offsets[bits] ?? 0) + (counts[bits] ?? 0);
	const symbols = new Uint16Array(lengths.length);
	for (const [symbol, length] of lengths.entries()) {
		if (length === 0) continue;
		const at = offsets[length] ?? 0;
		symbols[at] = symbol;
		offsets[length] = at + 1;
	}
	return { counts, symbols };
}

const repeat = (value: number, times: number): number[] => new Array<number>(times).fill(value);

const fixedCodes = lazy(() => ({
	literals: toCodes([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)]),
	distances: toCodes(repeat(5, 30)),
}));

/** Thrown for what is no zlib stream, breaks off, or is longer than allowed. */
const UNREADABLE = Symbol("unreadable");

/** How much is read, and how much comes out. A stream may go on for long without giving anything. */
interface InflateLimits {
	maxChars: number;
	maxBytes: number;
}

interface Inflated {
	bytes: Uint8Array;
	/** Where the compressed text ended. */
	end: number;
}

class Inflater {
	readonly #text: string;
	readonly #until: number;
	readonly #maxBytes: number;
	#at: number;
	#pending = 0;
	#bits = 0;
	#out = new Uint8Array(4_096);
	#length = 0;

	constructor(text: string, start: number, { maxChars, maxBytes }: InflateLimits) {
		this.#text = text;
		this.#until = Math.min(text.length, start + maxChars);
		this.#at = start;
		this.#maxBytes = maxBytes;
	}

	run(): Inflated {
		// Two bytes of header come first: method 8, without a preset dictionary.
		const header = this.#take(16);
		if ((header & 0x0f) !== 8 || (header & 0x2000) !== 0) throw UNREADABLE;
		for (let last = 0; last === 0; ) {
			last = this.#take(1);
			const kind = this.#take(2);
			if (kind === 0) this.#copyStored();
			else if (kind === 1) this.#decode(fixedCodes().literals, fixedCodes().distances);
			else if (kind === 2) this.#decode(...this.#readCodes());
			else throw UNREADABLE;
		}
		return { bytes: this.#out.subarray(0, this.#length), end: this.#at };
	}

	#take(count: number): number {
		while (this.#bits < count) {
			if (this.#at >= this.#until) throw UNREADABLE;
			const byte = this.#text.charCodeAt(this.#at++) & 0xff;
			this.#pending |= byte << this.#bits;
			this.#bits += 8;
		}
		const value = this.#pending & ((1 << count) - 1);
		this.#pending >>>= count;
		this.#bits -= count;
		return value;
	}

	#symbol({ counts, symbols }: Codes): number {
		let code = 0;
		let first = 0;
		let index = 0;
		for (let bits = 1; bits <= MAX_CODE_BITS; bits++) {
			code |= this.#take(1);
			const count = counts[bits] ?? 0;
			if (code - count < first) return symbols[index + code - first] ?? 0;
			index += count;
			first = (first + count) << 1;
			code <<= 1;
		}
		throw UNREADABLE;
	}

	#put(byte: number): void {
		if (this.#length >= this.#maxBytes) throw UNREADABLE;
		if (this.#length === this.#out.length) {
			const longer = new Uint8Array(2 * this.#length);
			longer.set(this.#out);
			this.#out = longer;
		}
		this.#out[this.#length++] = byte;
	}

	#copyStored(): void {
		this.#pending = 0;
		this.#bits = 0;
		const length = this.#take(16);
		if (this.#take(16) !== (~length & 0xffff)) throw UNREADABLE;
		for (let left = length; left > 0; left--) this.#put(this.#take(8));
	}

	#readCodes(): [literals: Codes, distances: Codes] {
		const literals = this.#take(5) + 257;
		const all = literals + this.#take(5) + 1;
		const ordered = repeat(0, CODE_ORDER.length);
		for (const place of CODE_ORDER.slice(0, this.#take(4) + 4)) ordered[place] = this.#take(3);
		const codes = toCodes(ordered);
		const lengths: number[] = [];
		while (lengths.length < all) {
			const symbol = this.#symbol(codes);
			if (symbol < 16) lengths.push(symbol);
			else if (symbol === 16) lengths.push(...repeat(lengths.at(-1) ?? 0, 3 + this.#take(2)));
			else lengths.push(...repeat(0, symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7)));
		}
		return [toCodes(lengths.slice(0, literals)), toCodes(lengths.slice(literals, all))];
	}

	#decode(literals: Codes, distances: Codes): void {
		for (;;) {
			const symbol = this.#symbol(literals);
			if (symbol === 256) return;
			if (symbol < 256) {
				this.#put(symbol);
				continue;
			}
			const [base, bits] = [LENGTH_BASES[symbol - 257], LENGTH_BITS[symbol - 257]];
			if (base === undefined || bits === undefined) throw UNREADABLE;
			const length = base + this.#take(bits);
			const distance = this.#distance(this.#symbol(distances));
			if (distance > this.#length) throw UNREADABLE;
			for (let left = length; left > 0; left--) this.#put(this.#out[this.#length - distance] ?? 0);
		}
	}

	/** Distances double with every second code. */
	#distance(code: number): number {
		if (code < 4) return code + 1;
		if (code >= 30) throw UNREADABLE;
		const bits = (code >> 1) - 1;
		return ((2 + (code & 1)) << bits) + this.#take(bits) + 1;
	}
}

/**
 * What a zlib stream holds; null for what is none, breaks off or passes a limit.
 * @param text each character is a byte.
 */
export function inflate(text: string, start: number, limits: InflateLimits): Inflated | null {
	try {
		return new Inflater(text, start, limits).run();
	} catch (thrown) {
		if (thrown === UNREADABLE) return null;
		throw thrown;
	}
}

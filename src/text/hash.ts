// The hash of n-grams and cues: FNV-1a over UTF-16 code units, with a final mix for bucket numbers. Pure.

export const HASH_START = 0x811c9dc5;

/** The hash of a text that goes on with one more code unit. */
export function addUnit(hash: number, unit: number): number {
	return Math.imul(hash ^ unit, 0x01000193);
}

/** The hash of a whole text. */
export function hashUnits(text: string): number {
	let hash = HASH_START;
	for (let i = 0; i < text.length; i++) hash = addUnit(hash, text.charCodeAt(i));
	return hash;
}

/** Spreads a hash over all its bits, because FNV's low bits depend on few units. Unsigned. */
export function mixHash(hash: number): number {
	let mixed = hash ^ (hash >>> 16);
	mixed = Math.imul(mixed, 0x7feb352d);
	mixed ^= mixed >>> 15;
	mixed = Math.imul(mixed, 0x846ca68b);
	return (mixed ^ (mixed >>> 16)) >>> 0;
}

// A table from 32-bit hashes to bit masks, with open addressing. Pure.

/** More than twice the entries of the largest table. */
const SLOTS = 1 << 13;

export class MaskTable {
	readonly #hashes = new Int32Array(SLOTS);
	readonly #masks = new Int32Array(SLOTS);

	/** Adds bits to the mask of a hash. */
	add(hash: number, mask: number): void {
		const slot = this.#slot(hash);
		this.#hashes[slot] = hash;
		this.#masks[slot] = (this.#masks[slot] ?? 0) | mask;
	}

	/** The mask of a hash; 0 when there is none. */
	get(hash: number): number {
		return this.#masks[this.#slot(hash)] ?? 0;
	}

	#slot(hash: number): number {
		let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
		while (this.#masks[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & (SLOTS - 1);
		return slot;
	}
}

// What may still be spent of a bound: less what calls have cost, and what those under way could cost. Pure.

/** A part of a budget that is set aside for one call until its cost is known. */
export interface Hold {
	/** Replaces the hold by the cost, which is at most what was held. */
	spend(nanoUsd: number): void;
	/** Releases the hold: the call cost nothing. */
	release(): void;
}

/** Integers in nano-USD. What is spent and held together never exceeds the bound. */
export class Budget {
	readonly boundNanoUsd: number;
	#spent: number;
	#held = 0;

	/** @param spentNanoUsd what was spent of the bound before; at most all of it. */
	constructor(boundNanoUsd: number, spentNanoUsd = 0) {
		if (spentNanoUsd > boundNanoUsd) throw new Error("more was spent than the bound");
		this.boundNanoUsd = boundNanoUsd;
		this.#spent = spentNanoUsd;
	}

	get spentNanoUsd(): number {
		return this.#spent;
	}

	/** Neither spent nor held. */
	get freeNanoUsd(): number {
		return this.boundNanoUsd - this.#spent - this.#held;
	}

	/** Holds the worst case of a call; null when there is no room for it. */
	hold(worstCaseNanoUsd: number): Hold | null {
		if (worstCaseNanoUsd > this.freeNanoUsd) return null;
		this.#held += worstCaseNanoUsd;
		let open = true;
		const settle = (nanoUsd: number) => {
			if (!open) throw new Error("a hold is settled once");
			if (nanoUsd > worstCaseNanoUsd) throw new Error("a call cost more than its worst case");
			open = false;
			this.#held -= worstCaseNanoUsd;
			this.#spent += nanoUsd;
		};
		return { spend: settle, release: () => settle(0) };
	}
}

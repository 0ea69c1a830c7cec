// Numbers and orders that are the same each time.

/** A generator of numbers from 0 to 1 that gives the same ones each time. */
export function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
		return state / 0x80000000;
	};
}

/** Puts an order into another one. */
export function shuffle(order: Int32Array, random: () => number): void {
	for (let last = order.length - 1; last > 0; last--) {
		const other = Math.floor(random() * (last + 1));
		const moved = order[last] ?? 0;
		order[last] = order[other] ?? 0;
		order[other] = moved;
	}
}

// Money: an integer number of nano-USD inside, a JSON number of USD at the edge and in hashed objects.

/** nano-USD per USD. */
const NANO = 1e9;

/** USD of an integer nano-USD amount, as hashed and shown. */
export function usd(nanoUsd: number): number {
	return nanoUsd / NANO;
}

/** The same for people: decimals as needed, never an exponent. */
export function usdText(nanoUsd: number): string {
	return `${(nanoUsd / NANO).toFixed(9).replace(/\.?0+$/, "")} USD`;
}

/**
 * Integer nano-USD of an amount a client gave: rounded, and never above what was given.
 * @param amountUsd finite, not negative.
 */
export function nanoUsd(amountUsd: number): number {
	const rounded = Math.round(amountUsd * NANO);
	return rounded / NANO > amountUsd ? rounded - 1 : rounded;
}

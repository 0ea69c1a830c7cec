// Money: an integer number of nano-USD inside the service, a JSON number of USD in answers and in hashed objects.

/** nano-USD per USD. */
const NANO = 1e9;

/** USD of an integer nano-USD amount, as hashed and shown. */
export function usd(nanoUsd: number): number {
	return nanoUsd / NANO;
}

/** The same for people: as many decimals as needed, never an exponent. */
export function usdText(nanoUsd: number): string {
	return `${(nanoUsd / NANO).toFixed(9).replace(/\.?0+$/, "")} USD`;
}

/**
 * Integer nano-USD of a client's amount: rounded, but never above the amount.
 * @param amountUsd finite, not negative.
 */
export function nanoUsd(amountUsd: number): number {
	const rounded = Math.round(amountUsd * NANO);
	return rounded / NANO > amountUsd ? rounded - 1 : rounded;
}

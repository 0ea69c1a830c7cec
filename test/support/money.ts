// Amounts as tests compare them.

/** Integer nano-USD of an amount in USD. */
export function nano(amountUsd: number): number {
	return Math.round(amountUsd * 1e9);
}

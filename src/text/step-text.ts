// Numbers as text, one ASCII character a step: what trained weights are shipped in, because it compresses well. Pure.

/** Steps are from -MAX_STEP to MAX_STEP. */
export const MAX_STEP = 27;
/** The character of step 0: all characters are ASCII, and none needs an escape in JSON. */
export const ZERO_CHARACTER = 0x23 + MAX_STEP;
/** The largest distance of one character. It means that the next character adds to it. */
export const MAX_DISTANCE = 2 * MAX_STEP;

/** Reports the buckets of a list of distances, in rising order. */
export function eachBucket(distances: Uint8Array, report: (bucket: number) => void): void {
	let bucket = 0;
	for (let i = 0; i < distances.length; i++) {
		const distance = (distances[i] ?? 0) - ZERO_CHARACTER + MAX_STEP;
		bucket += distance;
		if (distance < MAX_DISTANCE) report(bucket);
	}
}

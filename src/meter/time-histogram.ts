// Times of many requests in fixed logarithmic buckets, each a tenth wider than the one before: sums of any requests can be added, have at most
// some 200 numbers, and give each percentile within 5 %. Pure.

/** How many times there are in each bucket that has some. */
export type TimeHistogram = Readonly<Record<string, number>>;

export const EMPTY_HISTOGRAM: TimeHistogram = {};

/** Each bucket's upper bound over its lower one. The middle of a bucket is at most 4.9 % from any time in it. */
const BUCKET_RATIO = 1.1;
const LOG_RATIO = Math.log(BUCKET_RATIO);

/** Bucket 0 has what took less than a millisecond. */
function toBucket(ms: number): number {
	return ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / LOG_RATIO);
}

/** The middle of a bucket, ms with one digit. */
function toMs(bucket: number): number {
	return bucket === 0 ? 0 : Math.round(BUCKET_RATIO ** (bucket - 0.5) * 10) / 10;
}

export function addTime(histogram: TimeHistogram, ms: number): TimeHistogram {
	const bucket = toBucket(ms);
	return { ...histogram, [bucket]: (histogram[bucket] ?? 0) + 1 };
}

export function mergeHistograms(a: TimeHistogram, b: TimeHistogram): TimeHistogram {
	const merged: Record<string, number> = { ...a };
	for (const [bucket, count] of Object.entries(b)) merged[bucket] = (merged[bucket] ?? 0) + count;
	return merged;
}

/** The least time that a share of all times does not exceed (nearest rank), within 5 %; null where there are none. */
export function readPercentile(histogram: TimeHistogram, share: number): number | null {
	const buckets = Object.entries(histogram).map(([bucket, count]) => ({ bucket: Number(bucket), count }));
	const all = buckets.reduce((sum, { count }) => sum + count, 0);
	let left = Math.max(1, Math.ceil(share * all));
	for (const { bucket, count } of buckets.toSorted((a, b) => a.bucket - b.bucket)) {
		left -= count;
		if (left <= 0) return toMs(bucket);
	}
	return null;
}

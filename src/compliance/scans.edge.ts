// When a long text is scanned for sensitive data: not right behind another one. A scan holds its isolate for as long as it
// takes, some MiB for seconds, and behind thirty of them everybody else would wait for all; what is found is detect.ts's.

/** Shorter texts are scanned at once: no request waits long for one. */
const LONG_CHARS = 131_072;

/** How long other requests have the isolate after a long scan: 0.5 s after 2 Mi characters, a third of what that takes or more. */
const REST_MS_PER_CHAR = 1 / 4096;

/** Of longer texts than 4 Mi characters no more is read (detect.ts). */
const MAX_REST_MS = 1_024;

let restsUntilMs = 0;

/**
 * Scans texts, long ones after a rest since the last long ones of this isolate, in the order in which they came. Nothing is
 * awaited between the look at the clock and the scan, and no promise is shared: a request that ends holds up nobody.
 */
export async function scanned<T>(texts: Iterable<string>, scan: (texts: readonly string[]) => T): Promise<T> {
	const all = [...texts];
	const chars = all.reduce((sum, { length }) => sum + length, 0);
	if (chars < LONG_CHARS) return scan(all);
	for (let nowMs = Date.now(); nowMs < restsUntilMs; nowMs = Date.now()) {
		const leftMs = restsUntilMs - nowMs;
		await new Promise((resolve) => setTimeout(resolve, leftMs));
	}
	const found = scan(all);
	restsUntilMs = Date.now() + Math.min(MAX_REST_MS, Math.ceil(chars * REST_MS_PER_CHAR));
	return found;
}

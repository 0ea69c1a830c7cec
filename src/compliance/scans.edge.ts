// When a long text is scanned for sensitive data: not right behind another one. A scan holds its isolate for as long as it
// takes, some MiB for seconds, and behind thirty of them everybody else would wait for all; what is found is detect.ts's.

/** Shorter texts are scanned at once: no request waits long for one. */
const LONG_CHARS = 32_768;

/** How long other requests have the isolate after a long scan: 0.25 s after 2 Mi characters, which take a second or more. */
const REST_MS_PER_CHAR = 1 / 8192;

/** Of longer texts than 4 Mi characters no more is read (detect.ts). */
const MAX_REST_MS = 512;

/** Whoever is first but does not come within this time after a rest has left. */
const MAX_TURN_MS = 250;
const POLL_MS = 5;

/** When the rest after the last long scan is over. */
let restUntilMs = 0;
/** Who waits for a long scan, in the order of arrival. */
const queue = new Set<symbol>();

/** How long to wait before looking again; 0 when it is one's turn. */
function remainingWaitMs(one: symbol): number {
	queue.add(one);
	const restedMs = Date.now() - restUntilMs;
	if (restedMs < 0) return -restedMs;
	const [first] = queue;
	return first === one || restedMs >= MAX_TURN_MS ? 0 : POLL_MS;
}

/** Takes one out of the line, and those before, who have left; who has not lines up again. */
function leaveQueue(one: symbol): void {
	for (const other of queue) {
		queue.delete(other);
		if (other === one) return;
	}
}

/**
 * Scans texts, long ones in the order in which they came and each after a rest. Nothing is awaited between the last look at the
 * clock and the scan, and no promise is shared: a request that ends holds up nobody for long.
 */
export async function scanTexts<T>(texts: Iterable<string>, scan: (texts: readonly string[]) => T): Promise<T> {
	const all = [...texts];
	const chars = all.reduce((sum, { length }) => sum + length, 0);
	if (chars < LONG_CHARS) return scan(all);
	const one = Symbol();
	for (let leftMs = remainingWaitMs(one); leftMs > 0; leftMs = remainingWaitMs(one)) {
		const waitMs = leftMs;
		await new Promise((resolve) => setTimeout(resolve, waitMs));
	}
	leaveQueue(one);
	const found = scan(all);
	restUntilMs = Date.now() + Math.min(MAX_REST_MS, Math.ceil(chars * REST_MS_PER_CHAR));
	return found;
}

// How long a workflow waits for calls that hang while it could go on without them.

/** Others count as no faster than this. */
const LEAST_OTHERS_MS = 1_000;

/** What is known of the time that a batch takes, ms. */
interface BatchTimes {
	/** What is expected of each of its calls. */
	expectedMs: readonly number[];
	/** The slowest answer of earlier batches; null without one. */
	earlierMs: number | null;
	/** How much of the others' time, and of what is expected, a call has. */
	patiencePercent: number;
}

/**
 * The results of a batch. Once half of its calls have answered, the others have twice that time in all, or twice what is expected of them;
 * then they are left behind. Until then, a batch that follows others has twice the time of their slowest answer, or twice its own.
 * Twice stands for the patience, whose default it is.
 * @param leave breaks off the calls that are open.
 */
export async function leaveHung<T extends { ok: boolean }>(
	calls: readonly Promise<T>[],
	{ expectedMs, earlierMs, patiencePercent }: BatchTimes,
	leave: () => void,
): Promise<T[]> {
	const patienceMs = (othersMs: number, ownMs: readonly number[]) =>
		(patiencePercent / 100) * Math.max(LEAST_OTHERS_MS, othersMs, ...ownMs);
	const enough = Math.ceil(calls.length / 2);
	const startedAtMs = Date.now();
	const open = new Set(calls.keys());
	let answered = 0;
	let timer = earlierMs === null ? undefined : setTimeout(leave, patienceMs(earlierMs, expectedMs));
	const watched = calls.map(async (call, at) => {
		const result = await call;
		open.delete(at);
		if (result.ok && ++answered === enough && open.size > 0) {
			const tookMs = Date.now() - startedAtMs;
			const expectedOfOpen = Array.from(open, (other) => expectedMs[other] ?? 0);
			clearTimeout(timer);
			timer = setTimeout(leave, patienceMs(tookMs, expectedOfOpen) - tookMs);
		}
		return result;
	});
	return Promise.all(watched).finally(() => clearTimeout(timer));
}

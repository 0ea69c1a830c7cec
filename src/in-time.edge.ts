// Waits for a promise with a deadline.

/**
 * Returns the result of a promise, or the result of `late` when the promise has not settled in time. The promise is not
 * cancelled; that is left to the caller.
 */
export async function withDeadline<T, L>(promise: Promise<T>, timeoutMs: number, late: () => L): Promise<T | L> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const timeout = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, timeoutMs);
	});
	try {
		return await Promise.race([promise, timeout.then(late)]);
	} finally {
		clearTimeout(timer);
	}
}

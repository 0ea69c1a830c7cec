// Waiting for something, but not for ever.

/**
 * What a promise gives, or what `late` gives, or throws, when it has not settled in time. The promise goes on; cancelling what
 * it stands for is the caller's.
 */
export async function inTime<T, L>(promise: Promise<T>, timeoutMs: number, late: () => L): Promise<T | L> {
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

// The delay between retries. Pure.

const FIRST_MS = 1_000;
const LAST_MS = 60_000;

export class Backoff {
	#failures = 0;

	/** Failures since the last success. */
	get failures(): number {
		return this.#failures;
	}

	/** Until the next try: a second, doubled with each further failure, at most a minute. */
	get delayMs(): number {
		return Math.min(LAST_MS, FIRST_MS * 2 ** Math.max(0, this.#failures - 1));
	}

	recordFailure(): void {
		this.#failures++;
	}

	recordSuccess(): void {
		this.#failures = 0;
	}
}

// Runs at most so many tasks at a time; the others wait in the order they came. Pure.

export class ConcurrencyLimit {
	#free: number;
	#waiting: (() => void)[] = [];

	constructor(maxAtOnce: number) {
		this.#free = maxAtOnce;
	}

	/** Runs a task as soon as there is room. A task that throws makes room like any other. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		if (this.#free > 0) this.#free--;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next) next();
			else this.#free++;
		}
	}
}

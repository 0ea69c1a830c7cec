// Measures the stages of a request, for the log line and the Server-Timing header. Pure.

/** Stages that take time: the key's look-up, the meter's verdict, the body, the model, D1, the settlement. */
type TimedStage = "auth" | "admit" | "body" | "first_delta" | "upstream" | "d1" | "settle";

/** Times of one request in ms. In the Workers runtime the clock stands still between I/O, so pure computation shows as 0. */
export class Timings {
	#now: () => number;
	#startedAtMs: number;
	#stages = new Map<TimedStage, number>();

	/** @param now the clock, ms since the epoch. */
	constructor(startedAtMs: number, now: () => number) {
		this.#startedAtMs = startedAtMs;
		this.#now = now;
	}

	/** Adds the time of `work` to a stage, whether it succeeds or not. */
	async measure<T>(stage: TimedStage, work: () => Promise<T>): Promise<T> {
		const fromMs = this.#now();
		try {
			return await work();
		} finally {
			this.#stages.set(stage, (this.#stages.get(stage) ?? 0) + this.#now() - fromMs);
		}
	}

	/** The time since the request arrived. */
	totalMs(): number {
		return this.#now() - this.#startedAtMs;
	}

	/** `{auth_ms, …, duration_ms}` for the log. */
	fields(): Record<string, number> {
		const stages = [...this.#stages].map(([stage, ms]) => [`${stage}_ms`, ms]);
		return { ...Object.fromEntries(stages), duration_ms: this.totalMs() };
	}

	/** The Server-Timing header (W3C Server Timing, section 3), stages in the order they ended, `total` last. */
	header(): string {
		return [...this.#stages, ["total", this.totalMs()] as const].map(([name, ms]) => `${name};dur=${ms}`).join(", ");
	}
}

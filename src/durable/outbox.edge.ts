// An object's outbox: what D1 does not have yet is written by one flush at a time, and tried again by the object's alarm
// until D1 takes it. What the rows are and where the object keeps them is the object's business.
import { logError } from "../http/log.edge.ts";

const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 60_000;

/** What an object does for its outbox. */
export interface OutboxWork {
	/** Event of the log line about a flush that failed. */
	failureEvent: string;
	/** Writes the oldest rows to D1 and notes that it has them; false when there are none. Throws when D1 refuses. */
	writeRound(): Promise<boolean>;
	/** Called after a flush that failed. */
	onFailure?(): void;
}

export class Outbox {
	#state: DurableObjectState;
	#work: OutboxWork;
	#alarmAtMs = Number.POSITIVE_INFINITY;
	#flushing: Promise<void> | null = null;
	#failures = 0;

	constructor(state: DurableObjectState, work: OutboxWork) {
		this.#state = state;
		this.#work = work;
	}

	/** Whether the last flush failed: then the alarm sets the pace, so that an absent D1 is not asked once per row. */
	get isFailing(): boolean {
		return this.#failures > 0;
	}

	/** Until the next try: a second, doubled with each failure, a minute at most. */
	get retryDelayMs(): number {
		return Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** Math.max(0, this.#failures - 1));
	}

	/** Writes everything. One flush at a time; rows that arrive meanwhile go with its next round. Never throws. */
	flush(): Promise<void> {
		this.#flushing ??= this.#flushAll().finally(() => {
			this.#flushing = null;
		});
		return this.#flushing;
	}

	async #flushAll(): Promise<void> {
		try {
			while (await this.#work.writeRound()) this.#failures = 0;
		} catch (error) {
			this.#failures++;
			logError(this.#work.failureEvent, error, { failures: this.#failures });
			this.#work.onFailure?.();
			this.arm(Date.now() + this.retryDelayMs);
		}
	}

	/** Sets the object's one alarm, which serves everything it waits for: the earlier time wins. */
	arm(atMs: number): void {
		if (atMs >= this.#alarmAtMs) return;
		this.#alarmAtMs = atMs;
		this.#state.waitUntil(this.#state.storage.setAlarm(atMs));
	}

	/** To be called first by the object's alarm: the one that rang is no longer set. */
	alarmRang(): void {
		this.#alarmAtMs = Number.POSITIVE_INFINITY;
	}
}

// An object's outbox: what D1 does not have yet is written by one flush at a time, and tried again by the object's alarm
// until D1 takes it. What the rows are and where the object keeps them is the object's business.
import { logError } from "../http/log.edge.ts";
import { Backoff } from "./backoff.ts";

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
	#isDue = false;
	#backoff = new Backoff();

	constructor(state: DurableObjectState, work: OutboxWork) {
		this.#state = state;
		this.#work = work;
	}

	/** Whether the last flush failed: then the alarm sets the pace, so that an absent D1 is not asked once per row. */
	get isFailing(): boolean {
		return this.#backoff.failures > 0;
	}

	/** Until the next try. */
	get retryDelayMs(): number {
		return this.#backoff.delayMs;
	}

	/** Writes everything. One flush at a time; rows that arrive meanwhile go with its next round. Never throws. */
	flush(): Promise<void> {
		this.#flushing ??= this.#flushAll().finally(() => {
			this.#flushing = null;
		});
		return this.#flushing;
	}

	/** Writes everything after a moment, in which more may come to go with it. After a failure the alarm does it. */
	flushIn(delayMs: number): void {
		if (this.#isDue || this.isFailing) return;
		this.#isDue = true;
		const due = new Promise((resolve) => setTimeout(resolve, delayMs));
		this.#state.waitUntil(
			due.then(() => {
				this.#isDue = false;
				return this.isFailing ? undefined : this.flush();
			}),
		);
	}

	async #flushAll(): Promise<void> {
		try {
			while (await this.#work.writeRound()) this.#backoff.succeeded();
		} catch (error) {
			this.#backoff.failed();
			logError(this.#work.failureEvent, error, { failures: this.#backoff.failures });
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

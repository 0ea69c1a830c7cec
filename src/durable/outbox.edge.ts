// An object's outbox: writes to D1 what it does not have yet, one flush at a time. The object's alarm tries again until D1
// takes it. The object decides what the rows are and where it keeps them.
import { logError } from "../http/log.edge.ts";
import { Backoff } from "./backoff.ts";

/** The object's part of its outbox. */
interface OutboxWork {
	/** Event of the log line about a flush that failed. */
	failureEvent: string;
	/** Writes the oldest rows to D1 and records that it has them; false when there are none. Throws when D1 refuses. */
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

	/** Whether the last flush failed. Then the alarm decides when to try again, so that an unreachable D1 is not called once per row. */
	get isFailing(): boolean {
		return this.#backoff.failures > 0;
	}

	/** Until the next try. */
	get retryDelayMs(): number {
		return this.#backoff.delayMs;
	}

	/** Writes everything, one flush at a time. Rows that arrive meanwhile go with its next round. Never throws. */
	flush(): Promise<void> {
		this.#flushing ??= this.#flushAll().finally(() => {
			this.#flushing = null;
		});
		return this.#flushing;
	}

	/** Flushes after a delay, so that later rows go with it. After a failure the alarm flushes instead. */
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
			while (await this.#work.writeRound()) this.#backoff.recordSuccess();
		} catch (error) {
			this.#backoff.recordFailure();
			logError(this.#work.failureEvent, error, { failures: this.#backoff.failures });
			this.#work.onFailure?.();
			this.arm(Date.now() + this.retryDelayMs);
		}
	}

	/** Sets the object's one alarm, which serves all its deadlines: the earlier time wins. */
	arm(atMs: number): void {
		if (atMs >= this.#alarmAtMs) return;
		this.#alarmAtMs = atMs;
		this.#state.waitUntil(this.#state.storage.setAlarm(atMs));
	}

	/** Learns which alarm is set, so that an object that wakes sets no later one in its place. To be called before the first `arm`. */
	async learnAlarm(): Promise<void> {
		this.#alarmAtMs = (await this.#state.storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
	}

	/** To be called first in the object's alarm: it is no longer set. */
	alarmFired(): void {
		this.#alarmAtMs = Number.POSITIVE_INFINITY;
	}
}

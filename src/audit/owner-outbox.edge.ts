// The outbox of an owner of audit events. A write waits a moment for D1. If D1 does not have it by then, the owner is marked
// at the user's meter, and the write is acknowledged. The object decides what the rows are and where they are stored.
import { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import { withDeadline } from "../in-time.edge.ts";
import { OwnerMark, type OwnerRows } from "./owner-mark.edge.ts";

/** How long a write waits for D1. Reads find it in the object meanwhile. */
const FLUSH_WAIT_MS = 1_500;
/** Delay of the alarm that flushes a write whose object died before the flush ended. */
const RECOVERY_ALARM_MS = 5_000;

/** What the object provides. A row is an event, together with everything that goes to D1 with it. */
interface OwnerWork<Row extends { id: string }> {
	/** Name of the log event of a failed flush. */
	failureEvent: string;
	/** The oldest rows that D1 lacks, as many as fit in one flush. */
	nextRound(): Row[];
	/**
	 * Writes rows to D1. A row that exists stays unchanged.
	 * @throws when D1 refuses.
	 */
	record(rows: readonly Row[]): Promise<void>;
	/** Stores that D1 has these rows. */
	markFlushed(rows: readonly Row[]): void;
	/** True when D1 has the event. */
	isFlushed(id: string): boolean;
	/** True when D1 has all rows. */
	isIdle(): boolean;
	/** Where the owner's mark is kept. */
	marks: OwnerRows;
}

export class OwnerOutbox<Row extends { id: string }> {
	#state: DurableObjectState;
	#rows: OwnerWork<Row>;
	#outbox: Outbox;
	#mark: OwnerMark;
	/** Resolvers of the writes that wait for D1, by event id. */
	#waiting = new Map<string, (flushed: boolean) => void>();

	constructor(state: DurableObjectState, env: Env, work: OwnerWork<Row>) {
		this.#state = state;
		this.#rows = work;
		this.#mark = new OwnerMark(work.marks, env);
		this.#outbox = new Outbox(state, {
			failureEvent: work.failureEvent,
			writeRound: () => this.#writeRound(),
			onFailure: () => {
				for (const resolve of this.#waiting.values()) resolve(false);
			},
		});
	}

	/** Call it when an object with tables starts: its alarm may have been lost with its last machine. */
	wake(): void {
		this.#mark.load();
		this.#armIfNeeded(0);
	}

	/** Learns which alarm is set, so that none is set in its place that rings no sooner: a written row each. To be called before `wake`. */
	learnAlarm(): Promise<void> {
		return this.#outbox.learnAlarm();
	}

	/** Call it after every write, in the same turn. Sets the alarm that flushes the write if the object dies. */
	armAfterWrite(): void {
		this.#mark.load();
		this.#outbox.arm(Date.now() + RECOVERY_ALARM_MS);
	}

	/** Call it after a write that nobody waits for, in the same turn. After a failure only the alarm retries. */
	flushSoon(): void {
		this.armAfterWrite();
		if (!this.#outbox.isFailing) this.#state.waitUntil(this.#flush());
	}

	/** Sets the object's only alarm for the object's own purposes. The earlier time wins. */
	arm(atMs: number): void {
		this.#outbox.arm(atMs);
	}

	/** Waits a moment for D1 to have a stored event. True when it has; otherwise the owner is marked at the meter first. */
	async deliver(id: string): Promise<boolean> {
		if ((await this.#waitForFlush(id)) || this.#rows.isIdle()) return true;
		await this.#setMark();
		return false;
	}

	/** The same for all that D1 lacks, which an object that died may not have waited for. */
	async deliverRest(): Promise<void> {
		if (this.#rows.isIdle()) return;
		// After a failure only the alarm retries.
		if (this.#outbox.isFailing || !(await this.catchUp())) await this.#setMark();
	}

	/** Marks the owner at the meter. Never throws. */
	async #setMark(): Promise<void> {
		try {
			await this.#mark.set();
		} catch (error) {
			// The event is stored. Failing here would invite the client to store it again. The alarm retries.
			logError("owner_mark_failed", error);
		}
		// The flush may have ended while the mark was being set.
		if (this.#rows.isIdle()) this.#state.waitUntil(this.#flush());
	}

	/** Flushes at once and waits a moment. True when nothing is left. */
	async catchUp(): Promise<boolean> {
		const flushed = this.#flush();
		this.#state.waitUntil(flushed);
		await withDeadline(flushed, FLUSH_WAIT_MS, () => undefined);
		return this.#rows.isIdle();
	}

	/** Call it from the object's alarm. Never throws: the platform gives up on an alarm after a few failures. */
	async alarm(): Promise<void> {
		this.#outbox.alarmFired();
		await this.#flush();
		this.#armIfNeeded(this.#rows.isIdle() ? this.#mark.retryDelayMs : this.#outbox.retryDelayMs);
	}

	async #waitForFlush(id: string): Promise<boolean> {
		if (this.#rows.isFlushed(id)) return true;
		// After a failure only the alarm retries, so that a D1 that is down is not called once per write.
		if (this.#outbox.isFailing) return false;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const answer = new Promise<boolean>((resolve) => {
			this.#waiting.set(id, resolve);
			timer = setTimeout(() => resolve(false), FLUSH_WAIT_MS);
		});
		this.#state.waitUntil(this.#flush());
		const flushed = await answer;
		clearTimeout(timer);
		this.#waiting.delete(id);
		return flushed;
	}

	/** Flushes to D1, then sets the mark if that failed or removes it if nothing is left. Never throws. */
	async #flush(): Promise<void> {
		await this.#outbox.flush();
		try {
			if (this.#rows.isIdle()) await this.#mark.clear();
			else if (this.#outbox.isFailing) await this.#mark.set();
		} catch (error) {
			logError("owner_mark_failed", error);
			this.#outbox.arm(Date.now() + this.#mark.retryDelayMs);
		}
	}

	async #writeRound(): Promise<boolean> {
		const rows = this.#rows.nextRound();
		if (rows.length === 0) return false;
		await this.#rows.record(rows);
		this.#rows.markFlushed(rows);
		if (this.#rows.isIdle()) this.#mark.expire();
		for (const { id } of rows) this.#waiting.get(id)?.(true);
		return true;
	}

	/** Sets an alarm if D1 lacks rows or a mark may be left at the meter. */
	#armIfNeeded(delayMs: number): void {
		if (!this.#rows.isIdle() || this.#mark.isSet) this.#outbox.arm(Date.now() + delayMs);
	}
}

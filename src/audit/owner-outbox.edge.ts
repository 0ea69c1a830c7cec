// The outbox of an object that owns audit events: a write waits a moment for D1 and is answered in any case, by then marked
// at the user's meter if D1 does not have it. What the rows are and where the object keeps them is the object's business.
import { Outbox } from "../durable/outbox.edge.ts";
import { logError } from "../http/log.edge.ts";
import { inTime } from "../in-time.edge.ts";
import type { OwnerKey } from "./owner.ts";
import { OwnerMark } from "./owner-mark.edge.ts";

/** How long a write waits for D1; reads find it in the object meanwhile. */
const FLUSH_WAIT_MS = 1_500;
/** When the alarm looks after a write whose object died before its flush ended. */
const LOOK_AFTER_MS = 5_000;

/** What an object does for its outbox; a row is an event, and whatever goes to D1 with it. */
export interface OwnerOutboxWork<Row extends { id: string }> {
	/** Event of the log line about a flush that failed. */
	failureEvent: string;
	/** The oldest rows that D1 lacks, as many as go at once. */
	nextRound(): Row[];
	/** Writes rows to D1; one that is there already stays as it is. Throws when D1 refuses. */
	record(rows: readonly Row[]): Promise<void>;
	/** Stores that D1 has rows. */
	markFlushed(rows: readonly Row[]): void;
	/** Whether D1 has the event of an id. */
	isFlushed(id: string): boolean;
	/** Whether D1 has everything. */
	isIdle(): boolean;
}

export class OwnerOutbox<Row extends { id: string }> {
	#state: DurableObjectState;
	#work: OwnerOutboxWork<Row>;
	#outbox: Outbox;
	#mark: OwnerMark;
	/** Writes that wait for D1, by event id. */
	#waiting = new Map<string, (flushed: boolean) => void>();

	constructor(state: DurableObjectState, env: Env, work: OwnerOutboxWork<Row>) {
		this.#state = state;
		this.#work = work;
		this.#mark = new OwnerMark(state, env);
		this.#outbox = new Outbox(state, {
			failureEvent: work.failureEvent,
			writeRound: () => this.#writeRound(),
			onFailure: () => {
				for (const resolve of this.#waiting.values()) resolve(false);
			},
		});
	}

	/** To be called by an object that wakes with tables: an alarm may have been lost with the machine that held it. */
	wake(): void {
		this.#mark.load();
		this.#armForOpenWork(0);
	}

	/** To be called in the transaction of every write. */
	identify(userId: string, key: OwnerKey): void {
		this.#mark.identify(userId, key);
	}

	/** To be called after every write, in its turn: sets the alarm that looks after it. */
	stored(): void {
		this.#mark.load();
		this.#outbox.arm(Date.now() + LOOK_AFTER_MS);
	}

	/** Sets the object's one alarm for something of the object's own: the earlier time wins. */
	arm(atMs: number): void {
		this.#outbox.arm(atMs);
	}

	/** Waits a moment for D1 to have what was stored; true when it has. When it has not, the meter knows before the caller does. */
	async deliver(id: string): Promise<boolean> {
		if ((await this.#flushed(id)) || this.#work.isIdle()) return true;
		try {
			await this.#mark.set();
		} catch (error) {
			// What was stored stays stored: a failure here must not invite the client to store it again. The alarm tries again.
			logError("owner_mark_failed", error);
		}
		// The flush may have ended while the mark was made.
		if (this.#work.isIdle()) this.#state.waitUntil(this.#flush());
		return false;
	}

	/** Tries at once to hand on what D1 does not have, and waits a moment for it; true when nothing is left. */
	async catchUp(): Promise<boolean> {
		const flushed = this.#flush();
		this.#state.waitUntil(flushed);
		await inTime(flushed, FLUSH_WAIT_MS, () => undefined);
		return this.#work.isIdle();
	}

	/** To be called by the object's alarm. Never throws: a failed alarm would end after a few retries. */
	async alarm(): Promise<void> {
		this.#outbox.alarmRang();
		await this.#flush();
		this.#armForOpenWork(this.#work.isIdle() ? this.#mark.retryDelayMs : this.#outbox.retryDelayMs);
	}

	async #flushed(id: string): Promise<boolean> {
		if (this.#work.isFlushed(id)) return true;
		// After a failure the alarm sets the pace, so that an absent D1 is not asked once per write.
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

	/** Writes to D1 what it does not have, and lets the meter know when that fails, or when nothing is left. Never throws. */
	async #flush(): Promise<void> {
		await this.#outbox.flush();
		try {
			if (this.#work.isIdle()) await this.#mark.clear();
			else if (this.#outbox.isFailing) await this.#mark.set();
		} catch (error) {
			logError("owner_mark_failed", error);
			this.#outbox.arm(Date.now() + this.#mark.retryDelayMs);
		}
	}

	async #writeRound(): Promise<boolean> {
		const rows = this.#work.nextRound();
		if (rows.length === 0) return false;
		await this.#work.record(rows);
		this.#work.markFlushed(rows);
		if (this.#work.isIdle()) this.#mark.expire();
		for (const { id } of rows) this.#waiting.get(id)?.(true);
		return true;
	}

	/** What D1 lacks, and a mark that may be left at the meter, ask for an alarm. */
	#armForOpenWork(delayMs: number): void {
		if (!this.#work.isIdle() || this.#mark.isSet) this.#outbox.arm(Date.now() + delayMs);
	}
}

// An owner's mark at its user's meter. It is set before the owner acknowledges an event that D1 does not have, and removed
// after a flush that leaves nothing. Reads without a workspace ask only marked owners.
//
// Crash order. Each mark has a number. The object stores the number and "may be marked" before it calls the meter, and clears
// that flag only after the meter has removed the mark. An object that dies in between therefore knows, on its next start,
// that a mark may have to be removed. Removing a mark removes all marks up to its number. So a late call, or a reader that
// saw the owner idle some time ago, cannot remove a newer mark.

import { Backoff } from "../durable/backoff.ts";
import { meterClient } from "../meter/meter-client.edge.ts";
import { type OwnerKey, renderOwnerKey } from "./owner.ts";

/** What an owner stores of its mark: a row of OWNER_TABLE. */
export interface OwnerRow extends Record<string, SqlStorageValue> {
	user_id: string;
	owner: string;
	mark: number;
	is_marked: number;
}

/** Where an owner keeps what it stores of its mark. */
export interface OwnerRows {
	/** Null while the owner is not known. One that was never marked may have the number 0 without a stored row. */
	read(): OwnerRow | null;
	write(row: OwnerRow): void;
}

/** Keeps the row in OWNER_TABLE. */
export class OwnerTable implements OwnerRows {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	read(): OwnerRow | null {
		return this.#sql.exec<OwnerRow>("SELECT user_id, owner, mark, is_marked FROM owner").toArray()[0] ?? null;
	}

	/** Stores the owner's key if it is not stored. Call it in the transaction of every write. */
	identify(userId: string, key: OwnerKey): void {
		const insert = "INSERT OR IGNORE INTO owner (one, user_id, owner, mark, is_marked) VALUES (1, ?, ?, 0, 0)";
		this.#sql.exec(insert, userId, renderOwnerKey(key));
	}

	write({ mark, is_marked }: OwnerRow): void {
		this.#sql.exec("UPDATE owner SET mark = ?, is_marked = ?", mark, is_marked);
	}
}

export class OwnerMark {
	#rows: OwnerRows;
	#meters: Env["ACCOUNT_METER"];
	#row: OwnerRow | null = null;
	/** The last mark that the meter confirmed since this object started. Earlier confirmations may be outdated. */
	#confirmed = 0;
	/** Marks up to this number may be removed by anybody: their events are flushed. */
	#expired = 0;
	/** Settles when the last call to the meter has ended. Calls are made one after the other. */
	#lastCall: Promise<unknown> = Promise.resolve();
	#backoff = new Backoff();

	constructor(rows: OwnerRows, env: Env) {
		this.#rows = rows;
		this.#meters = env.ACCOUNT_METER;
	}

	/** Loads the stored row, once. Call it after the tables exist, and after the transaction of a write. */
	load(): void {
		if (this.#row) return;
		this.#row = this.#rows.read();
		this.#expired = this.#row?.mark ?? 0;
	}

	/** True when the meter may have a mark of this owner. */
	get isSet(): boolean {
		return this.#row?.is_marked === 1;
	}

	/** Delay before the next try after the meter could not be reached. */
	get retryDelayMs(): number {
		return this.#backoff.delayMs;
	}

	/** Call it in the same turn in which the last row is flushed. Later writes then set a new mark. */
	expire(): void {
		this.#expired = this.#row?.mark ?? 0;
	}

	/**
	 * Sets a mark unless a valid one is set.
	 * @throws when the meter cannot be reached.
	 */
	async set(): Promise<void> {
		await this.#callMeter(async ({ user_id, owner, mark }) => {
			if (this.#confirmed > this.#expired) return;
			const next = mark + 1;
			this.#store(next, true);
			await meterClient(this.#meters, user_id).markOwner(owner, next);
			this.#confirmed = next;
		});
	}

	/**
	 * Removes the mark if one may be set. Call it in the same turn in which the object is found idle: a write that arrives
	 * meanwhile sets its own mark afterwards.
	 * @throws when the meter cannot be reached.
	 */
	async clear(): Promise<void> {
		await this.#callMeter(async ({ user_id, owner, mark, is_marked }) => {
			if (is_marked === 0) return;
			this.expire();
			await meterClient(this.#meters, user_id).unmarkOwner(owner, mark);
			this.#store(mark, false);
		});
	}

	/** Calls the meter one call at a time: a mark and its removal sent together could arrive in either order. */
	async #callMeter(call: (row: OwnerRow) => Promise<void>): Promise<void> {
		const turn = this.#lastCall.then(async () => {
			if (!this.#row) return;
			try {
				await call(this.#row);
				this.#backoff.recordSuccess();
			} catch (error) {
				this.#backoff.recordFailure();
				throw error;
			}
		});
		this.#lastCall = turn.catch(() => undefined);
		await turn;
	}

	#store(mark: number, isMarked: boolean): void {
		if (!this.#row) return;
		this.#row = { ...this.#row, mark, is_marked: isMarked ? 1 : 0 };
		this.#rows.write(this.#row);
	}
}

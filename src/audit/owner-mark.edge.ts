// An owner's mark at its user's meter: made before the owner answers for something that D1 does not have, taken away after
// the flush that leaves nothing open. Reads without a workspace ask the owners that are marked, and no others.
//
// Crash order. Every mark has a number of its own, stored with the fact that there may be a mark before the meter hears of
// it, and that fact is forgotten only after the meter has let the mark go: an object that dies in between knows on waking
// that there may be one to take away. To take a mark away takes all marks up to its number, so a call that arrives late, or
// a reader that saw the owner idle a while ago, cannot take away one that was made since.

import { Backoff } from "../durable/backoff.ts";
import { meterClient } from "../meter/meter-client.edge.ts";
import { type OwnerKey, ownerText } from "./owner.ts";

/** A row of OWNER_TABLE. */
interface OwnerRow extends Record<string, SqlStorageValue> {
	user_id: string;
	owner: string;
	mark: number;
	is_marked: number;
}

export class OwnerMark {
	#sql: SqlStorage;
	#meters: Env["ACCOUNT_METER"];
	#row: OwnerRow | null = null;
	/** The last mark that the meter has confirmed in this life of the object; what an earlier life knew may be over. */
	#confirmed = 0;
	/** Marks up to this one may be taken away by anybody: all that they stood for has been flushed. */
	#expired = 0;
	/** The end of the last call to the meter: they are made one after the other. */
	#lastCall: Promise<unknown> = Promise.resolve();
	#backoff = new Backoff();

	constructor({ storage }: DurableObjectState, env: Env) {
		this.#sql = storage.sql;
		this.#meters = env.ACCOUNT_METER;
	}

	/** Reads what is stored, once; to be called after the tables are made, and after a transaction with `identify`. */
	load(): void {
		if (this.#row) return;
		this.#row = this.#sql.exec<OwnerRow>("SELECT user_id, owner, mark, is_marked FROM owner").toArray()[0] ?? null;
		this.#expired = this.#row?.mark ?? 0;
	}

	/** Stores who the owner is, unless it is stored; to be called in the transaction of every write. */
	identify(userId: string, key: OwnerKey): void {
		if (this.#row) return;
		const insert = "INSERT INTO owner (one, user_id, owner, mark, is_marked) VALUES (1, ?, ?, 0, 0)";
		this.#sql.exec(insert, userId, ownerText(key));
	}

	/** Whether the meter may have a mark. */
	get isSet(): boolean {
		return this.#row?.is_marked === 1;
	}

	/** Until the next try, after the meter could not be reached. */
	get retryDelayMs(): number {
		return this.#backoff.delayMs;
	}

	/** To be called in the turn in which nothing is open any more: what comes after it needs a mark of its own. */
	expire(): void {
		this.#expired = this.#row?.mark ?? 0;
	}

	/** Makes a mark, unless there is one that holds. Throws when the meter cannot be reached. */
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
	 * Takes the mark away, if there may be one. To be called in the turn in which nothing is found open: a write that comes
	 * while this waits makes its mark afterwards. Throws when the meter cannot be reached.
	 */
	async clear(): Promise<void> {
		await this.#callMeter(async ({ user_id, owner, mark, is_marked }) => {
			if (is_marked === 0) return;
			this.expire();
			await meterClient(this.#meters, user_id).unmarkOwner(owner, mark);
			this.#store(mark, false);
		});
	}

	/** Calls in turn: a mark and its removal under way at once could arrive in either order. */
	async #callMeter(call: (row: OwnerRow) => Promise<void>): Promise<void> {
		const turn = this.#lastCall.then(async () => {
			if (!this.#row) return;
			try {
				await call(this.#row);
				this.#backoff.succeeded();
			} catch (error) {
				this.#backoff.failed();
				throw error;
			}
		});
		this.#lastCall = turn.catch(() => undefined);
		await turn;
	}

	#store(mark: number, isMarked: boolean): void {
		if (!this.#row) return;
		this.#row = { ...this.#row, mark, is_marked: isMarked ? 1 : 0 };
		this.#sql.exec("UPDATE owner SET mark = ?, is_marked = ?", mark, this.#row.is_marked);
	}
}

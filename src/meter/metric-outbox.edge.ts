// What a meter has counted for the metrics and the object `Metrics` does not have yet. Sums live in memory; a row keeps them, with the change
// of the requests that they go up to, when a batch is frozen or the meter folds. What came after the row follows from the requests again.
//
// A batch has a number and does not change from then on, so that it may be sent until it is taken, and counts once. A restored meter is
// another source: what its backup had counted was counted by the service that the backup is of.
import type { MetricBatchOfSource, MetricDeltas, MetricSums } from "../telemetry/metric-sums.ts";

export const METRIC_OUTBOX_TABLE = `
	CREATE TABLE unsent_metrics (one INTEGER PRIMARY KEY CHECK (one = 1), source TEXT NOT NULL, number INTEGER NOT NULL, frozen TEXT,
		grown TEXT NOT NULL, changed INTEGER NOT NULL)`;

interface OutboxRow extends Record<string, SqlStorageValue> {
	source: string;
	number: number;
	frozen: string | null;
	grown: string;
	changed: number;
}

export class MetricOutbox {
	readonly #sql: SqlStorage;
	readonly #grown: MetricSums;
	#batch: MetricBatchOfSource | null = null;
	/** Null until there is a row. */
	#source: string | null = null;
	/** Of the last batch. */
	#number = 0;

	/** @param grown empty sums. */
	constructor(sql: SqlStorage, grown: MetricSums) {
		this.#sql = sql;
		this.#grown = grown;
	}

	/** Reads the row. @returns the change that it goes up to; null where there is none. */
	read(): number | null {
		const [row] = this.#sql
			.exec<OutboxRow>("SELECT source, number, frozen, grown, changed FROM unsent_metrics")
			.toArray();
		if (!row) return null;
		this.#source = row.source;
		this.#number = row.number;
		this.#grown.merge(JSON.parse(row.grown) as MetricDeltas);
		if (row.frozen !== null)
			this.#batch = { source: row.source, number: row.number, deltas: JSON.parse(row.frozen) as MetricDeltas };
		return row.changed;
	}

	/** Whether counting has begun. */
	get hasBegun(): boolean {
		return this.#source !== null;
	}

	/** Begins to count behind a change. @param source another one each time that counting begins. */
	begin(source: string, changed: number): void {
		this.#store({ source, number: 0, frozen: null, changed });
		this.#source = source;
	}

	/** What is counted now. */
	get grown(): MetricSums {
		return this.#grown;
	}

	/** Whether anything is to be sent. */
	get hasUnsent(): boolean {
		return this.#source !== null && (this.#batch !== null || !this.#grown.isEmpty);
	}

	#store({ source, number, frozen, changed }: Omit<OutboxRow, "grown" | "frozen"> & { frozen: MetricDeltas | null }) {
		this.#sql.exec(
			"INSERT OR REPLACE INTO unsent_metrics (one, source, number, frozen, grown, changed) VALUES (1, ?, ?, ?, ?, ?)",
			source,
			number,
			frozen && JSON.stringify(frozen),
			JSON.stringify(this.#grown),
			changed,
		);
	}

	/** Keeps what has been counted up to a change. To be called in the transaction of a fold: later, nobody finds the requests before it. */
	keep(changed: number): void {
		if (this.#source === null) return;
		const frozen = this.#batch?.deltas ?? null;
		this.#store({ source: this.#source, number: this.#number, frozen, changed });
	}

	/** The batch to send: the one that was not taken yet, or all that was counted up to now. Null when there is nothing. */
	freeze(changed: number): MetricBatchOfSource | null {
		if (this.#batch || this.#source === null || this.#grown.isEmpty) return this.#batch;
		const batch = { source: this.#source, number: this.#number + 1, deltas: this.#grown.toJSON() };
		this.#sql.exec(
			"UPDATE unsent_metrics SET number = ?, frozen = ?, grown = '{}', changed = ?",
			batch.number,
			JSON.stringify(batch.deltas),
			changed,
		);
		this.#number = batch.number;
		this.#batch = batch;
		this.#grown.clear();
		return batch;
	}

	/** Records that a batch was taken. Its row stays: after a wake-up it is sent once more, which counts nothing. */
	taken({ number }: MetricBatchOfSource): void {
		if (this.#batch?.number === number) this.#batch = null;
	}
}

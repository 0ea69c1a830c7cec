// What a meter has counted for the metrics and the object `Metrics` does not have yet. Sums live in memory; a row keeps them, with the change
// of the requests that they go up to, when a batch is frozen or the meter folds. What came after the row follows from the requests again.
//
// A batch has a number and does not change from then on, so that it may be sent until it is taken, and counts once. A restored meter is
// another source: what its backup had counted was counted by the service that the backup is of.
import type { MetricBatchOfSource, MetricDeltas, MetricSums } from "../telemetry/metric-sums.ts";

interface OutboxRow extends Record<string, SqlStorageValue> {
	source: string;
	number: number;
	frozen: string | null;
	grown: string;
	changed: number;
}

export class MetricOutbox {
	readonly #sql: SqlStorage;
	/** What is counted now. */
	readonly grown: MetricSums;
	/** The batch that was not taken yet, as far as this instance knows. */
	#batch: MetricBatchOfSource | null = null;
	/** Null until there is a row. */
	#source: string | null = null;
	/** Of the last batch. */
	#number = 0;

	/** @param grown empty sums. */
	constructor(sql: SqlStorage, grown: MetricSums) {
		this.#sql = sql;
		this.grown = grown;
	}

	/** Reads the row. @returns the change that it goes up to; null where there is none. */
	read(): number | null {
		const [row] = this.#sql
			.exec<OutboxRow>("SELECT source, number, frozen, grown, changed FROM unsent_metrics")
			.toArray();
		if (!row) return null;
		this.#source = row.source;
		this.#number = row.number;
		this.grown.merge(JSON.parse(row.grown) as MetricDeltas);
		if (row.frozen !== null)
			this.#batch = { source: row.source, number: row.number, deltas: JSON.parse(row.frozen) as MetricDeltas };
		return row.changed;
	}

	/** Whether counting has begun. */
	get hasBegun(): boolean {
		return this.#source !== null;
	}

	/** Begins to count behind a change. @param source a name that no source has had. */
	begin(source: string, changed: number): void {
		this.#sql.exec(
			"INSERT INTO unsent_metrics (one, source, number, frozen, grown, changed) VALUES (1, ?, 0, NULL, '{}', ?)",
			source,
			changed,
		);
		this.#source = source;
	}

	/** Whether anything is to be sent. */
	get hasUnsent(): boolean {
		return this.hasBegun && (this.#batch !== null || !this.grown.isEmpty);
	}

	/** Keeps what has been counted up to a change. To be called in the transaction of a fold: later, nobody finds the requests before it. */
	keep(changed: number): void {
		if (!this.hasBegun) return;
		this.#sql.exec("UPDATE unsent_metrics SET grown = ?, changed = ?", JSON.stringify(this.grown), changed);
	}

	/** The batch to send: the one that was not taken yet, or all that was counted up to a change. Null when there is nothing. */
	freeze(changed: number): MetricBatchOfSource | null {
		if (this.#batch || this.#source === null || this.grown.isEmpty) return this.#batch;
		const batch = { source: this.#source, number: this.#number + 1, deltas: this.grown.toJSON() };
		this.#sql.exec(
			"UPDATE unsent_metrics SET number = ?, frozen = ?, grown = '{}', changed = ?",
			batch.number,
			JSON.stringify(batch.deltas),
			changed,
		);
		this.#number = batch.number;
		this.#batch = batch;
		this.grown.clear();
		return batch;
	}

	/** Records that a batch was taken. Its row stays: after a wake-up it is sent once more, which counts nothing. */
	taken({ number }: MetricBatchOfSource): void {
		if (this.#batch?.number === number) this.#batch = null;
	}
}

// Marks of the owners that hold audit events which D1 does not have, in the meter's SQLite.
import type { MarkedOwner } from "./meter-calls.ts";

export class MarkedOwnerTable {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Marks an owner. The larger number stays. */
	mark(owner: string, mark: number): void {
		this.#sql.exec(
			`INSERT INTO marked_owners (owner, mark) VALUES (?, ?)
			ON CONFLICT (owner) DO UPDATE SET mark = max(mark, excluded.mark)`,
			owner,
			mark,
		);
	}

	/** Removes an owner's marks up to this one; a later one stays. */
	unmark(owner: string, mark: number): void {
		this.#sql.exec("DELETE FROM marked_owners WHERE owner = ? AND mark <= ?", owner, mark);
	}

	/**
	 * Marked owners whose key has a prefix: all, or `limit` of them at random, so that owners which cannot flush do not keep
	 * others from their turn.
	 */
	some(prefix: string, limit: number): MarkedOwner[] {
		const query =
			"SELECT owner, mark FROM marked_owners WHERE substr(owner, 1, length(?1)) = ?1 ORDER BY random() LIMIT ?2";
		const rows = this.#sql.exec<{ owner: string; mark: number }>(query, prefix, limit);
		return [...rows].map(({ owner, mark }) => ({ owner, mark }));
	}
}

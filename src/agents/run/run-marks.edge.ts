// The mark of a run's object at its user's meter (audit/owner-mark.edge.ts), kept as a note. A run that was never marked stores none:
// whose it is follows from the run.
import { renderOwnerKey } from "../../audit/owner.ts";
import type { OwnerRow, OwnerRows } from "../../audit/owner-mark.edge.ts";
import { readNote, writeNote } from "./notes.edge.ts";
import type { RunSpec } from "./run.ts";

const NOTE_NAME = "owner";

export class RunMarks implements OwnerRows {
	#sql: SqlStorage;
	#spec: () => RunSpec | null;

	constructor(sql: SqlStorage, spec: () => RunSpec | null) {
		this.#sql = sql;
		this.#spec = spec;
	}

	read(): OwnerRow | null {
		const note = readNote(this.#sql, NOTE_NAME);
		if (note !== null) return JSON.parse(note) as OwnerRow;
		const spec = this.#spec();
		if (!spec) return null;
		const owner = renderOwnerKey({ kind: "run", id: spec.runId });
		return { user_id: spec.userId, owner, mark: 0, is_marked: 0 };
	}

	write(row: OwnerRow): void {
		writeNote(this.#sql, NOTE_NAME, JSON.stringify(row));
	}
}

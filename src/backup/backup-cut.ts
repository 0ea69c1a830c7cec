// A backup is taken while the service runs: objects first, one after the other, then the tables. This leaves out of the tables what
// the objects in the backup do not know yet. Pure.
import type { BackedUpTable, BackupRow, ObjectRecord } from "./backup.ts";

/** What a meter knew. */
interface MeterCut {
	takenAt: string;
	/** Requests that were under way. */
	open: Set<string>;
}

/** Rows of a table among those of an object. */
function rowsOf({ tables }: ObjectRecord, name: string): BackupRow[] {
	return tables.flatMap(({ table, rows }) => (table === name ? rows : []));
}

/** The number of entries of a chain, by the head that its ledger stored. */
function chainSize(record: ObjectRecord): number {
	const text = rowsOf(record, "head")[0]?.["head"];
	const head: unknown = typeof text === "string" ? JSON.parse(text) : null;
	const size = typeof head === "object" && head !== null ? Reflect.get(head, "size") : null;
	return typeof size === "number" ? size : 0;
}

export class BackupCut {
	#meters = new Map<string, MeterCut>();
	#chainSizes = new Map<string, number>();
	#mirrors = new Map<string, BackupRow>();

	/** Learns what an object knew. To be called for all pages of all objects, before the first row of a table. */
	learn(record: ObjectRecord): void {
		const { class: kind, name } = record;
		if (kind === "AccountMeter") this.#learnMeter(record);
		if (kind === "WorkspaceLedger" && (record.first || rowsOf(record, "head").length > 0))
			this.#chainSizes.set(name, chainSize(record));
		const id = record.mirror?.["id"];
		if (kind === "AgentRun" && typeof id === "string" && record.mirror) this.#mirrors.set(id, record.mirror);
		else if (kind === "AgentRun" && record.first) this.#mirrors.delete(name.replace(/^run:/, ""));
	}

	#learnMeter(record: ObjectRecord): void {
		const known = record.first ? undefined : this.#meters.get(record.name);
		const cut = known ?? { takenAt: new Date(record.taken_at_ms).toISOString(), open: new Set<string>() };
		for (const { request_id: id, closed_at_ms: closed } of rowsOf(record, "slots"))
			if (typeof id === "string" && closed === null) cut.open.add(id);
		this.#meters.set(record.name, cut);
	}

	/** The row as it belongs into the backup; null when it does not. */
	cut(table: BackedUpTable, row: BackupRow): BackupRow | null {
		const userId = String(row[table === "users" ? "id" : "user_id"]);
		const meter = this.#meters.get(userId);
		// A user who came later.
		if (!meter) return null;
		switch (table) {
			case "settlements":
				// What was sealed later is in no total of the meter's, unless its request was under way: the restored meter takes that
				// from the table.
				return String(row["settled_at"]) <= meter.takenAt || meter.open.has(String(row["request_id"])) ? row : null;
			case "handoffs":
				return Number(row["seq"]) < (this.#chainSizes.get(`${userId}/${row["workspace_id"]}`) ?? 0) ? row : null;
			case "agent_runs":
				return this.#mirrors.get(String(row["id"])) ?? row;
			default:
				return row;
		}
	}
}

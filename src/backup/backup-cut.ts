// A backup is taken while the service runs: objects first, one after the other, then the tables. This leaves out of the tables what
// the objects in the backup do not know yet. Pure.
import type { BackedUpTable, BackupRow, ObjectRecord } from "./backup.ts";

interface StoredTables {
	tables: { table: string; columns: string[]; rows: unknown[][] }[];
}

/** The head that a ledger stored, where these rows have it. */
function findHead(rows: string): unknown {
	const { tables } = JSON.parse(rows) as StoredTables;
	const stored = tables.find(({ table }) => table === "head");
	const text = stored?.rows[0]?.[stored.columns.indexOf("head")];
	return typeof text === "string" ? JSON.parse(text) : undefined;
}

/** The number of entries of a chain, by its head. */
function chainSize(head: unknown): number {
	const size = typeof head === "object" && head !== null ? Reflect.get(head, "size") : null;
	return typeof size === "number" ? size : 0;
}

export class BackupCut {
	/** Those whose meters are in the backup. */
	#users = new Set<string>();
	#chainSizes = new Map<string, number>();
	#mirrors = new Map<string, BackupRow>();

	/** Learns what an object knew. To be called for all pages of all objects, before the first row of a table. */
	learn(record: ObjectRecord): void {
		const { class: kind, name } = record;
		if (kind === "AccountMeter") this.#users.add(name);
		const head = kind === "WorkspaceLedger" ? findHead(record.rows) : undefined;
		if (kind === "WorkspaceLedger" && (record.part === 0 || head !== undefined))
			this.#chainSizes.set(name, chainSize(head));
		const id = record.mirror?.["id"];
		if (kind === "AgentRun" && typeof id === "string" && record.mirror) this.#mirrors.set(id, record.mirror);
		else if (kind === "AgentRun") this.#mirrors.delete(name.replace(/^run:/, ""));
	}

	/** The row as it belongs into the backup; null when it does not. */
	cut(table: BackedUpTable, row: BackupRow): BackupRow | null {
		const userId = String(row[table === "users" ? "id" : "user_id"]);
		// A user who came later.
		if (!this.#users.has(userId)) return null;
		switch (table) {
			case "stranded_settlements":
				// The meter may have taken it over after it was read. It does so again.
				return { ...row, taken_at: null };
			case "handoffs":
				return Number(row["seq"]) < (this.#chainSizes.get(`${userId}/${row["workspace_id"]}`) ?? 0) ? row : null;
			case "agent_runs":
				return this.#mirrors.get(String(row["id"])) ?? row;
			default:
				return row;
		}
	}
}

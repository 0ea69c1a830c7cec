// The table `parts` of an AgentRun object: texts and sealed bytes that are too long for a run's row, and notes. It is made by the first of
// them, because most runs have none. Synchronous.
import { hasTable } from "../../durable/table-rows.edge.ts";

const TABLE = "parts";

export const PARTS_TABLE = `CREATE TABLE ${TABLE} (name TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL,
	PRIMARY KEY (name, part)) WITHOUT ROWID`;

/** Stores a part, in the place of the one that is there. */
export function storePart(sql: SqlStorage, name: string, part: number, value: string | ArrayBuffer): void {
	if (!hasTable(sql, TABLE)) sql.exec(PARTS_TABLE);
	sql.exec(`INSERT OR REPLACE INTO ${TABLE} (name, part, text) VALUES (?, ?, ?)`, name, part, value);
}

/** The parts of a name from a number on, in their order. */
export function listParts<Value extends string | ArrayBuffer>(sql: SqlStorage, name: string, from = 0): Value[] {
	if (!hasTable(sql, TABLE)) return [];
	const query = `SELECT text FROM ${TABLE} WHERE name = ? AND part >= ? ORDER BY part`;
	return [...sql.exec<{ text: Value }>(query, name, from)].map(({ text }) => text);
}

/** Deletes the parts of a name, of all names by default, from a number on. */
export function deleteParts(sql: SqlStorage, name: string | null = null, from = 0): void {
	if (hasTable(sql, TABLE)) sql.exec(`DELETE FROM ${TABLE} WHERE name = coalesce(?, name) AND part >= ?`, name, from);
}

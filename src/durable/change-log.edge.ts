// Which rows of an object change while a backup reads it in pages: triggers write their keys into a table. Only an object of more than one
// page has them, from its first page to its last. They write nothing once nobody has asked for a page for ten minutes.
import { columnsOf, hasTable, quoteName, tableNames } from "./table-rows.edge.ts";

/** What the log is for: its name, and until when its triggers write. */
const READS = "backup_reads";
const CHANGES = "backup_changes";
/** From one page to the next, at most, seconds. */
const KEPT_SECONDS = 600;
/** Changes that one query returns. */
const QUERY_CHANGES = 500;

/** A change of a row: its key is one that the row had or has. */
export interface LoggedChange {
	seq: number;
	table: string;
	key: SqlStorageValue[];
}

/** A place in the log of one name. */
export interface LogPlace {
	log: string;
	/** Changes after this one are not read yet. */
	seq: number;
}

export function dropChangeLog(sql: SqlStorage): void {
	if (!hasTable(sql, READS)) return;
	const triggers = sql.exec<{ name: string }>(
		"SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'backup\\_%' ESCAPE '\\'",
	);
	for (const { name } of triggers.toArray()) sql.exec(`DROP TRIGGER ${quoteName(name)}`);
	sql.exec(`DROP TABLE ${CHANGES}; DROP TABLE ${READS}`);
}

/** Whether a log has all changes since it began, and keeps it for five minutes at least. */
export function keepChangeLog(sql: SqlStorage, log: string): boolean {
	if (!hasTable(sql, READS)) return false;
	const [kept] = sql
		.exec<{ rest_s: number }>(`SELECT until_s - unixepoch() AS rest_s FROM ${READS} WHERE log = ?`, log)
		.toArray();
	if (!kept || kept.rest_s <= 0) return false;
	if (kept.rest_s < KEPT_SECONDS / 2) sql.exec(`UPDATE ${READS} SET until_s = unixepoch() + ${KEPT_SECONDS}`);
	return true;
}

/** The place in the log from which on it has all changes. One that another backup began goes on. */
export function openChangeLog(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">): LogPlace {
	const { sql } = storage;
	const known = hasTable(sql, READS) ? sql.exec<{ log: string }>(`SELECT log FROM ${READS}`).one().log : null;
	if (known !== null && keepChangeLog(sql, known)) {
		const { seq } = sql.exec<{ seq: number }>(`SELECT coalesce(max(seq), 0) AS seq FROM ${CHANGES}`).one();
		return { log: known, seq };
	}
	const log = crypto.randomUUID();
	storage.transactionSync(() => {
		dropChangeLog(sql);
		const keys = tableNames(sql).map((table) => ({ table, key: columnsOf(sql, table).key }));
		const longest = Math.max(...keys.map(({ key }) => key.length));
		sql.exec(`CREATE TABLE ${READS} (log TEXT NOT NULL, until_s INTEGER NOT NULL)`);
		sql.exec(`CREATE TABLE ${CHANGES} (seq INTEGER PRIMARY KEY, target TEXT NOT NULL, ${keyNames(longest)})`);
		sql.exec(`INSERT INTO ${READS} VALUES (?, unixepoch() + ${KEPT_SECONDS})`, log);
		for (const { table, key } of keys) createTriggers(sql, table, key);
	});
	return { log, seq: 0 };
}

function keyNames(length: number): string {
	return Array.from({ length }, (_, index) => `key_${index}`).join(", ");
}

function createTriggers(sql: SqlStorage, table: string, key: readonly string[]): void {
	const create = (kind: string, event: string, row: "OLD" | "NEW") =>
		sql.exec(
			`CREATE TRIGGER ${quoteName(`backup_${kind}_${table}`)} AFTER ${event} ON ${quoteName(table)}
				WHEN (SELECT until_s FROM ${READS}) > unixepoch() BEGIN
					INSERT INTO ${CHANGES} (target, ${keyNames(key.length)})
						VALUES ('${table.replaceAll("'", "''")}', ${key.map((name) => `${row}.${quoteName(name)}`).join(", ")});
				END`,
		);
	create("insert", "INSERT", "NEW");
	create("update", "UPDATE", "NEW");
	create("delete", "DELETE", "OLD");
	// A rowid changes under no name of its own.
	if (key[0] !== "rowid") create("move", `UPDATE OF ${key.map(quoteName).join(", ")}`, "OLD");
}

/** Changes behind a place, oldest first. */
export function* changesBehind(sql: SqlStorage, from: number): Generator<LoggedChange> {
	for (let behind = from; ; ) {
		const query = `SELECT * FROM ${CHANGES} WHERE seq > ? ORDER BY seq LIMIT ${QUERY_CHANGES}`;
		const changes = [...sql.exec(query, behind).raw()];
		for (const [seq, table, ...key] of changes) {
			behind = Number(seq);
			yield { seq: behind, table: String(table), key };
		}
		if (changes.length < QUERY_CHANGES) return;
	}
}

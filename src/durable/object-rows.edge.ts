// The rows of an object's tables, read in pages for a backup and put back by a restore. Rows are JSON values, bytes in base64.
import { fromBase64, toBase64 } from "../proof/signing.ts";
import { splitText } from "../text/pieces.ts";
import { hasTables, lastVersion, migrate, SchemaError, schemaAt, type TableSchema } from "./migrations.edge.ts";

/** A value of a row. Only bytes are an object. */
export type RowValue = string | number | null | { base64: string };
export type StoredRow = Record<string, RowValue>;

/** Rows of one table, each with all its columns. */
export interface TableRows {
	table: string;
	rows: StoredRow[];
}

/** One page of an object's rows. */
export interface ObjectPage {
	/** Of its tables (see TableSchema); 0 where it has none. */
	version: number;
	tables: TableRows[];
	/** `after` of the next page; null on the last one. */
	next: string | null;
	/** Differs after every change of a row. Pages with the same text show one moment. */
	state: string;
	/** When the page was read, by the object's clock, ms since the epoch. */
	takenAtMs: number;
}

/** How an object is backed up. */
export interface BackupPlan {
	schema: TableSchema;
	/** Tables of which only some rows are of use, each with the SQL condition for them. */
	conditions?: Readonly<Record<string, string>>;
}

/** JSON of the rows of one page, characters; it ends after the row that reaches this. */
const PAGE_CHARS = 2_000_000;
/** Rows that one query returns. */
const QUERY_ROWS = 200;

/** Holds the rows of a restore until all are there. */
const STAGE = "restored_rows";
/** Names the backup that an object was restored from. */
const ORIGIN = "restored_from";
/** Characters of a piece of a staged row: a value has at most 2 MB. */
const PIECE_CHARS = 500_000;

function toRowValue(value: SqlStorageValue): RowValue {
	return value instanceof ArrayBuffer ? { base64: toBase64(new Uint8Array(value)) } : value;
}

function toSqlValue(value: RowValue): SqlStorageValue {
	if (typeof value !== "object" || value === null) return value;
	const bytes = fromBase64(value.base64);
	if (!bytes) throw new Error("a row of a backup has bytes that are not base64");
	return bytes.buffer;
}

function quoteName(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}

/** An object's tables, but for those that say how they are kept. */
function tableNames(sql: SqlStorage): string[] {
	return sql
		.exec<{ name: string }>(
			`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
				AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT IN ('schema_version', ?, ?) ORDER BY name`,
			STAGE,
			ORIGIN,
		)
		.toArray()
		.map(({ name }) => name);
}

/** The columns that order a table: its primary key, else its rowid. */
function keyColumns(sql: SqlStorage, table: string): string[] {
	const columns = sql
		.exec<{ name: string }>("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)
		.toArray();
	return columns.length > 0 ? columns.map(({ name }) => quoteName(name)) : ["rowid"];
}

/** Where a page ended: behind a row of a table, whose key this is. */
interface Position {
	table: string;
	key: SqlStorageValue[];
}

/** The rows of a table behind a position, in the order of its key, with the key beside each. */
function* rowsBehind(sql: SqlStorage, table: string, key: SqlStorageValue[], condition: string) {
	const columns = keyColumns(sql, table);
	const keys = columns.map((name, index) => `${name} AS key_${index}`).join(", ");
	for (let last = key; ; ) {
		const behind = last.length > 0 ? `(${columns.join(", ")}) > (${columns.map(() => "?").join(", ")})` : "1";
		const query = `SELECT ${keys}, * FROM ${quoteName(table)} WHERE ${behind} AND (${condition})
			ORDER BY ${columns.join(", ")} LIMIT ${QUERY_ROWS}`;
		const page = [...sql.exec(query, ...last).raw()];
		const names = sql
			.exec<{ name: string }>("SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
			.toArray()
			.map(({ name }) => name);
		for (const values of page) {
			last = values.slice(0, columns.length);
			const row = Object.fromEntries(
				names.map((name, index) => [name, toRowValue(values[columns.length + index] ?? null)]),
			);
			yield { row, key: last };
		}
		if (page.length < QUERY_ROWS) return;
	}
}

/**
 * A page of an object's rows, at least one if there are any. Synchronous, so that it shows one moment.
 * @param after `next` of the page before; null for the first.
 */
export function readObjectRows(
	{ sql }: Pick<DurableObjectStorage, "sql">,
	{ conditions = {} }: BackupPlan,
	after: string | null,
): Omit<ObjectPage, "takenAtMs"> {
	const from = after === null ? null : (JSON.parse(after) as Position);
	const names = hasTables({ sql }) ? tableNames(sql).filter((name) => from === null || name >= from.table) : [];
	const tables: TableRows[] = [];
	let chars = 0;
	let next: string | null = null;
	for (const table of names) {
		const rows: StoredRow[] = [];
		const key = from?.table === table ? from.key : [];
		for (const { row, key: last } of rowsBehind(sql, table, key, conditions[table] ?? "1")) {
			rows.push(row);
			chars += JSON.stringify(row).length;
			if (chars < PAGE_CHARS) continue;
			next = JSON.stringify({ table, key: last } satisfies Position);
			break;
		}
		if (rows.length > 0) tables.push({ table, rows });
		if (next !== null) break;
	}
	const version = hasTables({ sql }) ? sql.exec<{ version: number }>("SELECT version FROM schema_version").one() : null;
	const { changes } = sql.exec<{ changes: number }>("SELECT total_changes() AS changes").one();
	return { version: version?.version ?? 0, tables, next, state: String(changes) };
}

function hasTable(sql: SqlStorage, name: string): boolean {
	return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).toArray().length > 0;
}

function hasRows(sql: SqlStorage, table: string): boolean {
	return sql.exec(`SELECT 1 FROM ${quoteName(table)} LIMIT 1`).toArray().length > 0;
}

/** The backup that the object was restored from; null when it was not. */
function restoredFrom(sql: SqlStorage): string | null {
	if (!hasTable(sql, ORIGIN)) return null;
	return sql.exec<{ backup_id: string }>(`SELECT backup_id FROM ${ORIGIN}`).toArray()[0]?.backup_id ?? null;
}

/** What became of rows that were handed to an object. `occupied`: it has rows of its own. */
export type StageVerdict = "staged" | "restored" | "occupied";

/** A part of a backup for one object. */
export interface StagedPart {
	backupId: string;
	/** Place of the part in the backup. The same part has the same number, however often it is sent. */
	part: number;
	version: number;
	tables: TableRows[];
}

/** Keeps rows aside until `applyRows`. Nothing else of the object sees them. Idempotent by the part's number. */
export function stageRows(
	storage: DurableObjectStorage,
	{ backupId, part, version, tables }: StagedPart,
): StageVerdict {
	const { sql } = storage;
	const origin = restoredFrom(sql);
	if (origin !== null) return origin === backupId ? "restored" : "occupied";
	if (!hasTable(sql, STAGE) && tableNames(sql).some((name) => hasRows(sql, name))) return "occupied";
	storage.transactionSync(() => {
		sql.exec(
			`CREATE TABLE IF NOT EXISTS ${STAGE} (part INTEGER, n INTEGER, piece INTEGER, version INTEGER, target TEXT, text TEXT,
				PRIMARY KEY (part, n, piece)) WITHOUT ROWID`,
		);
		let n = 0;
		for (const { table, rows } of tables) {
			for (const row of rows) {
				for (const [piece, text] of splitText(JSON.stringify(row), PIECE_CHARS).entries())
					sql.exec(
						`INSERT OR REPLACE INTO ${STAGE} (part, n, piece, version, target, text) VALUES (?, ?, ?, ?, ?, ?)`,
						part,
						n,
						piece,
						version,
						table,
						text,
					);
				n++;
			}
		}
	});
	return "staged";
}

/** Staged rows in the order of the backup. */
function* stagedRows(sql: SqlStorage): Generator<{ table: string; row: StoredRow }> {
	const places = sql.exec<{ part: number; n: number; target: string }>(
		`SELECT DISTINCT part, n, target FROM ${STAGE} ORDER BY part, n`,
	);
	for (const { part, n, target } of places.toArray()) {
		const pieces = sql.exec<{ text: string }>(
			`SELECT text FROM ${STAGE} WHERE part = ? AND n = ? ORDER BY piece`,
			part,
			n,
		);
		const text = [...pieces].map(({ text: piece }) => piece).join("");
		yield { table: target, row: JSON.parse(text) as StoredRow };
	}
}

/**
 * Makes the staged rows the object's own, in one transaction. Idempotent. The object must begin anew afterwards.
 * @param finish what else belongs to the transaction; called when there are rows.
 * @returns false when the object has no staged rows and was not restored from this backup.
 * @throws SchemaError when the rows are of a later version than the schema.
 */
export function applyRows(
	storage: DurableObjectStorage,
	schema: TableSchema,
	backupId: string,
	finish: () => void,
): boolean {
	const { sql } = storage;
	if (restoredFrom(sql) === backupId) return true;
	if (!hasTable(sql, STAGE)) return false;
	storage.transactionSync(() => {
		const staged = sql.exec<{ version: number | null }>(`SELECT max(version) AS version FROM ${STAGE}`).one();
		const version = staged.version ?? 0;
		if (version > lastVersion(schema))
			throw new SchemaError(
				`the backup's ${schema.name} is at version ${version} and this code knows ${lastVersion(schema)}`,
			);
		// An object that was only asked has empty tables, perhaps of another version.
		for (const table of tableNames(sql)) sql.exec(`DROP TABLE ${quoteName(table)}`);
		sql.exec("DROP TABLE IF EXISTS schema_version");
		migrate(storage, schemaAt(schema, version));
		for (const { table, row } of stagedRows(sql)) {
			const columns = Object.keys(row);
			sql.exec(
				`INSERT OR REPLACE INTO ${quoteName(table)} (${columns.map(quoteName).join(", ")})
					VALUES (${columns.map(() => "?").join(", ")})`,
				...Object.values(row).map(toSqlValue),
			);
		}
		sql.exec(`DROP TABLE ${STAGE}`);
		sql.exec(`CREATE TABLE ${ORIGIN} (one INTEGER PRIMARY KEY CHECK (one = 1), backup_id TEXT NOT NULL)`);
		sql.exec(`INSERT INTO ${ORIGIN} VALUES (1, ?)`, backupId);
		finish();
	});
	return true;
}

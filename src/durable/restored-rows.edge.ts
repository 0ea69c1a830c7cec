// The rows of a backup on their way into an object, part by part, each in one transaction. They stand in the object's tables under other
// names, so that it is empty to everybody until the last part is there. Then the tables get their names: that costs the same with ten
// rows and ten million. Indexes that a schema names are made then, because a name cannot be there twice.
import {
	FIRST_VERSION,
	hasTables,
	lastVersion,
	migrate,
	schemaAt,
	storeVersion,
	type TableSchema,
} from "./migrations.edge.ts";
import {
	hasTable,
	quoteName,
	quoteNames,
	type RowChanges,
	type TableRows,
	tableNames,
	toSqlValue,
} from "./table-rows.edge.ts";

/** The backup that an object is being restored from, or was. */
const ORIGIN = "backup_origin";
const ASIDE = "backup_rows_";

/** A part of a backup for one object. */
export interface BackupPart {
	backupId: string;
	/** Its number among the object's parts, from 0. */
	part: number;
	/** Of the tables. */
	version: number;
	/** RowChanges as JSON. */
	rows: string;
}

/**
 * What became of a part. `restored`: the object has all of this backup. `occupied`: it has rows of its own, or of another backup. `missing`: an
 * earlier part is. `unknown_version`: this code does not know such tables.
 */
export type PartVerdict = "taken" | "restored" | "occupied" | "missing" | "unknown_version";

interface Origin {
	backup_id: string;
	version: number;
	/** How many are there. */
	parts: number;
	/** SQL of the indexes that are made at the end, as JSON. */
	indexes: string;
	is_whole: number;
}

function findOrigin(sql: SqlStorage): Origin | undefined {
	if (!hasTable(sql, ORIGIN)) return undefined;
	return sql
		.exec<Origin & Record<string, SqlStorageValue>>(
			`SELECT backup_id, version, parts, indexes, is_whole FROM ${ORIGIN}`,
		)
		.toArray()[0];
}

function hasRows(sql: SqlStorage): boolean {
	return tableNames(sql).some((table) => sql.exec(`SELECT 1 FROM ${quoteName(table)} LIMIT 1`).toArray().length > 0);
}

function dropTables(sql: SqlStorage): void {
	for (const table of tableNames(sql)) sql.exec(`DROP TABLE ${quoteName(table)}`);
	sql.exec("DROP TABLE IF EXISTS schema_version");
}

function isKnownVersion(schema: TableSchema, version: number): boolean {
	return version === 0 || (version >= FIRST_VERSION && version <= lastVersion(schema));
}

/** Makes empty tables of a version under their other names. An object that was only asked has empty tables of its own. */
function beginParts(
	storage: DurableObjectStorage,
	schema: TableSchema,
	{ backupId, version }: Pick<BackupPart, "backupId" | "version">,
): void {
	const { sql } = storage;
	const hadTables = hasTables(storage);
	dropTables(sql);
	migrate(storage, schemaAt(schema, version));
	const indexes = sql
		.exec<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
		.toArray();
	for (const { name } of indexes) sql.exec(`DROP INDEX ${quoteName(name)}`);
	for (const table of tableNames(sql))
		sql.exec(`ALTER TABLE ${quoteName(table)} RENAME TO ${quoteName(ASIDE + table)}`);
	sql.exec("DROP TABLE IF EXISTS schema_version");
	if (hadTables) migrate(storage, schema);
	sql.exec(
		`CREATE TABLE ${ORIGIN} (one INTEGER PRIMARY KEY CHECK (one = 1), backup_id TEXT NOT NULL, version INTEGER NOT NULL,
			parts INTEGER NOT NULL, indexes TEXT NOT NULL, is_whole INTEGER NOT NULL)`,
	);
	const statements = JSON.stringify(indexes.map((index) => index.sql));
	sql.exec(`INSERT INTO ${ORIGIN} VALUES (1, ?, ?, 0, ?, 0)`, backupId, version, statements);
}

function places(columns: readonly string[]): string {
	return columns.map(() => "?").join(", ");
}

/** Makes a table that no version of a schema has by itself, under its other name, where it is not there. */
function makeOptional(sql: SqlStorage, { optional }: TableSchema, table: string): void {
	const statement = optional?.[table];
	if (statement !== undefined && !hasTable(sql, ASIDE + table)) sql.exec(statement.replace(table, ASIDE + table));
}

function putRows(sql: SqlStorage, { table, columns, rows }: TableRows): void {
	const query = `INSERT OR REPLACE INTO ${quoteName(ASIDE + table)} (${quoteNames(columns)}) VALUES (${places(columns)})`;
	for (const row of rows) sql.exec(query, ...row.map(toSqlValue));
}

function removeRows(sql: SqlStorage, { table, columns, rows }: TableRows): void {
	const query = `DELETE FROM ${quoteName(ASIDE + table)} WHERE (${quoteNames(columns)}) = (${places(columns)})`;
	for (const row of rows) sql.exec(query, ...row.map(toSqlValue));
}

/** Puts the rows of a part where nothing else of the object sees them. One that is there already changes nothing. */
export function takePart(storage: DurableObjectStorage, schema: TableSchema, part: BackupPart): PartVerdict {
	const { sql } = storage;
	const origin = findOrigin(sql);
	if (origin ? origin.backup_id !== part.backupId : hasRows(sql)) return "occupied";
	if (origin?.is_whole) return "restored";
	const parts = origin?.parts ?? 0;
	if (part.part !== parts) return part.part < parts ? "taken" : "missing";
	if (!isKnownVersion(schema, part.version)) return "unknown_version";
	storage.transactionSync(() => {
		if (!origin) beginParts(storage, schema, part);
		const { tables, removed } = JSON.parse(part.rows) as RowChanges;
		for (const rows of tables) {
			makeOptional(sql, schema, rows.table);
			putRows(sql, rows);
		}
		for (const rows of removed) removeRows(sql, rows);
		sql.exec(`UPDATE ${ORIGIN} SET parts = ?`, parts + 1);
	});
	return "taken";
}

/**
 * Makes the rows of all parts the object's own, in one small transaction. Idempotent. The object must begin anew afterwards.
 * @param parts how many there are.
 * @param adapt what else belongs to the transaction.
 * @returns false when not all of them are there.
 */
export function finishParts(
	storage: DurableObjectStorage,
	{ backupId, parts }: { backupId: string; parts: number },
	adapt: () => void,
): boolean {
	const { sql } = storage;
	const origin = findOrigin(sql);
	if (origin?.backup_id !== backupId || origin.parts !== parts) return false;
	if (origin.is_whole) return true;
	storage.transactionSync(() => {
		dropTables(sql);
		const aside = sql.exec<{ name: string }>(
			"SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?",
			ASIDE.length,
			ASIDE,
		);
		for (const { name } of aside.toArray())
			sql.exec(`ALTER TABLE ${quoteName(name)} RENAME TO ${quoteName(name.slice(ASIDE.length))}`);
		for (const statement of JSON.parse(origin.indexes) as string[]) sql.exec(statement);
		storeVersion(sql, origin.version);
		sql.exec(`UPDATE ${ORIGIN} SET is_whole = 1`);
		adapt();
	});
	return true;
}

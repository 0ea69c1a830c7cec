// Tables of an object and their rows as JSON values, bytes in base64, for backups. Names that begin with `backup_` are of backup and
// restore themselves.
import { fromBase64, toBase64 } from "../proof/signing.ts";

/** A value of a row. Only bytes are an object. */
export type RowValue = string | number | null | { base64: string };

/** Rows of one table: of each the values of some columns, all of them or those of the key. */
export interface TableRows {
	table: string;
	columns: string[];
	rows: RowValue[][];
}

/** What a part of a backup says of an object's rows. */
export interface RowChanges {
	/** Rows as they are now. */
	tables: TableRows[];
	/** Keys of rows that are not there any more. */
	removed: TableRows[];
}

export function toRowValue(value: SqlStorageValue): RowValue {
	return value instanceof ArrayBuffer ? { base64: toBase64(new Uint8Array(value)) } : value;
}

export function toSqlValue(value: RowValue): SqlStorageValue {
	if (typeof value !== "object" || value === null) return value;
	const bytes = fromBase64(value.base64);
	if (!bytes) throw new Error("a row of a backup has bytes that are not base64");
	return bytes.buffer;
}

export function quoteName(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}

export function quoteNames(names: readonly string[]): string {
	return names.map(quoteName).join(", ");
}

/** An object's tables, but for those that say how they are kept. */
export function tableNames(sql: SqlStorage): string[] {
	return sql
		.exec<{ name: string }>(
			`SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_version' AND name NOT LIKE 'backup\\_%' ESCAPE '\\'
				AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name`,
		)
		.toArray()
		.map(({ name }) => name);
}

export function hasTable(sql: SqlStorage, name: string): boolean {
	return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).toArray().length > 0;
}

export interface TableColumns {
	/** The columns that order a table: its primary key, else its rowid. */
	key: string[];
	/** All columns, and the rowid where that is the key. */
	all: string[];
}

export function columnsOf(sql: SqlStorage, table: string): TableColumns {
	const columns = sql
		.exec<{ name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", table)
		.toArray();
	const key = columns
		.filter(({ pk }) => pk > 0)
		.sort((a, b) => a.pk - b.pk)
		.map(({ name }) => name);
	const all = columns.map(({ name }) => name);
	return key.length > 0 ? { key, all } : { key: ["rowid"], all: ["rowid", ...all] };
}

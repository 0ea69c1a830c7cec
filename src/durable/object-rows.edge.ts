// The rows of an object's tables, read in pages for a backup while the object goes on working: first all rows by their keys, then those that
// have changed meanwhile, until a page has all that are left. Then all pages together are the object as of its last page: what a
// later page says of a row holds. That page comes when less changes from one page to the next than a page holds, a fifth of a megabyte: an
// object would have to change megabytes a second to go on forever.
import {
	changesBehind,
	dropChangeLog,
	keepChangeLog,
	type LoggedChange,
	type LogPlace,
	openChangeLog,
} from "./change-log.edge.ts";
import { hasTables, type TableSchema } from "./migrations.edge.ts";
import {
	columnsOf,
	quoteName,
	quoteNames,
	type RowValue,
	type TableColumns,
	tableNames,
	toRowValue,
	toSqlValue,
} from "./table-rows.edge.ts";

/** One page of an object's rows. */
export interface ObjectPage {
	/** Of its tables (see TableSchema); 0 where it has none. */
	version: number;
	/** RowChanges as JSON, which only an object that is restored takes apart: a tenth of the work of passing them on as values. */
	rows: string;
	/** `after` of the next page; null on the last one. */
	next: string | null;
	/** Whether the object's rows begin with this page. Then earlier ones are void: what changed since is not known. */
	isFirst: boolean;
	/** When the page was read, by the object's clock, ms since the epoch. */
	takenAtMs: number;
}

/** How an object is backed up. */
export interface BackupPlan {
	schema: TableSchema;
	/** Tables of which only some rows are of use, each with the SQL condition for them. */
	conditions?: Readonly<Record<string, string>>;
}

/** JSON of the rows of one page, characters; it ends after the row that reaches this. Other work of the object waits for it. */
const PAGE_CHARS = 200_000;
/** Changes of one page. */
const PAGE_CHANGES = 5_000;
/** Rows that one query returns. One may have two megabytes. */
const QUERY_ROWS = 16;

/** A row of a table, by its key. */
interface RowPlace {
	table: string;
	key: RowValue[];
}

/** Where a page ended. */
interface Position extends LogPlace {
	/** The last row that was read by key; absent when all were. */
	row?: RowPlace;
}

type SyncStorage = Pick<DurableObjectStorage, "sql" | "transactionSync">;

/** Rows of one page as JSON, by table. */
class PageRows {
	#tables = new Map<string, { columns: readonly string[]; rows: string[] }>();
	#chars = 0;

	add(table: string, columns: readonly string[], row: readonly RowValue[]): void {
		const { rows } = this.#tables.get(table) ?? { rows: [] as string[] };
		const text = JSON.stringify(row);
		rows.push(text);
		this.#tables.set(table, { columns, rows });
		this.#chars += text.length;
	}

	get isFull(): boolean {
		return this.#chars >= PAGE_CHARS;
	}

	/** A list of TableRows. */
	toJson(): string {
		const tables = [...this.#tables].map(
			([table, { columns, rows }]) =>
				`{"table":${JSON.stringify(table)},"columns":${JSON.stringify(columns)},"rows":[${rows.join(",")}]}`,
		);
		return `[${tables.join(",")}]`;
	}
}

class PageReader {
	#sql: SqlStorage;
	#conditions: Readonly<Record<string, string>>;
	#columns = new Map<string, TableColumns>();
	#rows = new PageRows();
	#removed = new PageRows();

	constructor(sql: SqlStorage, conditions: Readonly<Record<string, string>>) {
		this.#sql = sql;
		this.#conditions = conditions;
	}

	#columnsOf(table: string): TableColumns {
		const columns = this.#columns.get(table) ?? columnsOf(this.#sql, table);
		this.#columns.set(table, columns);
		return columns;
	}

	#keyOf(table: string, row: readonly RowValue[]): RowValue[] {
		const { key, all } = this.#columnsOf(table);
		return key.map((name) => row[all.indexOf(name)] ?? null);
	}

	/** The rows of a table behind a key that meet its condition, in the order of their keys. */
	*#rowsBehind(table: string, from: readonly RowValue[]): Generator<RowValue[]> {
		const { key, all } = this.#columnsOf(table);
		for (let last = from; ; ) {
			const behind = last.length > 0 ? `(${quoteNames(key)}) > (${key.map(() => "?").join(", ")})` : "1";
			const query = `SELECT ${quoteNames(all)} FROM ${quoteName(table)} WHERE ${behind} AND (${this.#conditions[table] ?? "1"})
				ORDER BY ${quoteNames(key)} LIMIT ${QUERY_ROWS}`;
			const found = [...this.#sql.exec(query, ...last.map(toSqlValue)).raw()];
			for (const values of found) {
				const row = values.map(toRowValue);
				last = this.#keyOf(table, row);
				yield row;
			}
			if (found.length < QUERY_ROWS) return;
		}
	}

	/** Adds rows in the order of tables and keys. Returns the last one where others are left. */
	addBehind(from: RowPlace | null): RowPlace | null {
		for (const table of tableNames(this.#sql)) {
			if (from && table < from.table) continue;
			const { all } = this.#columnsOf(table);
			for (const row of this.#rowsBehind(table, from?.table === table ? from.key : [])) {
				this.#rows.add(table, all, row);
				if (this.#rows.isFull) return { table, key: this.#keyOf(table, row) };
			}
		}
		return null;
	}

	/** Adds rows that have changed, as they are now. Returns the last change that was read where others are left. */
	addChanged(from: number): number | null {
		const seen = new Set<string>();
		let changes = 0;
		let last = from;
		for (const change of changesBehind(this.#sql, from)) {
			if (this.#rows.isFull || this.#removed.isFull || changes === PAGE_CHANGES) return last;
			const place = JSON.stringify([change.table, change.key.map(toRowValue)]);
			if (!seen.has(place)) this.#addChange(change);
			seen.add(place);
			changes++;
			last = change.seq;
		}
		return null;
	}

	/** RowChanges as JSON. */
	toJson(): string {
		return `{"tables":${this.#rows.toJson()},"removed":${this.#removed.toJson()}}`;
	}

	#addChange({ table, key: values }: LoggedChange): void {
		const { key, all } = this.#columnsOf(table);
		const bound = values.slice(0, key.length);
		const isIt = key.map((name) => `${quoteName(name)} = ?`).join(" AND ");
		const query = `SELECT ${quoteNames(all)} FROM ${quoteName(table)} WHERE ${isIt} AND (${this.#conditions[table] ?? "1"})`;
		const [found] = [...this.#sql.exec(query, ...bound).raw()];
		if (found) this.#rows.add(table, all, found.map(toRowValue));
		else this.#removed.add(table, key, bound.map(toRowValue));
	}
}

/** Where to go on; null for the first page, and where changes since the page before are not known. */
function positionBehind(sql: SqlStorage, after: string | null): Position | null {
	const position = after === null ? null : (JSON.parse(after) as Position);
	return position && keepChangeLog(sql, position.log) ? position : null;
}

/**
 * A page of an object's rows. Synchronous, so that it shows one moment.
 * @param after `next` of the page before; null for the first.
 */
export function readObjectRows(
	storage: SyncStorage,
	{ conditions = {} }: BackupPlan,
	after: string | null,
): Omit<ObjectPage, "takenAtMs"> {
	const { sql } = storage;
	const reader = new PageReader(sql, conditions);
	if (!hasTables(storage)) return { version: 0, rows: reader.toJson(), next: null, isFirst: true };
	const from = positionBehind(sql, after);
	let next: Position | null = null;
	const row = from && !from.row ? null : reader.addBehind(from?.row ?? null);
	if (row) next = { ...(from ?? openChangeLog(storage)), row };
	else if (from) {
		const seq = reader.addChanged(from.seq);
		if (seq === null) dropChangeLog(sql);
		else next = { log: from.log, seq };
	}
	const { version } = sql.exec<{ version: number }>("SELECT version FROM schema_version").one();
	return { version, rows: reader.toJson(), next: next && JSON.stringify(next), isFirst: from === null };
}

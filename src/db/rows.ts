// Rows as one JSON parameter: D1 takes 100 parameters a query, and this is one for any number of rows.
import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** A SELECT that yields rows of `table` from a JSON array of objects under its column names. */
export function rowsFromJson(table: SQLiteTable, rows: readonly object[]): SQL {
	const columns = Object.values(getTableColumns(table)).map(({ name }) => sql.raw(`value->>'${name}'`));
	// WHERE true keeps SQLite from reading ON CONFLICT as part of a join.
	return sql`SELECT ${sql.join(columns, sql`, `)} FROM json_each(${JSON.stringify(rows)}) WHERE true`;
}

/** A list of texts as one parameter, to be read from. */
export function jsonList(texts: readonly string[]): SQL {
	return sql`(SELECT value FROM json_each(${JSON.stringify(texts)}))`;
}

/** Whether a column has one of some texts. A single one is compared, so that an index by the column keeps its order. */
export function isOneOf(column: SQLiteColumn, texts: readonly string[]): SQL {
	const [first] = texts;
	return first !== undefined && texts.length === 1 ? eq(column, first) : inArray(column, jsonList(texts));
}

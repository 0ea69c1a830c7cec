// Rows as one JSON parameter: D1 takes 100 parameters a query, and this is one for any number of rows.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** A SELECT that yields rows of `table` from a JSON array of objects under its column names. */
export function rowsFromJson(table: SQLiteTable, rows: readonly object[]): SQL {
	const columns = Object.values(getTableColumns(table)).map(({ name }) => sql.raw(`value->>'${name}'`));
	// WHERE true keeps SQLite from reading ON CONFLICT as part of a join.
	return sql`SELECT ${sql.join(columns, sql`, `)} FROM json_each(${JSON.stringify(rows)}) WHERE true`;
}

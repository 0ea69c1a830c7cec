// Where the names of an expression of the tool compute are looked up. Pure.
import type { Table, Value } from "./value.ts";

export interface NameScope {
	/** Places of the columns; null outside of rows. */
	columns: ReadonlyMap<string, number> | null;
	row: readonly Value[] | null;
	/** The rows that aggregates are made of. */
	group: readonly (readonly Value[])[] | null;
}

export const OUTSIDE: NameScope = { columns: null, row: null, group: null };

export function columnPlaces({ columns }: Table): ReadonlyMap<string, number> {
	return new Map(columns.map((column, place) => [column, place]));
}

/** A whole table as a group. */
export function groupScope(table: Table): NameScope {
	return { columns: columnPlaces(table), row: null, group: table.rows };
}

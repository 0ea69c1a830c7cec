// Looking a written name up in a table: `constructor` is a name people can write, not an entry.

/** The table's own entry of that name. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
	return Object.hasOwn(table, name) ? table[name] : undefined;
}

// The SQLite storage of an object over a database of Node's, for code that runs without workerd.
import type { DatabaseSync, StatementSync } from "node:sqlite";

type Value = string | number | null | ArrayBuffer;

/** The part of an object's storage that works with rows. A database is committed by its owner. */
export function sqliteStorage(db: DatabaseSync): DurableObjectStorage {
	const statements = new Map<string, StatementSync>();
	const exec = (query: string, ...values: Value[]) => {
		if (values.length === 0 && query.includes(";")) {
			db.exec(query);
			return Object.assign([].values(), { toArray: () => [], one: () => undefined });
		}
		const statement = statements.get(query) ?? db.prepare(query);
		statements.set(query, statement);
		const rows = statement.all(
			...values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value)),
		);
		return Object.assign(rows.values(), { toArray: () => rows, one: () => rows[0] });
	};
	return { sql: { exec }, transactionSync: (work: () => unknown) => work() } as unknown as DurableObjectStorage;
}

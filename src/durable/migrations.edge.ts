// Versions of an object's tables, brought up to date step by step when the object wakes. Durable Object SQLite refuses
// PRAGMA user_version, so the version stands in a table of its own.

/** Makes the tables of one version out of those of the version before, rows included. Synchronous, so that it is one transaction. */
export type MigrationStep = (sql: SqlStorage) => void;

/** The tables of one class of objects. */
export interface TableSchema {
	/** Whose they are, for messages. */
	name: string;
	/** A table that objects have had from the first version on. */
	firstTable: string;
	/**
	 * Step n makes version n, the first one out of nothing. A released step never changes: objects are at every version.
	 * The first completes what it finds, because objects from before versions were kept may have any part of its tables.
	 */
	steps: readonly MigrationStep[];
}

/** An object's tables cannot be used by this code; they are as they were. */
export class SchemaError extends Error {
	override name = "SchemaError";
}

const VERSION_TABLE = "schema_version";

function hasTable(sql: SqlStorage, name: string): boolean {
	return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).toArray().length > 0;
}

/** Whether an object has tables at all, of whatever version. */
export function hasTables({ sql }: Pick<DurableObjectStorage, "sql">, { firstTable }: TableSchema): boolean {
	return hasTable(sql, firstTable) || hasTable(sql, VERSION_TABLE);
}

/** The version that is written down; 0 where none is. */
function versionOf(sql: SqlStorage): number {
	if (!hasTable(sql, VERSION_TABLE)) return 0;
	return sql.exec<{ version: number }>(`SELECT version FROM ${VERSION_TABLE}`).one().version;
}

function setVersion(sql: SqlStorage, version: number): void {
	sql.exec(
		`CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL)`,
	);
	sql.exec(`INSERT OR REPLACE INTO ${VERSION_TABLE} (one, version) VALUES (1, ?)`, version);
}

/**
 * Brings an object's tables to the last version of the schema, each step with its version in one transaction.
 * @throws SchemaError when the tables are newer than the schema, which knows nothing of what they promise, or when a step
 * fails; what the steps before it made stays.
 */
export function migrate(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">, schema: TableSchema): void {
	const { name, steps } = schema;
	const found = versionOf(storage.sql);
	if (found > steps.length) {
		throw new SchemaError(`the tables of this ${name} are at version ${found} and this code knows ${steps.length}`);
	}
	for (const [index, step] of steps.entries()) {
		const version = index + 1;
		if (version <= found) continue;
		try {
			storage.transactionSync(() => {
				step(storage.sql);
				setVersion(storage.sql, version);
			});
		} catch (cause) {
			throw new SchemaError(`the tables of this ${name} did not come to version ${version}`, { cause });
		}
	}
}

// The versions of an object's tables, migrated step by step when the object wakes. Durable Object SQLite refuses
// PRAGMA user_version, so the version stands in a table of its own.
import { FORMER_VERSION } from "../former-version.ts";
import { dropChangeLog } from "./change-log.edge.ts";

/** Turns the tables of one version into those of the next, rows included. Synchronous, so that it is one transaction. */
export type MigrationStep = (sql: SqlStorage) => void;

/** The tables of one class of objects. */
export interface TableSchema {
	/** What the objects are called in messages. */
	name: string;
	/**
	 * Each makes the next version, and the first makes FIRST_VERSION from nothing. A released step never changes, because objects are at
	 * every version.
	 */
	steps: readonly MigrationStep[];
	/** Makes the tables of a version at once, for an object that has none: without those that its steps make and drop. */
	fresh?: { version: number; make: MigrationStep };
	/** SQL of tables that an object makes when it needs them, by name. */
	optional?: Readonly<Record<string, string>>;
}

/** What the first step makes. Lower versions are those of FORMER_VERSION, whose steps are gone. */
export const FIRST_VERSION = 100;

/** This code cannot use an object's tables. They are unchanged. */
export class SchemaError extends Error {
	override name = "SchemaError";
}

const VERSION_TABLE = "schema_version";

/** The version that all steps of a schema make together; 0 without any. */
export function lastVersion({ steps }: TableSchema): number {
	return steps.length === 0 ? 0 : FIRST_VERSION + steps.length - 1;
}

/** A schema as it was when this version was its last. */
export function schemaAt(schema: TableSchema, version: number): TableSchema {
	return { ...schema, steps: schema.steps.slice(0, Math.max(0, version - FIRST_VERSION + 1)) };
}

/** Whether an object has tables, of whatever version. */
export function hasTables({ sql }: Pick<DurableObjectStorage, "sql">): boolean {
	return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", VERSION_TABLE).toArray().length > 0;
}

function storedVersion(storage: Pick<DurableObjectStorage, "sql">): number {
	if (!hasTables(storage)) return 0;
	return storage.sql.exec<{ version: number }>(`SELECT version FROM ${VERSION_TABLE}`).one().version;
}

/** Records that the tables are those of a version. */
export function storeVersion(sql: SqlStorage, version: number): void {
	sql.exec(
		`CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL)`,
	);
	sql.exec(`INSERT OR REPLACE INTO ${VERSION_TABLE} (one, version) VALUES (1, ?)`, version);
}

/**
 * Migrates an object's tables to the last version of the schema. Each step and its version are one transaction.
 * @throws SchemaError when the tables are newer than the schema or those of FORMER_VERSION, or when a step fails. The steps before it
 * stay.
 */
export function migrate(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">, schema: TableSchema): void {
	const { name, steps, fresh } = schema;
	const last = lastVersion(schema);
	let found = storedVersion(storage);
	if (found > last)
		throw new SchemaError(`the tables of this ${name} are at version ${found} and this code knows ${last}`);
	if (found > 0 && found < FIRST_VERSION)
		throw new SchemaError(
			`the tables of this ${name} were made by ${FORMER_VERSION}, and this code does not read them: begin with an empty state or deployment`,
		);
	// Its triggers name the tables as they were.
	if (found < last) dropChangeLog(storage.sql);
	const take = (version: number, step: MigrationStep) => {
		try {
			storage.transactionSync(() => {
				step(storage.sql);
				storeVersion(storage.sql, version);
			});
		} catch (cause) {
			throw new SchemaError(`the tables of this ${name} did not come to version ${version}`, { cause });
		}
		found = version;
	};
	if (found === 0 && fresh && fresh.version <= last) take(fresh.version, fresh.make);
	for (const [index, step] of steps.entries()) if (FIRST_VERSION + index > found) take(FIRST_VERSION + index, step);
}

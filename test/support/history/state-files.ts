// The database files of a local state, while no service runs on it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The database files of a kind of objects in a state. */
export function databaseFiles(stateDir: string, kind: string): string[] {
	const dir = join(stateDir, "v3", kind);
	return readdirSync(dir)
		.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
		.map((name) => join(dir, name));
}

/** The file of D1. */
export function d1File(stateDir: string): string {
	const [file] = databaseFiles(stateDir, "d1/miniflare-D1DatabaseObject");
	if (file === undefined) throw new Error("the state has no database");
	return file;
}

/** The file of the meter whose account row fulfils a condition in SQL. */
export function meterFile(stateDir: string, condition: string): string {
	const found = databaseFiles(stateDir, "do/svc-AccountMeter").find((file) => {
		const db = new DatabaseSync(file, { readOnly: true });
		try {
			return db.prepare(`SELECT 1 FROM account WHERE ${condition}`).get() !== undefined;
		} finally {
			db.close();
		}
	});
	if (found === undefined) throw new Error("the state has no such meter");
	return found;
}

/** Works with a database, as one transaction. */
export function inDatabase<T>(file: string, work: (db: DatabaseSync) => T): T {
	const db = new DatabaseSync(file);
	try {
		db.exec("PRAGMA synchronous = OFF; BEGIN");
		const result = work(db);
		db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
		return result;
	} finally {
		db.close();
	}
}

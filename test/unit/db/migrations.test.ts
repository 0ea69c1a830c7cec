// What the migrations make. Plain SQLite; how D1 applies them is the workers tests' matter.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as schema from "../../../src/db/schema.ts";
import { isFormerDatabase } from "../../../src/former-version.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../migrations");
const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));

function migrated(): DatabaseSync {
	const db = new DatabaseSync(":memory:");
	for (const file of files) db.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
	return db;
}

describe("the migrations", () => {
	it("make every table once", () => {
		const made = files.flatMap((file) =>
			[...readFileSync(join(MIGRATIONS, file), "utf8").matchAll(/CREATE TABLE `(\w+)`/g)].map(([, name]) => name),
		);
		expect(made.toSorted()).toEqual(tables.map(getTableName).toSorted());
		expect(files.map((file) => Number.parseInt(file, 10))).toEqual([...files.keys()]);
	});

	it("have none of the names that tell a database of a former version", () => {
		expect(files.filter((file) => isFormerDatabase([file]))).toEqual([]);
	});

	it.each(tables.map((table) => [getTableName(table), table] as const))(
		"make %s as the code knows it",
		(name, table) => {
			const columns = migrated()
				.prepare('SELECT name, lower(type) AS type, "notnull" AS is_required FROM pragma_table_info(?)')
				.all(name);
			const known = Object.values(getTableColumns(table));
			expect(columns).toEqual(
				known.map((column) => ({ name: column.name, type: column.getSQLType(), is_required: column.notNull ? 1 : 0 })),
			);
		},
	);

	it.each(["usage_days", "stranded_settlements"])("make %s without rowids: a row of it is one row written", (name) => {
		expect(migrated().prepare("SELECT wr FROM pragma_table_list WHERE name = ?").get(name)).toEqual({ wr: 1 });
	});

	it.each([
		["handoffs", "handoffs are append-only"],
		["audit_events", "audit events are append-only"],
	])("let nobody change or remove rows of %s, and skip one that is added again", (table, refusal) => {
		const db = migrated();
		const columns = db.prepare('SELECT name, "notnull" AS is_required FROM pragma_table_info(?)').all(table);
		const names = columns.map(({ name }) => name).join();
		const values = columns.map(({ is_required }) => (is_required ? "'1'" : "NULL")).join();
		const insert = (verb: string) => db.exec(`${verb} INTO ${table} (${names}) VALUES (${values})`);
		insert("INSERT");
		insert("INSERT");
		insert("INSERT OR REPLACE");
		expect(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 1 });
		expect(() => db.exec(`UPDATE ${table} SET user_id = 'other'`)).toThrow(refusal);
		expect(() => db.exec(`DELETE FROM ${table}`)).toThrow(refusal);
	});
});

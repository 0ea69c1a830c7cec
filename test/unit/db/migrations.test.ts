// What the migrations make. Plain SQLite; how D1 applies them is the workers tests' matter.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as schema from "../../../src/db/schema.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../migrations");
const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));

function migrated(): DatabaseSync {
	const db = new DatabaseSync(":memory:");
	for (const file of files) db.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
	return db;
}

describe("the migrations", () => {
	it("make each table in a file named after it, and change tables in files of their own", () => {
		const makes = (file: string) =>
			[...readFileSync(join(MIGRATIONS, file), "utf8").matchAll(/CREATE TABLE `(\w+)`/g)].map(([, name]) => name);
		const makers = files.filter((file) => makes(file).length > 0);
		expect(makers.map((file) => file.replace(/^\d{4}_|\.sql$/g, ""))).toEqual(makers.flatMap(makes));
		expect(makers.flatMap(makes).toSorted()).toEqual(tables.map(getTableName).toSorted());
		expect(files.map((file) => Number.parseInt(file, 10))).toEqual([...files.keys()]);
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

	it("store a chat's settlement as its row and one index, and any other with one more", () => {
		const db = migrated();
		const made = db
			.prepare("SELECT type, sql FROM sqlite_master WHERE tbl_name = 'settlements' AND sql IS NOT NULL")
			.all();
		expect(made.map(({ type }) => type).toSorted()).toEqual(["index", "index", "table", "trigger"]);
		const partial = made.filter(({ type, sql }) => type === "index" && / WHERE /.test(String(sql)));
		expect(partial.map(({ sql }) => String(sql).split(" WHERE ")[1])).toEqual([`"settlements"."kind" <> 'chat'`]);
		// It writes a further row only for settlements from before keys were recorded.
		expect(made.find(({ type }) => type === "trigger")?.["sql"]).toMatch(
			/^CREATE TRIGGER `usage_days_keyless` AFTER INSERT ON `settlements` WHEN new\.`api_key_id` IS NULL BEGIN/,
		);
		expect(made.find(({ type }) => type === "table")?.["sql"]).toMatch(/\) WITHOUT ROWID$/);
		// A rowid table would have a second, unnamed index for its key.
		expect(db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE tbl_name = 'settlements'").get()).toEqual({
			n: 4,
		});
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

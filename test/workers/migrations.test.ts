// What an object's tables owe to the code of another day: brought up to date in place, or left as they are.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { hasTables, type MigrationStep, migrate, SchemaError } from "../../src/durable/migrations.edge.ts";

/** Runs with the storage of an object that has no tables of its own. */
function withStorage<T>(run: (storage: DurableObjectStorage) => T): Promise<T> {
	const unwritten = env.WORKSPACE_LEDGER.getByName(crypto.randomUUID());
	return runInDurableObject(unwritten, (_, { storage }) => run(storage));
}

const notes = (...steps: MigrationStep[]) => ({ name: "notebook", firstTable: "notes", steps });
const create: MigrationStep = (sql) => sql.exec("CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY, text TEXT)");
const addAuthor: MigrationStep = (sql) => sql.exec("ALTER TABLE notes ADD COLUMN author TEXT DEFAULT 'nobody'");
const addTitle: MigrationStep = (sql) => sql.exec("ALTER TABLE notes ADD COLUMN title TEXT DEFAULT 'untitled'");
const breaks: MigrationStep = (sql) => {
	sql.exec("DELETE FROM notes");
	sql.exec("ALTER TABLE notes DROP COLUMN text");
	throw new Error("the step broke");
};

const rowsOf = ({ sql }: DurableObjectStorage) => sql.exec("SELECT * FROM notes ORDER BY n").toArray();
const write = ({ sql }: DurableObjectStorage, text: string) => sql.exec("INSERT INTO notes (text) VALUES (?)", text);

describe("the tables of an object", () => {
	it("are made by every step in order, and not again", async () => {
		await withStorage((storage) => {
			expect(hasTables(storage, notes(create))).toBe(false);
			migrate(storage, notes(create, addAuthor));
			expect(hasTables(storage, notes(create))).toBe(true);
			write(storage, "first");
			migrate(storage, notes(create, addAuthor));
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "first", author: "nobody" }]);
		});
	});

	it("from before versions were kept are brought up to date with their rows, also where a table is missing", async () => {
		await withStorage((storage) => {
			storage.sql.exec("CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT)");
			write(storage, "old");
			expect(hasTables(storage, notes(create))).toBe(true);
			const completes: MigrationStep = (sql) => {
				create(sql);
				sql.exec("CREATE TABLE IF NOT EXISTS later (n INTEGER)");
			};
			migrate(
				storage,
				notes(completes, addAuthor, (sql) => sql.exec("DROP TABLE later")),
			);
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "old", author: "nobody" }]);
		});
	});

	it("go through the steps they have not seen only", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create, addAuthor));
			write(storage, "kept");
			migrate(storage, notes(create, addAuthor, addTitle));
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "kept", author: "nobody", title: "untitled" }]);
		});
	});

	it("stay at the version before a step that throws, whatever it had done", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create));
			write(storage, "kept");
			const broken = notes(create, addAuthor, breaks, addTitle);
			for (const _ of ["once", "and again"]) {
				expect(() => migrate(storage, broken)).toThrow(
					new SchemaError("the tables of this notebook did not come to version 3"),
				);
				expect(rowsOf(storage)).toEqual([{ n: 1, text: "kept", author: "nobody" }]);
			}
			migrate(storage, notes(create, addAuthor, addTitle));
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "kept", author: "nobody", title: "untitled" }]);
		});
	});

	it("are refused, and not touched, when they are newer than the code", async () => {
		await withStorage((storage) => {
			migrate(storage, notes(create, addAuthor));
			write(storage, "of tomorrow");
			const refusal = new SchemaError("the tables of this notebook are at version 2 and this code knows 1");
			expect(() => migrate(storage, notes(create))).toThrow(refusal);
			expect(rowsOf(storage)).toEqual([{ n: 1, text: "of tomorrow", author: "nobody" }]);
		});
	});
});

// The migrations of a local database: what wrangler would make of them, each as a whole or not at all.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { applyLocalMigrations } from "../../src/cli/local-service.ts";
import { hasAppliedMigrations } from "../../src/cli/local-state.ts";

const ROOT = join(import.meta.dirname, "../..");
const MIGRATIONS = readdirSync(join(ROOT, "migrations")).filter((name) => name.endsWith(".sql"));

let dir: string;
beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), "svc-migrations-"));
});
afterEach(() => {
	process.chdir(ROOT);
	rmSync(dir, { recursive: true });
});

/** Rows of a state's database, and the names of its tables with how they were made. */
function readDatabase(stateDir: string): { names: unknown[]; schema: Record<string, unknown> } {
	const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
	const [file = ""] = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
	const db = new DatabaseSync(join(folder, file));
	try {
		const names = db.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
		return { names: names.map(({ name }) => name), schema: readSchema(db) };
	} finally {
		db.close();
	}
}

function readSchema(db: DatabaseSync): Record<string, unknown> {
	const made = db.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").all();
	const own = made.filter(({ name }) => !/^(?:d1_|_cf_|sqlite_)/.test(String(name)));
	return Object.fromEntries(own.map(({ name, sql }) => [name, sql]));
}

it("are all in a new database, with the tables and triggers that SQLite makes of the files, and are listed as wrangler does", () => {
	const { names, schema } = readDatabase(inject("emptyStateDir"));
	expect(names).toEqual(MIGRATIONS.toSorted());
	const db = new DatabaseSync(":memory:");
	for (const name of MIGRATIONS.toSorted()) db.exec(readFileSync(join(ROOT, "migrations", name), "utf8"));
	expect(Object.keys(schema).length).toBeGreaterThan(10);
	expect(schema).toEqual(readSchema(db));
	db.close();
});

it("stop at one that fails, which leaves nothing, and go on from it when it was mended", async () => {
	process.chdir(dir);
	symlinkSync(join(ROOT, "wrangler.toml"), "wrangler.toml");
	mkdirSync("migrations");
	writeFileSync("migrations/0000_a.sql", "CREATE TABLE a (id TEXT);\n");
	writeFileSync("migrations/0001_b.sql", "CREATE TABLE b (id TEXT);\nINSERT INTO nowhere VALUES (1);\n");
	writeFileSync("migrations/0002_c.sql", "CREATE TABLE c (id TEXT);\n");
	await expect(applyLocalMigrations("state")).rejects.toThrow(/nowhere/);
	expect(hasAppliedMigrations("state")).toBe(false);
	const halfway = readDatabase("state");
	expect([halfway.names, Object.keys(halfway.schema)]).toEqual([["0000_a.sql"], ["a"]]);
	const trigger = "CREATE TRIGGER t AFTER INSERT ON b BEGIN INSERT INTO a VALUES (1); INSERT INTO a VALUES (2); END;";
	writeFileSync("migrations/0001_b.sql", `CREATE TABLE b (id TEXT);\n--> statement-breakpoint\n${trigger}\n`);
	await applyLocalMigrations("state");
	expect(hasAppliedMigrations("state")).toBe(true);
	const done = readDatabase("state");
	expect([done.names, Object.keys(done.schema)]).toEqual([
		["0000_a.sql", "0001_b.sql", "0002_c.sql"],
		["a", "b", "c", "t"],
	]);
});

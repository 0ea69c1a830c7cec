// Migrations of the local database, applied and listed in it as wrangler does it. Wrangler starts a runtime for each of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { MIGRATIONS_DIR, migrationFiles } from "./local-state.ts";

type LocalDatabase = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Wrangler's own table, which `wrangler d1 migrations` reads. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Applies the migrations that a database lacks: each as a whole together with its row in the table, or not at all. */
export async function migrateDatabase(database: LocalDatabase): Promise<void> {
	const { unstable_splitSqlQuery } = await import("wrangler");
	await database.prepare(CREATE_TABLE).run();
	const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
	const applied = new Set(results.map(({ name }) => name));
	for (const name of migrationFiles()) {
		if (applied.has(name)) continue;
		const sql = readFileSync(join(MIGRATIONS_DIR, name), "utf8");
		await database.batch([
			...unstable_splitSqlQuery(sql).map((statement) => database.prepare(statement)),
			database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
		]);
	}
}

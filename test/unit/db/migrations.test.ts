// Migrations keep what a version before has stored. Plain SQLite; how D1 applies them is the workers tests' matter.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

const MIGRATIONS = join(import.meta.dirname, "../../../migrations");
const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));

/** A database with the migrations up to, and without, the one named. */
function migratedBefore(name: string): { db: DatabaseSync; migrateOn(): void } {
	const db = new DatabaseSync(":memory:");
	const apply = (file: string) => db.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
	const at = files.indexOf(name);
	files.slice(0, at).forEach(apply);
	return { db, migrateOn: () => files.slice(at).forEach(apply) };
}

it("input tokens of stored usage come from its receipts, and totals follow", () => {
	const { db, migrateOn } = migratedBefore("0002_input_tokens.sql");
	const usage = (id: string, tokens: number) =>
		db
			.prepare(
				"INSERT INTO usage VALUES (?, 'u', '2026-01-01', 'chat', 'm', 'p', 'direct', ?, 7, 0, 'complete', 1, 0, ?)",
			)
			.run(id, tokens, JSON.stringify([{ model: "m", provider: "p", tokens, cost_nano_usd: 7 }]));
	const receipt = (id: string, prompt: number) =>
		db
			.prepare("INSERT INTO receipts VALUES (?, 'u', 'chat', ?, 'h', NULL, NULL, '2026-01-01')")
			.run(id, JSON.stringify({ prompt_tokens: prompt }));
	usage("a", 10);
	receipt("a", 4);
	usage("b", 30);
	receipt("b", 50);
	usage("no-receipt", 5);
	migrateOn();

	const total = () =>
		db
			.prepare("SELECT requests, tokens, input_tokens, cost_nano_usd FROM usage_rollups WHERE dimension = 'total'")
			.get();
	expect({ ...total() }).toEqual({ requests: 3, tokens: 45, input_tokens: 4 + 30 + 5, cost_nano_usd: 21 });

	// A row that a meter of the version before flushes after the migration.
	db.exec(
		`INSERT INTO usage (request_id, user_id, created_at, kind, model, provider, mode, tokens, input_tokens, cost_nano_usd, estimated, outcome, latency_ms, fallback, calls)
		VALUES ('late', 'u', '2026-01-02', 'chat', 'm', 'p', 'direct', 8, NULL, 1, 0, 'complete', 1, 0, '[{"model":"m","provider":"p","tokens":8,"cost_nano_usd":1}]')`,
	);
	expect({ ...total() }).toEqual({ requests: 4, tokens: 53, input_tokens: 47, cost_nano_usd: 22 });
});

it("settlements stand beside the rows of before, which stay as they are, with totals that still follow them", () => {
	const { db, migrateOn } = migratedBefore("0005_settlements.sql");
	const add = (id: string) =>
		db.exec(
			`INSERT INTO usage (request_id, user_id, created_at, kind, model, provider, mode, tokens, input_tokens, cost_nano_usd, estimated, outcome, latency_ms, fallback, calls)
			VALUES ('${id}', 'u', '2026-01-02', 'chat', 'm', 'p', 'direct', 8, 4, 1, 0, 'complete', 1, 0, '[{"model":"m","provider":"p","tokens":8,"input_tokens":4,"cost_nano_usd":1}]')`,
		);
	add("a");
	db.exec("INSERT INTO receipts VALUES ('a', 'u', 'chat', '{}', 'h', NULL, NULL, '2026-01-01')");
	for (const id of ["u", "v"])
		db.exec(`INSERT INTO users (id, name, plan, created_at) VALUES ('${id}', '${id}', 'pro', '')`);
	const all = () => ["usage", "receipts", "usage_rollups"].map((table) => db.prepare(`SELECT * FROM ${table}`).all());
	const before = all();
	migrateOn();
	expect(all()).toEqual(before);
	expect(db.prepare("SELECT count(*) AS n FROM settlements").get()).toEqual({ n: 0 });
	// A Worker of before that settles directly while the new version goes out.
	add("late");
	const requests = "SELECT requests FROM usage_rollups WHERE dimension = 'total'";
	expect(db.prepare(requests).get()).toEqual({ requests: 2 });
	expect(db.prepare("SELECT id, number FROM users ORDER BY id").all()).toEqual([
		{ id: "u", number: null },
		{ id: "v", number: null },
	]);
	db.exec("UPDATE users SET number = 1 WHERE id = 'u'");
	expect(() => db.exec("UPDATE users SET number = 1 WHERE id = 'v'")).toThrow("UNIQUE");
});

it("a settlement is its row and one index, and no migration copies what is stored", () => {
	const { db, migrateOn } = migratedBefore("0005_settlements.sql");
	migrateOn();
	const made = db
		.prepare("SELECT type, sql FROM sqlite_master WHERE tbl_name = 'settlements' AND sql IS NOT NULL")
		.all();
	expect(made.map(({ type }) => type).toSorted()).toEqual(["index", "table"]);
	expect(made.find(({ type }) => type === "table")?.["sql"]).toMatch(/\) WITHOUT ROWID$/);
	// A rowid table would have a second, unnamed index for its key.
	expect(db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE tbl_name = 'settlements'").get()).toEqual({ n: 2 });
	const migration = readFileSync(join(MIGRATIONS, "0005_settlements.sql"), "utf8").replace(/--.*/g, "");
	expect(migration).not.toMatch(/\b(?:INSERT|UPDATE|SELECT)\b/i);
});

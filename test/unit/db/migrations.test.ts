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

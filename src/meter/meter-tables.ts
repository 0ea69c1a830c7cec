// The tables of an AccountMeter.
import type { TableSchema } from "../durable/migrations.edge.ts";
import { WEBHOOK_TABLE } from "../webhooks/webhook.ts";

export const METER_TABLES: TableSchema = {
	name: "meter",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE account (plan TEXT NOT NULL);
				CREATE TABLE revoked_keys (key_id TEXT PRIMARY KEY) WITHOUT ROWID;
				CREATE TABLE slots (slot INTEGER PRIMARY KEY, request_id TEXT NOT NULL, admitted INTEGER NOT NULL,
					at_ms INTEGER NOT NULL, counts INTEGER NOT NULL, expires_at_ms INTEGER, closed_at_ms INTEGER, settled INTEGER,
					proof_hash TEXT, doubtful INTEGER NOT NULL, created_at TEXT, body TEXT);
				CREATE TABLE folded (one INTEGER PRIMARY KEY CHECK (one = 1), admitted INTEGER NOT NULL, settled INTEGER NOT NULL,
					minutes TEXT NOT NULL, totals TEXT NOT NULL);
				CREATE TABLE marked_owners (owner TEXT PRIMARY KEY, mark INTEGER NOT NULL) WITHOUT ROWID;
			`),
		(sql) =>
			sql.exec(`
				CREATE TABLE key_versions (key_id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
				ALTER TABLE slots ADD COLUMN limited_key TEXT;
				ALTER TABLE folded ADD COLUMN key_minutes TEXT NOT NULL DEFAULT '{}';
			`),
		// What keys have spent is counted from here on.
		(sql) =>
			sql.exec(`
				ALTER TABLE slots ADD COLUMN budget_key TEXT;
				ALTER TABLE slots ADD COLUMN booked_day INTEGER NOT NULL DEFAULT 0;
				ALTER TABLE slots ADD COLUMN nano_usd INTEGER NOT NULL DEFAULT 0;
				ALTER TABLE slots ADD COLUMN key_budget TEXT;
				ALTER TABLE folded ADD COLUMN key_spending TEXT NOT NULL DEFAULT '{}';
				CREATE TABLE key_budgets (budget_key TEXT PRIMARY KEY, budget TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE budget_alerts (occasion TEXT PRIMARY KEY, resets_at TEXT, event TEXT) WITHOUT ROWID;
			`),
		(sql) =>
			sql.exec(`
				${WEBHOOK_TABLE};
				ALTER TABLE revoked_keys ADD COLUMN retired_budget TEXT;
				CREATE TABLE webhook_user (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL);
			`),
		(sql) =>
			sql.exec(`
				CREATE TABLE compliance_refusals (occasion TEXT PRIMARY KEY, minute INTEGER NOT NULL, last_request TEXT NOT NULL,
					last_ms INTEGER NOT NULL, refusals INTEGER NOT NULL, event TEXT NOT NULL) WITHOUT ROWID;
			`),
		(sql) =>
			sql.exec("CREATE TABLE ended_sessions (session TEXT PRIMARY KEY, ends_at_ms INTEGER NOT NULL) WITHOUT ROWID"),
		// What the user stores is counted from here on.
		(sql) =>
			sql.exec(`
				CREATE TABLE stored (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL, kept INTEGER NOT NULL,
					days TEXT NOT NULL, flushed INTEGER, recounted_at_ms INTEGER NOT NULL);
				CREATE TABLE stored_writes (id TEXT PRIMARY KEY, at_ms INTEGER NOT NULL, day INTEGER NOT NULL,
					rolling INTEGER NOT NULL, kept INTEGER NOT NULL, is_reduced INTEGER NOT NULL) WITHOUT ROWID;
			`),
		(sql) => sql.exec("CREATE TABLE data_key (pepper TEXT PRIMARY KEY, wrapped BLOB NOT NULL) WITHOUT ROWID"),
	],
};

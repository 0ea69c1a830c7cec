// The tables of an AccountMeter.
import type { TableSchema } from "../durable/migrations.edge.ts";

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
	],
};

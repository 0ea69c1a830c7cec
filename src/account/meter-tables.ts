// The tables of an AccountMeter, version by version.
import type { TableSchema } from "../durable/migrations.edge.ts";

export const METER_TABLES: TableSchema = {
	name: "meter",
	firstTable: "admissions",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE IF NOT EXISTS account (plan TEXT NOT NULL);
				CREATE TABLE IF NOT EXISTS revoked_keys (key_id TEXT PRIMARY KEY) WITHOUT ROWID;
				CREATE TABLE IF NOT EXISTS minutes (minute INTEGER PRIMARY KEY, requests INTEGER NOT NULL);
				CREATE TABLE IF NOT EXISTS admissions (request_id TEXT PRIMARY KEY, at_ms INTEGER NOT NULL,
					reservation TEXT, expires_at_ms INTEGER, proof_hash TEXT, closed_at_ms INTEGER) WITHOUT ROWID;
				CREATE TABLE IF NOT EXISTS outbox (request_id TEXT PRIMARY KEY, settlement TEXT NOT NULL);
				CREATE TABLE IF NOT EXISTS unflushed (workspace_id TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
			`),
		// Workers made the marks of version 1, each for a row: D1 has what the ledger held when it has that row.
		(sql) =>
			sql.exec(`
				CREATE TABLE marked_owners (owner TEXT PRIMARY KEY, mark INTEGER NOT NULL, row_id TEXT) WITHOUT ROWID;
				INSERT INTO marked_owners (owner, mark, row_id) SELECT 'workspace:' || workspace_id, 0, mark FROM unflushed;
				DROP TABLE unflushed;
			`),
	],
};

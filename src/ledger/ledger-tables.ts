// The tables of a WorkspaceLedger, version by version.
import { OWNER_TABLE } from "../audit/owner.ts";
import type { TableSchema } from "../durable/migrations.edge.ts";

export const LEDGER_TABLES: TableSchema = {
	name: "ledger",
	firstTable: "head",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE IF NOT EXISTS head (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL);
				CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL,
					flushed_at_ms INTEGER);
				CREATE TABLE IF NOT EXISTS events (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, handoff_id TEXT,
					event TEXT NOT NULL, flushed_at_ms INTEGER);
				CREATE INDEX IF NOT EXISTS events_unflushed ON events (n) WHERE flushed_at_ms IS NULL;
				CREATE INDEX IF NOT EXISTS entries_unflushed ON entries (seq) WHERE flushed_at_ms IS NULL;
			`),
		// The owner of what version 1 left open may have been marked by a Worker, under a number below all others.
		(sql) => {
			sql.exec(OWNER_TABLE);
			sql.exec(`
				INSERT INTO owner (one, user_id, owner, mark, is_marked)
				SELECT 1, event ->> 'user_id', 'workspace:' || (event ->> 'workspace_id'), 0,
					EXISTS (SELECT 1 FROM events WHERE flushed_at_ms IS NULL)
				FROM events WHERE event ->> 'workspace_id' IS NOT NULL LIMIT 1
			`);
		},
	],
};

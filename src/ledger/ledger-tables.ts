// The tables of a WorkspaceLedger.
import { OWNER_TABLE } from "../audit/owner.ts";
import type { TableSchema } from "../durable/migrations.edge.ts";

export const LEDGER_TABLES: TableSchema = {
	name: "ledger",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL);
				CREATE TABLE entries (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL,
					flushed_at_ms INTEGER);
				CREATE TABLE events (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, handoff_id TEXT,
					event TEXT NOT NULL, flushed_at_ms INTEGER);
				CREATE INDEX events_unflushed ON events (n) WHERE flushed_at_ms IS NULL;
				CREATE INDEX entries_unflushed ON entries (seq) WHERE flushed_at_ms IS NULL;
				${OWNER_TABLE};
			`),
	],
};

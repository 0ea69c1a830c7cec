// The tables of an AgentRun object.
import { OWNER_TABLE } from "../../audit/owner.ts";
import type { TableSchema } from "../../durable/migrations.edge.ts";
import { WEBHOOK_TABLE } from "../../webhooks/webhook.ts";

export const AGENT_RUN_TABLES: TableSchema = {
	name: "agent run",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE claim (one INTEGER PRIMARY KEY CHECK (one = 1), body_hash TEXT NOT NULL, run_id TEXT NOT NULL);
				CREATE TABLE abandoned (one INTEGER PRIMARY KEY CHECK (one = 1));
				CREATE TABLE run (one INTEGER PRIMARY KEY CHECK (one = 1), goal TEXT NOT NULL, spec TEXT NOT NULL,
					state TEXT NOT NULL, pending_settlement TEXT, end TEXT);
				CREATE TABLE steps (n INTEGER PRIMARY KEY, record TEXT NOT NULL, subtask TEXT NOT NULL, has_result INTEGER NOT NULL,
					output TEXT NOT NULL);
				CREATE TABLE charges (n INTEGER PRIMARY KEY, is_open INTEGER NOT NULL, charge TEXT NOT NULL);
				CREATE TABLE outgoing (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, body TEXT NOT NULL,
					flushed_at_ms INTEGER);
				CREATE TABLE parts (name TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (name, part))
					WITHOUT ROWID;
				CREATE TABLE step_texts (n INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
				CREATE TABLE text_retention (one INTEGER PRIMARY KEY CHECK (one = 1), expires_at_ms INTEGER NOT NULL);
				${OWNER_TABLE};
				${WEBHOOK_TABLE};
			`),
	],
};

// The tables of an AgentRun object. Each table costs two written rows in every run that makes it, so every run has `run` alone, and makes
// others when it needs them.
import { OWNER_TABLE } from "../../audit/owner.ts";
import { FIRST_VERSION, type TableSchema } from "../../durable/migrations.edge.ts";
import { WEBHOOK_TABLE } from "../../webhooks/webhook.ts";
import { TOOL_TABLES } from "../tools/tool-tables.ts";
import { toFewerTables } from "./former-tables.edge.ts";
import { PARTS_TABLE } from "./parts.edge.ts";

/**
 * `latest`: JSON of the latest steps and charges; `parts`: how many parts have those before them. `revision`, `flushed` and `events`: the run's
 * outbox. `texts_…`: sealed texts of the steps of a run that has ended.
 */
const RUN_TABLE = `CREATE TABLE run (one INTEGER PRIMARY KEY CHECK (one = 1), goal TEXT NOT NULL, spec TEXT NOT NULL, state TEXT NOT NULL,
	latest TEXT NOT NULL, parts INTEGER NOT NULL, open_charge TEXT, pending_settlement TEXT, end TEXT, revision INTEGER NOT NULL,
	flushed INTEGER NOT NULL, events TEXT NOT NULL, texts BLOB, texts_bytes INTEGER, texts_expire_at_ms INTEGER)`;

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
				${PARTS_TABLE};
				CREATE TABLE step_texts (n INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
				CREATE TABLE text_retention (one INTEGER PRIMARY KEY CHECK (one = 1), expires_at_ms INTEGER NOT NULL);
				${OWNER_TABLE};
				${WEBHOOK_TABLE};
			`),
		(sql) => toFewerTables(sql, RUN_TABLE),
	],
	fresh: {
		version: FIRST_VERSION + 1,
		make: (sql) => sql.exec(RUN_TABLE),
	},
	optional: { parts: PARTS_TABLE, webhooks: WEBHOOK_TABLE, ...TOOL_TABLES },
};

// The tables of an AccountMeter and of a RequestArchive.
import type { TableSchema } from "../durable/migrations.edge.ts";
import { WEBHOOK_TABLE } from "../webhooks/webhook.ts";

/** Requests, and what their users say of them: those of a meter, and those of an archive. */
const REQUEST_TABLES = `
	CREATE TABLE requests (n INTEGER PRIMARY KEY, id TEXT NOT NULL, changed INTEGER NOT NULL, admitted INTEGER NOT NULL,
		at_ms INTEGER NOT NULL, counts INTEGER NOT NULL, api_key TEXT NOT NULL, limited INTEGER NOT NULL, budget_key TEXT,
		booked_day INTEGER NOT NULL, nano_usd INTEGER NOT NULL, key_budget TEXT, expires_at_ms INTEGER,
		claiming INTEGER NOT NULL DEFAULT 0, usage_nano_usd INTEGER, spent_nano_usd INTEGER, settled INTEGER, created_at_ms INTEGER, kind TEXT, model TEXT,
		provider TEXT, mode TEXT, tokens INTEGER, input_tokens INTEGER, estimated INTEGER, fallback INTEGER, outcome TEXT,
		latency_ms INTEGER, status INTEGER, error_code TEXT, first_token_ms INTEGER, cached_tokens INTEGER,
		attempt_started_ms INTEGER, attempt_ms INTEGER, session_id TEXT, end_user TEXT, calls TEXT, receipt TEXT,
		is_large INTEGER NOT NULL DEFAULT 0, proof_hash BLOB, signature BLOB, key_id TEXT, error_message TEXT, attempts TEXT,
		metadata TEXT);
	CREATE INDEX requests_session ON requests (session_id) WHERE session_id IS NOT NULL;
	CREATE TABLE large_receipts (n INTEGER, piece INTEGER, text TEXT NOT NULL, PRIMARY KEY (n, piece));
	CREATE TABLE feedback (n INTEGER PRIMARY KEY, score INTEGER NOT NULL, reason TEXT, created_at TEXT NOT NULL,
		updated_at TEXT NOT NULL)`;

/** What else requests say: of their tokens, and while they are open of their callers' traces. */
const MORE_COLUMNS = `
	ALTER TABLE requests ADD COLUMN cache_write_tokens INTEGER;
	ALTER TABLE requests ADD COLUMN reasoning_tokens INTEGER;
	ALTER TABLE requests ADD COLUMN trace_parent TEXT`;

export const ARCHIVE_TABLES: TableSchema = {
	name: "request archive",
	steps: [(sql) => sql.exec(REQUEST_TABLES), (sql) => sql.exec(MORE_COLUMNS)],
};

export const METER_TABLES: TableSchema = {
	name: "meter",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE account (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT, plan TEXT, revision_base INTEGER,
					kept_since TEXT, archived_to INTEGER NOT NULL DEFAULT 0);
				CREATE TABLE revoked_keys (key_id TEXT PRIMARY KEY, retired_budget TEXT) WITHOUT ROWID;
				CREATE TABLE key_versions (key_id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
				${REQUEST_TABLES};
				CREATE TABLE archives (nth INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, bytes INTEGER NOT NULL);
				CREATE TABLE failed_requests (n INTEGER PRIMARY KEY, id TEXT NOT NULL, at_ms INTEGER NOT NULL,
					latency_ms INTEGER NOT NULL, api_key TEXT NOT NULL, endpoint TEXT NOT NULL, kind TEXT NOT NULL,
					outcome TEXT NOT NULL, status INTEGER, error_code TEXT NOT NULL, error_message TEXT NOT NULL, model TEXT,
					provider TEXT, session_id TEXT, end_user TEXT, count INTEGER NOT NULL, last_id TEXT NOT NULL, attempts TEXT,
					metadata TEXT);
				CREATE TABLE late_requests (n INTEGER PRIMARY KEY);
				CREATE TABLE minute_counts (minute INTEGER, api_key TEXT, requests INTEGER NOT NULL, of_day INTEGER NOT NULL,
					last_ms INTEGER NOT NULL, PRIMARY KEY (minute, api_key)) WITHOUT ROWID;
				CREATE TABLE folded (one INTEGER PRIMARY KEY CHECK (one = 1), changed INTEGER NOT NULL, floor INTEGER NOT NULL,
					open TEXT NOT NULL, windows TEXT NOT NULL, totals TEXT NOT NULL, unsent TEXT NOT NULL);
				CREATE TABLE unsent_metrics (one INTEGER PRIMARY KEY CHECK (one = 1), source TEXT NOT NULL, number INTEGER NOT NULL,
					frozen TEXT, grown TEXT NOT NULL, changed INTEGER NOT NULL);
				CREATE TABLE key_windows (api_key TEXT PRIMARY KEY, windows TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE key_spending (budget_key TEXT PRIMARY KEY, sums TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE day_sums (day TEXT, api_key TEXT, model TEXT, requests INTEGER NOT NULL, model_requests INTEGER NOT NULL,
					calls INTEGER NOT NULL, tokens INTEGER NOT NULL, input_tokens INTEGER NOT NULL, cost_nano_usd INTEGER NOT NULL,
					PRIMARY KEY (day, api_key, model)) WITHOUT ROWID;
				CREATE TABLE time_sums (day TEXT, api_key TEXT, model TEXT, latency TEXT, first_token TEXT, refused INTEGER NOT NULL,
					failed INTEGER NOT NULL, PRIMARY KEY (day, api_key, model)) WITHOUT ROWID;
				CREATE TABLE marked_owners (owner TEXT PRIMARY KEY, mark INTEGER NOT NULL) WITHOUT ROWID;
				CREATE TABLE key_budgets (budget_key TEXT PRIMARY KEY, budget TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE budget_alerts (occasion TEXT PRIMARY KEY, resets_at TEXT, event TEXT) WITHOUT ROWID;
				${WEBHOOK_TABLE};
				CREATE TABLE webhook_user (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL);
				CREATE TABLE compliance_refusals (occasion TEXT PRIMARY KEY, minute INTEGER NOT NULL, last_request TEXT NOT NULL,
					last_ms INTEGER NOT NULL, refusals INTEGER NOT NULL, event TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE ended_sessions (session TEXT PRIMARY KEY, ends_at_ms INTEGER NOT NULL) WITHOUT ROWID;
				CREATE TABLE stored (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL, kept INTEGER NOT NULL,
					days TEXT NOT NULL, flushed INTEGER, recounted_at_ms INTEGER NOT NULL);
				CREATE TABLE stored_writes (id TEXT PRIMARY KEY, at_ms INTEGER NOT NULL, day INTEGER NOT NULL,
					rolling INTEGER NOT NULL, kept INTEGER NOT NULL, is_reduced INTEGER NOT NULL) WITHOUT ROWID;
				CREATE TABLE request_texts (id TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
					sealed BLOB NOT NULL);
				CREATE INDEX request_texts_expiry ON request_texts (expires_at_ms);
				CREATE TABLE data_key (pepper TEXT PRIMARY KEY, wrapped BLOB NOT NULL) WITHOUT ROWID;
			`),
		(sql) => sql.exec(MORE_COLUMNS),
	],
};

// The tables of an AccountMeter, version by version.
import type { MigrationStep, TableSchema } from "../durable/migrations.edge.ts";

/**
 * Admissions, minutes and outbox become slots and the folded row. The minutes have every admission in them, so the fold
 * reaches to the last; no settlement is folded, because only D1 can say which of the outbox it has. Part of a released
 * migration, so it uses nothing that changes.
 */
const slotsFromOutbox: MigrationStep = (sql) => {
	sql.exec(`
		CREATE TABLE slots (slot INTEGER PRIMARY KEY, request_id TEXT NOT NULL, admitted INTEGER NOT NULL,
			at_ms INTEGER NOT NULL, counts INTEGER NOT NULL, expires_at_ms INTEGER, closed_at_ms INTEGER, settled INTEGER,
			proof_hash TEXT, doubtful INTEGER NOT NULL, created_at TEXT, body TEXT);
		CREATE TABLE folded (one INTEGER PRIMARY KEY CHECK (one = 1), admitted INTEGER NOT NULL, settled INTEGER NOT NULL,
			minutes TEXT NOT NULL, totals TEXT NOT NULL, old_totals TEXT);
		CREATE TABLE leaving (request_id TEXT PRIMARY KEY, settled INTEGER NOT NULL, settlement TEXT NOT NULL);
		INSERT INTO leaving SELECT request_id, row_number() OVER (ORDER BY rowid), settlement FROM outbox;
		INSERT INTO slots (slot, request_id, admitted, at_ms, counts, expires_at_ms, closed_at_ms, settled, proof_hash, doubtful,
				created_at, body)
			SELECT row_number() OVER (ORDER BY at_ms, request_id), request_id, row_number() OVER (ORDER BY at_ms, request_id),
				at_ms, 0, expires_at_ms, closed_at_ms, settled, proof_hash, settled IS NOT NULL,
				settlement ->> '$.usage.created_at', coalesce(settlement, reservation)
			FROM (
				SELECT a.request_id, a.at_ms, a.expires_at_ms, a.closed_at_ms, a.proof_hash, a.reservation, l.settled, l.settlement
					FROM admissions AS a LEFT JOIN leaving AS l ON l.request_id = a.request_id
				UNION ALL SELECT l.request_id, 0, NULL, 0, settlement ->> '$.receipt.proof_hash', NULL, l.settled, l.settlement
					FROM leaving AS l WHERE l.request_id NOT IN (SELECT request_id FROM admissions));
	`);
	const minutes = sql
		.exec<{ minute: number; requests: number }>("SELECT minute, requests FROM minutes ORDER BY minute")
		.toArray();
	const from = minutes[0]?.minute ?? 0;
	const requests = new Array<number>(minutes.length === 0 ? 0 : (minutes.at(-1)?.minute ?? 0) - from + 1).fill(0);
	for (const { minute, requests: count } of minutes) requests[minute - from] = count;
	sql.exec(
		"INSERT INTO folded (one, admitted, settled, minutes, totals) SELECT 1, count(*), 0, ?, '[]' FROM slots",
		JSON.stringify({ from, requests }),
	);
	sql.exec("DROP TABLE leaving; DROP TABLE outbox; DROP TABLE admissions; DROP TABLE minutes;");
};

export const METER_TABLES: TableSchema = {
	name: "meter",
	firstTable: "account",
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
		slotsFromOutbox,
	],
};

// Fills the database of a local state with a user's year: requests with their daily sums, runs, audit events, manifests and keys.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CATALOG } from "../../../src/catalog/shipped.ts";

/** How much is stored. */
export interface SeedSizes {
	requests: number;
	runs: number;
	events: number;
	keys: number;
}

/** Everything happens within this year, at even distances. */
const YEAR = "2025-11-01";
const YEAR_SECONDS = 365 * 86_400;
const WORKSPACES = 200;
/** Keys that make requests; the last of them only in one week. */
const ACTIVE_KEYS = 5;

const MODELS = CATALOG.models.slice(0, 12).map(({ id, provider }) => ({ id, provider }));

/** The time of the nth of `count` things, in SQL. */
function timeOf(n: string, count: number): string {
	return `strftime('%Y-%m-%dT%H:%M:%fZ', '${YEAR}', (${n} * ${YEAR_SECONDS / count}) || ' seconds')`;
}

/** The id of the nth thing, in SQL; its digits sort as its time does. */
function idOf(prefix: string, n: string): string {
	return `'${prefix}' || printf('%026d', ${n})`;
}

/** The position of the nth of `count` things, as a cursor names it. */
export function seededPosition(prefix: string, n: number, count: number): { created_at: string; id: string } {
	const atMs = Math.round(Date.parse(YEAR) + (n * YEAR_SECONDS * 1_000) / count);
	return { created_at: new Date(atMs).toISOString(), id: `${prefix}${String(n).padStart(26, "0")}` };
}

/** The id of an active key. */
export function activeKeyId(n: number): string {
	return `key_${String(n).padStart(26, "0")}`;
}

const COUNT_UP = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :count - 1)";

/** Of a thousand requests, 970 are chats, and a few are of each other kind. */
const KIND = `CASE WHEN i % 1000 < 970 THEN 'chat' WHEN i % 1000 < 985 THEN 'skill' WHEN i % 1000 < 993 THEN 'orchestration'
	WHEN i % 1000 < 998 THEN 'code' ELSE 'agent' END`;

const RECEIPT = JSON.stringify({
	type: "svc.receipt.v1",
	reason:
		"balanced routing for a code prompt: the first of 12 eligible models (expected quality 0.71, about $0.0004 and 1.2 s)",
	fallback_from: null,
	bound_usd: 0.02,
	catalog_version: "2026-11-20",
	input_hash: `sha256:${"0".repeat(64)}`,
	output_hash: `sha256:${"1".repeat(64)}`,
});

function seedRequests(db: DatabaseSync, userId: string, count: number): void {
	const call =
		"json_array(json_object('model', m.value ->> 'id', 'provider', m.value ->> 'provider', 'tokens', 900, 'input_tokens', 600, 'cost_nano_usd', 410000))";
	const rareWeek = "i BETWEEN :count / 4 AND :count / 4 + :count / 52 AND i % 100 = 0";
	db.prepare(
		`${COUNT_UP} INSERT INTO settlements (request_id, user_id, created_at, kind, model, provider, mode, tokens, input_tokens,
			cost_nano_usd, estimated, outcome, latency_ms, fallback, calls, receipt, proof_hash, signature, key_id, settled_at, api_key_id)
		SELECT ${idOf("svc-", "i")}, :user, ${timeOf("i", count)}, ${KIND}, m.value ->> 'id', m.value ->> 'provider', 'balanced', 900, 600,
			410000, 0, 'complete', 1200, 0, ${call}, :receipt, :hash, 'signature', 'signer', ${timeOf("i", count)},
			iif(${rareWeek}, '${activeKeyId(ACTIVE_KEYS - 1)}', 'key_' || printf('%026d', i % ${ACTIVE_KEYS - 1}))
		FROM n JOIN json_each(:models) AS m ON m.key = i * 7 % ${MODELS.length}`,
	).run({ count, user: userId, receipt: RECEIPT, hash: `sha256:${"2".repeat(64)}`, models: JSON.stringify(MODELS) });
	db.prepare(
		`INSERT INTO usage_days SELECT user_id, substr(created_at, 1, 10), api_key_id, model, count(*), count(*), count(*), sum(tokens),
			sum(input_tokens), sum(cost_nano_usd) FROM settlements WHERE user_id = ? GROUP BY 1, 2, 3, 4`,
	).run(userId);
}

function seedRuns(db: DatabaseSync, userId: string, count: number): void {
	const summary = `json_object('object', 'agent.run', 'run_id', ${idOf("agt_", "i")}, 'status', 'complete', 'sealed', json('true'),
		'created_at', ${timeOf("i", count)}, 'policy', 'balanced', 'strategy', 'cascade', 'steps_taken', 6, 'cost_consumed_usd', 0.01,
		'max_cost_usd', 0.5, 'remaining_usd', 0.49, 'trajectory_proof', 'sha256', 'output', 'Done.', 'goal', 'Tidy up the repository')`;
	db.prepare(
		`${COUNT_UP} INSERT INTO agent_runs (id, user_id, created_at, revision, status, summary, run)
		SELECT ${idOf("agt_", "i")}, :user, ${timeOf("i", count)}, 4, iif(i % 500 = 0, 'cancelled', 'complete'), ${summary}, '{}' FROM n`,
	).run({ count, user: userId });
}

function seedEvents(db: DatabaseSync, userId: string, count: number): void {
	db.prepare(
		`${COUNT_UP} INSERT INTO audit_events (id, user_id, workspace_id, event_type, actor, decision, risk_score, risk_tier, payload, created_at)
		SELECT ${idOf("ae_", "i")}, :user, iif(i % 20 = 0, NULL, 'team/w' || printf('%03d', i % ${WORKSPACES})),
			iif(i % 20 = 0, 'key_changed', 'policy_check'), 'key:key_' || printf('%026d', i % 100),
			iif(i % 20 = 0, NULL, iif(i % 50 = 1, 'deny', 'allow')), 10, 'auto', json_object('action', 'Tidy up', 'reason', 'Allowed'),
			${timeOf("i", count)} FROM n`,
	).run({ count, user: userId });
	db.prepare(
		`${COUNT_UP} INSERT INTO workspace_manifests (user_id, workspace_id, version, digest, manifest, created_at)
		SELECT :user, 'team/w' || printf('%03d', i), 1, 'sha256', '{}', '${YEAR}T00:00:00.000Z' FROM n`,
	).run({ count: WORKSPACES / 2, user: userId });
}

function seedKeys(db: DatabaseSync, userId: string, count: number): void {
	db.prepare(
		`${COUNT_UP} INSERT INTO api_keys (id, user_id, digest, last4, created_at, version, name, role, budget_nano_usd, budget_period)
		SELECT ${idOf("key_", "i")}, :user, 'digest ' || i, 'abcd', ${timeOf("i", count)}, 1, 'key ' || i, 'agent', 1000000000, 'month' FROM n`,
	).run({ count, user: userId });
}

/** The file of D1's database in a state. */
function databaseFile(stateDir: string): string {
	const dir = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
	const [file] = readdirSync(dir).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
	if (file === undefined) throw new Error("benchmark failed: the state has no database");
	return join(dir, file);
}

/** Fills the database for its only user. The service must not run meanwhile. */
export function seedUser(stateDir: string, sizes: SeedSizes): void {
	const db = new DatabaseSync(databaseFile(stateDir));
	try {
		db.exec("PRAGMA synchronous = OFF; BEGIN");
		const userId = String(db.prepare("SELECT id FROM users").get()?.["id"]);
		seedRequests(db, userId, sizes.requests);
		seedRuns(db, userId, sizes.runs);
		seedEvents(db, userId, sizes.events);
		seedKeys(db, userId, sizes.keys);
		db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
	} finally {
		db.close();
	}
}

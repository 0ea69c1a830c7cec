// Fills a local state with a user's year: the requests of the user's meter, and in D1 runs, audit events, manifests and keys.
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { encodeTime as encodeUlidTime } from "ulid";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { MeterState } from "../../../src/meter/meter-state.edge.ts";
import type { UsageRow } from "../../../src/meter/settlement.ts";
import { d1File, inDatabase, meterFile } from "../../support/history/state-files.ts";
import { settleRequest } from "../../support/settle-request.ts";
import { sqliteStorage } from "../../support/sqlite-storage.ts";

const encodeTime = (atMs: number) => encodeUlidTime(atMs, 10);

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
const ACTIVE_KEYS = 20;

const MODELS = CATALOG.models.slice(0, 10).map(({ id, provider }) => ({ id, provider }));

/** The time of the nth of `count` things, in SQL. */
function timeOf(n: string, count: number): string {
	return `strftime('%Y-%m-%dT%H:%M:%fZ', '${YEAR}', (${n} * ${YEAR_SECONDS / count}) || ' seconds')`;
}

/** The nth of `count` things happens then, ms since the epoch. */
function timeMs(n: number, count: number): number {
	return Math.round(Date.parse(YEAR) + (n * YEAR_SECONDS * 1_000) / count);
}

/** The id of the nth thing, in SQL; its digits sort as its time does. */
function idOf(prefix: string, n: string): string {
	return `'${prefix}' || printf('%026d', ${n})`;
}

/** The position of the nth of `count` things, as a cursor names it. */
export function seededPosition(prefix: string, n: number, count: number): { created_at: string; id: string } {
	const atMs = timeMs(n, count);
	const id = prefix === "svc-" ? requestId(n, count) : `${prefix}${String(n).padStart(26, "0")}`;
	return { created_at: new Date(atMs).toISOString(), id };
}

/** The id of the nth request. */
function requestId(n: number, count: number): string {
	return `svc-${encodeTime(timeMs(n, count))}${String(n).padStart(16, "0")}`;
}

/** The id of an active key. */
export function activeKeyId(n: number): string {
	return `key_${String(n).padStart(26, "0")}`;
}

const COUNT_UP = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :count - 1)";

/** Of a thousand requests, 970 are chats, and a few are of each other kind. */
function kindOf(n: number): string {
	const place = n % 1_000;
	if (place < 970) return "chat";
	if (place < 985) return "skill";
	return place < 993 ? "orchestration" : place < 998 ? "code" : "agent";
}

/** Admits and settles requests in a user's meter, as the meter does. */
function seedRequests(db: DatabaseSync, userId: string, count: number): void {
	const state = new MeterState(sqliteStorage(db), Date.parse(YEAR));
	const isRareWeek = (n: number) => n >= count / 4 && n <= count / 4 + count / 52 && n % 100 === 0;
	for (let n = 0; n < count; n++) {
		const atMs = timeMs(n, count);
		const at = new Date(atMs).toISOString();
		const { id: model, provider } = MODELS[(n * 7) % MODELS.length] ?? { id: "", provider: "" };
		const keyId = activeKeyId(isRareWeek(n) ? ACTIVE_KEYS - 1 : n % (ACTIVE_KEYS - 1));
		const id = requestId(n, count);
		const kind = kindOf(n) as UsageRow["kind"];
		const amounts = { tokens: 900, input_tokens: 600, cost_nano_usd: 410_000 };
		const usage: UsageRow = {
			request_id: id,
			user_id: userId,
			api_key_id: keyId,
			created_at: at,
			kind,
			model,
			provider,
			mode: "balanced",
			...amounts,
			estimated: false,
			outcome: "complete",
			latency_ms: 1_200,
			fallback: false,
			calls: [{ model, provider, ...amounts }],
		};
		state.foldIfDue(atMs);
		settleRequest(state, {
			atMs,
			usage,
			receipt: { ...RECEIPT, request_id: id, kind, timestamp: at, model, provider },
		});
	}
	// As if D1 had the sums.
	state.markSent(state.unsentSums(0), 0);
	state.foldNow(timeMs(count, count));
}

const RECEIPT = {
	type: "svc.receipt.v2",
	outcome: "complete",
	estimated: false,
	cost_usd: 0.00041,
	mode: "balanced",
	upstream_host: "api.openai.com",
	reason:
		"balanced routing for a code prompt: the first of 12 eligible models (expected quality 0.71, about $0.0004 and 1.2 s)",
	prompt_tokens: 600,
	completion_tokens: 300,
	fallback_from: null,
	skill_id: null,
	compliance: null,
	config_digest: null,
	bound_usd: 0.02,
	catalog_version: "2026-11-20",
	input_hash: `sha256:${"0".repeat(64)}`,
	output_hash: `sha256:${"1".repeat(64)}`,
};

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

/** Fills the state of its only user. The service must not run meanwhile. @returns the size of the user's meter, bytes. */
export function seedUser(stateDir: string, sizes: SeedSizes): number {
	const userId = inDatabase(d1File(stateDir), (db) => {
		const id = String(db.prepare("SELECT id FROM users").get()?.["id"]);
		seedRuns(db, id, sizes.runs);
		seedEvents(db, id, sizes.events);
		seedKeys(db, id, sizes.keys);
		return id;
	});
	const meter = meterFile(stateDir, "plan IS NOT NULL");
	inDatabase(meter, (db) => seedRequests(db, userId, sizes.requests));
	return statSync(meter).size;
}

// Weeks in which a team has worked: requests, keys with names and budgets, policy checks of coding agents, runs.
import type { DatabaseSync } from "node:sqlite";
import { encodeTime } from "ulid";
import { drawCheck } from "./checks.ts";
import { around, draws, pick, workingTimes } from "./draw.ts";
import { seedHistoryRequests } from "./requests.ts";
import { d1File, inDatabase, meterFile } from "./state-files.ts";

export interface HistorySizes {
	requests: number;
	keys: number;
	checks: number;
	runs: number;
	/** So many days, up to now. */
	days: number;
}

/** As much as a busy team has. */
export const MUCH: HistorySizes = { requests: 100_000, keys: 200, checks: 6_000, runs: 120, days: 30 };

/** For pictures: as much as charts read request by request, and as much again before it, to compare with. */
export const SHOWN: HistorySizes = { requests: 30_000, keys: 64, checks: 9_000, runs: 120, days: 60 };

const KEY_NAMES = [
	"checkout-agent",
	"payments-service",
	"ci-nightly",
	"docs-assistant",
	"support-bot",
	"web-frontend",
	"mobile-app",
	"data-pipeline",
	"code-review",
	"release-notes",
	"search-ranking",
	"fraud-triage",
];

const GOALS = [
	"Find out why checkout retries fail, and write a test that shows it",
	"Summarise this week's incidents for the team",
	"Compare three ways to cache product prices",
	"Draft release notes from the commits since 4.12",
	"Plan the migration of orders to the new schema",
	"List the endpoints without rate limits",
];

const STATUSES: readonly (readonly [status: string, weight: number])[] = [
	["complete", 80],
	["budget_exhausted", 6],
	["max_steps_reached", 6],
	["cancelled", 5],
	["interrupted", 3],
];

function idAt(prefix: string, atMs: number, nth: number): string {
	return `${prefix}${encodeTime(atMs, 10)}${String(nth).padStart(16, "0")}`;
}

/** Makes keys. @returns their ids, the busiest first. */
function seedHistoryKeys(db: DatabaseSync, userId: string, count: number, endMs: number): string[] {
	const draw = draws(7);
	const insert = db.prepare(
		`INSERT INTO api_keys (id, user_id, digest, last4, created_at, version, name, role, tags, budget_nano_usd, budget_period, rpm)
		VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`,
	);
	return Array.from({ length: count }, (_, nth) => {
		const atMs = Math.round(endMs - (65 + draw() * 60) * 86_400_000);
		const id = idAt("key_", atMs, nth);
		const team = KEY_NAMES[nth % KEY_NAMES.length] ?? "";
		const name = nth < KEY_NAMES.length ? team : `${team}-${Math.floor(nth / KEY_NAMES.length) + 1}`;
		const role = draw() < 0.85 ? "agent" : "owner";
		const hasBudget = draw() < 0.5;
		const budget = hasBudget ? Math.round(around(draw, 60, 1)) * 1e9 : null;
		const tags = JSON.stringify([
			pick(draw, [
				["production", 5],
				["staging", 3],
				["experiments", 2],
			]),
		]);
		const last4 = Math.floor(draw() * 36 ** 4)
			.toString(36)
			.padStart(4, "0");
		const rpm = draw() < 0.3 ? 60 : null;
		insert.run(
			id,
			userId,
			`history ${nth}`,
			last4,
			new Date(atMs).toISOString(),
			name,
			role,
			tags,
			budget,
			hasBudget ? "month" : null,
			rpm,
		);
		return id;
	});
}

function seedHistoryChecks(
	db: DatabaseSync,
	userId: string,
	keyIds: readonly string[],
	{ checks: count, days }: HistorySizes,
	endMs: number,
): void {
	const draw = draws(11);
	const insert = db.prepare(
		`INSERT INTO audit_events (id, user_id, workspace_id, event_type, actor, decision, risk_score, risk_tier, payload, created_at,
			agent, session_id, directory, permission_mode) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	for (const [nth, atMs] of workingTimes(draw, count, days, endMs).entries()) {
		const keyId = keyIds[Math.floor(draw() ** 2 * Math.min(8, keyIds.length))] ?? "";
		const row = drawCheck(draw, { id: idAt("ae_", atMs, nth), userId, keyId, atMs });
		const decided = [row.decision, row.risk_score, row.risk_tier];
		const origin = [row.agent ?? null, row.session_id ?? null, row.directory ?? null, row.permission_mode ?? null];
		insert.run(
			row.id,
			userId,
			row.workspace_id,
			row.event_type,
			row.actor,
			...decided,
			row.payload,
			row.created_at,
			...origin,
		);
	}
}

function seedHistoryRuns(
	db: DatabaseSync,
	userId: string,
	keyIds: readonly string[],
	{ runs: count, days }: HistorySizes,
	endMs: number,
): void {
	const draw = draws(13);
	const insert = db.prepare(
		"INSERT INTO agent_runs (id, user_id, created_at, revision, status, summary, run, api_key_id) VALUES (?, ?, ?, 4, ?, ?, '{}', ?)",
	);
	for (const [nth, atMs] of workingTimes(draw, count, days, endMs).entries()) {
		const id = idAt("agt_", atMs, nth);
		const status = pick(draw, STATUSES);
		const cap = pick(draw, [
			[0.25, 1],
			[0.5, 3],
			[1, 1],
		]);
		const cost = Number((cap * (status === "budget_exhausted" ? 1 : 0.15 + draw() * 0.7)).toFixed(6));
		const summary = {
			object: "agent.run",
			run_id: id,
			status,
			sealed: status !== "interrupted",
			created_at: new Date(atMs).toISOString(),
			policy: pick(draw, [
				["balanced", 3],
				["depth", 1],
			]),
			strategy: pick(draw, [
				["cascade", 3],
				["council", 1],
			]),
			goal: GOALS[nth % GOALS.length],
			steps_taken: 2 + Math.floor(draw() * 9),
			cost_consumed_usd: cost,
			max_cost_usd: cap,
			remaining_usd: Number((cap - cost).toFixed(6)),
			trajectory_proof: `sha256:${"4".repeat(64)}`,
			output: "Done.",
		};
		insert.run(id, userId, summary.created_at, status, JSON.stringify(summary), keyIds[nth % 5] ?? null);
	}
}

/**
 * Fills the state of a user who has made a request. The service must not run meanwhile.
 * @param endMs when the month ends.
 */
export function seedHistory(stateDir: string, userId: string, sizes: HistorySizes = MUCH, endMs = Date.now()): void {
	const keyIds = inDatabase(d1File(stateDir), (db) => {
		const made = seedHistoryKeys(db, userId, sizes.keys, endMs);
		seedHistoryChecks(db, userId, made, sizes, endMs);
		seedHistoryRuns(db, userId, made, sizes, endMs);
		return made;
	});
	const meter = meterFile(stateDir, `user_id = '${userId}'`);
	// Few of the keys are in use.
	const used = keyIds.slice(0, Math.max(1, Math.ceil(keyIds.length / 5)));
	inDatabase(meter, (db) =>
		seedHistoryRequests(db, { userId, keyIds: used, count: sizes.requests, days: sizes.days, endMs }),
	);
}

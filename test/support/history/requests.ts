// Requests of a month, as a meter admits and settles them.
import type { DatabaseSync } from "node:sqlite";
import { encodeTime } from "ulid";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { MeterState } from "../../../src/meter/meter-state.edge.ts";
import type { RequestFacts } from "../../../src/meter/request-facts.ts";
import type { UsageRow } from "../../../src/meter/settlement.ts";
import { settleRequest } from "../settle-request.ts";
import { sqliteStorage } from "../sqlite-storage.ts";
import { around, draws, pick, workingTimes } from "./draw.ts";
import { drawFailure } from "./failures.ts";

/** Models with how often they answer, and how long that takes them, ms. */
const MODELS: readonly (readonly [model: { id: string; latencyMs: number }, weight: number])[] = [
	[{ id: "gpt-6-luna", latencyMs: 900 }, 34],
	[{ id: "claude-haiku-5-5", latencyMs: 1_100 }, 22],
	[{ id: "claude-sonnet-5-5", latencyMs: 4_200 }, 14],
	[{ id: "gpt-6-sol", latencyMs: 3_600 }, 9],
	[{ id: "gemini-3.8-flash", latencyMs: 1_400 }, 8],
	[{ id: "deepseek-flash", latencyMs: 2_000 }, 5],
	[{ id: "gpt-oss-120b", latencyMs: 700 }, 4],
	[{ id: "claude-opus-5-5", latencyMs: 8_000 }, 2.5],
	[{ id: "mistral-medium-3-5", latencyMs: 2_400 }, 1.5],
];

const KINDS: readonly (readonly [kind: UsageRow["kind"], weight: number])[] = [
	["chat", 930],
	["skill", 25],
	["orchestration", 18],
	["code", 12],
	["agent", 15],
];

const MODES: readonly (readonly [mode: string, weight: number])[] = [
	["balanced", 45],
	["agility", 35],
	["quality", 12],
	["manual", 8],
];

const RECEIPT = {
	type: "svc.receipt.v2",
	outcome: "complete",
	estimated: false,
	upstream_host: "api.example.com",
	fallback_from: null,
	skill_id: null,
	compliance: null,
	config_digest: null,
	bound_usd: 0.02,
	catalog_version: "2026-11-20",
	input_hash: `sha256:${"0".repeat(64)}`,
	output_hash: `sha256:${"1".repeat(64)}`,
};

/** One of so many got no answer. */
const FAILED_OF = 70;

/** What an end user of the team's products is called. */
const END_USERS = ["ada", "grace", "linus", "margaret", "alan", "barbara"];
const SESSION_MS = 3 * 3_600_000;

/** Names, times and tries of an answered request. */
function drawFacts(draw: () => number, { model, provider, latency_ms }: UsageRow, atMs: number): RequestFacts {
	const firstTokenMs = Math.round(latency_ms * (0.15 + 0.2 * draw()));
	const call = { provider, model, status: 200, error: null, startedMs: 12, firstTokenMs, ms: latency_ms - 20 };
	const isOfAgent = draw() < 0.25;
	return {
		sessionId: isOfAgent ? `session-${Math.floor(atMs / SESSION_MS)}-${Math.floor(draw() * 3)}` : null,
		endUser: isOfAgent ? null : (END_USERS[Math.floor(draw() * END_USERS.length)] ?? null),
		metadata: {},
		firstTokenMs,
		attempts: [call],
	};
}

interface RequestPlan {
	userId: string;
	/** The keys that make requests: the first make most. */
	keyIds: readonly string[];
	count: number;
	days: number;
	endMs: number;
}

/** Of many, the first most often. */
function early(draw: () => number, keyIds: readonly string[]): string {
	return keyIds[Math.floor(keyIds.length * draw() ** 2.6)] ?? "";
}

function drawUsage(draw: () => number, atMs: number, nth: number, { userId, keyIds }: RequestPlan): UsageRow {
	const { id: model, latencyMs } = pick(draw, MODELS);
	const found = CATALOG.models.find(({ id }) => id === model);
	if (!found) throw new Error(`the catalog has no ${model}`);
	const price = found.prices[0];
	const input = Math.round(around(draw, 1_400, 1.2));
	const output = Math.round(around(draw, 320, 1.1));
	const amounts = {
		tokens: input + output,
		input_tokens: input,
		cost_nano_usd: Math.round((input * (price?.input ?? 0) + output * (price?.output ?? 0)) * 1_000),
	};
	return {
		request_id: `svc-${encodeTime(atMs, 10)}${String(nth).padStart(16, "0")}`,
		user_id: userId,
		api_key_id: early(draw, keyIds),
		created_at: new Date(atMs).toISOString(),
		kind: pick(draw, KINDS),
		model,
		provider: found.provider,
		mode: pick(draw, MODES),
		...amounts,
		estimated: false,
		outcome: draw() < 0.012 ? "client_closed" : draw() < 0.006 ? "cut" : "complete",
		latency_ms: Math.round(around(draw, latencyMs, 0.9)),
		fallback: draw() < 0.015,
		calls: [{ model, provider: found.provider, ...amounts }],
	};
}

/** Admits and settles a month of requests in a user's meter, as the meter does. */
export function seedHistoryRequests(db: DatabaseSync, plan: RequestPlan): void {
	const draw = draws(48);
	const times = workingTimes(draw, plan.count, plan.days, plan.endMs);
	const state = new MeterState(sqliteStorage(db), times[0] ?? plan.endMs);
	for (const [nth, atMs] of times.entries()) {
		const usage = drawUsage(draw, atMs, nth, plan);
		const { request_id: id, api_key_id: keyId, kind, model, provider, mode, created_at } = usage;
		const reason = `${mode} routing for a code prompt: ${model} ranks first of 27 eligible models`;
		const tokens = { prompt_tokens: usage.input_tokens, completion_tokens: usage.tokens - usage.input_tokens };
		const said = { request_id: id, kind, timestamp: created_at, model, provider, mode, reason, ...tokens };
		state.followClock(atMs);
		state.foldIfDue(atMs);
		if (nth % FAILED_OF === FAILED_OF - 1) {
			const requestId = `svc-${encodeTime(atMs, 10)}${String(nth).padStart(15, "0")}F`;
			state.recordFailed(drawFailure(draw, { requestId, apiKeyId: keyId, atMs }));
		}
		settleRequest(state, {
			atMs,
			usage,
			receipt: { ...RECEIPT, ...said, cost_usd: usage.cost_nano_usd / 1e9 },
			facts: drawFacts(draw, usage, atMs),
			end: { status: 200, error: null },
		});
	}
	// As if D1 had the sums.
	state.markSent(state.unsentSums(0), 0);
	state.foldNow(plan.endMs);
}

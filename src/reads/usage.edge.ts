// Plans, usage and savings.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { allowlistOf, PLAN_IDS, PLANS, type Plan } from "../account/plans.ts";
import { DEFAULT_BASELINE, savingsOf } from "../account/savings.ts";
import { RECENT_ROWS, readUsage } from "../account/usage.store.ts";
import { type RecentRow, UsageTotals } from "../account/usage.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { fail, ok } from "../failure.ts";
import { usd } from "../proof/money.ts";

const planId = z.enum(PLAN_IDS);
const accessType = z.enum(["all", "allowlist"]);

const planSchema = z.lazy(() =>
	z.object({
		id: planId,
		object: z.literal("plan"),
		display_name: z.string(),
		price_usd_month: z.number(),
		daily_requests: z.int().nullable(),
		rpm: z.int(),
		model_access: z.object({ type: accessType, count: z.int(), models: z.array(z.string()).nullable() }),
		agentguard: z.boolean(),
		description: z.string(),
	}),
);

function modelAccess(plan: Plan, catalog: Catalog) {
	const models = allowlistOf(plan, catalog);
	return { type: models ? ("allowlist" as const) : ("all" as const), models: models ? [...models] : null };
}

export const listPlansEndpoint = endpoint({
	id: "list_plans",
	method: "GET",
	path: "/v1/plans",
	access: "public",
	summary: "The four plans with their limits.",
	result: z.lazy(() => z.object({ object: z.literal("list"), data: z.array(planSchema) })),
	async handle({ context }) {
		const { catalog } = context.settings;
		const data = Object.values(PLANS).map((plan) => ({
			id: plan.id,
			object: "plan" as const,
			display_name: plan.displayName,
			price_usd_month: plan.priceUsdMonth,
			daily_requests: plan.dailyRequests,
			rpm: plan.rpm,
			model_access: {
				...modelAccess(plan, catalog),
				count: allowlistOf(plan, catalog)?.length ?? catalog.models.length,
			},
			agentguard: plan.agentguard,
			description: plan.description,
		}));
		return ok({ object: "list" as const, data });
	},
});

const totalsByName = z.lazy(() =>
	z.record(z.string(), z.object({ requests: z.int(), tokens: z.int(), cost_usd: z.number() })),
);

const recentSchema = z.lazy(() =>
	z.object({
		request_id: z.string(),
		created_at: z.string(),
		kind: z.string(),
		model: z.string(),
		provider: z.string(),
		mode: z.string(),
		tokens: z.int(),
		cost_usd: z.number(),
		latency_ms: z.int(),
		fallback: z.boolean(),
	}),
);
type Recent = z.infer<typeof recentSchema>;

function recentOf(row: RecentRow): Recent {
	const { request_id, created_at, kind, model, provider, mode, tokens, cost_nano_usd, latency_ms, fallback } = row;
	const cost_usd = usd(cost_nano_usd);
	return { request_id, created_at, kind, model, provider, mode, tokens, cost_usd, latency_ms, fallback };
}

/** ULIDs rise with time, so the id settles ties of the same millisecond. */
function newestFirst(a: Recent, b: Recent): number {
	return `${b.created_at} ${b.request_id}` < `${a.created_at} ${a.request_id}` ? -1 : 1;
}

/** A user's usage up to the last answered request: what D1 has and what the meter has not flushed yet, each row once. */
async function currentUsage({ account, db, meter, timings }: KeyContext) {
	// The meter first: a row it flushes after this is in D1 as well, and is left out below.
	const { quota, pending } = await meter(account.userId).snapshot(account.plan.id);
	const pendingIds = pending.map((row) => row.request_id);
	const {
		rollups,
		recent: rows,
		stored,
	} = await timings.measure("d1", () => readUsage(db, account.userId, pendingIds));
	const unflushed = pending.filter((row) => !stored.has(row.request_id));
	const totals = new UsageTotals();
	for (const row of rollups) totals.addRollup(row);
	for (const row of unflushed) totals.addRow(row);
	const recent = [...rows, ...unflushed].map(recentOf).sort(newestFirst).slice(0, RECENT_ROWS);
	return { quota, totals, recent };
}

export const getUsageEndpoint = endpoint({
	id: "get_usage",
	method: "GET",
	path: "/v1/usage",
	access: "key",
	countsTowardsDay: false,
	summary: "The caller's limits, totals and latest requests.",
	result: z.lazy(() =>
		z.object({
			user_id: z.string(),
			plan: planId,
			plan_display: z.string(),
			limits: z.object({
				daily_requests: z.int().nullable(),
				rpm: z.int(),
				daily_requests_used: z.int(),
				daily_requests_remaining: z.int().nullable(),
				model_access: z.object({ type: accessType, models: z.array(z.string()).nullable() }),
			}),
			total_requests: z.int(),
			total_tokens: z.int(),
			total_cost_usd: z.number(),
			by_model: totalsByName,
			by_provider: totalsByName,
			by_mode: totalsByName,
			recent: z.array(recentSchema),
		}),
	),
	async handle({ context }) {
		const { quota, totals, recent } = await currentUsage(context);
		const whole = totals.total();
		const plan = PLANS[quota.plan];
		const { dailyLimit, usedToday } = quota;
		return ok({
			user_id: context.account.userId,
			plan: plan.id,
			plan_display: plan.displayName,
			limits: {
				daily_requests: dailyLimit,
				rpm: plan.rpm,
				daily_requests_used: usedToday,
				daily_requests_remaining: dailyLimit === null ? null : Math.max(0, dailyLimit - usedToday),
				model_access: modelAccess(plan, context.settings.catalog),
			},
			total_requests: whole.requests,
			total_tokens: whole.tokens,
			total_cost_usd: usd(whole.costNanoUsd),
			by_model: totals.by("model"),
			by_provider: totals.by("provider"),
			by_mode: totals.by("mode"),
			recent,
		});
	},
});

export const getSavingsEndpoint = endpoint({
	id: "get_savings",
	method: "GET",
	path: "/v1/savings",
	access: "key",
	summary:
		"What the caller's tokens would have cost on one baseline model: a per-token estimate, not a billing statement.",
	query: z.lazy(() => z.object({ baseline: z.string().default(DEFAULT_BASELINE) })),
	result: z.lazy(() =>
		z.object({
			baseline_model: z.string(),
			total_requests: z.int(),
			total_tokens: z.int(),
			actual_cost_usd: z.number(),
			baseline_cost_usd: z.number(),
			saved_usd: z.number(),
			saved_pct: z.number(),
		}),
	),
	async handle({ query, context }) {
		const baseline = context.settings.catalog.findModel(query.baseline);
		if (!baseline) return fail({ reason: "unknown_model", message: "baseline is not a model of GET /v1/models" });
		const { totals } = await currentUsage(context);
		return ok(savingsOf(baseline, totals.total(), context.startedAtMs));
	},
});

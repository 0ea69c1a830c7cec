// Plans, usage and savings.

import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { mayRead, readableMakers } from "../account/makers.ts";
import { findExactModel } from "../catalog/aliases.ts";
import { type Catalog, listedModels } from "../catalog/catalog.ts";
import { modelAllowlist, PLANS, type Plan, planIdSchema } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import { fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { RECENT_ROWS } from "../meter/meter-calls.ts";
import { isBilled } from "../meter/request-page.ts";
import type { OpenHold, RecentUsage } from "../meter/settlement.ts";
import { storedQuotaBytes } from "../meter/stored-bytes.ts";
import { readPercentile, type TimeHistogram } from "../meter/time-histogram.ts";
import type { TimeCounts } from "../meter/time-sums.ts";
import { UsageTotals } from "../meter/usage-totals.ts";
import { usd } from "../proof/money.ts";
import { GROUPS_AS_CSV, groupListSchema, groupQueryMembers, parseGroupRequest } from "./group-views.ts";
import { answerGroups } from "./grouped.edge.ts";
import type { GroupTotals } from "./groups.ts";
import { listReadableRequests } from "./request-list.edge.ts";
import { DEFAULT_BASELINE, estimateSavings } from "./savings.ts";

const accessTypeSchema = z.enum(["all", "allowlist"]);

const pricingPlanSchema = z.object({
	id: planIdSchema,
	object: z.literal("plan"),
	display_name: z.string(),
	price_usd_month: z.number(),
	daily_requests: z.int().nullable(),
	rpm: z.int(),
	stored_bytes: z.int().nullable().describe("The most that a user may store; null where nothing limits it."),
	model_access: z.object({ type: accessTypeSchema, count: z.int(), models: z.array(z.string()).nullable() }),
	agentguard: z.boolean(),
	description: z.string(),
});

function modelAccess(plan: Plan, catalog: Catalog) {
	const models = modelAllowlist(plan, catalog);
	return { type: models ? ("allowlist" as const) : ("all" as const), models: models ? [...models] : null };
}

const listPlansEndpoint = endpoint({
	id: "list_plans",
	method: "GET",
	path: "/v1/plans",
	access: "public",
	toolGroup: "account",
	summary: "The four plans with their limits.",
	description: "Prices and limits of each; get_usage says which is the caller's.",
	result: z.object({ object: z.literal("list"), data: z.array(pricingPlanSchema) }),
	async handle({ context }) {
		const { catalog, corporateStoredBytes } = context.settings;
		const data = Object.values(PLANS).map((plan) => ({
			id: plan.id,
			object: "plan" as const,
			display_name: plan.displayName,
			price_usd_month: plan.priceUsdMonth,
			daily_requests: plan.dailyRequests,
			rpm: plan.rpm,
			stored_bytes: storedQuotaBytes(plan.id, corporateStoredBytes),
			model_access: {
				...modelAccess(plan, catalog),
				count: modelAllowlist(plan, catalog)?.length ?? listedModels(catalog).length,
			},
			agentguard: plan.agentguard,
			description: plan.description,
		}));
		return ok({ object: "list" as const, data });
	},
});

const totalsByNameSchema = z.record(z.string(), z.object({ requests: z.int(), tokens: z.int(), cost_usd: z.number() }));

const recentSchema = z.object({
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
});

/** What is shown of a request among the latest. */
type RecentRequest = Pick<RecentUsage, Exclude<keyof z.infer<typeof recentSchema>, "cost_usd"> | "cost_nano_usd">;

function renderRecent({ cost_nano_usd, ...row }: RecentRequest): z.infer<typeof recentSchema> {
	const { request_id, created_at, kind, model, provider, mode, tokens, latency_ms, fallback } = row;
	const cost_usd = usd(cost_nano_usd);
	return { request_id, created_at, kind, model, provider, mode, tokens, cost_usd, latency_ms, fallback };
}

const openSchema = z.object({
	request_id: z.string(),
	kind: z.string(),
	spent_usd: z.number(),
	held_usd: z.number(),
	bound_usd: z.number().describe("The most that it may cost in all."),
});

function renderHold({ request_id, kind, spent_nano_usd, held_nano_usd, bound_nano_usd }: OpenHold) {
	const amounts = { spent_usd: usd(spent_nano_usd), held_usd: usd(held_nano_usd), bound_usd: usd(bound_nano_usd) };
	return { request_id, kind, ...amounts };
}

/** The latest requests of a key that reads only its own. */
async function listOwnRecent(context: KeyContext): Promise<RecentRequest[]> {
	const { entries } = await listReadableRequests(context, {
		filter: { isBilled: true },
		after: null,
		limit: RECENT_ROWS,
	});
	return entries.filter(isBilled);
}

export const usageSchema = z.lazy(() =>
	z.object({
		user_id: z.string().describe("Who you are."),
		plan: planIdSchema.describe("Your plan."),
		plan_display: z.string().describe("Its name for people."),
		limits: z
			.object({
				daily_requests: z.int().nullable(),
				rpm: z.int(),
				daily_requests_used: z.int(),
				daily_requests_remaining: z.int().nullable(),
				model_access: z.object({ type: accessTypeSchema, models: z.array(z.string()).nullable() }),
			})
			.describe("Limits of the plan, and the used part."),
		total_requests: z.int().describe("All settled requests."),
		total_tokens: z.int().describe("Their tokens."),
		total_cost_usd: z.number().describe("Their cost."),
		by_model: totalsByNameSchema.describe("Calls by model."),
		by_provider: totalsByNameSchema.describe("Calls by provider."),
		by_mode: totalsByNameSchema.describe("Requests by mode."),
		recent: z.array(recentSchema).describe("The last 20 requests, newest first."),
		storage: z
			.object({ stored_bytes: z.int(), quota_bytes: z.int().nullable() })
			.describe("Stored bytes and their quota; null where nothing limits them."),
		kept_since: z
			.string()
			.nullable()
			.describe(
				"First UTC day of which requests and receipts are kept; null while none was removed. Totals are of all.",
			),
		held_usd: z.number().describe("Amount that open requests may still cost."),
		open: z
			.array(openSchema)
			.describe("Requests that are not settled yet, oldest first; in no total, and in `recent` only afterwards."),
	}),
);

const usageGroupsSchema = z.lazy(() =>
	groupListSchema("usage.groups", {
		requests: z
			.int()
			.describe(
				"Those that were billed. By model: those that called it; by provider: those that count for one of its models.",
			),
		calls: z.int(),
		tokens: z.int(),
		input_tokens: z.int(),
		cost_usd: z.number(),
		refused: z
			.int()
			.describe(
				"Requests that were refused before a provider was called; they are not among `requests`. By model and provider, `total` alone has them.",
			),
		failed: z.int().describe("Other requests without an answer and a bill, by the model that was tried last."),
		latency_ms: groupPercentilesSchema().describe(
			"Time from arrival to receipt that half and 95 % of the requests do not exceed, from buckets that each span a tenth: within 5 %. By model and provider, of the requests that count for it; null by key, tag, end user and session.",
		),
		first_token_ms: groupPercentilesSchema().describe("The same to the first token, where one came."),
	}),
);

function groupPercentilesSchema() {
	return z.object({ p50: z.number().nullable(), p95: z.number().nullable() });
}

function toPercentilesView(times: TimeHistogram) {
	return { p50: readPercentile(times, 0.5), p95: readPercentile(times, 0.95) };
}

function toUsageAmounts(
	{ requests, calls, tokens, inputTokens, costNanoUsd }: GroupTotals,
	{ refused, failed, latency, firstToken }: TimeCounts,
) {
	return {
		...{ requests, calls, tokens, input_tokens: inputTokens, cost_usd: usd(costNanoUsd), refused, failed },
		latency_ms: toPercentilesView(latency),
		first_token_ms: toPercentilesView(firstToken),
	};
}

const getUsageEndpoint = endpoint({
	id: "get_usage",
	method: "GET",
	path: "/v1/usage",
	access: "key",
	countsTowardsDay: false,
	toolGroup: "account",
	command: "usage",
	page: "overview",
	summary:
		"The caller's limits, totals and latest requests; with group_by, usage by key, tag, model, provider, day, end user or session.",
	description: "To see how much of the limits is left, and what was spent on which models.",
	csv: GROUPS_AS_CSV,
	query: z.lazy(() => z.object(groupQueryMembers())),
	result: z.lazy(() => z.union([usageSchema.unwrap(), usageGroupsSchema.unwrap()])),
	ids: "walked apart",
	async handle({ query, context }) {
		const grouped = parseGroupRequest(query, context.startedAtMs);
		if (!grouped.ok) return grouped;
		if (grouped.value)
			return answerGroups(context, grouped.value, "usage.groups", { isTimed: true, toAmounts: toUsageAmounts });
		const { account } = context;
		const snapshot = await context.meter(account.userId).snapshot(account.plan.id);
		const { quota, recent, stored, holds } = snapshot;
		const totals = new UsageTotals(snapshot.totals);
		const isRestricted = readableMakers(context.account) !== null;
		const shownRecent = isRestricted ? await listOwnRecent(context) : recent;
		const shownOpen = holds.filter(({ api_key_id }) => mayRead(context.account, api_key_id));
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
			recent: shownRecent.map(renderRecent),
			storage: { stored_bytes: stored.storedBytes, quota_bytes: stored.quotaBytes },
			kept_since: snapshot.keptSince,
			held_usd: usd(holds.reduce((sum, { held_nano_usd }) => sum + held_nano_usd, 0)),
			open: shownOpen.map(renderHold),
		});
	},
});

const savingsAmounts = () => ({
	actual_cost_usd: z.number(),
	baseline_cost_usd: z.number(),
	saved_usd: z.number(),
	saved_pct: z.number(),
});

export const savingsSchema = z.lazy(() =>
	z.object({
		baseline_model: z.string(),
		total_requests: z.int(),
		total_tokens: z.int(),
		...savingsAmounts(),
	}),
);

export const savingsGroupsSchema = z.lazy(() =>
	groupListSchema("savings.groups", { requests: z.int(), tokens: z.int(), ...savingsAmounts() }),
);

function toSavingsAmounts(baseline: Model, totals: GroupTotals, atMs: number) {
	const { total_requests, total_tokens, baseline_model: _, ...amounts } = estimateSavings(baseline, totals, atMs);
	return { requests: total_requests, tokens: total_tokens, ...amounts };
}

const getSavingsEndpoint = endpoint({
	id: "get_savings",
	method: "GET",
	path: "/v1/savings",
	access: "key",
	toolGroup: "account",
	page: "overview",
	summary:
		"What the caller's tokens would have cost on one baseline model: a per-token estimate, not a billing statement.",
	description:
		"Requests whose models write nothing (embeddings, moderations, reranks) are left out: the baseline makes no vectors.",
	csv: GROUPS_AS_CSV,
	query: z.lazy(() =>
		z.object({
			baseline: z.string().default(DEFAULT_BASELINE).describe("An id of list_models."),
			...groupQueryMembers(),
		}),
	),
	result: z.lazy(() => z.union([savingsSchema.unwrap(), savingsGroupsSchema.unwrap()])),
	ids: "walked apart",
	example: { query: { baseline: "claude-fable-5" } },
	async handle({ query: { baseline: baselineId, ...groupQuery }, context }) {
		const { settings, startedAtMs } = context;
		const baseline = findExactModel(baselineId, settings.catalog);
		if (!baseline) return fail({ reason: "unknown_model", message: "baseline is not a model of GET /v1/models" });
		const grouped = parseGroupRequest(groupQuery, startedAtMs);
		if (!grouped.ok) return grouped;
		if (grouped.value) {
			const toAmounts = (totals: GroupTotals) => toSavingsAmounts(baseline, totals, startedAtMs);
			const exceptModels = settings.catalog.encoders.map(({ id }) => id);
			return answerGroups(context, { ...grouped.value, exceptModels }, "savings.groups", { isTimed: false, toAmounts });
		}
		const { account } = context;
		const { totals } = await context.meter(account.userId).snapshot(account.plan.id);
		return ok(estimateSavings(baseline, new UsageTotals(totals).ofText(), startedAtMs));
	},
});

export const usageEndpoints: readonly Endpoint[] = [listPlansEndpoint, getUsageEndpoint, getSavingsEndpoint];

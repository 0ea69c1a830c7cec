// Usage for the operator: sums by user, a check that compares the meters' totals and the daily sums with the rows in D1, and an export of decisions.

import * as z from "zod";
import { listUsers } from "../account/accounts.store.ts";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { planIdSchema } from "../catalog/plans.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, listSchema, toNextPage } from "../http/list-answer.ts";
import { integerParam } from "../http/query.ts";
import { storedQuotaBytes } from "../meter/stored-bytes.ts";
import { usd } from "../proof/money.ts";
import { findRollupDisagreements, rollupDisagreementSchema } from "./rollup-check.store.ts";
import { listRoutingDecisions, routingDecisionSchema } from "./routing-decisions.store.ts";
import { recomputeTotals } from "./usage-check.store.ts";
import { type Disagreement, findDisagreements } from "./usage-check.ts";
import { listUserSums } from "./user-sums.store.ts";

/** Users of one answer. */
const PAGE_USERS = 10;
/** How often a user is compared again while requests come in. */
const TRIES = 3;

const totalsSchema = z.object({
	requests: z.int(),
	tokens: z.int(),
	inputTokens: z.int(),
	costNanoUsd: z.int(),
});
const checkedUserSchema = z.object({
	user_id: z.string(),
	user: z.string(),
	agrees: z.boolean().nullable().describe("Null while too much happens to compare."),
	requests: z.int().describe("In the meter's totals, of rows that D1 has."),
	disagreements: z.array(
		z.object({
			dimension: z.string(),
			name: z.string(),
			meter: totalsSchema.nullable(),
			database: totalsSchema.nullable(),
		}),
	),
	rollup_disagreements: z
		.array(rollupDisagreementSchema)
		.describe("Daily sums that are not those of the rows: the first 100."),
});
type CheckedUser = z.infer<typeof checkedUserSchema>;

type CheckedTotals = Pick<CheckedUser, "agrees" | "requests" | "disagreements">;

/** Compares a user's totals, again when they have changed meanwhile. */
async function checkTotals({ db, meter }: ServiceContext, id: string): Promise<CheckedTotals> {
	let found: Disagreement[] = [];
	let requests = 0;
	for (let tried = 0; tried < TRIES; tried++) {
		const before = await meter(id).flushedTotals();
		// D1 may have rows of requests under way: they are in neither sum.
		const recomputed = await recomputeTotals(db, id, before.uncounted);
		const after = await meter(id).flushedTotals();
		requests = before.totals.find(({ dimension }) => dimension === "total")?.requests ?? 0;
		found = findDisagreements(before.totals, recomputed);
		if (found.length === 0) return { agrees: true, requests, disagreements: [] };
		// Nothing changed in between, so the difference is real.
		if (JSON.stringify(before) === JSON.stringify(after)) {
			return { agrees: false, requests, disagreements: found };
		}
	}
	return { agrees: null, requests, disagreements: found };
}

/** Compares a user's totals and daily sums with the rows in D1. */
async function checkUser(context: ServiceContext, { id, name }: { id: string; name: string }): Promise<CheckedUser> {
	const checked = await checkTotals(context, id);
	const rollup = await findRollupDisagreements(context.db, id);
	const agrees = rollup.length > 0 ? false : checked.agrees;
	return { user_id: id, user: name, ...checked, agrees, rollup_disagreements: rollup };
}

const checkUsageEndpoint = endpoint({
	id: "operator_check_usage",
	method: "GET",
	path: "/internal/usage/check",
	access: "operator",
	summary: "Whether usage totals and daily sums are those of the rows in D1, user by user.",
	query: z.object({
		user: z.string().optional(),
		after: z.string().default("").describe("`next` of the answer before."),
	}),
	result: z.object({ object: z.literal("list"), data: z.array(checkedUserSchema), next: z.string().nullable() }),
	example: { query: { user: "ada" } },
	async handle({ query, context }) {
		const users = await listUsers(context.db, query.user, query.after, PAGE_USERS);
		const data: CheckedUser[] = [];
		for (const user of users) data.push(await checkUser(context, user));
		const next = users.length < PAGE_USERS ? null : (users.at(-1)?.id ?? null);
		return ok({ object: "list" as const, data, next });
	},
});

const DEFAULT_LISTED_USERS = 100;
const MAX_LISTED_USERS = 1_000;

const userUsageSchema = z.object({
	user_id: z.string(),
	user: z.string(),
	plan: planIdSchema,
	requests: z.int().describe("That called a model, in all."),
	cost_usd: z.number().describe("Of them."),
	stored_bytes: z.int().describe("That count against the plan's quota, as of `stored_at`."),
	quota_bytes: z.int().nullable().describe("Null where nothing limits them."),
	stored_at: z.string().nullable(),
});

const listUsageEndpoint = endpoint({
	id: "operator_list_usage",
	method: "GET",
	path: "/internal/usage",
	access: "operator",
	summary: "Requests, cost and stored bytes of every user, as the meters have flushed them: a minute old at most.",
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MAX_LISTED_USERS).default(DEFAULT_LISTED_USERS).describe("Users of a page."),
			cursor: cursorParam(),
		}),
	),
	result: z.lazy(() => listSchema(userUsageSchema)),
	example: { query: { limit: "1" } },
	async handle({ query: { limit, cursor = "" }, context: { db, settings } }) {
		const found = await listUserSums(db, cursor, limit + 1);
		const page = found.slice(0, limit);
		const data = page.map(({ cost_nano_usd, plan: ofPlan, ...sums }) => {
			const plan = planIdSchema.parse(ofPlan);
			const quota_bytes = storedQuotaBytes(plan, settings.corporateStoredBytes);
			return { ...sums, plan, cost_usd: usd(cost_nano_usd), quota_bytes };
		});
		return ok({
			object: "list" as const,
			...toNextPage(found.length > limit ? (page.at(-1)?.user_id ?? null) : null),
			data,
		});
	},
});

/** The most decisions of one answer: about 1 MB. */
const MAX_PAGE_DECISIONS = 1_000;

const listDecisionsEndpoint = endpoint({
	id: "operator_list_decisions",
	method: "GET",
	path: "/internal/decisions",
	access: "operator",
	summary: "The decision on each request, its cost, and its user's feedback.",
	query: z.object({
		after: z.string().default("").describe("`next` of the answer before."),
		limit: integerParam(1, MAX_PAGE_DECISIONS).default(MAX_PAGE_DECISIONS),
	}),
	result: z.lazy(() =>
		z.object({ object: z.literal("list"), data: z.array(routingDecisionSchema), next: z.string().nullable() }),
	),
	example: { query: { after: "svc-", limit: "1" } },
	async handle({ query: { after, limit }, context: { db } }) {
		const data = await listRoutingDecisions(db, after, limit);
		const next = data.length < limit ? null : (data.at(-1)?.request_id ?? null);
		return ok({ object: "list" as const, data, next });
	},
});

export const operatorUsageEndpoints: readonly Endpoint[] = [
	listUsageEndpoint,
	checkUsageEndpoint,
	listDecisionsEndpoint,
];

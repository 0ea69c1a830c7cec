// Usage for the operator: sums by user, a check that compares sums with the rows that they count, and an export of decisions.

import * as z from "zod";
import { listUsers } from "../account/accounts.store.ts";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { planIdSchema } from "../catalog/plans.ts";
import { fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, listSchema, toNextPage } from "../http/list-answer.ts";
import { integerParam } from "../http/query.ts";
import { storedQuotaBytes } from "../meter/stored-bytes.ts";
import { findDaySums } from "../meter/usage-days.store.ts";
import { usd } from "../proof/money.ts";
import { findSumDisagreements, type SumDisagreement, sumDisagreementSchema } from "./account-check.ts";
import { routingDecisionSchema, toRoutingDecision } from "./routing-decisions.ts";
import { listUserSums } from "./user-sums.store.ts";

/** Days of one answer, and requests after which it ends. */
const MOST_CHECKED_DAYS = 31;
const ENOUGH_CHECKED_REQUESTS = 50_000;
/** How often a day is compared again while requests come in. */
const TRIES = 3;
/** More are not listed. */
const MOST_DISAGREEMENTS = 100;

const checkedUserSchema = z.object({
	user_id: z.string(),
	user: z.string(),
	since: z.string().nullable().describe("The first day that was compared; null where there is none."),
	until: z.string().nullable(),
	agrees: z.boolean().nullable().describe("Null while too much happens to compare."),
	requests: z.int(),
	disagreements: z
		.array(sumDisagreementSchema)
		.describe("Sums that are not those of the rows, or that D1 has otherwise: the first 100."),
});
type CheckedUser = z.infer<typeof checkedUserSchema>;

interface CheckedDay {
	requests: number;
	disagreements: SumDisagreement[];
	/** Null while too much happens to compare. */
	agrees: boolean | null;
}

/** Compares the sums of a user's day with its rows, where none was archived or removed, and with D1's sums after the meter has written them. */
async function checkDay({ db, meter }: ServiceContext, userId: string, day: string): Promise<CheckedDay> {
	let before = "";
	for (let tried = 0; ; tried++) {
		await meter(userId).flushNow();
		const inD1 = await findDaySums(db, userId, day);
		const { sums, rows } = await meter(userId).checkDay(day);
		const requests = sums.reduce((sum, counts) => sum + counts.requests, 0);
		const disagreements = findSumDisagreements(sums, rows ?? sums, inD1);
		if (disagreements.length === 0) return { requests, disagreements, agrees: true };
		const state = JSON.stringify(sums);
		// Nothing has changed since the last time, so the difference is real.
		if (state === before) return { requests, disagreements, agrees: false };
		if (tried === TRIES) return { requests, disagreements, agrees: null };
		before = state;
	}
}

/** Where a walk through users goes on: behind a user, and behind something of the next one. */
interface WalkPosition {
	userId: string;
	/** A day or a request. Empty for all of the next user. */
	behind: string;
}

function parsePosition(text: string): WalkPosition {
	const [userId = "", behind = ""] = text.split(" ");
	return { userId, behind };
}

/** Compares days of one user behind a day. `nextDay` is null when all are compared. */
async function checkUser(
	context: ServiceContext,
	{ id, name }: { id: string; name: string },
	after: string,
): Promise<{ checked: CheckedUser; nextDay: string | null }> {
	const days = await context.meter(id).daysAfter(after, MOST_CHECKED_DAYS);
	const found: CheckedDay[] = [];
	for (const day of days) {
		found.push(await checkDay(context, id, day));
		if (found.reduce((sum, { requests }) => sum + requests, 0) >= ENOUGH_CHECKED_REQUESTS) break;
	}
	const isWhole = found.length === days.length && days.length < MOST_CHECKED_DAYS;
	const verdicts = found.map(({ agrees }) => agrees);
	const checked = {
		user_id: id,
		user: name,
		since: days[0] ?? null,
		until: days[found.length - 1] ?? null,
		agrees: verdicts.includes(false) ? false : verdicts.includes(null) ? null : true,
		requests: found.reduce((sum, { requests }) => sum + requests, 0),
		disagreements: found.flatMap(({ disagreements }) => disagreements).slice(0, MOST_DISAGREEMENTS),
	};
	return { checked, nextDay: isWhole ? null : checked.until };
}

const checkAccountsEndpoint = endpoint({
	id: "operator_check_accounts",
	method: "GET",
	path: "/internal/accounts/check",
	access: "operator",
	summary:
		"Whether the sums of users' days are those of their rows, and the same in D1; some days of one user an answer.",
	query: z.object({
		user: z.string().optional(),
		after: z.string().default("").describe("`next` of the answer before."),
	}),
	result: z.object({ object: z.literal("list"), data: z.array(checkedUserSchema), next: z.string().nullable() }),
	example: { query: { user: "ada" } },
	async handle({ query, context }) {
		const { userId, behind } = parsePosition(query.after);
		const [user] = await listUsers(context.db, query.user, userId, 1);
		if (!user) return ok({ object: "list" as const, data: [], next: null });
		const { checked, nextDay } = await checkUser(context, user, behind);
		const next = nextDay === null ? user.id : `${userId} ${nextDay}`;
		return ok({ object: "list" as const, data: [checked], next });
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
	summary: "The decision on each request, its cost, and its user's feedback: user by user, oldest first.",
	query: z.object({
		after: z.string().default("").describe("`next` of the answer before."),
		limit: integerParam(1, MAX_PAGE_DECISIONS).default(MAX_PAGE_DECISIONS),
	}),
	result: z.lazy(() =>
		z.object({ object: z.literal("list"), data: z.array(routingDecisionSchema), next: z.string().nullable() }),
	),
	example: { query: { limit: "1" } },
	async handle({ query: { after, limit }, context: { db, meter, settings } }) {
		const { userId, behind: requestId } = parsePosition(after);
		const isKnown = requestId === "" || parseRequestId(requestId, settings) !== null;
		if (!isKnown) return fail({ reason: "invalid_request", issues: [{ path: "after", message: "is not a `next`" }] });
		const [user] = await listUsers(db, undefined, userId, 1);
		if (!user) return ok({ object: "list" as const, data: [], next: null });
		const rated = await meter(user.id).decisions(requestId, limit);
		const data = rated.map((each) => toRoutingDecision(user.id, each));
		const last = data.at(-1);
		const next = last && data.length === limit ? `${userId} ${last.request_id}` : user.id;
		return ok({ object: "list" as const, data, next });
	},
});

export const operatorUsageEndpoints: readonly Endpoint[] = [
	listUsageEndpoint,
	checkAccountsEndpoint,
	listDecisionsEndpoint,
];

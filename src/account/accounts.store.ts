// Users in D1, and the look-up of a key's account. Keys are written in keys/keys.store.ts.
import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import * as z from "zod";
import { PLANS, type PlanId } from "../catalog/plans.ts";
import type { Database } from "../db/client.edge.ts";
import { apiKeys, users } from "../db/schema.ts";
import { KEY_ROLES } from "../http/endpoint.ts";
import { BUDGET_PERIODS } from "../meter/budget-period.ts";
import { type KeyBudget, toMeteredBudget } from "../meter/key-budget.ts";
import type { Account, KeyGrant } from "./context.ts";
import { readsOwnOnly } from "./makers.ts";

const roleColumn = z.enum(KEY_ROLES);
const periodColumn = z.enum(BUDGET_PERIODS);
const modelsColumn = z.array(z.string());

/** The columns of a key that a request obeys. */
export const grantColumns = {
	version: apiKeys.version,
	role: apiKeys.role,
	expiresAt: apiKeys.expiresAt,
	rpm: apiKeys.rpm,
	dailyRequests: apiKeys.dailyRequests,
	budgetNanoUsd: apiKeys.budgetNanoUsd,
	budgetPeriod: apiKeys.budgetPeriod,
	budgetKeyId: apiKeys.budgetKeyId,
	alertWebhook: apiKeys.alertWebhook,
	models: apiKeys.models,
	brainConfig: apiKeys.brainConfig,
	ownOnly: apiKeys.ownOnly,
	defaultMaxTokens: apiKeys.defaultMaxTokens,
	logTexts: apiKeys.logTexts,
};

type GrantRow = Pick<typeof apiKeys.$inferSelect, keyof typeof grantColumns>;

/** A key's budget by its columns, of which both are set or neither. */
function toKeyBudget({
	budgetNanoUsd,
	budgetPeriod,
}: Pick<GrantRow, "budgetNanoUsd" | "budgetPeriod">): KeyBudget | null {
	if (budgetNanoUsd === null) return null;
	return { limitNanoUsd: budgetNanoUsd, period: periodColumn.parse(budgetPeriod) };
}

/** What a key's columns hold as texts. */
export function parseGrantTexts({
	role,
	models,
	...budget
}: Pick<GrantRow, "role" | "models" | "budgetNanoUsd" | "budgetPeriod">) {
	return {
		role: roleColumn.parse(role),
		models: models === null ? null : modelsColumn.parse(JSON.parse(models)),
		budget: toKeyBudget(budget),
	};
}

/** A key with all that it replaced, as a JSON list of ids. A key never changes what it replaced. */
const lineageColumn = sql<string>`(
	WITH RECURSIVE lineage(id, before) AS (
		SELECT ${apiKeys.id}, ${apiKeys.rotatedFrom}
		UNION SELECT replaced.id, replaced.rotated_from FROM api_keys AS replaced JOIN lineage ON replaced.id = lineage.before)
	SELECT json_group_array(id) FROM lineage)`;

const lineageSchema = z.array(z.string());

function toGrant(row: GrantRow & { lineage: string }): KeyGrant {
	const { version, expiresAt, rpm, dailyRequests, budgetKeyId, brainConfig, defaultMaxTokens, alertWebhook, ownOnly } =
		row;
	const { role, models, budget } = parseGrantTexts(row);
	return {
		version,
		role,
		expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt),
		limits: rpm === null && dailyRequests === null ? null : { rpm, dailyRequests },
		budget: toMeteredBudget(budget, alertWebhook),
		budgetKeyId,
		rules: [models, brainConfig, defaultMaxTokens].every((rule) => rule === null)
			? null
			: { models, brainConfig, defaultMaxTokens },
		lineage: lineageSchema.parse(JSON.parse(row.lineage)),
		ownOnly: readsOwnOnly({ role, ownOnly }),
		logsTexts: row.logTexts,
	};
}

/** The account of a key, by its digest; null when the key is unknown or revoked. */
export async function findAccount(db: Database, digest: string): Promise<Account | null> {
	const row = await db
		.select({
			...{ keyId: apiKeys.id, userId: users.id, plan: users.plan, number: users.number },
			...grantColumns,
			lineage: lineageColumn,
		})
		.from(apiKeys)
		.innerJoin(users, eq(users.id, apiKeys.userId))
		.where(and(eq(apiKeys.digest, digest), isNull(apiKeys.revokedAt)))
		.get();
	if (!row) return null;
	const { keyId, userId, plan, number } = row;
	return { keyId, userId, plan: PLANS[plan as PlanId], number, key: toGrant(row) };
}

/** The next number, in one statement with its use: D1 writes one statement after the other, so no two users get it. */
const nextNumber = sql<number>`(SELECT coalesce(max(number), 0) + 1 FROM users)`;

/** Users by id, behind one of them: all, or the one with a name. */
export async function listUsers(
	db: Database,
	name: string | undefined,
	after: string,
	limit: number,
): Promise<{ id: string; name: string }[]> {
	const named = name === undefined ? undefined : eq(users.name, name);
	const page = db.select({ id: users.id, name: users.name }).from(users);
	return page
		.where(and(gt(users.id, after), named))
		.orderBy(asc(users.id))
		.limit(limit)
		.all();
}

/** Creates the user if new, and sets the plan; returns the user's id. */
export async function upsertUser(
	db: Database,
	user: { id: string; name: string; plan: PlanId; createdAt: string },
): Promise<string> {
	const row = await db
		.insert(users)
		.values({ ...user, number: nextNumber })
		.onConflictDoUpdate({ target: users.name, set: { plan: user.plan } })
		.returning({ id: users.id })
		.get();
	return row.id;
}

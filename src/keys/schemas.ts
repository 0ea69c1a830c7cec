// Keys in answers. Pure.
import * as z from "zod";
import { readsOwnOnly } from "../account/makers.ts";
import { KEY_ROLES } from "../http/endpoint.ts";
import { BUDGET_PERIODS } from "../meter/budget-period.ts";
import type { BudgetStatus, KeyCosts } from "../meter/key-budget.ts";
import { usd } from "../proof/money.ts";
import { configSchema, toConfigFields } from "../routing-config/config-input.ts";
import { maskWebhook } from "../webhooks/webhook.ts";
import type { ApiKey } from "./key.ts";

/** The members that operators and owners see of a key. */
const keyMembers = () => ({
	key_id: z.string(),
	name: z.string().nullable(),
	role: z.enum(KEY_ROLES),
	last4: z.string(),
	expires_at: z.string().nullable(),
	rpm: z.int().nullable().describe("Null where the plan's limit holds."),
	daily_requests: z.int().nullable().describe("Null where the plan's limit holds."),
	budget_usd: z.number().nullable().describe("Null where it may spend as much as it likes."),
	budget_period: z.enum(BUDGET_PERIODS).nullable(),
	models: z.array(z.string()).nullable().describe("Null where it may call all of the plan's."),
	brain_config: configSchema.unwrap().nullable(),
	default_max_tokens: z
		.int()
		.nullable()
		.describe("The output limit of its requests that name none; null where the config's or the service's holds."),
	tags: z.array(z.string()),
	alert_webhook: z
		.string()
		.nullable()
		.describe("Where alerts of its budget go. Only owners' keys are shown more than the host."),
	own_only: z.boolean().describe("Whether it reads only what it, or a key that it replaced, made."),
	log_texts: z.boolean().describe("Whether texts of its requests are kept, where the operator keeps any."),
	created_at: z.string(),
	rotated_from: z.string().nullable().describe("The key that it replaced."),
	made_by: z
		.string()
		.nullable()
		.describe("The key that made it, also by a rotation; null where the operator did. Only owners' keys are shown it."),
});

export const keySchema = z.lazy(() =>
	z.object({
		object: z.literal("key"),
		...keyMembers(),
		spent_usd: z.number().nullable().describe("Of the budget, in its current period; null without one."),
		held_usd: z.number().nullable().describe("What open requests may still cost of the budget, at most."),
		resets_at: z.string().nullable().describe("When the budget's period ends; null where it has no end."),
		cost_today_usd: z.number().describe("Of its requests and those of the keys that it replaced, as the two below."),
		cost_month_usd: z.number(),
		cost_total_usd: z.number(),
		last_used_on: z.string().nullable().describe("The latest UTC day with a request that a model was called for."),
	}),
);

/** A key with the key itself. */
export const madeKeySchema = z.lazy(() =>
	keySchema.unwrap().extend({ key: z.string().describe("The key itself, which is shown this once.") }),
);

export const rotatedKeySchema = z.lazy(() =>
	madeKeySchema.unwrap().extend({ previous_ends_at: z.string().describe("When the old key ends, or has ended.") }),
);

/** A key among those of all users. */
export const operatorKeySchema = z.lazy(() =>
	z.object({
		...keyMembers(),
		user_id: z.string(),
		user: z.string(),
		plan: z.string(),
		revoked_at: z.string().nullable(),
	}),
);

/** @param isOwner whether the reader may see who made it, and all of its webhook's address, which may hold a secret. */
export function toKeyMembers({ id, last4, createdAt, rotatedFrom, madeBy, options }: ApiKey, isOwner: boolean) {
	const { alertWebhook } = options;
	return {
		key_id: id,
		name: options.name,
		role: options.role,
		last4,
		expires_at: options.expiresAt,
		rpm: options.rpm,
		daily_requests: options.dailyRequests,
		budget_usd: options.budget && usd(options.budget.limitNanoUsd),
		budget_period: options.budget?.period ?? null,
		models: options.models,
		brain_config: options.config && toConfigFields(options.config),
		default_max_tokens: options.defaultMaxTokens,
		tags: options.tags,
		alert_webhook: alertWebhook === null || isOwner ? alertWebhook : maskWebhook(alertWebhook),
		own_only: readsOwnOnly(options),
		log_texts: options.logTexts,
		created_at: createdAt,
		rotated_from: rotatedFrom,
		made_by: isOwner ? madeBy : null,
	};
}

type KeyView = z.output<typeof keySchema>;

/** What the meter knows of a key now. */
export interface KeyState {
	/** Of a key that has one. */
	budget: BudgetStatus | null;
	costs: KeyCosts;
}

/** A key as a key of its user sees it. */
export function toKeyView(key: ApiKey, { budget, costs }: KeyState, isOwner: boolean): KeyView {
	return {
		object: "key",
		...toKeyMembers(key, isOwner),
		spent_usd: budget && usd(budget.spentNanoUsd),
		held_usd: budget && usd(budget.heldNanoUsd),
		resets_at: budget?.resetsAt ?? null,
		cost_today_usd: usd(costs.todayNanoUsd),
		cost_month_usd: usd(costs.monthNanoUsd),
		cost_total_usd: usd(costs.totalNanoUsd),
		last_used_on: costs.lastUsedOn,
	};
}

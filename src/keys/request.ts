// The members of requests that make or change keys: one schema for users, operators and the command line. Pure.
import * as z from "zod";
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { fail, type Issue, ok, type Result } from "../failure.ts";
import { KEY_ROLES } from "../http/endpoint.ts";
import { timestampParam } from "../http/query.ts";
import { BUDGET_PERIODS } from "../meter/budget-period.ts";
import { nanoUsd } from "../proof/money.ts";
import { isListed } from "../routing/routing-config.ts";
import { findMisplacedMembers } from "../routing-config/config.ts";
import { configFields } from "../routing-config/config-input.ts";
import { readConfigObject } from "../routing-config/read.ts";
import type { Settings } from "../settings.ts";
import { checkWebhook, MAX_WEBHOOK_URL_CHARS, toWebhookRules, type WebhookRules } from "../webhooks/webhook.ts";
import type { WantedOptions } from "./key.ts";

const MAX_NAME_CHARS = 128;
const MAX_TAGS = 10;
const MAX_MODELS = 100;
const MAX_BUDGET_USD = 1_000_000;
/** A budget of 0 would look like a key that is stopped, and still answers all that costs nothing. */
const NO_BUDGET =
	"must be at least 0.000000001 USD: to have no budget, leave it out or send null; to stop a key, delete it or give it an expires_at";
const MAX_MODEL_CHARS = 128;
const TAG = /^[A-Za-z0-9._:-]{1,64}$/;
const MAX_OVERLAP_SECONDS = 86_400;

/** The options of a key in a request. */
export const keyOptionFields = () => ({
	name: z.string().trim().min(1).max(MAX_NAME_CHARS).nullish().describe("Name for people."),
	role: z
		.enum(KEY_ROLES)
		.nullish()
		.describe(
			"An `agent` may not change manifests, shares or keys. An `approver` reads runs and resolves approvals and plans, nothing else.",
		),
	expires_at: timestampParam.nullish().describe("End: from then on the key is refused."),
	rpm: z.int().min(1).nullish().describe("Requests a minute, at most the plan's."),
	daily_requests: z.int().min(1).nullish().describe("Requests in 24 hours, at most the plan's."),
	budget_usd: z
		.number()
		.positive(NO_BUDGET)
		.max(MAX_BUDGET_USD)
		.refine((amount) => amount <= 0 || nanoUsd(amount) > 0, NO_BUDGET)
		.nullish()
		.describe("The most that its requests may cost in a period, in USD. None by default."),
	budget_period: z
		.enum(BUDGET_PERIODS)
		.nullish()
		.describe(
			"Calendar day, week (from Monday) or month in UTC, or `total`, which is the default. Only with a budget.",
		),
	models: z
		.array(z.string().trim().min(1).max(MAX_MODEL_CHARS))
		.min(1)
		.max(MAX_MODELS)
		.nullish()
		.describe("Models it may call: ids, tiers, and `*` globs of ids and providers."),
	brain_config: configFields().brain_config.describe(
		"Routing config for its requests, between the server's and their own.",
	),
	default_max_tokens: z.int().min(1).nullish().describe("Output limit of its requests that name none."),
	tags: z
		.array(z.string().regex(TAG, "must be 1 to 64 characters of A-Z a-z 0-9 . _ : -"))
		.max(MAX_TAGS)
		.refine((tags) => new Set(tags).size === tags.length, "must not repeat a tag")
		.nullish()
		.describe("Labels: 1 to 64 characters of `A-Z a-z 0-9 . _ : -`. None by default."),
	alert_webhook: z
		.string()
		.max(MAX_WEBHOOK_URL_CHARS)
		.nullish()
		.describe("Https address that alerts of its budget are sent to, at 50, 80 and 100 %. None by default."),
	log_texts: z
		.boolean()
		.nullish()
		.describe("Keep what its requests asked and were answered, where the operator keeps texts. False by default."),
	own_only: z
		.boolean()
		.nullish()
		.describe(
			"Whether it reads only what it, or a key that it replaced, made. True by default for `agent`; never for the others.",
		),
});

/** A member that is not honoured would be a rule that nobody keeps, so unknown ones are refused. */
export const keyRequestSchema = z.lazy(() => z.strictObject(keyOptionFields()));
export type KeyRequest = z.output<typeof keyRequestSchema>;

export const rotateRequestSchema = z.lazy(() =>
	z.strictObject({
		overlap_seconds: z
			.int()
			.min(0)
			.max(MAX_OVERLAP_SECONDS)
			.default(0)
			.describe("How long the old key still works beside the new one."),
	}),
);

/** What a request names of a key's options, but for its config. Null stands for none. */
function toKeyOptions(body: KeyRequest): WantedOptions {
	const { name, role, expires_at, rpm, daily_requests, budget_usd, budget_period, models, tags, alert_webhook } = body;
	const { default_max_tokens, own_only, log_texts } = body;
	const budget = budget_usd == null ? null : { limitNanoUsd: nanoUsd(budget_usd), period: budget_period ?? null };
	return {
		...(name === undefined ? {} : { name }),
		...(role == null ? {} : { role }),
		...(expires_at === undefined ? {} : { expiresAt: expires_at }),
		...(rpm === undefined ? {} : { rpm }),
		...(daily_requests === undefined ? {} : { dailyRequests: daily_requests }),
		...(budget_usd === undefined ? {} : { budget }),
		...(models === undefined ? {} : { models }),
		...(default_max_tokens === undefined ? {} : { defaultMaxTokens: default_max_tokens }),
		...(tags === undefined ? {} : { tags: tags ?? [] }),
		...(alert_webhook === undefined ? {} : { alertWebhook: alert_webhook }),
		...(own_only === undefined ? {} : { ownOnly: own_only }),
		...(log_texts === undefined ? {} : { logTexts: log_texts ?? false }),
	};
}

/** What a key is read under. */
interface KeyBasis {
	plan: PlanId;
	/** Its catalog is read where a request names models, for it may not be there. */
	settings: Pick<Settings, "catalog">;
	nowMs: number;
	webhooks: WebhookRules;
}

/** What the keys of a plan are read under. */
export function toKeyBasis(plan: PlanId, settings: Settings, nowMs: number): KeyBasis {
	return { plan, settings, nowMs, webhooks: toWebhookRules(settings) };
}

function findLimitIssue(path: string, limit: number | null | undefined, ofPlan: number | null, plan: PlanId): Issue[] {
	if (limit == null || ofPlan === null || limit <= ofPlan) return [];
	return [{ path, message: `must be at most ${ofPlan}, the limit of the ${PLANS[plan].displayName} plan` }];
}

function findIssues(body: KeyRequest, { plan, settings, nowMs }: KeyBasis): Issue[] {
	const { expires_at, rpm, daily_requests, budget_usd, budget_period, models } = body;
	const issues = [
		...findLimitIssue("rpm", rpm, PLANS[plan].rpm, plan),
		...findLimitIssue("daily_requests", daily_requests, PLANS[plan].dailyRequests, plan),
	];
	if (expires_at != null && Date.parse(expires_at) <= nowMs)
		issues.push({ path: "expires_at", message: "must be in the future; to end a key now, delete it" });
	if (budget_period != null && budget_usd == null)
		issues.push({ path: "budget_period", message: "is the period of budget_usd, which is missing" });
	if (models && ![...settings.catalog.models, ...settings.catalog.encoders].some((model) => isListed(model, models)))
		issues.push({ path: "models", message: "matches no model; GET /v1/models lists them all" });
	return issues;
}

/** What a request names of a key's options, if a key of the plan can have them. */
export async function readKeyOptions(body: KeyRequest, basis: KeyBasis): Promise<Result<WantedOptions>> {
	const issues = findIssues(body, basis);
	if (issues.length > 0) return fail({ reason: "invalid_request", issues });
	if (body.alert_webhook != null) {
		const webhook = checkWebhook(body.alert_webhook, basis.webhooks);
		if (!webhook.ok) return webhook;
	}
	const options = toKeyOptions(body);
	if (body.brain_config === undefined) return ok(options);
	if (body.brain_config === null) return ok({ ...options, config: null });
	const { config, errors } = await readConfigObject(body.brain_config, basis.settings.catalog);
	const all = [...errors, ...findMisplacedMembers(config)];
	return all.length > 0 ? fail({ reason: "invalid_brain_config", errors: all }) : ok({ ...options, config });
}

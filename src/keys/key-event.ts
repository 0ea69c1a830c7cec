// The audit events of keys: made, changed, revoked. None holds a key itself. Pure.
import { readsOwnOnly } from "../account/makers.ts";
import type { PlainEvent } from "../audit/event.ts";
import { usd } from "../proof/money.ts";
import { maskWebhook } from "../webhooks/webhook.ts";
import type { ApiKey, KeyOptions } from "./key.ts";

/** Options under their names in requests. */
function toOptionFields(options: KeyOptions) {
	const { name, role, expiresAt, rpm, dailyRequests, budget, models, config, tags, alertWebhook, ownOnly } = options;
	const { defaultMaxTokens, logTexts } = options;
	return {
		name,
		role,
		expires_at: expiresAt,
		rpm,
		daily_requests: dailyRequests,
		budget_usd: budget && usd(budget.limitNanoUsd),
		budget_period: budget?.period ?? null,
		models,
		brain_config: config,
		default_max_tokens: defaultMaxTokens,
		tags,
		alert_webhook: alertWebhook,
		own_only: readsOwnOnly({ role, ownOnly }),
		log_texts: logTexts,
	};
}

type OptionFields = Record<string, unknown>;

/** Options as events show them: a webhook's address may hold a secret, and everybody with a key reads the events. */
function maskOptions(fields: OptionFields): OptionFields {
	const { alert_webhook: address } = fields;
	return typeof address === "string" ? { ...fields, alert_webhook: maskWebhook(address) } : fields;
}

function toKeyEvent(event_type: PlainEvent["event_type"], key: ApiKey, actor: string, more: object): PlainEvent {
	const payload = JSON.stringify({ key_id: key.id, ...more });
	return { user_id: key.userId, workspace_id: null, event_type, actor, payload };
}

export function keyCreatedEvent(key: ApiKey, actor: string): PlainEvent {
	const options = maskOptions(toOptionFields(key.options));
	return toKeyEvent("key_created", key, actor, { ...options, rotated_from: key.rotatedFrom });
}

/** Says what was, and what is, of each option that changed. */
export function keyChangedEvent(before: ApiKey, after: ApiKey, actor: string): PlainEvent {
	const was: OptionFields = toOptionFields(before.options);
	const is = Object.entries(toOptionFields(after.options));
	const changed = is.filter(([name, value]) => JSON.stringify(was[name]) !== JSON.stringify(value));
	const names = changed.map(([name]) => name);
	return toKeyEvent("key_changed", before, actor, {
		before: maskOptions(Object.fromEntries(names.map((name) => [name, was[name]]))),
		after: maskOptions(Object.fromEntries(changed)),
	});
}

/** @param replacedBy the key that takes its place; null for none. */
export function keyRevokedEvent(key: ApiKey, actor: string, replacedBy: string | null): PlainEvent {
	return toKeyEvent("key_revoked", key, actor, { replaced_by: replacedBy });
}

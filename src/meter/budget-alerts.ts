// Which alerts the spending of a key gives rise to, and their audit events. Pure.
import { usd } from "../proof/money.ts";
import type { BudgetStatus } from "./key-budget.ts";

/** Shares of a budget, in percent, ascending. */
const ALERT_THRESHOLDS = [50, 80, 100] as const;
type AlertThreshold = (typeof ALERT_THRESHOLDS)[number];

/** The shares that spending has reached. Nothing can be spent of a budget of nothing, so it reaches none. */
export function reachedThresholds({ limitNanoUsd, spentNanoUsd }: BudgetStatus): AlertThreshold[] {
	if (spentNanoUsd === 0) return [];
	return ALERT_THRESHOLDS.filter((threshold) => spentNanoUsd * 100 >= limitNanoUsd * threshold);
}

/** The body of an alert's webhook. */
export interface BudgetAlertBody {
	type: "key.budget_alert";
	key_id: string;
	threshold: AlertThreshold;
	budget_usd: number;
	spent_usd: number;
	held_usd: number;
	resets_at: string | null;
}

/** What a webhook says of an alert. */
export function toBudgetAlertBody(
	keyId: string,
	threshold: AlertThreshold,
	{ limitNanoUsd, spentNanoUsd, heldNanoUsd, resetsAt }: BudgetStatus,
): BudgetAlertBody {
	return {
		type: "key.budget_alert",
		key_id: keyId,
		threshold,
		budget_usd: usd(limitNanoUsd),
		spent_usd: usd(spentNanoUsd),
		held_usd: usd(heldNanoUsd),
		resets_at: resetsAt,
	};
}

/** The request that brought spending to a threshold, or found it there. */
export interface AlertCause {
	userId: string;
	keyId: string;
	/** `ae_` and a ULID. */
	eventId: string;
	atMs: number;
}

/** An audit event under its column names. It belongs to no workspace. */
function toAlertEvent(event_type: string, { userId, keyId, eventId, atMs }: AlertCause, payload: object) {
	return {
		id: eventId,
		user_id: userId,
		workspace_id: null,
		event_type,
		actor: `key:${keyId}`,
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: JSON.stringify(payload),
		created_at: new Date(atMs).toISOString(),
	};
}

/** The event of an alert. */
export function budgetAlertEvent(
	cause: AlertCause,
	threshold: AlertThreshold,
	{ limitNanoUsd, period, spentNanoUsd, heldNanoUsd, resetsAt }: BudgetStatus,
) {
	return toAlertEvent("key_budget_alert", cause, {
		key_id: cause.keyId,
		threshold,
		budget_usd: usd(limitNanoUsd),
		budget_period: period,
		spent_usd: usd(spentNanoUsd),
		held_usd: usd(heldNanoUsd),
		resets_at: resetsAt,
	});
}

/** The event of an alert whose webhook was given up. */
export function webhookFailedEvent(
	cause: Omit<AlertCause, "keyId">,
	{ key_id, threshold, resets_at }: BudgetAlertBody,
	tries: number,
) {
	return toAlertEvent("key_webhook_failed", { ...cause, keyId: key_id }, { key_id, threshold, resets_at, tries });
}

// Which alerts the spending of a key gives rise to, and their audit events. Pure.
import { usd } from "../proof/money.ts";
import type { BudgetStatus } from "./key-budget.ts";
import { type MeterEventCause, toMeterEvent } from "./meter-events.ts";

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

/** The event of an alert. */
export function budgetAlertEvent(
	cause: MeterEventCause,
	threshold: AlertThreshold,
	{ limitNanoUsd, period, spentNanoUsd, heldNanoUsd, resetsAt }: BudgetStatus,
) {
	return toMeterEvent(cause, "key_budget_alert", {
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
	cause: Omit<MeterEventCause, "keyId">,
	{ key_id, threshold, resets_at }: BudgetAlertBody,
	tries: number,
) {
	return toMeterEvent({ ...cause, keyId: key_id }, "key_webhook_failed", { key_id, threshold, resets_at, tries });
}

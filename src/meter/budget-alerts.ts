// Which alerts the spending of a key gives rise to, and their audit events. Pure.
import { usd } from "../proof/money.ts";
import type { BudgetStatus } from "./key-budget.ts";
import { type MeterEvent, type MeterEventCause, toMeterEvent } from "./meter-events.ts";

/** Shares of a budget, in percent, ascending. */
const ALERT_THRESHOLDS = [50, 80, 100] as const;
type AlertThreshold = (typeof ALERT_THRESHOLDS)[number];

/** The shares that spending has reached. Nothing can be spent of a budget of nothing, so it reaches none. */
export function reachedThresholds({ limitNanoUsd, spentNanoUsd }: BudgetStatus): AlertThreshold[] {
	if (spentNanoUsd === 0) return [];
	return ALERT_THRESHOLDS.filter((threshold) => spentNanoUsd * 100 >= limitNanoUsd * threshold);
}

/** @param cause the request that brought spending to a threshold, or found it there. */
export function budgetAlertEvent(
	cause: MeterEventCause,
	threshold: AlertThreshold,
	{ limitNanoUsd, period, spentNanoUsd, heldNanoUsd, resetsAt }: BudgetStatus,
): MeterEvent {
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

// The budget of a key, and how much of it is left. Amounts are integer nano-USD. Pure.
import type { BudgetPeriod } from "./budget-period.ts";

/** The most that the requests of a key may cost in one period. */
export interface KeyBudget {
	limitNanoUsd: number;
	period: BudgetPeriod;
}

/** A key's budget as the meter keeps it. */
export interface MeteredBudget extends KeyBudget {
	/** The address that its alerts are sent to. Without it, they stand in the audit log alone. */
	alertWebhook?: string;
}

export function toMeteredBudget(budget: KeyBudget | null, alertWebhook: string | null): MeteredBudget | null {
	return budget && alertWebhook !== null ? { ...budget, alertWebhook } : budget;
}

/** A budget in its current period. */
export interface BudgetStatus extends KeyBudget {
	/** Booked in the period. */
	spentNanoUsd: number;
	/** The most that open requests of the period may still cost, what they have spent included. */
	heldNanoUsd: number;
	/** When the period ends, ISO 8601; null where it has no end. */
	resetsAt: string | null;
}

/** What the requests of a key have cost, with those of the keys that it replaced. */
export interface KeyCosts {
	todayNanoUsd: number;
	/** In the calendar month in UTC. */
	monthNanoUsd: number;
	totalNanoUsd: number;
	/** The latest UTC day with a settled request, `YYYY-MM-DD`; null where there is none. */
	lastUsedOn: string | null;
}

/** Neither spent nor held. A budget that was lowered below both has nothing left. */
export function budgetLeftNanoUsd({ limitNanoUsd, spentNanoUsd, heldNanoUsd }: BudgetStatus): number {
	return Math.max(0, limitNanoUsd - spentNanoUsd - heldNanoUsd);
}

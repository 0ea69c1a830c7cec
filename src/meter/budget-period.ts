// The calendar periods of key budgets. A day is a number, counted from the epoch in UTC. Pure.

export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const DAY_MS = 86_400_000;
/** The epoch was a Thursday, three days after a Monday. */
const EPOCH_WEEKDAY = 3;

/** The UTC day of a time, counted from the epoch. */
export function toUtcDay(atMs: number): number {
	return Math.floor(atMs / DAY_MS);
}

/** A day as `YYYY-MM-DD`. */
export function renderUtcDay(day: number): string {
	return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The first day of the month that is so many months after a day's. */
function monthStart(day: number, months: number): number {
	const date = new Date(day * DAY_MS);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / DAY_MS;
}

/** The first day of the period that a day is in. Weeks begin on Monday; `total` began with the epoch. */
export function periodStart(period: BudgetPeriod, day: number): number {
	switch (period) {
		case "day":
			return day;
		case "week":
			return day - ((day + EPOCH_WEEKDAY) % 7);
		case "month":
			return monthStart(day, 0);
		case "total":
			return 0;
	}
}

/** The first day after the period; null where it has no end. */
function nextPeriodStart(period: BudgetPeriod, day: number): number | null {
	switch (period) {
		case "day":
			return day + 1;
		case "week":
			return periodStart("week", day) + 7;
		case "month":
			return monthStart(day, 1);
		case "total":
			return null;
	}
}

/** When the period that a day is in ends, ISO 8601; null where it has no end. */
export function periodEndsAt(period: BudgetPeriod, day: number): string | null {
	const next = nextPeriodStart(period, day);
	return next === null ? null : new Date(next * DAY_MS).toISOString();
}

// When a limit will be reached if things go on as they did. Pure.

import { MS_PER_DAY, MS_PER_HOUR } from "./format.ts";

/** What is to be expected of a limit. */
export type Forecast =
	| { kind: "reached" }
	/** @member atMs ms since the epoch. */
	| { kind: "at"; atMs: number }
	/** The period ends before, or nothing is used. */
	| { kind: "not" };

/** A budget in its period. */
export interface BudgetUse {
	limitUsd: number;
	spentUsd: number;
	/** When the period began. */
	sinceMs: number;
	/** When it ends; null for one without an end. */
	untilMs: number | null;
}

/** The least time that a rate is read from: the first minutes of a period say nothing. */
const LEAST_MS = MS_PER_HOUR;
/** Further than people plan. */
const MOST_MS = 3 * 366 * MS_PER_DAY;

/** When a budget is spent, at the rate of its period so far. */
export function forecastBudget({ limitUsd, spentUsd, sinceMs, untilMs }: BudgetUse, nowMs: number): Forecast {
	if (spentUsd >= limitUsd) return { kind: "reached" };
	const elapsedMs = Math.max(LEAST_MS, nowMs - sinceMs);
	if (spentUsd <= 0) return { kind: "not" };
	const leftMs = ((limitUsd - spentUsd) / spentUsd) * elapsedMs;
	const atMs = nowMs + leftMs;
	return leftMs > MOST_MS || (untilMs !== null && atMs >= untilMs) ? { kind: "not" } : { kind: "at", atMs };
}

/** A limit on the requests of any 24 hours. */
export interface RollingUse {
	limit: number;
	/** Requests of the last 24 hours. */
	used: number;
	/** Requests of the last hours, and how many these are. */
	recent: { requests: number; hours: number };
}

/** When a limit on 24 hours is reached, if requests go on as in the last hours and those of a day ago leave the window evenly. */
export function forecastRolling({ limit, used, recent }: RollingUse, nowMs: number): Forecast {
	if (used >= limit) return { kind: "reached" };
	const perHour = recent.requests / recent.hours;
	const growth = perHour - used / 24;
	if (growth <= 0) return { kind: "not" };
	const hours = (limit - used) / growth;
	// After a day, the window holds requests of this rate alone.
	return hours <= 24 ? { kind: "at", atMs: nowMs + hours * MS_PER_HOUR } : { kind: "not" };
}

/** The beginning of a budget's period, which ends at a time. @param createdMs when the key was made: no period began before. */
export function beginningOfPeriod(
	period: "day" | "week" | "month" | "total" | null,
	resetsAtMs: number | null,
	createdMs: number,
): number {
	if (resetsAtMs === null || period === null || period === "total") return createdMs;
	if (period === "day") return Math.max(createdMs, resetsAtMs - MS_PER_DAY);
	if (period === "week") return Math.max(createdMs, resetsAtMs - 7 * MS_PER_DAY);
	const end = new Date(resetsAtMs);
	return Math.max(createdMs, Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, end.getUTCDate()));
}

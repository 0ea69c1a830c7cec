// Ranges of UTC days, as grouped usage is asked for. Pure.
import * as z from "zod";

const DAY_MS = 86_400_000;

/** Days of a range that names no beginning. */
const DEFAULT_DAYS = 30;
/** The most days of a range, so that the rows of one answer are bounded. */
const MAX_DAYS = 366;

/** From one day to another, both included; `YYYY-MM-DD` in UTC. */
export interface DayRange {
	since: string;
	until: string;
}

/** A day as a query parameter. */
export const dayParam = z.lazy(() => z.iso.date("must be a day, such as 2026-11-21").meta({ pattern: undefined }));

function dayNumber(day: string): number {
	return Date.parse(day) / DAY_MS;
}

function toDay(ms: number): string {
	return new Date(ms).toISOString().slice(0, 10);
}

/**
 * The range that parameters name: without `until` up to today, without `since` 30 days long.
 * @returns a message about `since` if there is no such range.
 */
export function toDayRange(
	{ since, until }: { since?: string | undefined; until?: string | undefined },
	nowMs: number,
): DayRange | string {
	const last = until ?? toDay(nowMs);
	const first = since ?? toDay(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
	const days = dayNumber(last) - dayNumber(first) + 1;
	if (days < 1) return `is after the last day, ${last}`;
	if (days > MAX_DAYS) return `is more than ${MAX_DAYS} days up to ${last}`;
	return { since: first, until: last };
}

// The range of time that a page looks at, and the one before it: read from the page's address. Pure.

import { fromLocalMs, isTimeZone, type StepName, startOfStep } from "../usage/time-zones.ts";
import { MS_PER_DAY, MS_PER_HOUR } from "./format.ts";

/** Ranges up to now, and one between two days. */
export const RANGES = {
	"24h": { label: "24 hours", days: 1 },
	"7d": { label: "7 days", days: 7 },
	"30d": { label: "30 days", days: 30 },
	"90d": { label: "90 days", days: 90 },
	own: { label: "Own days", days: null },
} as const;
export type RangeName = keyof typeof RANGES;

const DEFAULT_RANGE = "30d" satisfies RangeName;
/** As many as the API reads. */
const MOST_DAYS = 366;

/** A range of time, ms since the epoch. */
export interface TimeRange {
	sinceMs: number;
	untilMs: number;
}

export interface PageRange extends TimeRange {
	name: RangeName;
	zone: string;
	step: StepName;
	/** As long, and ending where this one begins. Of a range that goes on, as much of it as has passed. */
	before: TimeRange;
}

/** The time zone of a page: UTC where its address names none. */
export function readTimeZone(query: URLSearchParams): string {
	const zone = query.get("time_zone") ?? "";
	return isTimeZone(zone) ? zone : "UTC";
}

/** The beginning of a day in a zone; null for what is no day. */
function parseDay(text: string | null, zone: string): number | null {
	if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
	const localMs = Date.parse(text);
	return Number.isNaN(localMs) ? null : fromLocalMs(localMs, zone);
}

/** The beginning of the day so many days before the one of a time. */
function daysBefore(atMs: number, days: number, zone: string): number {
	const startMs = startOfStep(atMs, "day", zone);
	// Noon of a day is in it, whatever its clock did at night.
	return days === 0 ? startMs : startOfStep(startMs + MS_PER_DAY / 2 - days * MS_PER_DAY, "day", zone);
}

function ownRange(query: URLSearchParams, zone: string, nowMs: number): TimeRange | null {
	const first = parseDay(query.get("since"), zone);
	const last = parseDay(query.get("until"), zone);
	if (first === null || last === null) return null;
	const untilMs = Math.min(nowMs, startOfStep(last + MS_PER_DAY * 1.25, "day", zone));
	if (untilMs <= first || untilMs - first > MOST_DAYS * MS_PER_DAY) return null;
	return { sinceMs: first, untilMs };
}

function rangeUpTo(nowMs: number, name: Exclude<RangeName, "own">, zone: string): TimeRange {
	// With the hour that has begun, as other ranges have the day that has.
	if (name === "24h") return { sinceMs: startOfStep(nowMs, "hour", zone) - 23 * MS_PER_HOUR, untilMs: nowMs };
	return { sinceMs: daysBefore(nowMs, RANGES[name].days - 1, zone), untilMs: nowMs };
}

function isRangeName(name: string): name is RangeName {
	return Object.hasOwn(RANGES, name);
}

/** The range that an address names: of one that is none, 30 days. */
export function readRange(query: URLSearchParams, nowMs: number): PageRange {
	const zone = readTimeZone(query);
	const asked = query.get("range") ?? DEFAULT_RANGE;
	const named = isRangeName(asked) ? asked : DEFAULT_RANGE;
	const own = named === "own" ? ownRange(query, zone, nowMs) : null;
	const name = named === "own" && own === null ? DEFAULT_RANGE : named;
	const range = own ?? rangeUpTo(nowMs, name === "own" ? DEFAULT_RANGE : name, zone);
	const lengthMs = range.untilMs - range.sinceMs;
	const step = lengthMs <= 2 * MS_PER_DAY ? "hour" : "day";
	const days = Math.ceil(lengthMs / MS_PER_DAY);
	const hours = Math.ceil(lengthMs / MS_PER_HOUR);
	const beforeMs = step === "hour" ? range.sinceMs - hours * MS_PER_HOUR : daysBefore(range.sinceMs, days, zone);
	return { ...range, name, zone, step, before: { sinceMs: beforeMs, untilMs: beforeMs + lengthMs } };
}

/** Zones to choose from, from west to east; any other can stand in the address. */
const OFFERED_ZONES = [
	"UTC",
	"Pacific/Honolulu",
	"America/Anchorage",
	"America/Los_Angeles",
	"America/Denver",
	"America/Phoenix",
	"America/Chicago",
	"America/Mexico_City",
	"America/Bogota",
	"America/New_York",
	"America/Toronto",
	"America/Halifax",
	"America/St_Johns",
	"America/Sao_Paulo",
	"America/Argentina/Buenos_Aires",
	"Atlantic/Azores",
	"Europe/London",
	"Europe/Lisbon",
	"Africa/Lagos",
	"Europe/Paris",
	"Europe/Berlin",
	"Europe/Madrid",
	"Europe/Rome",
	"Europe/Vienna",
	"Europe/Zurich",
	"Europe/Warsaw",
	"Europe/Stockholm",
	"Africa/Johannesburg",
	"Africa/Cairo",
	"Europe/Athens",
	"Europe/Helsinki",
	"Europe/Kyiv",
	"Europe/Istanbul",
	"Africa/Nairobi",
	"Asia/Dubai",
	"Asia/Karachi",
	"Asia/Kolkata",
	"Asia/Kathmandu",
	"Asia/Dhaka",
	"Asia/Bangkok",
	"Asia/Jakarta",
	"Asia/Singapore",
	"Asia/Shanghai",
	"Asia/Taipei",
	"Asia/Tokyo",
	"Asia/Seoul",
	"Australia/Perth",
	"Australia/Adelaide",
	"Australia/Sydney",
	"Pacific/Auckland",
] as const;

/** Options of a field for time zones. @param zone the one of the page, which is always among them. */
export function zoneOptions(zone: string): (readonly [value: string, label: string])[] {
	const names: string[] = [...OFFERED_ZONES];
	if (!names.includes(zone)) names.push(zone);
	return names.map((name) => [name, name.replaceAll("_", " ")] as const);
}

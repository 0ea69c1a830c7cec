// Amounts, numbers and times as the console writes them, on pages and in its script. Pure.

import { toLocalMs } from "../usage/time-zones.ts";

export const MS_PER_DAY = 86_400_000;
export const MS_PER_HOUR = 3_600_000;

const NANO_PER_USD = 1e9;

/** An amount in whole nano-dollars, which the API's numbers always are. */
function toNanoUsd(usd: number): number {
	return Math.round(usd * NANO_PER_USD);
}

/** The exact amount, with up to nine decimals and at least two: `$0.000123`. */
export function formatExactUsd(usd: number): string {
	const nano = Math.abs(toNanoUsd(usd));
	const whole = Math.floor(nano / NANO_PER_USD);
	const decimals = String(nano % NANO_PER_USD)
		.padStart(9, "0")
		.replace(/0{1,7}$/, "");
	return `${usd < 0 ? "−" : ""}$${formatCount(whole)}.${decimals}`;
}

/** An amount to read: two decimals from a dollar on, else three significant digits. The exact one belongs beside it. */
export function formatUsd(usd: number): string {
	const size = Math.abs(usd);
	if (size === 0 || size >= 1) return formatExactUsd(Math.round(usd * 100) / 100);
	return formatExactUsd(Number(usd.toPrecision(3)));
}

/** A whole number with thousands separated: `1,234,567`. */
export function formatCount(count: number): string {
	return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes with at most three significant digits: `840 B`, `12.3 MB`. */
export function formatBytes(bytes: number): string {
	let [amount, unit] = [bytes, 0];
	// From 999.5 on, three digits would round up to the next unit.
	while (amount >= 999.5 && unit < BYTE_UNITS.length - 1) {
		amount /= 1_000;
		unit++;
	}
	return `${Number(amount.toPrecision(3))} ${BYTE_UNITS[unit]}`;
}

/** A share of one as per cent with at most one decimal: `12.5 %`. */
export function formatShare(share: number): string {
	return `${Math.round(share * 1_000) / 10} %`;
}

/** A duration: `840 ms`, `12.3 s`, `4 min 5 s`. */
export function formatDuration(ms: number): string {
	if (ms < 1_000) return `${Math.round(ms)} ms`;
	if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
	const seconds = Math.round(ms / 1_000);
	return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const COUNT_UNITS = ["", "k", "M", "B", "T"];

/** A number with at most three significant digits: `840`, `12.3k`, `1.25M`. */
export function formatShortCount(count: number): string {
	let [amount, unit] = [count, 0];
	while (Math.abs(amount) >= 999.5 && unit < COUNT_UNITS.length - 1) {
		amount /= 1_000;
		unit++;
	}
	return `${Number(amount.toPrecision(3))}${COUNT_UNITS[unit]}`;
}

/** An amount for an axis: `$0.002`, `$12`, `$1.25k`. */
export function formatShortUsd(usd: number): string {
	const size = Math.abs(usd);
	if (size >= 1_000) return `${usd < 0 ? "−" : ""}$${formatShortCount(size)}`;
	return `${usd < 0 ? "−" : ""}$${Number(size.toPrecision(3))}`;
}

/** What a number of a chart is of. */
export type ChartUnit = "usd" | "count" | "ms";

/** A value of a chart to read. */
export function formatChartValue(value: number, unit: ChartUnit): string {
	return { usd: formatUsd, count: formatCount, ms: formatDuration }[unit](value);
}

/** A value at an axis. */
export function formatAxisValue(value: number, unit: ChartUnit): string {
	return { usd: formatShortUsd, count: formatShortCount, ms: formatDuration }[unit](value);
}

/** How much more or less than before: `+12 %`, `−3.5 %`. Null where there is something and was nothing before. */
export function formatChange(now: number, before: number): string | null {
	if (now === before) return "±0 %";
	if (before === 0) return null;
	const percent = (now / before - 1) * 100;
	const shown = Math.abs(percent) < 10 ? Math.round(percent * 10) / 10 : Math.round(percent);
	if (shown === 0) return "±0 %";
	return `${shown < 0 ? "−" : "+"}${formatCountOrTenth(Math.abs(shown))} %`;
}

function formatCountOrTenth(value: number): string {
	return Number.isInteger(value) ? formatCount(value) : String(value);
}

/** A time to the second, in a time zone: `2026-07-22 10:15:30`. */
export function formatTime(iso: string, zone = "UTC"): string {
	if (zone === "UTC") return iso.slice(0, 19).replace("T", " ");
	return new Date(toLocalMs(Date.parse(iso), zone)).toISOString().slice(0, 19).replace("T", " ");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** What a clock in a zone shows. */
function clockOf(atMs: number, zone: string) {
	const local = new Date(toLocalMs(atMs, zone));
	return {
		weekday: WEEKDAYS[local.getUTCDay()],
		day: `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]}`,
		hour: local.toISOString().slice(11, 16),
	};
}

/** A step of a chart at its axis: `14:00`, `25 Nov`. */
export function formatStep(atMs: number, step: "hour" | "day", zone: string): string {
	const { day, hour } = clockOf(atMs, zone);
	return step === "hour" ? hour : day;
}

/** A step of a chart as a title: `Wed, 25 Nov, 14:00`. */
export function formatWholeStep(atMs: number, step: "hour" | "day", zone: string): string {
	const { weekday, day, hour } = clockOf(atMs, zone);
	return step === "hour" ? `${weekday}, ${day}, ${hour}` : `${weekday}, ${day}`;
}

/** A time to the minute, for what is to come: `Wed, 25 Nov, 14:05`. */
export function formatMoment(atMs: number, zone: string): string {
	return formatWholeStep(atMs, "hour", zone);
}

/** The day in a zone as date fields take it: `2026-07-22`. */
export function formatDay(atMs: number, zone: string): string {
	return new Date(toLocalMs(atMs, zone)).toISOString().slice(0, 10);
}

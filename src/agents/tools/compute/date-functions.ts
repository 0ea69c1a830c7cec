// Functions of the tool compute on dates: texts in ISO form, days as `2026-11-28`, instants as `2026-11-28T09:30:00Z`. A time without
// an offset is in UTC unless a zone is given. Pure: no function knows the present.
import {
	CALENDAR_DAY_MS,
	dayMs,
	formatDate,
	pad,
	readDay,
	renderDay,
	toWeek,
	WEEKDAYS,
	weekdayPlace,
} from "./calendar.ts";
import { decimalFrom, divideDecimals } from "./decimal.ts";
import { checkedText, type ScalarFunction, toTextArgument, toWholeArgument } from "./functions.ts";
import { ComputeProblem } from "./problem.ts";
import { describeValue, isDecimal, type Value } from "./value.ts";

const MINUTE_MS = 60_000;
/** Days and minutes that may be added. */
const MAX_DAYS = 3_660_000;
const MAX_MONTHS = 120_000;
const MAX_MINUTES = MAX_DAYS * 1_440;

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/;

/** A moment as it is written. */
interface Moment {
	/** The written day and time, as if in UTC, milliseconds. */
	wallMs: number;
	hasTime: boolean;
	/** Null where none is written. */
	offsetMinutes: number | null;
}

function toOffset(written: string | undefined): number | null {
	if (written === undefined) return null;
	if (/z/i.test(written)) return 0;
	const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})/.exec(written) ?? [];
	return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function parseMoment(text: string): Moment | null {
	const [, year, month, day, hour, minute, second = "0", fraction = "0", offset] = ISO.exec(text.trim()) ?? [];
	const start = dayMs(Number(year), Number(month), Number(day));
	if (start === null || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second) > 59) return null;
	const clockMs = Number(hour ?? 0) * 3_600_000 + Number(minute ?? 0) * MINUTE_MS + Number(second) * 1_000;
	const wallMs = start + clockMs + Math.floor(Number(`0.${fraction}`) * 1_000);
	return { wallMs, hasTime: hour !== undefined, offsetMinutes: toOffset(offset) };
}

function toMoment(value: Value | undefined): Moment {
	const moment = typeof value === "string" ? parseMoment(value) : null;
	if (moment) return moment;
	throw new ComputeProblem(
		`${describeValue(value ?? null)} is no date; write 2026-11-28 or 2026-11-28T09:30:00Z, or read it with date(text, "DD.MM.YYYY")`,
	);
}

function renderWall(wallMs: number, offset: string): string {
	const day = renderDay(wallMs);
	const { 1: clock = "" } = new Date(wallMs).toISOString().split("T");
	return `${day}T${clock.replace(/(?:\.000)?Z$/, "")}${offset}`;
}

function renderOffset(minutes: number): string {
	if (minutes === 0) return "Z";
	const size = Math.abs(minutes);
	return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60), 2)}:${pad(size % 60, 2)}`;
}

/** Formats by zone, since making one takes as long as a thousand uses. */
type ZoneFormats = Map<string, Intl.DateTimeFormat>;
const formats: ZoneFormats = new Map();
const MAX_FORMATS = 64;

function formatFor(zone: string): Intl.DateTimeFormat {
	const known = formats.get(zone);
	if (known) return known;
	try {
		const numeric = "numeric";
		const made = new Intl.DateTimeFormat("en-US", {
			timeZone: zone,
			hourCycle: "h23",
			...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric, era: "short" },
		});
		if (formats.size >= MAX_FORMATS) formats.clear();
		formats.set(zone, made);
		return made;
	} catch {
		throw new ComputeProblem(`${describeValue(zone)} is no time zone; write one such as "Europe/Warsaw" or "UTC"`);
	}
}

/** How far a zone's clocks are ahead of UTC, minutes. */
function zoneOffset(instantMs: number, zone: string): number {
	if (zone === "UTC") return 0;
	const parts = formatFor(zone).formatToParts(instantMs);
	const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value);
	const day = dayMs(part("year"), part("month"), part("day")) ?? 0;
	const wallMs = day + part("hour") * 3_600_000 + part("minute") * MINUTE_MS + part("second") * 1_000;
	return Math.round((wallMs - Math.floor(instantMs / 1_000) * 1_000) / MINUTE_MS);
}

/** The instant of a moment. Of a time that a change of clocks skips, the one that the earlier offset gives. */
function toInstant({ wallMs, offsetMinutes }: Moment, zone: string): number {
	if (offsetMinutes !== null) return wallMs - offsetMinutes * MINUTE_MS;
	const before = zoneOffset(wallMs - CALENDAR_DAY_MS, zone);
	const candidate = wallMs - before * MINUTE_MS;
	if (zoneOffset(candidate, zone) === before) return candidate;
	const after = zoneOffset(wallMs + CALENDAR_DAY_MS, zone);
	const other = wallMs - after * MINUTE_MS;
	return zoneOffset(other, zone) === after ? other : candidate;
}

const toZone = (value: Value | undefined) => (value === undefined ? "UTC" : toTextArgument(value));

/** The day of a moment in a zone, milliseconds. A day without a time is that day everywhere. */
function toDay(moment: Moment, zone: Value | undefined): number {
	const isPlain = !moment.hasTime || zone === undefined;
	if (isPlain) return Math.floor(moment.wallMs / CALENDAR_DAY_MS) * CALENDAR_DAY_MS;
	const instant = toInstant(moment, "UTC");
	return Math.floor((instant + zoneOffset(instant, toZone(zone)) * MINUTE_MS) / CALENDAR_DAY_MS) * CALENDAR_DAY_MS;
}

/** The moment moved by its written day; its time and offset stay. */
function withWall(moment: Moment, wallMs: number): string {
	if (!moment.hasTime) return renderDay(wallMs);
	return renderWall(wallMs, moment.offsetMinutes === null ? "" : renderOffset(moment.offsetMinutes));
}

/** Of a month that is shorter, its last day. */
function addMonths(wallMs: number, months: number): number {
	const date = new Date(wallMs);
	const place = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
	const [year, month] = [Math.floor(place / 12), (place % 12) + 1];
	const first = dayMs(year, month, 1);
	if (first === null || year > 9_999) throw new ComputeProblem("the date is outside the years 1 to 9999");
	const last = new Date(first + 31 * CALENDAR_DAY_MS);
	const lastDay =
		Math.round((dayMs(last.getUTCFullYear(), last.getUTCMonth() + 1, 1) ?? first) - first) / CALENDAR_DAY_MS;
	return (
		first +
		(Math.min(date.getUTCDate(), lastDay) - 1) * CALENDAR_DAY_MS +
		(((wallMs % CALENDAR_DAY_MS) + CALENDAR_DAY_MS) % CALENDAR_DAY_MS)
	);
}

/** Whole months from one day to another. */
function monthsBetween(from: number, to: number): number {
	if (to < from) return -monthsBetween(to, from) || 0;
	const [start, end] = [new Date(from), new Date(to)];
	const months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
	return addMonths(from, months) > to ? months - 1 : months;
}

/** Mondays to Fridays after one day, up to and with the other. */
function workdaysBetween(from: number, to: number): number {
	if (to < from) return -workdaysBetween(to, from) || 0;
	const days = Math.round((to - from) / CALENDAR_DAY_MS);
	const weeks = Math.floor(days / 7);
	const first = weekdayPlace(from);
	const rest = Array.from({ length: days % 7 }, (_, place) => (first + 1 + place) % 7);
	return weeks * 5 + rest.filter((weekday) => weekday < 5).length;
}

/**
 * So many Mondays to Fridays after a moment, or before it. Of a Saturday or Sunday, the next one is the Monday, and the one before
 * the Friday; none stays where it is.
 */
function addWorkdays(wallMs: number, workdays: number): number {
	if (workdays === 0) return wallMs;
	const weekday = weekdayPlace(wallMs);
	const count = Math.abs(workdays);
	const weeks = Math.floor(count / 5);
	const rest = count % 5;
	// A weekend counts as the workday on its other side.
	const [start, moved] = weekday < 5 ? [weekday, 0] : workdays > 0 ? [4, 4 - weekday] : [0, 7 - weekday];
	const isOverWeekend = workdays > 0 ? start + rest > 4 : start - rest < 0;
	const days = weeks * 7 + rest + (isOverWeekend ? 2 : 0);
	return wallMs + (moved + Math.sign(workdays) * days) * CALENDAR_DAY_MS;
}

const MAX_FORMAT_CHARS = 64;

function toFormat(value: Value | undefined): string {
	const format = toTextArgument(value);
	if (format.length > MAX_FORMAT_CHARS) throw new ComputeProblem(`a form has at most ${MAX_FORMAT_CHARS} characters`);
	return format;
}

/** A number of a day's own, such as its year. */
const ofDay = (name: string, read: (ms: number) => Value): ScalarFunction => ({
	counts: [1, 2],
	form: `${name}(date, zone)`,
	apply: ([date, zone]) => read(toDay(toMoment(date), zone)),
});

const between = (name: string, measure: (from: number, to: number) => number): ScalarFunction => ({
	counts: [2, 3],
	form: `${name}(from, to, zone)`,
	apply: ([from, to, zone]) => decimalFrom(measure(toDay(toMoment(from), zone), toDay(toMoment(to), zone))),
});

const instantsBetween = (name: string, unitMs: number): ScalarFunction => ({
	counts: [2, 3],
	form: `${name}(from, to, zone)`,
	apply([from, to, zone]) {
		const ms = toInstant(toMoment(to), toZone(zone)) - toInstant(toMoment(from), toZone(zone));
		return divideDecimals(decimalFrom(ms), decimalFrom(unitMs));
	},
});

function dateFrom([value = null, second, third]: readonly Value[]): string {
	if (third !== undefined || isDecimal(value)) {
		const [year, month, day] = [value, second, third].map((part) => toWholeArgument(part, [1, 9_999]));
		const ms = dayMs(year ?? 0, month ?? 0, day ?? 0);
		if (ms === null) throw new ComputeProblem(`there is no day ${year}-${month}-${day}`);
		return renderDay(ms);
	}
	if (typeof second === "string" && /[Yy]{4}/.test(second)) return readDay(toTextArgument(value), toFormat(second));
	return renderDay(toDay(toMoment(value), second));
}

const DATES_BY_NAME: Readonly<Record<string, ScalarFunction>> = {
	date: { counts: [1, 3], form: 'date(text, "DD.MM.YYYY" or zone), date(year, month, day)', apply: dateFrom },
	add_days: {
		counts: [2, 2],
		form: "add_days(date, days)",
		apply([date, days]) {
			const moment = toMoment(date);
			return withWall(moment, moment.wallMs + toWholeArgument(days, [-MAX_DAYS, MAX_DAYS]) * CALENDAR_DAY_MS);
		},
	},
	add_months: {
		counts: [2, 2],
		form: "add_months(date, months)",
		apply([date, months]) {
			const moment = toMoment(date);
			return withWall(moment, addMonths(moment.wallMs, toWholeArgument(months, [-MAX_MONTHS, MAX_MONTHS])));
		},
	},
	add_workdays: {
		counts: [2, 2],
		form: "add_workdays(date, days)",
		apply([date, days]) {
			const moment = toMoment(date);
			return withWall(moment, addWorkdays(moment.wallMs, toWholeArgument(days, [-MAX_DAYS, MAX_DAYS])));
		},
	},
	add_minutes: {
		counts: [2, 2],
		form: "add_minutes(time, minutes)",
		apply([date, minutes]) {
			const moment = { ...toMoment(date), hasTime: true };
			return withWall(moment, moment.wallMs + toWholeArgument(minutes, [-MAX_MINUTES, MAX_MINUTES]) * MINUTE_MS);
		},
	},
	days_between: between("days_between", (from, to) => Math.round((to - from) / CALENDAR_DAY_MS)),
	months_between: between("months_between", monthsBetween),
	workdays_between: between("workdays_between", workdaysBetween),
	hours_between: instantsBetween("hours_between", 3_600_000),
	minutes_between: instantsBetween("minutes_between", MINUTE_MS),
	year: ofDay("year", (ms) => decimalFrom(new Date(ms).getUTCFullYear())),
	month: ofDay("month", (ms) => decimalFrom(new Date(ms).getUTCMonth() + 1)),
	day: ofDay("day", (ms) => decimalFrom(new Date(ms).getUTCDate())),
	weekday: ofDay("weekday", (ms) => WEEKDAYS[weekdayPlace(ms)] ?? null),
	week: ofDay("week", (ms) => decimalFrom(toWeek(ms).week)),
	quarter: ofDay("quarter", (ms) => decimalFrom(Math.floor(new Date(ms).getUTCMonth() / 3) + 1)),
	start_of_week: ofDay("start_of_week", (ms) => renderDay(ms - weekdayPlace(ms) * CALENDAR_DAY_MS)),
	end_of_week: ofDay("end_of_week", (ms) => renderDay(ms + (6 - weekdayPlace(ms)) * CALENDAR_DAY_MS)),
	start_of_month: ofDay("start_of_month", (ms) => `${renderDay(ms).slice(0, 8)}01`),
	end_of_month: ofDay("end_of_month", (ms) => {
		const date = new Date(ms);
		return renderDay(addMonths(ms - (date.getUTCDate() - 1) * CALENDAR_DAY_MS, 1) - CALENDAR_DAY_MS);
	}),
	format_date: {
		counts: [2, 2],
		form: 'format_date(date, "YYYY-MM")',
		apply: ([date, format]) => checkedText(formatDate(toMoment(date).wallMs, toFormat(format))),
	},
	in_zone: {
		counts: [2, 3],
		form: "in_zone(time, zone, zone of a time without an offset)",
		steps: [60, 50],
		apply([time, zone, own]) {
			const instant = toInstant(toMoment(time), toZone(own));
			const offset = zoneOffset(instant, toZone(zone));
			return renderWall(instant + offset * MINUTE_MS, renderOffset(offset));
		},
	},
	is_date: {
		counts: [1, 1],
		form: "is_date(text)",
		apply: ([text]) => typeof text === "string" && parseMoment(text) !== null,
	},
};

/** Dates take longer than numbers, and those of a zone some 30 µs. */
const DATE_STEPS = [10, 50] as const;

export const DATE_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = Object.fromEntries(
	Object.entries(DATES_BY_NAME).map(([name, scalar]) => [name, { steps: DATE_STEPS, ...scalar }]),
);

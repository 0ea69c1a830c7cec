// Days of the calendar of the tool compute, from the year 1 to 9999, and how they are written and read by a form such as YYYY-MM. Days are
// milliseconds since 1970, as if in UTC. Pure.
import { ComputeProblem } from "./problem.ts";
import { describeValue } from "./value.ts";

export const CALENDAR_DAY_MS = 86_400_000;
/** The year 1, and the end of the year 9999. */
const FIRST_MS = -62_135_596_800_000;
const END_MS = 253_402_300_800_000;

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

export const pad = (number: number, digits: number) => String(number).padStart(digits, "0");

/** The day in milliseconds; null where the calendar has none such. Date.UTC takes the years 0 to 99 for others. */
export function dayMs(year: number, month: number, day: number): number | null {
	const date = new Date(0);
	date.setUTCFullYear(year, month - 1, day);
	const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year > 0;
	return isSame ? date.getTime() : null;
}

/** As `2026-11-28`. Throws ComputeProblem outside the years. */
export function renderDay(ms: number): string {
	if (ms < FIRST_MS || ms >= END_MS) throw new ComputeProblem("the date is outside the years 1 to 9999");
	const date = new Date(ms);
	return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
}

/** From 0 for Monday. The year 1970 began on a Thursday. */
export const weekdayPlace = (ms: number) => (((Math.floor(ms / CALENDAR_DAY_MS) + 3) % 7) + 7) % 7;

/** The week by ISO 8601: it belongs to the year that its Thursday is in. */
export function toWeek(ms: number): { year: number; week: number } {
	const thursday = new Date(ms + (3 - weekdayPlace(ms)) * CALENDAR_DAY_MS);
	const year = thursday.getUTCFullYear();
	const first = dayMs(year, 1, 1) ?? 0;
	return { year, week: Math.floor((thursday.getTime() - first) / CALENDAR_DAY_MS / 7) + 1 };
}

/** Words of a form, the longest first; other letters; what stands in brackets or quotes as it is. */
const FORM_PARTS = /\[([^\]]*)\]|'([^']*)'|YYYY|GGGG|MMMM|MMM|MM|DDDD|DDD|DD|HH|WWW|WW|YY|mm|ss|M|D|H|Q|T|%?[A-Za-z]/g;
const KNOWN_WORDS =
	"YYYY YY, MMMM (January) MMM (Jan) MM M, DD D, DDDD (Monday) DDD (Mon), HH H, mm ss, Q (quarter), WW (ISO week) WWW (W07) with GGGG (its year); other letters stand in [brackets]";

interface FormPart {
	/** A word of the form; null for what stands as it is. */
	word: string | null;
	text: string;
}

/** `yyyy-mm-dd` is written for the same as `YYYY-MM-DD`; without hours, mm are no minutes. */
function toUsualWords(form: string): string {
	const usual = form.replace(/y{4}/g, "YYYY").replace(/dddd|ddd|dd/g, (word) => word.toUpperCase());
	return /H/.test(usual) ? usual : usual.replace(/(?<![A-Za-z])mm(?![A-Za-z])/g, "MM");
}

/** The parts of a form. Throws ComputeProblem for a letter that means nothing. */
function readForm(form: string): FormPart[] {
	const parts: FormPart[] = [];
	const usual = toUsualWords(form);
	let end = 0;
	for (const found of usual.matchAll(FORM_PARTS)) {
		const [text, bracketed, quoted] = found;
		parts.push({ word: null, text: usual.slice(end, found.index) });
		end = found.index + text.length;
		const asIs = bracketed ?? quoted ?? (text === "T" ? text : null);
		if (asIs === null && /^(?:%.|[A-Za-z])$/.test(text) && !/^[MDHQ]$/.test(text))
			throw new ComputeProblem(
				`${describeValue(text)} in the form ${describeValue(form)} means nothing; there are ${KNOWN_WORDS}`,
			);
		parts.push(asIs === null ? { word: text, text } : { word: null, text: asIs });
	}
	return [...parts, { word: null, text: usual.slice(end) }];
}

/** Writes a day and time by a form. Throws ComputeProblem. */
export function formatDate(wallMs: number, form: string): string {
	const [year = "", month = "", day = ""] = renderDay(wallMs).split("-");
	const [hour = "", minute = "", second = ""] = new Date(wallMs).toISOString().slice(11, 19).split(":");
	const name = MONTHS[Number(month) - 1] ?? "";
	const weekday = WEEKDAYS[weekdayPlace(wallMs)] ?? "";
	const iso = toWeek(wallMs);
	const week = pad(iso.week, 2);
	const parts = readForm(form);
	// A week stands in the year that it belongs to.
	const isOfWeek = parts.some(({ word }) => word?.startsWith("W")) && !parts.some(({ word }) => word?.startsWith("M"));
	const shownYear = isOfWeek ? pad(iso.year, 4) : year;
	const words: Readonly<Record<string, string>> = {
		...{ YYYY: shownYear, YY: shownYear.slice(2), GGGG: pad(iso.year, 4), WW: week, WWW: `W${week}` },
		...{ MMMM: name, MMM: name.slice(0, 3), MM: month, M: String(Number(month)) },
		...{ DD: day, D: String(Number(day)), DDDD: weekday, DDD: weekday.slice(0, 3) },
		...{ HH: hour, H: String(Number(hour)), mm: minute, ss: second },
		Q: String(Math.floor((Number(month) - 1) / 3) + 1),
	};
	return parts.map(({ word, text }) => (word === null ? text : (words[word] ?? text))).join("");
}

const READ_WORDS: Readonly<Record<string, string>> = { YYYY: "year", DD: "day", D: "day" };

/** What a word reads of a day; null for what is not read. */
const readWord = (word: string) => (/^M{1,4}$/.test(word) ? "month" : (READ_WORDS[word] ?? null));

/** Reads a day by its form: YYYY, MM or M, MMM (Jan), MMMM (January), DD or D. Throws ComputeProblem. */
export function readDay(text: string, form: string): string {
	const parts = readForm(form);
	const words = parts.flatMap(({ word }) => word ?? []);
	const read = words.map(readWord);
	if (read.length !== 3 || !["year", "month", "day"].every((what) => read.includes(what)))
		throw new ComputeProblem(`the form ${describeValue(form)} needs YYYY, a month (MM, M, MMM) and a day (DD, D)`);
	const pattern = parts.map(({ word, text: asIs }) => {
		if (word === null) return asIs.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
		return word === "YYYY" ? "(\\d{4})" : word.startsWith("MMM") ? "(\\p{L}{3,9})\\.?" : "(\\d{1,2})";
	});
	const found = new RegExp(`^${pattern.join("")}$`, "u").exec(text.trim());
	const at = (what: string) => found?.[read.indexOf(what) + 1] ?? "";
	const month = words.some((word) => word.startsWith("MMM"))
		? MONTHS.findIndex((name) => name.toLowerCase().startsWith(at("month").toLowerCase().slice(0, 3))) + 1
		: Number(at("month"));
	const ms = found && month > 0 ? dayMs(Number(at("year")), month, Number(at("day"))) : null;
	if (ms !== null) return renderDay(ms);
	throw new ComputeProblem(`${describeValue(text)} is no date of the form ${describeValue(form)}`);
}

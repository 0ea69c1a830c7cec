// Times in zones of the IANA data base: which there are, when their days and hours begin. Pure.

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LENGTH_OF_DAY_MS = 86_400_000;

/** Formatters by zone, which take far longer to make than to use. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function partsFormat(zone: string): Intl.DateTimeFormat {
	const known = formatters.get(zone);
	if (known) return known;
	const made = new Intl.DateTimeFormat("en-US", {
		timeZone: zone,
		hourCycle: "h23",
		year: "numeric",
		month: "2-digit",
		day: "2-digit",
		hour: "2-digit",
		minute: "2-digit",
		second: "2-digit",
	});
	formatters.set(zone, made);
	return made;
}

/** Whether a name is that of a zone: `Europe/Vienna`. Offsets, which are none, are not. */
export function isTimeZone(name: string): boolean {
	if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(name)) return false;
	try {
		partsFormat(name);
		return true;
	} catch {
		return false;
	}
}

/** What a clock in a zone shows, as if it were UTC: ms since the epoch, whole seconds. */
export function toLocalMs(atMs: number, zone: string): number {
	if (zone === "UTC") return Math.floor(atMs / 1_000) * 1_000;
	const parts = new Map(
		partsFormat(zone)
			.formatToParts(atMs)
			.map(({ type, value }) => [type, Number(value)]),
	);
	const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
	return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/**
 * When a clock in a zone shows a time. @param localMs as if it were UTC, ms since the epoch.
 * @returns of a time that comes twice, the first; of one that is left out, one as far behind the change as it would have been.
 */
export function fromLocalMs(localMs: number, zone: string): number {
	const offsetAt = (atMs: number) => toLocalMs(atMs, zone) - Math.floor(atMs / 1_000) * 1_000;
	const before = localMs - offsetAt(localMs - LENGTH_OF_DAY_MS);
	if (toLocalMs(before, zone) === localMs) return before;
	const after = localMs - offsetAt(localMs + LENGTH_OF_DAY_MS);
	return toLocalMs(after, zone) === localMs ? after : before;
}

/** A step of a range. */
export type StepName = "hour" | "day";

/** The beginning of the hour or day of a zone in which a time lies. */
export function startOfStep(atMs: number, step: StepName, zone: string): number {
	const localMs = toLocalMs(atMs, zone);
	if (step === "day") return fromLocalMs(localMs - (localMs % LENGTH_OF_DAY_MS), zone);
	// Clocks are put forward and back by whole minutes.
	const minutes = Math.floor(localMs / MINUTE_MS);
	return Math.floor(atMs / MINUTE_MS) * MINUTE_MS - (minutes % 60) * MINUTE_MS;
}

/** The beginnings of the hours or days of a zone from the one in which a time lies, up to another time. */
export function listSteps(sinceMs: number, untilMs: number, step: StepName, zone: string): number[] {
	const starts: number[] = [];
	for (let startMs = startOfStep(sinceMs, step, zone); startMs < untilMs; ) {
		starts.push(startMs);
		if (step === "hour") startMs += HOUR_MS;
		// A day has 23 to 25 hours.
		else startMs = startOfStep(startMs + LENGTH_OF_DAY_MS + LENGTH_OF_DAY_MS / 4, "day", zone);
	}
	return starts;
}

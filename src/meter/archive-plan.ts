// Which requests of a meter go into archives, and which archives may have a request. Pure.
import { DAY_MS, toUtcDay } from "./budget-period.ts";
import { firstNumberAt, MOST_COLLISIONS, type NumberRange, numberTimeMs } from "./request-number.ts";

/** A meter holds requests of so many days before today, and fewer where they have more bytes than this. */
const HELD_DAYS = 90;
const MOST_HELD_BYTES = 4_000_000_000;
/** Of the latest days, requests stay however large they are: one of them may be settled, or asked for, by a call that is repeated. */
const LATEST_DAYS = 2;
/** An archive takes no more days when it has so many bytes. Objects may have twice as many. */
const MOST_ARCHIVE_BYTES = 5_000_000_000;

/** An archive, as its meter lists it. */
export interface Archive {
	/** Counted from 1. */
	nth: number;
	/** It may have requests with the numbers from this one to the other. No other archive of the meter has any of those. */
	first: number;
	last: number;
	bytes: number;
}

/** The name of an archive's object. */
export function archiveName(userId: string, nth: number): string {
	return `${userId}/${nth}`;
}

/** What decides where archived requests end. */
export interface HeldRequests {
	/** Ended requests up to this number are archived. */
	archivedTo: number;
	/** Of all that the meter stores. */
	bytes: number;
	/** The number of the oldest request that could be archived; null where there is none. */
	oldest: () => number | null;
}

function endOfDay(day: number): number {
	return firstNumberAt((day + 1) * DAY_MS);
}

/** Requests with lower numbers are to be archived: those of whole days. */
export function archiveBefore({ archivedTo, bytes, oldest }: HeldRequests, nowMs: number): number {
	const today = toUtcDay(nowMs);
	const ends = [endOfDay(today - HELD_DAYS - 1)];
	// A day of which requests are archived, all the others too.
	if (archivedTo > 0) ends.push(endOfDay(toUtcDay(numberTimeMs(archivedTo))));
	const first = bytes > MOST_HELD_BYTES ? oldest() : null;
	const firstDay = first === null ? today : toUtcDay(numberTimeMs(first));
	if (firstDay <= today - LATEST_DAYS) ends.push(endOfDay(firstDay));
	return Math.max(...ends);
}

/** The archive that takes a request next; undefined where that needs a new one. */
export function nextArchive(archives: readonly Archive[], n: number): Archive | undefined {
	const newest = archives.at(-1);
	if (!newest) return undefined;
	const isSameDay = toUtcDay(numberTimeMs(newest.last)) === toUtcDay(numberTimeMs(n));
	return isSameDay || newest.bytes < MOST_ARCHIVE_BYTES ? newest : undefined;
}

/** The archives that may have requests of a range, newest first. */
export function archivesOf(archives: readonly Archive[], { from, before }: NumberRange): Archive[] {
	return archives.filter(({ first, last }) => first < before && last >= from).toReversed();
}

/** The numbers that a request may have whose id has this one. */
export function numbersOf(n: number): NumberRange {
	return { from: n, before: n + MOST_COLLISIONS };
}

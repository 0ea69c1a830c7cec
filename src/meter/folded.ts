// The folded row of a meter: totals and windows of requests whose slots may be reused. Pure.
import type { PackedSpending } from "./key-spending.ts";
import { MINUTE_MS, rewindMinutes, toMinute } from "./rolling-window.ts";
import type { FoldPosition } from "./slots.ts";
import type { NamedTotals } from "./usage-totals.ts";

export interface FoldedState extends FoldPosition {
	/** Minute number and its requests that count towards the day, rising. */
	minutes: [number, number][];
	/** The same of each key that has limits of its own. */
	keyMinutes: KeyMinutes;
	/** Of every settlement up to `settlementSeq`, with the amounts that D1 has. */
	totals: NamedTotals[];
	/** Of the same settlements, with the amounts that the meter booked. */
	keySpending: PackedSpending;
}

export const EMPTY_FOLD: FoldedState = {
	admissionSeq: 0,
	settlementSeq: 0,
	minutes: [],
	keyMinutes: {},
	totals: [],
	keySpending: {},
};

/** Requests of consecutive minutes. A day's minutes as pairs would take several times the space. */
export interface PackedMinutes {
	from: number;
	requests: number[];
}

/** Minutes with requests that count towards the day, by key. */
export type KeyMinutes = Record<string, PackedMinutes>;

export function packMinutes(minutes: readonly (readonly [number, number])[]): PackedMinutes {
	const numbers = minutes.map(([minute]) => minute);
	const from = numbers.length === 0 ? 0 : Math.min(...numbers);
	const requests = new Array<number>(numbers.length === 0 ? 0 : Math.max(...numbers) - from + 1).fill(0);
	for (const [minute, count] of minutes) requests[minute - from] = count;
	return { from, requests };
}

/** A folded row with the minutes that were recorded under a clock that was ahead brought to now. */
export function rewindFolded(folded: FoldedState, nowMs: number): FoldedState {
	const rewind = (minutes: [number, number][]) => [...rewindMinutes(new Map(minutes), toMinute(nowMs))];
	const keyMinutes = Object.entries(folded.keyMinutes).map(([keyId, packed]): [string, PackedMinutes] => [
		keyId,
		packMinutes(rewind(unpackMinutes(packed))),
	]);
	return { ...folded, minutes: rewind(folded.minutes), keyMinutes: Object.fromEntries(keyMinutes) };
}

/** The latest time that the windows of a folded row hold, ms since the epoch. */
export function latestFoldedMs({ minutes, keyMinutes }: Pick<FoldedState, "minutes" | "keyMinutes">): number {
	const ofKeys = Object.values(keyMinutes).map(({ from, requests }) => from + requests.length - 1);
	return Math.max(0, minutes.at(-1)?.[0] ?? 0, ...ofKeys) * MINUTE_MS;
}

export function unpackMinutes({ from, requests }: PackedMinutes): [number, number][] {
	return requests.flatMap((count, offset): [number, number][] => (count === 0 ? [] : [[from + offset, count]]));
}

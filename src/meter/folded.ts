// The folded row of a meter: totals and windows of requests whose slots may be reused. Pure.
import type { PackedSpending } from "./key-spending.ts";
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

export function unpackMinutes({ from, requests }: PackedMinutes): [number, number][] {
	return requests.flatMap((count, offset): [number, number][] => (count === 0 ? [] : [[from + offset, count]]));
}

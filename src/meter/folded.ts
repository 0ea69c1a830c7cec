// The folded row of a meter: what its slots no longer have to say. Pure.
import type { FoldedUpTo } from "./slots.ts";
import type { NamedTotals } from "./usage-totals.ts";

export interface Folded extends FoldedUpTo {
	/** Minute number and requests that count towards the day, rising. */
	minutes: [number, number][];
	/** Of every settlement up to `settled`, with the amounts that D1 has. */
	totals: NamedTotals[];
}

export const NOTHING_FOLDED: Folded = { admitted: 0, settled: 0, minutes: [], totals: [] };

/** Requests minute by minute from the first on, because a day's minutes would be many times longer as pairs. */
export interface PackedMinutes {
	from: number;
	requests: number[];
}

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

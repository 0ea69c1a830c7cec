// Whether a meter's totals are those of the rows in D1. Pure.
import type { NamedTotals, Totals } from "../meter/usage-totals.ts";

/** Where the two differ; null where one has nothing. */
export interface Disagreement {
	dimension: string;
	name: string;
	meter: Totals | null;
	database: Totals | null;
}

/** Old rollups kept input tokens of the whole only, from some version on: of the other dimensions they are not compared. */
function areEqual(dimension: string, a: Totals | null, b: Totals | null): boolean {
	if (!a || !b) return a === b;
	const same = a.requests === b.requests && a.tokens === b.tokens && a.costNanoUsd === b.costNanoUsd;
	return same && (dimension !== "total" || a.inputTokens === b.inputTokens);
}

function totalsOf({ requests, tokens, inputTokens, costNanoUsd }: NamedTotals): Totals {
	return { requests, tokens, inputTokens, costNanoUsd };
}

/** Every name whose totals differ. */
export function disagreements(meter: readonly NamedTotals[], database: readonly NamedTotals[]): Disagreement[] {
	const key = ({ dimension, name }: NamedTotals) => `${dimension} ${name}`;
	const ours = new Map(meter.map((row) => [key(row), row]));
	const theirs = new Map(database.map((row) => [key(row), row]));
	return [...new Map([...theirs, ...ours])].flatMap(([at, { dimension, name }]) => {
		const [mine, stored] = [ours.get(at), theirs.get(at)];
		const [a, b] = [mine ? totalsOf(mine) : null, stored ? totalsOf(stored) : null];
		return areEqual(dimension, a, b) ? [] : [{ dimension, name, meter: a, database: b }];
	});
}

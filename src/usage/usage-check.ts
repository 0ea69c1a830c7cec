// Compares a meter's totals with those of the rows in D1. Pure.
import type { NamedTotals, Totals } from "../meter/usage-totals.ts";

/** Where the two differ; null where one of them has no such name. */
export interface Disagreement {
	dimension: string;
	name: string;
	meter: Totals | null;
	database: Totals | null;
}

function areEqual(a: Totals | null, b: Totals | null): boolean {
	if (!a || !b) return a === b;
	return (
		a.requests === b.requests &&
		a.tokens === b.tokens &&
		a.inputTokens === b.inputTokens &&
		a.costNanoUsd === b.costNanoUsd
	);
}

function withoutName({ requests, tokens, inputTokens, costNanoUsd }: NamedTotals): Totals {
	return { requests, tokens, inputTokens, costNanoUsd };
}

/** Every name whose totals differ. */
export function findDisagreements(meter: readonly NamedTotals[], database: readonly NamedTotals[]): Disagreement[] {
	const key = ({ dimension, name }: NamedTotals) => `${dimension} ${name}`;
	const inMeter = new Map(meter.map((row) => [key(row), row]));
	const inDatabase = new Map(database.map((row) => [key(row), row]));
	return [...new Map([...inDatabase, ...inMeter])].flatMap(([at, { dimension, name }]) => {
		const [ours, theirs] = [inMeter.get(at), inDatabase.get(at)];
		const [a, b] = [ours ? withoutName(ours) : null, theirs ? withoutName(theirs) : null];
		return areEqual(a, b) ? [] : [{ dimension, name, meter: a, database: b }];
	});
}

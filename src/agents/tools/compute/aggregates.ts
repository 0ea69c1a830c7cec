// Sums, counts and other figures of the tool compute over the rows of a table or of a group. Null is left out, and a note says of how
// many rows. Pure.
import { addDecimals, type Decimal, decimalFrom, divideDecimals } from "./decimal.ts";
import { hasOtherSign } from "./decimal-signs.ts";
import { checkedText, toTextArgument } from "./functions.ts";
import { holdsPart, type Node } from "./parse.ts";
import { ComputeProblem } from "./problem.ts";
import { compareForSort, describeValue, toNumber, type Value, valueKey } from "./value.ts";

/** What takes remarks that belong to the result. */
export interface Notes {
	note(text: string): void;
	/** Where a text that is a number by another decimal sign comes from, and how it is read; null for another value. */
	signRemark(value: Value): string | null;
}

interface Aggregate {
	form: string;
	/** Arguments behind the expression. */
	more: number;
	apply(values: readonly Value[], notes: Notes, more: readonly Value[]): Value;
}

/** The numbers among values. Another text has no place in a sum: it is named with its row. */
function toNumbers(values: readonly Value[], name: string, notes: Notes): Decimal[] {
	const numbers: Decimal[] = [];
	for (const [place, value] of values.entries()) {
		if (value === null || (typeof value === "string" && value.trim() === "")) continue;
		const number = toNumber(value);
		if (!number)
			throw new ComputeProblem(
				`${name}: in row ${place + 1}, ${describeValue(value)} is no number; ${notes.signRemark(value) ?? "filter such rows out, or read them with number(…) or number_or_null(…)"}`,
			);
		numbers.push(number);
	}
	const missing = values.length - numbers.length;
	if (missing > 0) notes.note(`${name} left out ${missing} of ${values.length} rows without a value`);
	return numbers;
}

const addAll = (numbers: readonly Decimal[]) => numbers.reduce(addDecimals, decimalFrom(0));

const present = (values: readonly Value[]) => values.filter((value) => value !== null);

function median(numbers: Decimal[]): Value {
	const sorted = numbers.toSorted(compareForSort);
	const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
	if (!low || !high) return null;
	return low === high ? low : divideDecimals(addDecimals(low, high), decimalFrom(2));
}

/** Notes that texts by another decimal sign stand in the order of texts. */
export function noteSigns(values: readonly Value[], notes: Notes): void {
	const remark = notes.signRemark(values.find(hasOtherSign) ?? null);
	if (remark !== null) notes.note(remark);
}

const extreme = (name: string, wanted: -1 | 1): Aggregate => ({
	form: `${name}(table, expression)`,
	more: 0,
	apply(values, notes) {
		noteSigns(values, notes);
		return present(values).reduce<Value>(
			(best, value) => (best === null || Math.sign(compareForSort(value, best)) === wanted ? value : best),
			null,
		);
	},
});

const BY_NAME: Readonly<Record<string, Aggregate>> = {
	count: {
		form: "count(table), count(table, condition)",
		more: 0,
		apply: (values) => decimalFrom(values.filter((value) => value !== null && value !== false).length),
	},
	count_distinct: {
		form: "count_distinct(table, expression)",
		more: 0,
		apply: (values) => decimalFrom(new Set(present(values).map(valueKey)).size),
	},
	sum: {
		form: "sum(table, expression)",
		more: 0,
		apply: (values, notes) => addAll(toNumbers(values, "sum", notes)),
	},
	average: {
		form: "average(table, expression)",
		more: 0,
		apply(values, notes) {
			const numbers = toNumbers(values, "average", notes);
			return numbers.length === 0 ? null : divideDecimals(addAll(numbers), decimalFrom(numbers.length));
		},
	},
	median: {
		form: "median(table, expression)",
		more: 0,
		apply: (values, notes) => median(toNumbers(values, "median", notes)),
	},
	min: extreme("min", -1),
	max: extreme("max", 1),
	first: { form: "first(table, expression)", more: 0, apply: ([value = null]) => value },
	last: { form: "last(table, expression)", more: 0, apply: (values) => values.at(-1) ?? null },
	list: {
		form: 'list(table, expression, ", ")',
		more: 1,
		apply: (values, _, [separator]) =>
			checkedText(
				present(values)
					.map(toTextArgument)
					.join(separator === undefined ? ", " : toTextArgument(separator)),
			),
	},
};

export const AGGREGATES: ReadonlyMap<string, Aggregate> = new Map(Object.entries(BY_NAME));

/** Whether an expression holds an aggregate of the group at hand. */
export const holdsAggregate = (node: Node): boolean =>
	holdsPart(node, (part) => part.kind === "call" && AGGREGATES.has(part.name));

// Functions of the tool compute on single values: numbers and texts. Those on dates are date-functions.ts's, those on tables
// stages.ts's. Pure.
import {
	type Decimal,
	decimalFrom,
	decimalRoot,
	negateDecimal,
	parseDecimal,
	type Rounding,
	renderDecimal,
	roundDecimal,
	toWholeNumber,
} from "./decimal.ts";
import { readingHint } from "./decimal-signs.ts";
import { ComputeProblem } from "./problem.ts";
import { describeValue, isDecimal, isList, isRecordValue, isTable, toNumber, type Value } from "./value.ts";

/** No text is longer. */
const MAX_TEXT_CHARS = 65_536;
const MAX_PLACES = 34;

export interface ScalarFunction {
	/** Least and most arguments. */
	counts: readonly [least: number, most: number];
	/** As the arguments are told in errors. */
	form: string;
	/** It is called with null too; else null makes null. */
	takesNull?: true;
	/** What a call counts as, and how much more with the arguments that it may leave out; by default 1 and nothing. */
	steps?: readonly [least: number, withMore: number];
	/** Throws ComputeProblem, DecimalError. */
	apply(args: readonly Value[]): Value;
}

export function toDecimalArgument(value: Value | undefined): Decimal {
	const number = toNumber(value ?? null);
	if (number) return number;
	const hint =
		typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value)
			? "days_between(from, to) takes dates apart, and add_days(date, days) moves them"
			: isList(value)
				? "a column is added up row by row, such as sum(table, price * quantity)"
				: (readingHint(value ?? null, "text") ?? "numbers are written like -1234.5, and number(text) reads others");
	throw new ComputeProblem(`${describeValue(value ?? null)} is no number; ${hint}`);
}

export function toWholeArgument(value: Value | undefined, [least, most]: readonly [number, number]): number {
	const number = toWholeNumber(toDecimalArgument(value));
	if (number !== null && number >= least && number <= most) return number;
	throw new ComputeProblem(`${describeValue(value ?? null)} is no whole number from ${least} to ${most}`);
}

export function toTextArgument(value: Value | undefined): string {
	if (typeof value === "string") return value;
	if (value === null || value === undefined) return "";
	if (typeof value === "boolean") return String(value);
	if (isDecimal(value)) return renderDecimal(value);
	throw new ComputeProblem(`${describeValue(value)} is no text`);
}

export function checkedText(text: string): string {
	if (text.length > MAX_TEXT_CHARS) throw new ComputeProblem(`a text gets longer than ${MAX_TEXT_CHARS} characters`);
	return text;
}

const ROUNDINGS: readonly Rounding[] = ["half_up", "half_even", "down", "floor", "ceil"];

function toRounding(value: Value | undefined): Rounding {
	if (value === undefined) return "half_up";
	const found = ROUNDINGS.find((rounding) => rounding === value);
	if (found) return found;
	throw new ComputeProblem(`${describeValue(value)} is no rounding; there are ${ROUNDINGS.join(", ")}`);
}

/** With separators of thousands, a currency before or behind, and brackets for a negative amount. */
const WRITTEN_AMOUNT =
	/^(\()?\s*([-−+]?)\s*(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc}|zł|kr|Kč|Ft|Fr\.)?\s*([-−]?)((?:\d[\d .,'’\u00a0\u202f]*)?\d)(?:,[-–—])?\s*(?:[A-Z]{3}|\p{Sc}|zł|kr\.?|Kč|Ft|%)?\s*(\))?$/u;

/** A longer text is no amount. */
const MAX_AMOUNT_CHARS = 100;

/** A number as people write it. @param point `.` or `,`. */
function readAmount(written: string, point: string): Decimal | null {
	if (written.length > MAX_AMOUNT_CHARS) return null;
	const [, opening, sign = "", second = "", digits, closing] = WRITTEN_AMOUNT.exec(written.trim()) ?? [];
	if (digits === undefined || (opening === undefined) !== (closing === undefined)) return null;
	const [whole = "", fraction, more] = digits.split(point);
	const groups = whole.split(/[ .,'’\u00a0\u202f]/u);
	const isGrouped = groups.every((group, place) => (place === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(group));
	if (more !== undefined || (groups.length > 1 && !isGrouped) || (fraction !== undefined && !/^\d+$/.test(fraction)))
		return null;
	const plain = groups.join("").replace(/^0+(?=\d)/, "");
	const number = parseDecimal(fraction === undefined ? plain : `${plain}.${fraction}`);
	const isNegative = (sign !== "" && sign !== "+") !== (second !== "") || opening !== undefined;
	return number && isNegative ? negateDecimal(number) : number;
}

function toPoint(value: Value | undefined): string {
	if (value === undefined || value === ".") return ".";
	if (value === ",") return ",";
	throw new ComputeProblem(`${describeValue(value)} is no decimal sign; "." or ","`);
}

function numberFrom(value: Value, point: Value | undefined): Decimal | null {
	const decimalSign = toPoint(point);
	if (isDecimal(value)) return value;
	if (typeof value !== "string") return null;
	return readAmount(value, decimalSign);
}

const NUMBER_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
	abs: {
		counts: [1, 1],
		form: "abs(number)",
		apply([value]) {
			const number = toDecimalArgument(value);
			return number.coefficient < 0n ? negateDecimal(number) : number;
		},
	},
	round: {
		counts: [1, 3],
		form: 'round(number, places, "half_up")',
		apply: ([value, places, rounding]) =>
			roundDecimal(
				toDecimalArgument(value),
				places === undefined ? 0 : toWholeArgument(places, [0, MAX_PLACES]),
				toRounding(rounding),
			),
	},
	floor: {
		counts: [1, 1],
		form: "floor(number)",
		apply: ([value]) => roundDecimal(toDecimalArgument(value), 0, "floor"),
	},
	ceil: {
		counts: [1, 1],
		form: "ceil(number)",
		apply: ([value]) => roundDecimal(toDecimalArgument(value), 0, "ceil"),
	},
	sqrt: {
		counts: [1, 1],
		form: "sqrt(number)",
		steps: [20, 0],
		apply: ([value]) => decimalRoot(toDecimalArgument(value)),
	},
	number: {
		counts: [1, 2],
		form: 'number(text, ",")',
		apply([value = null, point]) {
			const number = numberFrom(value, point);
			// A blank cell has no value, as where it is null.
			if (number || (typeof value === "string" && value.trim() === "")) return number;
			throw new ComputeProblem(
				`${describeValue(value)} is no number; number(text, ",") reads decimal commas, number_or_null(text) gives null`,
			);
		},
	},
	number_or_null: {
		counts: [1, 2],
		form: 'number_or_null(text, ",")',
		apply: ([value = null, point]) => numberFrom(value, point),
	},
};

/** The characters of a text. Halves of a pair are never parted. */
const characters = (text: string): string[] => Array.from(text);

function partBeside(text: string, mark: string, isBefore: boolean): string {
	const at = text.indexOf(mark);
	if (at < 0 || mark === "") return isBefore ? text : "";
	return isBefore ? text.slice(0, at) : text.slice(at + mark.length);
}

const onText = (name: string, apply: (text: string) => Value): ScalarFunction => ({
	counts: [1, 1],
	form: `${name}(text)`,
	apply: ([text]) => apply(toTextArgument(text)),
});

const onTwoTexts = (name: string, second: string, apply: (text: string, other: string) => Value): ScalarFunction => ({
	counts: [2, 2],
	form: `${name}(text, ${second})`,
	apply: ([text, other]) => apply(toTextArgument(text), toTextArgument(other)),
});

const TEXT_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
	lower: onText("lower", (text) => text.toLowerCase()),
	upper: onText("upper", (text) => text.toUpperCase()),
	trim: onText("trim", (text) => text.trim()),
	text: onText("text", (text) => text),
	length: {
		counts: [1, 1],
		form: "length(text)",
		apply: ([value = null]) =>
			decimalFrom(
				isList(value)
					? value.items.length
					: isTable(value)
						? value.rows.length
						: characters(toTextArgument(value)).length,
			),
	},
	contains: onTwoTexts("contains", "part", (text, part) => text.toLowerCase().includes(part.toLowerCase())),
	starts_with: onTwoTexts("starts_with", "part", (text, part) => text.startsWith(part)),
	ends_with: onTwoTexts("ends_with", "part", (text, part) => text.endsWith(part)),
	before: onTwoTexts("before", "mark", (text, mark) => partBeside(text, mark, true)),
	after: onTwoTexts("after", "mark", (text, mark) => partBeside(text, mark, false)),
	substring: {
		counts: [2, 3],
		form: "substring(text, from 1, length)",
		apply([text, from, length]) {
			const start = toWholeArgument(from, [1, MAX_TEXT_CHARS]) - 1;
			const count = length === undefined ? MAX_TEXT_CHARS : toWholeArgument(length, [0, MAX_TEXT_CHARS]);
			return characters(toTextArgument(text))
				.slice(start, start + count)
				.join("");
		},
	},
	part: {
		counts: [3, 3],
		form: "part(text, separator, n from 1)",
		apply([text, separator, place]) {
			const mark = toTextArgument(separator);
			if (mark === "") throw new ComputeProblem("the separator is empty");
			return toTextArgument(text).split(mark)[toWholeArgument(place, [1, MAX_TEXT_CHARS]) - 1] ?? null;
		},
	},
	replace: {
		counts: [3, 3],
		form: "replace(text, part, by)",
		apply([text, part, by]) {
			const [whole, mark, other] = [toTextArgument(text), toTextArgument(part), toTextArgument(by)];
			if (mark === "") throw new ComputeProblem("the text to replace is empty");
			const parts = whole.split(mark);
			if (whole.length + (parts.length - 1) * other.length > 2 * MAX_TEXT_CHARS) checkedText(other.repeat(2));
			return checkedText(parts.join(other));
		},
	},
	concat: {
		counts: [1, 32],
		form: "concat(text, …)",
		takesNull: true,
		apply: (args) => checkedText(args.map(toTextArgument).join("")),
	},
	is_empty: {
		counts: [1, 1],
		form: "is_empty(value)",
		takesNull: true,
		apply: ([value = null]) => value === null || (typeof value === "string" && value.trim() === ""),
	},
	coalesce: {
		counts: [1, 32],
		form: "coalesce(value, …)",
		takesNull: true,
		apply: (args) => args.find((value) => value !== null && value !== "") ?? null,
	},
	member: {
		counts: [2, 2],
		form: 'member(record, "name")',
		apply([record = null, name]) {
			if (isRecordValue(record)) return record.members.get(toTextArgument(name)) ?? null;
			if (isList(record)) return record.items[toWholeArgument(name, [1, 20_000]) - 1] ?? null;
			throw new ComputeProblem(
				`${describeValue(record)} has no members${isTable(record) ? "; filter it, or select a column" : ""}`,
			);
		},
	},
};

export const VALUE_FUNCTIONS = { ...NUMBER_FUNCTIONS, ...TEXT_FUNCTIONS };

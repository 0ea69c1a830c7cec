// Values of the tool compute: numbers, texts, truth, tables, and the lists and records of JSON. How they compare, and what counts as
// equal: a text that is a plain number counts as that number everywhere, so that `"12.50"` of one table meets `12.5` of another. Pure.
import { compareDecimals, type Decimal, decimalKey, parseDecimal, renderDecimal } from "./decimal.ts";
import { ComputeProblem } from "./problem.ts";

export type Row = readonly Value[];

/** Rows of equal width. Dates are texts in ISO form, which stand in order. */
export interface Table {
	columns: readonly string[];
	rows: readonly Row[];
	/** What stands before decimals where the table was read as CSV; not of tables that are made of it. */
	csvDecimal?: "." | ",";
}

export interface List {
	items: readonly Value[];
}

export interface RecordValue {
	members: ReadonlyMap<string, Value>;
}

export type Value = Decimal | string | boolean | null | Table | List | RecordValue;

export const isTable = (value: Value | undefined): value is Table =>
	typeof value === "object" && value !== null && "rows" in value;
export const isDecimal = (value: Value | undefined): value is Decimal =>
	typeof value === "object" && value !== null && "coefficient" in value;
export const isList = (value: Value | undefined): value is List =>
	typeof value === "object" && value !== null && "items" in value;
export const isRecordValue = (value: Value | undefined): value is RecordValue =>
	typeof value === "object" && value !== null && "members" in value;

/** The number that a value counts as; null where it is none. */
export function toNumber(value: Value): Decimal | null {
	if (isDecimal(value)) return value;
	return typeof value === "string" ? parseDecimal(value.trim()) : null;
}

/** What a value is, for messages. */
export function describeValue(value: Value): string {
	if (value === null) return "null";
	if (isTable(value)) return "a table";
	if (isList(value)) return "a list";
	if (isRecordValue(value)) return "a record";
	if (typeof value === "boolean") return String(value);
	if (isDecimal(value)) return renderDecimal(value);
	return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value).toWellFormed()}`;
}

/** A longer list or record is compared with nothing. */
const MAX_NESTED_KEY_CHARS = 16_384;

/** A list, record or table, whose key takes as long as it is. */
export const isNested = (value: Value): boolean => isList(value) || isRecordValue(value) || isTable(value);

/** Equal values have one key. Throws ComputeProblem for a long list or record. */
export function valueKey(value: Value): string {
	if (value === null) return "null";
	const number = toNumber(value);
	if (number) return `n${decimalKey(number)}`;
	if (typeof value === "string") return `t${value}`;
	return typeof value === "boolean" ? `b${value}` : `j${renderValue(value, MAX_NESTED_KEY_CHARS)}`;
}

/** The key of several values: no two lists of keys are written alike. */
export const rowKey = (values: readonly Value[]): string => JSON.stringify(values.map(valueKey));

/** The order of texts by their characters, whatever the language. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** In a sort, numbers stand before texts, then truth, lists and records, and null last. */
function rank(value: Value): number {
	if (value === null) return 4;
	if (typeof value === "string") return 1;
	return typeof value === "boolean" ? 2 : 3;
}

export function compareForSort(a: Value, b: Value): number {
	const [left, right] = [toNumber(a), toNumber(b)];
	if (left && right) return compareDecimals(left, right);
	const ranks = (left ? 0 : rank(a)) - (right ? 0 : rank(b));
	if (ranks !== 0) return ranks;
	return compareTexts(typeof a === "string" ? a : valueKey(a), typeof b === "string" ? b : valueKey(b));
}

/** Levels of records, lists and tables in a value that is written. */
const MAX_VALUE_LEVELS = 64;

/** Writes values as JSON into a room of characters. Parts that stand in a value many times are written as often, so that it may overflow. */
class JsonWriter {
	#parts: string[] = [];
	#left: number;

	constructor(maxChars: number) {
		this.#left = maxChars;
	}

	/** Takes what was written since the last time. */
	take(): string {
		const text = this.#parts.join("");
		this.#parts = [];
		return text;
	}

	#write(text: string): void {
		this.#left -= text.length;
		if (this.#left < 0) throw new ComputeProblem("the value gets too long; filter, group or select first");
		this.#parts.push(text);
	}

	#each<T>([open, close]: readonly [string, string], items: Iterable<T>, write: (item: T) => void): void {
		let between = open;
		for (const item of items) {
			this.#write(between);
			write(item);
			between = ",";
		}
		this.#write(between === open ? `${open}${close}` : close);
	}

	row(names: readonly string[], row: Row, level: number): void {
		this.#each(["{", "}"], names.entries(), ([place, name]) => {
			this.#write(`${name}:`);
			this.value(row[place] ?? null, level + 1);
		});
	}

	value(value: Value, level = 0): void {
		if (value === null || typeof value === "boolean") this.#write(String(value));
		else if (typeof value === "string") this.#write(JSON.stringify(value));
		else if (isDecimal(value)) this.#write(renderDecimal(value));
		else if (level >= MAX_VALUE_LEVELS) throw new ComputeProblem(`the value has more than ${MAX_VALUE_LEVELS} levels`);
		else if (isTable(value)) this.#table(value, level);
		else if (isList(value)) this.#each(["[", "]"], value.items, (item) => this.value(item, level + 1));
		else
			this.#each(["{", "}"], value.members, ([name, member]) => {
				this.#write(`${JSON.stringify(name)}:`);
				this.value(member, level + 1);
			});
	}

	#table(table: Table, level: number): void {
		const names = quotedNames(table);
		this.#each(["[", "]"], table.rows, (row) => this.row(names, row, level));
	}
}

const quotedNames = ({ columns }: Table) => columns.map((column) => JSON.stringify(column));

/** The rows as JSON objects. Throws ComputeProblem where they have more than so many characters together. */
export function renderRows(table: Table, maxChars: number): string[] {
	const writer = new JsonWriter(maxChars);
	const names = quotedNames(table);
	return table.rows.map((row) => {
		writer.row(names, row, 0);
		return writer.take();
	});
}

/** JSON text. Numbers keep the zeros behind their point. Throws ComputeProblem where it has more than so many characters. */
export function renderValue(value: Value, maxChars: number): string {
	const writer = new JsonWriter(maxChars);
	writer.value(value);
	return writer.take();
}

// The tables of a call of compute: rows or CSV text of its arguments, or an earlier result of the run by its reference. Pure.
import { isJsonObject, type JsonObject } from "../../../json.ts";
import { quoteInput } from "../../../suggest.ts";
import { parseCsv } from "./csv.ts";
import { type Decimal, parseDecimal } from "./decimal.ts";
import { ComputeProblem } from "./problem.ts";
import { checkSize, tableFromRecords } from "./tables.ts";
import { isList, isRecordValue, type Table, type Value } from "./value.ts";

const MAX_TABLES = 16;
/** Characters of earlier results that one calculation reads. */
const MAX_READ_CHARS = 4 * 1_048_576;
/** Levels of lists and objects in JSON. */
const MAX_JSON_LEVELS = 32;

/** Looks up an earlier result of the run, whole. */
export type FindResult = (reference: string) => string | null;

/** A number of a JSON text with all its digits. */
class ExactNumber {
	readonly decimal: Decimal;

	constructor(decimal: Decimal) {
		this.decimal = decimal;
	}
}

/** Where the runtime tells a number's text, its digits are kept. */
function keepDigits(_: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== "number" || context?.source === undefined) return value;
	const decimal = parseDecimal(context.source);
	return decimal ? new ExactNumber(decimal) : value;
}

/** The JSON of a text; undefined where it is none. */
function parseExactly(text: string): unknown {
	try {
		return JSON.parse(text, keepDigits);
	} catch {
		return undefined;
	}
}

/** A number that JSON.parse has changed is refused, so that no two keys become one. */
function numberFromJson(value: number): Decimal {
	const number = parseDecimal(String(value));
	if (number && (!Number.isInteger(value) || Number.isSafeInteger(value))) return number;
	throw new ComputeProblem(`the number ${value} has too many digits here; give it as a text`);
}

function valueFromJson(json: unknown, depth = 0): Value {
	if (depth > MAX_JSON_LEVELS)
		throw new ComputeProblem(`JSON of more than ${MAX_JSON_LEVELS} levels; name a part of it with "at"`);
	if (typeof json === "string" || typeof json === "boolean") return json;
	if (typeof json === "number") return numberFromJson(json);
	if (json instanceof ExactNumber) return json.decimal;
	if (Array.isArray(json)) return { items: json.map((item) => valueFromJson(item, depth + 1)) };
	if (!isJsonObject(json)) return null;
	return { members: new Map(Object.entries(json).map(([name, member]) => [name, valueFromJson(member, depth + 1)])) };
}

/** Lists of cells under a first one of names. */
function tableFromLists(lists: readonly (readonly Value[])[]): Table {
	const [names = [], ...rows] = lists;
	checkSize(names.length, rows.length);
	return tableFromRecords(
		rows.map((cells) => new Map(names.map((name, place) => [String(name), cells[place] ?? null]))),
	);
}

/** The places of lists in a record, for messages. */
const listNames = (members: ReadonlyMap<string, Value>) =>
	[...members].flatMap(([name, member]) => (isList(member) ? [name] : []));

/** A list of records is a table; of a record with one list that list is, and a record alone is one row. */
function tableFromValue(value: Value): Table {
	if (isList(value)) {
		const { items } = value;
		const records = items.filter(isRecordValue);
		if (records.length === items.length) return tableFromRecords(records.map(({ members }) => members));
		const lists = items.filter(isList);
		if (lists.length === items.length) return tableFromLists(lists.map((list) => list.items));
		return tableFromRecords(items.map((item) => new Map([["value", item]])));
	}
	if (!isRecordValue(value)) throw new ComputeProblem("it is neither a list nor an object");
	const names = listNames(value.members);
	const [only] = names;
	if (only === undefined) return tableFromRecords([value.members]);
	if (names.length === 1) return tableFromValue(value.members.get(only) ?? null);
	const pointers = names.map((name) => `"/${name}"`).join(", ");
	throw new ComputeProblem(`it holds several lists; name one with "at": ${pointers}`);
}

/** The part of a value at a JSON pointer (RFC 6901). */
function valueAt(value: Value, pointer: string): Value {
	if (pointer === "" || pointer === "/") return value;
	const steps = pointer.replace(/^\//, "").split("/");
	return steps.reduce<Value>((part, step) => {
		const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
		const next = isRecordValue(part)
			? part.members.get(name)
			: isList(part) && /^\d{1,6}$/.test(name)
				? part.items[Number(name)]
				: undefined;
		if (next !== undefined) return next;
		const known = isRecordValue(part) ? `; there are ${[...part.members.keys()].slice(0, 20).join(", ")}` : "";
		throw new ComputeProblem(`"at": there is no ${quoteInput(name)} in ${quoteInput(pointer)}${known}`);
	}, value);
}

interface CsvWords {
	separator: string | null;
	decimal: "." | ",";
}

function readCsvWords({ separator, decimal }: JsonObject): CsvWords {
	if (separator != null && (typeof separator !== "string" || separator.length !== 1))
		throw new ComputeProblem('"separator" is one character, such as ";"');
	if (decimal != null && decimal !== "." && decimal !== ",") throw new ComputeProblem('"decimal" is "." or ","');
	return { separator: separator ?? null, decimal: decimal ?? "." };
}

/** A text as a table: JSON, a JSON object a line, or CSV. */
function tableFromText(text: string, at: string, words: CsvWords): Table {
	const whole = parseExactly(text);
	if (whole !== undefined && typeof whole !== "string") return tableFromValue(valueAt(valueFromJson(whole), at));
	const lines = /^\s*\{/.test(text) ? text.split(/\r?\n/).filter((line) => line.trim() !== "") : [];
	const objects = lines.map(parseExactly).filter(isJsonObject);
	if (objects.length > 0 && objects.length === lines.length)
		return tableFromValue({ items: objects.map((object) => valueFromJson(object)) });
	if (at !== "") throw new ComputeProblem('the result is no JSON, so that "at" leads nowhere; leave it out');
	return parseCsv(typeof whole === "string" ? whole : text, words);
}

/** A source of a table as the model gave it. */
function loadTable(source: unknown, findResult: FindResult): Table {
	if (typeof source === "string") return tableFromText(source, "", readCsvWords({}));
	if (Array.isArray(source)) return tableFromValue(valueFromJson(source));
	if (!isJsonObject(source)) throw new ComputeProblem('give "rows", "csv", or "call"');
	const { rows, csv, call, at } = source;
	const words = readCsvWords(source);
	if (at != null && typeof at !== "string") throw new ComputeProblem('"at" is a JSON pointer such as "/data/rows"');
	if (typeof call === "string") {
		const text = findResult(call);
		if (text !== null) return tableFromText(text, at ?? "", words);
		throw new ComputeProblem(
			`there is no result of a call ${quoteInput(call)}; name a tool whose call has ended, or give rows or csv`,
		);
	}
	const given = csv ?? rows;
	if (typeof given === "string") return tableFromText(given, at ?? "", words);
	if (Array.isArray(given)) return tableFromValue(valueFromJson(given));
	throw new ComputeProblem('give "rows" (a list of objects), "csv" (a text), or "call" (an earlier result)');
}

/** The sources with their names: a list of objects with `name`, or an object of them. */
function namedSources(tables: unknown): [name: string, source: unknown][] {
	if (tables == null) return [];
	if (!Array.isArray(tables)) {
		if (isJsonObject(tables)) return Object.entries(tables);
		throw new ComputeProblem("tables is a list of objects with name");
	}
	return tables.map((source, place) => {
		if (isJsonObject(source) && typeof source["name"] === "string") return [source["name"], source];
		throw new ComputeProblem(`tables[${place}] needs a name, and rows, csv or call`);
	});
}

/** A call's tables by name. Throws ComputeProblem, which may quote what was read. */
export function loadTables(tables: unknown, findResult: FindResult): Map<string, Table> {
	const sources = namedSources(tables);
	if (sources.length > MAX_TABLES) throw new ComputeProblem(`at most ${MAX_TABLES} tables`);
	let readChars = 0;
	const find = (reference: string) => {
		const text = findResult(reference);
		if (text === null) return null;
		readChars += text.length;
		if (readChars > MAX_READ_CHARS)
			throw new ComputeProblem(
				`the tables have more than ${MAX_READ_CHARS} characters together; take some in a call of their own`,
			);
		return text;
	};
	const loaded = sources.map(([name, source]): [string, Table] => {
		try {
			return [name, loadTable(source, find)];
		} catch (error) {
			if (error instanceof ComputeProblem) throw new ComputeProblem(`table ${quoteInput(name)}: ${error.message}`);
			throw error;
		}
	});
	return new Map(loaded);
}

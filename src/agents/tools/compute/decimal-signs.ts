// Texts of tables of the tool compute that are numbers by another decimal sign than the point, such as `39,98` of a bank's CSV. They
// count as texts; what is said where one meets a number stands here. Nothing is converted. Pure.
import { quoteInput } from "../../../suggest.ts";
import { type Table, toNumber, type Value } from "./value.ts";

/** A longer text is no amount. */
const MAX_SIGNED_CHARS = 40;
/** `39,98`, `1.234,56`, `1 234,56`, and `1.234.567`, whose points part thousands. */
const DECIMAL_COMMA = /^[-−+]?(?:(?:\d+|\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+),\d+|\d{1,3}(?:\.\d{3}){2})$/;
/** `1,234` and `1,234.50`. */
const THOUSANDS_COMMA = /^[-−+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

type Sign = "decimal" | "thousands" | "either";

/** What the comma of a text means; null for a plain number or another text. */
function signOf(text: string): Sign | null {
	if (text.length > MAX_SIGNED_CHARS) return null;
	const trimmed = text.trim();
	const isDecimal = DECIMAL_COMMA.test(trimmed);
	if (THOUSANDS_COMMA.test(trimmed)) return isDecimal ? "either" : "thousands";
	return isDecimal ? "decimal" : null;
}

/** Whether a value is a text that would be a number by another decimal sign. */
export const hasOtherSign = (value: Value): value is string => typeof value === "string" && signOf(value) !== null;

/** The text by another decimal sign of a pair that is compared for being equal, where the other one is a number; else null. */
export function meetsNumber(first: Value, second: Value): string | null {
	if (hasOtherSign(first) && toNumber(second)) return first;
	return hasOtherSign(second) && toNumber(first) ? second : null;
}

/** What reads a text that is no number as it stands; null where nothing is known to. @param what as an expression. */
export function readingHint(text: Value, what: string): string | null {
	const sign = typeof text === "string" ? signOf(text) : null;
	if (sign === "decimal") return `number(${what}, ",") reads decimal commas`;
	if (sign === "thousands") return `number(${what}) reads commas between thousands`;
	return sign && `number(${what}, ",") reads decimal commas, number(${what}) commas between thousands`;
}

/** A column with such texts. */
interface SignedColumn {
	table: string;
	column: string;
	sign: Sign;
	example: string;
	/** What stands before decimals where the table was read as CSV. */
	csvDecimal: "." | "," | undefined;
}

/** The column in words. */
function describeColumn({ table, column, sign, example, csvDecimal }: SignedColumn): string {
	const place = `column ${quoteInput(column)} of ${quoteInput(table)}`;
	const looks =
		sign === "decimal"
			? "looks like decimal commas"
			: sign === "thousands"
				? "looks like commas between thousands"
				: "has commas, before decimals or between thousands";
	const hint = readingHint(example, /^\w{1,60}$/.test(column) ? column : "text");
	const declare = `give ${quoteInput(table)} decimal: ","`;
	const way =
		csvDecimal !== "." || sign === "thousands" ? hint : sign === "decimal" ? declare : `${declare}, or ${hint}`;
	return `${place} ${looks}, such as ${quoteInput(example)}, which count as texts; ${way}`;
}

/** Finds the columns of a call's tables that texts by another decimal sign come from. */
export class DecimalSigns {
	#tables: ReadonlyMap<string, Table>;
	/** What is said of columns, by their texts; made once a text is asked for. */
	#remarks: Map<string, string> | null = null;

	/** @param tables as they were given, by name. */
	constructor(tables: ReadonlyMap<string, Table>) {
		this.#tables = new Map(tables);
	}

	/** Says where a text by another decimal sign comes from, and how it is read as a number. Null for another value. */
	remark(text: Value): string | null {
		if (!hasOtherSign(text)) return null;
		this.#remarks ??= this.#findRemarks();
		return (
			this.#remarks.get(text) ??
			`the text ${quoteInput(text)} counts as a text, not as a number; ${readingHint(text, "text")}`
		);
	}

	#findRemarks(): Map<string, string> {
		const byText = new Map<string, string>();
		for (const [name, table] of this.#tables)
			for (const place of table.columns.keys()) {
				const texts = table.rows.map((row) => row[place] ?? null).filter(hasOtherSign);
				// One clear text tells what the others mean.
				const example = texts.find((text) => signOf(text) !== "either") ?? texts[0];
				const sign = example === undefined ? null : signOf(example);
				if (example === undefined || sign === null) continue;
				const column = table.columns[place] ?? "";
				const found = describeColumn({ table: name, column, sign, example, csvDecimal: table.csvDecimal });
				for (const text of texts) if (!byText.has(text)) byText.set(text, found);
			}
		return byText;
	}
}

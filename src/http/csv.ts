// CSV (RFC 4180), and whether a caller prefers it. Pure.

/** A cell; null is an empty one. */
export type CsvCell = string | number | null;

/**
 * The first characters by which a spreadsheet takes a cell for a formula, also in their full-width forms, and the white space that
 * some of them skip before one.
 */
const FORMULA_START = /^[=+\-@\t\r\n＝＋－＠]/u;

const NEEDS_QUOTES = /[",\r\n]/;

function renderText(text: string): string {
	const isFormula = FORMULA_START.test(text);
	// Quotes alone do not keep a spreadsheet from running a formula; an apostrophe makes it a text.
	const safe = isFormula ? `'${text}` : text;
	return isFormula || NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A number without an exponent: one that would have it gets nine decimals at most. */
function renderNumber(value: number): string {
	const text = String(value);
	return text.includes("e") ? value.toFixed(9).replace(/\.?0+$/, "") : text;
}

function renderCell(cell: CsvCell): string {
	if (cell === null) return "";
	return typeof cell === "number" ? renderNumber(cell) : renderText(cell);
}

/** Renders a header line and rows. A text that a spreadsheet would run gets an apostrophe in front and quotes around it. */
export function renderCsv(names: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
	return [names, ...rows].map((row) => `${row.map(renderCell).join(",")}\r\n`).join("");
}

/** The quality of each media range of an Accept header; 1 where it names none (RFC 9110, section 12.5.1). */
function parseAccept(accept: string): Map<string, number> {
	const ranges = accept.split(",").map((range): [string, number] => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const weight = parameters.find((parameter) => parameter.startsWith("q="));
		const quality = weight === undefined ? 1 : Number(weight.slice(2));
		return [type, Number.isFinite(quality) ? quality : 0];
	});
	return new Map(ranges);
}

/** Whether an Accept header prefers CSV to JSON. JSON is the default: it wins where the header prefers neither. */
export function prefersCsv(accept: string | null): boolean {
	const ranges = parseAccept(accept ?? "");
	const csv = ranges.get("text/csv") ?? ranges.get("text/*") ?? 0;
	const json = ranges.get("application/json") ?? ranges.get("application/*");
	return csv > 0 && (json === undefined ? csv >= (ranges.get("*/*") ?? 0) : csv > json);
}

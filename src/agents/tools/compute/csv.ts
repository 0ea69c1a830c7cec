// Reads CSV (RFC 4180) for the tool compute: quotes, separators, line ends of any kind. A cell without quotes that is empty is null;
// all others are texts, and those that are plain numbers count as such. Pure.
import { parseDecimal } from "./decimal.ts";
import { ComputeProblem } from "./problem.ts";
import { checkedTable, freeName, MAX_ROWS } from "./tables.ts";
import type { Table, Value } from "./value.ts";

interface CsvForm {
	/** Null where the first line tells. */
	separator: string | null;
	/** What stands before decimals; with a comma, `1.234,56` is read as 1234.56. */
	decimal: "." | ",";
}

const SEPARATORS = [",", ";", "\t", "|"];

/** The separator that stands most often in the first line, outside of quotes. */
function guessSeparator(text: string): string {
	const [line = ""] = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r?\n|\r/, 1);
	const counts = SEPARATORS.map((separator) => line.split(separator).length);
	return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** A cell, and the place behind it. */
interface ReadCell {
	cell: Value;
	end: number;
}

const isCellEnd = (character: string | undefined, separator: string) =>
	character === undefined || character === separator || character === "\n" || character === "\r";

/** A quoted cell. @param line for messages. */
function readQuoted(text: string, at: number, separator: string, line: number): ReadCell {
	let close = text.indexOf('"', at + 1);
	while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
	if (close < 0) throw new ComputeProblem(`CSV line ${line}: a quoted cell does not end`);
	if (!isCellEnd(text[close + 1], separator))
		throw new ComputeProblem(`CSV line ${line}: text behind the closing quote of a cell`);
	return { cell: text.slice(at + 1, close).replaceAll('""', '"'), end: close + 1 };
}

function readPlain(text: string, at: number, separator: string): ReadCell {
	let end = at;
	while (!isCellEnd(text[end], separator)) end++;
	const plain = text.slice(at, end).trim();
	return { cell: plain === "" ? null : plain, end };
}

/** The lines of cells. Blank lines are left out. */
function readCells(text: string, separator: string): Value[][] {
	const lines: Value[][] = [];
	let cells: Value[] = [];
	let at = 0;
	while (at < text.length || cells.length > 0) {
		const isQuoted = text[at] === '"';
		const { cell, end } = isQuoted ? readQuoted(text, at, separator, lines.length + 1) : readPlain(text, at, separator);
		cells.push(cell);
		at = end + 1;
		if (text[end] === separator) continue;
		if (text.startsWith("\r\n", end)) at = end + 2;
		if (cells.length > 1 || cell !== null) lines.push(cells);
		if (lines.length > MAX_ROWS + 1) throw new ComputeProblem(`CSV of more than ${MAX_ROWS} rows`);
		cells = [];
	}
	return lines;
}

/** A cell with a decimal comma as a number; another text as it is. */
function withPoint(cell: Value): Value {
	if (typeof cell !== "string" || !/^-?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/.test(cell)) return cell;
	return parseDecimal(cell.replaceAll(".", "").replace(",", ".")) ?? cell;
}

/** A table of CSV text. Its first line names the columns. Throws ComputeProblem. */
export function parseCsv(written: string, { separator, decimal }: CsvForm): Table {
	const text = written.replace(/^\uFEFF/, "");
	const [header, ...lines] = readCells(text, separator ?? guessSeparator(text));
	if (!header) throw new ComputeProblem("the CSV text is empty; its first line names the columns");
	checkedTable(header.map(String), []);
	const taken = new Set<string>();
	const columns = header.map((cell, place) => {
		const name = freeName(typeof cell === "string" && cell !== "" ? cell : `column_${place + 1}`, taken);
		taken.add(name);
		return name;
	});
	const rows = lines.map((line, place) => {
		if (line.length > columns.length)
			throw new ComputeProblem(
				`CSV row ${place + 1} has ${line.length} cells, the first line ${columns.length}; quote cells that hold the separator`,
			);
		const whole = [...line, ...Array.from({ length: columns.length - line.length }, () => null)];
		return decimal === "," ? whole.map(withPoint) : whole;
	});
	return { ...checkedTable(columns, rows), csvDecimal: decimal };
}

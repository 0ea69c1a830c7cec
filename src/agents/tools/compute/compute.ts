// The built-in tool compute: a closed expression language over decimals, dates, texts and tables, without code. The same call gives
// the same bytes: it knows neither the time nor chance. Work is bounded by steps (evaluate.ts) and rows (tables.ts). Pure.
import { isJsonObject } from "../../../json.ts";
import { quoteInput } from "../../../suggest.ts";
import { utf8Length } from "../../../text/utf8.ts";
import type { ToolForm } from "../tool.ts";
import { Calculation } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import { ComputeProblem } from "./problem.ts";
import { type FindResult, loadTables } from "./table-sources.ts";
import { isTable, renderRows, renderValue, type Value } from "./value.ts";

/** What the model reads of a result. */
const MAX_SHOWN_BYTES = 32_768;
/** Room for what is said beside the rows. */
const REMARK_BYTES = 2_048;
/** A longer result is an error. */
const MAX_COMPUTED_BYTES = 1_048_576;
const CONTEXT_CHARS = 16;

export interface ComputeResult {
	/** As the model reads it: at most 32 KiB. */
	output: string;
	isError: boolean;
	/** The result where `output` holds only its beginning, for later calls; at most 1 MiB. */
	whole: string | null;
	/** The references of earlier results that were read, also where the output is an error: it may quote them. */
	sources: string[];
}

/** The definition that models are sent. */
export const COMPUTE_FORM: ToolForm = {
	name: "compute",
	description: [
		"Calculates exactly: decimals, dates, texts, tables. Tables are rows, CSV, or an earlier result by `call`; never copy rows.",
		'Examples: {"expression":"round(1299.90 * 1.23, 2)"}',
		'{"expression":"orders | filter(status = \'open\' and days_between(due, \'2026-11-28\') > 30) | group(customer, sum(total) as owed) | sort(owed desc)","tables":[{"name":"orders","call":"list_orders","at":"/data"}]}',
		"Stages: filter select add group sort distinct limit skip flatten(column) append(other) join(other, key or own = theirs) left_join matching without reconcile(other, key).",
		"Figures, in group or as sum(table, x): sum count count_distinct min max average median first last list.",
		"Operators: + - * / % ^ & (joins texts) = != < and or not in. if(c, a, b). Several results: {a: x, b: y}. let t = x; y.",
		"Functions: round abs sqrt number(text, ',') lower trim length contains starts_with before after replace date(text, 'DD.MM.YYYY') add_days add_months days_between workdays_between hours_between weekday year month format_date in_zone.",
	].join("\n"),
	parameters: {
		type: "object",
		properties: {
			expression: { type: "string" },
			tables: {
				type: "array",
				items: {
					type: "object",
					properties: {
						name: { type: "string" },
						call: { type: "string", description: "Tool name, name#2 for its 2nd call, or call id" },
						at: { type: "string" },
						rows: { type: "array", items: { type: "object" } },
						csv: { type: "string" },
						decimal: { type: "string", enum: [".", ","] },
					},
					required: ["name"],
				},
			},
		},
		required: ["expression"],
	},
};

/** The rows that fit, each whole. */
function fitRows(rows: readonly string[]): string[] {
	let left = MAX_SHOWN_BYTES - REMARK_BYTES;
	const firstTooMany = rows.findIndex((row) => {
		left -= utf8Length(row) + 1;
		return left < 0;
	});
	return firstTooMany < 0 ? [...rows] : rows.slice(0, firstTooMany);
}

const KEPT = "the whole is kept: a later call reads it as a table with call";

function render(value: Value, notes: readonly string[]): Pick<ComputeResult, "output" | "whole"> {
	const remark = notes.length > 0 ? `,"notes":${JSON.stringify(notes)}` : "";
	const rows = isTable(value) ? renderRows(value, MAX_COMPUTED_BYTES) : null;
	const json = rows ? `[${rows.join(",")}]` : renderValue(value, MAX_COMPUTED_BYTES);
	const head = rows ? `{"rows":${rows.length},` : "{";
	const whole = `${head}"result":${json}${remark}}`;
	const bytes = utf8Length(whole);
	if (bytes > MAX_COMPUTED_BYTES)
		throw new ComputeProblem(
			`the result has ${bytes} bytes, at most ${MAX_COMPUTED_BYTES}; filter, group or select first`,
		);
	if (bytes <= MAX_SHOWN_BYTES) return { output: whole, whole: null };
	const shown = fitRows(rows ?? []);
	const cut = `"note":${JSON.stringify(`only ${shown.length} rows are shown; ${KEPT} "compute"`)}`;
	const long = `"note":${JSON.stringify(`the result has ${bytes} bytes and is not shown; ${KEPT} "compute"`)}`;
	const output = rows
		? `${head}"shown":${shown.length},"result":[${shown.join(",")}],${cut}${remark}}`
		: `{${long}${remark}}`;
	return { output, whole };
}

/** The place of a problem in words. */
function renderProblem({ message, at }: ComputeProblem, expression: string): string {
	if (at === null) return `compute: ${message}`;
	const near = expression.slice(Math.max(0, at - CONTEXT_CHARS), at + CONTEXT_CHARS);
	const place = at >= expression.length ? "at the end" : `at character ${at + 1}, near ${quoteInput(near)}`;
	return `compute, ${place}: ${message}`;
}

/** Works out a call. @param args as the model gave them. Problems are results with `isError`. */
export function compute(args: unknown, findResult: FindResult): ComputeResult {
	const expression = isJsonObject(args) ? args["expression"] : undefined;
	const sources = new Set<string>();
	const find = (reference: string) => {
		const text = findResult(reference);
		if (text !== null) sources.add(reference);
		return text;
	};
	try {
		if (!isJsonObject(args) || typeof expression !== "string" || expression.trim() === "")
			throw new ComputeProblem('"expression" is missing, such as {"expression": "2 * 21"}');
		const program = parseExpression(expression);
		const calculation = new Calculation(loadTables(args["tables"], find));
		const value = calculation.run(program);
		return { ...render(value, calculation.notes), isError: false, sources: [...sources] };
	} catch (error) {
		// What nests or grows beyond the runtime's own limits is as wrong as what is beyond those here.
		const problem =
			error instanceof RangeError ? new ComputeProblem("the calculation is too deep or too large") : error;
		if (!(problem instanceof ComputeProblem)) throw error;
		return { output: renderProblem(problem, String(expression)), isError: true, whole: null, sources: [...sources] };
	}
}

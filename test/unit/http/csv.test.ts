import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvCell, prefersCsv, renderCsv } from "../../../src/http/csv.ts";

/** Rows of a text as RFC 4180 has them. */
function parseCsv(text: string): string[][] {
	const rows: string[][] = [];
	let row: string[] = [];
	for (let at = 0; at < text.length; ) {
		const quoted = /^"((?:[^"]|"")*)"/.exec(text.slice(at));
		const cell = quoted?.[0] ?? /^[^,\r\n]*/.exec(text.slice(at))?.[0] ?? "";
		row.push(quoted ? (quoted[1] ?? "").replaceAll('""', '"') : cell);
		at += cell.length;
		if (text[at] === ",") at += 1;
		else if (text.startsWith("\r\n", at)) {
			rows.push(row);
			row = [];
			at += 2;
		} else throw new Error(`neither a comma nor the end of a line: ${JSON.stringify(text.slice(at))}`);
	}
	return rows;
}

const body = (...row: CsvCell[]) => renderCsv(["a"], [row]).slice("a\r\n".length, -"\r\n".length);

describe("CSV", () => {
	it("has a line of names, and one for each row, all ended by CR LF", () => {
		expect(renderCsv(["day", "calls"], [["2026-11-21", 3]])).toBe("day,calls\r\n2026-11-21,3\r\n");
		expect(renderCsv(["day"], [])).toBe("day\r\n");
	});

	it("quotes what would end a cell, and doubles quotes", () => {
		expect(body("a,b", 'say "hi"', "two\nlines", "plain", null, "")).toBe('"a,b","say ""hi""","two\nlines",plain,,');
	});

	it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])(
		"makes %j a text that no spreadsheet runs",
		(cell) => {
			expect(body(cell)).toBe(`"'${cell}"`);
		},
	);

	it("quotes a formula that has quotes and commas", () => {
		expect(body('=HYPERLINK("http://a.test","x")')).toBe(`"'=HYPERLINK(""http://a.test"",""x"")"`);
	});

	it("leaves alone what has such a character inside, and numbers", () => {
		expect(body("a=b", "a-b", "ci:build", -1)).toBe("a=b,a-b,ci:build,-1");
	});

	it("writes amounts without an exponent", () => {
		expect(body(1e-9, 0.5, 0, 12, 123_456_789.000_000_1)).toBe("0.000000001,0.5,0,12,123456789.0000001");
	});

	it("comes back as it was, but for the apostrophes", () => {
		const cell = fc.oneof(fc.string({ unit: fc.constantFrom("a", '"', ",", "\r", "\n", "=", "\t", "é") }), fc.string());
		fc.assert(
			fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 })), (rows) => {
				const [, ...found] = parseCsv(renderCsv(["x", "y"], rows));
				const isFormula = (text: string) => /^[=+\-@\t\r\n＝＋－＠]/.test(text);
				expect(found).toEqual(rows.map((row) => row.map((text) => (isFormula(text) ? `'${text}` : text))));
			}),
		);
	});
});

describe("a caller", () => {
	it.each([
		["text/csv", true],
		["text/csv; charset=utf-8", true],
		["TEXT/CSV", true],
		["text/csv, */*", true],
		["text/csv, application/json;q=0.5", true],
		["text/*", true],
		[null, false],
		["", false],
		["*/*", false],
		["application/json", false],
		["application/json, text/csv", false],
		["application/json, text/csv;q=0.9", false],
		["text/csv;q=0, */*", false],
		["text/csv;q=0.1, */*", false],
		["text/csv;q=nope", false],
		["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
	])("that accepts %j gets CSV: %s", (accept, expected) => {
		expect(prefersCsv(accept)).toBe(expected);
	});
});

// The built-in tool compute: exact, bounded, the same bytes for the same call, and errors that say what would pass.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findResult, runBuiltIn } from "../../../../src/agents/tools/built-in.ts";
import { COMPUTE_FORM } from "../../../../src/agents/tools/compute/compute.ts";

const ORDERS = [
	{ id: 1, total: "12.50", status: "open", customer: "Ada", due: "2026-10-01" },
	{ id: 2, total: 7.5, status: "open", customer: "Ben", due: "2026-11-01" },
	{ id: 3, total: 100, status: "done", customer: "Ada", due: "2026-11-27" },
];
const BANK = "ref;amount\n1;12,50\n3;99,00\n9;1.234,56\n";
const TABLES = { orders: ORDERS, bank: { csv: BANK, decimal: "," } };

function run(expression: string, tables: unknown = TABLES, results: (reference: string) => string | null = () => null) {
	return runBuiltIn("compute", { expression, tables }, { results });
}

/** The value of a call, with numbers as they are written. */
function resultOf(expression: string, tables: unknown = TABLES): string {
	const { output, isError } = run(expression, tables);
	expect(isError, output).toBe(false);
	return /^\{(?:"rows":\d+,)?"result":(.*?)(?:,"notes":\[.*\])?\}$/s.exec(output)?.[1] ?? output;
}

function problemOf(expression: string, tables: unknown = TABLES): string {
	const { output, isError } = run(expression, tables);
	expect(isError, output).toBe(true);
	return output;
}

describe("numbers", () => {
	it.each([
		["0.1 + 0.2", "0.3"],
		["12.50 + 7.50", "20.00"],
		["1299.90 * 1.23", "1598.8770"],
		["round(1299.90 * 1.23, 2)", "1598.88"],
		["round(2.345, 2) & ' EUR'", '"2.35 EUR"'],
		["round(-2.345, 2)", "-2.35"],
		["round(2.345, 2, 'half_even')", "2.34"],
		["round(1234.5, 2)", "1234.50"],
		["1 / 3", `0.${"3".repeat(34)}`],
		["2 / 3", `0.${"6".repeat(33)}7`],
		["10 / 4", "2.5"],
		["-7 % 3", "-1"],
		["-2 ^ 2", "-4"],
		["2 ^ -2", "0.25"],
		["2 ^ 3 ^ 2", "512"],
		["5--3", "8"],
		["sqrt(2)", "1.414213562373095048801688724209698"],
		["floor(-1.5) & ' ' & ceil(-1.5)", '"-2 -1"'],
		["abs(-3.10)", "3.10"],
		["min(3, 1.5, 2) + max(1, 2)", "3.5"],
		["number('1,234.50')", "1234.50"],
		["number('(1,234.50)')", "-1234.50"],
		["number('€ 1.234,50', ',')", "1234.50"],
		["number_or_null('12.3.4')", "null"],
		["1e-90 ^ 1000", "0"],
	])("%s is %s", (expression, value) => {
		expect(resultOf(expression)).toBe(value);
	});

	it("sums of money are exact, whatever the order", () => {
		fc.assert(
			fc.property(
				fc.array(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), { minLength: 1, maxLength: 200 }),
				(cents) => {
					const text = (amount: bigint) => {
						const digits = (amount < 0n ? -amount : amount).toString().padStart(3, "0");
						return `${amount < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
					};
					const rows = cents.map((amount) => ({ amount: text(amount) }));
					expect(resultOf("t | sum(amount)", { t: rows })).toBe(text(cents.reduce((sum, amount) => sum + amount, 0n)));
				},
			),
		);
	});

	it("a quotient times its divisor is the dividend within one unit of the 34th digit", () => {
		const whole = fc.bigInt({ min: 1n, max: 10n ** 16n });
		fc.assert(
			fc.property(whole, whole, (a, b) => {
				expect(resultOf(`round((${a} / ${b}) * ${b}, 9) = ${a}`)).toBe("true");
			}),
		);
	});
});

describe("dates", () => {
	it.each([
		["add_months('2026-01-31', 1)", '"2026-02-28"'],
		["add_months('2028-02-29', 12)", '"2029-02-28"'],
		["add_days('2026-12-31', 1)", '"2027-01-01"'],
		["add_days('2026-11-28T23:30:00+02:00', 1)", '"2026-11-29T23:30:00+02:00"'],
		["days_between('2026-02-28', '2026-03-01')", "1"],
		["months_between('2026-01-31', '2026-03-30')", "1"],
		["workdays_between('2026-11-27', '2026-12-07')", "6"],
		["weekday('2026-11-28')", '"Saturday"'],
		["year('2026-11-28') * 100 + month('2026-11-28')", "202611"],
		["date('3 Mar 2026', 'D MMM YYYY')", '"2026-03-03"'],
		["date('28.11.2026', 'DD.MM.YYYY')", '"2026-11-28"'],
		["date(2026, 2, 3)", '"2026-02-03"'],
		["date('2026-11-28T23:30:00Z', 'Europe/Warsaw')", '"2026-11-29"'],
		["in_zone('2026-11-28T23:30:00Z', 'Europe/Warsaw')", '"2026-11-29T00:30:00+01:00"'],
		["hours_between('2026-03-28T12:00', '2026-03-29T12:00')", "24"],
		["hours_between('2026-03-28T12:00', '2026-03-29T12:00', 'Europe/Warsaw')", "23"],
		["format_date('2026-03-05', 'MMMM D, YYYY')", '"March 5, 2026"'],
		["is_date('2026-02-30')", "false"],
	])("%s is %s", (expression, value) => {
		expect(resultOf(expression)).toBe(value);
	});

	it.each([
		["start_of_week('2026-11-29')", '"2026-11-23"'],
		["start_of_week('2026-11-23')", '"2026-11-23"'],
		["end_of_week('2026-11-23T10:00:00Z')", '"2026-11-29"'],
		["end_of_week('2026-12-30')", '"2027-01-03"'],
		["start_of_week('2026-11-29T23:30:00Z', 'Europe/Warsaw')", '"2026-11-30"'],
		["add_workdays('2026-11-27', 1)", '"2026-11-30"'],
		["add_workdays('2026-11-27', 6)", '"2026-12-07"'],
		["add_workdays('2026-11-28', 1)", '"2026-11-30"'],
		["add_workdays('2026-11-29', 5)", '"2026-12-04"'],
		["add_workdays('2026-11-29', 0)", '"2026-11-29"'],
		["add_workdays('2026-11-30', -1)", '"2026-11-27"'],
		["add_workdays('2026-11-28', -1)", '"2026-11-27"'],
		["add_workdays('2026-11-29', -6)", '"2026-11-20"'],
		["add_workdays('2026-11-27T09:00:00+01:00', 1)", '"2026-11-30T09:00:00+01:00"'],
		["workday('2026-11-27', 1) & week_start('2026-11-29')", '"2026-11-302026-11-23"'],
	])("%s is %s", (expression, value) => {
		expect(resultOf(expression)).toBe(value);
	});

	it("adding workdays steps over weekends alone, as day by day", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: -40, max: 40 }), (day, count) => {
				const from = new Date(Date.UTC(2024, 0, 1) + day * 86_400_000);
				const moved = new Date(from);
				for (let left = Math.abs(count); left > 0; ) {
					moved.setUTCDate(moved.getUTCDate() + Math.sign(count));
					if (moved.getUTCDay() % 6 !== 0) left--;
				}
				const written = from.toISOString().slice(0, 10);
				expect(resultOf(`add_workdays('${written}', ${count})`)).toBe(`"${moved.toISOString().slice(0, 10)}"`);
			}),
		);
	});

	it("adding days and the days between agree with the calendar", () => {
		const day = fc.date({ min: new Date("1900-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });
		fc.assert(
			fc.property(day, fc.integer({ min: -40_000, max: 40_000 }), (date, days) => {
				const text = date.toISOString().slice(0, 10);
				const later = new Date(Date.parse(text) + days * 86_400_000).toISOString().slice(0, 10);
				expect(resultOf(`add_days('${text}', ${days})`)).toBe(JSON.stringify(later));
				expect(resultOf(`days_between('${text}', '${later}')`)).toBe(String(days));
				expect(resultOf(`weekday('${later}')`)).toBe(
					JSON.stringify(new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(new Date(later))),
				);
			}),
		);
	});
});

describe("tables", () => {
	it.each([
		["orders | sum(total)", "120.00"],
		["sum(orders, total)", "120.00"],
		["orders | average(total)", "40.00"],
		["sum(orders.total) / count(orders.id)", "40.00"],
		["orders.filter(status == 'open').sum(total)", "20.00"],
		["orders | group(customer, sum(orders.total) as s) | sort(s) | limit(1)", '[{"customer":"Ben","s":7.5}]'],
		["open = orders | filter(status = 'open'); n = count(open); n * 2", "4"],
		["count(orders) = 3", "true"],
		["median(orders, total)", "12.50"],
		["orders | count(status = 'open')", "2"],
		["count_distinct(orders, customer)", "2"],
		["orders | list(customer, '/')", '"Ada/Ben/Ada"'],
		["orders | filter(status = 'open' and days_between(due, '2026-11-28') > 30) | select(id)", '[{"id":1}]'],
		[
			"orders | group(customer, sum(total) as owed, count() as n) | sort(owed desc)",
			'[{"customer":"Ada","owed":112.50,"n":2},{"customer":"Ben","owed":7.5,"n":1}]',
		],
		["orders | group(sum(total) / count() as mean)", '[{"mean":40.00}]'],
		["orders | sort(customer, total desc) | limit(2) | select(id)", '[{"id":3},{"id":1}]'],
		["orders | sort(total, 'desc') | skip(2) | select(id)", '[{"id":2}]'],
		["orders | join(bank, id = ref) | select(id, total - amount as off)", '[{"id":1,"off":0.00},{"id":3,"off":1.00}]'],
		["orders | left_join(bank, id = ref) | filter(amount is null) | select(id)", '[{"id":2}]'],
		["bank | without(orders, ref = id) | select(ref)", '[{"ref":9}]'],
		["bank | matching(orders, ref = id) | count()", "2"],
		["orders | distinct(customer)", '[{"customer":"Ada"},{"customer":"Ben"}]'],
		["orders | add(vat = total * 0.2) | sum(vat)", "24.000"],
		["let open = orders | filter(status = 'open'); {n: count(open), sum: sum(open, total)}", '{"n":2,"sum":20.00}'],
		["if(count(orders) > 2, 'many', 'few')", '"many"'],
		["'open' in ('open', 'new') and 3 not in [1, 2]", "true"],
		["'12.50' = 12.5 and '0017' != 17", "true"],
	])("%s is %s", (expression, value) => {
		expect(resultOf(expression)).toBe(value);
	});

	it("reconciles two tables: what only one has, and each value that differs", () => {
		expect(JSON.parse(resultOf("orders | select(id as ref, total as amount) | reconcile(bank, ref)"))).toEqual([
			{ ref: 2, difference: "only_left", column: null, left: null, right: null },
			{ ref: 3, difference: "changed", column: "amount", left: 100, right: 99 },
			{ ref: 9, difference: "only_right", column: null, left: null, right: null },
		]);
	});

	it("rows of one key meet in their order, and one more on a side stands alone", () => {
		const left = [
			{ k: 1, v: 1 },
			{ k: 1, v: 2 },
			{ k: 1, v: 3 },
		];
		const found = JSON.parse(resultOf("a | reconcile(b, k)", { a: left, b: left.slice(0, 2) }));
		expect(found).toMatchObject([{ k: 1, difference: "only_left" }]);
	});

	it("flattens lists of records", () => {
		const orders = [
			{
				id: 1,
				lines: [
					{ sku: "a", n: 2 },
					{ sku: "b", n: 1 },
				],
			},
			{ id: 2, lines: [{ sku: "a", n: 5 }] },
		];
		expect(resultOf("o | flatten(lines) | group(sku, sum(n))", { o: orders })).toBe(
			'[{"sku":"a","sum_n":7},{"sku":"b","sum_n":1}]',
		);
	});

	it("a sum says which rows it left out, and refuses what is no number", () => {
		const rows = [{ v: 1 }, { v: null }, { v: "n/a" }];
		expect(run("t | limit(2) | sum(v)", { t: rows }).output).toBe(
			'{"result":1,"notes":["sum left out 1 of 2 rows without a value"]}',
		);
		expect(problemOf("t | sum(v)", { t: rows })).toContain('in row 3, the text "n/a" is no number');
	});

	it("an empty table has sums and counts", () => {
		expect(resultOf("{s: sum(t, v), n: count(t), m: max(t, v), a: average(t, v)}", { t: [] })).toBe(
			'{"s":0,"n":0,"m":null,"a":null}',
		);
	});

	it("CSV is read with quotes, separators, line ends and blank cells", () => {
		const csv = '\uFEFFname;note;n\r\n"Smith; John";"says ""hi""\nthere";1\r\nB;;2\r\n\r\n';
		expect(JSON.parse(resultOf("t", { t: { csv } }))).toEqual([
			{ name: "Smith; John", note: 'says "hi"\nthere', n: "1" },
			{ name: "B", note: null, n: "2" },
		]);
	});

	it("a decimal comma counts only where it is declared", () => {
		expect(problemOf("t | sum(v)", { t: { csv: "v;w\n1,5;2" } })).toContain("1,5");
		expect(resultOf("t | sum(v)", { t: { csv: "v;w\n1,5;2", decimal: "," } })).toBe("1.5");
	});

	describe("a text by another decimal sign", () => {
		const ledger = [
			{ ref: "a", amount: 39.98, paid: 1 },
			{ ref: "b", amount: 1234.5, paid: 0 },
		];
		const csv = "ref;amount\na;39,98\nb;1.234,50\n";
		const tables = { ledger, bank: { csv }, other: { csv } };
		const notesOf = (expression: string, given: unknown = tables) => JSON.parse(run(expression, given).output).notes;
		const remark =
			'column "amount" of "bank" looks like decimal commas, such as "39,98", which count as texts; give "bank" decimal: ","';

		it.each([
			"ledger | reconcile(bank, ref)",
			"ledger | join(bank, ref) | filter(amount = amount_2)",
			"ledger | join(bank, ref) | filter(amount != amount_2)",
			"ledger | join(bank, amount)",
			"bank | without(ledger, amount)",
			"bank | filter(amount in (39.98, 12))",
			"bank | sort(amount desc)",
			"bank | filter(amount > '100')",
			"max(bank, amount)",
			"let b = bank | select(ref, amount as paid); ledger | reconcile(b, ref)",
		])("is noted in %s", (expression) => {
			expect(notesOf(expression)).toEqual([remark]);
		});

		it.each(["bank | sum(amount)", "bank | average(amount)", "bank | filter(amount > 100)"])(
			"is refused with the way in %s",
			(expression) => {
				expect(problemOf(expression, tables)).toContain(remark);
			},
		);

		it("is refused with a function in a calculation", () => {
			expect(problemOf("sum(bank, amount * 2)", tables)).toContain('number(text, ",") reads decimal commas');
		});

		it("is never converted, and the note's way takes the note away", () => {
			expect(JSON.parse(resultOf("ledger | reconcile(bank, ref)", tables))).toHaveLength(2);
			const declared = { ledger, bank: { csv, decimal: "," } };
			expect(run("ledger | reconcile(bank, ref)", declared).output).toBe('{"rows":0,"result":[]}');
			const read = "ledger | reconcile(bank | add(amount: number(amount, ',')), ref)";
			expect(run(read, tables).output).toBe('{"rows":0,"result":[]}');
		});

		it.each([
			["rows, which have no decimal sign to declare", "39,98", 'as texts; number(amount, ",") reads decimal commas'],
			["thousands", "1,234.50", "looks like commas between thousands"],
			["a comma that may be either", "1,234", "has commas, before decimals or between thousands"],
		])("of %s has its own way", (_, amount, words) => {
			expect(notesOf("ledger | reconcile(js, ref)", { ledger, js: [{ ref: "a", amount }] })).toEqual([
				expect.stringContaining(words),
			]);
		});

		it("one clear text tells what the others mean", () => {
			const mixed = { ledger, bank: { csv: "ref;amount\na;1,234\nb;39,98\n" } };
			expect(notesOf("ledger | reconcile(bank, ref)", mixed)).toEqual([remark]);
		});

		it.each([
			["equal texts", "bank | reconcile(other, ref)"],
			["texts beside a text", "bank | filter(amount = 'none')"],
			["a column that is not compared", "ledger | join(bank, ref) | filter(paid = 1)"],
			["texts that are no numbers", "ledger | filter(ref = 1 or ref = 'a,b')"],
		])("there is no note about %s", (_, expression) => {
			expect(notesOf(expression)).toBeUndefined();
		});
	});

	describe("figures of a whole table in a row", () => {
		const staff = [
			{ name: "a", pay: 10, marks: [1, 2] },
			{ name: "b", pay: 30, marks: [5] },
			{ name: "c", pay: 20, marks: null },
		];
		const t = { staff, rates: [{ rate: 2 }, { rate: 4 }] };

		it.each([
			["staff | filter(pay > average(staff.pay)) | select(name)", '[{"name":"b"}]'],
			["staff | filter(pay > average(staff, pay)) | select(name)", '[{"name":"b"}]'],
			["staff | filter(pay = max(staff.pay)) | select(name)", '[{"name":"b"}]'],
			["staff | add(share: pay / sum(staff.pay)) | select(share) | limit(1)", `[{"share":0.1${"6".repeat(32)}7}]`],
			["staff | add(r: pay * sum(rates.rate)) | select(r) | limit(1)", '[{"r":60}]'],
			["let top = staff | filter(pay > 10); top | filter(pay > average(top.pay)) | select(name)", '[{"name":"b"}]'],
			["staff | group(name, sum(pay) / sum(staff, pay) as q) | limit(1)", `[{"name":"a","q":0.1${"6".repeat(32)}7}]`],
			["rates | group(sum(rate) / sum(staff.pay) as q)", '[{"q":0.1}]'],
			// What stands in the row, or is compared with more, is the row's own.
			["staff | limit(2) | add(m: max(staff.pay, 20)) | select(m)", '[{"m":20},{"m":30}]'],
			["staff | limit(2) | add(m: sum(staff.marks)) | select(m)", '[{"m":3},{"m":5}]'],
			["list(staff.name, '; ')", '"a; b; c"'],
		])("%s is %s", (expression, value) => {
			expect(resultOf(expression, t)).toBe(value);
		});

		it("are worked out once, and count steps as they are read", () => {
			const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, pay: id }));
			expect(resultOf("count(s | filter(pay > average(s.pay)))", { s: rows })).toBe("10000");
			expect(resultOf("count(s | filter(pay > average(s, pay * 2) / 2))", { s: rows })).toBe("10000");
			// Of a table that is made anew in each row.
			expect(problemOf("s | filter(pay > average(s | filter(id > 3), pay))", { s: rows })).toContain("2000000 steps");
		});

		it.each([
			["staff | filter(pay > average(pay))", "of all rows, write average(staff.pay)"],
			["rates | filter(rate > min(rate))", "of all rows, write min(rates.rate)"],
			[
				"staff | add(twice: pay * 2) | filter(twice > average(twice))",
				"name the table first: let t = …; t | filter(twice > average(t.twice))",
			],
			["staff | filter(pay > average(staff.pai))", "did you mean pay?"],
			["staff | filter(count(staff.marks) > 0)", "works on a table"],
		])("%s says %s", (expression, words) => {
			expect(problemOf(expression, t)).toContain(words);
		});
	});

	it("tables may be given as a list with names, as texts, or as JSON lines", () => {
		expect(resultOf("t | sum(v)", [{ name: "t", rows: [{ v: 1 }, { v: 2 }] }])).toBe("3");
		expect(resultOf("t | sum(v)", { t: '[{"v":1},{"v":2}]' })).toBe("3");
		expect(resultOf("t | sum(v)", { t: '{"v":1}\n{"v":2}\n' })).toBe("3");
		expect(resultOf("t | sum(v)", { t: [["v"], [1], [2]] })).toBe("3");
	});
});

describe("earlier results of the run", () => {
	const calls = [
		{ id: "call_1", modelId: "m1", tool: "list", result: JSON.stringify({ data: ORDERS, next: null }), isError: false },
		{ id: "call_2", modelId: "m2", tool: "list", result: '[{"total":1}]', isError: false },
		{ id: "call_3", modelId: "m3", tool: "list", result: "it failed", isError: true },
	];
	const sum = (source: Record<string, unknown>) =>
		run("t | sum(total)", [{ name: "t", ...source }], (reference) => findResult(calls, reference));

	it.each([
		[{ call: "m1", at: "/data" }, "120.00"],
		[{ call: "call_1" }, "120.00"],
		[{ call: "list" }, "1"],
		[{ call: "list#1" }, "120.00"],
	])("%j are read where they are meant", (source, value) => {
		expect(sum(source).output).toBe(`{"result":${value}}`);
		expect(sum(source).sources).toEqual([source.call]);
	});

	it("what is not there is named, with what would pass", () => {
		expect(sum({ call: "lost" }).output).toContain('no result of a call "lost"');
		expect(sum({ call: "m1", at: "/rows" }).output).toContain("there are data, next");
		// The names are the result's own words.
		expect(sum({ call: "m1", at: "/rows" }).sources).toEqual(["m1"]);
	});

	it("a long result is shown by its first rows, and read whole by a later call", () => {
		const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, text: `row ${id} of many` }));
		const { output, whole } = run("t | sort(id desc)", { t: rows });
		expect(output.length).toBeLessThanOrEqual(32_768);
		expect(JSON.parse(output)).toMatchObject({ rows: 3_000, shown: expect.any(Number) });
		const later = run("t | max(id)", [{ name: "t", call: "compute" }], (name) => (name === "compute" ? whole : null));
		expect(later.output).toBe('{"result":2999}');
	});

	it("long numbers keep their digits", () => {
		const json = '[{"id":1234567890123456789,"v":1},{"id":1234567890123456788,"v":2}]';
		expect(run("t | distinct(id) | count()", [{ name: "t", call: "x" }], () => json).output).toBe('{"result":2}');
		expect(problemOf("t | count()", { t: JSON.parse(json) })).toContain("give it as a text");
	});
});

describe("errors", () => {
	it.each([
		["orders | filtr(id)", "did you mean filter?"],
		["orders | filter(totl > 3)", "did you mean total?"],
		["orders | filter(total)", "neither true nor false"],
		["ordrs | count()", "did you mean orders?"],
		["orders | group(customer, total, sum(total) as s) | sum(nope)", "there are customer, total, s"],
		["(1 + 2", 'at the end: expected ")"'],
		["1 + ", "at the end"],
		["'abc", "a text that does not end"],
		["1 $ 2", "at character 3"],
		["'a' + 'b'", "joined with &"],
		["1 < 'a'", "have no order"],
		["10 / 0", "division by zero"],
		["10 ^ 200", "more than 100 digits"],
		["round(1, 2, 'up')", "half_up"],
		["date('28/11/2026')", "DD.MM.YYYY"],
		["date('2026-02-30')", "is no date"],
		["in_zone('2026-01-01', 'Mars')", "no time zone"],
		["sum(total)", "there is no table"],
		["sum(3)", "works on a table"],
		["orders.totl", "did you mean total?"],
		["start_of_weak('2026-11-29')", "did you mean start_of_week?"],
		["end_of_weeks('2026-11-29')", "did you mean end_of_week?"],
		["add_workday('2026-11-29', 1)", "did you mean add_workdays?"],
		["networkdays('2026-11-29', '2026-12-01')", "write workdays_between(from, to)"],
		["add_workdays('2026-11-29', 1.5)", "is no whole number"],
		["add_workdays('9999-12-31', 1)", "outside the years"],
		["today()", "the present is not known here"],
		["'2026-11-28' - '2026-11-01'", "days_between"],
		["constructor", "there is no table"],
		["toString(1)", "there is no function"],
		["__proto__", "there is no table"],
		["orders | join(bank, id = ref) | join(orders, missing)", "there is no column"],
	])("%s says %s", (expression, words) => {
		expect(problemOf(expression)).toContain(words);
	});

	it.each([null, 3, [], {}, { expression: 3 }, { expression: " " }])("arguments %j say what is missing", (args) => {
		expect(runBuiltIn("compute", args, { results: () => null })).toMatchObject({
			isError: true,
			output: expect.stringContaining('"expression" is missing'),
		});
	});
});

describe("what models write", () => {
	const EMPTY = { t: [{ a: "" }, { a: null }, { a: "x" }] };
	const MONEY = { m: [{ a: "€ 12,50" }, { a: " " }, { a: "1 234,00 zł" }] };

	it.each<[string, string, unknown?]>([
		[
			"orders | group(month = format_date(due, 'yyyy-mm'), s = sum(total))",
			'[{"month":"2026-10","s":12.50},{"month":"2026-11","s":107.5}]',
		],
		["orders | add(total = total * 2) | select(id, total) | limit(1)", '[{"id":1,"total":25.00}]'],
		[
			"orders | select(id, open = status = 'open' and total > 10)",
			'[{"id":1,"open":true},{"id":2,"open":false},{"id":3,"open":false}]',
		],
		[
			"orders | group('customer', count(*)) | order_by('count desc')",
			'[{"customer":"Ada","count":2},{"customer":"Ben","count":1}]',
		],
		["orders | group_by(customer, sum('total') as s) | having(s > 50) | list(customer)", '"Ada"'],
		["orders | sum(total) / 3", "40.00"],
		["orders | count() - 1 + (orders | count()) * 2 = 8 and not false", "true"],
		[
			"orders | outer_join(bank, id = ref) | select(id, total, amount)",
			'[{"id":1,"total":"12.50","amount":12.50},{"id":2,"total":7.5,"amount":null},{"id":3,"total":100,"amount":99.00},{"id":9,"total":null,"amount":1234.56}]',
		],
		[
			"net = sum(orders, total)\nvat = round(net * 0.19, 2) // of all\n{net = net, vat: vat}",
			'{"net":120.00,"vat":22.80}',
		],
		["let a = 2\nb = a * 3", "6"],
		["total = sum(orders, total)", "120.00"],
		["1 = 2", "false"],
		["t | filter(a = '') | count()", "2", EMPTY],
		["t | filter(a != '') | count()", "1", EMPTY],
		["t | filter(a in ('', 'y')) | count()", "2", EMPTY],
		["t | filter(is_blank(a)) | count()", "2", EMPTY],
		["m | sum(number(a, ','))", "1246.50", MONEY],
		["number('R$ 1.234,50', ',') + number('$2') + number('CHF 3') + number('4,-', ',')", "1243.50"],
		["format_date('2027-01-01', 'YYYY-WWW') & ' ' & week('2027-01-01')", '"2026-W53 53"'],
		["format_date('2024-12-30', 'GGGG-[W]WW, DDDD')", '"2025-W01, Monday"'],
		["format_date('2026-11-28T09:05:00', 'D.M.YY H:mm')", '"28.11.26 9:05"'],
		["date('03.11.2026', 'dd.mm.yyyy') & ' Q' & quarter('2026-11-03')", '"2026-11-03 Q4"'],
		["start_of_month('2028-02-05') & ' ' & end_of_month('2028-02-05')", '"2028-02-01 2028-02-29"'],
		["hours_between('2026-03-28T12:00', '2026-03-29T12:00', 'Europe/Warsaw')", "23"],
		["length(orders)", "3"],
	])("%s is %s", (expression, value, tables = TABLES) => {
		expect(resultOf(expression, tables)).toBe(value);
	});

	it.each([
		["orders | select(id, status = 'open')", "write status: … to replace it, or (status = …) as another name"],
		["orders | filter(status = open)", "a text stands in quotes"],
		["orders | filter(o => o.total > 3)", "columns are named directly"],
		["orders | filter(total between 1 and 2)", "x >= a and x <= b"],
		["orders | select(*, total)", "keeps all columns"],
		["sum([1, 2])", "give rows in tables"],
		["orders[0]", "rows are taken by filter"],
		["orders | sort('nothing')", "a sort is by a column"],
		["orders | top(3)", "write sort(column desc) | limit(n)"],
		["1 > 2 ? 3 : 4", "if(condition, then, else)"],
		["sum(orders.total * orders.id)", "row by row"],
		["date('2026-11-28') + 30", "add_days"],
		["format_date('2026-11-28', '%Y-%m')", '"%Y"'],
		["format_date('2026-11-28', 'YYYY-mon')", "there are YYYY YY, MMMM (January) MMM (Jan) MM M, DD D"],
	])("%s says %s", (expression, words) => {
		expect(problemOf(expression)).toContain(words);
	});

	it("weeks are those of the calendar, in every year", () => {
		const asNode = (date: Date) => {
			const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
			const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
			return `${thursday.getUTCFullYear()}-${Math.ceil(((thursday.getTime() - first) / 86_400_000 + 1) / 7)}`;
		};
		fc.assert(
			fc.property(fc.integer({ min: -20_000, max: 40_000 }), (day) => {
				const date = new Date(day * 86_400_000);
				const written = date.toISOString().slice(0, 10);
				expect(resultOf(`format_date('${written}', 'GGGG') & '-' & week('${written}')`)).toBe(`"${asNode(date)}"`);
			}),
		);
	});
});

describe("bounds", () => {
	const wide = Array.from({ length: 20_000 }, (_, id) => ({ id, g: id % 7, v: `${id}.5` }));

	it.each([
		["t | filter(v > average(t | skip(1), v)) | count()", "steps"],
		["t | join(t, g) | count()", "rows"],
		["t | append(t)", "20000 rows"],
		["t | list(v)", "characters"],
		[
			`let a = 'x'; ${Array.from({ length: 9 }, (_, at) => `let a${at} = ${at === 0 ? "a" : `a${at - 1}`}`.replace(/= (.*)/, "= $1 & $1 & $1 & $1")).join("; ")}; t | add(a8 & a8 as z) | count()`,
			"characters",
		],
		[`${"(".repeat(500)}1${")".repeat(500)}`, "nesting"],
		[`${"-".repeat(5_000)}1`, "nesting"],
		[`${"not ".repeat(4_000)}true`, "nesting"],
		[`${"2^".repeat(8_000)}1`, "nesting"],
		[`${"{a:".repeat(4_000)}1${"}".repeat(4_000)}`, "nesting"],
		[`t${" | limit(1)".repeat(1_400)}`, "200 steps in a row"],
		[`t${".a".repeat(8_000)}`, "200 steps in a row"],
		[`t | count()${" + 1 | count()".repeat(1_000)}`, "200 steps in a row"],
		[`let a = {x: 1}; ${"let a = {x: a, y: a};".repeat(60)} a`, "too long"],
		[`let a = {x: 1}; ${"let a = {x: a, y: a};".repeat(60)} a = a`, "too long"],
		[`let a = {x: 1}; ${"let a = {x: a};".repeat(900)} a`, "64 levels"],
		[`let t = t | limit(400); ${"let t = t | add(x: t);".repeat(9)} t`, "too long"],
		[
			Array.from({ length: 300 }, (_, at) => `let a${at} = t | add(z${at}: 1);`)
				.join(" ")
				.concat("1"),
			"steps",
		],
		["x".repeat(20_000), "characters"],
		[
			"t | add(in_zone('2026-01-01', 'Europe/Warsaw') as a, in_zone('2026-01-01', 'Asia/Tokyo') as b) | count()",
			"steps",
		],
	])("%.60s ends with an error that says %s", (expression, words) => {
		expect(problemOf(expression, { t: wide })).toContain(words);
	});

	it.each([
		",".repeat(1_000_000),
		"a\n".repeat(1_000_000),
		"[".repeat(1_000_000),
		'{"a":'.repeat(200_000),
		'"'.repeat(999_999),
	])("a hostile table ends", (table) => {
		expect(run("t | count()", { t: table }).output.length).toBeLessThan(300);
	});

	it("a sum of thousands of terms, and hostile texts, are worked out", () => {
		expect(resultOf(`1${"+1".repeat(8_000)}`)).toBe("8001");
		const texts = [`(${" ".repeat(262_144)}x`, `2026-11-28T09:00${" ".repeat(262_144)}x`, "1 ".repeat(131_072)];
		for (const text of texts) {
			const tables = { b: [{ v: text }] };
			expect(resultOf("number_or_null(first(b, v))", tables)).toBe("null");
			expect(resultOf("is_date(first(b, v))", tables)).toBe("false");
			expect(problemOf("date(first(b, v), 'DD MMM YYYY')", tables)).toContain("is no date");
		}
		const keys = Array.from({ length: 20_000 }, (_, at) => ({ [`k${at}`]: 1 }));
		expect(problemOf("t | count()", { t: keys })).toContain("200 columns");
	});

	it("reads no more of earlier results than 4 MiB", () => {
		const tables = Array.from({ length: 5 }, (_, at) => ({ name: `t${at}`, call: "list" }));
		const { output, isError } = run("count(t0)", tables, () => `a\n${"1\n".repeat(10)}${" ".repeat(1_000_000)}`);
		expect({ isError, output }).toMatchObject({
			isError: true,
			output: expect.stringContaining("characters together"),
		});
	});

	it("whatever is written ends with a result or an error, and the same bytes each time", () => {
		const words = fc.constantFrom(
			...[
				"orders",
				"bank",
				"|",
				"(",
				")",
				"sum",
				"filter",
				"group",
				"sort",
				"total",
				"id",
				",",
				"=",
				"+",
				"-",
				"*",
				"/",
				"^",
				"1",
				"0.5",
				"'a'",
			],
			...[
				"and",
				"not",
				"in",
				"as",
				"let",
				";",
				"{",
				"}",
				":",
				".",
				"null",
				"join",
				"add",
				"date",
				"list",
				"&",
				"desc",
				"%",
				"<",
				"[",
				"]",
			],
		);
		fc.assert(
			fc.property(fc.array(words, { maxLength: 25 }), (parts) => {
				const first = run(parts.join(" "));
				expect(run(parts.join(" "))).toEqual(first);
				if (!first.isError) JSON.parse(first.output);
			}),
			{ numRuns: 2_000 },
		);
	});

	it("any JSON as arguments is answered", () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (tables, args) => {
				run("t | count()", { t: tables });
				run("count(t)", tables);
				runBuiltIn("compute", args, { results: () => JSON.stringify(tables) });
			}),
		);
	});
});

it("the form is short: at most 1,530 characters, which are fewer than 400 tokens", () => {
	expect(JSON.stringify(COMPUTE_FORM).length).toBeLessThanOrEqual(1_530);
});

// Jobs over tables: extracted, reconciled, summed, grouped and compared.
import {
	call,
	compute,
	type Draw,
	differs,
	euros,
	INTEGER,
	type Job,
	type JobScript,
	type Json,
	listOf,
	NUMBER,
	objectSchema,
	parseOutput,
	resultIn,
	STRING,
} from "./job.ts";

const NAMES = [
	"Ada Byron",
	"Ben Okri",
	"Chloé Martin",
	"Dmitri Wolf",
	"Eva Lund",
	"Farid Haddad",
	"Grace Kim",
	"Hugo Blanc",
];
const CITIES = ["Lyon", "Kraków", "Porto", "Ghent", "Turku"];

/** 400 rows that stand in eight pages of loose text. */
export function extractRows(draw: Draw): Job {
	const rows = Array.from({ length: 400 }, (_, at) => ({
		id: `INV-${1_000 + at}`,
		customer: draw.pick(NAMES),
		city: draw.pick(CITIES),
		cents: draw.int(500, 99_999),
	}));
	const line = ({ id, customer, city, cents }: (typeof rows)[number], at: number) =>
		at % 3 === 0
			? `${id}: ${customer} (${city}) owes EUR ${euros(cents)}`
			: at % 3 === 1
				? `${customer}, ${city} - invoice no. ${id}, amount ${euros(cents)} EUR.`
				: `EUR ${euros(cents)} | ${id} | ${city} | ${customer}`;
	const pages = Array.from({ length: 8 }, (_, page) => rows.slice(page * 50, page * 50 + 50));
	const read = (text: string) => {
		const [customer] = NAMES.filter((name) => text.includes(name));
		const [city] = CITIES.filter((name) => text.includes(name));
		return { id: /INV-\d+/.exec(text)?.[0], customer, city, amount: Number(/\d+\.\d\d/.exec(text)?.[0]) };
	};
	return {
		name: "extract 400 rows from eight pages of text",
		goal: "Read all eight pages and extract every invoice as a row with id, customer, city and amount",
		builtIn: [],
		maxTokens: 32_000,
		outputSchema: objectSchema({
			rows: listOf(objectSchema({ id: STRING, customer: STRING, city: STRING, amount: NUMBER })),
		}),
		tools: [
			{
				name: "read_page",
				description: "The text of a page, from 1 to 8.",
				properties: { page: INTEGER },
				more: { effects: "read" },
				run: ({ page }) => pages[Number(page) - 1]?.map((row, at) => line(row, at)).join("\n") ?? "no such page",
			},
		],
		*script(): JobScript {
			const texts = yield pages.map((_, page) => call("read_page", { page: page + 1 }));
			const found = texts.flatMap((text) => text.split("\n").map(read));
			return { json: { rows: found } };
		},
		check(output) {
			const wanted = rows.map(({ id, customer, city, cents }) => ({ id, customer, city, amount: cents / 100 }));
			return differs(parseOutput(output)["rows"], wanted);
		},
	};
}

/** A ledger of 400 rows, which is longer than a model reads at once, and a bank's CSV with decimal commas. */
export function reconcileTables(draw: Draw): Job {
	const ledger = Array.from({ length: 400 }, (_, at) => ({
		ref: `P${10_000 + at}`,
		booked: draw.day(2026),
		cents: draw.int(100, 500_000),
		note: `payment of ${draw.pick(NAMES)} for the order of last month`,
	}));
	const marked = draw.shuffle(ledger.map((_, at) => at));
	const [lost, changed] = [marked.slice(0, 5), marked.slice(5, 12)];
	const bank = ledger.flatMap((row, at) => {
		if (lost.includes(at)) return [];
		return [{ ref: row.ref, cents: changed.includes(at) ? row.cents + 1 : row.cents }];
	});
	const added = Array.from({ length: 3 }, (_, at) => ({ ref: `X${at}`, cents: draw.int(100, 900) }));
	const comma = (cents: number) => euros(cents).replace(".", ",");
	const csv = ["ref;amount", ...draw.shuffle([...bank, ...added]).map(({ ref, cents }) => `${ref};${comma(cents)}`)];
	return {
		name: "reconcile a ledger with a bank's CSV",
		goal: "Reconcile the ledger with the bank's statement: which references stand in one alone, and which have other amounts",
		builtIn: ["compute"],
		outputSchema: objectSchema({ only_ledger: listOf(STRING), only_bank: listOf(STRING), changed: listOf(STRING) }),
		tools: [
			{
				name: "ledger_rows",
				description: "All rows of the ledger.",
				properties: {},
				more: { effects: "read" },
				run: () => ({
					rows: ledger.map(({ cents, ...row }) => ({ ...row, amount: euros(cents) })),
					total: ledger.length,
				}),
			},
			{
				name: "bank_statement",
				description: "The bank's statement as CSV.",
				properties: {},
				more: { effects: "read" },
				run: () => csv.join("\n"),
			},
		],
		*script(): JobScript {
			yield [call("bank_statement"), call("ledger_rows")];
			const tables = [
				{ name: "ledger", call: "ledger_rows" },
				{ name: "bank", call: "bank_statement", decimal: "," },
			];
			const [text] = yield [compute("ledger | select(ref, amount) | reconcile(bank, ref) | sort(ref)", tables)];
			const found = resultIn(text) as { ref: string; difference: string }[];
			const of = (difference: string) => found.filter((row) => row.difference === difference).map(({ ref }) => ref);
			return { json: { only_ledger: of("only_left"), only_bank: of("only_right"), changed: of("changed") } };
		},
		check(output) {
			const refs = (places: number[]) => places.map((at) => ledger[at]?.ref).sort();
			const wanted = { only_ledger: refs(lost), only_bank: added.map(({ ref }) => ref).sort(), changed: refs(changed) };
			return differs(parseOutput(output), wanted);
		},
	};
}

/** Which invoices are overdue, by customer. */
export function overdueInvoices(draw: Draw): Job {
	const today = "2026-11-28";
	const invoices = Array.from({ length: 120 }, (_, id) => ({
		id,
		customer: draw.pick(NAMES),
		due: draw.day(2026),
		cents: draw.int(1_000, 90_000),
		paid: draw.next() < 0.5,
	}));
	return {
		name: "overdue invoices by customer",
		goal: `As of ${today}: which customers have unpaid invoices that are more than 60 days overdue, and how much do they owe in total`,
		builtIn: ["compute"],
		outputSchema: objectSchema({
			customers: listOf(objectSchema({ customer: STRING, owed: NUMBER, invoices: INTEGER })),
		}),
		tools: [
			{
				name: "list_invoices",
				description: "All invoices with customer, due day, total and whether they are paid.",
				properties: {},
				more: { effects: "read" },
				run: () => ({ data: invoices.map(({ cents, ...rest }) => ({ ...rest, total: cents / 100 })), has_more: false }),
			},
		],
		*script(): JobScript {
			yield [call("list_invoices")];
			const [text] = yield [
				compute(
					`i | filter(not paid and days_between(due, "${today}") > 60) | group(customer, sum(total) as owed, count() as invoices) | sort(owed desc, customer)`,
					[{ name: "i", call: "list_invoices", at: "/data" }],
				),
			];
			return { json: { customers: resultIn(text) } };
		},
		check(output) {
			const owed = new Map<string, { cents: number; invoices: number }>();
			for (const { customer, due, cents, paid } of invoices) {
				if (paid || (Date.parse(today) - Date.parse(due)) / 86_400_000 <= 60) continue;
				const sum = owed.get(customer) ?? { cents: 0, invoices: 0 };
				owed.set(customer, { cents: sum.cents + cents, invoices: sum.invoices + 1 });
			}
			const wanted = [...owed]
				.sort(([a, x], [b, y]) => y.cents - x.cents || (a < b ? -1 : 1))
				.map(([customer, { cents, invoices: count }]) => ({ customer, owed: cents / 100, invoices: count }));
			return differs(parseOutput(output)["customers"], wanted);
		},
	};
}

/** Amounts in several currencies, at the rates of a table. */
export function convertCurrencies(draw: Draw): Job {
	const rates = { EUR: 10_000, USD: draw.int(8_500, 9_900), PLN: draw.int(2_100, 2_500), SEK: draw.int(800, 990) };
	const amounts = Array.from({ length: 90 }, (_, id) => ({
		id,
		currency: draw.pick(Object.keys(rates) as (keyof typeof rates)[]),
		cents: draw.int(100, 100_000),
	}));
	return {
		name: "sum amounts of four currencies in euros",
		goal: "Convert every payment to EUR at the given rates, round each to the cent, half up, and give the total and the count by currency",
		builtIn: ["compute"],
		outputSchema: objectSchema({ total: NUMBER, counts: listOf(objectSchema({ currency: STRING, n: INTEGER })) }),
		tools: [
			{
				name: "get_payments",
				description: "Payments as CSV.",
				properties: {},
				more: { effects: "read" },
				run: () =>
					["id,currency,amount", ...amounts.map((row) => `${row.id},${row.currency},${euros(row.cents)}`)].join("\n"),
			},
			{
				name: "get_rates",
				description: "Euros for one unit of each currency.",
				properties: {},
				more: { effects: "read" },
				run: () => Object.entries(rates).map(([currency, rate]) => ({ currency, rate: (rate / 10_000).toFixed(4) })),
			},
		],
		*script(): JobScript {
			yield [call("get_payments"), call("get_rates")];
			const tables = [
				{ name: "payments", call: "get_payments" },
				{ name: "rates", call: "get_rates" },
			];
			const [total, counts] = yield [
				compute("payments | join(rates, currency) | sum(round(amount * rate, 2))", tables),
				compute("payments | group(currency, count() as n) | sort(currency)", tables.slice(0, 1)),
			];
			return { json: { total: resultIn(total), counts: resultIn(counts) } };
		},
		check(output) {
			const cents = amounts.reduce((sum, row) => {
				const exact = BigInt(row.cents) * BigInt(rates[row.currency]);
				return sum + Number((exact + 5_000n) / 10_000n);
			}, 0);
			const counts = Object.keys(rates)
				.sort()
				.map((currency) => ({ currency, n: amounts.filter((row) => row.currency === currency).length }))
				.filter(({ n }) => n > 0);
			return differs(parseOutput(output), { total: cents / 100, counts });
		},
	};
}

/** Customers that stand twice, under spellings of their mail address. */
export function findDuplicates(draw: Draw): Job {
	const customers = Array.from({ length: 150 }, (_, id) => ({
		id,
		mail: `user${id}@example.com`,
		city: draw.pick(CITIES),
	}));
	const twice = draw.shuffle(customers).slice(0, 9);
	const all = draw.shuffle([
		...customers,
		...twice.map(({ mail, city }, at) => ({ id: 1_000 + at, mail: ` ${mail.toUpperCase()}`, city })),
	]);
	return {
		name: "find customers that stand twice",
		goal: "Find the customers whose mail address stands more than once, whatever its case and spaces, with all their ids",
		builtIn: ["compute"],
		outputSchema: objectSchema({ duplicates: listOf(objectSchema({ mail: STRING, ids: STRING })) }),
		tools: [
			{
				name: "list_customers",
				description: "All customers.",
				properties: {},
				more: { effects: "read", private: true },
				run: () => all,
			},
		],
		*script(): JobScript {
			yield [call("list_customers")];
			const [text] = yield [
				compute(
					"c | sort(id) | group(lower(trim(mail)) as mail, count() as n, list(id) as ids) | filter(n > 1) | select(mail, ids) | sort(mail)",
					[{ name: "c", call: "list_customers" }],
				),
			];
			return { json: { duplicates: resultIn(text) } };
		},
		check(output) {
			const wanted = twice
				.map(({ id, mail }, at) => ({ mail, ids: `${id}, ${1_000 + at}` }))
				.sort((a, b) => (a.mail < b.mail ? -1 : 1));
			return differs(parseOutput(output)["duplicates"], wanted);
		},
	};
}

/** The products with the best margin, of a CSV with quoted names. */
export function bestMargins(draw: Draw): Job {
	const products = Array.from({ length: 80 }, (_, at) => ({
		name: `Lamp "Model ${at}", ${draw.pick(["small", "large"])}`,
		price: draw.int(2_000, 9_000),
		cost: draw.int(500, 1_900),
		sold: draw.int(1, 400),
	}));
	return {
		name: "the five products with the largest margin",
		goal: "Which five products brought the largest margin, which is price less cost times the number sold",
		builtIn: ["compute"],
		outputSchema: objectSchema({ best: listOf(objectSchema({ name: STRING, margin: NUMBER })) }),
		tools: [
			{
				name: "export_products",
				description: "Products as CSV.",
				properties: {},
				more: { effects: "read" },
				run: () =>
					[
						"name,price,cost,sold",
						...products.map(
							({ name, price, cost, sold }) => `"${name.replaceAll('"', '""')}",${euros(price)},${euros(cost)},${sold}`,
						),
					].join("\r\n"),
			},
		],
		*script(): JobScript {
			yield [call("export_products")];
			const [text] = yield [
				compute("p | select(name, (price - cost) * sold as margin) | sort(margin desc, name) | limit(5)", [
					{ name: "p", call: "export_products" },
				]),
			];
			return { json: { best: resultIn(text) } };
		},
		check(output) {
			const wanted = products
				.map(({ name, price, cost, sold }) => ({ name, margin: ((price - cost) * sold) / 100 }))
				.sort((a, b) => b.margin - a.margin || (a.name < b.name ? -1 : 1))
				.slice(0, 5);
			return differs(parseOutput(output)["best"], wanted);
		},
	};
}

/** 1,500 lines of an access log: slow and failing paths. */
export function analyseLog(draw: Draw): Job {
	const paths = ["/login", "/cart", "/search", "/pay"];
	const lines = Array.from({ length: 1_500 }, () => ({
		path: draw.pick(paths),
		status: draw.next() < 0.08 ? 500 : 200,
		ms: draw.int(5, 900),
	}));
	return {
		name: "median times and error counts of a log of 1,500 lines",
		goal: "Give the median time and the number of errors (status 500) of each path in the access log",
		builtIn: ["compute"],
		outputSchema: objectSchema({ paths: listOf(objectSchema({ path: STRING, median: NUMBER, errors: INTEGER })) }),
		tools: [
			{
				name: "read_log",
				description: "The access log, a JSON object a line.",
				properties: {},
				more: { effects: "read", untrusted: true },
				run: () => lines.map((line) => JSON.stringify(line)).join("\n"),
			},
		],
		*script(): JobScript {
			yield [call("read_log")];
			const [text] = yield [
				compute("log | group(path, median(ms) as median, count(status = 500) as errors) | sort(path)", [
					{ name: "log", call: "read_log" },
				]),
			];
			return { json: { paths: resultIn(text) } };
		},
		check(output) {
			const wanted = [...paths].sort().map((path) => {
				const own = lines.filter((line) => line.path === path);
				const times = own.map(({ ms }) => ms).sort((a, b) => a - b);
				const middle =
					((times[Math.floor((times.length - 1) / 2)] ?? 0) + (times[Math.floor(times.length / 2)] ?? 0)) / 2;
				return { path, median: middle, errors: own.filter(({ status }) => status === 500).length };
			});
			return differs(parseOutput(output)["paths"], wanted);
		},
	};
}

/** A list that comes by pages, each with the cursor of the next. */
export function followPages(draw: Draw): Job {
	const items = Array.from({ length: 130 }, (_, id) => ({ id, qty: draw.int(1, 50), open: draw.next() < 0.3 }));
	const pageOf = (from: number) => items.slice(from, from + 20);
	return {
		name: "follow a cursor through seven pages",
		goal: "Follow the cursor through all pages of items, and give the number of items and the quantity of the open ones",
		builtIn: ["compute"],
		outputSchema: objectSchema({ items: INTEGER, open_quantity: INTEGER }),
		tools: [
			{
				name: "list_items",
				description: "A page of items, and the cursor of the next; the first cursor is empty.",
				properties: { cursor: STRING },
				more: { effects: "read" },
				run({ cursor }) {
					const from = cursor === "" ? 0 : Number(cursor);
					const next = from + 20 < items.length ? String(from + 20) : null;
					return { items: pageOf(from), next };
				},
			},
		],
		*script(): JobScript {
			const tables: Json[] = [];
			for (let cursor: string | null = ""; cursor !== null; ) {
				const [text = "{}"]: string[] = yield [call("list_items", { cursor })];
				tables.push({ name: `p${tables.length + 1}`, call: `list_items#${tables.length + 1}` });
				cursor = (JSON.parse(text) as { next: string | null }).next;
			}
			const all = tables.map(({ name }, at) => (at === 0 ? name : `append(${name})`)).join(" | ");
			const [text] = yield [
				compute(`let all = ${all}; {items: count(all), open_quantity: all | filter(open) | sum(qty)}`, tables),
			];
			return { json: resultIn(text) };
		},
		check(output) {
			const open_quantity = items.filter(({ open }) => open).reduce((sum, { qty }) => sum + qty, 0);
			return differs(parseOutput(output), { items: items.length, open_quantity });
		},
	};
}

import { describe, expect, it } from "vitest";
import { chooseRows, pageRows, type RowChoice } from "../../../src/console/row-choice.ts";

interface Row {
	name: string;
	tag: string | null;
	cost: number;
}

const ROWS: readonly Row[] = [
	{ name: "Checkout agent", tag: "prod", cost: 3 },
	{ name: "docs", tag: null, cost: 9 },
	{ name: "checkout tests", tag: "ci", cost: 1 },
];

const CHOICE: RowChoice<Row> = {
	searched: ({ name, tag }) => [name, tag],
	filters: { tag: ({ tag }, value) => tag === value, dear: ({ cost }, value) => value === "yes" && cost > 2 },
	orders: { cost: (a, b) => b.cost - a.cost, name: (a, b) => a.name.localeCompare(b.name, "en") },
};

const names = (query: string) => chooseRows(ROWS, new URLSearchParams(query), CHOICE).map(({ name }) => name);

describe("rows", () => {
	it.each([
		["", ["docs", "Checkout agent", "checkout tests"]],
		["order=name", ["Checkout agent", "checkout tests", "docs"]],
		["order=nobodys", ["docs", "Checkout agent", "checkout tests"]],
		["order=constructor", ["docs", "Checkout agent", "checkout tests"]],
		["q=CHECKOUT", ["Checkout agent", "checkout tests"]],
		["q=checkout+ci", ["checkout tests"]],
		["q=%20", ["docs", "Checkout agent", "checkout tests"]],
		["q=agent+moon", []],
		["tag=prod", ["Checkout agent"]],
		["tag=&dear=yes", ["docs", "Checkout agent"]],
		["tag=prod&q=docs", []],
	])("of %j", (query, expected) => {
		expect(names(query)).toEqual(expected);
	});

	it("are not reordered where they came from", () => {
		names("order=name");
		expect(ROWS.map(({ cost }) => cost)).toEqual([3, 9, 1]);
	});
});

describe("a page of rows", () => {
	const page = (query: string, size = 2) => pageRows([1, 2, 3, 4, 5], new URLSearchParams(query), size);
	it.each([
		["", { rows: [1, 2], page: 1, pages: 3 }],
		["page=3", { rows: [5], page: 3, pages: 3 }],
		["page=9", { rows: [5], page: 3, pages: 3 }],
		["page=0", { rows: [1, 2], page: 1, pages: 3 }],
		["page=1.5", { rows: [1, 2], page: 1, pages: 3 }],
		["page=moon", { rows: [1, 2], page: 1, pages: 3 }],
	])("for %j", (query, expected) => {
		expect(page(query)).toEqual(expected);
	});

	it("of nothing is one, and empty", () => {
		expect(pageRows([], new URLSearchParams(), 2)).toEqual({ rows: [], page: 1, pages: 1 });
	});
});

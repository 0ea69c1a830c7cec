// Narrows, orders and pages rows that are all known: lists that the API answers whole. Pure.

/** Orders by the name that the page's address says. */
export type RowOrders<Row> = Readonly<Record<string, (a: Row, b: Row) => number>>;

export interface RowChoice<Row> {
	/** What a search is compared with. */
	searched(row: Row): readonly (string | null)[];
	/** Filters by name: whether a row has the value. */
	filters: Readonly<Record<string, (row: Row, value: string) => boolean>>;
	/** The first is the one without a word in the address. */
	orders: RowOrders<Row>;
}

/** Rows that fit the address, in its order. Several words of a search must all be found. */
export function chooseRows<Row>(rows: readonly Row[], query: URLSearchParams, choice: RowChoice<Row>): Row[] {
	const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const isFound = (row: Row) => {
		const text = choice.searched(row).filter(Boolean).join("\n").toLowerCase();
		return words.every((word) => text.includes(word));
	};
	const wanted = Object.entries(choice.filters).flatMap(([name, has]) => {
		const value = query.get(name);
		return value ? [(row: Row) => has(row, value)] : [];
	});
	const orders = new Map(Object.entries(choice.orders));
	const order = orders.get(query.get("order") ?? "") ?? orders.values().next().value;
	const chosen = rows.filter((row) => isFound(row) && wanted.every((has) => has(row)));
	return order ? chosen.sort(order) : chosen;
}

export interface RowPage<Row> {
	rows: Row[];
	/** From 1. */
	page: number;
	pages: number;
}

/** A page of rows; the last one where the address names one behind it. */
export function pageRows<Row>(rows: readonly Row[], query: URLSearchParams, size: number): RowPage<Row> {
	const pages = Math.max(1, Math.ceil(rows.length / size));
	const asked = Number(query.get("page") ?? "1");
	const page = Number.isInteger(asked) ? Math.min(Math.max(1, asked), pages) : 1;
	return { rows: rows.slice((page - 1) * size, page * size), page, pages };
}

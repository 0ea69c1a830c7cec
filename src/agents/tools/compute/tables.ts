// What the tool compute makes of whole tables: joined, grouped, sorted, compared. Keys are worked out once for each row and looked up,
// so that none takes longer than n log n. What stands in the rows by an expression is stages.ts's. Pure.
import { ComputeProblem } from "./problem.ts";
import { compareForSort, isList, isRecordValue, type Row, rowKey, type Table, type Value, valueKey } from "./value.ts";

/** Rows of any table. */
export const MAX_ROWS = 20_000;
const MAX_COLUMNS = 200;

/** Refuses a table that is too large, before it is made. */
export function checkSize(columns: number, rows: number): void {
	if (rows > MAX_ROWS) throw new ComputeProblem(`a table gets more than ${MAX_ROWS} rows; filter or group first`);
	if (columns > MAX_COLUMNS) throw new ComputeProblem(`a table gets more than ${MAX_COLUMNS} columns`);
}

/** Refuses a table that is too large. */
export function checkedTable(columns: readonly string[], rows: readonly Row[]): Table {
	checkSize(columns.length, rows.length);
	return { columns, rows };
}

/** The name, or where it is taken the name with a number. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
	let free = name;
	for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
	return free;
}

/** Puts what belongs together under one key, in the order of the first. */
export function groupBy<T>(items: readonly T[], keyFor: (item: T, place: number) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const [place, item] of items.entries()) {
		const key = keyFor(item, place);
		const group = groups.get(key);
		if (group) group.push(item);
		else groups.set(key, [item]);
	}
	return groups;
}

/** Rows sorted by their keys; equal ones stay in their order. */
export function sortRows(table: Table, keys: readonly Row[], descending: readonly boolean[]): Table {
	const places = table.rows.map((_, place) => place);
	places.sort((a, b) => {
		for (const [at, isDescending] of descending.entries()) {
			const order = compareForSort(keys[a]?.[at] ?? null, keys[b]?.[at] ?? null);
			if (order !== 0) return isDescending ? -order : order;
		}
		return a - b;
	});
	return { columns: table.columns, rows: places.map((place) => table.rows[place] ?? []) };
}

/** The first row of each key. */
export function distinctRows({ columns, rows }: Table, keys: readonly Row[]): Table {
	const seen = new Set<string>();
	const isFirst = (place: number) => {
		const key = rowKey(keys[place] ?? []);
		if (seen.has(key)) return false;
		seen.add(key);
		return true;
	};
	return { columns, rows: rows.filter((_, place) => isFirst(place)) };
}

/** Two tables, and the keys of their rows. */
interface KeyedPair {
	left: Table;
	right: Table;
	leftKeys: readonly Row[];
	rightKeys: readonly Row[];
}

/** Rows without a key meet none. */
const hasKey = (key: Row) => key.every((value) => value !== null);

interface JoinRules {
	/** The tables whose rows stay, with null, where the other has none of their key. */
	keeps: { left: boolean; right: boolean };
	/** Columns of the other table that are keys, and stand in the result already. */
	dropped: ReadonlySet<string>;
	/** Where the key's parts stand in a row of the result; -1 for what is no column. */
	keyPlaces: readonly number[];
}

/** The cells of a table that has no row of a key: the key's own where it is columns, else null. */
function ownKey({ columns }: Table, key: Row, keyPlaces: readonly number[]): Value[] {
	return columns.map((_, column) => {
		const part = keyPlaces.indexOf(column);
		return part < 0 ? null : (key[part] ?? null);
	});
}

/** Each row with the rows of the other table that have its key. */
export function joinTables(
	{ left, right, leftKeys, rightKeys }: KeyedPair,
	{ keeps, dropped, keyPlaces }: JoinRules,
): Table {
	const kept = right.columns.flatMap((column, place) => (dropped.has(column) ? [] : [place]));
	const taken = new Set(left.columns);
	const added = kept.map((place) => {
		const name = freeName(right.columns[place] ?? "", taken);
		taken.add(name);
		return name;
	});
	const byKey = groupBy([...right.rows.keys()], (place) => rowKey(rightKeys[place] ?? []));
	const otherCells = (place: number) => kept.map((column) => right.rows[place]?.[column] ?? null);
	const rows: Row[] = [];
	const met = new Set<number>();
	for (const [place, row] of left.rows.entries()) {
		const key = leftKeys[place] ?? [];
		const partners = hasKey(key) ? (byKey.get(rowKey(key)) ?? []) : [];
		if (rows.length + partners.length > MAX_ROWS)
			throw new ComputeProblem(`the join has more than ${MAX_ROWS} rows; its keys stand in many rows of both tables`);
		for (const partner of partners) {
			met.add(partner);
			rows.push([...row, ...otherCells(partner)]);
		}
		if (partners.length === 0 && keeps.left) rows.push([...row, ...kept.map(() => null)]);
	}
	if (keeps.right) {
		const unmet = [...right.rows.keys()].filter((place) => !met.has(place));
		rows.push(...unmet.map((place) => [...ownKey(left, rightKeys[place] ?? [], keyPlaces), ...otherCells(place)]));
	}
	return checkedTable([...left.columns, ...added], rows);
}

/** The rows whose key the other table has, or has not. */
export function selectByKey({ left, leftKeys, rightKeys }: KeyedPair, isWanted: boolean): Table {
	const known = new Set(rightKeys.filter(hasKey).map(rowKey));
	return {
		columns: left.columns,
		rows: left.rows.filter((_, place) => known.has(rowKey(leftKeys[place] ?? [])) === isWanted),
	};
}

/**
 * The differences of two tables: a row for each that only one has, and for each value that differs. Where a key stands in several
 * rows, the first of one table meets the first of the other.
 * @param keyNames of the key's columns in the result.
 * @param compared places of the columns in both tables.
 */
export function reconcileTables(
	{ left, right, leftKeys, rightKeys }: KeyedPair,
	keyNames: readonly string[],
	compared: readonly { name: string; left: number; right: number }[],
): Table {
	const taken = new Set(["difference", "column", "left", "right"]);
	const columns = [...keyNames.map((name) => freeName(name, taken)), "difference", "column", "left", "right"];
	const waiting = groupBy(
		right.rows.map((row, place) => ({ row, key: rightKeys[place] ?? [], place })),
		({ key }) => rowKey(key),
	);
	const rows: Row[] = [];
	const met = new Set<number>();
	const next = new Map<string, number>();
	for (const [place, row] of left.rows.entries()) {
		const key = leftKeys[place] ?? [];
		const text = rowKey(key);
		const turn = next.get(text) ?? 0;
		next.set(text, turn + 1);
		const partner = waiting.get(text)?.[turn];
		if (!partner) {
			rows.push([...key, "only_left", null, null, null]);
			continue;
		}
		met.add(partner.place);
		for (const { name, left: own, right: other } of compared) {
			const [before, after] = [row[own] ?? null, partner.row[other] ?? null];
			if (valueKey(before) !== valueKey(after)) rows.push([...key, "changed", name, before, after]);
		}
	}
	for (const place of right.rows.keys())
		if (!met.has(place)) rows.push([...(rightKeys[place] ?? []), "only_right", null, null, null]);
	return checkedTable(columns, rows);
}

/** The rows of one table, then those of the other. A column that one has not is null there. */
export function appendTable(first: Table, second: Table): Table {
	const columns = [...new Set([...first.columns, ...second.columns])];
	checkSize(columns.length, first.rows.length + second.rows.length);
	const widen = ({ columns: own, rows }: Table): Row[] => {
		const places = columns.map((column) => own.indexOf(column));
		return rows.map((row) => places.map((place) => row[place] ?? null));
	};
	return checkedTable(columns, [...widen(first), ...widen(second)]);
}

/** A table of records: their members are the columns, in the order in which they first stand. */
export function tableFromRecords(records: readonly ReadonlyMap<string, Value>[]): Table {
	const columns = new Set<string>();
	for (const record of records) for (const name of record.keys()) columns.add(name);
	const names = [...columns];
	checkSize(names.length, records.length);
	return { columns: names, rows: records.map((record) => names.map((name) => record.get(name) ?? null)) };
}

/** Each item of a list in a column becomes a row, with the members of a record as columns; the other columns stand in each. */
export function flattenColumn({ columns, rows }: Table, place: number): Table {
	const name = columns[place] ?? "";
	const others = [...columns.entries()].filter(([at]) => at !== place);
	const taken = new Set(others.map(([, column]) => column));
	const renamed = new Map<string, string>();
	const nameFor = (member: string) => {
		const known = renamed.get(member);
		if (known !== undefined) return known;
		const free = freeName(taken.has(member) ? `${name}_${member}` : member, taken);
		renamed.set(member, free);
		taken.add(free);
		return free;
	};
	const records: Map<string, Value>[] = [];
	for (const row of rows) {
		const cell = row[place] ?? null;
		const items = isList(cell) ? cell.items : cell === null ? [] : [cell];
		if (records.length + items.length > MAX_ROWS)
			throw new ComputeProblem(`a table gets more than ${MAX_ROWS} rows; filter first`);
		for (const item of items) {
			const record = new Map<string, Value>(others.map(([at, column]) => [column, row[at] ?? null]));
			if (isRecordValue(item)) for (const [member, value] of item.members) record.set(nameFor(member), value);
			else record.set(nameFor(name), item);
			records.push(record);
		}
	}
	return tableFromRecords(records);
}

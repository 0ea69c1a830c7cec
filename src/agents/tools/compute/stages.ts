// Functions of the tool compute on tables, with expressions that are worked out for each row: filter, select, group, join and others.
// tables.ts has what they do to whole tables. Pure.
import { holdsAggregate, type Notes, noteSigns } from "./aggregates.ts";
import { hasOtherSign } from "./decimal-signs.ts";
import { toWholeArgument } from "./functions.ts";
import { type CallArgument, holdsPart, type Node } from "./parse.ts";
import { ComputeProblem, unknownColumn } from "./problem.ts";
import { columnPlaces, type NameScope, OUTSIDE } from "./scope.ts";
import {
	appendTable,
	checkedTable,
	distinctRows,
	flattenColumn,
	freeName,
	groupBy,
	joinTables,
	MAX_ROWS,
	reconcileTables,
	selectByKey,
	sortRows,
} from "./tables.ts";
import { isNested, isTable, type Row, rowKey, type Table, toNumber, type Value, valueKey } from "./value.ts";

/** Works out expressions. */
interface Evaluator extends Notes {
	evaluate(node: Node, scope: NameScope): Value;
	charge(steps: number): void;
	/** Notes that one of two values that are compared is a number, and the other one by another decimal sign. */
	noteMeeting(first: Value, second: Value): void;
}

interface Stage {
	/** As it is called, for errors. */
	form: string;
	/** @param args behind the table. */
	apply(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table;
}

/** Values of expressions for each row. */
function evaluateRows(evaluator: Evaluator, table: Table, nodes: readonly Node[]): Value[][] {
	const columns = columnPlaces(table);
	return table.rows.map((row) => nodes.map((node) => evaluator.evaluate(node, { columns, row, group: null })));
}

/** So often a sort compares each key. */
const SORT_TIMES = 16;
/** Characters of lists and records that count as a step. */
const KEY_CHARS_PER_STEP = 16;

/** Lists and records that rows are told apart by count as they are long. */
function chargeNested(evaluator: Evaluator, rows: readonly Row[], times = 1): void {
	for (const row of rows)
		for (const value of row)
			if (isNested(value)) evaluator.charge(Math.ceil((times * valueKey(value).length) / KEY_CHARS_PER_STEP));
}

/** Values that rows are told apart by. */
function evaluateKeys(evaluator: Evaluator, table: Table, nodes: readonly Node[], times = 1): Value[][] {
	const keys = evaluateRows(evaluator, table, nodes);
	chargeNested(evaluator, keys, times);
	return keys;
}

/** A column with its name. */
interface Named {
	name: string;
	node: Node;
}

/** `name = expression` names a column. Where one of that name stands already, only an expression of that column is surely no comparison. */
function splitNaming(
	{ node, as, isAssigned }: CallArgument,
	columns: ReadonlySet<string>,
): { node: Node; as: string | null } {
	const isOfItself = () => holdsPart(node, (part) => part.kind === "name" && part.name === as);
	if (isAssigned && as !== null && columns.has(as) && !isOfItself())
		throw new ComputeProblem(
			`${as} = … may name a column or compare with the one that is there; write ${as}: … to replace it, or (${as} = …) as another name to compare`,
			node.at,
		);
	return { node: toColumn(node, as, columns), as };
}

/** A text that is the name of a column stands for it, where a text of its own would be of no use. */
function toColumn(node: Node, as: string | null, columns: ReadonlySet<string>): Node {
	const isName = as === null && node.kind === "literal" && typeof node.value === "string" && columns.has(node.value);
	return isName ? { kind: "name", at: node.at, name: String(node.value) } : node;
}

function nameOf(node: Node, place: number): string {
	if (node.kind === "name" || node.kind === "member") return node.name;
	if (node.kind !== "call") return `column_${place + 1}`;
	const inner = node.args.find((argument) => argument.node.kind === "name")?.node;
	return inner?.kind === "name" ? `${node.name}_${inner.name}` : node.name;
}

/** The arguments as columns. Two of one name are told apart by a number. */
function toNamed(args: readonly CallArgument[], { columns }: Table): Named[] {
	const own = new Set(columns);
	const taken = new Set<string>();
	return args.map((argument, place) => {
		const { node, as } = splitNaming(argument, own);
		const name = freeName(as ?? nameOf(node, place), taken);
		taken.add(name);
		return { name, node };
	});
}

function need(args: readonly CallArgument[], least: number, form: string): void {
	if (args.length < least) throw new ComputeProblem(`it is called as ${form}`);
}

function filterRows(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	need(args, 1, FORMS.filter);
	const columns = columnPlaces(table);
	const passes = (row: Row) =>
		args.every(({ node }) => {
			const value = evaluator.evaluate(node, { columns, row, group: null });
			if (value === true) return true;
			if (value === false || value === null) return false;
			throw new ComputeProblem("the condition is neither true nor false; compare it with something", node.at);
		});
	return { columns: table.columns, rows: table.rows.filter(passes) };
}

function selectColumns(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	need(args, 1, FORMS.select);
	const named = toNamed(args, table);
	if (named.some(({ node }) => holdsAggregate(node))) return groupRows(evaluator, table, args);
	const rows = evaluateRows(
		evaluator,
		table,
		named.map(({ node }) => node),
	);
	return checkedTable(
		named.map(({ name }) => name),
		rows,
	);
}

/** A column of a name that the table has takes its place. */
function addColumns(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	need(args, 1, FORMS.add);
	return args.reduce((current, argument, place) => {
		const { node, as } = splitNaming(argument, new Set(current.columns));
		const name = as ?? nameOf(node, place);
		const values = evaluateRows(evaluator, current, [node]);
		const at = current.columns.indexOf(name);
		const columns = at < 0 ? [...current.columns, name] : current.columns;
		const to = at < 0 ? current.columns.length : at;
		return checkedTable(
			columns,
			current.rows.map((row, index) => row.toSpliced(to, 1, values[index]?.[0] ?? null)),
		);
	}, table);
}

function groupRows(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	need(args, 1, FORMS.group);
	const named = toNamed(args, table);
	const keys = named.filter(({ node }) => !holdsAggregate(node));
	const columns = columnPlaces(table);
	const values = evaluateKeys(
		evaluator,
		table,
		keys.map(({ node }) => node),
	);
	const places = table.rows.map((_, place) => place);
	// Without a key, all rows are one group, even where there is none.
	const groups = keys.length === 0 ? [places] : [...groupBy(places, (place) => rowKey(values[place] ?? [])).values()];
	const rows = groups.map((members) => {
		const group = members.map((place) => table.rows[place] ?? []);
		const key = values[members[0] ?? 0] ?? [];
		return named.map(({ node }) => {
			const at = keys.findIndex((candidate) => candidate.node === node);
			return at < 0 ? evaluator.evaluate(node, { columns, row: null, group }) : (key[at] ?? null);
		});
	});
	return checkedTable(
		named.map(({ name }) => name),
		rows,
	);
}

/** `"total desc"` is a column with its direction. */
function splitDirection(argument: CallArgument, columns: ReadonlySet<string>): CallArgument {
	const { node } = argument;
	if (node.kind !== "literal" || typeof node.value !== "string") return argument;
	const [, name = "", direction] = /^(.{1,200}) (asc|desc)$/i.exec(node.value) ?? [];
	if (!columns.has(name)) return argument;
	const column: Node = { kind: "name", at: node.at, name };
	return { node: column, as: null, isDescending: direction?.toLowerCase() === "desc" };
}

function sortTable(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	// A direction may be written as a text behind its expression.
	const isDirection = ({ node }: CallArgument) =>
		node.kind === "literal" && (node.value === "desc" || node.value === "asc");
	const own = new Set(table.columns);
	const keys = args.filter((argument) => !isDirection(argument)).map((argument) => splitDirection(argument, own));
	need(keys, 1, FORMS.sort);
	const nodes = keys.map(({ node }) => toColumn(node, null, own));
	const constant = nodes.find(({ kind }) => kind === "literal");
	if (constant) throw new ComputeProblem("a sort is by a column or an expression of it", constant.at);
	const descending = keys.map((key) => {
		const next = args[args.findIndex(({ node }) => node === key.node) + 1];
		return key.isDescending || (next?.node.kind === "literal" && next.node.value === "desc");
	});
	const values = evaluateKeys(evaluator, table, nodes, SORT_TIMES);
	evaluator.charge(table.rows.length * 8);
	for (const place of nodes.keys()) noteSigns(columnOf(values, place), evaluator);
	return sortRows(table, values, descending);
}

function distinctTable(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	const selected = args.length === 0 ? table : selectColumns(evaluator, table, args);
	chargeNested(evaluator, selected.rows);
	return distinctRows(selected, selected.rows);
}

const columnOf = (rows: readonly Row[], place: number) => rows.map((row) => row[place] ?? null);

/** Notes that keys of one table are numbers, and those of the other are texts by another decimal sign, which meet none. */
function noteKeySigns(evaluator: Evaluator, first: readonly Row[], second: readonly Row[], count: number): void {
	for (const place of Array(count).keys()) {
		const [own, other] = [columnOf(first, place), columnOf(second, place)];
		if (own.some((value) => toNumber(value) !== null)) noteSigns(other.filter(hasOtherSign), evaluator);
		if (other.some((value) => toNumber(value) !== null)) noteSigns(own.filter(hasOtherSign), evaluator);
	}
}

/** The other table, and the keys of both. `a = b` is a key of two names; `id` one that both have. */
function readPair(evaluator: Evaluator, left: Table, [other, ...keys]: readonly CallArgument[], form: string) {
	const right = other && evaluator.evaluate(other.node, OUTSIDE);
	if (!isTable(right) || keys.length === 0) throw new ComputeProblem(`it is called as ${form}`);
	const pairs = keys.map(({ node }) => {
		const isPair = node.kind === "binary" && node.operator === "=";
		return isPair ? { left: node.left, right: node.right } : { left: node, right: node };
	});
	const own = (node: Node) =>
		node.kind === "member" && node.of.kind === "name" ? { ...node, kind: "name" as const } : node;
	const [leftColumns, rightColumns] = [new Set(left.columns), new Set(right.columns)];
	const leftNodes = pairs.map((pair) => toColumn(own(pair.left), null, leftColumns));
	const rightNodes = pairs.map((pair) => toColumn(own(pair.right), null, rightColumns));
	const leftKeys = evaluateKeys(evaluator, left, leftNodes);
	const rightKeys = evaluateKeys(evaluator, right, rightNodes);
	noteKeySigns(evaluator, leftKeys, rightKeys, pairs.length);
	return { left, right, leftNodes, rightNodes, leftKeys, rightKeys };
}

/** Names of columns that are keys as they stand. */
const columnNames = (nodes: readonly Node[]) =>
	new Set(nodes.flatMap((node) => (node.kind === "name" ? [node.name] : [])));

const join =
	(form: string, keeps: { left: boolean; right: boolean }): Stage["apply"] =>
	(evaluator, table, args) => {
		const pair = readPair(evaluator, table, args, form);
		const keyPlaces = pair.leftNodes.map((node) => (node.kind === "name" ? table.columns.indexOf(node.name) : -1));
		return joinTables(pair, { keeps, dropped: columnNames(pair.rightNodes), keyPlaces });
	};

function reconcile(evaluator: Evaluator, table: Table, args: readonly CallArgument[]): Table {
	const pair = readPair(evaluator, table, args, FORMS.reconcile);
	const { left, right, leftNodes, rightNodes } = pair;
	const keys = new Set([...columnNames(leftNodes), ...columnNames(rightNodes)]);
	const compared = left.columns.flatMap((name, place) => {
		const other = right.columns.indexOf(name);
		return other < 0 || keys.has(name) ? [] : [{ name, left: place, right: other }];
	});
	chargeNested(evaluator, left.rows);
	chargeNested(evaluator, right.rows);
	const differences = reconcileTables(pair, leftNodes.map(nameOf), compared);
	for (const row of differences.rows) {
		const [before = null, after = null] = row.slice(-2);
		evaluator.noteMeeting(before, after);
	}
	return differences;
}

function slice(form: string, cut: (rows: readonly Row[], count: number) => readonly Row[]): Stage["apply"] {
	return (evaluator, { columns, rows }, args) => {
		const [count] = args;
		if (!count) throw new ComputeProblem(`it is called as ${form}`);
		return { columns, rows: cut(rows, toWholeArgument(evaluator.evaluate(count.node, OUTSIDE), [0, MAX_ROWS])) };
	};
}

function append(evaluator: Evaluator, table: Table, [other]: readonly CallArgument[]): Table {
	const second = other && evaluator.evaluate(other.node, OUTSIDE);
	if (!isTable(second)) throw new ComputeProblem(`it is called as ${FORMS.append}`);
	return appendTable(table, second);
}

function flatten(_: Evaluator, table: Table, [column]: readonly CallArgument[]): Table {
	const node = column && toColumn(column.node, null, new Set(table.columns));
	const name = node?.kind === "name" ? node.name : null;
	if (name === null) throw new ComputeProblem(`it is called as ${FORMS.flatten}`);
	const place = table.columns.indexOf(name);
	if (place < 0) throw new ComputeProblem(unknownColumn(name, table.columns));
	return flattenColumn(table, place);
}

const FORMS = {
	filter: "table | filter(condition)",
	select: "table | select(column, expression as name)",
	add: "table | add(expression as name)",
	group: "table | group(key, sum(column) as name)",
	sort: "table | sort(column desc)",
	distinct: "table | distinct(column)",
	join: "table | join(other, key), or join(other, own_key = other_key)",
	left_join: "table | left_join(other, key)",
	full_join: "table | full_join(other, key)",
	matching: "table | matching(other, key)",
	without: "table | without(other, key)",
	reconcile: "table | reconcile(other, key)",
	append: "table | append(other)",
	flatten: "table | flatten(column)",
	limit: "table | limit(rows)",
	skip: "table | skip(rows)",
};

const APPLIED: Readonly<Record<keyof typeof FORMS, Stage["apply"]>> = {
	filter: filterRows,
	select: selectColumns,
	add: addColumns,
	group: groupRows,
	sort: sortTable,
	distinct: distinctTable,
	join: join(FORMS.join, { left: false, right: false }),
	left_join: join(FORMS.left_join, { left: true, right: false }),
	full_join: join(FORMS.full_join, { left: true, right: true }),
	matching: (evaluator, table, args) => selectByKey(readPair(evaluator, table, args, FORMS.matching), true),
	without: (evaluator, table, args) => selectByKey(readPair(evaluator, table, args, FORMS.without), false),
	reconcile,
	append,
	flatten,
	limit: slice(FORMS.limit, (rows, count) => rows.slice(0, count)),
	skip: slice(FORMS.skip, (rows, count) => rows.slice(count)),
};

export const STAGES: ReadonlyMap<string, Stage> = new Map(
	Object.entries(APPLIED).map(([name, apply]) => [name, { apply, form: FORMS[name as keyof typeof FORMS] }]),
);

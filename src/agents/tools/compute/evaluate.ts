// Works out an expression of the tool compute, step by step within a bound. Names are columns of the row at hand, then tables and what
// `let` named. Functions on tables are stages.ts's. Pure, and deterministic.
import { renderSuggestion } from "../../../suggest.ts";
import { AGGREGATES } from "./aggregates.ts";
import { DATE_FUNCTIONS } from "./date-functions.ts";
import {
	addDecimals,
	compareDecimals,
	type Decimal,
	DecimalError,
	decimalFrom,
	decimalRemainder,
	divideDecimals,
	multiplyDecimals,
	negateDecimal,
	raiseDecimal,
	subtractDecimals,
} from "./decimal.ts";
import { DecimalSigns, meetsNumber } from "./decimal-signs.ts";
import {
	checkedText,
	type ScalarFunction,
	toDecimalArgument,
	toTextArgument,
	toWholeArgument,
	VALUE_FUNCTIONS,
} from "./functions.ts";
import { OTHER_WAYS } from "./names.ts";
import { type BinaryOperator, type CallArgument, type ChainLink, holdsPart, type Node, type Program } from "./parse.ts";
import { ComputeProblem, unknownColumn } from "./problem.ts";
import { groupScope, type NameScope, OUTSIDE } from "./scope.ts";
import { STAGES } from "./stages.ts";
import {
	compareTexts,
	describeValue,
	isList,
	isNested,
	isRecordValue,
	isTable,
	type List,
	type Table,
	toNumber,
	type Value,
	valueKey,
} from "./value.ts";

/** Parts of expressions that are worked out; long texts count more. */
const MAX_COMPUTE_STEPS = 2_000_000;
/** A text counts as one more step for each so many characters. */
const CHARS_PER_STEP = 16;
/** A table that is made counts as one more step for each so many cells. */
const CELLS_PER_STEP = 4;
const MAX_POWER = 1_000;
/** What a power counts as. */
const POWER_STEPS = 20;
const MAX_NOTES = 5;
/** Ways that an error shows. */
const MAX_FORMS = 3;

const SCALARS: ReadonlyMap<string, ScalarFunction> = new Map(Object.entries({ ...VALUE_FUNCTIONS, ...DATE_FUNCTIONS }));

const ARITHMETIC: Partial<Readonly<Record<BinaryOperator, (a: Decimal, b: Decimal) => Decimal>>> = {
	"+": addDecimals,
	"-": subtractDecimals,
	"*": multiplyDecimals,
	"/": divideDecimals,
	"%": decimalRemainder,
};

const ORDERS: Partial<Readonly<Record<BinaryOperator, (order: number) => boolean>>> = {
	"<": (order) => order < 0,
	"<=": (order) => order <= 0,
	">": (order) => order > 0,
	">=": (order) => order >= 0,
};

/** Names of functions that tell the present in other languages. */
const PRESENT = /^(?:today|now|current_(?:date|time|timestamp)|sysdate)$/;

function toTruth(value: Value): boolean {
	if (typeof value === "boolean") return value;
	if (value === null) return false;
	throw new ComputeProblem(`${describeValue(value)} is neither true nor false; compare it with something`);
}

/** Names known in the place, for suggestions. */
const knownFunctions = () => [...SCALARS.keys(), ...STAGES.keys(), ...AGGREGATES.keys(), "if"];

/** What is written instead of an unknown function. */
function otherWay(name: string): string {
	const way = OTHER_WAYS.get(name);
	return way === undefined ? renderSuggestion(name, knownFunctions()) : `; write ${way}`;
}

export class Calculation {
	#names: Map<string, Value>;
	#steps = 0;
	#notes: string[] = [];
	#tables: ReadonlyMap<string, Table>;
	/** Of the tables that the expression names. */
	#signs: DecimalSigns;
	/** Figures of whole tables, by the arguments of their calls: they are the same for each row. */
	#wholes = new Map<readonly CallArgument[], Value>();

	/** @param tables by name. */
	constructor(tables: ReadonlyMap<string, Table>) {
		this.#names = new Map(tables);
		this.#tables = tables;
		this.#signs = new DecimalSigns(tables);
	}

	/** Remarks that belong to the result, such as how many rows a sum left out. */
	get notes(): readonly string[] {
		return this.#notes;
	}

	note(text: string): void {
		if (this.#notes.length < MAX_NOTES && !this.#notes.includes(text)) this.#notes.push(text);
	}

	signRemark(value: Value): string | null {
		return this.#signs.remark(value);
	}

	noteMeeting(first: Value, second: Value): void {
		const text = this.#notes.length < MAX_NOTES ? meetsNumber(first, second) : null;
		const remark = text === null ? null : this.signRemark(text);
		if (remark !== null) this.note(remark);
	}

	run({ lets, result }: Program): Value {
		const nodes = [...lets.map(({ node }) => node), result];
		const isUsed = (name: string) =>
			nodes.some((node) => holdsPart(node, (part) => part.kind === "name" && part.name === name));
		this.#signs = new DecimalSigns(new Map([...this.#tables].filter(([name]) => isUsed(name))));
		for (const { name, node } of lets) this.#names.set(name, this.evaluate(node, OUTSIDE));
		// `total = sum(orders, total)` names its result.
		const isNamed = result.kind === "binary" && result.operator === "=" && result.left.kind === "name";
		const isNew = isNamed && result.left.kind === "name" && !this.#names.has(result.left.name);
		return this.evaluate(isNew && result.kind === "binary" ? result.right : result, OUTSIDE);
	}

	charge(steps: number): void {
		this.#steps += steps;
		if (this.#steps > MAX_COMPUTE_STEPS)
			throw new ComputeProblem(
				`the calculation takes more than ${MAX_COMPUTE_STEPS} steps; filter first, and name with let what is the same for each row`,
			);
	}

	/** Throws ComputeProblem with the place. */
	evaluate(node: Node, scope: NameScope): Value {
		this.charge(1);
		const value = this.#located(node.at, () => this.#evaluateNode(node, scope));
		if (typeof value === "string") this.charge(Math.floor(value.length / CHARS_PER_STEP));
		return value;
	}

	/** Gives a problem its place. */
	#located(at: number, work: () => Value): Value {
		try {
			return work();
		} catch (error) {
			if (error instanceof DecimalError) throw new ComputeProblem(error.message, at);
			if (error instanceof ComputeProblem && error.at === null) throw new ComputeProblem(error.message, at);
			throw error;
		}
	}

	/** The order of two values of one kind. A number and a text are compared as texts where the number is a text, too. */
	#compare(left: Value, right: Value): number {
		const [a, b] = [toNumber(left), toNumber(right)];
		if (a && b) return compareDecimals(a, b);
		const remark = this.#notes.length < MAX_NOTES ? (this.signRemark(left) ?? this.signRemark(right)) : null;
		if (typeof left === "string" && typeof right === "string") {
			if (remark !== null) this.note(remark);
			return compareTexts(left, right);
		}
		throw new ComputeProblem(
			`${describeValue(left)} and ${describeValue(right)} have no order; ${remark ?? "compare two numbers, two texts or two dates"}`,
		);
	}

	/** An empty cell is equal to an empty text. */
	#isEqual(first: Value, second: Value): boolean {
		const isEqual = this.#key(first === "" ? null : first) === this.#key(second === "" ? null : second);
		if (!isEqual) this.noteMeeting(first, second);
		return isEqual;
	}

	/** The key of a value. What nests counts as it is long. */
	#key(value: Value): string {
		const key = valueKey(value);
		if (isNested(value)) this.charge(Math.ceil(key.length / CHARS_PER_STEP));
		return key;
	}

	#evaluateNode(node: Node, scope: NameScope): Value {
		switch (node.kind) {
			case "literal":
				return node.value;
			case "name":
				return this.#lookUp(node.name, scope);
			case "member":
				return this.#member(node, scope);
			case "call":
				return this.#call(node, scope);
			case "not":
				return !toTruth(this.evaluate(node.operand, scope));
			case "minus": {
				const value = this.evaluate(node.operand, scope);
				return value === null ? null : negateDecimal(toDecimalArgument(value));
			}
			case "in":
				return this.#isIn(node, scope);
			case "record":
				return { members: new Map(node.members.map(({ name, node: member }) => [name, this.evaluate(member, scope)])) };
			case "binary":
				return this.#operate(node, this.evaluate(node.left, scope), node.right, scope);
			case "chain":
				return this.#chain(node, scope);
		}
	}

	/** Whether a name is a column of the place. */
	#lookUp(name: string, { columns, row, group }: NameScope): Value {
		const place = columns?.get(name);
		if (place !== undefined) {
			if (row) return row[place] ?? null;
			if (group)
				throw new ComputeProblem(`${name} stands in several rows; take sum(${name}), first(${name}), or group by it`);
		}
		const value = this.#names.get(name);
		if (value !== undefined) return value;
		const known = [...(columns?.keys() ?? []), ...this.#names.keys()];
		const list = known.slice(0, 40).join(", ");
		const what = columns ? "column or table" : "table";
		const suggestion = renderSuggestion(name, known) || (columns ? "; a text stands in quotes" : "");
		throw new ComputeProblem(
			`there is no ${what} ${JSON.stringify(name)}${suggestion}${known.length > 0 ? `; there are ${list}` : "; give it in tables"}`,
		);
	}

	/** `table.column` in a row is the column; else a member of a record. */
	#member(node: Node & { kind: "member" }, scope: NameScope): Value {
		const { of, name } = node;
		const isColumn = of.kind === "name" && !scope.columns?.has(of.name) && scope.columns?.has(name);
		if (isColumn) return this.#lookUp(name, scope);
		const value = this.evaluate(of, scope);
		if (value === null) return null;
		if (isRecordValue(value)) return value.members.get(name) ?? null;
		if (isTable(value)) return this.#column(value, name);
		throw new ComputeProblem(`${describeValue(value)} has no member ${JSON.stringify(name)}`);
	}

	/** The values of a column, as a list. */
	#column(table: Table, name: string): List {
		const place = table.columns.indexOf(name);
		if (place < 0) throw new ComputeProblem(unknownColumn(name, table.columns));
		this.charge(table.rows.length);
		return { items: table.rows.map((row) => row[place] ?? null) };
	}

	#isIn({ operand, items, isNegated }: Node & { kind: "in" }, scope: NameScope): boolean {
		const value = this.evaluate(operand, scope);
		return items.some((item) => this.#isEqual(value, this.evaluate(item, scope))) !== isNegated;
	}

	/** From left to right, without a call for each operator: a sum may have thousands of them. */
	#chain({ first, links }: Node & { kind: "chain" }, scope: NameScope): Value {
		let value = this.evaluate(first, scope);
		for (const link of links) {
			this.charge(1);
			value = this.#located(link.at, () => this.#operate(link, value, link.node, scope));
		}
		return value;
	}

	#operate({ operator }: Pick<ChainLink, "operator">, first: Value, right: Node, scope: NameScope): Value {
		if (operator === "and") return toTruth(first) && toTruth(this.evaluate(right, scope));
		if (operator === "or") return toTruth(first) || toTruth(this.evaluate(right, scope));
		const second = this.evaluate(right, scope);
		if (operator === "=") return this.#isEqual(first, second);
		if (operator === "!=") return !this.#isEqual(first, second);
		if (operator === "&") return checkedText(toTextArgument(first) + toTextArgument(second));
		if (first === null || second === null) return operator in ORDERS ? false : null;
		const passes = ORDERS[operator];
		if (passes) return passes(this.#compare(first, second));
		if (
			operator === "+" &&
			!(toNumber(first) && toNumber(second)) &&
			(typeof first === "string" || typeof second === "string")
		)
			throw new ComputeProblem(
				`${describeValue(first)} + ${describeValue(second)}: + adds numbers; texts are joined with &, dates are moved by add_days`,
			);
		const calculate = ARITHMETIC[operator];
		if (calculate) return calculate(toDecimalArgument(first), toDecimalArgument(second));
		this.charge(POWER_STEPS);
		return raiseDecimal(toDecimalArgument(first), toWholeArgument(second, [-MAX_POWER, MAX_POWER]));
	}

	#call({ name, written, args }: Node & { kind: "call" }, scope: NameScope): Value {
		if (name === "if") return this.#choose(args, scope);
		if (AGGREGATES.has(name)) return this.#aggregate(name, args, scope);
		const stage = STAGES.get(name);
		if (stage) {
			const [first, ...rest] = args;
			const table = first && this.evaluate(first.node, scope);
			if (!isTable(table)) throw new ComputeProblem(`${name} works on a table: ${stage.form}`);
			this.charge(table.rows.length);
			const made = stage.apply(this, table, rest);
			this.charge(Math.floor((made.rows.length * made.columns.length) / CELLS_PER_STEP));
			return made;
		}
		const scalar = SCALARS.get(name);
		if (!scalar)
			throw new ComputeProblem(
				PRESENT.test(name)
					? `there is no ${written}: the present is not known here; write the date, such as "2026-11-28"`
					: `there is no function ${JSON.stringify(written)}${otherWay(name)}`,
			);
		const [least, most] = scalar.counts;
		if (args.length < least || args.length > most)
			throw new ComputeProblem(`${name} is called as ${scalar.form}, not with ${args.length} arguments`);
		const [own = 0, more = 0] = scalar.steps ?? [];
		this.charge(own + (args.length > least ? more : 0));
		const values = args.map(({ node }) => this.evaluate(node, scope));
		if (!scalar.takesNull && values.includes(null)) return null;
		return scalar.apply(values);
	}

	/** `if(condition, value, …, otherwise)`: only what is chosen is worked out. */
	#choose(args: readonly CallArgument[], scope: NameScope): Value {
		if (args.length < 2) throw new ComputeProblem("if is called as if(condition, then, else)");
		for (let place = 0; place + 1 < args.length; place += 2) {
			const [condition, then] = [args[place], args[place + 1]];
			if (condition && then && toTruth(this.evaluate(condition.node, scope))) return this.evaluate(then.node, scope);
		}
		const otherwise = args.length % 2 === 1 ? args.at(-1) : undefined;
		return otherwise ? this.evaluate(otherwise.node, scope) : null;
	}

	/** Of a table where the first argument is one, else of the group at hand. In a row, that of a whole table is worked out once. */
	#aggregate(name: string, args: readonly CallArgument[], scope: NameScope): Value {
		const known = this.#wholes.get(args);
		if (known !== undefined) return known;
		const [first] = args;
		const isTableName = scope.row && first?.node.kind === "name" && this.#namesTable(first.node, scope);
		const isOfSeveral = (name === "min" || name === "max") && args.length > 1;
		const column = scope.row && first && !isOfSeveral ? this.#wholeColumn(first.node, scope) : null;
		const value = this.#figure(name, args, scope, column);
		if (isTableName || column) this.#wholes.set(args, value);
		return value;
	}

	/** The column `table.column` of a table by its name, in a row; null where it is another value, or lists that stand in each row. */
	#wholeColumn(node: Node, { columns, row }: NameScope): List | null {
		if (node.kind !== "member" || node.of.kind !== "name" || columns?.has(node.of.name)) return null;
		const table = this.#names.get(node.of.name);
		const own = row?.[columns?.get(node.name) ?? -1] ?? null;
		if (!isTable(table) || isNested(own)) return null;
		const column = this.#column(table, node.name);
		return column.items.some(isNested) ? null : column;
	}

	#figure(name: string, args: readonly CallArgument[], scope: NameScope, column: List | null): Value {
		const [first, ...rest] = args;
		const isOfGroup = scope.group && first && !this.#namesTable(first.node, scope);
		const table = column ?? (isOfGroup ? null : first && this.evaluate(first.node, scope));
		if (isTable(table)) return this.#overRows(name, rest, groupScope(table));
		if (isList(table)) return this.#overList(name, rest, table);
		if (scope.group) return this.#overRows(name, args, scope);
		if ((name === "min" || name === "max") && args.length > 1 && first) return this.#extreme(name, args, scope);
		const hint = scope.row && first?.node.kind === "name" ? this.#wholeForm(name, first.node.name) : "";
		throw new ComputeProblem(`${name} works on a table, or inside group(…): ${AGGREGATES.get(name)?.form}${hint}`);
	}

	/** How a figure of all rows is written in a row. */
	#wholeForm(name: string, column: string): string {
		const holders = [...this.#names].filter(([, value]) => isTable(value) && value.columns.includes(column));
		const tables = holders.map(([table]) => `${name}(${table}.${column})`).slice(0, MAX_FORMS);
		if (tables.length > 0) return `; of all rows, write ${tables.join(" or ")}`;
		return `; of all rows, name the table first: let t = …; t | filter(${column} > ${name}(t.${column}))`;
	}

	/** Of a list, which is a table of the column `value`. A text behind a list's values parts them. */
	#overList(name: string, rest: readonly CallArgument[], { items }: List): Value {
		const table = { columns: ["value"], rows: items.map((item) => [item]) };
		const [only] = rest;
		const isSeparator = name === "list" && rest.length === 1 && only?.node.kind === "literal";
		const value: Node | null = isSeparator ? { kind: "name", at: only.node.at, name: "value" } : null;
		const args = value && only ? [{ ...only, node: value }, only] : rest;
		return this.#overRows(name, args, groupScope(table));
	}

	/** Whether an argument inside a group is a table of its own. */
	#namesTable(node: Node, scope: NameScope): boolean {
		if (node.kind === "name") return !scope.columns?.has(node.name) && isTable(this.#names.get(node.name));
		// A column of the group under its table's name is the group's own.
		if (node.kind === "member") return !scope.columns?.has(node.name) && this.#namesTable(node.of, scope);
		return node.kind === "call" && STAGES.has(node.name);
	}

	#extreme(name: "min" | "max", args: readonly CallArgument[], scope: NameScope): Value {
		const values = args.map(({ node }) => this.evaluate(node, scope)).filter((value) => value !== null);
		const wanted = name === "min" ? -1 : 1;
		return values.reduce<Value>(
			(best, value) => (best === null || Math.sign(this.#compare(value, best)) === wanted ? value : best),
			null,
		);
	}

	#overRows(name: string, args: readonly CallArgument[], { columns, group }: NameScope): Value {
		const aggregate = AGGREGATES.get(name);
		const rows = group ?? [];
		const [argument, ...more] = args;
		if (!aggregate || more.length > aggregate.more) throw new ComputeProblem(`${name} is called as ${aggregate?.form}`);
		this.charge(rows.length);
		const extra = more.map(({ node }) => this.evaluate(node, OUTSIDE));
		if (!argument) {
			if (name === "count") return decimalFrom(rows.length);
			const only = columns?.size === 1 ? rows.map(([value = null]) => value) : null;
			if (!only) throw new ComputeProblem(`${name} needs an expression: ${aggregate.form}`);
			return aggregate.apply(only, this, extra);
		}
		const { node } = argument;
		// A column's name in quotes is no figure of itself.
		const own: Node =
			node.kind === "literal" && typeof node.value === "string" && columns?.has(node.value)
				? { kind: "name", at: node.at, name: node.value }
				: node;
		const values = rows.map((row) => this.evaluate(own, { columns, row, group: null }));
		for (const value of values) if (isNested(value)) this.#key(value);
		return aggregate.apply(values, this, extra);
	}
}

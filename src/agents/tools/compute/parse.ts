// The expressions of the tool compute as a tree: `orders | filter(status = "open") | sum(total)`. Recursive descent to a bounded depth.
// What the names mean is evaluate.ts's. Pure.
import { quoteInput } from "../../../suggest.ts";
import { type Decimal, parseDecimal } from "./decimal.ts";
import { toFunctionName } from "./names.ts";
import { ComputeProblem } from "./problem.ts";
import { LANGUAGE_WORDS, type Token, tokenize } from "./tokens.ts";

export const MAX_EXPRESSION_CHARS = 16_384;
const MAX_EXPRESSION_LEVELS = 64;
/** Levels of the tree that an expression makes. */
const MAX_TREE_LEVELS = 200;

export type BinaryOperator =
	| "or"
	| "and"
	| "="
	| "!="
	| "<"
	| "<="
	| ">"
	| ">="
	| "&"
	| "+"
	| "-"
	| "*"
	| "/"
	| "%"
	| "^";

/** An argument of a call: its name in the result, and its direction in a sort. */
export interface CallArgument {
	node: Node;
	as: string | null;
	isDescending: boolean;
	/** The name was given as `name = expression`, which compares elsewhere. */
	isAssigned?: true;
}

/** Functions whose arguments are columns of the result. There, `name = expression` names one. */
const NAMING = new Set(["add", "select", "group", "distinct"]);

/** Part of an expression. `at` is its place, characters from 0. */
export type Node = { at: number } & (
	| { kind: "literal"; value: Decimal | string | boolean | null }
	| { kind: "name"; name: string }
	| { kind: "member"; of: Node; name: string }
	| { kind: "call"; name: string; written: string; args: readonly CallArgument[] }
	| { kind: "not" | "minus"; operand: Node }
	| { kind: "binary"; operator: BinaryOperator; left: Node; right: Node }
	/** `first + a - b`, from left to right. */
	| { kind: "chain"; first: Node; links: readonly ChainLink[] }
	| { kind: "in"; operand: Node; items: readonly Node[]; isNegated: boolean }
	| { kind: "record"; members: readonly { name: string; node: Node }[] }
);

/** An operator of a chain with what stands behind it. */
export interface ChainLink {
	operator: BinaryOperator;
	at: number;
	node: Node;
}

/** The parts of an expression. */
function partsOf(node: Node): readonly Node[] {
	switch (node.kind) {
		case "call":
			return node.args.map((argument) => argument.node);
		case "binary":
			return [node.left, node.right];
		case "chain":
			return [node.first, ...node.links.map((link) => link.node)];
		case "in":
			return [node.operand, ...node.items];
		case "not":
		case "minus":
			return [node.operand];
		case "member":
			return [node.of];
		case "record":
			return node.members.map((member) => member.node);
		default:
			return [];
	}
}

/** Whether an expression has a part of which that holds. Its depth is bounded by the parser. */
export const holdsPart = (node: Node, isMeant: (part: Node) => boolean): boolean =>
	isMeant(node) || partsOf(node).some((part) => holdsPart(part, isMeant));

/** Refuses a tree that is too deep to be walked by calls: pipelines and members nest without brackets. */
function checkLevels(root: Node): void {
	let level: readonly Node[] = [root];
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > MAX_TREE_LEVELS)
			throw new ComputeProblem(
				`more than ${MAX_TREE_LEVELS} steps in a row; name parts with let`,
				level[0]?.at ?? null,
			);
		level = level.flatMap(partsOf);
	}
}

/** What is named with `let`, in order, and the expression of the result. */
export interface Program {
	lets: readonly { name: string; node: Node }[];
	result: Node;
}

/** Operators by how they bind, the loosest first. Comparisons stand between `and` and `&`. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [["or"], ["and"]];
const INNER_LEVELS: readonly (readonly BinaryOperator[])[] = [["&"], ["+", "-"], ["*", "/", "%"]];
/** What is written here for words and signs of other languages. */
const HINTS: ReadonlyMap<string, string> = new Map([
	["between", "; write x >= a and x <= b"],
	["like", "; write contains(column, 'part'), starts_with or ends_with"],
	["*", "; add(…) keeps all columns, select(…) names those that stay"],
	["[", "; a list of values stands only behind in; give rows in tables"],
]);
const ARROW_HINT = "; columns are named directly, such as filter(total > 3)";

/** Signs that stand between two values. */
const BETWEEN_VALUES = new Set("or and & + - * / % ^ = != < <= > >= in is not".split(" "));
const COMPARISONS: readonly BinaryOperator[] = ["=", "!=", "<", "<=", ">", ">="];

function toCall(written: string, at: number, args: readonly CallArgument[]): Node {
	return { kind: "call", at, name: toFunctionName(written), written, args };
}

class Parser {
	#tokens: readonly Token[];
	#place = 0;
	#depth = 0;
	/** What stands before the operator that is read next. */
	#given: Node | null = null;

	constructor(source: string) {
		this.#tokens = tokenize(source);
	}

	program(): Program {
		const lets: Program["lets"][number][] = [];
		while (this.#next.kind !== "end" || lets.length === 0) {
			if (this.#accept("let") || this.#isNaming) {
				const name = this.#name("a name after let");
				this.#expect("=");
				lets.push({ name, node: this.#pipeline() });
				this.#accept(";");
				continue;
			}
			const node = this.#pipeline();
			this.#accept(";");
			if (this.#next.kind === "end") return { lets, result: node };
			// What compares is no result where more follows: it names a value, on a line of its own.
			if (node.kind !== "binary" || node.operator !== "=" || node.left.kind !== "name")
				this.#refuse("an operator, | or the end");
			lets.push({ name: node.left.name, node: node.right });
		}
		const last = lets.at(-1);
		if (!last) this.#refuse("a value");
		return { lets: lets.slice(0, -1), result: last.node };
	}

	/** `name = value;` with more behind it is meant as `let`, not as a comparison. */
	get #isNaming(): boolean {
		const [first, second, ...rest] = this.#tokens.slice(this.#place);
		const isAssignment = first?.kind === "name" && second?.kind === "sign" && second.text === "=";
		return isAssignment && rest.slice(0, -2).some(({ kind, text }) => kind === "sign" && text === ";");
	}

	get #next(): Token {
		const token = this.#tokens[this.#place] ?? this.#tokens.at(-1);
		if (!token) throw new Error("a list of tokens ends with one");
		return token;
	}

	#refuse(wanted: string): never {
		const { kind, text, at } = this.#next;
		const before = this.#tokens[this.#place - 1]?.text ?? "";
		const hint = HINTS.get(text.toLowerCase()) ?? (text === ">" && before === "=" ? ARROW_HINT : "");
		throw new ComputeProblem(`expected ${wanted}, found ${kind === "end" ? text : quoteInput(text)}${hint}`, at);
	}

	#isNext(sign: string): boolean {
		return this.#next.kind === "sign" && this.#next.text === sign;
	}

	#accept(sign: string): boolean {
		if (!this.#isNext(sign)) return false;
		this.#place++;
		return true;
	}

	#expect(sign: string): void {
		if (!this.#accept(sign)) this.#refuse(quoteInput(sign));
	}

	/** A word of the language may be a name where only a name can stand. */
	#name(wanted: string): string {
		const { kind, text } = this.#next;
		if (kind !== "name" && kind !== "text" && !LANGUAGE_WORDS.has(text)) this.#refuse(wanted);
		this.#place++;
		return text;
	}

	#deeper<T>(read: () => T): T {
		if (++this.#depth > MAX_EXPRESSION_LEVELS)
			throw new ComputeProblem(
				`more than ${MAX_EXPRESSION_LEVELS} levels of nesting; name parts with let`,
				this.#next.at,
			);
		const node = read();
		this.#depth--;
		return node;
	}

	/** `a | f(b)` is `f(a, b)`. */
	#pipeline(): Node {
		return this.#deeper(() => {
			let node = this.#binary(0);
			while (this.#accept("|")) {
				const { at } = this.#next;
				const written = this.#name("a function after |");
				const args = this.#accept("(") ? this.#arguments(")", written) : [];
				node = toCall(written, at, [{ node, as: null, isDescending: false }, ...args]);
				node = this.#afterPipe(node);
			}
			return node;
		});
	}

	/** An operator behind a stage is for what the stages before it gave: `orders | sum(total) / 12`. */
	#afterPipe(node: Node): Node {
		if (this.#next.kind !== "sign" || !BETWEEN_VALUES.has(this.#next.text)) return node;
		this.#given = node;
		return this.#binary(0);
	}

	#binary(level: number): Node {
		const operators = LEVELS[level];
		return operators ? this.#chain(operators, () => this.#binary(level + 1)) : this.#negation();
	}

	#chain(operators: readonly BinaryOperator[], operand: () => Node): Node {
		const first = operand();
		const links: ChainLink[] = [];
		for (let next = this.#operator(operators); next; next = this.#operator(operators))
			links.push({ ...next, node: operand() });
		const [link] = links;
		return link ? { kind: "chain", at: link.at, first, links } : first;
	}

	#operator(operators: readonly BinaryOperator[]): { operator: BinaryOperator; at: number } | null {
		const { kind, text, at } = this.#next;
		const operator = kind === "sign" ? operators.find((candidate) => candidate === text) : undefined;
		if (!operator) return null;
		this.#place++;
		return { operator, at };
	}

	#negation(): Node {
		const { at } = this.#next;
		if (this.#given || !this.#accept("not")) return this.#comparison();
		return this.#deeper(() => ({ kind: "not", at, operand: this.#negation() }));
	}

	#comparison(): Node {
		const left = this.#inner(0);
		const { at } = this.#next;
		const isNegated = this.#accept("not");
		if (this.#accept("in")) return { kind: "in", at, operand: left, items: this.#items(), isNegated };
		if (isNegated) this.#refuse("in after not");
		if (this.#accept("is")) {
			const operator = this.#accept("not") ? "!=" : "=";
			return { kind: "binary", operator, at, left, right: this.#inner(0) };
		}
		const operator = this.#operator(COMPARISONS);
		if (!operator) return left;
		return { kind: "binary", operator: operator.operator, at, left, right: this.#inner(0) };
	}

	#items(): Node[] {
		const end = this.#accept("(") ? ")" : "]";
		if (end === "]") this.#expect("[");
		return this.#arguments(end).map(({ node }) => node);
	}

	#inner(level: number): Node {
		const operators = INNER_LEVELS[level];
		return operators ? this.#chain(operators, () => this.#inner(level + 1)) : this.#unary();
	}

	#unary(): Node {
		const { at } = this.#next;
		if (this.#given) return this.#postfix();
		if (this.#accept("+")) return this.#deeper(() => this.#unary());
		if (this.#accept("-")) return this.#deeper(() => ({ kind: "minus", at, operand: this.#unary() }));
		const base = this.#postfix();
		const power = this.#operator(["^"]);
		if (!power) return base;
		const right = this.#deeper(() => this.#unary());
		return { kind: "binary", operator: "^", at: power.at, left: base, right };
	}

	#postfix(): Node {
		let node = this.#primary();
		while (true) {
			const { at } = this.#next;
			if (this.#accept(".")) node = this.#afterPoint(node, at);
			else if (this.#accept("[")) {
				node = {
					kind: "member",
					at,
					of: node,
					name: this.#name("a column's name in quotes; rows are taken by filter, limit or first"),
				};
				this.#expect("]");
			} else return node;
		}
	}

	/** `a.b` is a member, `a.f(b)` is `f(a, b)`. */
	#afterPoint(of: Node, at: number): Node {
		const name = this.#name("a member's name after .");
		if (!this.#accept("(")) return { kind: "member", at, of, name };
		return toCall(name, at, [{ node: of, as: null, isDescending: false }, ...this.#arguments(")", name)]);
	}

	#primary(): Node {
		const given = this.#given;
		this.#given = null;
		if (given) return given;
		const { kind, text, at } = this.#next;
		if (kind === "number") {
			this.#place++;
			const value = parseDecimal(
				text
					.replaceAll("_", "")
					.replace(/^\./, "0.")
					.replace(/^0+(?=\d)/, ""),
			);
			if (!value) throw new ComputeProblem(`the number ${quoteInput(text)} is too large`, at);
			return { kind: "literal", at, value };
		}
		if (kind === "text") {
			this.#place++;
			return { kind: "literal", at, value: text };
		}
		if (kind === "name") {
			this.#place++;
			if (this.#next.text !== "(" || this.#next.kind !== "sign") return { kind: "name", at, name: text };
			this.#place++;
			return toCall(text, at, this.#arguments(")", text));
		}
		if (this.#accept("true")) return { kind: "literal", at, value: true };
		if (this.#accept("false")) return { kind: "literal", at, value: false };
		if (this.#accept("null")) return { kind: "literal", at, value: null };
		if (this.#accept("{")) return { kind: "record", at, members: this.#members() };
		if (!this.#accept("(")) this.#refuse("a value, a name, a function or (");
		const node = this.#pipeline();
		this.#expect(")");
		return node;
	}

	/** @param written the function that they are of. */
	#arguments(end = ")", written = ""): CallArgument[] {
		const args: CallArgument[] = [];
		const name = toFunctionName(written);
		const isNaming = NAMING.has(name);
		const isAll = this.#isNext("*") && this.#tokens[this.#place + 1]?.text === end;
		if (isAll && name === "count") this.#place++;
		while (!this.#accept(end)) {
			args.push(this.#argument(isNaming));
			if (!this.#accept(",") && !this.#isNext(end)) this.#refuse(`"," or ${quoteInput(end)}`);
		}
		return args;
	}

	/** `expression`, `expression as name`, `name: expression`, `expression desc`, and where columns are made `name = expression`. */
	#argument(isNaming: boolean): CallArgument {
		const first = this.#next;
		const second = this.#tokens[this.#place + 1];
		const sign = (first.kind === "name" || first.kind === "text") && second?.kind === "sign" ? second.text : "";
		if (sign === ":" || (sign === "=" && isNaming)) {
			this.#place += 2;
			const named = { node: this.#pipeline(), as: first.text, isDescending: false };
			return sign === "=" ? { ...named, isAssigned: true } : named;
		}
		const node = this.#pipeline();
		const as = this.#accept("as") ? this.#name("a name after as") : null;
		const isDescending = this.#accept("desc");
		if (!isDescending) this.#accept("asc");
		return { node, as, isDescending };
	}

	#members(): { name: string; node: Node }[] {
		const members: { name: string; node: Node }[] = [];
		while (!this.#accept("}")) {
			const name = this.#name("a member's name");
			if (!this.#accept("=")) this.#expect(":");
			members.push({ name, node: this.#pipeline() });
			if (!this.#accept(",") && !this.#isNext("}")) this.#refuse('"," or "}"');
		}
		return members;
	}
}

/** Reads an expression. Throws ComputeProblem. */
export function parseExpression(source: string): Program {
	if (source.length > MAX_EXPRESSION_CHARS)
		throw new ComputeProblem(`the expression is longer than ${MAX_EXPRESSION_CHARS} characters; give rows in tables`);
	const program = new Parser(source).program();
	for (const { node } of program.lets) checkLevels(node);
	checkLevels(program.result);
	return program;
}

// YAML text → plain values that know where they stood. Whoever sends it is a stranger: size, depth, number of tokens and of values
// are bounded before anything is built from them, so the work is linear in the text. Loaded on first use (load.ts).
import {
	Composer,
	type CST,
	type Document,
	isAlias,
	isMap,
	isScalar,
	isSeq,
	Lexer,
	LineCounter,
	type Node,
	type ParsedNode,
	Parser,
} from "yaml";

/** Collections inside collections; a config needs five. */
const MAX_DEPTH = 16;
/** Lexical tokens; the largest config that validates has a few thousand. */
const MAX_TOKENS = 16_384;
/** Characters of one scalar; the longest that validates has 512. */
const MAX_SCALAR = 4_096;
/** Values, those behind aliases counted at each place they stand in. */
const MAX_VALUES = 8_192;
const MAX_ALIASES = 64;
const MAX_FAULTS = 20;

/** A line and a column, both from 1. */
export interface YamlPosition {
	line: number;
	column: number;
}

/** A place in the value: members and indices from the top. */
export type Path = readonly (string | number)[];

export interface YamlFault extends Partial<YamlPosition> {
	message: string;
}

/** What was read; `value` is null where there are faults. */
export interface ReadYaml {
	value: unknown;
	faults: YamlFault[];
	/** Where a member stands: itself (`key`), or its value; null when it is not in the text. */
	placeOf(path: Path, what: "key" | "value"): YamlPosition | null;
}

function refusal(message: string, place: Partial<YamlPosition> = {}): ReadYaml {
	return { value: null, faults: [{ message, ...place }], placeOf: () => null };
}

/** Tokens of the text, or why there are too many: lexer and parser are driven by hand, so that neither runs ahead. */
function tokensOf(text: string, lines: LineCounter): { tokens: CST.Token[] } | { refused: ReadYaml } {
	const parser = new Parser(lines.addNewLine);
	const tokens: CST.Token[] = [];
	let count = 0;
	const here = () => placeAt(lines, parser.offset);
	lines.addNewLine(0);
	for (const lexeme of new Lexer().lex(text)) {
		if (++count > MAX_TOKENS) return { refused: refusal(`more than ${MAX_TOKENS} tokens`, here()) };
		if (lexeme.length > MAX_SCALAR && /[^#\s]/.test(lexeme.charAt(0)))
			return { refused: refusal(`a value of more than ${MAX_SCALAR} characters`, here()) };
		for (const token of parser.next(lexeme)) tokens.push(token);
		if (parser.stack.length > 2 * MAX_DEPTH)
			return { refused: refusal(`nests deeper than ${MAX_DEPTH} levels`, here()) };
	}
	for (const token of parser.end()) tokens.push(token);
	return { tokens };
}

function placeAt(lines: LineCounter, offset: number): YamlPosition {
	const { line, col } = lines.linePos(offset);
	return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** A document's nodes as plain values. */
class Reading {
	readonly faults: YamlFault[] = [];
	readonly #lines: LineCounter;
	readonly #anchors = new Map<string, Node>();
	readonly #keys = new Map<string, number>();
	readonly #values = new Map<string, number>();
	#aliases = 0;
	#count = 0;

	constructor(lines: LineCounter) {
		this.#lines = lines;
	}

	placeOf(path: Path, what: "key" | "value"): YamlPosition | null {
		const name = JSON.stringify(path);
		const offset = what === "key" ? (this.#keys.get(name) ?? this.#values.get(name)) : this.#values.get(name);
		return offset === undefined ? null : placeAt(this.#lines, offset);
	}

	fault(node: Node | null, message: string): undefined {
		const offset = node?.range?.[0];
		if (this.faults.length < MAX_FAULTS)
			this.faults.push({ message, ...(offset === undefined ? {} : placeAt(this.#lines, offset)) });
		return undefined;
	}

	value(node: unknown, path: Path): unknown {
		if (this.faults.length >= MAX_FAULTS) return undefined;
		if (++this.#count > MAX_VALUES) return this.#stop(node, `more than ${MAX_VALUES} values`);
		if (path.length > MAX_DEPTH) return this.#stop(node, `nests deeper than ${MAX_DEPTH} levels`);
		if (isAlias(node)) return this.#alias(node, path);
		if (isMap(node) || isSeq(node) || isScalar(node)) {
			if (node.range) this.#values.set(JSON.stringify(path), node.range[0]);
			if (node.tag !== undefined && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(node.tag))
				return this.fault(node, "has a tag, which a config does not know");
			if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
			if (isScalar(node)) return this.#scalar(node);
			return isMap(node)
				? this.#members(node.items, path)
				: node.items.map((item, index) => this.value(item, [...path, index]));
		}
		return null;
	}

	#scalar(node: Node & { value: unknown }): unknown {
		const { value } = node;
		if (typeof value === "string" && !value.isWellFormed()) return this.fault(node, "holds a lone surrogate");
		return typeof value === "bigint" ? Number(value) : value;
	}

	#members(items: readonly { key: unknown; value: unknown }[], path: Path): Record<string, unknown> {
		const members = new Map<string, unknown>();
		for (const { key, value } of items) {
			if (!isScalar(key)) {
				this.fault(key instanceof Object ? (key as Node) : null, "a key must be a word");
				continue;
			}
			const name = String(key.value);
			if (members.has(name)) {
				this.fault(key, `${JSON.stringify(name.slice(0, 60))} stands here twice`);
				continue;
			}
			const at = [...path, name];
			if (key.range) this.#keys.set(JSON.stringify(at), key.range[0]);
			members.set(name, this.value(value, at));
		}
		return Object.fromEntries(members);
	}

	/** An alias is read anew at its place: what it multiplies counts against the number of values. */
	#alias(node: Node & { source: string }, path: Path): unknown {
		if (++this.#aliases > MAX_ALIASES) return this.#stop(node, `more than ${MAX_ALIASES} aliases`);
		const target = this.#anchors.get(node.source);
		if (!target)
			return this.fault(node, `there is no anchor ${JSON.stringify(node.source.slice(0, 60))} before this alias`);
		const value = this.value(target, path);
		if (node.range) this.#values.set(JSON.stringify(path), node.range[0]);
		return value;
	}

	#stop(node: unknown, message: string): undefined {
		if (this.faults.length < MAX_FAULTS)
			this.fault(isAlias(node) || isMap(node) || isSeq(node) || isScalar(node) ? node : null, message);
		// Nothing more is read.
		while (this.faults.length < MAX_FAULTS) this.faults.push({ message: "" });
		return undefined;
	}
}

/** Reads YAML 1.2 (core schema): one document of maps, lists and scalars. */
export function readYaml(text: string): ReadYaml {
	const lines = new LineCounter();
	const lexed = tokensOf(text, lines);
	if ("refused" in lexed) return lexed.refused;
	// Keys are compared by a set here; the library compares each with each.
	const composer = new Composer<ParsedNode>({ uniqueKeys: false, prettyErrors: false, keepSourceTokens: false });
	const documents: Document.Parsed[] = [];
	for (const document of composer.compose(lexed.tokens, true, text.length)) {
		documents.push(document as Document.Parsed);
		if (documents.length > 1) {
			return refusal("a second document; a config is one", placeAt(lines, document.range?.[0] ?? 0));
		}
	}
	const [document] = documents;
	const complaints = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
	if (complaints.length > 0) {
		const faults = complaints
			.slice(0, MAX_FAULTS)
			.map(({ pos: [offset], message }) => ({ message: message.slice(0, 200), ...placeAt(lines, offset) }));
		return { value: null, faults, placeOf: () => null };
	}
	const reading = new Reading(lines);
	const value = reading.value(document?.contents ?? null, []);
	return {
		value,
		faults: reading.faults.filter(({ message }) => message !== ""),
		placeOf: (path, what) => reading.placeOf(path, what),
	};
}

/** YAML of any kind is read for its syntax up to so many tokens; beyond, it is not judged. */
const MAX_SYNTAX_TOKENS = 65_536;
/** Deeper, the composer's recursion would be what fails. */
const MAX_SYNTAX_DEPTH = 100;

/**
 * The first fault in the syntax of a YAML stream: any number of documents, any tags, any depth that is no attack. Null when
 * there is none, or when it is too large to be judged.
 */
export function yamlSyntaxFault(text: string): YamlFault | null {
	const lines = new LineCounter();
	const parser = new Parser(lines.addNewLine);
	const tokens: CST.Token[] = [];
	let count = 0;
	lines.addNewLine(0);
	for (const lexeme of new Lexer().lex(text)) {
		if (++count > MAX_SYNTAX_TOKENS) return null;
		for (const token of parser.next(lexeme)) tokens.push(token);
		if (parser.stack.length > MAX_SYNTAX_DEPTH) return null;
	}
	for (const token of parser.end()) tokens.push(token);
	const composer = new Composer<ParsedNode>({ uniqueKeys: false, prettyErrors: false, keepSourceTokens: false });
	for (const document of composer.compose(tokens, true, text.length)) {
		const [error] = document.errors;
		if (error) return { message: error.message.slice(0, 200), ...placeAt(lines, error.pos[0]) };
	}
	return null;
}

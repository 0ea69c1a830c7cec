// Parses YAML into plain values, and finds the positions of paths in the text. The sender is not trusted: size, depth, tokens and
// values are limited before anything is built from them, so the work is linear in the text. Loaded on first use (load.ts).
import {
	type Alias,
	Composer,
	type CST,
	isAlias,
	isMap,
	isNode,
	isScalar,
	isSeq,
	Lexer,
	LineCounter,
	type Node,
	type Pair,
	type ParsedNode,
	Parser,
	type Scalar,
	type YAMLMap,
} from "yaml";
import type { DocumentFault, Path } from "../faults.ts";

/** What a document may hold at most. */
export interface YamlLimits {
	/** Collections inside collections. */
	depth: number;
	/** Lexical tokens. */
	tokens: number;
	/** Characters of one scalar. */
	scalarChars: number;
	/** Values. Those behind an alias count again at each alias. */
	values: number;
	aliases: number;
	/** Faults that are named. */
	faults: number;
}

/** Of a routing config. The largest valid one has five levels, a few thousand tokens, and scalars of 512 characters. */
const CONFIG_LIMITS: YamlLimits = {
	depth: 16,
	tokens: 16_384,
	scalarChars: 4_096,
	values: 8_192,
	aliases: 64,
	faults: 20,
};

/** A line and a column, both from 1. */
export interface TextPosition {
	line: number;
	column: number;
}

interface YamlFault extends Partial<TextPosition> {
	message: string;
}

export interface ParsedDocument {
	/** Null where there are faults. */
	value: unknown;
	faults: YamlFault[];
	/** The position of what a path leads to, or of the nearest thing around it that is in the text. */
	findPosition(path: Path, at: DocumentFault["at"]): TextPosition | null;
}

function unparsed(faults: YamlFault[]): ParsedDocument {
	return { value: null, faults, findPosition: () => null };
}

function positionAt(lines: LineCounter, offset: number): TextPosition {
	const { line, col } = lines.linePos(offset);
	return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** The tokens of a text, or the limit that it exceeds. Lexer and parser take turns, so that neither runs ahead. */
function tokenize(
	text: string,
	lines: LineCounter,
	limits: YamlLimits,
): { tokens: CST.Token[] } | { fault: YamlFault } {
	const parser = new Parser(lines.addNewLine);
	const tokens: CST.Token[] = [];
	let count = 0;
	const faultHere = (message: string) => ({ fault: { message, ...positionAt(lines, parser.offset) } });
	lines.addNewLine(0);
	for (const lexeme of new Lexer().lex(text)) {
		if (++count > limits.tokens) return faultHere(`more than ${limits.tokens} tokens`);
		if (lexeme.length > limits.scalarChars && /[^#\s]/.test(lexeme.charAt(0)))
			return faultHere(`a value of more than ${limits.scalarChars} characters`);
		for (const token of parser.next(lexeme)) tokens.push(token);
		if (parser.stack.length > 2 * limits.depth) return faultHere(`nests deeper than ${limits.depth} levels`);
	}
	for (const token of parser.end()) tokens.push(token);
	return { tokens };
}

/** Turns a document's nodes into plain values. */
class NodeReader {
	readonly faults: YamlFault[] = [];
	readonly #lines: LineCounter;
	readonly #limits: YamlLimits;
	readonly #anchors = new Map<string, Node>();
	/** The nodes that aliases stand for, by the aliases' paths. */
	readonly #targets = new Map<string, Node>();
	/** Members of maps by their names. */
	readonly #pairs = new Map<YAMLMap, ReadonlyMap<string | number | null, Pair>>();
	#aliases = 0;
	#values = 0;
	#isStopped = false;

	constructor(lines: LineCounter, limits: YamlLimits) {
		this.#lines = lines;
		this.#limits = limits;
	}

	read(node: unknown, path: Path = []): unknown {
		if (this.#isStopped) return undefined;
		const { values, depth } = this.#limits;
		if (++this.#values > values) return this.#stop(node, `more than ${values} values`);
		if (path.length > depth) return this.#stop(node, `nests deeper than ${depth} levels`);
		if (isAlias(node)) return this.#readAlias(node, path);
		if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null;
		if (node.tag !== undefined && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(node.tag))
			return this.#refuse(node, "has a tag, which is not known here");
		if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
		if (isScalar(node)) return this.#readScalar(node);
		if (isMap(node)) return this.#readMembers(node.items, path);
		return node.items.map((item, index) => this.read(item, [...path, index]));
	}

	/** The position of what a path leads to from a node, as `findPosition` promises it. */
	findPosition(root: unknown, path: Path, at: DocumentFault["at"]): TextPosition | null {
		let [key, value, nearest]: unknown[] = [null, root, root];
		for (const [depth, step] of path.entries()) {
			const container = isAlias(value) ? this.#targets.get(JSON.stringify(path.slice(0, depth))) : value;
			const pair = isMap(container) ? this.#pairsOf(container).get(step) : undefined;
			key = pair?.key;
			value = isSeq(container) ? container.items[Number(step)] : pair?.value;
			nearest = value ?? nearest;
		}
		return this.#positionOf(at === "key" ? (key ?? nearest) : nearest);
	}

	#pairsOf(map: YAMLMap): ReadonlyMap<string | number | null, Pair> {
		const pairs = this.#pairs.get(map) ?? new Map(map.items.map((pair) => [keyName(pair.key), pair]));
		this.#pairs.set(map, pairs);
		return pairs;
	}

	#positionOf(node: unknown): TextPosition | null {
		const offset = isNode(node) ? node.range?.[0] : undefined;
		return offset === undefined ? null : positionAt(this.#lines, offset);
	}

	#refuse(node: unknown, message: string): undefined {
		if (this.#isStopped) return undefined;
		this.faults.push({ message, ...this.#positionOf(node) });
		this.#isStopped = this.faults.length === this.#limits.faults;
		return undefined;
	}

	#stop(node: unknown, message: string): undefined {
		this.#refuse(node, message);
		this.#isStopped = true;
		return undefined;
	}

	#readScalar(node: Scalar): unknown {
		const { value } = node;
		if (typeof value === "string" && !value.isWellFormed()) return this.#refuse(node, "holds a lone surrogate");
		return typeof value === "bigint" ? Number(value) : value;
	}

	#readMembers(items: readonly Pair[], path: Path): Record<string, unknown> {
		const members = new Map<string, unknown>();
		for (const { key, value } of items) {
			const name = keyName(key);
			if (name === null) this.#refuse(key, "a key must be a word");
			else if (members.has(name)) this.#refuse(key, `${JSON.stringify(name.slice(0, 60))} stands here twice`);
			else members.set(name, this.read(value, [...path, name]));
		}
		return Object.fromEntries(members);
	}

	/** The target of an alias is read again for each alias, so that its values count each time. */
	#readAlias(alias: Alias, path: Path): unknown {
		if (++this.#aliases > this.#limits.aliases) return this.#stop(alias, `more than ${this.#limits.aliases} aliases`);
		const target = this.#anchors.get(alias.source);
		if (!target)
			return this.#refuse(alias, `there is no anchor ${JSON.stringify(alias.source.slice(0, 60))} before this alias`);
		this.#targets.set(JSON.stringify(path), target);
		return this.read(target, path);
	}
}

/** The name of a member; null for a key that is none. */
function keyName(key: unknown): string | null {
	return isScalar(key) ? String(key.value) : null;
}

/** Parses YAML 1.2 (core schema): one document of maps, lists and scalars. */
export function parseYaml(text: string, limits: YamlLimits = CONFIG_LIMITS): ParsedDocument {
	const lines = new LineCounter();
	const lexed = tokenize(text, lines, limits);
	if ("fault" in lexed) return unparsed([lexed.fault]);
	// Unique keys are checked above by a map. The library compares each key with each.
	const composer = new Composer<ParsedNode>({ uniqueKeys: false, prettyErrors: false, keepSourceTokens: false });
	const [document, second] = composer.compose(lexed.tokens, true, text.length);
	if (second)
		return unparsed([{ message: "a second document; only one is read", ...positionAt(lines, second.range[0]) }]);
	const complaints = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
	if (complaints.length > 0) {
		const faults = complaints.slice(0, limits.faults);
		return unparsed(
			faults.map(({ pos: [offset], message }) => ({ message: message.slice(0, 200), ...positionAt(lines, offset) })),
		);
	}
	const reader = new NodeReader(lines, limits);
	const root = document?.contents ?? null;
	const value = reader.read(root);
	return { value, faults: reader.faults, findPosition: (path, at) => reader.findPosition(root, path, at) };
}

/** Larger YAML is not checked for its syntax. */
const MAX_SYNTAX_TOKENS = 65_536;
/** In deeper YAML, the composer's recursion would fail. */
const MAX_SYNTAX_DEPTH = 100;

/**
 * The first syntax fault of a YAML stream with any number of documents and any tags. Null when there is none, or when the
 * stream is too large or too deep to check.
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
		if (error) return { message: error.message.slice(0, 200), ...positionAt(lines, error.pos[0]) };
	}
	return null;
}

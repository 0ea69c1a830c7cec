// JSON as models write it: in fences and prose, with quotes of another kind, commas too many or missing, comments, the constants of
// Python, and names without quotes. What is valid JSON is read as such. What an object means that cannot be read, or that ends in the
// middle, is left to others: its parts are never taken for the whole. Pure.

/** Values are looked for at so many places of a text at most. */
const MAX_JSON_STARTS = 20;
/** Deeper nesting is no reply. */
const MAX_DEPTH = 64;

/** Where the JSON value that starts at `from` ends, by its brackets; -1 where it does not end. */
function findJsonEnd(text: string, from: number): number {
	let depth = 0;
	let inString = false;
	for (let at = from; at < text.length; at++) {
		const sign = text[at];
		if (inString) {
			if (sign === "\\") at++;
			else if (sign === '"') inString = false;
		} else if (sign === '"') inString = true;
		else if (sign === "{" || sign === "[") depth++;
		else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
	}
	return -1;
}

/** What is neither a value nor a sign between values. */
const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const BARE_NAME = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;
const LOOSE_NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/iy;
/** A text begins with the first of a pair, and ends with the second where a sign of the structure or a comment follows. */
const QUOTES: ReadonlyMap<string, string> = new Map([
	['"', '"'],
	["'", "'"],
	["`", "`"],
	["“", "”"],
	["‘", "’"],
]);
const AFTER_TEXT = /\s*(?:[,:}\])]|\/\/|\/\*|#|$)/y;
const CLOSERS: ReadonlyMap<string, string> = new Map([
	["[", "]"],
	["(", ")"],
]);
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
	...["true", "True", "TRUE"].map((name) => [name, true] as const),
	...["false", "False", "FALSE"].map((name) => [name, false] as const),
	...["null", "None", "NULL", "undefined"].map((name) => [name, null] as const),
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
	["n", "\n"],
	["t", "\t"],
	["r", "\r"],
	["b", "\b"],
	["f", "\f"],
	["\n", ""],
]);

/** What cannot be read ends the reading. */
class NotJson extends Error {}

/** Reads one value from a place of a text. */
class LooseReader {
	readonly #text: string;
	#at: number;

	constructor(text: string, from: number) {
		this.#text = text;
		this.#at = from;
	}

	get end(): number {
		return this.#at;
	}

	/** What a pattern finds here; empty where it finds nothing. */
	#take(pattern: RegExp): string {
		pattern.lastIndex = this.#at;
		const [found = ""] = pattern.exec(this.#text) ?? [];
		this.#at += found.length;
		return found;
	}

	#next(): string {
		this.#take(SPACE_OR_COMMENT);
		return this.#text[this.#at] ?? "";
	}

	#takeSign(sign: string): boolean {
		const isHere = this.#next() === sign;
		if (isHere) this.#at++;
		return isHere;
	}

	value(depth: number): unknown {
		const sign = this.#next();
		if (depth > MAX_DEPTH) throw new NotJson();
		if (sign === "{") return this.#object(depth);
		const closer = CLOSERS.get(sign);
		if (closer !== undefined) return this.#list(closer, depth);
		if (QUOTES.has(sign)) return this.#quoted();
		const number = this.#take(LOOSE_NUMBER);
		if (number !== "") return Number(number);
		const constant = CONSTANTS.get(this.#take(BARE_NAME));
		if (constant === undefined) throw new NotJson();
		return constant;
	}

	#list(closer: string, depth: number): unknown[] {
		const items: unknown[] = [];
		this.#at++;
		while (!this.#takeSign(closer)) {
			items.push(this.value(depth + 1));
			this.#takeSign(",");
		}
		return items;
	}

	#object(depth: number): Record<string, unknown> {
		const members: [string, unknown][] = [];
		this.#at++;
		while (!this.#takeSign("}")) {
			const name = this.#name();
			if (!this.#takeSign(":")) throw new NotJson();
			members.push([name, this.value(depth + 1)]);
			this.#takeSign(",");
		}
		return Object.fromEntries(members);
	}

	#name(): string {
		if (QUOTES.has(this.#next())) return this.#quoted();
		const name = this.#take(BARE_NAME) || this.#take(LOOSE_NUMBER);
		if (name === "") throw new NotJson();
		return name;
	}

	/** A quote inside a text, as in `'it's so'`, is one that no sign of the structure follows. */
	#quoted(): string {
		const closer = QUOTES.get(this.#text[this.#at++] ?? "");
		let text = "";
		for (; this.#at < this.#text.length; this.#at++) {
			const sign = this.#text[this.#at] ?? "";
			if (sign === "\\") text += this.#escaped();
			else if (sign === closer && this.#endsText()) return text;
			else text += sign;
		}
		throw new NotJson();
	}

	#endsText(): boolean {
		AFTER_TEXT.lastIndex = this.#at + 1;
		if (!AFTER_TEXT.test(this.#text)) return false;
		this.#at++;
		return true;
	}

	/** The sign that an escape stands for; the place is left on its last one. */
	#escaped(): string {
		const name = this.#text[++this.#at] ?? "";
		const code = name === "u" ? /^[0-9a-f]{4}/i.exec(this.#text.slice(this.#at + 1, this.#at + 5))?.[0] : undefined;
		if (code === undefined) return ESCAPES.get(name) ?? name;
		this.#at += code.length;
		return String.fromCharCode(Number.parseInt(code, 16));
	}
}

/** A value, and where it ends. */
interface Found {
	value: unknown;
	end: number;
}

/** The value that starts at a bracket; null where none can be read. */
function readValue(text: string, from: number): Found | null {
	const end = findJsonEnd(text, from);
	if (end > 0) {
		try {
			return { value: JSON.parse(text.slice(from, end)), end };
		} catch {
			// It is read loosely.
		}
	}
	const reader = new LooseReader(text, from);
	try {
		return { value: reader.value(0), end: reader.end };
	} catch (error) {
		if (error instanceof NotJson) return null;
		throw error;
	}
}

/** The beginning of an object with a member. In prose, braces hold other things. */
const OBJECT_START = /\{\s*(?:"[^"\n]*"|'[^'\n]*'|[\p{L}_$][\p{L}\p{N}_$]*)\s*:/uy;

/** Where to go on after brackets without a value: behind an object, whose parts would be misread, and into those of the prose. */
function skipUnread(text: string, from: number): number {
	OBJECT_START.lastIndex = from;
	if (!OBJECT_START.test(text)) return from + 1;
	const end = findJsonEnd(text, from);
	return end < 0 ? text.length : end;
}

/** Every outermost JSON object and list in a text, in order, whatever fence or prose surrounds it. */
export function extractJson(text: string): unknown[] {
	const found: unknown[] = [];
	let at = text.search(/[{[]/);
	for (let starts = 0; at >= 0 && starts < MAX_JSON_STARTS; starts++) {
		const read = readValue(text, at);
		if (read) found.push(read.value);
		const next = read?.end ?? skipUnread(text, at);
		const rest = text.slice(next).search(/[{[]/);
		at = rest < 0 ? -1 : next + rest;
	}
	return found;
}

// Parses TOML into plain values, with the positions of paths in the text, which the library does not tell.
import { parse, TomlDate, TomlError } from "smol-toml";
import { LineCounter } from "yaml";
import type { DocumentFault, Path } from "../faults.ts";
import type { ParsedDocument, TextPosition } from "../routing-config/yaml.ts";

interface Place {
	key: number;
	value: number;
}

const BARE_KEY = /[\w-]+/y;
const BLANK = /(?:[ \t\r\n]|#[^\n]*)*/y;
const BASIC = /"(?:[^"\\\n]|\\.)*"/y;
const LITERAL = /'[^'\n]*'/y;
/** A delimiter may have up to two further quotes before it, which belong to the text. */
const BASIC_LINES = /"""(?:[^\\]|\\[\s\S])*?"""(?:"{1,2}(?!"))?/y;
const LITERAL_LINES = /'''[\s\S]*?'''(?:'{1,2}(?!'))?/y;
const BARE_VALUE = /[^,\]}#\r\n]+/y;

const toKey = (path: Path) => JSON.stringify(path);

/** Finds where keys and values stand. The text is valid TOML, so that nothing is checked again. */
class TomlScanner {
	readonly places = new Map<string, Place>();
	readonly #text: string;
	/** Entries of arrays of tables so far, by the arrays' paths. */
	readonly #counts = new Map<string, number>();
	#at = 0;

	constructor(text: string) {
		this.#text = text;
	}

	scan(): this {
		let table: Path = [];
		this.#note([], { key: 0, value: 0 });
		for (this.#take(BLANK); this.#at < this.#text.length; this.#take(BLANK)) {
			if (this.#text[this.#at] === "[") table = this.#readHeader();
			else this.#readMember(table);
		}
		return this;
	}

	#take(pattern: RegExp): string {
		pattern.lastIndex = this.#at;
		const [found = ""] = pattern.exec(this.#text) ?? [];
		this.#at += found.length;
		return found;
	}

	#skip(text: string): boolean {
		const isHere = this.#text.startsWith(text, this.#at);
		if (isHere) this.#at += text.length;
		return isHere;
	}

	#readKey(): string[] {
		const names: string[] = [];
		do {
			this.#take(BLANK);
			const quoted = this.#take(BASIC) || this.#take(LITERAL);
			// The library reads the escapes.
			names.push(quoted === "" ? this.#take(BARE_KEY) : (Object.keys(parse(`${quoted} = 0`))[0] ?? ""));
			this.#take(BLANK);
		} while (this.#skip("."));
		return names;
	}

	/** A path of tables, in the last entry of each array of tables on its way. */
	#resolve(names: readonly string[]): Path {
		const path: (string | number)[] = [];
		for (const name of names) {
			path.push(name);
			const count = this.#counts.get(toKey(path));
			if (count !== undefined) path.push(count - 1);
		}
		return path;
	}

	#note(path: Path, place: Place): void {
		if (!this.places.has(toKey(path))) this.places.set(toKey(path), place);
	}

	#readHeader(): Path {
		const key = this.#at;
		const isEntry = this.#skip("[[");
		if (!isEntry) this.#skip("[");
		const names = this.#readKey();
		this.#skip(isEntry ? "]]" : "]");
		for (const depth of names.slice(1).keys())
			this.#note(this.#resolve(names.slice(0, depth + 1)), { key, value: key });
		if (isEntry) {
			const array = [...this.#resolve(names.slice(0, -1)), names.at(-1) ?? ""];
			this.#note(array, { key, value: key });
			this.#counts.set(toKey(array), (this.#counts.get(toKey(array)) ?? 0) + 1);
		}
		const path = this.#resolve(names);
		this.#note(path, { key, value: key });
		return path;
	}

	#readMember(table: Path): void {
		const key = this.#at;
		const names = this.#readKey();
		this.#skip("=");
		this.#take(BLANK);
		for (const depth of names.slice(1).keys())
			this.#note([...table, ...names.slice(0, depth + 1)], { key, value: this.#at });
		const path = [...table, ...names];
		this.#note(path, { key, value: this.#at });
		this.#readValue(path);
	}

	#readValue(path: Path): void {
		if (this.#skip("[")) this.#readItems("]", (index) => this.#readItem([...path, index]));
		else if (this.#skip("{")) this.#readItems("}", () => this.#readMember(path));
		else
			this.#take(BASIC_LINES) ||
				this.#take(LITERAL_LINES) ||
				this.#take(BASIC) ||
				this.#take(LITERAL) ||
				this.#take(BARE_VALUE);
	}

	#readItem(path: Path): void {
		this.#note(path, { key: this.#at, value: this.#at });
		this.#readValue(path);
	}

	#readItems(end: string, read: (index: number) => void): void {
		for (let index = 0; ; index++) {
			this.#take(BLANK);
			if (this.#skip(end) || this.#at >= this.#text.length) return;
			read(index);
			this.#take(BLANK);
			this.#skip(",");
		}
	}
}

/** Dates become texts. */
function toPlain(value: unknown): unknown {
	if (value instanceof TomlDate) return value.toISOString();
	if (Array.isArray(value)) return value.map(toPlain);
	if (typeof value === "object" && value !== null)
		return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]));
	return value;
}

/** Finds the line and the column of an offset in a text. */
function positionFinder(text: string): (offset: number) => TextPosition {
	const lines = new LineCounter();
	lines.addNewLine(0);
	for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
	return (offset) => {
		const { line, col: column } = lines.linePos(offset);
		return { line, column };
	};
}

/** Parses TOML. Of faults in its form the first is named: what stands behind it cannot be told. */
export function parseToml(text: string): ParsedDocument {
	try {
		const value = toPlain(parse(text));
		const { places } = new TomlScanner(text).scan();
		const positionAt = positionFinder(text);
		const findPosition = (path: Path, at: DocumentFault["at"]) => {
			for (let depth = path.length; depth >= 0; depth--) {
				const place = places.get(toKey(path.slice(0, depth)));
				if (place) return positionAt(at === "key" && depth === path.length ? place.key : place.value);
			}
			return null;
		};
		return { value, faults: [], findPosition };
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		const [message = ""] = error.message.replace("Invalid TOML document: ", "").split("\n");
		return {
			value: null,
			faults: [{ message, line: error.line, column: error.column }],
			findPosition: () => null,
		};
	}
}

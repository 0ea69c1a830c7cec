// Splits SQL into statements of tokens, without comments. What versioned comments hold is SQL.

/** A token. `text` of a quoted one is what stands in the quotes. */
export interface SqlToken {
	readonly kind: "word" | "text" | "symbol";
	readonly text: string;
	/** An unquoted word in capitals. Empty for other tokens, numbers, and words longer than any with a meaning. */
	readonly word: string;
	/** Quoted by `$tag$`, as the bodies of functions are. */
	readonly dollar?: true;
}

/** A statement, or a line that the client takes itself. */
type SqlPart =
	| { readonly kind: "statement"; readonly tokens: readonly SqlToken[] }
	| { readonly kind: "client"; readonly text: string };

const SYMBOLS = /<=>|<>|!=|<=|>=|==|\|\||&&|>>|<</y;
/** Longer words have no meaning. */
const MAX_KEYWORD_CHARS = 32;
const DOLLAR_TAG = /\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/y;
/** Words of clients that take the rest of a line, where a statement may begin. */
const CLIENT_LINE = /(?:[.@:!]|(?:system|source|host|tee|pager|delimiter)\s)[^\n]*/iy;

/** What isWordCode takes, from one position on. */
const WORD = /[A-Za-z0-9_$#@\x80-\x9f\xa1-\uffff]+/y;
/** What ends a piece of a text in each kind of quotes, where a backslash has a meaning and where it has none. */
const QUOTE_ENDS = {
	plain: { "'": /'/g, '"': /"/g, "`": /`/g },
	escaping: { "'": /['\\]/g, '"': /["\\]/g, "`": /[`\\]/g },
};
type Quote = keyof typeof QUOTE_ENDS.plain;

/** Letters, digits, `_ $ # @` and everything beyond ASCII make words. */
function isWordCode(code: number): boolean {
	if (code >= 128) return code !== 0xa0;
	if (code >= 97) return code <= 122;
	if (code >= 64) return code <= 90 || code === 95;
	return (code >= 48 && code <= 57) || code === 35 || code === 36;
}

function isDigitCode(code: number): boolean {
	return code >= 48 && code <= 57;
}

function isSpaceCode(code: number): boolean {
	return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}

/** Reads one text. Each character is looked at a few times at most. */
class SqlReader {
	readonly #text: string;
	readonly #escapes: boolean;
	#at = 0;
	#tokens: SqlToken[] = [];
	/** Parts that are complete, in order. */
	#parts: SqlPart[] = [];

	/** @param escapes Whether a backslash takes the meaning of the next character in a text. */
	constructor(text: string, escapes: boolean) {
		this.#text = text;
		this.#escapes = escapes;
	}

	/** Yields each part as soon as it is complete, so that a dump's statements are not all kept. */
	*read(): Iterable<SqlPart> {
		while (this.#at < this.#text.length) {
			this.#readNext();
			if (this.#parts.length === 0) continue;
			yield* this.#parts;
			this.#parts = [];
		}
		this.#endStatement();
		yield* this.#parts;
	}

	#endStatement(): void {
		if (this.#tokens.length > 0) this.#parts.push({ kind: "statement", tokens: this.#tokens });
		this.#tokens = [];
	}

	#readNext(): void {
		const code = this.#text.charCodeAt(this.#at);
		if (isSpaceCode(code)) {
			this.#at++;
			return;
		}
		if (this.#tokens.length === 0 && this.#readClientLine()) return;
		if (isWordCode(code) && !(code === 36 && this.#readDollarQuoted())) this.#readWord();
		else if (!isWordCode(code)) this.#readMark(this.#text[this.#at] ?? "", this.#text[this.#at + 1] ?? "");
	}

	#readMark(char: string, next: string): void {
		if (char === "-" && next === "-") this.#skipTo("\n");
		else if (char === "/" && next === "*") this.#readComment();
		else if (char === "*" && next === "/") this.#at += 2;
		else if (char === ";") {
			this.#at++;
			this.#endStatement();
		} else if (char === "\\") this.#readBackslash();
		else if (char === "'" || char === '"' || char === "`") this.#readQuoted(char);
		else this.#readSymbol(char);
	}

	/** Moves behind the next occurrence of a text, or to the end. */
	#skipTo(wanted: string): void {
		const end = this.#text.indexOf(wanted, this.#at);
		this.#at = end < 0 ? this.#text.length : end + wanted.length;
	}

	/** `/*! 50000 …` and `/*M! …` are SQL to some servers, so only their marks are skipped. */
	#readComment(): void {
		const version = /\/\*M?![0-9]*/y;
		version.lastIndex = this.#at;
		const found = version.exec(this.#text);
		if (found) this.#at += found[0].length;
		else {
			this.#at += 2;
			this.#skipTo("*/");
		}
	}

	/** A backslash outside of quotes is a command of psql or mysql up to the end of the line. */
	#readBackslash(): void {
		const end = this.#text.indexOf("\n", this.#at);
		const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
		this.#at += line.length;
		this.#endStatement();
		this.#parts.push({ kind: "client", text: line });
	}

	#readClientLine(): boolean {
		CLIENT_LINE.lastIndex = this.#at;
		const found = CLIENT_LINE.exec(this.#text);
		if (!found) return false;
		this.#at += found[0].length;
		this.#parts.push({ kind: "client", text: found[0] });
		return true;
	}

	/** A doubled quote stands for itself. */
	#readQuoted(quote: Quote): void {
		const ends = QUOTE_ENDS[this.#escapes ? "escaping" : "plain"][quote];
		let text = "";
		let from = ++this.#at;
		for (;;) {
			ends.lastIndex = this.#at;
			const end = ends.exec(this.#text)?.index ?? this.#text.length;
			text += this.#text.slice(from, end);
			this.#at = end + 1;
			const isEnd = this.#text[end] === quote && this.#text[end + 1] !== quote;
			if (end === this.#text.length || isEnd) break;
			// What is escaped, or the second of two quotes, stands for itself.
			from = this.#at++;
		}
		// A quoted name is a name. In a few dialects it is a text.
		this.#tokens.push({ kind: quote === "'" || /[/\\\s|]/.test(text) ? "text" : "symbol", text, word: "" });
	}

	#readDollarQuoted(): boolean {
		DOLLAR_TAG.lastIndex = this.#at;
		const tag = DOLLAR_TAG.exec(this.#text)?.[0];
		if (tag === undefined) return false;
		const from = this.#at + tag.length;
		const end = this.#text.indexOf(tag, from);
		this.#at = end < 0 ? this.#text.length : end + tag.length;
		this.#tokens.push({
			kind: "text",
			text: this.#text.slice(from, end < 0 ? undefined : end),
			word: "",
			dollar: true,
		});
		return true;
	}

	#readSymbol(char: string): void {
		SYMBOLS.lastIndex = this.#at;
		const text = SYMBOLS.exec(this.#text)?.[0] ?? char;
		this.#at += text.length;
		this.#tokens.push({ kind: "symbol", text, word: "" });
	}

	/** `GO` alone on a line ends a statement in SQL Server's clients. */
	#readWord(): void {
		const from = this.#at;
		WORD.lastIndex = from;
		const text = WORD.exec(this.#text)?.[0] ?? "";
		this.#at += text.length;
		const word = text.length > MAX_KEYWORD_CHARS || isDigitCode(text.charCodeAt(0)) ? "" : text.toUpperCase();
		if (word === "GO" && this.#isAloneOnLine(text.length)) this.#endStatement();
		else this.#tokens.push({ kind: "word", text, word });
	}

	#isAloneOnLine(length: number): boolean {
		const before = this.#text[this.#at - length - 1] ?? "\n";
		const after = this.#text[this.#at] ?? "\n";
		return before === "\n" && /[\r\n]/.test(after);
	}
}

/** The statements and client commands of a text. A text that does not end is read to the end. */
export function tokenizeSql(text: string, escapes: boolean): Iterable<SqlPart> {
	return new SqlReader(text, escapes).read();
}

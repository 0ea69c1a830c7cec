// Texts of any length in rows that have a limit (2 MB in a Durable Object): a long one stands in parts beside its row, whose
// column is empty then. Synchronous; to be called in the transaction of the row.

/** Of a part, in UTF-16 units; at most three times as many bytes. Five columns of this size fit into one row. */
const PART_CHARS = 100_000;

/** Cuts a text, never inside a surrogate pair: a half would not be stored as it is. */
function splitText(text: string): string[] {
	const parts: string[] = [];
	for (let start = 0; start < text.length; ) {
		const end = Math.min(text.length, start + PART_CHARS);
		const isInPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
		const next = isInPair ? end - 1 : end;
		parts.push(text.slice(start, next));
		start = next;
	}
	return parts;
}

export class LongTexts {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Stores the parts of a long text under a name; what is to stand in its column. */
	put(name: string, text: string): string {
		this.drop(name);
		if (text.length <= PART_CHARS) return text;
		for (const [part, piece] of splitText(text).entries())
			this.#sql.exec("INSERT INTO parts (name, part, text) VALUES (?, ?, ?)", name, part, piece);
		return "";
	}

	/** The text whose column holds this. */
	get(name: string, column: string): string {
		if (column !== "") return column;
		const parts = this.#sql.exec<{ text: string }>("SELECT text FROM parts WHERE name = ? ORDER BY part", name);
		return [...parts].map(({ text }) => text).join("");
	}

	drop(name: string): void {
		this.#sql.exec("DELETE FROM parts WHERE name = ?", name);
	}
}

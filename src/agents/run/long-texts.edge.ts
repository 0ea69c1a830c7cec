// Stores texts of any length, though a row of a Durable Object has at most 2 MB. A long text is stored in parts, and the column of
// its row is empty. Synchronous. To be called in the transaction of the row.
import { splitText } from "../../text/pieces.ts";

/** UTF-16 units of a part, at most three bytes each. Five columns of this size fit into one row. */
const PART_CHARS = 100_000;

export class LongTexts {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Stores a text under a name and returns the value for its column. */
	put(name: string, text: string): string {
		this.drop(name);
		if (text.length <= PART_CHARS) return text;
		for (const [part, piece] of splitText(text, PART_CHARS).entries())
			this.#sql.exec("INSERT INTO parts (name, part, text) VALUES (?, ?, ?)", name, part, piece);
		return "";
	}

	/** Returns the text under a name, from its column's value or its parts. */
	get(name: string, column: string): string {
		if (column !== "") return column;
		const parts = this.#sql.exec<{ text: string }>("SELECT text FROM parts WHERE name = ? ORDER BY part", name);
		return [...parts].map(({ text }) => text).join("");
	}

	drop(name: string): void {
		this.#sql.exec("DELETE FROM parts WHERE name = ?", name);
	}
}

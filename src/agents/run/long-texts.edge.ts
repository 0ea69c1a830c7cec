// Stores texts of any length, though a row of a Durable Object has at most 2 MB. A long text is stored in parts, and the column of
// its row is empty. Synchronous. To be called in the transaction of the row.
import { splitText } from "../../text/pieces.ts";
import { deleteParts, listParts, storePart } from "./parts.edge.ts";

/** UTF-16 units of a part, at most three bytes each. Six columns of this size fit into one row. */
export const PART_CHARS = 100_000;

export class LongTexts {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Deletes all parts of a run's texts, those that are sealed included. What the object knows besides stays: notes.edge.ts. */
	static deleteAll(sql: SqlStorage): void {
		deleteParts(sql);
	}

	/** Stores a text under a name and returns the value for its column. */
	put(name: string, text: string): string {
		if (text.length > PART_CHARS) {
			this.putApart(name, text);
			return "";
		}
		this.drop(name);
		return text;
	}

	/** Stores a text of any length in parts. */
	putApart(name: string, text: string): void {
		this.drop(name);
		for (const [part, piece] of splitText(text, PART_CHARS).entries()) storePart(this.#sql, name, part, piece);
	}

	/** Returns the text under a name, from its column's value or its parts. */
	get(name: string, column: string): string {
		if (column !== "") return column;
		return listParts<string>(this.#sql, name).join("");
	}

	drop(name: string): void {
		deleteParts(this.#sql, name);
	}
}

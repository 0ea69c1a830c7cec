// Notices where a JSON object ends that comes in pieces. Pure.

/** Follows one JSON text. A text that begins with neither a brace nor a bracket never ends. */
export class JsonEnd {
	#depth = 0;
	#isInString = false;
	#isEscaped = false;
	#hasEnded = false;

	/** What was added since the last question. Most texts are never asked about. */
	#unread = "";

	/** Whether the outermost object or array is closed. */
	get hasEnded(): boolean {
		const piece = this.#unread;
		this.#unread = "";
		for (let at = 0; at < piece.length && !this.#hasEnded; at++) this.#read(piece.charAt(at));
		return this.#hasEnded;
	}

	add(piece: string): void {
		this.#unread += piece;
	}

	#read(unit: string): void {
		if (this.#isEscaped) this.#isEscaped = false;
		else if (unit === "\\") this.#isEscaped = this.#isInString;
		else if (unit === '"') this.#isInString = !this.#isInString;
		else if (!this.#isInString) this.#readStructure(unit);
	}

	#readStructure(unit: string): void {
		if (unit === "{" || unit === "[") this.#depth++;
		else if ((unit === "}" || unit === "]") && --this.#depth === 0) this.#hasEnded = true;
	}
}

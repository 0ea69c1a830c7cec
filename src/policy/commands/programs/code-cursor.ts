// A place among the tokens of code, which only moves forward.
import type { CodeToken } from "./code-tokens.ts";

/** A name that an import or a declaration brings, and the name that it is given here. */
export interface GivenName {
	readonly name: string;
	readonly given: string;
}

export class TokenCursor {
	readonly #tokens: readonly CodeToken[];
	#at = 0;

	constructor(tokens: readonly CodeToken[]) {
		this.#tokens = tokens;
	}

	get at(): number {
		return this.#at;
	}

	get ended(): boolean {
		return this.#at >= this.#tokens.length;
	}

	/** The token that was taken last. */
	get last(): CodeToken | undefined {
		return this.#tokens[this.#at - 1];
	}

	peek(ahead = 0): CodeToken | undefined {
		return this.#tokens[this.#at + ahead];
	}

	/** Takes a token. */
	next(): CodeToken | undefined {
		return this.#tokens[this.#at++];
	}

	is(mark: string): boolean {
		const token = this.peek();
		return token?.kind === "mark" && token.value === mark;
	}

	take(mark: string): boolean {
		const found = this.is(mark);
		if (found) this.#at++;
		return found;
	}

	takeName(name: string): boolean {
		const token = this.peek();
		const found = token?.kind === "name" && token.value === name;
		if (found) this.#at++;
		return found;
	}

	skipNewlines(): void {
		while (this.peek()?.kind === "newline") this.#at++;
	}

	/** Takes the names up to the end of a line or a bracket, with those they are given: `a as b`, `a.b`, `a: b`, `*`. */
	readNames(): readonly GivenName[] {
		const names: { name: string; given: string }[] = [];
		for (let token = this.peek(); token && !endsNames(token); token = this.peek()) {
			const before = this.last?.value;
			this.#at++;
			const last = names.at(-1);
			if (token.value === "*") names.push({ name: "*", given: "*" });
			else if (token.kind !== "name" || token.value === "as") continue;
			else if (last && (before === "as" || before === ":")) last.given = token.value;
			else if (last && before === ".") {
				last.name += `.${token.value}`;
				last.given = last.name;
			} else names.push({ name: token.value, given: token.value });
		}
		return names;
	}
}

function endsNames({ kind, value }: CodeToken): boolean {
	if (kind === "newline" || kind === "string") return true;
	return kind === "mark" ? /^[;)=}]$/.test(value) : value === "from" || value === "import";
}

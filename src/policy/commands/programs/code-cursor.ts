// A place among the tokens of code, which only moves forward.
import type { CodeToken, TokenSource } from "./code-tokens.ts";

/** A name that an import or a declaration brings, and the name that it is given here. */
export interface GivenName {
	readonly name: string;
	readonly given: string;
}

/** Tokens that were taken, and are kept until so many are. */
const KEPT_TOKENS = 512;

/** Takes tokens as they are read, and keeps few of them: a script of two megabytes has a million. */
export class TokenCursor {
	readonly #source: TokenSource;
	/** The next token's index among those that the source holds. */
	#next = 0;
	#at = 0;
	#last: CodeToken | undefined;

	constructor(source: TokenSource) {
		this.#source = source;
	}

	/** How many tokens were taken. */
	get at(): number {
		return this.#at;
	}

	get ended(): boolean {
		return this.peek() === undefined;
	}

	/** The token that was taken last. */
	get last(): CodeToken | undefined {
		return this.#last;
	}

	peek(ahead = 0): CodeToken | undefined {
		const index = this.#next + ahead;
		const { tokens } = this.#source;
		// The source may still replace the last token that it has read.
		while (index >= tokens.length - 1 && this.#source.readMore());
		return tokens[index];
	}

	/** Takes a token. */
	next(): CodeToken | undefined {
		const token = this.peek();
		if (token === undefined) return undefined;
		this.#last = token;
		this.#at++;
		this.#next++;
		if (this.#next === KEPT_TOKENS) {
			this.#source.tokens.splice(0, KEPT_TOKENS);
			this.#next = 0;
		}
		return token;
	}

	is(mark: string): boolean {
		const token = this.peek();
		return token?.kind === "mark" && token.value === mark;
	}

	take(mark: string): boolean {
		const found = this.is(mark);
		if (found) this.next();
		return found;
	}

	takeName(name: string): boolean {
		const token = this.peek();
		const found = token?.kind === "name" && token.value === name;
		if (found) this.next();
		return found;
	}

	skipNewlines(): void {
		while (this.peek()?.kind === "newline") this.next();
	}

	/** Takes the names up to the end of a line or a bracket, with those they are given: `a as b`, `a.b`, `a: b`, `*`. */
	readNames(): readonly GivenName[] {
		const names: { name: string; given: string }[] = [];
		for (let token = this.peek(); token && !endsNames(token); token = this.peek()) {
			const before = this.last?.value;
			this.next();
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

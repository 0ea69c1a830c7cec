// Names with one star, as tables write them: `diff.*.command`, `CARGO_TARGET_*_RUNNER`.

/** The texts around the star in a name. */
interface StarredName {
	readonly start: string;
	readonly end: string;
}

function matchesName({ start, end }: StarredName, name: string): boolean {
	return name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/** Names of a table. A star stands for any text of at least one character. */
export class StarredNames {
	readonly #plain: ReadonlySet<string>;
	readonly #starred: readonly StarredName[];

	constructor(written: readonly string[]) {
		this.#plain = new Set(written.filter((name) => !name.includes("*")));
		this.#starred = written
			.filter((name) => name.includes("*"))
			.map((name) => ({ start: name.slice(0, name.indexOf("*")), end: name.slice(name.indexOf("*") + 1) }));
	}

	/** Whether one of them is the name. */
	includes(name: string): boolean {
		return this.#plain.has(name) || this.#starred.some((starred) => matchesName(starred, name));
	}
}

// Names with one star, as tables write them: `diff.*.command`, `CARGO_TARGET_*_RUNNER`.

/** Values by name. A star in a name stands for any text of at least one character. */
export class StarredMap<Value> {
	readonly #plain = new Map<string, Value>();
	readonly #starred: { readonly start: string; readonly end: string; readonly value: Value }[] = [];

	constructor(entries: Iterable<readonly [string, Value]>) {
		for (const [name, value] of entries) {
			const star = name.indexOf("*");
			if (star < 0) this.#plain.set(name, value);
			else this.#starred.push({ start: name.slice(0, star), end: name.slice(star + 1), value });
		}
	}

	/** The value of a name. */
	get(name: string): Value | undefined {
		const plain = this.#plain.get(name);
		if (plain !== undefined) return plain;
		for (const starred of this.#starred) if (matchesName(starred, name)) return starred.value;
		return undefined;
	}

	/** Whether it has the name. */
	has(name: string): boolean {
		return this.get(name) !== undefined;
	}
}

function matchesName({ start, end }: { readonly start: string; readonly end: string }, name: string): boolean {
	return name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/** Names without values. */
export function starredNames(names: readonly string[]): StarredMap<true> {
	return new StarredMap(names.map((name) => [name, true]));
}

// Pairs in a query: `metadata[team]=search` is the member `team` of `metadata`, as OpenAPI's style deepObject writes it. Pure.

const PAIR = /^(\w+)\[(.+)\]$/s;

/** The members of a query, with its pairs as objects. */
export function gatherPairs(query: unknown): unknown {
	if (typeof query !== "object" || query === null) return query;
	const gathered: Record<string, unknown> = {};
	const pairs = new Map<string, Map<string, unknown>>();
	for (const [name, value] of Object.entries(query)) {
		const [, member, key] = PAIR.exec(name) ?? [];
		if (member === undefined || key === undefined) gathered[name] = value;
		else pairs.set(member, (pairs.get(member) ?? new Map()).set(key, value));
	}
	return { ...gathered, ...Object.fromEntries([...pairs].map(([member, keys]) => [member, Object.fromEntries(keys)])) };
}

/** A member of a query as it is written: an object as its pairs. @param toText writes another value. */
export function spreadPairs(name: string, value: unknown, toText: (value: unknown) => string): [string, string][] {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return [[name, toText(value)]];
	return Object.entries(value).map(([key, member]) => [`${name}[${key}]`, toText(member)]);
}

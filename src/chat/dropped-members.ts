// Which members of a request body validation left out: what nobody knows inside a message, a tool or an option. Pure.

/** More are not looked for. */
const MOST = 1_000;

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param path of the two values; changed on the way, and left as it was. */
function collect(given: unknown, parsed: unknown, path: string[], found: Set<string>): void {
	// What validation does not look into it hands on as it is.
	if (given === parsed || found.size >= MOST) return;
	if (Array.isArray(given) && Array.isArray(parsed)) {
		path.push("[]");
		for (const [index, item] of given.entries()) collect(item, parsed[index], path, found);
		path.pop();
	} else if (isFields(given) && isFields(parsed)) {
		for (const [name, value] of Object.entries(given)) {
			path.push(path.length === 0 ? name : `.${name}`);
			if (Object.hasOwn(parsed, name)) collect(value, parsed[name], path, found);
			else if (value != null && found.size < MOST) found.add(path.join(""));
			path.pop();
		}
	}
}

/**
 * Paths of the members that `given` has and `parsed`, made from it, has not: `messages[].content[].cache_control`, each once,
 * in the order they stand, a thousand at the most. A null counts as absent.
 */
export function droppedMembers(given: unknown, parsed: unknown): string[] {
	const found = new Set<string>();
	collect(given, parsed, [], found);
	return [...found];
}

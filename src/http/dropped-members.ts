// Finds the members of a request body that validation left out: unknown ones inside a message, a tool or an option. Pure.
import { isJsonObject } from "../json.ts";

/** The search ends here. */
const MAX_DROPPED_PATHS = 1_000;

/** @param path of the two values; extended during the search and restored after it. */
function collectDropped(raw: unknown, parsed: unknown, path: string[], found: Set<string>): void {
	// Validation passes on values that it does not look into.
	if (raw === parsed || found.size >= MAX_DROPPED_PATHS) return;
	if (Array.isArray(raw) && Array.isArray(parsed)) {
		path.push("[]");
		for (const [index, item] of raw.entries()) collectDropped(item, parsed[index], path, found);
		path.pop();
	} else if (isJsonObject(raw) && isJsonObject(parsed)) {
		for (const [name, value] of Object.entries(raw)) {
			path.push(path.length === 0 ? name : `.${name}`);
			if (Object.hasOwn(parsed, name)) collectDropped(value, parsed[name], path, found);
			else if (value != null && found.size < MAX_DROPPED_PATHS) found.add(path.join(""));
			path.pop();
		}
	}
}

/**
 * Paths of the members of `raw` that `parsed`, which was made from it, does not have, such as
 * `messages[].content[].cache_control`. Each path comes once, in the order of the body; at most 1,000. A null counts as absent.
 */
export function findDroppedMembers(raw: unknown, parsed: unknown): string[] {
	const found = new Set<string>();
	collectDropped(raw, parsed, [], found);
	return [...found];
}

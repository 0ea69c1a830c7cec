// What a routing config asks of a selection. Its file format, validation and digest are brain/.
import type { Model } from "../catalog/schema.ts";
import type { RoutingMode } from "./mode.ts";

/** The canonical form, whatever the input form. */
export interface RoutingConfig {
	model: string;
	routing_mode: RoutingMode | null;
	/** USD per request. */
	max_cost: number | null;
	blocked: string[];
	fallback: string[];
}

/** Whether a text matches a pattern whose `*` stands for any characters; linear in both. */
function matchesGlob(pattern: string, text: string): boolean {
	const parts = pattern.split("*");
	const [first = "", last = ""] = [parts[0], parts.at(-1)];
	if (parts.length === 1) return pattern === text;
	if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
	let from = first.length;
	const end = text.length - last.length;
	for (const part of parts.slice(1, -1)) {
		const at = text.indexOf(part, from);
		if (at < 0 || at + part.length > end) return false;
		from = at + part.length;
	}
	return true;
}

/** The entry of `blocked` that a model falls under, or undefined. */
export function blockedBy(model: Model, blocked: readonly string[]): string | undefined {
	return blocked.find((entry) => matchesGlob(entry, model.id) || matchesGlob(entry, model.provider));
}

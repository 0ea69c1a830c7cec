// Rewrites a client's JSON Schema so that it can be checked in bounded time: patterns become formats that RE2 decides. Pure.
import type { JsonObject } from "../json.ts";
import { isJsonObject } from "../json.ts";

/** Keywords that hold one schema, a list of them, and a map of them. */
const SINGLE = new Set([
	...["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
	...["unevaluatedItems", "unevaluatedProperties"],
]);
const LISTS = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const MAPS = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "properties"]);

/** Formats whose check takes time linear in the text. Any other is a remark. */
const CHECKED_FORMATS = new Set(["date", "date-time", "duration", "email", "ipv4", "time", "uuid"]);

/** A schema, and the patterns in it by the names of the formats that stand for them. */
export interface CheckableSchema {
	schema: unknown;
	patterns: Map<string, string>;
}

/**
 * A copy of a schema without what cannot be checked in bounded time: each `pattern` is a format in an `allOf` of its own, and a schema
 * with `patternProperties` says nothing of other properties. The copy is also the validator's to write on.
 */
export function toCheckableSchema(schema: unknown): CheckableSchema {
	const patterns = new Map<string, string>();
	const visit = (node: unknown): unknown => {
		if (!isJsonObject(node)) return node;
		const { pattern, format, patternProperties, ...rest } = node;
		const copy: JsonObject = {};
		for (const [keyword, value] of Object.entries(rest)) {
			if (patternProperties !== undefined && /^(?:additional|unevaluated)Properties$/.test(keyword)) continue;
			copy[keyword] = visitKeyword(keyword, value);
		}
		const formats: unknown[] = [];
		if (typeof format === "string" && CHECKED_FORMATS.has(format)) formats.push({ format });
		if (typeof pattern === "string") {
			const name = `re2 ${patterns.size}`;
			patterns.set(name, pattern);
			formats.push({ format: name });
		}
		if (formats.length > 0) copy["allOf"] = [...(Array.isArray(copy["allOf"]) ? copy["allOf"] : []), ...formats];
		return copy;
	};
	const visitKeyword = (keyword: string, value: unknown): unknown => {
		if (Array.isArray(value)) return LISTS.has(keyword) ? value.map(visit) : value;
		if (MAPS.has(keyword) && isJsonObject(value))
			return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]));
		return SINGLE.has(keyword) ? visit(value) : value;
	};
	return { schema: visit(schema), patterns };
}

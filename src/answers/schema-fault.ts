// What makes a JSON Schema one that no answer can be checked by: keywords of another form, types that there are none, references that
// lead nowhere. What a schema means beyond that is form-check.ts's. Pure.
import { isJsonObject, type JsonObject } from "../json.ts";
import { quoteInput } from "../suggest.ts";

const MAX_LEVELS = 64;
const TYPES: readonly unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];
/** Keywords that hold one schema, a list of schemas, and a map of them. */
const ONE = ["additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"];
const SEVERAL = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
const TEXTS = ["$ref", "format", "pattern"];
const NUMBERS = ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"];
const COUNTS = ["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"];

interface SchemaFault {
	/** Of the keyword, with points between; empty for the whole schema. */
	path: string;
	message: string;
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

function isType(value: unknown): boolean {
	const types = Array.isArray(value) ? value : [value];
	return types.length > 0 && types.every((type) => TYPES.includes(type));
}

function isPattern(value: unknown): boolean {
	try {
		return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
	} catch {
		return false;
	}
}

/** What each keyword must be, where it is there. */
const RULES: readonly [keywords: readonly string[], isMet: (value: unknown) => boolean, wanted: string][] = [
	[["type"], isType, `is no type of JSON Schema; there are ${TYPES.join(", ")}, or a list of them`],
	[["enum"], (value) => Array.isArray(value) && value.length > 0, "must be a list of values"],
	[["required"], (value) => Array.isArray(value) && value.every(isText), "must be a list of names"],
	[["pattern"], isPattern, "is no regular expression"],
	[TEXTS, isText, "must be a text"],
	[NUMBERS, (value) => typeof value === "number", "must be a number"],
	[COUNTS, isCount, "must be a whole number from 0"],
	[SEVERAL, Array.isArray, "must be a list of schemas"],
	[NAMED, isJsonObject, "must be an object of schemas"],
];

/** Where a reference leads within the schema; undefined where it leads nowhere. */
function resolve(reference: string, root: JsonObject): unknown {
	if (reference === "#") return root;
	if (!reference.startsWith("#/")) return undefined;
	const steps = decodeURIComponent(reference.slice(2)).split("/");
	return steps.reduce<unknown>((node, step) => {
		const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
		if (Array.isArray(node)) return node[Number(name)];
		return isJsonObject(node) && Object.hasOwn(node, name) ? node[name] : undefined;
	}, root);
}

function findReferenceFault(reference: unknown, root: JsonObject): string | null {
	if (typeof reference !== "string") return null;
	try {
		const found = resolve(reference, root);
		if (isJsonObject(found) || typeof found === "boolean") return null;
	} catch {
		// A percent sign without its digits.
	}
	return `leads to no schema: ${quoteInput(reference)}; references lead into the schema itself, such as #/$defs/name`;
}

/** The first fault of a schema; null for one that answers can be checked by. */
export function findSchemaFault(root: JsonObject): SchemaFault | null {
	const visit = (node: unknown, path: readonly string[]): SchemaFault | null => {
		const fault = (message: string, ...more: string[]) => ({ path: [...path, ...more].join("."), message });
		if (typeof node === "boolean") return null;
		if (!isJsonObject(node)) return fault("must be a schema: an object, true or false");
		if (path.length > MAX_LEVELS) return fault(`is nested deeper than ${MAX_LEVELS} levels`);
		for (const [keywords, isMet, wanted] of RULES) {
			const wrong = keywords.find((keyword) => Object.hasOwn(node, keyword) && !isMet(node[keyword]));
			if (wrong !== undefined) return fault(wanted, wrong);
		}
		const lost = findReferenceFault(node["$ref"], root);
		if (lost !== null) return fault(lost, "$ref");
		for (const [steps, inner] of innerSchemas(node)) {
			const found = visit(inner, [...path, ...steps]);
			if (found) return found;
		}
		return null;
	};
	return visit(root, []);
}

/** The schemas inside a schema, with their places. */
function* innerSchemas(node: JsonObject): Generator<[steps: string[], inner: unknown]> {
	for (const keyword of ONE) if (Object.hasOwn(node, keyword)) yield [[keyword], node[keyword]];
	const { items } = node;
	if (items !== undefined && !Array.isArray(items)) yield [["items"], items];
	for (const keyword of [...SEVERAL, "items"]) {
		const list = node[keyword];
		if (Array.isArray(list)) for (const [place, inner] of list.entries()) yield [[keyword, String(place)], inner];
	}
	for (const keyword of NAMED) {
		const map = node[keyword];
		if (isJsonObject(map)) for (const [name, inner] of Object.entries(map)) yield [[keyword, name], inner];
	}
}

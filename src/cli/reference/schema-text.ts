// Says in words what a JSON Schema allows: its type, its limits, its default. For the field tables of the reference.

import type { JsonSchema } from "../../http/json-schema.ts";
import { isJsonObject } from "../../json.ts";

/** Objects with more members are only called objects; what is in them has a table of its own. */
const MAX_SHOWN_MEMBERS = 8;

const NULL_TEXT = "null";

function schemasIn(value: unknown): JsonSchema[] {
	return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The schemas of which a value has one, without those of null; the schema itself where it is no choice. */
export function toVariants(schema: JsonSchema): JsonSchema[] {
	const choices = schemasIn(schema["anyOf"] ?? schema["oneOf"]);
	if (choices.length > 0) return choices.flatMap(toVariants);
	const { type } = schema;
	if (!Array.isArray(type)) return type === NULL_TEXT ? [] : [schema];
	return type.filter((each) => each !== NULL_TEXT).map((each) => ({ ...schema, type: each }));
}

function takesNull({ type, anyOf, oneOf }: JsonSchema): boolean {
	const isNull = Array.isArray(type) ? type.includes(NULL_TEXT) : type === NULL_TEXT;
	return isNull || schemasIn(anyOf ?? oneOf).some(takesNull);
}

export function toMembers({
	properties,
	required,
}: JsonSchema): [name: string, schema: JsonSchema, required: boolean][] {
	const names: unknown[] = Array.isArray(required) ? required : [];
	return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
		isJsonObject(schema) ? [[name, schema, names.includes(name)]] : [],
	);
}

function toCount(value: unknown): string {
	return Number(value).toLocaleString("en-US");
}

/** A lower and an upper bound; what only says that a number is a safe integer is no bound. */
function toRange(low: unknown, high: unknown): string | null {
	const hasLow = typeof low === "number" && low > Number.MIN_SAFE_INTEGER;
	const hasHigh = typeof high === "number" && high < Number.MAX_SAFE_INTEGER;
	if (hasLow && hasHigh) return low === high ? toCount(low) : `${toCount(low)} to ${toCount(high)}`;
	if (hasLow) return `at least ${toCount(low)}`;
	return hasHigh ? `at most ${toCount(high)}` : null;
}

function toStringText({ format, pattern, minLength, maxLength }: JsonSchema): string {
	if (format === "date-time") return "time";
	if (format === "date") return "date";
	if (typeof pattern === "string" && pattern.startsWith("^sha256:")) return "hash";
	const range = toRange(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength);
	return range === null ? "string" : `string of ${range} characters`;
}

function toNumberText({ type, minimum, maximum, exclusiveMinimum }: JsonSchema): string {
	const name = type === "integer" ? "integer" : "number";
	const isAbove = typeof exclusiveMinimum === "number";
	const above = isAbove ? `above ${toCount(exclusiveMinimum)}` : null;
	const range = toRange(isAbove ? undefined : minimum, maximum);
	return [name, above, range].filter((part) => part !== null).join(", ");
}

const PLURALS: Readonly<Record<string, string>> = {
	string: "strings",
	integer: "integers",
	number: "numbers",
	boolean: "booleans",
	object: "objects",
	list: "lists",
	hash: "hashes",
	time: "times",
};

function toPlural(text: string): string {
	const [word = "", ...rest] = text.split(/(?=[ ,])/);
	return `${PLURALS[word] ?? word}${rest.join("")}`;
}

function toListText({ items, prefixItems, minItems, maxItems }: JsonSchema): string {
	const range = prefixItems === undefined ? toRange(minItems === 0 ? undefined : minItems, maxItems) : null;
	const [first] = schemasIn(prefixItems);
	const entry = isJsonObject(items) ? items : first;
	const what = entry === undefined ? "anything" : toPlural(toTypeText(entry, "input"));
	return `list of ${range === null ? "" : `${range} `}${what}`;
}

function toObjectText(schema: JsonSchema): string {
	const members = toMembers(schema);
	if (members.length > MAX_SHOWN_MEMBERS) return "object";
	if (members.length > 0)
		return `\`{${members.map(([name, , isRequired]) => (isRequired ? name : `${name}?`)).join(", ")}}\``;
	const { additionalProperties } = schema;
	const isOfOneKind = isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
	return isOfOneKind ? `${toPlural(toTypeText(additionalProperties, "output"))} by name` : "object";
}

/** The forms of a value, one text each. Several forms of objects are only called objects. */
function toVariantTexts(variants: readonly JsonSchema[]): string[] {
	const isOneShape = variants.filter(({ type }) => type === "object").length === 1;
	const texts = variants.map((variant) =>
		variant["type"] === "object" && !isOneShape ? "object" : toVariantText(variant),
	);
	return [...new Set(texts)];
}

function toVariantText(schema: JsonSchema): string {
	const { type, const: constant, enum: values } = schema;
	if (constant !== undefined) return `\`${String(constant)}\``;
	if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(", ");
	switch (type) {
		case "string":
			return toStringText(schema);
		case "integer":
		case "number":
			return toNumberText(schema);
		case "array":
			return toListText(schema);
		case "object":
			return toObjectText(schema);
		case "boolean":
			return "boolean";
		default:
			return "anything";
	}
}

/** The type of a schema. In requests null is the same as nothing, so only answers name it. */
export function toTypeText(schema: JsonSchema, io: "input" | "output"): string {
	const texts = toVariantTexts(toVariants(schema));
	if (texts.length === 0) return NULL_TEXT;
	const nulls = io === "output" && takesNull(schema) ? [NULL_TEXT] : [];
	const fallback = schema["default"] === undefined ? "" : `; by default ${JSON.stringify(schema["default"])}`;
	return `${[...texts, ...nulls].join(" or ")}${fallback}`;
}

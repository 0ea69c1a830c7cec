// Compiles JSON Schema to the subset that Anthropic's structured outputs take: closed objects, no bounds. Pure.
import { isJsonObject, type JsonObject } from "../json.ts";
import type { CompiledSchema } from "./wire.ts";

/** Keywords that structured outputs refuse. They are left out and reported, so the model is not held to them. */
const UNENFORCED_KEYWORDS = new Set([
	"minimum",
	"maximum",
	"exclusiveMinimum",
	"exclusiveMaximum",
	"multipleOf",
	"minLength",
	"maxLength",
	"maxItems",
	"uniqueItems",
	"minProperties",
	"maxProperties",
	"patternProperties",
	"propertyNames",
]);
/** Keywords whose members are schemas by name. Those names are the client's, not keywords. */
const NAMED_SCHEMA_KEYWORDS = new Set(["properties", "$defs", "definitions"]);
/** Keywords whose value is never a schema. */
const DATA_KEYWORDS = new Set(["enum", "const", "default", "examples", "required"]);

function compileKeyword(key: string, value: unknown, dropped: Set<string>): unknown {
	if (DATA_KEYWORDS.has(key)) return value;
	if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? compileSubschema(item, dropped) : item));
	if (!isJsonObject(value)) return value;
	if (!NAMED_SCHEMA_KEYWORDS.has(key)) return compileSubschema(value, dropped);
	return Object.fromEntries(
		Object.entries(value).map(([name, schema]) => [
			name,
			isJsonObject(schema) ? compileSubschema(schema, dropped) : schema,
		]),
	);
}

function compileSubschema(schema: JsonObject, dropped: Set<string>): JsonObject {
	const entries: [string, unknown][] = [];
	for (const [key, value] of Object.entries(schema)) {
		const isRefused = UNENFORCED_KEYWORDS.has(key) || (key === "minItems" && value !== 0 && value !== 1);
		if (isRefused) dropped.add(key);
		else entries.push([key, compileKeyword(key, value, dropped)]);
	}
	const isObject = schema["type"] === "object" || "properties" in schema;
	if (!isObject) return Object.fromEntries(entries);
	// Structured outputs cannot enforce an open object, so it is closed. This is reported when the client opened it
	// explicitly.
	const open = schema["additionalProperties"];
	if (open !== undefined && open !== false) dropped.add("additionalProperties");
	return { ...Object.fromEntries(entries), additionalProperties: false };
}

/** By schema: that of an answer is compiled once, for all models and copies of a call. */
const compiledSchemas = new WeakMap<JsonObject, CompiledSchema>();

/** Compiles the schema of an answer. The size limit of the request body bounds its nesting. */
export function compileAnthropicSchema(schema: JsonObject): CompiledSchema {
	const known = compiledSchemas.get(schema);
	if (known) return known;
	const dropped = new Set<string>();
	const compiled = { schema: compileSubschema(schema, dropped), dropped: [...dropped].sort() };
	compiledSchemas.set(schema, compiled);
	return compiled;
}

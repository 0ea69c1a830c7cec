// Compiles JSON Schema to the OpenAPI subset that Gemini takes for tool parameters and answers. Pure.
import { isJsonObject, type JsonObject } from "../json.ts";
import type { CompiledSchema } from "./wire.ts";

/** Deeper nesting, references included, is cut to `{type: "object"}`. */
const MAX_COMPILED_DEPTH = 32;
/**
 * Most schemas that one schema may expand to, with references and branches written out. A short text can expand to
 * billions.
 */
const MAX_COMPILED_NODES = 5_000;

const SCHEMA_TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** The formats Gemini knows, by type. It refuses a request with any other. */
const GOOGLE_FORMATS: Readonly<Record<string, readonly string[]>> = {
	string: ["enum", "date-time"],
	integer: ["int32", "int64"],
	number: ["float", "double"],
};
/** Keywords that are translated. Any other is reported. */
const TRANSLATED_KEYWORDS = new Set([
	"type",
	"format",
	"description",
	"nullable",
	"enum",
	"const",
	"items",
	"properties",
	"required",
	"propertyOrdering",
	"minItems",
	"maxItems",
	"minimum",
	"maximum",
	"anyOf",
	"oneOf",
	"$defs",
	"definitions",
]);

interface CompilerState {
	root: JsonObject;
	dropped: Set<string>;
	nodesLeft: number;
}

/** The compiler's position: the references being resolved, and the depth. */
interface SchemaPosition {
	refs: ReadonlySet<string>;
	depth: number;
}

function arrayOrEmpty(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function uniqueStrings(value: unknown): string[] {
	return [...new Set(arrayOrEmpty(value).filter((item) => typeof item === "string"))];
}

function decodeUri(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** The target of a local reference (an RFC 6901 pointer in a fragment); undefined when there is none. */
function resolveReference(root: JsonObject, ref: string): JsonObject | undefined {
	if (ref !== "#" && !ref.startsWith("#/")) return undefined;
	let node: unknown = root;
	for (const token of ref.split("/").slice(1)) {
		const key = decodeUri(token).replaceAll("~1", "/").replaceAll("~0", "~");
		if (typeof node !== "object" || node === null) return undefined;
		node = Object.getOwnPropertyDescriptor(node, key)?.value;
	}
	return isJsonObject(node) ? node : undefined;
}

/** Merges two schemas. Where they differ, the first wins. */
function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
	const merged: JsonObject = { ...second, ...first };
	const [a, b] = [first["properties"], second["properties"]];
	if (isJsonObject(a) && isJsonObject(b)) merged["properties"] = { ...a, ...b, ...a };
	const required = [...uniqueStrings(first["required"]), ...uniqueStrings(second["required"])];
	if (required.length > 0) merged["required"] = required;
	return merged;
}

/** Spends one node of the budget. When nothing is left, it reports what was cut and returns false. */
function spendNode(context: CompilerState, { refs, depth }: SchemaPosition): boolean {
	context.nodesLeft -= 1;
	if (depth <= MAX_COMPILED_DEPTH && context.nodesLeft >= 0) return true;
	context.dropped.add(refs.size > 1 ? "$ref" : "properties");
	return false;
}

/** Merges a schema's `$ref` and `allOf` into it. The references followed on the way hold for its children, too. */
function flatten(
	schema: JsonObject,
	context: CompilerState,
	place: SchemaPosition,
): { schema: JsonObject; refs: ReadonlySet<string> } {
	if (!spendNode(context, place)) return { schema: { type: "object" }, refs: place.refs };
	const { $ref: ref, allOf, ...own } = schema;
	let merged: JsonObject = own;
	const refs = new Set(place.refs);
	const include = (part: JsonObject, passed: ReadonlySet<string>) => {
		const flat = flatten(part, context, { refs: passed, depth: place.depth + 1 });
		if (["anyOf", "oneOf"].some((key) => key in merged && key in flat.schema)) context.dropped.add("allOf");
		merged = mergeSchemas(merged, flat.schema);
		for (const passedRef of flat.refs) refs.add(passedRef);
	};
	if (ref !== undefined) {
		const target = typeof ref === "string" && !place.refs.has(ref) ? resolveReference(context.root, ref) : undefined;
		if (target && typeof ref === "string") include(target, new Set([...place.refs, ref]));
		else {
			context.dropped.add("$ref");
			merged = mergeSchemas(merged, { type: "object" });
		}
	}
	for (const part of arrayOrEmpty(allOf)) if (isJsonObject(part)) include(part, place.refs);
	return { schema: merged, refs };
}

/** The values that a schema lists; null when it lists none. */
function allowedValues(schema: JsonObject): unknown[] | null {
	if (Array.isArray(schema["enum"])) return schema["enum"];
	return "const" in schema ? [schema["const"]] : null;
}

function valueType(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "array";
	if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
	return typeof value;
}

/** The types that a schema names, or those that its other keywords imply. */
function schemaTypes(schema: JsonObject, context: CompilerState): string[] {
	const { type } = schema;
	const named = typeof type === "string" ? [type] : uniqueStrings(type);
	const types = named.map((name) => name.toLowerCase()).filter((name) => SCHEMA_TYPES.has(name));
	if (types.length < named.length || (type !== undefined && named.length === 0)) context.dropped.add("type");
	if (types.length > 0) return types;
	const values = allowedValues(schema);
	if (values) return [...new Set(values.map(valueType))].filter((name) => SCHEMA_TYPES.has(name));
	if ("properties" in schema) return ["object"];
	return "items" in schema || "prefixItems" in schema ? ["array"] : [];
}

/** Whether a value can stand in a Gemini `enum`, which takes only non-empty strings. */
function isListable(value: unknown): boolean {
	return typeof value === "string" && value !== "";
}

/**
 * The `enum` of a string. A list with an empty string is left out, because without that string it would forbid what the
 * schema allows.
 */
function enumFields(schema: JsonObject): JsonObject {
	const strings = allowedValues(schema)?.filter((value) => typeof value === "string") ?? [];
	return strings.length > 0 && strings.every(isListable) ? { enum: [...new Set(strings)] } : {};
}

/** Puts values that no `enum` can list into the schema's description. */
function describeValues(schema: JsonObject, context: CompilerState): JsonObject {
	const values = (allowedValues(schema) ?? []).filter((value) => value !== null);
	const description = typeof schema["description"] === "string" ? schema["description"] : undefined;
	if (values.every(isListable)) return { ...schema, description };
	context.dropped.add("enum" in schema ? "enum" : "const");
	const listing = `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}`;
	return { ...schema, description: description ? `${description} (${listing})` : listing };
}

function objectFields(schema: JsonObject, context: CompilerState, place: SchemaPosition): JsonObject {
	const entries = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
	const required = uniqueStrings(schema["required"]);
	const names = new Set(entries.map(([name]) => name));
	const known = required.filter((name) => names.has(name));
	if (known.length < required.length) context.dropped.add("required");
	// Gemini refuses an empty `properties`. An object without `properties` may hold anything.
	if (entries.length === 0) return {};
	const properties = Object.fromEntries(
		entries.map(([name, property]) => [name, compileNode(property, context, place)]),
	);
	const ordering = uniqueStrings(schema["propertyOrdering"]).filter((name) => names.has(name));
	return {
		properties,
		...(known.length > 0 ? { required: known } : {}),
		...(ordering.length > 0 ? { propertyOrdering: ordering } : {}),
	};
}

/** Gemini requires `items`. A tuple becomes a list of any of its members. */
function arrayFields(schema: JsonObject, context: CompilerState, place: SchemaPosition): JsonObject {
	const { items, prefixItems } = schema;
	if (Array.isArray(items)) context.dropped.add("items");
	const members = Array.isArray(items) ? items : isJsonObject(items) ? [] : arrayOrEmpty(prefixItems);
	const fields: JsonObject = {
		items: members.length > 0 ? compileNode({ anyOf: members }, context, place) : compileNode(items, context, place),
	};
	for (const key of ["minItems", "maxItems"]) {
		const bound = schema[key];
		if (Number.isSafeInteger(bound) && Number(bound) >= 0) fields[key] = bound;
		else if (bound !== undefined) context.dropped.add(key);
	}
	return fields;
}

/** What a schema says of one of its types. Keywords that do not apply to that type are left out. */
function compileType(type: string, schema: JsonObject, context: CompilerState, place: SchemaPosition): JsonObject {
	const fields: JsonObject = { type, ...(type === "string" ? enumFields(schema) : {}) };
	if (type === "object") return { ...fields, ...objectFields(schema, context, place) };
	if (type === "array") return { ...fields, ...arrayFields(schema, context, place) };
	const { format } = schema;
	if (typeof format === "string" && GOOGLE_FORMATS[type]?.includes(format)) fields["format"] = format;
	else if (format !== undefined) context.dropped.add("format");
	if (type !== "number" && type !== "integer") return fields;
	for (const key of ["minimum", "maximum"]) {
		const bound = schema[key];
		if (typeof bound === "number" && Number.isFinite(bound)) fields[key] = bound;
		else if (bound !== undefined) context.dropped.add(key);
	}
	return fields;
}

/** Combines variants into one schema. A `null` variant becomes `nullable`; a single variant needs no `anyOf`. */
function combineVariants(variants: readonly JsonObject[], outer: JsonObject): JsonObject {
	const { description, nullable } = outer;
	const named = typeof description === "string" ? { description } : {};
	const unique = [...new Map(variants.map((variant) => [JSON.stringify(variant), variant])).values()];
	const solid = unique.filter(({ type }) => type !== "null");
	const none = solid.length < unique.length || nullable === true ? { nullable: true } : {};
	const [only] = solid;
	if (!only) return { ...named, ...(unique.length > 0 ? { type: "null" } : none) };
	// A variant without keywords allows everything, so the union does, too.
	if (solid.some((variant) => Object.keys(variant).length === 0)) return { ...named };
	return solid.length === 1 ? { ...only, ...named, ...none } : { ...named, anyOf: solid, ...none };
}

function compileNode(raw: unknown, context: CompilerState, place: SchemaPosition): JsonObject {
	if (!isJsonObject(raw)) return {};
	const { schema, refs } = flatten(raw, context, place);
	const inner: SchemaPosition = { refs, depth: place.depth + 1 };
	for (const key of Object.keys(schema)) if (!TRANSLATED_KEYWORDS.has(key)) context.dropped.add(key);
	const { anyOf, oneOf, ...base } = schema;
	const branches = arrayOrEmpty(anyOf ?? oneOf).filter(isJsonObject);
	if (anyOf !== undefined && oneOf !== undefined) context.dropped.add("oneOf");
	if (branches.length > 0) {
		// Beside `anyOf` Gemini reads little else. The other keywords go into each branch.
		const { description: _, nullable: __, $defs: ___, definitions: ____, ...shared } = base;
		return combineVariants(
			branches.map((branch) => compileNode(mergeSchemas(branch, shared), context, inner)),
			base,
		);
	}
	const types = schemaTypes(base, context);
	const values = allowedValues(base);
	const variants = types.map((type) => compileType(type, base, context, inner));
	if (values?.includes(null)) variants.push({ type: "null" });
	return combineVariants(variants, describeValues(base, context));
}

/**
 * Compiles a schema for `responseSchema`. Never throws; what cannot be expressed is left out and named in `dropped`.
 */
export function compileGoogleSchema(schema: JsonObject): CompiledSchema {
	const context: CompilerState = { root: schema, dropped: new Set(), nodesLeft: MAX_COMPILED_NODES };
	const compiled = compileNode(schema, context, { refs: new Set(["#"]), depth: 0 });
	return { schema: compiled, dropped: [...context.dropped].sort() };
}

/**
 * Compiles a schema for a function's `parameters`, whose root must be an object. Variants at the root become one object
 * with the properties of all. A property is required when all variants require it.
 */
export function compileGoogleParameters(schema: JsonObject): CompiledSchema {
	const compiled = compileGoogleSchema(schema);
	const { anyOf, nullable: _, ...rest } = compiled.schema;
	if (!Array.isArray(anyOf)) {
		if (rest["type"] === "object") return { schema: rest, dropped: compiled.dropped };
		const dropped = rest["type"] === undefined ? compiled.dropped : [...new Set([...compiled.dropped, "type"])].sort();
		return { schema: { type: "object" }, dropped };
	}
	const variants = anyOf.filter(isJsonObject);
	const properties: JsonObject = {};
	for (const variant of variants) {
		for (const [name, property] of Object.entries(isJsonObject(variant["properties"]) ? variant["properties"] : {})) {
			if (!Object.hasOwn(properties, name))
				Object.defineProperty(properties, name, { value: property, enumerable: true, configurable: true });
		}
	}
	const required = Object.keys(properties).filter((name) =>
		variants.every((variant) => uniqueStrings(variant["required"]).includes(name)),
	);
	return {
		schema: {
			...rest,
			type: "object",
			...(Object.keys(properties).length > 0 ? { properties } : {}),
			...(required.length > 0 ? { required } : {}),
		},
		dropped: [...new Set([...compiled.dropped, "anyOf"])].sort(),
	};
}

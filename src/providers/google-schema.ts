// JSON Schema down to the OpenAPI subset that Gemini takes for tool parameters and answers. Pure.
import { isJsonObject, type JsonObject } from "./json.ts";
import type { CompiledSchema } from "./wire.ts";

/** Nesting, references included, beyond which a schema is cut to `{type: "object"}`. */
const MAX_SCHEMA_DEPTH = 32;
/** Schemas made of one, references and branches written out; a small text can stand for billions. */
const MAX_SCHEMA_NODES = 5_000;

const SCHEMA_TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** The formats Gemini knows, by type; it refuses the request over any other. */
const GOOGLE_FORMATS: Readonly<Record<string, readonly string[]>> = {
	string: ["enum", "date-time"],
	integer: ["int32", "int64"],
	number: ["float", "double"],
};
/** Keywords that are translated; every other one is reported. */
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

/** Where the compiler stands: references being resolved, and how deep. */
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

/** What a local reference (RFC 6901 pointer in a fragment) points at. */
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

/** Both schemas as one; where they differ, the first wins. */
function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
	const merged: JsonObject = { ...second, ...first };
	const [a, b] = [first["properties"], second["properties"]];
	if (isJsonObject(a) && isJsonObject(b)) merged["properties"] = { ...a, ...b, ...a };
	const required = [...uniqueStrings(first["required"]), ...uniqueStrings(second["required"])];
	if (required.length > 0) merged["required"] = required;
	return merged;
}

/** Takes one from the budget; says what was cut when nothing is left. */
function spendNode(context: CompilerState, { refs, depth }: SchemaPosition): boolean {
	context.nodesLeft -= 1;
	if (depth <= MAX_SCHEMA_DEPTH && context.nodesLeft >= 0) return true;
	context.dropped.add(refs.size > 1 ? "$ref" : "properties");
	return false;
}

/** A schema with its `$ref` and `allOf` merged into it; the references passed on the way are those of its children. */
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

/** The values a schema allows one by one, if it does. */
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

/** The types a schema names, or those its other keywords speak of. */
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

/** Whether a value can stand in a Gemini `enum`: strings only, and none of them empty. */
function isListable(value: unknown): boolean {
	return typeof value === "string" && value !== "";
}

/** The `enum` of a string; a list with an empty string in it would forbid what the schema allows, and is left out. */
function enumFields(schema: JsonObject): JsonObject {
	const strings = allowedValues(schema)?.filter((value) => typeof value === "string") ?? [];
	return strings.length > 0 && strings.every(isListable) ? { enum: [...new Set(strings)] } : {};
}

/** The description of a schema; values that no `enum` can list are told in words there. */
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
	// Gemini refuses an empty `properties`, while an object without any may hold anything.
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

/** Gemini insists on `items`; a tuple becomes a list of any of its members. */
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

/** What a schema says of one of its types; keywords that do not speak of that type have no effect on it. */
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

/** One schema of several: `null` among them is `nullable`, a single one stands for itself. */
function combineVariants(variants: readonly JsonObject[], outer: JsonObject): JsonObject {
	const { description, nullable } = outer;
	const named = typeof description === "string" ? { description } : {};
	const unique = [...new Map(variants.map((variant) => [JSON.stringify(variant), variant])).values()];
	const solid = unique.filter(({ type }) => type !== "null");
	const none = solid.length < unique.length || nullable === true ? { nullable: true } : {};
	const [only] = solid;
	if (!only) return { ...named, ...(unique.length > 0 ? { type: "null" } : none) };
	// A variant without any keyword allows everything, and so do they all together.
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
		// Beside `anyOf` Gemini reads little else, so what stands beside it goes into each branch.
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

function start(schema: JsonObject): { context: CompilerState; place: SchemaPosition } {
	return {
		context: { root: schema, dropped: new Set(), nodesLeft: MAX_SCHEMA_NODES },
		place: { refs: new Set(["#"]), depth: 0 },
	};
}

/** Compiles a schema for `responseSchema`. Never throws; what cannot be said is left out and named in `dropped`. */
export function compileGoogleSchema(schema: JsonObject): CompiledSchema {
	const { context, place } = start(schema);
	const compiled = compileNode(schema, context, place);
	return { schema: compiled, dropped: [...context.dropped].sort() };
}

/**
 * Compiles a schema for a function's `parameters`, whose root Gemini wants to be an object: variants there become one
 * object with the properties of all, required where all require them.
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

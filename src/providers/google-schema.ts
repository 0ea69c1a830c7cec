// Compiles JSON Schema to the OpenAPI subset that Gemini takes for tool parameters and answers. Pure.
import { isJsonObject, type JsonObject } from "../json.ts";
import { utf8Length } from "../text/utf8.ts";
import { runSteps, type Steps } from "../turns/steps.ts";
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

/** How large a schema is as it is written out, with references and branches. */
export interface SchemaSize {
	nodes: number;
	/** Of keywords, names and values, in UTF-8. */
	bytes: number;
}

interface CompilerState {
	root: JsonObject;
	dropped: Set<string>;
	nodesLeft: number;
	/** What may still be written, or copied on the way. Below 0, nothing is compiled any more. */
	bytesLeft: number;
	/** What was left at the last pause. */
	paused: { nodesLeft: number; bytesLeft: number };
}

/** Compiling a schema takes as long as reading so many characters (turns/steps.ts): 16 µs at most. */
const NODE_CHARS = 128;
/** Work between two pauses. */
const PAUSE_CHARS = 8_192;

/** What was done since the last pause, in characters. */
function unpausedChars({ nodesLeft, bytesLeft, paused }: CompilerState): number {
	return NODE_CHARS * (paused.nodesLeft - nodesLeft) + paused.bytesLeft - bytesLeft;
}

/** Begins a pause. @returns the characters since the last one. */
function startPause(state: CompilerState): number {
	const chars = unpausedChars(state);
	state.paused = { nodesLeft: state.nodesLeft, bytesLeft: state.bytesLeft };
	return chars;
}

/** References that were followed on the way to a place, the innermost first. Lists of lists, because each node has its own. */
interface RefChain {
	refs: ReadonlySet<string>;
	outer: RefChain | null;
}

/** The compiler's position: the references being resolved, and the depth. */
interface SchemaPosition {
	chain: RefChain;
	depth: number;
}

function isFollowed(chain: RefChain, ref: string): boolean {
	for (let at: RefChain | null = chain; at; at = at.outer) if (at.refs.has(ref)) return true;
	return false;
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

/** Adds a member that an object lacks. A client may name it `__proto__`; to define each takes ten times as long. */
function addMember(target: JsonObject, name: string, value: unknown): void {
	if (Object.hasOwn(target, name)) return;
	if (name === "__proto__")
		Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
	else target[name] = value;
}

/** Copying a list of names costs their JSON, however often the same ones are copied: up a chain of references at each of its links. */
function spendNames(names: readonly string[], state: CompilerState): boolean {
	for (const name of names) state.bytesLeft -= name.length + 3;
	return !isSpent(state);
}

/**
 * Merges schemas into a copy of the first. Where they differ, the earlier wins. Each is read once, however many there are: what has
 * been merged is not copied again.
 */
class MergedSchema {
	readonly schema: JsonObject;
	#ownsProperties = false;
	#required: string[] | null = null;

	constructor(first: JsonObject) {
		this.schema = { ...first };
	}

	/** Names that do not fit in the size that the schema may have are left out. */
	add(next: JsonObject, state: CompilerState): void {
		this.#required ??= uniqueStrings(this.schema["required"]);
		const { properties } = this.schema;
		const added = next["properties"];
		if (isJsonObject(properties) && isJsonObject(added)) this.#addProperties(properties, added, state);
		for (const key of Object.keys(next)) addMember(this.schema, key, next[key]);
		const required = uniqueStrings(next["required"]);
		if (required.length > 0 && spendNames(required, state)) for (const name of required) this.#required.push(name);
		if (this.#required.length > 0) this.schema["required"] = this.#required;
	}

	#addProperties(properties: JsonObject, added: JsonObject, state: CompilerState): void {
		if (!this.#ownsProperties && !spendNames(Object.keys(properties), state)) return;
		const own = this.#ownsProperties ? properties : { ...properties };
		this.schema["properties"] = own;
		this.#ownsProperties = true;
		// No more than could be written: each property takes a node.
		const names = Object.keys(added);
		const fitting = names.slice(0, Math.max(0, state.nodesLeft));
		if (fitting.length < names.length) state.dropped.add("properties");
		if (spendNames(fitting, state)) for (const name of fitting) addMember(own, name, added[name]);
	}
}

function mergeSchemas(first: JsonObject, second: JsonObject, state: CompilerState): JsonObject {
	const merged = new MergedSchema(first);
	merged.add(second, state);
	return merged.schema;
}

/** Keywords that are schemas, whose content is counted where it is compiled. */
const STRUCTURE_KEYWORDS = new Set(["$defs", "definitions", "allOf", "anyOf", "oneOf", "items", "prefixItems"]);

/** The JSON of a schema's own keywords and of the names of its properties: what compiling it may write. */
function ownText(schema: JsonObject): string {
	let text = "";
	for (const [key, value] of Object.entries(schema)) {
		if (key === "properties" && isJsonObject(value)) text += JSON.stringify(Object.keys(value));
		else if (!STRUCTURE_KEYWORDS.has(key)) text += key + JSON.stringify(value);
	}
	return text;
}

/** Whether the size that a schema may have is used up. */
function isSpent({ nodesLeft, bytesLeft }: CompilerState): boolean {
	return nodesLeft < 0 || bytesLeft < 0;
}

/** Spends one node of the budget, and its bytes. When nothing is left, it reports what was cut and returns false. */
function spendNode(schema: JsonObject, context: CompilerState, { chain, depth }: SchemaPosition): boolean {
	context.nodesLeft -= 1;
	if (depth <= MAX_COMPILED_DEPTH && !isSpent(context)) {
		context.bytesLeft -= utf8Length(ownText(schema));
		if (!isSpent(context)) return true;
	}
	context.dropped.add(chain.outer ? "$ref" : "properties");
	return false;
}

/** Merges a schema's `$ref` and `allOf` into it. The references followed on the way hold for its children, too. */
function flatten(
	schema: JsonObject,
	context: CompilerState,
	place: SchemaPosition,
): { schema: JsonObject; followed: ReadonlySet<string> } {
	const followed = new Set<string>();
	if (!spendNode(schema, context, place)) return { schema: { type: "object" }, followed };
	const { $ref: ref, allOf, ...own } = schema;
	const merged = new MergedSchema(own);
	const include = (part: JsonObject, chain: RefChain) => {
		const flat = flatten(part, context, { chain, depth: place.depth + 1 });
		if (["anyOf", "oneOf"].some((key) => key in merged.schema && key in flat.schema)) context.dropped.add("allOf");
		merged.add(flat.schema, context);
		for (const passed of flat.followed) followed.add(passed);
	};
	if (ref !== undefined) {
		const target = typeof ref === "string" && !isFollowed(place.chain, ref) && resolveReference(context.root, ref);
		if (target && typeof ref === "string") {
			followed.add(ref);
			include(target, { refs: new Set([ref]), outer: place.chain });
		} else {
			context.dropped.add("$ref");
			merged.add({ type: "object" }, context);
		}
	}
	for (const part of arrayOrEmpty(allOf)) if (isJsonObject(part) && !isSpent(context)) include(part, place.chain);
	return { schema: merged.schema, followed };
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

function* objectFields(schema: JsonObject, context: CompilerState, place: SchemaPosition): Steps<JsonObject> {
	const given = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
	// Each takes a node.
	const entries = given.slice(0, Math.max(1, context.nodesLeft));
	if (entries.length < given.length) context.dropped.add("properties");
	const required = uniqueStrings(schema["required"]);
	const names = new Set(entries.map(([name]) => name));
	const known = required.filter((name) => names.has(name));
	if (known.length < required.length) context.dropped.add("required");
	// Gemini refuses an empty `properties`. An object without `properties` may hold anything.
	if (entries.length === 0) return {};
	const compiled: [string, JsonObject][] = [];
	for (const [name, property] of entries) compiled.push([name, yield* compileNode(property, context, place)]);
	const properties = Object.fromEntries(compiled);
	const ordering = uniqueStrings(schema["propertyOrdering"]).filter((name) => names.has(name));
	return {
		properties,
		...(known.length > 0 ? { required: known } : {}),
		...(ordering.length > 0 ? { propertyOrdering: ordering } : {}),
	};
}

/** Gemini requires `items`. A tuple becomes a list of any of its members. */
function* arrayFields(schema: JsonObject, context: CompilerState, place: SchemaPosition): Steps<JsonObject> {
	const { items, prefixItems } = schema;
	if (Array.isArray(items)) context.dropped.add("items");
	const members = Array.isArray(items) ? items : isJsonObject(items) ? [] : arrayOrEmpty(prefixItems);
	const fields: JsonObject = {
		items: yield* compileNode(members.length > 0 ? { anyOf: members } : items, context, place),
	};
	for (const key of ["minItems", "maxItems"]) {
		const bound = schema[key];
		if (Number.isSafeInteger(bound) && Number(bound) >= 0) fields[key] = bound;
		else if (bound !== undefined) context.dropped.add(key);
	}
	return fields;
}

/** What a schema says of one of its types. Keywords that do not apply to that type are left out. */
function* compileType(
	type: string,
	schema: JsonObject,
	context: CompilerState,
	place: SchemaPosition,
): Steps<JsonObject> {
	const fields: JsonObject = { type, ...(type === "string" ? enumFields(schema) : {}) };
	if (type === "object") return { ...fields, ...(yield* objectFields(schema, context, place)) };
	if (type === "array") return { ...fields, ...(yield* arrayFields(schema, context, place)) };
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

/** The first of each variants that say the same. Each is written out to be compared, which counts like writing it. */
function uniqueVariants(variants: readonly JsonObject[], context: CompilerState): JsonObject[] {
	const byText = new Map<unknown, JsonObject>();
	for (const variant of variants) {
		const text = variants.length > 1 && !isSpent(context) ? JSON.stringify(variant) : variant;
		if (typeof text === "string") context.bytesLeft -= text.length;
		byText.set(text, variant);
	}
	return [...byText.values()];
}

/** Combines variants into one schema. A `null` variant becomes `nullable`; a single variant needs no `anyOf`. */
function combineVariants(variants: readonly JsonObject[], outer: JsonObject, context: CompilerState): JsonObject {
	const { description, nullable } = outer;
	const named = typeof description === "string" ? { description } : {};
	const solid = uniqueVariants(
		variants.filter(({ type }) => type !== "null"),
		context,
	);
	const none = variants.some(({ type }) => type === "null") || nullable === true ? { nullable: true } : {};
	const [only] = solid;
	if (!only) return { ...named, ...(variants.length > 0 ? { type: "null" } : none) };
	// A variant without keywords allows everything, so the union does, too.
	if (solid.some((variant) => Object.keys(variant).length === 0)) return { ...named };
	return solid.length === 1 ? { ...only, ...named, ...none } : { ...named, anyOf: solid, ...none };
}

function* compileNode(raw: unknown, context: CompilerState, place: SchemaPosition): Steps<JsonObject> {
	if (unpausedChars(context) >= PAUSE_CHARS) yield startPause(context);
	if (!isJsonObject(raw)) {
		context.nodesLeft -= 1;
		return {};
	}
	const { schema, followed } = flatten(raw, context, place);
	const chain = followed.size > 0 ? { refs: followed, outer: place.chain } : place.chain;
	const inner: SchemaPosition = { chain, depth: place.depth + 1 };
	for (const key of Object.keys(schema)) if (!TRANSLATED_KEYWORDS.has(key)) context.dropped.add(key);
	const { anyOf, oneOf, ...base } = schema;
	const branches = arrayOrEmpty(anyOf ?? oneOf).filter(isJsonObject);
	if (anyOf !== undefined && oneOf !== undefined) context.dropped.add("oneOf");
	if (branches.length > 0) {
		// Beside `anyOf` Gemini reads little else. The other keywords go into each branch.
		const { description: _, nullable: __, $defs: ___, definitions: ____, ...shared } = base;
		const variants: JsonObject[] = [];
		for (const branch of branches) {
			const merged = isSpent(context) ? null : mergeSchemas(branch, shared, context);
			variants.push(merged ? yield* compileNode(merged, context, inner) : { type: "object" });
		}
		return combineVariants(variants, base, context);
	}
	const types = schemaTypes(base, context);
	const values = allowedValues(base);
	const variants: JsonObject[] = [];
	for (const type of types) variants.push(yield* compileType(type, base, context, inner));
	if (values?.includes(null)) variants.push({ type: "null" });
	return combineVariants(variants, describeValues(base, context), context);
}

export interface MeasuredSchema extends SchemaSize {
	compiled: CompiledSchema;
}

/** By schema: a call's schemas are compiled once, for all models and copies of the call. */
const measuredSchemas = new WeakMap<JsonObject, MeasuredSchema>();

/**
 * Compiles a schema, and says how large it is as it is written out. Never throws; what cannot be expressed, or is too much, is left
 * out and named in `dropped`.
 * @param mostBytes what it may come to. A schema that is larger is not written to its end, and its `bytes` are more than this.
 */
export function* measureGoogleSchemaInSteps(schema: JsonObject, mostBytes: number): Steps<MeasuredSchema> {
	const known = measuredSchemas.get(schema);
	if (known) return known;
	const left = { nodesLeft: MAX_COMPILED_NODES, bytesLeft: mostBytes };
	const state = { root: schema, dropped: new Set<string>(), ...left, paused: left };
	const compiled = yield* compileNode(schema, state, { chain: { refs: new Set(["#"]), outer: null }, depth: 0 });
	yield startPause(state);
	const measured = {
		compiled: { schema: compiled, dropped: [...state.dropped].sort() },
		nodes: Math.min(MAX_COMPILED_NODES - state.nodesLeft, MAX_COMPILED_NODES),
		bytes: mostBytes - state.bytesLeft,
	};
	measuredSchemas.set(schema, measured);
	return measured;
}

/** Lets a schema be compiled to what another with the same text was. */
export function shareGoogleSchema(schema: JsonObject, measured: MeasuredSchema): void {
	measuredSchemas.set(schema, measured);
}

/** Most bytes of the schemas of one request, as they are written out. */
export const MAX_SCHEMA_BYTES = 4_194_304;

/**
 * Compiles a schema for `responseSchema`. Never throws; what cannot be expressed is left out and named in `dropped`.
 */
export function compileGoogleSchema(schema: JsonObject): CompiledSchema {
	return runSteps(measureGoogleSchemaInSteps(schema, MAX_SCHEMA_BYTES)).compiled;
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
	const requiredBy = new Map<string, number>();
	for (const variant of variants)
		for (const name of uniqueStrings(variant["required"])) requiredBy.set(name, (requiredBy.get(name) ?? 0) + 1);
	const required = Object.keys(properties).filter((name) => requiredBy.get(name) === variants.length);
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

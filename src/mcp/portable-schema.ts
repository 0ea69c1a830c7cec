// Rewrites a JSON Schema of arguments so that every client can pass it to its model: each schema has one type, as the function
// declarations of several providers require. It accepts what the original accepts and more, except null for optional arguments, which the
// endpoint still accepts. Pure.
import type { JsonSchema } from "../http/json-schema.ts";
import { isJsonObject } from "../json.ts";

const NULL = "null";

function isNull(schema: unknown): boolean {
	return isJsonObject(schema) && schema["type"] === NULL;
}

/** The schema of an optional argument without null, which means the same as leaving it out. */
function withoutNull({ anyOf, type, ...rest }: JsonSchema): JsonSchema {
	if (Array.isArray(anyOf)) {
		const others = anyOf.filter((each) => !isNull(each));
		const [only] = others;
		return others.length === 1 && isJsonObject(only) ? withoutNull({ ...only, ...rest }) : { ...rest, anyOf: others };
	}
	if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest };
	const types = type.filter((each) => each !== NULL);
	return { type: types.length === 1 ? types[0] : types, ...rest };
}

function toPortableProperties(properties: JsonSchema, required: readonly unknown[]): JsonSchema {
	const portable = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
		if (!isJsonObject(schema)) return [[name, schema]];
		if (required.includes(name)) return [[name, toPortableSchema(schema)]];
		// A field that may only be null exists to be refused with a message. It is no argument.
		return isNull(schema) ? [] : [[name, toPortableSchema(withoutNull(schema))]];
	});
	return Object.fromEntries(portable);
}

/** A schema of several types as a choice of schemas with one type each. */
function splitTypes(schema: JsonSchema): JsonSchema {
	const { type, ...rest } = schema;
	return Array.isArray(type) ? { ...rest, anyOf: type.map((each: unknown) => ({ type: each })) } : schema;
}

function isSchema(value: unknown): value is JsonSchema {
	return isJsonObject(value);
}

/** The values that a schema allows, if it lists them. */
function listedValues(schema: JsonSchema): unknown[] | null {
	if (Array.isArray(schema["enum"])) return schema["enum"];
	return "const" in schema ? [schema["const"]] : null;
}

/** The branches of a schema, itself where it is no choice. */
function schemaBranches(schema: JsonSchema): JsonSchema[] {
	const { anyOf } = schema;
	return Array.isArray(anyOf) && Object.keys(schema).length === 1
		? anyOf.filter(isSchema).flatMap(schemaBranches)
		: [schema];
}

function mergeObjects(a: JsonSchema, b: JsonSchema): JsonSchema {
	const ours: JsonSchema = Object(a["properties"]);
	const theirs: JsonSchema = Object(b["properties"]);
	const properties = Object.entries({ ...ours, ...theirs }).map(([name, schema]): [string, unknown] => {
		const [own, other] = [ours[name], theirs[name]];
		return [name, isSchema(own) && isSchema(other) ? toChoice([own, other]) : schema];
	});
	const others = Array.isArray(b["required"]) ? b["required"] : [];
	const required = Array.isArray(a["required"]) ? a["required"].filter((name) => others.includes(name)) : [];
	return { type: "object", properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) };
}

function mergeArrays(a: JsonSchema, b: JsonSchema): JsonSchema {
	const items = isSchema(a["items"]) && isSchema(b["items"]) ? { items: toChoice([a["items"], b["items"]]) } : {};
	return { type: "array", ...items };
}

/** One schema for two that may be one: two objects, two lists, or two words. Null for others. */
function mergePair(a: JsonSchema, b: JsonSchema): JsonSchema | null {
	if (JSON.stringify(a) === JSON.stringify(b)) return a;
	if (a["type"] !== b["type"]) return null;
	if (a["type"] === "object") return mergeObjects(a, b);
	if (a["type"] === "array") return mergeArrays(a, b);
	const [own, other] = [listedValues(a), listedValues(b)];
	return own && other ? { type: a["type"], enum: [...new Set([...own, ...other])] } : null;
}

/**
 * One schema for a choice of several. Objects become one object with the members of all, required where all require them. The
 * variants of a message repeat most of their members, and several providers take no choice of objects.
 */
function toChoice(choices: readonly JsonSchema[]): JsonSchema {
	const merged: JsonSchema[] = [];
	for (const branch of choices.flatMap(schemaBranches)) {
		const index = merged.findIndex((known) => mergePair(known, branch) !== null);
		const known = merged[index];
		const both = known && mergePair(known, branch);
		if (both) merged[index] = both;
		else merged.push(branch);
	}
	const [only] = merged;
	return merged.length === 1 && only ? only : { anyOf: merged };
}

/** The schema in a form that every client can pass on. */
export function toPortableSchema(schema: JsonSchema): JsonSchema {
	const members = Object.entries(schema).map(([name, value]): [string, unknown] => {
		if (name === "properties" && isJsonObject(value)) {
			const { required } = schema;
			return [name, toPortableProperties(value, Array.isArray(required) ? required : [])];
		}
		// `true` means the same as an empty schema, in which some clients would look for keywords.
		if (name === "additionalProperties" && isJsonObject(value))
			return [name, Object.keys(value).length === 0 || toPortableSchema(value)];
		if (isJsonObject(value) && name === "items") return [name, toPortableSchema(value)];
		if (Array.isArray(value) && (name === "anyOf" || name === "oneOf"))
			return ["anyOf", value.map((each: unknown) => (isJsonObject(each) ? toPortableSchema(each) : each))];
		return [name, value];
	});
	const { propertyNames, anyOf, ...split } = splitTypes(Object.fromEntries(members));
	const typed = "properties" in split && split["additionalProperties"] === true;
	const { additionalProperties, ...closed } = split;
	const rest = {
		...(typed ? closed : split),
		...(Array.isArray(anyOf) ? toChoice(anyOf.filter(isSchema)) : {}),
	};
	// Names are strings in all JSON.
	const namesAreAny = JSON.stringify(propertyNames) === '{"type":"string"}';
	return propertyNames === undefined || namesAreAny ? rest : { ...rest, propertyNames };
}

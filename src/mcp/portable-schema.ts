// Rewrites a JSON Schema of arguments so that every client can pass it to its model: each schema has one type, as the function
// declarations of several providers require. It accepts what the original accepts, except null for optional arguments, which the
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
			return [name, value.map((each: unknown) => (isJsonObject(each) ? toPortableSchema(each) : each))];
		return [name, value];
	});
	const { propertyNames, ...rest } = splitTypes(Object.fromEntries(members));
	// Names are strings in all JSON.
	const namesAreAny = JSON.stringify(propertyNames) === '{"type":"string"}';
	return propertyNames === undefined || namesAreAny ? rest : { ...rest, propertyNames };
}

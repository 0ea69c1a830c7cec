// Writes a JSON Schema of arguments so that every client can hand it to its model: what an argument may be is said in one type,
// as function declarations of several model providers want it. It refuses nothing that the schema took, but for a null where
// an argument can be left out, which the endpoint takes all the same. Pure.
import type { JsonSchema } from "../http/json-schema.ts";

const NULL = "null";

function isSchema(value: unknown): value is JsonSchema {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNull(schema: unknown): boolean {
	return isSchema(schema) && schema["type"] === NULL;
}

/** What an argument may be when it is there: without null, which says the same as leaving it out. */
function withoutNull({ anyOf, type, ...rest }: JsonSchema): JsonSchema {
	if (Array.isArray(anyOf)) {
		const others = anyOf.filter((each) => !isNull(each));
		const [only] = others;
		return others.length === 1 && isSchema(only) ? withoutNull({ ...only, ...rest }) : { ...rest, anyOf: others };
	}
	if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest };
	const types = type.filter((each) => each !== NULL);
	return { type: types.length === 1 ? types[0] : types, ...rest };
}

function toPortableProperties(properties: JsonSchema, required: readonly unknown[]): JsonSchema {
	const kept = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
		if (!isSchema(schema)) return [[name, schema]];
		if (required.includes(name)) return [[name, toPortableSchema(schema)]];
		// What may be nothing but null is there to be refused with a message, and no argument.
		return isNull(schema) ? [] : [[name, toPortableSchema(withoutNull(schema))]];
	});
	return Object.fromEntries(kept);
}

/** Several types as a choice of schemas that have one each. */
function splitTypes(schema: JsonSchema): JsonSchema {
	const { type, ...rest } = schema;
	return Array.isArray(type) ? { ...rest, anyOf: type.map((each: unknown) => ({ type: each })) } : schema;
}

/** The same schema in a form that every client can pass on. */
export function toPortableSchema(schema: JsonSchema): JsonSchema {
	const members = Object.entries(schema).map(([name, value]): [string, unknown] => {
		if (name === "properties" && isSchema(value)) {
			const { required } = schema;
			return [name, toPortableProperties(value, Array.isArray(required) ? required : [])];
		}
		// An empty schema takes what `true` takes, and says it to those who look for keywords.
		if (name === "additionalProperties" && isSchema(value))
			return [name, Object.keys(value).length === 0 || toPortableSchema(value)];
		if (isSchema(value) && name === "items") return [name, toPortableSchema(value)];
		if (Array.isArray(value) && (name === "anyOf" || name === "oneOf"))
			return [name, value.map((each: unknown) => (isSchema(each) ? toPortableSchema(each) : each))];
		return [name, value];
	});
	const { propertyNames, ...rest } = splitTypes(Object.fromEntries(members));
	// Names are strings in any JSON.
	const namesAreAny = JSON.stringify(propertyNames) === '{"type":"string"}';
	return propertyNames === undefined || namesAreAny ? rest : { ...rest, propertyNames };
}

// Writes the client's types and routes from the list of endpoints: a TypeScript module. Pure.
import type { Endpoint } from "../http/endpoint.ts";
import { type JsonSchema, toJsonSchema } from "../http/json-schema.ts";

/** Other libraries speak these well, or they are for pages, protocols and operators. */
const LEFT_OUT = /^\/(?:v1\/(?:responses|messages|mcp)(?:\/|$)|openapi\.json$|internal\/)/;

/** An object that occurs twice and is longer than this gets a name. */
const MAX_INLINE_CHARS = 160;

/** Whether the client has an endpoint. */
function isOffered({ path, access, mediaType, internal }: Endpoint): boolean {
	const isRead = mediaType === undefined || mediaType === "application/json" || mediaType === "text/plain";
	return isRead && !internal && (access === "public" || access === "key") && !LEFT_OUT.test(path);
}

/** Whether a request may be sent twice although the first one may have arrived. */
function isRepeatable({ method, effect }: Endpoint): boolean {
	return effect === "none" || method === "GET" || method === "PUT" || method === "DELETE";
}

/** What distinguishes a type: its schema but for the words about it. */
function typeKey(schema: JsonSchema): string {
	return JSON.stringify({ ...schema, description: undefined, default: undefined });
}

function toPascalCase(name: string): string {
	return name.replaceAll(/(?:^|_+)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function renderDoc({ description }: JsonSchema, indent: string): string {
	return typeof description === "string" ? `${indent}/** ${description.replaceAll("*/", "*\\/")} */\n` : "";
}

/** Names of types that occur more than once, by their key. */
class SharedTypes {
	#counts = new Map<string, number>();
	#names = new Map<string, string>();
	/** Names with what they stand for, in the order of their first use. */
	readonly named = new Map<string, JsonSchema>();

	/** Counts an object, and what is in it, once for each place. @param name the member that it stands under. */
	count(schema: unknown, name: string): void {
		if (typeof schema !== "object" || schema === null) return;
		if (Array.isArray(schema)) {
			for (const part of schema) this.count(part, name);
			return;
		}
		const object = schema as JsonSchema;
		if (object["type"] === "object") {
			const key = typeKey(object);
			this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
			if (key.length > MAX_INLINE_CHARS && this.#counts.get(key) === 2) this.#nameType(key, object, name);
		}
		for (const [member, part] of Object.entries(object)) {
			if (member !== "properties") this.count(part, name);
			else for (const [property, its] of Object.entries(part as JsonSchema)) this.count(its, property);
		}
	}

	#nameType(key: string, schema: JsonSchema, member: string): void {
		const base = toPascalCase(member);
		let name = base;
		for (let number = 2; this.named.has(name); number++) name = `${base}${number}`;
		this.#names.set(key, name);
		this.named.set(name, schema);
	}

	/** The name of a type; undefined for one that stands in one place. */
	find(schema: JsonSchema): string | undefined {
		return this.#names.get(typeKey(schema));
	}
}

/** Renders JSON Schemas as TypeScript types. What has no type of its own is `unknown`. */
class TypeWriter {
	#shared: SharedTypes;

	constructor(shared: SharedTypes) {
		this.#shared = shared;
	}

	#members(schema: JsonSchema, indent: string): string[] {
		const isRequired = new Set(schema["required"] as string[] | undefined);
		return Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>).map(([name, member]) => {
			const label = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
			const mark = isRequired.has(name) ? "" : "?";
			return `${renderDoc(member, indent)}${indent}${label}${mark}: ${this.render(member, indent)};\n`;
		});
	}

	/** An object's own text, even if it has a name. */
	object(schema: JsonSchema, indent: string): string {
		const members = this.#members(schema, `${indent}\t`);
		const others = schema["additionalProperties"];
		const isOpen = typeof others === "object" && others !== null;
		const rest = isOpen ? this.render(others as JsonSchema, indent) : "unknown";
		if (members.length === 0) return others === false ? "Record<string, never>" : `Record<string, ${rest}>`;
		const open = isOpen ? [`${indent}\t[member: string]: unknown;\n`] : [];
		return `{\n${[...members, ...open].join("")}${indent}}`;
	}

	#array({ items, prefixItems }: JsonSchema, indent: string): string {
		if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => this.render(item, indent)).join(", ")}]`;
		if (items === undefined) return "unknown[]";
		const item = this.render(items as JsonSchema, indent);
		return /^\w+$|^\{[^|]*\}$/.test(item) ? `${item}[]` : `Array<${item}>`;
	}

	#union(schemas: readonly JsonSchema[], indent: string): string {
		return [...new Set(schemas.map((schema) => this.render(schema, indent)))].join(" | ");
	}

	render(schema: JsonSchema, indent: string): string {
		const { const: only, enum: values, anyOf, oneOf, type } = schema;
		if (only !== undefined) return JSON.stringify(only);
		if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
		const either = anyOf ?? oneOf;
		if (Array.isArray(either)) return this.#union(either, indent);
		if (Array.isArray(type))
			return this.#union(
				type.map((each) => ({ ...schema, type: each })),
				indent,
			);
		switch (type) {
			case "object":
				return this.#shared.find(schema) ?? this.object(schema, indent);
			case "array":
				return this.#array(schema, indent);
			case "integer":
				return "number";
			case "string":
			case "number":
			case "boolean":
			case "null":
				return type;
			default:
				return "unknown";
		}
	}
}

/** An endpoint with its schemas as JSON Schemas. */
interface TypedEndpoint {
	endpoint: Endpoint;
	given: { name: "params" | "query" | "body"; schema: JsonSchema; isOptional: boolean }[];
	result: JsonSchema;
}

function toTypedEndpoint(endpoint: Endpoint): TypedEndpoint {
	const given = (["params", "query", "body"] as const).flatMap((name) => {
		const own = endpoint[name];
		if (!own) return [];
		const schema = toJsonSchema(own, "input");
		const isOptional = name === "body" ? endpoint.isBodyOptional === true : !schema["required"];
		return [{ name, schema, isOptional }];
	});
	return { endpoint, given, result: toJsonSchema(endpoint.result, "output") };
}

function renderEndpointType({ endpoint, given, result }: TypedEndpoint, writer: TypeWriter): string {
	const { id, summary, mediaType } = endpoint;
	const members = given.map(
		({ name, schema, isOptional }) => `\t\t${name}${isOptional ? "?" : ""}: ${writer.render(schema, "\t\t")};\n`,
	);
	const answer = mediaType === "text/plain" ? "string" : writer.render(result, "\t\t");
	return `\t/** ${summary} */\n\t${id}: {\n${members.join("")}\t\tresult: ${answer};\n\t};\n`;
}

function renderRoute({ endpoint, result }: TypedEndpoint): string {
	const { id, method, path } = endpoint;
	const repeatable = isRepeatable(endpoint) ? ", isRepeatable: true" : "";
	const [first] = (result["required"] ?? []) as string[];
	const member = first === undefined ? "" : `, member: ${JSON.stringify(first)}`;
	return `\t${id}: { method: ${JSON.stringify(method)}, path: ${JSON.stringify(path)}${repeatable}${member} },\n`;
}

/** The module `src/client/endpoint-types.ts` for a list of endpoints. */
export function renderClientTypes(endpoints: readonly Endpoint[]): string {
	const typed = endpoints.filter(isOffered).map(toTypedEndpoint);
	const shared = new SharedTypes();
	for (const { endpoint, given, result } of typed) {
		for (const { schema } of given) shared.count(schema, `${endpoint.id}_body`);
		shared.count(result, endpoint.id.replace(/^(?:get|list|create|start|show)_/, ""));
	}
	const writer = new TypeWriter(shared);
	const named = [...shared.named].map(([name, schema]) => `type ${name} = ${writer.object(schema, "")};\n\n`);
	return [
		"// Generated from the list of endpoints by `npm run generate`: what each takes and answers, and where it is. Not to be edited.\n\n",
		...named,
		"/** By the endpoint's id. */\n",
		"export interface EndpointTypes {\n",
		...typed.map((each) => renderEndpointType(each, writer)),
		"}\n\n",
		"/**\n",
		" * Where each endpoint is. `isRepeatable`: a second request changes nothing that the first has not. `member`: every answer has it;\n",
		" * absent for texts, and for answers of several kinds.\n",
		" */\n",
		"export const ROUTES: Readonly<\n",
		"\tRecord<keyof EndpointTypes, { method: string; path: string; isRepeatable?: true; member?: string }>\n",
		"> = {\n",
		...typed.map(renderRoute),
		"};\n",
	].join("");
}

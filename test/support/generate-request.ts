// Requests to the operations of the OpenAPI document: as documented, nearly so, and not at all.
import fc from "fast-check";
import * as z from "zod";
import { damagedBytes, damagedText, odd } from "./generate-odd.ts";
import { type JsonSchema, SchemaValues } from "./generate-schema.ts";

const jsonSchema = z.custom<JsonSchema>((value) => typeof value === "object" && value !== null);
const content = z.record(z.string(), z.object({ schema: jsonSchema }));
const parameter = z.object({
	name: z.string(),
	in: z.enum(["path", "query"]),
	required: z.boolean(),
	schema: jsonSchema,
});

const operationSchema = z.object({
	operationId: z.string(),
	security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
	parameters: z.array(parameter).default([]),
	requestBody: z.object({ required: z.boolean(), content }).optional(),
	responses: z.record(z.string(), z.object({ content: content.optional() })),
});

const documentSchema = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

/** One operation of the document. */
export interface Operation extends z.output<typeof operationSchema> {
	path: string;
	method: string;
}

/** Every operation of a document, in its order. */
export function operationsOf(document: unknown): Operation[] {
	return Object.entries(documentSchema.parse(document).paths).flatMap(([path, operations]) =>
		Object.entries(operations).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
	);
}

/** The schema of an operation's JSON body, if it takes one. */
export function bodySchemaOf({ requestBody }: Operation): JsonSchema | null {
	return requestBody?.content["application/json"]?.schema ?? null;
}

export interface GeneratedRequest {
	/** Path and query. */
	target: string;
	headers: Record<string, string>;
	body: string | Uint8Array | null;
}

/** Where a request starts from. */
export interface Seeds {
	/** The document that `$ref` is relative to. */
	document: unknown;
	/** A path that works. */
	path: string;
	/** A body that works. */
	body: unknown;
	/** Headers that go with them. */
	headers: Record<string, string>;
	/** Values by the name of a member or parameter. */
	hints: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

const RAW_SEGMENTS = [
	"",
	".",
	"%2e%2e",
	"%",
	"%00",
	"%zz",
	"%E0%A4%A",
	"%ED%A0%80",
	"%C0%AE",
	"%F0%9F%98%80",
	"%2F",
	"..%2F..",
	"%25",
	"%2500",
	"%3F",
	"%23",
	"a%20b",
	"a+b",
	"*",
	"@",
	":",
	"~",
	"a;b=c",
	"{id}",
	":id",
	"😀",
	"a".repeat(5_000),
];

const RAW_QUERIES = [
	"",
	"&&&",
	"=",
	"%",
	"%00=1",
	"%E0%A4%A=1",
	"a=%ED%A0%80",
	"__proto__=1",
	"__proto__[a]=1",
	"constructor[prototype][a]=1",
	"toString=1",
	"unknown=1",
	`a=${"b".repeat(5_000)}`,
	new Array(500).fill("a=1").join("&"),
];

const CONTENT_TYPES = [
	"text/plain",
	"",
	"application/json; charset=utf-16",
	"multipart/form-data",
	"application/jsonl",
	"application/json, application/json",
	"application/xml",
	"a",
];

function encoded(value: unknown): string {
	const text = typeof value === "string" ? value : JSON.stringify(value);
	return encodeURIComponent(text.toWellFormed());
}

function encodedValues(values: SchemaValues, name: string, schema: JsonSchema): fc.Arbitrary<string> {
	return fc
		.oneof(
			{ weight: 4, arbitrary: values.fitting(schema, name) },
			{ weight: 2, arbitrary: values.faulty(schema) },
			{ weight: 1, arbitrary: odd.leaf },
		)
		.map(encoded);
}

/** Clients resolve these before they send (WHATWG URL, 4.4): another operation would be asked. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/** The path with something in the place of each parameter: mostly what works, so that one odd part is seen by itself. */
function paths(operation: Operation, values: SchemaValues, workingPath: string): fc.Arbitrary<string> {
	const working = new URL(workingPath, "http://a").pathname.split("/");
	const segments = operation.path.split("/").map((segment, index): fc.Arbitrary<string> => {
		const parameter = operation.parameters.find(({ name }) => segment === `{${name}}`);
		if (!parameter) return fc.constant(segment);
		return fc
			.oneof(
				{ weight: 2, arbitrary: fc.constant(working[index] ?? "") },
				{ weight: 4, arbitrary: encodedValues(values, parameter.name, parameter.schema) },
				{ weight: 2, arbitrary: fc.constantFrom(...RAW_SEGMENTS) },
			)
			.filter((text) => !DOT_SEGMENT.test(text));
	});
	return fc.tuple(...segments).map((parts) => parts.join("/"));
}

const PAIR_FORMS = ["single", "single", "single", "repeated", "brackets", "member", "bare"] as const;

function pair(name: string, value: string, form: (typeof PAIR_FORMS)[number]): string {
	const forms = {
		single: `${name}=${value}`,
		repeated: `${name}=${value}&${name}=${value}`,
		brackets: `${name}[]=${value}`,
		member: `${name}[a]=${value}`,
		bare: name,
	};
	return forms[form];
}

function queries({ parameters }: Operation, values: SchemaValues): fc.Arbitrary<string> {
	const pairs = parameters
		.filter((parameter) => parameter.in === "query")
		.map(({ name, schema }) => {
			const one = fc.tuple(encodedValues(values, name, schema), fc.constantFrom(...PAIR_FORMS));
			return fc.oneof(
				fc.constant(null),
				one.map(([value, form]) => pair(name, value, form)),
			);
		});
	const raw = fc.oneof(
		{ weight: 5, arbitrary: fc.constant(null) },
		{ weight: 1, arbitrary: fc.constantFrom(...RAW_QUERIES) },
	);
	return fc.tuple(...pairs, raw).map((parts) => parts.filter((part) => part !== null).join("&"));
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function bodies(schema: JsonSchema, values: SchemaValues, working: unknown): fc.Arbitrary<string | Uint8Array> {
	// Some over what works, for bodies in which one of several members must be there: a schema does not say so.
	const base = fc.constantFrom({}, Object(working));
	const fitting = fc
		.tuple(base, values.fitting(schema))
		.map(([below, value]) => JSON.stringify(isObject(value) ? { ...below, ...value } : value));
	const workingText = JSON.stringify(working);
	const extended = fc
		.tuple(odd.key, odd.json)
		.map(([key, value]) => JSON.stringify(Object.fromEntries([...Object.entries(Object(working)), [key, value]])));
	const toDamage = fc.oneof(fc.constant(workingText), fitting);
	return fc.oneof(
		{ weight: 6, arbitrary: fitting },
		{ weight: 5, arbitrary: values.faulty(schema).map((value) => JSON.stringify(value)) },
		{ weight: 1, arbitrary: extended },
		{ weight: 1, arbitrary: odd.json.map((value) => JSON.stringify(value)) },
		{ weight: 2, arbitrary: damagedText(toDamage) },
		{ weight: 1, arbitrary: damagedBytes(toDamage) },
	);
}

/** Requests to an operation, without credentials. */
export function requestsTo(operation: Operation, seeds: Seeds): fc.Arbitrary<GeneratedRequest> {
	const values = new SchemaValues(seeds.document as JsonSchema, seeds.hints);
	const schema = bodySchemaOf(operation);
	const contentTypes = fc.oneof(
		{ weight: 9, arbitrary: fc.constant("application/json") },
		{ weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
	);
	const { search } = new URL(seeds.path, "http://a");
	return fc
		.record({
			path: paths(operation, values, seeds.path),
			// Some with the query that works: a schema does not say which parameters go together.
			query: fc.oneof(
				{ weight: 7, arbitrary: queries(operation, values) },
				{ weight: 1, arbitrary: fc.constant(search.slice(1)) },
			),
			contentType: contentTypes,
			body: schema ? bodies(schema, values, seeds.body) : fc.constant(null),
		})
		.map(({ path, query, contentType, body }) => ({
			target: query === "" ? path : `${path}?${query}`,
			headers: { ...seeds.headers, ...(body === null ? {} : { "content-type": contentType }) },
			body,
		}));
}

/** How many of the cases an operation deserves: what reads more can fail in more ways. */
export function weightOf(operation: Operation): number {
	const schema = bodySchemaOf(operation);
	const inBody = schema ? 4 + Math.min(16, JSON.stringify(schema).length / 400) : 0;
	return 1 + 3 * operation.parameters.length + inBody;
}

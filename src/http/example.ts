// The example of an endpoint: a request that is answered with 200. Readers see it, and the tests that every endpoint passes send it.
// What it needs of other endpoints is named, not written, so that each caller of an example fills it from its own answers. Pure.
import type { Endpoint, ExampleRequest, IdSource, IdSources } from "./endpoint.ts";
import { membersIn, type SchemaMembers, toJsonSchema } from "./json-schema.ts";

type AnswerSource = Extract<IdSource, { answerOf: string }>;
type NameSource = Extract<IdSource, { chosenIn: string }>;

/** Makes the value that a source stands for. */
export type IdFinder = (source: IdSource, argument: string) => Promise<unknown>;

function argumentsIn(schema: Endpoint["query"] | Endpoint["body"]): SchemaMembers {
	return membersIn(schema ? toJsonSchema(schema, "input") : {});
}

function pathParameters({ path }: Endpoint): string[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The sources of an endpoint's ids, if it has any. */
export function idSources({ ids }: Endpoint): IdSources {
	return typeof ids === "object" ? ids : {};
}

function withMember<T>(members: Readonly<Record<string, T>> = {}, name: string, value: T): Record<string, T> {
	return { [name]: value, ...members, [name]: value };
}

/** A request with an argument in its place: first, or where it is stated already. */
export function withArgument(
	endpoint: Endpoint,
	request: ExampleRequest,
	name: string,
	value: unknown,
): ExampleRequest {
	if (pathParameters(endpoint).includes(name))
		return { ...request, params: withMember(request.params, name, String(value)) };
	if (argumentsIn(endpoint.query).names.includes(name))
		return { ...request, query: withMember(request.query, name, String(value)) };
	return { ...request, body: withMember(Object(request.body), name, value) };
}

/** Whether an example leaves out an argument without which the endpoint refuses it. */
function lacks(endpoint: Endpoint, { params, query, body }: ExampleRequest, name: string): boolean {
	const required = [
		...pathParameters(endpoint),
		...argumentsIn(endpoint.query).required,
		...argumentsIn(endpoint.body).required,
	];
	return required.includes(name) && !Object.hasOwn({ ...params, ...query, ...Object(body) }, name);
}

/** The request of an endpoint's example, with the ids that it needs. */
export async function fillExample(endpoint: Endpoint, find: IdFinder): Promise<ExampleRequest> {
	const { bodyFrom, ...stated } = endpoint.example ?? {};
	let request: ExampleRequest = bodyFrom ? { ...stated, body: await find(bodyFrom, "body") } : stated;
	for (const [name, source] of Object.entries(idSources(endpoint)))
		if (lacks(endpoint, request, name)) request = withArgument(endpoint, request, name, await find(source, name));
	return request;
}

/** Path and query of a request. */
export function toTarget({ path }: Endpoint, { params = {}, query }: ExampleRequest): string {
	const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
	return query ? `${filled}?${new URLSearchParams(query)}` : filled;
}

/** The member of an answer that a source names. @throws Error when it is not there. */
export function idInAnswer(answer: unknown, source: AnswerSource, argument: string): unknown {
	const { answerOf, member = argument } = source;
	const value: unknown = member === null ? answer : Reflect.get(Object(answer), member);
	if (value === undefined) throw new Error(`the answer to the example of ${answerOf} has no ${member}`);
	return value;
}

/** The argument of a request that a source names. @throws Error when it is not there. */
export function argumentIn(request: ExampleRequest, source: NameSource, name: string): unknown {
	const { chosenIn, argument = name } = source;
	const value: unknown = Reflect.get({ ...request.params, ...request.query, ...Object(request.body) }, argument);
	if (value === undefined) throw new Error(`the example of ${chosenIn} states no ${argument}`);
	return value;
}

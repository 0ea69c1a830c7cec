// Calls the example of every endpoint on a running service and keeps what is shown of the answers.
import { isDeepStrictEqual } from "node:util";
import type { Endpoint, ExampleRequest, IdSource } from "../http/endpoint.ts";
import { argumentIn, fillExample, idInAnswer, idSources, toTarget } from "../http/example.ts";
import type { EndpointExchange, EndpointExchanges } from "../http/openapi.ts";
import { isJsonObject } from "../json.ts";

/** Longer lists and texts are cut, and so is what is large or deep, as a document of all endpoints is: beginnings say what they are. */
const MAX_ENTRIES = 2;
const MAX_CHARS = 400;
const MAX_MEMBERS = 40;
const MAX_DEPTH = 9;

export interface ServiceAccess {
	/** Origin, without a trailing slash. */
	url: string;
	key: string;
	adminToken: string;
}

/** An answer as it is shown: cut, without secrets. */
export function abridge(value: unknown, depth = 0): unknown {
	if (typeof value === "string") {
		const open = value.replaceAll(/svc_sk_[0-9A-Za-z]{46}/g, "svc_sk_…");
		return open.length > MAX_CHARS ? `${open.slice(0, MAX_CHARS)}…` : open;
	}
	if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => abridge(entry, depth + 1));
	if (!isJsonObject(value)) return value;
	const members = depth > MAX_DEPTH ? [] : Object.entries(value);
	const shown = members.slice(0, members.length > MAX_MEMBERS ? MAX_ENTRIES : MAX_MEMBERS);
	return Object.fromEntries(shown.map(([name, member]) => [name, abridge(member, depth + 1)]));
}

function credential({ access }: Endpoint, { key, adminToken }: ServiceAccess): Record<string, string> {
	if (access === "public") return {};
	return { authorization: `Bearer ${access === "operator" ? adminToken : key}` };
}

/** The endpoints that made what an endpoint's ids name. */
function makersOf(endpoint: Endpoint): string[] {
	return Object.values(idSources(endpoint)).flatMap((source) =>
		"answerOf" in source ? source.answerOf : "chosenIn" in source ? source.chosenIn : [],
	);
}

/** An example that was called: its request, and the whole answer. */
interface CalledExample {
	request: ExampleRequest;
	answer: unknown;
}

/** @throws Error for an answer other than 200. */
async function callExample(
	endpoint: Endpoint,
	request: ExampleRequest,
	service: ServiceAccess,
): Promise<CalledExample> {
	const { body } = request;
	const sent = body === undefined ? {} : { body: JSON.stringify(body) };
	const response = await fetch(`${service.url}${toTarget(endpoint, request)}`, {
		method: endpoint.method,
		headers: {
			...credential(endpoint, service),
			...(body === undefined ? {} : { "content-type": "application/json" }),
		},
		...sent,
	});
	const text = await response.text();
	if (response.status !== 200)
		throw new Error(`the example of ${endpoint.id} was answered with ${response.status}: ${text}`);
	const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
	return { request, answer: isJson ? JSON.parse(text) : text };
}

function toExchange(id: string, { request, answer }: CalledExample): EndpointExchange {
	// The document would hold itself.
	const shown = id === "openapi" ? { ...Object(answer), paths: {}, components: {} } : answer;
	return { ...request, answer: abridge(shown) };
}

/**
 * The examples of all endpoints, by id, in the order of the list. What one makes serves those after it, until it is deleted.
 * @throws Error for one that fails, or that needs an endpoint which is not there.
 */
export async function recordExamples(
	endpoints: readonly Endpoint[],
	service: ServiceAccess,
): Promise<EndpointExchanges> {
	const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
	/** Examples whose things are there. */
	const called = new Map<string, CalledExample>();
	const exchanges = new Map<string, EndpointExchange>();

	async function call(id: string): Promise<CalledExample> {
		const known = called.get(id);
		if (known) return known;
		const endpoint = byId.get(id);
		if (!endpoint) throw new Error(`there is no endpoint ${id}`);
		const made = await callExample(endpoint, await fillExample(endpoint, find), service);
		called.set(id, made);
		if (!exchanges.has(id)) exchanges.set(id, toExchange(id, made));
		if (endpoint.method === "DELETE") for (const maker of makersOf(endpoint)) called.delete(maker);
		return made;
	}

	async function find(source: IdSource, argument: string): Promise<unknown> {
		if ("answerOf" in source) return idInAnswer((await call(source.answerOf)).answer, source, argument);
		if ("chosenIn" in source) return argumentIn((await call(source.chosenIn)).request, source, argument);
		throw new Error(`no example needs a ${argument}`);
	}

	// Nobody reads metrics of a service that records examples.
	for (const { id, access } of endpoints) if (access !== "metrics") await call(id);
	return Object.fromEntries(endpoints.map(({ id }) => [id, exchanges.get(id) ?? { answer: null }]));
}

/** Types of members that the service writes some seconds after the first request: a slow run finds them, a quick one `null`. */
const WRITTEN_LATER = new Map([
	["stored_at", "string"],
	["stored_bytes", "number"],
]);

/** What stays the same of a value when ids, times and measured figures differ. */
export function toShape(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(toShape);
	if (!isJsonObject(value)) return value === null ? null : typeof value;
	return Object.fromEntries(
		Object.entries(value).map(([name, member]) => [
			name,
			member === null ? (WRITTEN_LATER.get(name) ?? null) : toShape(member),
		]),
	);
}

/** Whether a recorded request has all that an example states. */
export function statesExample({ params, query, body }: EndpointExchange, example: ExampleRequest = {}): boolean {
	const stated = { ...params, ...query, ...Object(body) };
	return isDeepStrictEqual(stated, { ...stated, ...example.params, ...example.query, ...Object(example.body) });
}

/** New examples, but those that were recorded where nothing has changed but ids, times and figures. */
export function keepRecorded(
	endpoints: readonly Endpoint[],
	exchanges: EndpointExchanges,
	recorded: EndpointExchanges,
): EndpointExchanges {
	const kept = endpoints.map(({ id, example }) => {
		const [now, before] = [exchanges[id] ?? { answer: null }, recorded[id]];
		const isSame = before && statesExample(before, example) && isDeepStrictEqual(toShape(now), toShape(before));
		return [id, isSame ? before : now] as const;
	});
	return Object.fromEntries(kept);
}

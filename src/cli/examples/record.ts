// Calls the example of every endpoint on a running service and keeps what is shown of the answers.
import type { Endpoint } from "../../http/endpoint.ts";
import type { EndpointExchange, EndpointExchanges } from "../../http/openapi.ts";
import { isJsonObject } from "../../json.ts";
import { type Answers, EXAMPLE_CALLS, type ExampleCall, PREPARING_CALLS } from "./calls.ts";

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

interface CalledExample {
	example: EndpointExchange;
	/** The whole answer. */
	answer: unknown;
}

/** @throws Error for an answer other than 200. */
async function callExample(
	{ id, request }: ExampleCall,
	endpoint: Endpoint,
	service: ServiceAccess,
	answers: Answers,
): Promise<CalledExample> {
	const { params = {}, query, body } = request(answers);
	const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
	const search = query ? `?${new URLSearchParams(query)}` : "";
	const response = await fetch(`${service.url}${path}${search}`, {
		method: endpoint.method,
		headers: {
			...credential(endpoint, service),
			...(body === undefined ? {} : { "content-type": "application/json" }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	if (response.status !== 200) throw new Error(`the example of ${id} was answered with ${response.status}: ${text}`);
	const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
	const answer: unknown = isJson ? JSON.parse(text) : text;
	return {
		answer,
		example: {
			...(Object.keys(params).length > 0 ? { params } : {}),
			...(query ? { query: { ...query } } : {}),
			...(body === undefined ? {} : { body }),
			// The document would hold itself.
			answer:
				id === "openapi"
					? abridge({ ...(isJsonObject(answer) ? answer : {}), paths: {}, components: {} })
					: abridge(answer),
		},
	};
}

/** The examples of all endpoints, by id. @throws Error for one that fails, or whose endpoint is not there. */
export async function recordExamples(
	endpoints: readonly Endpoint[],
	service: ServiceAccess,
): Promise<EndpointExchanges> {
	const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
	const answers = new Map<string, unknown>();
	const examples: Record<string, EndpointExchange> = {};
	const run = async (call: ExampleCall) => {
		const endpoint = byId.get(call.id);
		if (!endpoint) throw new Error(`there is no endpoint ${call.id}`);
		return callExample(call, endpoint, service, answers);
	};
	for (const call of PREPARING_CALLS) answers.set(call.as, (await run(call)).answer);
	for (const call of EXAMPLE_CALLS) {
		const { example, answer } = await run(call);
		answers.set(call.id, answer);
		examples[call.id] = example;
	}
	return examples;
}

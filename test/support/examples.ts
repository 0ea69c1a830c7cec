// The examples of endpoints as the harnesses send them: filled by answers of the service under test, and with another user's ids.
import { ENDPOINTS } from "../../src/endpoints.ts";
import type { Endpoint, ExampleRequest, IdSource } from "../../src/http/endpoint.ts";
import { argumentIn, fillExample, idInAnswer, idSources, toTarget, withArgument } from "../../src/http/example.ts";
import { renderGroupCursor } from "../../src/usage/groups.ts";
import { call, callWithKey, chat, type TestKey } from "./service.ts";
import { TEST_ADMIN_TOKEN, TEST_WEBHOOK_HOST } from "./variables.ts";

/** A request as it is sent. */
export interface SentRequest {
	/** With the query, if it has one. */
	path: string;
	body?: unknown;
}

/** One place in an endpoint's requests where the id of something stands that belongs to a user. */
export interface OwnedId {
	/** Makes such a thing for a user and answers with its id; a name of the user's own choosing counts as an id. */
	make(owner: TestKey): Promise<string>;
	/** An id of the form of another that nobody has. */
	unlike(id: string): string;
	/** The request that names it. The owner's is answered with 200. */
	request(id: string): SentRequest;
	/** Where its owner can read it, if there is such a place: what others ask for must not change it. */
	shownAt?: ((id: string) => string) | undefined;
}

const UNKNOWN_ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function findEndpoint(id: string): Endpoint {
	const endpoint = ENDPOINTS.find((each) => each.id === id);
	if (!endpoint) throw new Error(`there is no endpoint ${id}`);
	return endpoint;
}

function toSent(endpoint: Endpoint, request: ExampleRequest): SentRequest {
	return { path: toTarget(endpoint, request), body: request.body };
}

function toHeaders({ access }: Endpoint, { key }: TestKey): Record<string, string> {
	const authorization = access === "operator" ? TEST_ADMIN_TOKEN : key;
	return {
		"content-type": "application/json",
		...(access === "public" ? {} : { authorization: `Bearer ${authorization}` }),
	};
}

interface CalledExample {
	request: ExampleRequest;
	answer: unknown;
}

/** What a key asks for whose role may not make it: nobody has it. */
class Forbidden extends Error {}

/** Calls another endpoint's example; `own` replaces names that its caller chooses. */
async function callExample(
	id: string,
	key: TestKey,
	own: Readonly<Record<string, string>> = {},
): Promise<CalledExample> {
	const endpoint = findEndpoint(id);
	const filled = await fillExample(endpoint, finderFor(key));
	const request = Object.entries(own).reduce((all, [name, value]) => withArgument(endpoint, all, name, value), filled);
	const { path, body } = toSent(endpoint, request);
	const init = { method: endpoint.method, headers: toHeaders(endpoint, key) };
	const response = await call(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
	const text = await response.text();
	if (response.status === 403) throw new Forbidden(text);
	if (response.status !== 200) throw new Error(`the example of ${id} was answered with ${response.status}: ${text}`);
	return {
		request,
		answer: response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text,
	};
}

/** Finds ids by making what they name, with a key. */
function finderFor(key: TestKey) {
	return async (source: IdSource, argument: string): Promise<unknown> => {
		if ("pageAfter" in source) throw new Error(`no example needs a ${argument}`);
		try {
			if ("answerOf" in source) return idInAnswer((await callExample(source.answerOf, key)).answer, source, argument);
			return argumentIn((await callExample(source.chosenIn, key)).request, source, argument);
		} catch (error) {
			if (error instanceof Forbidden) return "nobodys";
			throw error;
		}
	};
}

/** The request of an endpoint's example for a key, with all that it needs made by that key. */
export async function exampleRequest(endpoint: Endpoint, key: TestKey): Promise<SentRequest> {
	return toSent(endpoint, await fillExample(endpoint, finderFor(key)));
}

let names = 0;
const newName = () => `isolation/${names++}`;

/** Names in an endpoint's requests that its caller chooses, each new. */
function newNames(endpoint: Endpoint): Record<string, string> {
	const chosen = Object.entries(idSources(endpoint)).filter(
		([, source]) => "chosenIn" in source && source.chosenIn === endpoint.id,
	);
	return Object.fromEntries(chosen.map(([name]) => [name, newName()]));
}

/** What the path of a list names, as its entries are made. */
function pagedParams({ path }: Endpoint): Record<string, string> {
	return Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "isolation/paged"]));
}

/** Makes two entries of a list; its `next_cursor` between them. */
async function nextCursor(list: Endpoint, maker: string, owner: TestKey): Promise<string> {
	const params = pagedParams(list);
	for (let n = 0; n < 2; n++) await callExample(maker, owner, { ...newNames(findEndpoint(maker)), ...params });
	const page = await callWithKey(owner.key, toTarget(list, { params, query: { limit: "1" } }));
	return ((await page.json()) as { next_cursor: string }).next_cursor;
}

/** Makes what an argument of an endpoint names; its id. */
async function makeId(endpoint: Endpoint, argument: string, source: IdSource, owner: TestKey): Promise<string> {
	if ("pageAfter" in source) return nextCursor(endpoint, source.pageAfter, owner);
	if ("answerOf" in source) return String(await finderFor(owner)(source, argument));
	const name = newName();
	await callExample(source.chosenIn, owner, { [source.argument ?? argument]: name });
	return name;
}

/** An id of the same form that nobody has. */
function unlikeId(id: string): string {
	const other = id.replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, UNKNOWN_ULID);
	return other === id ? "1".repeat(id.length) : other;
}

/** Cursors of lists name an entry by the last word of their text. */
function unlikeCursor(cursor: string): string {
	const words = atob(cursor.replaceAll("-", "+").replaceAll("_", "/")).split(" ");
	const unlike = [...words.slice(0, -1), unlikeId(words.at(-1) ?? "")].join(" ");
	return btoa(unlike).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function unlike(source: IdSource): OwnedId["unlike"] {
	if ("pageAfter" in source) return unlikeCursor;
	return "chosenIn" in source ? newName : unlikeId;
}

/** Where the owner of what a source names reads it: the shortest path of which it is the only parameter. */
function findShownAt(argument: string, source: IdSource): OwnedId["shownAt"] {
	if ("pageAfter" in source) return undefined;
	const named = JSON.stringify({ [argument]: source });
	const places = ENDPOINTS.filter(
		(each) => each.method === "GET" && JSON.stringify(each.ids) === named && each.path.endsWith(`{${argument}}`),
	);
	const [place] = places.toSorted((a, b) => a.path.length - b.path.length);
	return place && ((id) => place.path.replace(`{${argument}}`, encodeURIComponent(id)));
}

function toOwnedId(endpoint: Endpoint, argument: string, source: IdSource): OwnedId {
	// A cursor stands for itself: what else the example asks for might leave it no page.
	const stated = "pageAfter" in source ? { params: pagedParams(endpoint) } : (endpoint.example ?? {});
	return {
		make: (owner) => makeId(endpoint, argument, source, owner),
		unlike: unlike(source),
		request: (id) => toSent(endpoint, withArgument(endpoint, stated, argument, id)),
		shownAt: findShownAt(argument, source),
	};
}

/** A cursor of groups names an API key: that of whoever was given it. */
function groupCursor(path: string): OwnedId {
	return {
		make: async (owner) => {
			await chat(owner.key, "hi");
			const own = (await (await callWithKey(owner.key, "/v1/keys", {})).json()) as TestKey;
			await chat(own.key, "hi");
			const list = await callWithKey(owner.key, `${path}?group_by=key&limit=1`);
			return ((await list.json()) as { next_cursor: string }).next_cursor;
		},
		unlike: () => renderGroupCursor("key", `key_${UNKNOWN_ULID}`),
		request: (id) => ({ path: `${path}?group_by=key&cursor=${id}` }),
	};
}

const HANDOFF_ID: IdSource = { answerOf: "create_handoff", member: "id" };
const KEY_ID: IdSource = { answerOf: "create_key" };

/** What the definitions do not say: ids inside of a message, cursors of groups, and what else may be done to another's key. */
const WALKED_APART: Readonly<Record<string, OwnedId>> = {
	get_usage: groupCursor("/v1/usage"),
	get_savings: groupCursor("/v1/savings"),
	mcp: {
		...toOwnedId(findEndpoint("get_handoff"), "handoff_id", HANDOFF_ID),
		request: (handoff_id) => ({
			path: "/v1/mcp",
			body: {
				jsonrpc: "2.0",
				id: 1,
				method: "tools/call",
				params: { name: "get_handoff", arguments: { handoff_id } },
			},
		}),
	},
	change_key: {
		...toOwnedId(findEndpoint("change_key"), "key_id", KEY_ID),
		request: (id) => ({
			path: `/v1/keys/${id}`,
			body: { budget_usd: 1, alert_webhook: `https://${TEST_WEBHOOK_HOST}/` },
		}),
	},
};

/** The ids of things of a user's that an endpoint's requests name. */
export function ownedIds(endpoint: Endpoint): OwnedId[] {
	const apart = WALKED_APART[endpoint.id];
	const defined = Object.entries(idSources(endpoint)).map(([name, source]) => toOwnedId(endpoint, name, source));
	return apart ? [...defined, apart] : defined;
}

/** Ids that an endpoint's requests may name, made with a key, by the name of the argument. */
export async function makeIds(endpoint: Endpoint, key: TestKey): Promise<Record<string, unknown>> {
	const made: Record<string, unknown> = {};
	// The whole answer is no text.
	for (const [name, source] of Object.entries(idSources(endpoint)))
		made[name] = await ("answerOf" in source ? finderFor(key)(source, name) : makeId(endpoint, name, source, key));
	return made;
}

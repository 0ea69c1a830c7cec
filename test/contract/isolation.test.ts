// The isolation walk: to one user, what belongs to another is as if it were not there. An endpoint joins by its definition.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { ENDPOINTS } from "../../src/endpoints.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { idSources } from "../../src/http/example.ts";
import { storeCatalog } from "../../src/load-settings.edge.ts";
import { exampleRequest, type OwnedId, ownedIds, type SentRequest } from "../support/examples.ts";
import { OPERATOR_CATALOG } from "../support/operator-catalog.ts";
import {
	call,
	callWithKey,
	chat,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	useSandbox,
} from "../support/service.ts";

const PROTECTED = ENDPOINTS.filter(({ access }) => access === "key");

let upstream: Upstream;
let owner: TestKey;
let other: TestKey;
beforeEach(async () => {
	upstream = useSandbox();
	await storeCatalog(env, JSON.stringify(OPERATOR_CATALOG));
	owner = await newKey("corporate");
	other = await newKey("corporate");
});
afterEach(() => upstream.restore());

interface Seen {
	status: number;
	headers: Record<string, string>;
	text: string;
}

async function send({ method }: Pick<Endpoint, "method">, { key }: TestKey, request: SentRequest): Promise<Seen> {
	const response = await call(request.path, {
		method,
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
	});
	return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

/** What differs between two requests however alike they are: ids, times, hashes, signatures, and the caller's own count. */
const VARYING: readonly [RegExp, string][] = [
	[/[0-9A-HJKMNP-TV-Z]{26}/g, "<ulid>"],
	[/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
	[/sha256:[0-9a-f]{64}/g, "<hash>"],
	[/(?<="salt":")[0-9a-f]{32}/g, "<salt>"],
	[/[A-Za-z0-9+/_-]{86,}={0,2}/g, "<signature>"],
	[/(?<="share_id":"|\/b\/)\w{10}/g, "<share>"],
	[/"(created|latency_ms|retry_after_ms|duration_ms)":\d+/g, '"$1":0'],
];

/** An answer with the id that was asked for, and all that varies, masked. */
function masked({ status, headers, text }: Seen, id: string): unknown {
	const {
		"x-ratelimit-remaining-requests": _,
		"x-ratelimit-reset-requests": __,
		"content-length": ___,
		"server-timing": ____,
		...rest
	} = headers;
	const hide = (value: string) =>
		VARYING.reduce(
			(hidden, [pattern, word]) => hidden.replace(pattern, word),
			[id, encodeURIComponent(id)].reduce((hidden, form) => hidden.replaceAll(form, "<id>"), value),
		);
	return { status, headers: hide(JSON.stringify(rest)), text: hide(text) };
}

/** Ids of a coding agent's own, which are recorded and name nothing here. */
const FOREIGN_IDS = new Set(["session_id", "tool_use_id"]);

/** Names of members and parameters that hold the id of something, at the top of a request. */
function namedIds({ params, query, body }: Endpoint): string[] {
	return [params, query, body].flatMap((schema) => {
		if (!schema) return [];
		const { properties } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
		return Object.keys(properties ?? {}).filter((name) => /(?:^|_)ids?$|cursor$/.test(name) && !FOREIGN_IDS.has(name));
	});
}

describe("every protected endpoint", () => {
	it("says whose ids it takes, each of them, or that all may read what it names", () => {
		const forgotten = PROTECTED.flatMap((endpoint) => {
			const { id, ids } = endpoint;
			if (ids === "public") return [];
			if (ids === "walked apart") return ownedIds(endpoint).length > 0 ? [] : [id];
			const named = Object.keys(idSources(endpoint));
			return namedIds(endpoint).flatMap((name) => (named.includes(name) ? [] : [`${id}: ${name}`]));
		});
		expect(forgotten).toEqual([]);
	});

	it("takes its ids from endpoints that there are", () => {
		const known = new Set(ENDPOINTS.map(({ id }) => id));
		const makers = ENDPOINTS.flatMap((endpoint) =>
			Object.values(idSources(endpoint)).map((source) =>
				"answerOf" in source ? source.answerOf : "chosenIn" in source ? source.chosenIn : source.pageAfter,
			),
		);
		expect(makers.length).toBeGreaterThan(40);
		expect(makers.filter((maker) => !known.has(maker))).toEqual([]);
	});
});

/** The thing as its owner sees it; null where nothing shows it. */
async function look(endpoint: Endpoint, { request, shownAt }: OwnedId, id: string): Promise<unknown> {
	const path = shownAt?.(id);
	if (path !== undefined) return masked(await send({ ...endpoint, method: "GET" }, owner, { path }), id);
	return endpoint.method === "GET" ? masked(await send(endpoint, owner, request(id)), id) : null;
}

/**
 * Walks one id of one endpoint: as its owner, as somebody else, and as somebody else with an id that nobody has.
 * @param stranger another user, or a key of the same user that reads only its own.
 */
async function walk(endpoint: Endpoint, owned: OwnedId, stranger = other): Promise<void> {
	const id = await owned.make(owner);
	const unknown = owned.unlike(id);
	const own = await send(endpoint, owner, owned.request(id));
	expect(own.status, `the owner's own: ${own.text}`).toBe(200);
	const before = await look(endpoint, owned, id);

	const foreign = await send(endpoint, stranger, owned.request(id));
	const nobodys = await send(endpoint, stranger, owned.request(unknown));
	expect(masked(foreign, id)).toEqual(masked(nobodys, unknown));
	for (const secret of [owner.user_id, owner.key_id].filter((value) => value !== stranger.user_id))
		expect(foreign.text).not.toContain(secret);

	// What somebody else asked for has changed nothing of the owner's.
	expect(await look(endpoint, owned, id)).toEqual(before);
}

const walks = PROTECTED.flatMap((endpoint) =>
	ownedIds(endpoint).map((owned, index): [string, Endpoint, OwnedId] => [
		`${endpoint.id} (id ${index + 1})`,
		endpoint,
		owned,
	]),
);

describe("another user's id", () => {
	for (const [name, endpoint, owned] of walks)
		it(`is to ${name} like one that nobody has`, async () => {
			await walk(endpoint, owned);
		});

	it("is told from one that nobody has by the walk, where an endpoint answers to it", async () => {
		const leaky = ENDPOINTS.find(({ id }) => id === "get_proof");
		if (!leaky) throw new Error("there is no such endpoint");
		// Receipts are public by design, which makes theirs the endpoint that would fail the walk.
		const receipt: OwnedId = {
			make: async ({ key }) => (await chat(key, "hi")).headers.get("x-request-id") ?? "",
			unlike: () => "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV",
			request: (id) => ({ path: `/v1/proof/${id}` }),
		};
		await expect(walk(leaky, receipt)).rejects.toThrow(/to deeply equal/);
	});
});

/**
 * What all keys of a user share, by the endpoints that show it: workspaces with their chains, manifests and the trail of both, and
 * shared routing configs. Agents could not hand over to each other without it.
 */
const SHARED_BY_KEYS = new Set([
	"create_handoff",
	"get_handoff",
	"get_handoff_chain",
	"get_handoff_checkpoint",
	"list_workspaces",
	"check_workspace_readiness",
	"get_workspace_snapshot",
	"get_workspace_manifest",
	"check_policy",
	"hook_claude_code",
	"list_audit_events",
	"list_brain_shares",
	// Its example asks for a handoff.
	"mcp",
]);

describe("what another key of the same user made", () => {
	let agent: TestKey;
	beforeEach(async () => {
		agent = { ...owner, ...(await (await callWithKey(owner.key, "/v1/keys", { role: "agent" })).json()) };
	});

	for (const [name, endpoint, owned] of walks)
		if (SHARED_BY_KEYS.has(endpoint.id))
			it(`is shown by ${name} to a key that reads only its own, because all keys share it`, async () => {
				const { status, text } = await send(endpoint, agent, owned.request(await owned.make(owner)));
				expect(status, text).toBe(200);
			});
		else
			it(`is to ${name} with a key that reads only its own like what nobody made`, async () => {
				await walk(endpoint, owned, agent);
			});

	it("shows in no other answer to a key that reads only its own", async () => {
		const receipts: string[] = [];
		for (let i = 0; i < 3; i++)
			receipts.push((await chat(owner.key, "my secret plan")).headers.get("x-request-id") ?? "");
		for (const endpoint of PROTECTED) {
			const request = await exampleRequest(endpoint, agent);
			const { text } = await send(endpoint, agent, request);
			for (const secret of [owner.key_id, owner.key, "my secret plan", ...receipts])
				expect(text, endpoint.id).not.toContain(secret);
		}
	});
});

describe("what one user does", () => {
	it("shows in no other user's answers, headers or limits", async () => {
		const receipts: string[] = [];
		for (let i = 0; i < 3; i++)
			receipts.push((await chat(owner.key, "my secret plan")).headers.get("x-request-id") ?? "");
		for (const endpoint of PROTECTED) {
			const request = await exampleRequest(endpoint, other);
			const { status, headers, text } = await send(endpoint, other, request);
			expect(status, endpoint.id).toBe(200);
			const all = `${JSON.stringify(headers)} ${text}`;
			for (const secret of [owner.user_id, owner.key_id, owner.key, "my secret plan", ...receipts])
				expect(all, endpoint.id).not.toContain(secret);
		}
	});

	it("counts towards neither the limits nor the usage of another", async () => {
		for (let i = 0; i < 3; i++) expect((await chat(owner.key, "hi")).status).toBe(200);
		const response = await callWithKey(other.key, "/v1/usage");
		expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("999");
		expect(await response.json()).toMatchObject({
			user_id: other.user_id,
			total_requests: 0,
			total_tokens: 0,
			total_cost_usd: 0,
			by_model: {},
			recent: [],
			limits: { daily_requests_used: 0 },
		});
	});

	it("does not route another's conversation, though it begins with the same words", async () => {
		const opening = { role: "user", content: "Prove that there are infinitely many primes" };
		const called = { id: "call_1", type: "function", function: { name: "list_primes", arguments: "{}" } };
		const messages = [
			opening,
			{ role: "assistant", content: null, tool_calls: [called] },
			{ role: "tool", tool_call_id: called.id, content: "2, 3, 5" },
		];
		const tools = [{ type: "function", function: { name: "list_primes", parameters: { type: "object" } } }];
		const route = async ({ key }: TestKey) => {
			const preview = await callWithKey(key, "/v1/route", { messages, tools });
			return (await preview.json()) as { reason: string; candidates: { model: string }[] };
		};
		const before = await route(other);
		// The owner has had the conversation with a model that the router would not have picked by itself. Between a call and its
		// result the model stays whatever it costs at this hour.
		const model = before.candidates[1]?.model;
		expect((await callWithKey(owner.key, "/v1/chat/completions", { messages: [opening], model })).status).toBe(200);
		expect((await route(owner)).reason).toContain("goes on with the tool calls of its conversation");
		expect(await route(other)).toEqual(before);
	});

	it("is not told by its receipt, which all may read", async () => {
		const id = (await chat(owner.key, "hi")).headers.get("x-request-id");
		const text = await (await call(`/v1/proof/${id}`)).text();
		for (const secret of [owner.user_id, owner.key_id]) expect(text).not.toContain(secret);
	});
});

describe("operator endpoints", () => {
	const operatorEndpoints = ENDPOINTS.filter(({ access }) => access === "operator");

	it.each(operatorEndpoints.map((endpoint): [string, Endpoint] => [endpoint.id, endpoint]))(
		"%s answers a user's key alike, whosever key id it names",
		async (_, endpoint) => {
			const ask = async (keyId: string) => {
				const path = endpoint.path.replace("{key_id}", keyId);
				const body = endpoint.body ? { user: "x", plan: "pro" } : undefined;
				return masked(await send(endpoint, other, { path, body }), keyId);
			};
			const unknown = await ask("key_01ARZ3NDEKTSV4RRFFQ69G5FAV");
			expect(unknown).toMatchObject({ status: 401 });
			expect(await ask(owner.key_id)).toEqual(unknown);
			expect(await ask(other.key_id)).toEqual(unknown);
			expect((await callWithKey(owner.key, "/v1/usage")).status).toBe(200);
		},
	);

	it("list only the keys of the user that is named", async () => {
		const listed = await (await operator("GET", `/internal/keys?user=${encodeURIComponent("nobody")}`)).json();
		expect(listed).toEqual({ object: "list", data: [] });
	});
});

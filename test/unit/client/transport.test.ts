// The client's requests: where they go, when they are sent again, and what their failures say.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ClientOptions, createClient } from "../../../src/client/client.ts";
import { SvcError } from "../../../src/client/errors.ts";

interface Sent {
	url: string;
	method: string;
	headers: Headers;
	body: unknown;
}

/** A client whose requests get these answers in turn. An error stands for a connection that fails. */
function clientWith(answers: (Response | Error)[], options: ClientOptions = {}) {
	const sent: Sent[] = [];
	const client = createClient({
		baseUrl: "https://svc.test/v1",
		apiKey: "svc_sk_x",
		...options,
		fetch: async (input, init) => {
			const { url, method, headers } = new Request(input, { ...init, signal: null });
			sent.push({ url, method, headers, body: init?.body ? JSON.parse(String(init.body)) : undefined });
			const answer = answers.shift();
			if (!answer || answer instanceof Error) throw answer ?? new Error("no answer is left");
			return answer;
		},
	});
	return { client, sent };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
	Response.json(body, { status, headers: { "x-request-id": "svc-1", ...headers } });
/** What any endpoint may be thought to have answered. */
const answered = () => json({ object: "it", id: "it", status: "ok" });
const failure = (promise: Promise<unknown>) =>
	promise.then(
		() => Promise.reject(new Error("it succeeded")),
		(e) => e,
	);
const unreachable = () => new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });

let waits: number[];
beforeEach(() => {
	waits = [];
	vi.stubGlobal("setTimeout", (run: () => void, ms: number) => {
		// The time limit of an attempt is none of the waits between them.
		if (ms >= 600_000) return 0;
		waits.push(ms);
		queueMicrotask(run);
		return 0;
	});
});
afterEach(() => {
	vi.unstubAllGlobals();
	vi.unstubAllEnvs();
});

describe("a request", () => {
	it("goes to the endpoint's path with the key, and its parameters encoded", async () => {
		const { client, sent } = clientWith([json({ object: "handoff.chain" }), answered()]);
		await client.handoffs.chain("shop/eu", { limit: 5 });
		await client.keys.create({ name: "ci" });
		expect(sent.map(({ method, url }) => [method, url])).toEqual([
			["GET", "https://svc.test/v1/handoff/chain/shop%2Feu?limit=5"],
			["POST", "https://svc.test/v1/keys"],
		]);
		expect(sent[0]?.headers.get("authorization")).toBe("Bearer svc_sk_x");
		expect(sent[1]?.body).toEqual({ name: "ci" });
	});

	it.each([
		["https://svc.test", "https://svc.test/v2/orchestrate"],
		["https://svc.test/v1/", "https://svc.test/v2/orchestrate"],
		["https://svc.test/gate/v1", "https://svc.test/gate/v2/orchestrate"],
	])("to a service at %s finds both versions", async (baseUrl, url) => {
		const { client, sent } = clientWith([answered()], { baseUrl });
		await client.orchestrate({ messages: [{ role: "user", content: "hi" }] });
		expect(sent[0]?.url).toBe(url);
	});

	it("takes address and key from the service's variables, else from OpenAI's", async () => {
		const nowhere = { baseUrl: "", apiKey: undefined } as unknown as ClientOptions;
		for (const [name, value] of [
			["SVC_BASE_URL", ""],
			["SVC_API_KEY", ""],
			["OPENAI_BASE_URL", "https://openai-like.test/v1"],
			["OPENAI_API_KEY", "svc_sk_other"],
		] as const)
			vi.stubEnv(name, value);
		const fallback = clientWith([answered()], nowhere);
		await fallback.client.health();
		expect([fallback.sent[0]?.url, fallback.sent[0]?.headers.get("authorization")]).toEqual([
			"https://openai-like.test/health",
			"Bearer svc_sk_other",
		]);
		vi.stubEnv("SVC_BASE_URL", "https://own.test/v1");
		vi.stubEnv("SVC_API_KEY", "svc_sk_own");
		const own = clientWith([answered()], nowhere);
		await own.client.health();
		expect([own.sent[0]?.url, own.sent[0]?.headers.get("authorization")]).toEqual([
			"https://own.test/health",
			"Bearer svc_sk_own",
		]);
	});

	it("needs an address that is one", () => {
		expect(() => createClient({ baseUrl: "svc.test" })).toThrow('"svc.test" is no http address of a service');
	});
});

describe("a retry", () => {
	it("waits as long as the answer says, exactly where it says so exactly", async () => {
		const { client } = clientWith([
			json({}, 429, { "retry-after": "3" }),
			json({}, 503, { "retry-after": "3", "retry-after-ms": "2500" }),
			json({ object: "list", data: [] }),
		]);
		await client.models();
		expect(waits).toEqual([3_000, 2_500]);
	});

	it("is left out where the answer says that it cannot help, or that it would take over a minute", async () => {
		for (const [name, value] of [
			["x-should-retry", "false"],
			["retry-after", "61"],
		] as const) {
			const away = json({ error: "storage_unavailable", message: "away" }, 503, { [name]: value });
			const { client, sent } = clientWith([away]);
			expect(await failure(client.models())).toMatchObject({ code: "storage_unavailable", status: 503 });
			expect(sent).toHaveLength(1);
		}
	});

	it("never repeats a change that may have been made, unless the answer asks for it", async () => {
		const body = { workspace_id: "shop", objective: "one" };
		for (const first of [json({}, 500), unreachable()]) {
			const { client, sent } = clientWith([first, answered()]);
			await failure(client.handoffs.create(body));
			expect(sent).toHaveLength(1);
		}
		const { client, sent } = clientWith([json({}, 500, { "x-should-retry": "true" }), answered()]);
		await client.handoffs.create(body);
		expect(sent).toHaveLength(2);
	});

	it("repeats what changes nothing after a broken connection, and gives up after two", async () => {
		const { client, sent } = clientWith([unreachable(), json({}, 502), json({ object: "route" })]);
		await client.route({ prompt: "hi" });
		expect(sent).toHaveLength(3);
		const broken = clientWith([unreachable(), unreachable(), unreachable(), answered()]);
		expect(await failure(broken.client.route({ prompt: "hi" }))).toMatchObject({ code: "connection_failed" });
		expect(broken.sent).toHaveLength(3);
	});

	it("of a run is under the same idempotency key, so that it joins the run", async () => {
		const { client, sent } = clientWith([unreachable(), json({ object: "agent.run" })]);
		await client.runs.start({ goal: "count" });
		const keys = sent.map(({ body }) => (body as { idempotency_key: string }).idempotency_key);
		expect(keys).toEqual([expect.stringMatching(/.{30,}/), keys[0]]);
	});

	it("ends when the caller stops it, with the caller's reason", async () => {
		const stop = new AbortController();
		const { client } = clientWith([json({}, 429, { "retry-after": "1" }), answered()]);
		stop.abort(new Error("enough"));
		expect(await failure(client.models({ signal: stop.signal }))).toMatchObject({ message: "enough" });
	});
});

describe("a failure", () => {
	it.each([
		["flat", { error: "no_goal", message: "goal is missing", tier: 1 }, 400],
		["wrapped", { detail: { error: "no_goal", message: "goal is missing", tier: 1 }, error: { code: "x" } }, 401],
		["OpenAI's", { error: { code: "no_goal", message: "goal is missing", type: "t", param: null, tier: 1 } }, 402],
	])("in the %s form has code, message, status, request id and details", async (_, body, status) => {
		const { client } = clientWith([json(body, status)]);
		const error = await failure(client.usage());
		expect(error).toBeInstanceOf(SvcError);
		expect(error).toMatchObject({ code: "no_goal", message: "goal is missing", status, requestId: "svc-1" });
		expect(error.details).toMatchObject({ tier: 1 });
	});

	it("of a body that is no JSON says the status and what came", async () => {
		const { client } = clientWith([new Response("<h1>Bad gateway</h1>", { status: 404 })]);
		expect(await failure(client.usage())).toMatchObject({ code: "http_404", message: "<h1>Bad gateway</h1>" });
	});

	it("names the first member at fault", async () => {
		const issues = [{ path: "k", message: "must be at most 8" }];
		const { client } = clientWith([json({ error: "invalid_request", message: "the request is invalid", issues }, 422)]);
		expect((await failure(client.usage())).message).toBe("the request is invalid (k must be at most 8)");
	});

	it("that comes late in a 200 is a failure", async () => {
		const { client } = clientWith([json({ error: "all_models_failed", message: "all failed", status: 502 })]);
		const late = failure(client.orchestrate({ messages: [{ role: "user", content: "hi" }] }));
		expect(await late).toMatchObject({ code: "all_models_failed", status: 502, requestId: "svc-1" });
	});
});

describe("work that streams", () => {
	const stream = (text: string) =>
		new Response(text, { headers: { "content-type": "text/event-stream", "x-request-id": "svc-2" } });
	const progress = 'event: progress\ndata: {"type":"step_started"}\n\n';
	const result = 'event: result\ndata: {"object":"agent.run","status":"complete"}\n\n';

	async function events(items: AsyncIterable<{ type: string }>): Promise<string[]> {
		const types: string[] = [];
		for await (const { type } of items) types.push(type);
		return types;
	}

	it("gives its progress and its result, however its bytes are cut and its lines end", async () => {
		const bytes = new TextEncoder().encode(`: working\r\n\r\n${`${progress}${result}`.replaceAll("\n", "\r\n")}`);
		const pieces = new ReadableStream({
			start(controller) {
				for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
				controller.close();
			},
		});
		const { client } = clientWith([new Response(pieces)]);
		expect(await events(client.codeStream({ task: "count" }))).toEqual(["progress", "result"]);
	});

	it("joins a run again when its stream breaks, and asks for nothing twice otherwise", async () => {
		const { client, sent } = clientWith([stream(progress), unreachable(), stream(`${progress}${result}`)]);
		expect(await events(client.runs.stream({ goal: "count" }))).toEqual(["progress", "progress", "result"]);
		expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
		const once = clientWith([stream(progress)]);
		expect(await failure(events(once.client.codeStream({ task: "count" })))).toMatchObject({
			code: "stream_broken",
			requestId: "svc-2",
		});
	});

	it("fails with its error event", async () => {
		const text = 'event: error\ndata: {"error":"agent_error","message":"it stopped","status":502,"run_id":"agt_1"}\n\n';
		const { client, sent } = clientWith([stream(`${progress}${text}`)]);
		expect(await failure(events(client.runs.stream({ goal: "count" })))).toMatchObject({
			code: "agent_error",
			status: 502,
			details: { run_id: "agt_1" },
		});
		expect(sent).toHaveLength(1);
	});
});

describe("a 2xx that is no answer of the service", () => {
	const bodies = ["", "null", "{}", "[]", '"allow"', "<html>", '{"object":"policy"}'];

	it.each(bodies)("is none: %j", async (body) => {
		for (const type of ["application/json", "text/html", "text/plain"]) {
			const response = new Response(body, { headers: { "content-type": type, "x-request-id": "svc-9" } });
			const { client } = clientWith([response]);
			expect(await failure(client.policy.check({ workspace_id: "shop", action: "x" }))).toMatchObject({
				code: "invalid_answer",
				status: 200,
				requestId: "svc-9",
			});
		}
	});

	it("is none without a body, and with a member of another endpoint", async () => {
		const { client } = clientWith([new Response(null, { status: 204 }), json({ id: "it" })]);
		const check = () => failure(client.policy.check({ workspace_id: "shop", action: "x" }));
		expect(await check()).toMatchObject({ code: "invalid_answer", status: 204 });
		expect(await check()).toMatchObject({ message: "https://svc.test: the answer has no decision" });
		const keys = clientWith([json({})]);
		expect(await failure(keys.client.keys.create())).toMatchObject({ code: "invalid_answer" });
	});

	it.each([["maybe"], [null], ["constructor"], [["allow"]]])("is none with %j as its decision", async (decision) => {
		const { client } = clientWith([json({ decision })]);
		expect(await failure(client.policy.check({ workspace_id: "shop", action: "x" }))).toMatchObject({
			code: "invalid_answer",
			status: 200,
			message: expect.stringContaining("none of allow, confirm, approve, deny"),
		});
	});

	it("does not concern texts", async () => {
		const { client } = clientWith([new Response("note", { headers: { "content-type": "text/plain" } })]);
		const given = { params: { workspace_id: "shop" } };
		expect(await client.call("get_handoff_checkpoint", given)).toBe("note");
	});
});

describe("a list", () => {
	it("is read page after page", async () => {
		const { client, sent } = clientWith([
			json({ object: "list", data: [{ id: "c" }, { id: "b" }], next_cursor: "next" }),
			json({ object: "list", data: [{ id: "a" }], next_cursor: null }),
		]);
		const ids: string[] = [];
		for await (const { id } of client.audit.list({ decision: "deny" })) ids.push(id);
		expect(ids).toEqual(["c", "b", "a"]);
		expect(sent[1]?.url).toContain("decision=deny&cursor=next");
	});

	it("that is followed gives each event once, oldest first, however late it is listed", async () => {
		const at = (second: number) => ({ id: `e${second}`, created_at: new Date(second * 1_000).toISOString() });
		const page = (...seconds: number[]) => json({ object: "list", data: seconds.map(at), next_cursor: null });
		const { client } = clientWith([page(9, 8), page(9, 8), page(12, 10, 9, 8), page(12, 11, 10, 9)]);
		const ids: string[] = [];
		for await (const { id } of client.audit.follow()) if (ids.push(id) === 5) break;
		expect(ids).toEqual(["e8", "e9", "e10", "e12", "e11"]);
	});
});

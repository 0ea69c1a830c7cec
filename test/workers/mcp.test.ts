// The MCP server through the front door: every tool answers what its endpoint answers, errors included; who may call, what
// counts, progress, resources and prompts.
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { createParser } from "eventsource-parser";
import { describe, expect, it, vi } from "vitest";
import { ENDPOINTS } from "../../src/endpoints.ts";
import type { Failure } from "../../src/failure.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { toHttpFailure } from "../../src/http/errors.ts";
import { isInToolGroup } from "../../src/mcp/tool-groups.ts";
import { isTool, toTool } from "../../src/mcp/tools.ts";
import { FULL_GRANT } from "../support/caller.ts";
import { exampleRequest, type SentRequest } from "../support/examples.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, newKey, type TestKey, usageOf } from "../support/service.ts";

interface Message {
	id?: number;
	method?: string;
	params?: Record<string, unknown>;
	result?: Record<string, unknown>;
	error?: { code: number; message: string; data?: unknown };
}

interface ToolResult {
	content: { type: string; text: string }[];
	structuredContent?: Record<string, unknown>;
	isError?: boolean;
	_meta?: Record<string, unknown>;
}

const { upstream, key } = useService("corporate");

function request(method: string, params: Record<string, unknown> = {}, id = 1) {
	return { jsonrpc: "2.0", id, method, params };
}

/** What the server says to one request of a key. */
async function rpc({ key }: TestKey, method: string, params: Record<string, unknown> = {}): Promise<Message> {
	const response = await callWithKey(key, "/v1/mcp", request(method, params));
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function callTool(caller: TestKey, name: string, given: Record<string, unknown>): Promise<ToolResult> {
	const { result, error } = await rpc(caller, "tools/call", { name, arguments: given });
	if (!result) throw new Error(`${name}: ${error?.message}`);
	return result as unknown as ToolResult;
}

/** The arguments that an example's request stands for. */
function argumentsOf({ path: template }: Endpoint, { path = template, body }: SentRequest): Record<string, unknown> {
	const url = new URL(path, "https://svc.test");
	const given = url.pathname.split("/");
	const fromPath = template.split("/").flatMap((segment, index): [string, string][] => {
		const name = /^\{(\w+)\}$/.exec(segment)?.[1];
		return name ? [[name, decodeURIComponent(given[index] ?? "")]] : [];
	});
	const isJson = (text: string) => /^(?:\d+|true|false)$/.test(text);
	const fromQuery = [...url.searchParams].map(([name, text]) => [name, isJson(text) ? JSON.parse(text) : text]);
	return { ...Object.fromEntries(fromPath), ...Object.fromEntries(fromQuery), ...Object(body) };
}

/** What differs between two answers however alike the requests are: ids, times, hashes, signatures. */
const VARYING: readonly [RegExp, string][] = [
	[/[0-9A-HJKMNP-TV-Z]{26}/g, "<ulid>"],
	[/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
	[/sha256:[0-9a-f]{64}/g, "<hash>"],
	[/"salt":"[0-9a-f]{32}"/g, '"salt":"<salt>"'],
	[/[A-Za-z0-9+/_-]{86,}={0,2}/g, "<signature>"],
	[/"(created|created_at|latency_ms|first_token_ms|started_ms|ms)":\d+/g, '"$1":0'],
	[/"share_id":"\w{10}"/g, '"share_id":"<id>"'],
	[/\/b\/\w{10}/g, "/b/<id>"],
	[/(\\?"owner\\?":\\?")[0-9a-f]{16}/g, "$1<owner>"],
	[/"next_cursor":"[\w-]+"/g, '"next_cursor":"<cursor>"'],
];

function masked(value: unknown): unknown {
	return JSON.parse(VARYING.reduce((text, [pattern, word]) => text.replace(pattern, word), JSON.stringify(value)));
}

const TOOLS = ENDPOINTS.filter(isTool);

/** Whether an answer is as the tool says; clients check errors' bodies, too. */
function fits(endpoint: Endpoint, answer: unknown) {
	return new CfWorkerJsonSchemaValidator().getValidator(toTool(endpoint).outputSchema)(answer);
}

describe.each(TOOLS.map((endpoint): [string, Endpoint] => [endpoint.id, endpoint]))("the tool %s", (id, endpoint) => {
	it("answers what its endpoint answers", async () => {
		// One user each: the second of two requests would find what the first has left.
		const other = await newKey("corporate");
		const { path, body } = await exampleRequest(endpoint, other);
		const headers = { authorization: `Bearer ${other.key}`, "content-type": "application/json" };
		const init = { method: endpoint.method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
		const response = await call(path, init);
		const expected = await response.json();

		const own = await exampleRequest(endpoint, key);
		const result = await callTool(key, id, argumentsOf(endpoint, own));
		expect(result.isError, JSON.stringify(result)).toBeUndefined();
		expect(masked(result.structuredContent)).toEqual(masked(expected));
		expect(fits(endpoint, result.structuredContent)).toMatchObject({ valid: true });
		expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
		expect(result._meta?.["svc/request_id"]).toMatch(/^(?:svc-|agt_)[0-9A-Z]{26}$/);
	});

	it("refuses a mistyped rule and suggests it", async () => {
		const own = argumentsOf(endpoint, await exampleRequest(endpoint, key));
		const { isError, structuredContent } = await callTool(key, id, { ...own, complience: {} });
		const issue = { path: "complience", message: "is no member of any request; did you mean compliance?" };
		expect({ isError, structuredContent }).toMatchObject({
			isError: true,
			structuredContent: { error: "invalid_request", issues: [issue] },
		});
	});

	it("has a schema that compiles and takes its example", async () => {
		const given = argumentsOf(endpoint, await exampleRequest(endpoint, key));
		const { inputSchema, listedSchema } = toTool(endpoint);
		for (const schema of [inputSchema, listedSchema]) {
			const validate = new CfWorkerJsonSchemaValidator().getValidator(schema);
			expect(validate(given)).toMatchObject({ valid: true });
			for (const name of (schema["required"] ?? []) as string[]) {
				const { [name]: _, ...without } = given;
				expect(validate(without), name).toMatchObject({ valid: false });
			}
		}
	});

	it("has an answer's schema that takes every error's body", () => {
		const failures: Failure[] = [
			{ reason: "invalid_api_key", message: "no" },
			{ reason: "rate_limit_exceeded", message: "no", retryAfterMs: 1 },
			{ reason: "daily_limit_exceeded", message: "no", plan: "free", dailyLimit: 1, usedToday: 1, retryAfterMs: 1 },
			{ reason: "invalid_request", issues: [{ path: "a", message: "b" }] },
			{ reason: "invalid_brain_config", errors: ["no"] },
			{ reason: "all_models_failed", attempts: ["no"], costUsd: 1, retryAfterMs: null },
			{ reason: "cost_limit_exceeded", message: "no", scope: "max_cost", limitUsd: 1, worstCaseUsd: 2, wouldFit: null },
			{
				reason: "compliance_blocked",
				message: "no",
				excluded: { a: ["b"] },
				notice: {
					policies: [{ level: "request", members: ["frameworks"], digest: "sha256:0" }],
					classes: ["PII"],
					kinds: { PII: ["email"] },
					places: [{ path: "messages[0]", message: 0, place: "text", kinds: ["email"], count: 1 }],
					counts: { email: 1 },
				},
			},
			{ reason: "agent_error", message: "no", runId: "agt_1", costUsd: 0.5, output: "" },
			{ reason: "share_limit_reached", limit: 1 },
			{ reason: "internal_error", requestId: "svc-1" },
		];
		for (const failure of failures) {
			const { status, body } = toHttpFailure(failure);
			expect(fits(endpoint, { ...body, status }), failure.reason).toMatchObject({ valid: true });
		}
	});
});

describe("the list of tools", () => {
	interface Listed {
		name: string;
		title: string;
		inputSchema: { properties?: Record<string, { type?: string; properties?: object }> };
		outputSchema: { type: string };
		annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
	}
	const list = async (query = ""): Promise<Listed[]> => {
		const response = await callWithKey(key.key, `/v1/mcp${query}`, request("tools/list"));
		const { result } = await response.json<{ result: { tools: Listed[] } }>();
		return result.tools;
	};
	const names = async (query = "") => (await list(query)).map(({ name }) => name);

	it("is short by default, that of named groups, or whole", async () => {
		const namesIn = (...groups: string[]) =>
			TOOLS.filter((endpoint) => groups.some((group) => isInToolGroup(endpoint, group))).map(({ id }) => id);
		const short = await names();
		expect(short).toEqual(namesIn("default"));
		expect(await names("?tools=all")).toEqual(TOOLS.map(({ id }) => id));
		expect(await names("?tools=skills")).toEqual(["list_skills", "get_skill", "invoke_skill"]);
		expect(await names("?tools=skills,%20account")).toEqual(namesIn("skills", "account"));
		expect(await names("?tools=default,account")).toEqual(expect.arrayContaining([...short, "get_usage"]));
		expect(await names("?tools=")).toEqual(short);
	});

	it("is refused for a group that there is not, and any tool can be called whatever is listed", async () => {
		const unknown = await callWithKey(key.key, "/v1/mcp?tools=skills,nope", request("tools/list"));
		expect(await unknown.json()).toMatchObject({
			id: 1,
			error: {
				code: -32602,
				message: expect.stringMatching(/^there is no tool group nope; groups are default, all, chat,/),
			},
		});
		const called = await callWithKey(
			key.key,
			"/v1/mcp?tools=skills",
			request("tools/call", { name: "list_plans", arguments: {} }),
		);
		expect(await called.json()).toMatchObject({ result: { structuredContent: { object: "list" } } });
	});

	it("says of each tool what it does, not by which method", async () => {
		const hints = Object.fromEntries((await list("?tools=all")).map(({ name, annotations }) => [name, annotations]));
		for (const name of [
			"get_usage",
			"preview_route",
			"preview_compliance",
			"score_risk",
			"verify_trajectory",
			"validate_brain_config",
		])
			expect(hints[name], name).toEqual({ readOnlyHint: true });
		for (const name of ["create_chat_completion", "check_policy", "create_handoff", "start_agent_run"])
			expect(hints[name], name).toEqual({ readOnlyHint: false, destructiveHint: false });
		for (const name of [
			"cancel_agent_run",
			"delete_brain_share",
			"put_workspace_manifest",
			"check_workspace_readiness",
			"give_feedback",
		])
			expect(hints[name], name).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
	});

	it("has titles, schemas of answers, and the members of policies and configs", async () => {
		const tools = await list("?tools=all");
		expect(tools.find(({ name }) => name === "get_agent_run")?.title).toBe("Get agent run");
		for (const { name, outputSchema } of tools) expect(outputSchema.type, name).toBe("object");
		const ruled = tools.filter(({ inputSchema }) => inputSchema.properties?.["compliance"]);
		expect(ruled.length).toBeGreaterThanOrEqual(6);
		for (const { name, inputSchema } of ruled)
			expect(Object.keys(inputSchema.properties?.["compliance"]?.properties ?? {}), name).toContain("jurisdiction");
		// The preview reads a config's policy only; validating and sharing take faulty configs too.
		const untyped = ["preview_compliance", "validate_brain_config", "create_brain_share"];
		const configured = tools.filter(
			({ name, inputSchema }) => inputSchema.properties?.["brain_config"] && !untyped.includes(name),
		);
		expect(configured.length).toBeGreaterThanOrEqual(4);
		for (const { name, inputSchema } of configured)
			expect(Object.keys(inputSchema.properties?.["brain_config"]?.properties ?? {}), name).toContain("blocked");
	});
});

describe("a tool's failure", () => {
	const FAILURES: [string, string, Record<string, unknown>, string, RequestInit["method"], unknown][] = [
		["an unknown id", "get_handoff", { handoff_id: "ho_nope" }, "/v1/handoff/ho_nope", "GET", undefined],
		["a field that is missing", "create_chat_completion", {}, "/v1/chat/completions", "POST", {}],
		["a value of another type", "score_risk", { kind: 7 }, "/v1/risk/score", "POST", { kind: 7 }],
		["a query out of range", "list_audit_events", { limit: 0 }, "/v1/audit/events?limit=0", "GET", undefined],
		["an unknown model", "get_savings", { baseline: "nope" }, "/v1/savings?baseline=nope", "GET", undefined],
	];

	it.each(FAILURES)("for %s is the endpoint's error, marked as one", async (_, name, given, path, method, body) => {
		const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
		const response = await call(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
		expect(response.status).toBeGreaterThanOrEqual(400);
		const result = await callTool(key, name, given);
		expect([result.isError, result.structuredContent]).toEqual([true, await response.json()]);
	});

	it("for a parameter that no path can hold is the same kind of error", async () => {
		for (const given of [{}, { handoff_id: ".." }])
			expect(await callTool(key, "get_handoff", given)).toMatchObject({
				isError: true,
				structuredContent: { error: "invalid_request", issues: [{ path: "handoff_id" }] },
			});
	});

	it("for a limit that is reached is the endpoint's 429", async () => {
		const free = await newKey("free");
		const results: ToolResult[] = [];
		for (let i = 0; i < 11; i++) results.push(await callTool(free, "score_risk", { kind: "read", targets: ["a"] }));
		expect(results.map(({ isError }) => isError ?? false)).toEqual([...new Array(10).fill(false), true]);
		expect(results.at(-1)?.structuredContent).toMatchObject({ detail: { error: "rate_limit_exceeded" } });
	});

	it("is the protocol's for a tool that there is not, whatever access the endpoint of that name has", async () => {
		for (const name of ["nope", "operator_create_key", "openapi", "mcp", "generate_workspace_files", "constructor"]) {
			const { error } = await rpc(key, "tools/call", { name, arguments: {} });
			expect(error, name).toMatchObject({ code: -32602 });
		}
	});
});

describe("what counts", () => {
	it("is each tool's call, once, and nothing of the protocol around it", async () => {
		for (const method of ["ping", "tools/list", "prompts/list", "resources/templates/list"]) await rpc(key, method);
		await callTool(key, "create_chat_completion", { messages: [{ role: "user", content: "hi" }] });
		await callTool(key, "score_risk", { kind: "read", targets: ["a"] });
		const usage = await usageOf(key);
		expect([usage.limits.daily_requests_used, usage.total_requests]).toEqual([2, 1]);
	});

	it("has a receipt under the id that the result names", async () => {
		const result = await callTool(key, "create_chat_completion", { messages: [{ role: "user", content: "hi" }] });
		const id = result._meta?.["svc/request_id"];
		expect(result.structuredContent?.["id"]).toBe(id);
		expect(await callTool(key, "get_proof", { request_id: id })).toMatchObject({ structuredContent: { valid: true } });
	});
});

/** Posts to the server as a client that reads streams; the messages of the stream that comes, or of the one JSON answer. */
async function post(
	body: unknown,
	headers: Record<string, string> = {},
): Promise<{ type: string; messages: Message[] }> {
	const accept = "application/json, text/event-stream";
	const all = { authorization: `Bearer ${key.key}`, "content-type": "application/json", accept, ...headers };
	const response = await call("/v1/mcp", { method: "POST", headers: all, body: JSON.stringify(body) });
	const type = response.headers.get("content-type")?.split(";")[0] ?? "";
	if (type !== "text/event-stream") return { type, messages: [await response.json()].flat() as Message[] };
	const messages: Message[] = [];
	createParser({ onEvent: ({ data }) => messages.push(JSON.parse(data)) }).feed(await response.text());
	return { type, messages };
}

describe("a call that takes its time", () => {
	const chat = {
		name: "create_chat_completion",
		arguments: { messages: [{ role: "user", content: "hi" }], stream: true },
	};

	it("is answered on a stream, with progress for who asks for it, and whole all the same", async () => {
		const { type, messages } = await post(request("tools/call", { ...chat, _meta: { progressToken: "p" } }));
		expect(type).toBe("text/event-stream");
		expect(messages[0]).toMatchObject({
			method: "notifications/progress",
			params: { progressToken: "p", progress: 0 },
		});
		expect(messages.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { object: "chat.completion" } } });
		const silent = await post(request("tools/call", chat));
		expect([silent.type, silent.messages.length]).toEqual(["text/event-stream", 1]);
	});

	it("tells what the endpoint tells, and ends with what the endpoint answers", async () => {
		const given = { messages: [{ role: "user", content: "Why is the sky blue?" }], strategy: "ensemble_moa" };
		const call = { name: "orchestrate", arguments: given, _meta: { progressToken: 7 } };
		const { messages } = await post(request("tools/call", call));
		const heard = messages.slice(0, -1).map(({ params }) => params as { progress: number; message: string });
		expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, index) => index));
		const said = heard.map(({ message }) => message).join("\n");
		for (const part of ["started", "stage started: stage propose", "call finished: stage aggregate"])
			expect(said).toContain(part);
		const other = await newKey("corporate");
		const whole = (await callWithKey(other.key, "/v2/orchestrate", given)).json();
		const result = messages.at(-1)?.result as unknown as ToolResult;
		expect(result.isError).toBeUndefined();
		expect(Object.keys(result.structuredContent ?? {})).toEqual(Object.keys((await whole) as object));
	});

	it("that fails tells so on its stream", async () => {
		const call = { name: "orchestrate", arguments: { messages: [] }, _meta: { progressToken: 7 } };
		const { messages } = await post(request("tools/call", call));
		expect(messages.at(-1)?.result).toMatchObject({ isError: true, structuredContent: { error: "no_messages" } });
	});

	it("that fails after its stream has begun is an error, too", async () => {
		upstream.replace(async () => Response.json({ error: { message: "away" } }, { status: 500 }));
		const call = { name: "orchestrate", arguments: { messages: [{ role: "user", content: "hi" }] } };
		const { messages } = await post(request("tools/call", { ...call, _meta: { progressToken: 7 } }));
		expect(messages.at(-1)?.result).toMatchObject({
			isError: true,
			structuredContent: { error: "all_models_failed" },
		});
	});

	it("is answered in one piece to who reads no stream", async () => {
		const call = request("tools/call", { ...chat, _meta: { progressToken: "p" } });
		const { type, messages } = await post(call, { accept: "application/json" });
		expect([type, messages.length]).toEqual(["application/json", 1]);
	});
});

describe("the transport", () => {
	const ping = request("ping");

	it("answers a notification with 202 and nothing", async () => {
		const response = await callWithKey(key.key, "/v1/mcp", { jsonrpc: "2.0", method: "notifications/initialized" });
		expect([response.status, await response.text()]).toEqual([202, ""]);
	});

	it("answers several messages of an old client together", async () => {
		const { messages } = await post([request("ping", {}, 1), request("tools/list", {}, 2)]);
		expect(messages.map(({ id }) => id)).toEqual([1, 2]);
	});

	const refusal = async (body: string, headers: Record<string, string> = {}) => {
		const all = { authorization: `Bearer ${key.key}`, "content-type": "application/json", ...headers };
		const response = await call("/v1/mcp", { method: "POST", headers: all, body });
		return [response.status, await response.json()];
	};

	it("answers what is no JSON by the protocol's parse error", async () => {
		for (const body of ["", "{", "\u0000", '{"jsonrpc":'])
			expect(await refusal(body), body).toEqual([
				400,
				{ jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.any(String) } },
			]);
	});

	it("answers what is no message by the protocol's error for it, under its id where it has one", async () => {
		const cases: [unknown, number | string | null, RegExp][] = [
			[7, null, /./],
			["text", null, /./],
			[[], null, /./],
			[{}, null, /^invalid request: jsonrpc: must be "2\.0"$/],
			[{ jsonrpc: "1.0", id: 7, method: "ping" }, 7, /jsonrpc/],
			[{ jsonrpc: "2.0", id: "a" }, "a", /method/],
			[{ jsonrpc: "2.0", id: 1.5, method: "ping" }, null, /id/],
			[{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 1, /params/],
			[[ping, { ...ping, id: 2, method: 3 }], null, /1\.method/],
		];
		for (const [body, id, message] of cases)
			expect(await refusal(JSON.stringify(body)), JSON.stringify(body)).toEqual([
				400,
				{ jsonrpc: "2.0", id, error: { code: -32600, message: expect.stringMatching(message) } },
			]);
		expect((await usageOf(key)).limits.daily_requests_used).toBe(0);
	});

	it("takes batches of at most ten, in the version of the protocol that has them", async () => {
		const batch = (count: number) => JSON.stringify(Array.from({ length: count }, (_, id) => request("ping", {}, id)));
		const refused = [400, { jsonrpc: "2.0", id: null, error: { code: -32600 } }];
		expect(await refusal(batch(10))).toMatchObject([200, expect.any(Array)]);
		expect(await refusal(batch(10), { "mcp-protocol-version": "2025-03-26" })).toMatchObject([200, expect.any(Array)]);
		expect(await refusal(batch(11))).toMatchObject(refused);
		for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"])
			expect(await refusal(batch(2), { "mcp-protocol-version": version }), version).toMatchObject(refused);
	});

	it("refuses two requests under one id, of which one would never be answered", async () => {
		const reading = request("tools/call", { name: "score_risk", arguments: { kind: "read" } });
		const twice = await refusal(JSON.stringify([reading, { ...reading, id: 2 }, reading]));
		expect(twice).toMatchObject([
			400,
			{ id: null, error: { code: -32600, message: "invalid request: must not have one id twice" } },
		]);
		expect((await usageOf(key)).limits.daily_requests_used).toBe(0);
		const distinct = [reading, { ...reading, id: "1" }];
		expect((await callWithKey(key.key, "/v1/mcp", distinct)).status).toBe(200);
	});

	it("has no session and no stream of its own", async () => {
		const initialize = request("initialize", {
			protocolVersion: "2025-11-25",
			capabilities: {},
			clientInfo: { name: "c", version: "1" },
		});
		const response = await callWithKey(key.key, "/v1/mcp", initialize);
		expect(response.headers.get("mcp-session-id")).toBeNull();
		for (const method of ["GET", "DELETE"]) {
			const headers = { authorization: `Bearer ${key.key}`, accept: "text/event-stream" };
			const refused = await call("/v1/mcp", { method, headers });
			expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
		}
	});

	it("lets pages of this machine and of its own call, and no others", async () => {
		const statusFrom = async (origin: string) => {
			const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json", origin };
			return (await call("/v1/mcp", { method: "POST", headers, body: JSON.stringify(ping) })).status;
		};
		for (const origin of ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:3000", "https://svc.test"])
			expect(await statusFrom(origin), origin).toBe(200);
		for (const origin of ["https://evil.test", "null", "https://svc.test.evil.test", "http://localhost.evil.test", "x"])
			expect(await statusFrom(origin), origin).toBe(403);
	});

	it("says which protocol versions it speaks", async () => {
		const headers = { "mcp-protocol-version": "1999-01-01" };
		const { messages } = await post(ping, headers);
		expect(messages[0]?.error?.message).toContain("2025-11-25");
	});
});

describe("a bug", () => {
	it("is told to the log, and to the client only that there was one", async () => {
		const logged: string[] = [];
		const log = vi.spyOn(console, "error").mockImplementation((line) => logged.push(String(line)));
		const asker = {
			account: { key: FULL_GRANT },
			address: "unknown",
			headers: new Headers(),
			origin: "https://svc.test",
			requestId: "svc-1",
			signal: new AbortController().signal,
			dispatch: () => Promise.reject(new Error("the secret insides")),
		};
		const { answerMcp } = await import("../../src/mcp/server.edge.ts");
		const ask = { jsonrpc: "2.0" as const, id: 1, method: "prompts/list" };
		const message: Message = await (await answerMcp(ask, ENDPOINTS, asker)).json();
		log.mockRestore();
		expect(message.error).toEqual({ code: -32603, message: "an unexpected error; the log has it under svc-1" });
		expect(logged.join("")).toContain("the secret insides");
	});
});

describe("resources and prompts", () => {
	it("list every skill and the caller's own shares, and read both", async () => {
		const shared = { brain_md: "max_cost: 0.01 # why", title: "Ours" };
		const share = await (await callWithKey(key.key, "/v1/brain/share", shared)).json<{ share_id: string }>();
		const resources = (await rpc(key, "resources/list")).result?.["resources"] as { uri: string; title?: string }[];
		expect(resources.find(({ uri }) => uri === `svc://brain/${share.share_id}`)?.title).toBe("Ours");
		const skills = (await (await call("/v1/skills")).json()) as { data: { id: string }[] };
		expect(resources.map(({ uri }) => uri)).toEqual(
			expect.arrayContaining(skills.data.map(({ id }) => `svc://skills/${id}`)),
		);

		const other = await newKey("pro");
		const read = await rpc(other, "resources/read", { uri: `svc://brain/${share.share_id}` });
		const contents = read.result?.["contents"] as { text: string }[] | undefined;
		expect(JSON.parse(contents?.[0]?.text ?? "")).toEqual(await (await call(`/v1/b/${share.share_id}`)).json());
		expect(JSON.stringify((await rpc(other, "resources/list")).result)).not.toContain(share.share_id);

		const skill = await rpc(key, "resources/read", { uri: "svc://skills/debugging" });
		const raw = ((await (await call("/v1/skills/debugging")).json()) as { raw: string }).raw;
		expect(skill.result?.["contents"]).toEqual([
			{ uri: "svc://skills/debugging", mimeType: "text/markdown", text: raw },
		]);
	});

	it("list shares page by page", async () => {
		for (let i = 0; i < 51; i++) {
			const response = await callWithKey(key.key, "/v1/brain/share", { brain_md: `max_cost: ${i + 1}` });
			expect(response.status).toBe(200);
		}
		const first = (await rpc(key, "resources/list")).result as { resources: { uri: string }[]; nextCursor: string };
		const second = (await rpc(key, "resources/list", { cursor: first.nextCursor })).result as typeof first;
		expect(second.nextCursor).toBeUndefined();
		const shares = [...first.resources, ...second.resources].filter(({ uri }) => uri.startsWith("svc://brain/"));
		expect(new Set(shares.map(({ uri }) => uri)).size).toBe(51);
		expect(second.resources.length).toBe(1);
	});

	it("answer an address that names nothing with the protocol's error", async () => {
		const addresses = ["svc://skills/nope", "svc://brain/1111111111", "svc://brain/../usage", "https://svc.test/", ""];
		for (const uri of addresses)
			expect((await rpc(key, "resources/read", { uri })).error, uri).toMatchObject({ code: -32602 });
	});

	it("make a prompt of a skill and a task", async () => {
		const prompts = (await rpc(key, "prompts/list")).result?.["prompts"] as { name: string }[];
		expect(prompts.map(({ name }) => name)).toContain("debugging");
		const { result } = await rpc(key, "prompts/get", { name: "debugging", arguments: { task: "It prints 8." } });
		const messages = result?.["messages"] as { role: string; content: { text: string } }[];
		expect(messages.map(({ role }) => role)).toEqual(["user", "user"]);
		expect(messages[0]?.content.text).toContain("# Debugging");
		expect(messages[1]?.content.text).toBe("It prints 8.");
		for (const params of [
			{ name: "nope", arguments: { task: "x" } },
			{ name: "debugging", arguments: {} },
		])
			expect((await rpc(key, "prompts/get", params)).error).toMatchObject({ code: -32602 });
		const { error } = await rpc(key, "prompts/get", { name: "nope", arguments: { task: "x" } });
		expect(error?.message).toBe("no such skill; GET /v1/skills lists them all");
	});
});

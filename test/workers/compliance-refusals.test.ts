// Refusals by compliance: their trail at the meter and in the audit log, folded by minute, and what their bodies say.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_REFUSALS_PER_MINUTE } from "../../src/meter/compliance-refusals.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { killObject, useFaults } from "../support/faults.ts";
import {
	callWith,
	callWithKey,
	db,
	newKey,
	type TestKey,
	type Upstream,
	useSandbox,
	withKey,
} from "../support/service.ts";

interface RefusalEvent {
	id: string;
	workspace_id: null;
	actor: string;
	created_at: string;
	payload: { refusals: number; request_id: string; last_at: string; mixed?: true } & Record<string, unknown>;
}

let upstream: Upstream;
let key: TestKey;
let meter: MeterClient;
let faults: { restore(): void } | undefined;
beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("corporate");
	meter = meterClient(env.ACCOUNT_METER, key.user_id);
});
afterEach(() => {
	vi.useRealTimers();
	faults?.restore();
	upstream.restore();
});

const stub = () => env.ACCOUNT_METER.getByName(key.user_id);

/** The refusals that the audit log lists, oldest first. */
async function listed(query = ""): Promise<RefusalEvent[]> {
	const response = await callWithKey(key.key, `/v1/audit/events?event_type=compliance_blocked${query}`);
	expect(response.status).toBe(200);
	return (await response.json<{ data: RefusalEvent[] }>()).data.toReversed();
}

async function storedInD1(): Promise<{ id: string; payload: string }[]> {
	const query = "SELECT id, payload FROM audit_events WHERE user_id = ? AND event_type = 'compliance_blocked'";
	return (await db.prepare(query).bind(key.user_id).all<{ id: string; payload: string }>()).results;
}

function refuse(requestId: string, likeness = "same", details: Record<string, unknown> = { kinds: {} }): Promise<void> {
	return meter.recordRefusal({ requestId, userId: key.user_id, keyId: key.key_id, likeness, details });
}

/** Starts at the beginning of a minute, so that the next one does not begin meanwhile. */
function stopClock(): number {
	const startMs = Math.ceil(Date.now() / 60_000) * 60_000;
	vi.useFakeTimers({ toFake: ["Date"], now: startMs });
	return startMs;
}

describe("refusals of one minute", () => {
	it("that are alike are one event with their number, listed at once and in D1 when the minute is over", async () => {
		const startMs = stopClock();
		for (let number = 1; number <= 200; number++) await refuse(`svc-${number}`);
		const [event, ...others] = await listed();
		expect(others).toEqual([]);
		expect(event).toMatchObject({
			id: expect.stringMatching(/^ae_/),
			workspace_id: null,
			actor: `key:${key.key_id}`,
			created_at: new Date(startMs).toISOString(),
			payload: { request_id: "svc-1", kinds: {}, refusals: 200, last_at: new Date(startMs).toISOString() },
		});
		expect(await storedInD1()).toEqual([]);
		vi.setSystemTime(startMs + 60_000);
		expect(await runDurableObjectAlarm(stub())).toBe(true);
		expect((await storedInD1()).map(({ payload }) => JSON.parse(payload).refusals)).toEqual([200]);
		expect(await listed()).toEqual([event]);
		expect(await meter.unflushedEvents()).toEqual([]);
		await refuse("svc-201");
		expect((await listed()).map(({ payload }) => payload.refusals)).toEqual([200, 1]);
	});

	it("are counted once however often the call is repeated", async () => {
		stopClock();
		for (const id of ["svc-1", "svc-1", "svc-2", "svc-2"]) await refuse(id);
		expect((await listed()).map(({ payload }) => payload.refusals)).toEqual([2]);
	});

	it("that differ have an event each, up to a limit, and share one beyond it", async () => {
		stopClock();
		const many = MAX_REFUSALS_PER_MINUTE + 30;
		for (let number = 1; number <= many; number++) await refuse(`svc-${number}`, `likeness ${number}`, { number });
		await refuse("svc-again", "likeness 1");
		const events = await listed("&limit=200");
		expect(events).toHaveLength(MAX_REFUSALS_PER_MINUTE + 1);
		expect(events.filter(({ payload }) => payload.mixed)).toMatchObject([
			{ payload: { refusals: 30, number: MAX_REFUSALS_PER_MINUTE + 1 } },
		]);
		expect(events.find(({ payload }) => payload["number"] === 1)?.payload.refusals).toBe(2);
	});

	it("survive their object and a D1 that is away", async () => {
		const startMs = stopClock();
		await refuse("svc-1");
		await killObject(stub());
		await refuse("svc-2");
		faults = useFaults({ DB: ({ target }) => (/audit_events/i.test(target) ? "fail" : "pass") });
		vi.setSystemTime(startMs + 60_000);
		await runDurableObjectAlarm(stub());
		expect(await meter.unflushedEvents()).toHaveLength(1);
		faults.restore();
		expect(await storedInD1()).toEqual([]);
		vi.setSystemTime(startMs + 600_000);
		expect(await runDurableObjectAlarm(stub())).toBe(true);
		expect((await storedInD1()).map(({ payload }) => JSON.parse(payload).refusals)).toEqual([2]);
	});
});

const MAIL = "Write to ada.lovelace@analytical.org about the engine.";
/** Excludes every model for a text with a mail address. */
const NO_PII = { block_data_classes: ["PII"], provider_allowlist: ["zai"] };

interface RefusalBody {
	error: string;
	message: string;
	excluded: Record<string, string[]>;
	policies: { level: string; members: string[]; digest: string }[];
	classes: string[];
	kinds: Record<string, string[]>;
	places: { path: string; message: number | null; place: string; kinds: string[]; count: number }[];
	counts: Record<string, number>;
}

async function refused(path: string, body: Record<string, unknown>): Promise<RefusalBody> {
	const response = await callWithKey(key.key, path, body);
	expect([response.status, response.headers.get("x-should-retry")]).toEqual([403, "false"]);
	const answer = await response.json<RefusalBody>();
	expect(answer.error).toBe("compliance_blocked");
	expect(upstream.requests).toEqual([]);
	return answer;
}

const user = (content: unknown) => ({ role: "user", content });

describe("a refusal", () => {
	const messages = [
		user("Who should I write to?"),
		{
			role: "assistant",
			content: null,
			tool_calls: [{ id: "call_1", type: "function", function: { name: "find_contact", arguments: "{}" } }],
		},
		{ role: "tool", tool_call_id: "call_1", content: MAIL },
		user([
			{ type: "text", text: "And to bob@analytical.org" },
			{ type: "text", text: "and carol@analytical.org." },
		]),
	];

	it("says which policy refuses, which kinds it found and where, and never what", async () => {
		const answer = await refused("/v1/chat/completions", { messages, compliance: NO_PII });
		expect(answer).toMatchObject({
			message:
				"the compliance policy excludes every model that could serve this request, by the request's block_data_classes, provider_allowlist; it holds PII (email) in messages[2], tool result; messages[3], text",
			policies: [
				{
					level: "request",
					members: ["block_data_classes", "provider_allowlist"],
					digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
				},
			],
			classes: ["PII"],
			kinds: { PII: ["email"] },
			places: [
				{ path: "messages[2]", message: 2, place: "tool result", kinds: ["email"], count: 1 },
				{ path: "messages[3]", message: 3, place: "text", kinds: ["email"], count: 2 },
			],
			counts: { email: 3 },
		});
		expect(JSON.stringify([answer, await listed()])).not.toMatch(/analytical|lovelace/i);
	});

	it("names tools, stops and schemas, whose texts stand in no message", async () => {
		const description = `Sends mail. ${MAIL}`;
		const tools = [{ type: "function", function: { name: "send", description } }];
		const answer = await refused("/v1/chat/completions", {
			messages: [user("hi")],
			tools,
			stop: "ada@analytical.org",
			compliance: NO_PII,
		});
		expect(answer.places).toMatchObject([
			{ path: "tools", message: null, place: "tool definition", kinds: ["email"] },
			{ path: "stop", message: null, place: "stop", kinds: ["email"] },
		]);
	});

	it("that no text could avoid names the member alone", async () => {
		const compliance = { jurisdiction: ["JP"], block_data_classes: ["SECRETS"] };
		const answer = await refused("/v1/chat/completions", { messages: [user(MAIL)], compliance });
		expect(answer).toMatchObject({
			message: expect.stringMatching(/, by the request's jurisdiction$/),
			classes: [],
			kinds: {},
			places: [],
			counts: {},
		});
	});

	const entrances: [endpoint: string, path: string, body: Record<string, unknown>, at: string][] = [
		["create_chat_completion", "/v1/chat/completions", { messages: [user(MAIL)] }, "messages[0]"],
		["create_chat_completion", "/v1/chat/completions", { messages: [user(MAIL)], stream: true }, "messages[0]"],
		["orchestrate", "/v2/orchestrate", { messages: [user("hi"), user(MAIL)] }, "messages[1]"],
		["write_code", "/v2/code", { task: MAIL }, "task"],
		["start_agent_run", "/v1/agent/run", { goal: MAIL }, "goal"],
		["invoke_skill", "/v1/skills/editing/invoke", { task: MAIL }, "task"],
	];

	it.each(entrances)("by %s leaves an audit event (%s, %o)", async (endpoint, path, body, at) => {
		const answer = await refused(path, { ...body, compliance: NO_PII });
		expect(answer.places).toMatchObject([{ path: at, place: "text", kinds: ["email"], count: 1 }]);
		const { policies, classes, kinds, places, counts } = answer;
		expect(await listed()).toMatchObject([
			{
				actor: `key:${key.key_id}`,
				payload: {
					endpoint,
					request_id: expect.stringMatching(/^svc-/),
					policies,
					classes,
					kinds,
					places,
					counts,
					refusals: 1,
				},
			},
		]);
	});

	it.each(entrances)("by the tool %s leaves one, too (%s, %o)", async (endpoint, path, body, at) => {
		const skill = endpoint === "invoke_skill" ? { skill_id: "editing" } : {};
		const response = await callWithKey(key.key, "/v1/mcp", {
			jsonrpc: "2.0",
			id: 1,
			method: "tools/call",
			params: { name: endpoint, arguments: { ...body, ...skill, compliance: NO_PII } },
		});
		const { result } = await response.json<{ result: { isError: boolean; structuredContent: RefusalBody } }>();
		expect(result.isError, path).toBe(true);
		expect(result.structuredContent.places).toMatchObject([{ path: at }]);
		expect(await listed()).toMatchObject([{ payload: { endpoint, places: [{ path: at }] } }]);
	});

	it("that a stream of progress reports leaves an audit event", async () => {
		const body = { messages: [user(MAIL)], stream: true, compliance: NO_PII };
		const response = await callWithKey(key.key, "/v2/orchestrate", body);
		expect(await response.text()).toContain("compliance_blocked");
		expect(await listed()).toMatchObject([{ payload: { endpoint: "orchestrate", refusals: 1 } }]);
	});

	it("by a level above names that level and the policy's digest, and never its lists", async () => {
		const floor = { compliance: { block_data_classes: ["PII"], provider_allowlist: ["zai"] } };
		const get = async (name: string) => (name === "brain:default" ? JSON.stringify(floor) : null);
		const server: Partial<Env> = { KV: { get } as unknown as KVNamespace };
		const response = await callWith(server, "/v1/chat/completions", withKey(key.key, { messages: [user(MAIL)] }));
		const answer = await response.json<RefusalBody>();
		expect([response.status, answer]).toMatchObject([
			403,
			{
				message: expect.stringContaining("by the operator's block_data_classes, provider_allowlist; it holds PII"),
				policies: [{ level: "operator", members: ["block_data_classes", "provider_allowlist"] }],
				places: [{ path: "messages[0]" }],
			},
		]);
		expect(JSON.stringify({ ...answer, excluded: undefined })).not.toMatch(/zai/);
		expect(await listed()).toMatchObject([{ payload: { policies: answer.policies } }]);
	});

	it("of a preview leaves no event, because nothing was refused", async () => {
		const body = { messages: [user(MAIL)], compliance: NO_PII };
		expect((await callWithKey(key.key, "/v1/route", body)).status).toBe(403);
		expect((await callWithKey(key.key, "/v2/compliance/preview", body)).status).toBe(200);
		expect(await listed()).toEqual([]);
	});

	it("of a vector image names the text in it", async () => {
		const svg = `<svg xmlns="http://www.w3.org/2000/svg"><text>${MAIL}</text></svg>`;
		const url = `data:image/svg+xml;base64,${btoa(svg)}`;
		const content = [
			{ type: "text", text: "What does it say?" },
			{ type: "image_url", image_url: { url } },
		];
		const compliance = { ...NO_PII, allow_unread: ["image"] };
		const answer = await refused("/v1/chat/completions", { messages: [user(content)], compliance });
		expect(answer.kinds).toEqual({ PII: ["email"] });
		expect(answer.places).toMatchObject([{ path: "messages[0]", kinds: ["email"] }]);
	});

	it("a hundred times over is one event, and the others' limits hold", async () => {
		stopClock();
		const body = { messages: [user(MAIL)], compliance: NO_PII };
		await Promise.all(Array.from({ length: 100 }, () => refused("/v1/chat/completions", body)));
		expect((await listed()).map(({ payload }) => payload.refusals)).toEqual([100]);
	});
});

describe("what nobody can read", () => {
	const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
	const messages = [user([{ type: "text", text: "What is on it?" }, image])];
	const block = { block_data_classes: ["PII"] };
	const allow = { allow_unread: ["image"] };

	it("refuses an image where a class is blocked, unless the policy lets images pass", async () => {
		const answer = await refused("/v1/chat/completions", { messages, compliance: { ...NO_PII } });
		expect(answer).toMatchObject({ classes: ["PII"], kinds: { PII: ["unread"] }, places: [{ place: "image" }] });
		const passed = await callWithKey(key.key, "/v1/chat/completions", { messages, compliance: { ...block, ...allow } });
		expect([passed.status, await passed.text()]).toEqual([200, expect.stringContaining("svc.attestation.v1")]);
	});

	it("is refused by a level above, whatever a request says of it", async () => {
		const floor = { compliance: { ...block, provider_allowlist: ["zai"] } };
		const get = async (name: string) => (name === "brain:default" ? JSON.stringify(floor) : null);
		const server: Partial<Env> = { KV: { get, put: async () => undefined } as unknown as KVNamespace };
		const body = { messages, compliance: allow };
		const byOperator = await callWith(server, "/v1/chat/completions", withKey(key.key, body));
		expect([byOperator.status, await byOperator.json()]).toMatchObject([
			403,
			{ policies: [{ level: "operator" }], kinds: { PII: ["unread"] } },
		]);
		const response = await callWithKey(key.key, "/v1/keys", { name: "blocked", brain_config: { compliance: NO_PII } });
		expect(response.status).toBe(200);
		const { key: bounded } = await response.json<{ key: string }>();
		const byKey = await callWithKey(bounded, "/v1/chat/completions", body);
		expect([byKey.status, await byKey.json()]).toMatchObject([
			403,
			{ policies: [{ level: "key" }], kinds: { PII: ["unread"] } },
		]);
		expect(upstream.requests).toEqual([]);
	});

	const sentence = "My number is 412-68-3957";
	const assistant = (members: Record<string, unknown>) => [
		user("hi"),
		{ role: "assistant", content: "Hello", ...members },
		user("and?"),
	];
	const toolCall = (members: Record<string, unknown>) =>
		assistant({
			tool_calls: [{ id: "call_1", type: "function", function: { name: "find", arguments: "{}" }, ...members }],
		});

	it.each<[string, unknown[]]>([
		["detail", [user([{ ...image, image_url: { ...image.image_url, detail: sentence } }])]],
		["signature", assistant({ thinking_blocks: [{ type: "thinking", thinking: "…", signature: sentence }] })],
		["data", assistant({ thinking_blocks: [{ type: "redacted_thinking", data: sentence }] })],
		["encrypted_content", assistant({ thinking_blocks: [{ type: "reasoning", encrypted_content: sentence }] })],
		["thought_signature", toolCall({ extra_content: { google: { thought_signature: sentence } } })],
		["id", toolCall({ id: sentence })],
		["tool_call_id", [...toolCall({}).slice(0, 2), { role: "tool", tool_call_id: sentence, content: "4" }]],
	])("holds no sentence: %s is 422", async (member, conversation) => {
		const response = await callWithKey(key.key, "/v1/chat/completions", { messages: conversation });
		expect([response.status, await response.text()]).toEqual([422, expect.stringContaining(member)]);
		expect(upstream.requests).toEqual([]);
	});
});

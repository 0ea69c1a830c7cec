// Exact limits, plans, and keys that stop at once.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import { modelWhere } from "../support/catalog.ts";
import { useFaults } from "../support/faults.ts";
import {
	anAddress,
	call,
	callWithKey,
	chat,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
} from "../support/service.ts";

let upstream: Upstream;
beforeEach(() => {
	upstream = useSandbox();
});
/** Notes which methods of meters are called, until it is asked. */
function meterCalls(): { made(): string[] } {
	const methods: string[] = [];
	faults = useFaults({
		ACCOUNT_METER: ({ method }) => {
			methods.push(method);
			return "pass";
		},
	});
	return {
		made() {
			faults?.restore();
			return methods;
		},
	};
}

let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	vi.useRealTimers();
	upstream.restore();
});

function meterOf({ user_id }: TestKey): DurableObjectStub<AccountMeter> {
	return env.ACCOUNT_METER.getByName(user_id);
}

/** Freezes the clock, so that a window can be filled and crossed without waiting. */
function freezeClock(): void {
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
}

async function statuses(responses: Promise<Response>[]): Promise<Record<number, number>> {
	const counts: Record<number, number> = {};
	for (const response of await Promise.all(responses)) {
		counts[response.status] = (counts[response.status] ?? 0) + 1;
		await response.arrayBuffer();
	}
	return counts;
}

describe("the limit per minute", () => {
	it("lets exactly 100 of 200 parallel requests pass on a 100-RPM key", async () => {
		const { key } = await newKey("personal");
		expect(await statuses(Array.from({ length: 200 }, () => chat(key, "hi")))).toEqual({ 200: 100, 429: 100 });
		expect(upstream.answered).toBe(100);
	});

	it("answers with the wrapped body, Retry-After and the rate headers, and frees a slot when it said", async () => {
		freezeClock();
		const { key } = await newKey("free");
		for (let i = 0; i < 10; i++) {
			const response = await callWithKey(key, "/v1/usage");
			expect(response.status).toBe(200);
			expect(response.headers.get("x-ratelimit-remaining-requests")).toBe(String(9 - i));
			vi.setSystemTime(Date.now() + 1_000);
		}
		const refused = await callWithKey(key, "/v1/usage");
		expect(refused.status).toBe(429);
		const message = expect.stringContaining("10 requests per minute");
		expect(await refused.json()).toEqual({
			detail: { error: "rate_limit_exceeded", message },
			error: { message, type: "rate_limit_error", param: null, code: "rate_limit_exceeded" },
		});
		expect(refused.headers.get("retry-after")).toBe("50");
		expect(refused.headers.get("retry-after-ms")).toBe("50000");
		expect(refused.headers.get("x-ratelimit-limit-requests")).toBe("10");
		expect(refused.headers.get("x-ratelimit-reset-requests")).toBe("59s");
		vi.setSystemTime(Date.now() + 49_999);
		expect((await callWithKey(key, "/v1/usage")).status).toBe(429);
		vi.setSystemTime(Date.now() + 1);
		expect((await callWithKey(key, "/v1/usage")).status).toBe(200);
		expect((await callWithKey(key, "/v1/usage")).status).toBe(429);
	});

	it("counts requests that fail, and is shared by the keys of a user", async () => {
		const first = await newKey("free", "sharing");
		const second = await newKey("free", "sharing");
		expect(second.user_id).toBe(first.user_id);
		for (let i = 0; i < 5; i++)
			expect((await callWithKey(first.key, "/v1/chat/completions", { messages: "junk" })).status).toBe(422);
		for (let i = 0; i < 5; i++) expect((await callWithKey(second.key, "/v1/chat/completions", {})).status).toBe(400);
		expect((await callWithKey(first.key, "/v1/chat/completions", { messages: "junk" })).status).toBe(429);
		expect((await chat(second.key, "hi")).status).toBe(429);
		expect(upstream.requests).toEqual([]);
	});
});

describe("a key over its limit", () => {
	/** A chat request with a body that is no JSON, and how many of its pieces were taken. */
	function unread(key: string) {
		const taken = { pieces: 0 };
		const body = new ReadableStream(
			{
				pull(controller) {
					taken.pieces++;
					controller.enqueue(new TextEncoder().encode("no JSON"));
					controller.close();
				},
			},
			{ highWaterMark: 0 },
		);
		const init = { method: "POST", body, duplex: "half", headers: { authorization: `Bearer ${key}` } };
		return { taken, answer: call("/v1/chat/completions", init) };
	}

	async function useUpMinute(): Promise<TestKey> {
		const key = await newKey("free");
		for (let i = 0; i < 10; i++) await callWithKey(key.key, "/v1/usage");
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(429);
		return key;
	}

	it("is refused again with the same words and headers, whatever its body says, and without its meter", async () => {
		freezeClock();
		const key = await useUpMinute();
		vi.setSystemTime(Date.now() + 2_000);
		const calls = meterCalls();
		const { taken, answer } = unread(key.key);
		const refused = await answer;
		expect([refused.status, refused.headers.get("retry-after-ms")]).toEqual([429, "58000"]);
		expect(await refused.json()).toMatchObject({
			detail: { error: "rate_limit_exceeded", message: expect.stringContaining("try again in 58 seconds") },
		});
		expect(refused.headers.get("x-ratelimit-limit-requests")).toBe("10");
		expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
		expect(refused.headers.get("x-ratelimit-reset-requests")).toBe("58s");
		// The body is taken and thrown away, so that the connection lives on.
		expect(taken.pieces).toBe(1);
		for (let nth = 0; nth < 20; nth++) expect((await unread(key.key).answer).status).toBe(429);
		// The first of a minute is listed, and the others are counted.
		expect(calls.made()).toEqual(["recordFailed"]);
	});

	it("asks its meter again after a few seconds, so that a new plan is seen", async () => {
		freezeClock();
		const key = await useUpMinute();
		const calls = meterCalls();
		vi.setSystemTime(Date.now() + 5_000);
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(429);
		expect(calls.made()).not.toEqual([]);
	});

	it("is let in at once when this isolate is told of its new plan", async () => {
		const key = await newKey("free", "upgraded");
		for (let i = 0; i < 10; i++) await callWithKey(key.key, "/v1/usage");
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(429);
		await newKey("pro", "upgraded");
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(200);
	});

	it("is refused as unknown once it is revoked", async () => {
		const key = await useUpMinute();
		await operator("POST", `/internal/keys/${key.key_id}/revoke`);
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(401);
	});
});

describe("a clock that goes back by hours", () => {
	const HOUR_MS = 3_600_000;

	it.each([
		["while the object lives", false],
		["while the object is evicted", true],
	])("refuses for a minute, not until it is as late again, %s", async (_, isEvicted) => {
		const real = Date.now();
		vi.useFakeTimers({ toFake: ["Date"], now: real + 7 * HOUR_MS });
		const key = await newKey("free");
		for (let i = 0; i < 10; i++) expect((await callWithKey(key.key, "/v1/usage")).status).toBe(200);
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(429);
		vi.setSystemTime(real);
		if (isEvicted) await evictDurableObject(meterOf(key));
		const refused = await callWithKey(key.key, "/v1/usage");
		expect(refused.status).toBe(429);
		expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
		vi.setSystemTime(real + 30_000);
		// What was brought to the present stays there, however often the object is built anew.
		await evictDurableObject(meterOf(key));
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(429);
		vi.setSystemTime(real + 60_000);
		await evictDurableObject(meterOf(key));
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(200);
	});

	it("counts the folded requests of a later day for a day", async () => {
		const real = Date.now();
		vi.useFakeTimers({ toFake: ["Date"], now: real });
		const key = await newKey("personal");
		await runInDurableObject(meterOf(key), (_, state) => {
			state.storage.sql.exec(
				`INSERT OR REPLACE INTO folded (one, changed, floor, open, windows, totals, unsent)
					VALUES (1, 0, 0, '[]', ?, '[]', '{"places":[],"days":[]}')`,
				JSON.stringify({ times: [], from: Math.floor(real / 60_000) + 600, requests: [1_000] }),
			);
		});
		await evictDurableObject(meterOf(key));
		expect((await chat(key.key, "hi")).status).toBe(429);
		vi.setSystemTime(real + 12 * HOUR_MS);
		await evictDurableObject(meterOf(key));
		expect((await chat(key.key, "hi")).status).toBe(429);
		vi.setSystemTime(real + 24 * HOUR_MS);
		expect((await chat(key.key, "hi")).status).toBe(200);
	});
});

describe("the limit per day", () => {
	async function useUp(key: TestKey, requests: number): Promise<void> {
		// The object reloads its windows from storage when it is built anew.
		await runInDurableObject(meterOf(key), (_, state) => {
			state.storage.sql.exec(
				`INSERT OR REPLACE INTO folded (one, changed, floor, open, windows, totals, unsent)
					VALUES (1, 0, 0, '[]', ?, '[]', '{"places":[],"days":[]}')`,
				JSON.stringify({ times: [], from: Math.floor(Date.now() / 60_000) - 1_000, requests: [requests] }),
			);
		});
		await evictDurableObject(meterOf(key));
	}

	it("refuses with its fields at the top and under detail, and no retry", async () => {
		const key = await newKey("personal");
		await useUp(key, 999);
		expect((await chat(key.key, "hi")).status).toBe(200);
		const refused = await chat(key.key, "hi");
		expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([429, "false"]);
		const fields = {
			error: "daily_limit_exceeded",
			plan: "personal",
			daily_limit: 1_000,
			used_today: 1_000,
			message: expect.stringMatching(/Personal plan .* 7 hours/),
		};
		expect(await refused.json()).toEqual({ ...fields, detail: fields });
		expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(439 * 60);
	});

	it("is remembered for what counts towards the day, and for nothing else", async () => {
		const key = await newKey("personal");
		await useUp(key, 1_000);
		expect((await chat(key.key, "hi")).status).toBe(429);
		const calls = meterCalls();
		expect((await chat(key.key, "hi")).status).toBe(429);
		expect(calls.made().filter((method) => method !== "recordFailed")).toEqual([]);
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(200);
	});

	it("does not count GET /v1/usage, and frees the bucket after 24 hours", async () => {
		freezeClock();
		const key = await newKey("personal");
		await useUp(key, 1_000);
		const usage = await callWithKey(key.key, "/v1/usage");
		expect(usage.status).toBe(200);
		expect(await usage.json()).toMatchObject({
			limits: { daily_requests: 1_000, daily_requests_used: 1_000, daily_requests_remaining: 0 },
		});
		vi.setSystemTime(Date.now() + 441 * 60_000);
		expect((await chat(key.key, "hi")).status).toBe(200);
	});
});

describe("a key", () => {
	it("that is revoked stops at once, though isolates remember it", async () => {
		const key = await newKey("pro");
		expect((await chat(key.key, "hi")).status).toBe(200);
		expect((await operator("POST", `/internal/keys/${key.key_id}/revoke`)).status).toBe(200);
		const refused = await chat(key.key, "hi");
		expect(refused.status).toBe(401);
		expect(await refused.json()).toMatchObject({ detail: { error: "invalid_api_key" } });
		expect((await callWithKey(key.key, "/v1/usage")).status).toBe(401);
	});

	it("that is rotated hands its user on to the new key", async () => {
		const old = await newKey("pro");
		expect((await chat(old.key, "hi")).status).toBe(200);
		const rotated = (await (await operator("POST", `/internal/keys/${old.key_id}/rotate`)).json()) as TestKey;
		expect(rotated).toMatchObject({ user_id: old.user_id, plan: "pro" });
		expect((await chat(old.key, "hi")).status).toBe(401);
		expect(await (await callWithKey(rotated.key, "/v1/usage")).json()).toMatchObject({ total_requests: 1 });
		expect((await operator("POST", `/internal/keys/${old.key_id}/rotate`)).status).toBe(404);
	});

	it("is never shown again, nor stored", async () => {
		const key = await newKey("pro", "listed");
		const list = await (await operator("GET", "/internal/keys?user=listed")).text();
		expect(list).toContain(key.key.slice(-4));
		expect(list).not.toContain(key.key);
		const stored = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(key.key_id).first();
		expect(JSON.stringify(stored)).not.toContain(key.key.slice(7, 40));
	});

	it("follows its user's plan from the next request on", async () => {
		const key = await newKey("pro", "downgraded");
		const { id: model } = modelWhere(CATALOG, ({ tier }) => tier === "mid");
		expect(await (await chat(key.key, "hi", { model })).json()).toMatchObject({ model });
		await newKey("free", "downgraded");
		const answer = await chat(key.key, "hi", { model });
		expect(await answer.json()).toMatchObject({ model: CATALOG.freeModels[0], svc: { fallback_from: model } });
		expect(answer.headers.get("x-ratelimit-limit-requests")).toBe("10");
	});
});

describe("operator endpoints", () => {
	it("need the admin token", async () => {
		const { key } = await newKey("pro");
		expect((await callWithKey(key, "/internal/keys", { user: "x", plan: "pro" })).status).toBe(401);
	});

	it("answer 404 for a key that is not there and 422 for a plan that is none", async () => {
		expect((await operator("POST", "/internal/keys/key_nope/revoke")).status).toBe(404);
		expect((await operator("POST", "/internal/keys", { user: "x", plan: "gold" })).status).toBe(422);
	});
});

describe("bodies under way", () => {
	const MIB = 1_048_576;
	/** Ends what a test has left open. */
	const open: ReadableStreamDefaultController<Uint8Array>[] = [];
	afterEach(() => {
		for (const controller of open.splice(0)) controller.error(new Error("the client has left"));
	});

	/** A request whose body has begun and stays open; `end` sends the rest. */
	function upload(path: string, headers: Record<string, string>, declaredBytes: number) {
		const stream: { controller?: ReadableStreamDefaultController<Uint8Array> } = {};
		const taken = { pieces: 0 };
		const body = new ReadableStream<Uint8Array>(
			{
				start(controller) {
					stream.controller = controller;
					open.push(controller);
				},
				pull: () => void taken.pieces++,
			},
			{ highWaterMark: 0 },
		);
		const answer = call(path, {
			method: "POST",
			body,
			headers: { ...headers, "content-length": String(declaredBytes) },
		});
		answer.catch(() => undefined);
		const send = (text: string) => stream.controller?.enqueue(new TextEncoder().encode(text));
		const end = (text: string) => {
			send(text);
			stream.controller?.close();
			open.splice(open.indexOf(stream.controller as never), 1);
			return answer;
		};
		return { answer, taken, send, end };
	}

	const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

	it("are at most 32 MiB of one user, and the next is refused unread in every dialect, without the meter", async () => {
		const { key } = await newKey("pro");
		const first = upload("/v1/chat/completions", bearer(key), 15 * MIB);
		const second = upload("/v1/mcp", bearer(key), 15 * MIB);
		await vi.waitFor(() => expect([first.taken.pieces, second.taken.pieces]).toEqual([1, 1]));
		const calls = meterCalls();
		const message = expect.stringContaining("too many request bodies under way: 32 MiB is the most");
		const rows: [string, Record<string, string>, object][] = [
			["/v1/chat/completions", bearer(key), { detail: { error: "rate_limit_exceeded", message } }],
			[
				"/v1/chat/completions",
				{ ...bearer(key), "x-stainless-lang": "js" },
				{ error: { type: "rate_limit_error", message } },
			],
			["/v1/responses", bearer(key), { error: { code: "rate_limit_exceeded", message } }],
			["/v1/messages", { "x-api-key": key }, { type: "error", error: { type: "rate_limit_error", message } }],
			["/v1/mcp", bearer(key), { detail: { error: "rate_limit_exceeded", message } }],
			["/v2/orchestrate", bearer(key), { detail: { error: "rate_limit_exceeded", message } }],
		];
		for (const [path, headers, body] of rows) {
			const refused = upload(path, headers, 15 * MIB);
			refused.end("{}");
			const response = await refused.answer;
			expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 429, "2"]);
			expect(await response.json(), path).toMatchObject(body);
		}
		// They are listed.
		expect(new Set(calls.made())).toEqual(new Set(["recordFailed"]));
		// Small requests go on, and the places are free again.
		expect((await chat(key, "hi")).status).toBe(200);
		expect((await first.end('{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(200);
		const again = upload("/v1/chat/completions", bearer(key), 15 * MIB);
		expect((await again.end('{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(200);
	});

	it("of all users are at most 64 MiB: then it is 503, and small bodies are taken", async () => {
		const keys = await Promise.all([newKey("pro"), newKey("pro"), newKey("pro")]);
		for (const { key } of keys.slice(0, 2))
			for (let i = 0; i < 2; i++) upload("/v1/chat/completions", bearer(key), 16 * MIB);
		const { key } = keys[2] as TestKey;
		const refused = await upload("/v1/messages", { "x-api-key": key }, MIB).end("{}");
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
		expect(await refused.json()).toMatchObject({ error: { type: "overloaded_error", code: "overloaded" } });
		expect((await chat(key, "hi")).status).toBe(200);
	});

	it("are given back when their clients leave, and 200 small ones at once are none too many", async () => {
		const { key } = await newKey("pro");
		for (let round = 0; round < 3; round++) {
			const uploads = [15, 15].map((size) => upload("/v1/chat/completions", bearer(key), size * MIB));
			await vi.waitFor(() => expect(uploads.map(({ taken }) => taken.pieces)).toEqual([1, 1]));
			for (const controller of open.splice(0)) controller.error(new Error("the client has left"));
			await Promise.allSettled(uploads.map(({ answer }) => answer));
		}
		expect(await statuses(Array.from({ length: 200 }, () => callWithKey(key, "/v1/route", { prompt: "hi" })))).toEqual({
			200: 200,
		});
	});

	it("without a key are counted by address", async () => {
		const address = { "cf-connecting-ip": anAddress() };
		for (let i = 0; i < 16; i++) upload("/v1/agent/verify", address, 2 * MIB);
		expect((await upload("/v1/agent/verify", address, 2 * MIB).end("{}")).status).toBe(429);
		expect((await upload("/v1/agent/verify", { "cf-connecting-ip": anAddress() }, 2 * MIB).end("{}")).status).toBe(422);
	});
});

describe("a refused body", () => {
	it.each([
		["is no JSON", "/v1/chat/completions", "{", 400],
		["is not as described", "/v1/chat/completions", '{"messages":"junk"}', 422],
		["is too large", "/v1/policy/check", " ".repeat(2_097_153), 413],
		["is not as described, where the handler does not count", "/v1/policy/check", '{"workspace":7}', 422],
	])("that %s counts towards the minute and not towards the day", async (_, path, body, status) => {
		const key = await newKey("free");
		const response = await call(path, { method: "POST", body, headers: { authorization: `Bearer ${key.key}` } });
		expect([response.status, response.headers.get("x-ratelimit-remaining-requests")]).toEqual([status, "9"]);
		expect((await usageOf(key)).limits.daily_requests_used).toBe(0);
		expect((await chat(key.key, "hi")).status).toBe(200);
		expect((await usageOf(key)).limits.daily_requests_used).toBe(1);
	});
});

describe("the schemas of a request", () => {
	/** A kilobyte that stands for 65,536 schemas. */
	const doubling = () => {
		const to = (at: number) => (at === 0 ? { type: "string" } : { $ref: `#/$defs/d${at - 1}` });
		const level = (at: number) => [`d${at}`, { type: "object", properties: { a: to(at), b: to(at) } }];
		const $defs = Object.fromEntries(Array.from({ length: 16 }, (_, at) => level(at)));
		return { type: "object", properties: { root: { $ref: "#/$defs/d15" } }, $defs };
	};
	const named = (name: string) => ({ name, description: name });
	const names = Array.from({ length: 64 }, (_, at) => `tool_${at}`);
	const messages = [{ role: "user", content: "hi" }];
	const functions = names.map((name) => ({ type: "function", function: { ...named(name), parameters: doubling() } }));
	const messagesTools = names.map((name) => ({ ...named(name), input_schema: doubling() }));
	const responseTools = names.map((name) => ({ type: "function", ...named(name), parameters: doubling() }));
	const long = { type: "object", properties: { a: { type: "string", description: "d".repeat(4_194_304) } } };
	const format = { type: "json_schema", json_schema: { name: "a", schema: long } };

	it.each([
		["/v1/chat/completions", { messages, tools: functions }, "tools"],
		["/v1/chat/completions", { messages, response_format: format }, "response_format"],
		["/v1/route", { messages, tools: functions }, "tools"],
		["/v1/responses", { input: "hi", tools: responseTools }, "tools"],
		["/v1/responses", { input: "hi", text: { format: { ...format.json_schema, type: "json_schema" } } }, "text.format"],
		["/v1/responses/input_tokens", { input: "hi", tools: responseTools }, "tools"],
		["/v1/messages", { messages, max_tokens: 10, tools: messagesTools }, "tools"],
		[
			"/v1/messages",
			{ messages, max_tokens: 10, output_config: { format: { type: "json_schema", schema: long } } },
			"output_config.format",
		],
		["/v1/messages/count_tokens", { messages, tools: messagesTools }, "tools"],
	])("of %s are 422 beyond the limits of them all together", async (path, body, field) => {
		const { key } = await newKey("pro");
		const refused = await callWithKey(key, path, body);
		const text = await refused.text();
		expect(refused.status, text).toBe(422);
		expect(text).toContain(`${field}: schemas `);
		expect(text).toMatch(/more than (?:50000 schemas|4194304 bytes)/);
		expect(upstream.requests).toEqual([]);
	});
});

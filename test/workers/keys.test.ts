// Keys that their owner hands out: limits, ends, roles, and the last key of an owner, which nobody can take away.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STRATEGY } from "../../src/orchestration/strategies.ts";
import {
	call,
	callWithKey,
	chat,
	newKey,
	operator,
	type TestKey,
	type Upstream,
	useSandbox,
	withKey,
} from "../support/service.ts";

let upstream: Upstream;
let owner: TestKey;
beforeEach(async () => {
	upstream = useSandbox();
	owner = await newKey("pro");
});
afterEach(() => {
	vi.useRealTimers();
	upstream.restore();
});

interface KeyView {
	key_id: string;
	key: string;
	role: string;
	rpm: number | null;
	expires_at: string | null;
	previous_ends_at?: string;
	models: string[] | null;
	brain_config: unknown;
	error?: string;
}

interface Answer<T = KeyView> {
	status: number;
	body: T;
}

async function read<T = KeyView>(response: Promise<Response>): Promise<Answer<T>> {
	const { status, body } = await response.then(async (answer) => ({
		status: answer.status,
		body: await answer.json(),
	}));
	return { status, body: body as T };
}

const make = (key: string, body: unknown = {}) => read(callWithKey(key, "/v1/keys", body));
const send = (method: string, key: string, path: string, body?: unknown) =>
	read(call(path, { ...withKey(key, body), method }));
const change = (key: string, id: string, body: unknown) => send("PATCH", key, `/v1/keys/${id}`, body);
const remove = (key: string, id: string) => send("DELETE", key, `/v1/keys/${id}`);
const rotate = (key: string, id: string, body: unknown = {}) => send("POST", key, `/v1/keys/${id}/rotate`, body);

async function made(key: string, body: unknown = {}): Promise<KeyView> {
	const answer = await make(key, body);
	if (answer.status !== 200) throw new Error(JSON.stringify(answer));
	return answer.body;
}

const usage = async (key: string) => (await callWithKey(key, "/v1/usage")).status;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

function freezeClock(): void {
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
}

describe("a key that an owner makes", () => {
	it("is shown whole this once, works at once, and is listed without itself", async () => {
		const options = {
			name: "CI",
			role: "agent",
			expires_at: inMs(60_000),
			rpm: 7,
			daily_requests: 9,
			tags: ["ci", "a:b"],
		};
		const { key, ...shown } = await made(owner.key, options);
		expect(shown).toMatchObject({ ...options, object: "key", last4: key.slice(-4), rotated_from: null });
		expect(await usage(key)).toBe(200);
		const list = await read<{ data: unknown[]; has_more: boolean }>(callWithKey(owner.key, "/v1/keys"));
		expect(list.body).toMatchObject({ has_more: false, data: [shown, { key_id: owner.key_id, role: "owner" }] });
		expect(JSON.stringify(list.body)).not.toContain(key);
	});

	it("takes an empty body, and refuses what it would not honour", async () => {
		expect((await call("/v1/keys", { ...withKey(owner.key), method: "POST" })).status).toBe(200);
		const refused = [
			{ budget_usd: -1 },
			{ budget_period: "day" },
			{ budget_usd: 1, budget_period: "year" },
			{ nmae: "x" },
			{ rpm: 301 },
			{ rpm: 0 },
			{ daily_requests: 50_001 },
			{ expires_at: inMs(-1) },
			{ role: "admin" },
			{ tags: ["a b"] },
			{ tags: ["a", "a"] },
			{ tags: Array.from({ length: 11 }, (_, i) => `t${i}`) },
			{ tags: ["x".repeat(65)] },
			{ tags: [""] },
			{ models: Array.from({ length: 101 }, () => "budget") },
			{ alert_webhook: 7 },
			{ name: " " },
		];
		for (const body of refused) expect((await make(owner.key, body)).status, JSON.stringify(body)).toBe(422);
	});

	it("has up to ten tags of up to 64 characters, which a change may take away", async () => {
		const tags = [..."ABZaz09._:-".slice(0, 10)].map((character) => character.repeat(64));
		const key = await read<{ key_id: string; tags: string[] }>(callWithKey(owner.key, "/v1/keys", { tags }));
		expect(key).toMatchObject({ status: 200, body: { tags } });
		expect(await change(owner.key, key.body.key_id, { tags: ["-"] })).toMatchObject({ body: { tags: ["-"] } });
		expect(await change(owner.key, key.body.key_id, { tags: null })).toMatchObject({ body: { tags: [] } });
	});

	it("is its user's own: another's id is like one that nobody has", async () => {
		const other = await newKey("pro");
		for (const id of [owner.key_id, "key_01ARZ3NDEKTSV4RRFFQ69G5FAV", "key_x", ".."]) {
			expect(await change(other.key, encodeURIComponent(id), { rpm: 1 })).toMatchObject({
				status: 404,
				body: { error: id === ".." ? "not_found" : "key_not_found" },
			});
		}
		expect((await remove(other.key, owner.key_id)).status).toBe(404);
		expect((await rotate(other.key, owner.key_id)).status).toBe(404);
		expect(await usage(owner.key)).toBe(200);
	});
});

describe("limits of a key", () => {
	it("of requests a minute are exact, the key's own, and outlive its meter", async () => {
		freezeClock();
		const limited = await made(owner.key, { rpm: 5 });
		const answers = await Promise.all(Array.from({ length: 20 }, () => callWithKey(limited.key, "/v1/usage")));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
		const refused = answers.find(({ status }) => status === 429);
		expect(refused?.headers.get("x-ratelimit-limit-requests")).toBe("5");
		expect(await refused?.text()).toContain("this API key allows 5 requests per minute");
		expect(await usage(owner.key)).toBe(200);
		await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id));
		vi.setSystemTime(Date.now() + 6_000);
		expect(await usage(limited.key)).toBe(429);
		vi.setSystemTime(Date.now() + 54_000);
		expect(await usage(limited.key)).toBe(200);
	});

	it("of requests in 24 hours hold across folds and restarts of the meter", async () => {
		const limited = await made(owner.key, { daily_requests: 40 });
		for (let i = 0; i < 40; i++) expect((await callWithKey(limited.key, "/v1/savings")).status).toBe(200);
		await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id));
		expect(await read(callWithKey(limited.key, "/v1/savings"))).toMatchObject({
			status: 429,
			body: { error: "daily_limit_exceeded", daily_limit: 40, used_today: 40 },
		});
		expect(await usage(limited.key)).toBe(200);
		expect((await callWithKey(owner.key, "/v1/savings")).status).toBe(200);
	});

	it("do not raise its user's", async () => {
		const free = await newKey("free");
		const limited = await made(free.key, { rpm: 10 });
		for (let i = 0; i < 9; i++) expect(await usage(i % 2 ? free.key : limited.key)).toBe(200);
		expect(await usage(limited.key)).toBe(429);
	});
});

describe("a change of a key", () => {
	it("holds from the next request on, though isolates remember it for half a minute", async () => {
		const key = await made(owner.key);
		expect(await usage(key.key)).toBe(200);
		expect((await change(owner.key, key.key_id, { rpm: 2, name: "Slow" })).body).toMatchObject({
			rpm: 2,
			name: "Slow",
		});
		expect((await callWithKey(key.key, "/v1/usage")).headers.get("x-ratelimit-limit-requests")).toBe("2");
		expect((await change(owner.key, key.key_id, { rpm: null })).body).toMatchObject({ rpm: null, name: "Slow" });
		expect((await callWithKey(key.key, "/v1/usage")).headers.get("x-ratelimit-limit-requests")).toBe("300");
	});

	it("is seen by an isolate that remembers the key as it was, before any endpoint runs and after a restart of the meter", async () => {
		const key = await made(owner.key);
		const body = { protected_paths: ["a"] };
		expect((await send("PUT", key.key, "/v1/workspace/w/manifest", body)).status).toBe(200);
		// Another isolate changes it: this one still has its look-up.
		await env.DB.prepare("UPDATE api_keys SET role = 'agent', version = 2 WHERE id = ?").bind(key.key_id).run();
		expect((await send("PUT", key.key, "/v1/workspace/w/manifest", body)).status).toBe(200);
		await env.ACCOUNT_METER.getByName(owner.user_id).changeKey(key.key_id, 2, {
			budgetKeyId: key.key_id,
			budget: null,
		});
		await evictDurableObject(env.ACCOUNT_METER.getByName(owner.user_id));
		expect(await send("PUT", key.key, "/v1/workspace/w/manifest", body)).toMatchObject({
			status: 403,
			body: { error: "role_forbidden" },
		});
		await env.DB.prepare("UPDATE api_keys SET rpm = 4, version = 3 WHERE id = ?").bind(key.key_id).run();
		await env.ACCOUNT_METER.getByName(owner.user_id).changeKey(key.key_id, 3, {
			budgetKeyId: key.key_id,
			budget: null,
		});
		const answer = await chat(key.key, "hi");
		expect([answer.status, answer.headers.get("x-ratelimit-limit-requests")]).toEqual([200, "4"]);
	});

	it("that says nothing changes nothing", async () => {
		const key = await made(owner.key, { rpm: 3 });
		expect((await change(owner.key, key.key_id, {})).body).toMatchObject({ rpm: 3 });
		const { version } =
			(await env.DB.prepare("SELECT version FROM api_keys WHERE id = ?").bind(key.key_id).first()) ?? {};
		expect(version).toBe(1);
	});
});

describe("a key with an end", () => {
	it("is refused from that moment on, look-up remembered or not", async () => {
		freezeClock();
		const key = await made(owner.key, { expires_at: inMs(10_000) });
		expect(await usage(key.key)).toBe(200);
		vi.setSystemTime(Date.now() + 9_999);
		expect(await usage(key.key)).toBe(200);
		vi.setSystemTime(Date.now() + 1);
		expect(await read(callWithKey(key.key, "/v1/usage"))).toMatchObject({
			status: 401,
			body: { detail: { error: "invalid_api_key", message: "the API key has expired" } },
		});
		expect((await change(owner.key, key.key_id, { expires_at: null })).status).toBe(200);
		expect(await usage(key.key)).toBe(200);
	});

	it("that is deleted is refused before the answer, and stays deleted", async () => {
		const key = await made(owner.key);
		expect(await usage(key.key)).toBe(200);
		expect((await remove(owner.key, key.key_id)).body).toEqual({ object: "key", key_id: key.key_id, deleted: true });
		expect(await usage(key.key)).toBe(401);
		expect((await remove(owner.key, key.key_id)).status).toBe(200);
		expect((await change(owner.key, key.key_id, { name: "x" })).status).toBe(404);
		expect((await rotate(owner.key, key.key_id)).status).toBe(404);
	});
});

describe("rotation", () => {
	it("replaces a key by one with the same options, at once", async () => {
		const old = await made(owner.key, { role: "agent", rpm: 6, tags: ["t"] });
		const { status, body } = await rotate(owner.key, old.key_id);
		expect([status, body]).toMatchObject([200, { role: "agent", rpm: 6, tags: ["t"], rotated_from: old.key_id }]);
		expect([await usage(old.key), await usage(body.key)]).toEqual([401, 200]);
	});

	it("with an overlap leaves the old one that long", async () => {
		freezeClock();
		const old = await made(owner.key);
		expect(await usage(old.key)).toBe(200);
		const { body } = await rotate(owner.key, old.key_id, { overlap_seconds: 60 });
		expect(body).toMatchObject({ previous_ends_at: inMs(60_000), expires_at: null });
		vi.setSystemTime(Date.now() + 59_999);
		expect([await usage(old.key), await usage(body.key)]).toEqual([200, 200]);
		vi.setSystemTime(Date.now() + 1);
		expect([await usage(old.key), await usage(body.key)]).toEqual([401, 200]);
		expect((await rotate(owner.key, body.key_id, { overlap_seconds: 86_401 })).status).toBe(422);
	});

	it("also of the last owner key, and of twenty at once one wins", async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(owner.key, owner.key_id)));
		const won = answers.filter(({ status }) => status === 200);
		expect(won).toHaveLength(1);
		expect([await usage(owner.key), await usage(won[0]?.body.key ?? "")]).toEqual([401, 200]);
	});
});

describe("the last owner key", () => {
	const last = { status: 409, body: { error: "last_owner_key" } };

	it("cannot be deleted, expired or demoted while no other lasts as long", async () => {
		await made(owner.key, { role: "agent" });
		const short = await made(owner.key, { expires_at: inMs(60_000) });
		for (const key of [owner.key, short.key]) {
			expect(await remove(key, owner.key_id)).toMatchObject(last);
			expect(await change(key, owner.key_id, { role: "agent" })).toMatchObject(last);
			expect(await change(key, owner.key_id, { expires_at: inMs(90_000) })).toMatchObject(last);
		}
		expect((await change(owner.key, owner.key_id, { name: "Mine", rpm: 20 })).status).toBe(200);
		const second = await made(owner.key);
		expect((await remove(second.key, owner.key_id)).status).toBe(200);
		expect(await remove(second.key, second.key_id)).toMatchObject(last);
		expect(await usage(second.key)).toBe(200);
	});

	it("is left by a hundred demotions of two at once", async () => {
		const second = await made(owner.key);
		const both = [
			{ key: owner.key, id: owner.key_id },
			{ key: second.key, id: second.key_id },
		];
		const demotions = Array.from({ length: 100 }, (_, i) => {
			const by = both[i % 2];
			const of = both[(i >> 1) % 2];
			return change(by?.key ?? "", of?.id ?? "", { role: "agent" });
		});
		const statuses = new Set((await Promise.all(demotions)).map(({ status }) => status));
		expect([...statuses].filter((status) => ![200, 403, 409].includes(status))).toEqual([]);
		const { results } = await env.DB.prepare(
			"SELECT id FROM api_keys WHERE user_id = ? AND role = 'owner' AND revoked_at IS NULL",
		)
			.bind(owner.user_id)
			.all();
		expect(results).toHaveLength(1);
	});

	it("is left by deletions and demotions of four at once", async () => {
		const keys = [owner, ...(await Promise.all([1, 2, 3].map(() => made(owner.key))))];
		await Promise.all(
			keys.flatMap(({ key, key_id }) => [
				remove(key, key_id),
				change(key, key_id, { role: "agent" }),
				change(key, key_id, { expires_at: inMs(60_000) }),
			]),
		);
		const { results } = await env.DB.prepare(
			"SELECT id FROM api_keys WHERE user_id = ? AND role = 'owner' AND revoked_at IS NULL AND expires_at IS NULL",
		)
			.bind(owner.user_id)
			.all();
		expect(results).toHaveLength(1);
	});

	it("can be revoked by the operator", async () => {
		expect((await operator("POST", `/internal/keys/${owner.key_id}/revoke`)).status).toBe(200);
		expect(await usage(owner.key)).toBe(401);
	});
});

describe("a key never makes or widens beyond itself", () => {
	const beyond = (member: string) => ({ status: 403, body: { error: "key_scope_exceeded", member } });

	it("makes keys as narrow as itself, and wider ones not", async () => {
		const expires_at = inMs(60_000);
		const narrow = await made(owner.key, { rpm: 10, daily_requests: 100, expires_at });
		expect(await made(narrow.key)).toMatchObject({ rpm: 10, daily_requests: 100, expires_at });
		expect(await make(narrow.key, { rpm: 11 })).toMatchObject(beyond("rpm"));
		expect(await make(narrow.key, { daily_requests: 101 })).toMatchObject(beyond("daily_requests"));
		expect(await make(narrow.key, { expires_at: inMs(90_000) })).toMatchObject(beyond("expires_at"));
		expect((await make(narrow.key, { rpm: 3 })).body).toMatchObject({ rpm: 3 });
	});

	it("neither changes nor takes over a wider one so that it gains by it", async () => {
		const narrow = await made(owner.key, { rpm: 10 });
		const middle = await made(owner.key, { rpm: 50 });
		expect(await change(narrow.key, narrow.key_id, { rpm: 11 })).toMatchObject(beyond("rpm"));
		expect(await change(narrow.key, middle.key_id, { rpm: null })).toMatchObject(beyond("rpm"));
		expect(await rotate(narrow.key, middle.key_id)).toMatchObject(beyond("rpm"));
		expect((await change(narrow.key, middle.key_id, { rpm: 40 })).status).toBe(200);
		expect((await change(owner.key, narrow.key_id, { rpm: null })).status).toBe(200);
	});
});

describe("an agent's key", () => {
	let agent: KeyView;
	beforeEach(async () => {
		agent = await made(owner.key, { role: "agent" });
	});
	const forbidden = { status: 403, body: { error: "role_forbidden" } };

	it("cannot change keys, not even its own, and may see them", async () => {
		expect(await make(agent.key)).toMatchObject(forbidden);
		expect(await change(agent.key, agent.key_id, { rpm: 1 })).toMatchObject(forbidden);
		expect(await remove(agent.key, agent.key_id)).toMatchObject(forbidden);
		expect(await rotate(agent.key, agent.key_id)).toMatchObject(forbidden);
		expect((await callWithKey(agent.key, "/v1/keys")).status).toBe(200);
	});

	it("does not change the policy by asking for a score or for files", async () => {
		const strict = { workspace_id: "w", protected_paths: ["infra/"] };
		expect(await read(callWithKey(owner.key, "/v1/workspace/readiness", strict))).toMatchObject({
			body: { policy_updated: true },
		});
		for (const path of ["/v1/workspace/readiness", "/v1/workspace/generate"]) {
			expect(await read(callWithKey(agent.key, path, { workspace_id: "w" }))).toMatchObject({
				status: 200,
				body: { policy_updated: false },
			});
		}
		expect(await read(callWithKey(owner.key, "/v1/workspace/w/manifest"))).toMatchObject({
			body: { manifest: { protected_paths: ["infra/"] } },
		});
	});

	it("allows itself no command", async () => {
		const allowing = { workspace_id: "w", allowed_commands: ["kill -KILL *"] };
		const decision = async () => {
			const action = { workspace_id: "w", action: "Stop a process", commands: ["kill -KILL 4711"] };
			return read<{ decision: string }>(callWithKey(agent.key, "/v1/policy/check", action));
		};
		const { workspace_id: _, ...members } = allowing;
		expect(await send("PUT", agent.key, "/v1/workspace/w/manifest", members)).toMatchObject({ status: 403 });
		for (const path of ["/v1/workspace/readiness", "/v1/workspace/generate"])
			expect((await callWithKey(agent.key, path, allowing)).status).toBe(200);
		expect((await decision()).body.decision).toBe("confirm");
		expect((await send("PUT", owner.key, "/v1/workspace/w/manifest", members)).status).toBe(200);
		expect((await decision()).body.decision).toBe("allow");
	});

	it("rates its own requests and nobody else's", async () => {
		agent = await made(owner.key, { role: "agent", own_only: false });
		const own = (await chat(agent.key, "hi")).headers.get("x-request-id");
		const others = (await chat(owner.key, "hi")).headers.get("x-request-id");
		const rate = (key: string, request_id: string | null) =>
			read(callWithKey(key, "/v1/feedback", { request_id, score: 1 }));
		expect((await rate(agent.key, own)).status).toBe(200);
		expect(await rate(agent.key, others)).toMatchObject(forbidden);
		expect((await rate(owner.key, own)).status).toBe(200);
		expect((await rate(owner.key, others)).status).toBe(200);
	});

	it("that is to read all cancels and resumes only the runs that it began", async () => {
		agent = await made(owner.key, { role: "agent", own_only: false });
		const run = async (key: string) =>
			(await read<{ run_id: string }>(callWithKey(key, "/v1/agent/run", { goal: "Say hi", max_steps: 1 }))).body.run_id;
		const [own, others] = [await run(agent.key), await run(owner.key)];
		expect((await callWithKey(agent.key, `/v1/agent/${others}`)).status).toBe(200);
		expect((await callWithKey(agent.key, `/v1/agent/${own}/cancel`, {})).status).toBe(200);
		expect(await read(callWithKey(agent.key, `/v1/agent/${others}/cancel`, {}))).toMatchObject(forbidden);
		expect((await callWithKey(agent.key, `/v1/agent/${own}/resume`, {})).status).toBe(200);
		expect(await read(callWithKey(agent.key, `/v1/agent/${others}/resume`, {}))).toMatchObject(forbidden);
		expect((await callWithKey(owner.key, `/v1/agent/${own}/cancel`, {})).status).toBe(200);
		const unknown = "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV";
		expect((await callWithKey(agent.key, `/v1/agent/${unknown}/cancel`, {})).status).toBe(404);
	});

	it("deletes only the responses that it made, also where it reads all", async () => {
		const respond = async (key: string) =>
			(await read<{ id: string }>(callWithKey(key, "/v1/responses", { input: "hi" }))).body.id;
		const all = await made(owner.key, { role: "agent", own_only: false });
		const [own, others] = [await respond(all.key), await respond(owner.key)];
		expect((await callWithKey(all.key, `/v1/responses/${others}`)).status).toBe(200);
		expect((await send("DELETE", all.key, `/v1/responses/${others}`)).status).toBe(403);
		expect((await send("DELETE", agent.key, `/v1/responses/${others}`)).status).toBe(404);
		expect((await callWithKey(owner.key, `/v1/responses/${others}`)).status).toBe(200);
		expect((await send("DELETE", all.key, `/v1/responses/${own}`)).status).toBe(200);
		expect((await send("DELETE", owner.key, `/v1/responses/${others}`)).status).toBe(200);
	});

	it("reads what it and the keys that it replaced made, and nothing of others, wherever it is listed", async () => {
		interface Made {
			request: string;
			run: string;
			response: string;
		}
		const work = async (key: string): Promise<Made> => ({
			request: (await chat(key, "hi")).headers.get("x-request-id") ?? "",
			run: (await read<{ run_id: string }>(callWithKey(key, "/v1/agent/run", { goal: "Say hi", max_steps: 1 }))).body
				.run_id,
			response: (await read<{ id: string }>(callWithKey(key, "/v1/responses", { input: "hi" }))).body.id,
		});
		const paths = ({ request, run, response }: Made) => [
			`/v1/requests/${request}`,
			...["", "/trajectory", "/steps/0", "/events?stream=false"].map((rest) => `/v1/agent/${run}${rest}`),
			...["", "/input_items"].map((rest) => `/v1/responses/${response}${rest}`),
		];
		const statuses = (key: string, of: Made) =>
			Promise.all(paths(of).map(async (path) => (await callWithKey(key, path)).status));
		const lists = async (key: string) => {
			const texts = [
				"/v1/requests",
				"/v1/agent/runs",
				"/v1/usage",
				"/v1/usage?group_by=key",
				"/v1/audit/events",
				"/v1/keys",
			];
			const answers = await Promise.all(texts.map(async (path) => (await callWithKey(key, path)).text()));
			return answers.join("\n");
		};
		const [others, before] = [await work(owner.key), await work(agent.key)];
		const { body: rotated } = await rotate(owner.key, agent.key_id);
		const after = await work(rotated.key);
		const all = (status: number) => paths(others).map(() => status);
		expect(await statuses(rotated.key, before)).toEqual(all(200));
		expect(await statuses(rotated.key, after)).toEqual(all(200));
		expect(await statuses(rotated.key, others)).toEqual(all(404));
		expect(await statuses(owner.key, after)).toEqual(all(200));
		const seen = await lists(rotated.key);
		for (const id of [before.request, before.run, after.request, after.run]) expect(seen).toContain(id);
		for (const id of [others.request, others.run, owner.key_id]) expect(seen).not.toContain(id);

		const wide = await change(owner.key, rotated.key_id, { own_only: false });
		expect(wide).toMatchObject({ status: 200, body: { own_only: false } });
		expect(await statuses(rotated.key, others)).toEqual(all(200));
		expect(await lists(rotated.key)).toContain(others.run);
	});

	it("that was replaced does not read what its successor makes, although it still works", async () => {
		const { body: rotated } = await rotate(owner.key, agent.key_id, { overlap_seconds: 600 });
		const request = (await chat(rotated.key, "hi")).headers.get("x-request-id");
		expect((await callWithKey(agent.key, `/v1/requests/${request}`)).status).toBe(404);
		expect((await callWithKey(rotated.key, `/v1/requests/${request}`)).status).toBe(200);
	});

	it("joins no run of another key by the same idempotency key", async () => {
		const start = async (key: string, goal: string) =>
			(
				await read<{ run_id: string; error?: string }>(
					callWithKey(key, "/v1/agent/run", { goal, max_steps: 1, idempotency_key: "nightly" }),
				)
			).body.run_id;
		const [owners, agents] = [await start(owner.key, "Say hi"), await start(agent.key, "Say hello")];
		expect(agents).toMatch(/^agt_/);
		expect(agents).not.toBe(owners);
		expect(await start(agent.key, "Say hello")).toBe(agents);
		const { body: rotated } = await rotate(owner.key, agent.key_id);
		expect(await start(rotated.key, "Say hello")).toBe(agents);
	});

	it("goes on from no response of another key, and shares the workspaces of all", async () => {
		const others = (await read<{ id: string }>(callWithKey(owner.key, "/v1/responses", { input: "hi" }))).body.id;
		const goOn = (id: string) =>
			read<{ error: { message: string } }>(
				callWithKey(agent.key, "/v1/responses", { input: "on", previous_response_id: id }),
			);
		const unknown = "resp_01ARZ3NDEKTSV4RRFFQ69G5FAV";
		const refused = await goOn(others);
		expect(refused.status).toBe(400);
		expect(JSON.stringify(refused.body).replaceAll(others, unknown)).toBe(JSON.stringify((await goOn(unknown)).body));
		const handoff = { workspace_id: "shared", objective: "Hand over" };
		expect((await callWithKey(owner.key, "/v1/handoff", handoff)).status).toBe(200);
		expect(await read(callWithKey(agent.key, "/v1/handoff/chain/shared"))).toMatchObject({ body: { count: 1 } });
		const events = await read<{ data: { event_type: string }[] }>(callWithKey(agent.key, "/v1/audit/events"));
		expect(events.body.data.map(({ event_type }) => event_type)).toEqual(["handoff_created"]);
	});

	it("reads only its own where nothing is set, and an owner's key always all", async () => {
		expect(agent).toMatchObject({ own_only: true });
		const listed = await read<{ data: KeyView[] }>(callWithKey(agent.key, "/v1/keys"));
		expect(listed.body.data.map(({ key_id }) => key_id)).toEqual([agent.key_id]);
		expect(await make(owner.key, { own_only: true })).toMatchObject({
			status: 422,
			body: { issues: [{ path: "own_only" }] },
		});
		expect(await change(owner.key, owner.key_id, { own_only: true })).toMatchObject({ status: 422 });
		expect(await change(owner.key, agent.key_id, { own_only: false })).toMatchObject({ body: { own_only: false } });
		expect(await change(owner.key, agent.key_id, { own_only: null })).toMatchObject({ body: { own_only: true } });
		expect(await change(owner.key, agent.key_id, { role: "owner" })).toMatchObject({ body: { own_only: false } });
		expect(await change(owner.key, agent.key_id, { role: "agent" })).toMatchObject({ body: { own_only: true } });
		expect(await change(agent.key, agent.key_id, { own_only: false })).toMatchObject(forbidden);
	});

	it("finds what has no maker with owners' keys only", async () => {
		const run = (
			await read<{ run_id: string }>(callWithKey(agent.key, "/v1/agent/run", { goal: "Say hi", max_steps: 1 }))
		).body.run_id;
		await vi.waitFor(
			async () => {
				const row = env.DB.prepare("UPDATE agent_runs SET api_key_id = NULL WHERE id = ? RETURNING status").bind(run);
				expect(await row.first("status")).toBe("complete");
			},
			{ timeout: 10_000 },
		);
		const runs = async (key: string) => (await callWithKey(key, "/v1/agent/runs")).text();
		expect(await runs(agent.key)).not.toContain(run);
		expect(await runs(owner.key)).toContain(run);
	});

	it("is not listed the tools that it may not call", async () => {
		const tools = async (key: string) => {
			const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
			const answer = await read<{ result: { tools: { name: string }[] } }>(callWithKey(key, "/v1/mcp?tools=all", list));
			return answer.body.result.tools.map(({ name }) => name);
		};
		const [forOwner, forAgent] = [await tools(owner.key), await tools(agent.key)];
		expect(forOwner.filter((name) => !forAgent.includes(name)).toSorted()).toEqual([
			"create_brain_share",
			"delete_brain_share",
			"put_workspace_manifest",
		]);
		expect(forOwner.filter((name) => /key$|keys$/.test(name))).toEqual(["get_public_key"]);
	});

	it("is refused the tools that it may not call, as by their endpoints", async () => {
		const call = (key: string, name: string, given: unknown) => {
			const params = { name, arguments: given };
			return read<{ result: { isError?: boolean; content: { text: string }[] } }>(
				callWithKey(key, "/v1/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }),
			);
		};
		const weaker = { workspace_id: "w", protected_paths: [] };
		const put = await call(agent.key, "put_workspace_manifest", weaker);
		expect(put.body.result.isError).toBe(true);
		expect(put.body.result.content[0]?.text).toContain("role_forbidden");
		const scored = await call(agent.key, "check_workspace_readiness", weaker);
		expect(scored.body.result.content[0]?.text).toContain('"policy_updated":false');
		expect((await call(owner.key, "put_workspace_manifest", weaker)).body.result.isError ?? false).toBe(false);
	});
});

describe("the models of a key", () => {
	const ALLOWED = ["gpt-5-nano", "claude-haiku-5-5"];
	let listed: KeyView;
	beforeEach(async () => {
		listed = await made(owner.key, { models: ALLOWED });
	});

	/** Every model that the upstream was asked for. */
	function called(): string[] {
		return [...new Set(upstream.requests.map(({ url, body }) => String(body["model"] ?? url)))];
	}

	function expectOnlyAllowed(): void {
		expect(called().length).toBeGreaterThan(0);
		for (const name of called()) expect(name).toMatch(/gpt-5-nano|haiku/);
	}

	it("must match some model of the catalog", async () => {
		for (const models of [["nope"], ["gpt-9*"], []])
			expect(await make(owner.key, { models })).toMatchObject({ status: 422, body: { error: "invalid_request" } });
		for (const models of [["budget"], ["openai"], ["*-nano"], ["nope", "gpt-5-nano"]])
			expect((await make(owner.key, { models })).status).toBe(200);
	});

	it("refuse a pinned one that is not among them, and let an unknown id fall back among them", async () => {
		expect(await read(chat(listed.key, "hi", { model: "gpt-6-astra" }))).toMatchObject({
			status: 403,
			body: { error: "model_not_allowed", excluded: { "gpt-6-astra": ["not among the models of this API key"] } },
		});
		expect(upstream.requests).toEqual([]);
		expect(await read(chat(listed.key, "hi", { model: "gpt-6-astra", stream: true }))).toMatchObject({ status: 403 });
		expect((await chat(listed.key, "hi", { model: "gpt-5-nano" })).status).toBe(200);
		expect((await chat(listed.key, "hi", { model: "no-such-model" })).status).toBe(200);
		expect((await chat(listed.key, "Prove that there are infinitely many primes")).status).toBe(200);
		expect((await chat(listed.key, "[[fail openai]] hi", { model: "auto" })).status).toBe(200);
		expectOnlyAllowed();
	});

	it("are all that strategies, judges, code and runs call", async () => {
		const messages = [{ role: "user", content: "Compare two ways to sort a list, and say which is better and why." }];
		for (const strategy of Object.keys(STRATEGY))
			expect((await callWithKey(listed.key, "/v2/orchestrate", { messages, strategy })).status, strategy).toBe(200);
		expect((await callWithKey(listed.key, "/v2/orchestrate", { messages })).status).toBe(200);
		expect((await callWithKey(listed.key, "/v2/code", { task: "Write a function that adds two numbers" })).status).toBe(
			200,
		);
		expect(
			(await callWithKey(listed.key, "/v1/agent/run", { goal: "Say hi, then say bye", max_steps: 4 })).status,
		).toBe(200);
		expect((await callWithKey(listed.key, "/v1/skills/debugging/invoke", { task: "It prints 8" })).status).toBe(200);
		expectOnlyAllowed();
		const route = await read<{ candidates: { model: string }[] }>(
			callWithKey(listed.key, "/v1/route", { prompt: "hi" }),
		);
		expect(route.body.candidates.map(({ model }) => model).toSorted()).toEqual(ALLOWED.toSorted());
	});

	it("are all that is called, and may be pinned, at every endpoint, while a provider fails too", async () => {
		const messages = [{ role: "user", content: "[[fail openai]] Compare two ways to sort a list, and say why." }];
		const fails = "[[fail openai]] Write a function that adds two numbers";
		const calls: [string, Record<string, unknown>][] = [
			["/v2/orchestrate", { messages, policy: "depth" }],
			["/v2/code", { task: fails }],
			["/v1/skills/debugging/invoke", { task: fails }],
			["/v1/agent/run", { goal: fails, max_steps: 4, policy: "depth" }],
		];
		for (const [path, body] of calls) {
			upstream.requests.length = 0;
			const { status } = await callWithKey(listed.key, path, body);
			expect([200, 502], path).toContain(status);
			expectOnlyAllowed();
		}
		upstream.requests.length = 0;
		const pinned = { model: "gpt-6-astra" };
		for (const [path, body] of [
			["/v1/skills/debugging/invoke", { task: "It prints 8", ...pinned }],
			["/v1/route", { prompt: "hi", ...pinned }],
		] as const) {
			expect(await read(callWithKey(listed.key, path, body)), path).toMatchObject({
				status: 403,
				body: { error: "model_not_allowed" },
			});
		}
		expect(upstream.requests).toEqual([]);
	});

	it("are what the list of models shows as available to the key, and to nobody else as less", async () => {
		const available = async (init?: RequestInit) => {
			const { body } = await read<{ data: { id: string; available: boolean }[] }>(call("/v1/models", init));
			return body.data.flatMap((model) => (model.available ? model.id : []));
		};
		expect((await available(withKey(listed.key))).toSorted()).toEqual(ALLOWED.toSorted());
		expect(await available(withKey(owner.key))).toEqual(await available());
		expect(await read(callWithKey(listed.key, "/v1/models/gpt-6-astra"))).toMatchObject({ body: { available: false } });
	});

	it("hold besides a request's config and the other levels of its key", async () => {
		const own = await made(owner.key, { models: ["budget"], brain_config: { blocked: ["openai"], max_cost: 0.001 } });
		const brain_config = { blocked: ["anthropic"], fallback: ["gpt-6-astra", "gpt-5-nano"] };
		const route = await read<{ candidates: { model: string }[] }>(
			callWithKey(own.key, "/v1/route", { prompt: "hi", brain_config }),
		);
		const models = route.body.candidates.map(({ model }) => model);
		expect(models.length).toBeGreaterThan(0);
		expect(models.filter((model) => /^(?:gpt-[56]|claude)/.test(model))).toEqual([]);
		expect(await read(chat(own.key, "hi", { model: "gpt-5-nano" }))).toMatchObject({
			status: 403,
			body: { error: "model_blocked" },
		});
		expect(await read(chat(own.key, "hi", { model: "deepseek-flash", max_tokens: 100_000 }))).toMatchObject({
			status: 402,
			body: { error: "cost_limit_exceeded", limit_usd: 0.001 },
		});
	});

	it("may be fewer in a key that it makes, never others", async () => {
		expect((await made(listed.key)).models).toEqual(ALLOWED);
		expect(await make(listed.key, { models: ["gpt-6-luna"] })).toMatchObject({
			status: 403,
			body: { member: "models" },
		});
		expect((await made(listed.key, { models: ["gpt-5-nano"] })).models).toEqual(["gpt-5-nano"]);
		const strict = await made(owner.key, { brain_config: { blocked: ["xai"], max_cost: 0.1 } });
		expect((await made(strict.key, { brain_config: { blocked: ["google"], max_cost: 1 } })).brain_config).toMatchObject(
			{
				blocked: ["google", "xai"],
				max_cost: 0.1,
			},
		);
		expect(await change(strict.key, strict.key_id, { brain_config: null })).toMatchObject({
			status: 403,
			body: { member: "brain_config" },
		});
	});
});

describe("the config of a key", () => {
	it("is refused for its faults, and for what is the operator's", async () => {
		expect(await make(owner.key, { brain_config: { modle: "x" } })).toMatchObject({
			status: 422,
			body: { error: "invalid_brain_config" },
		});
		for (const compliance of [{ framworks: ["GDPR"] }, { mode: "monitor" }])
			expect(await make(owner.key, { brain_config: { compliance } })).toMatchObject({
				status: 422,
				body: { error: "invalid_brain_config" },
			});
	});

	it("restricts by its policy what requests and the keys that it makes may do", async () => {
		const compliance = { provider_allowlist: ["mistral", "cohere"] };
		const key = await made(owner.key, { brain_config: { compliance } });
		const providerOf = async (body: Record<string, unknown>) =>
			read(chat(key.key, "hi", body)).then(({ status, body: answer }) => [status, answer]);
		expect(await providerOf({ compliance: { provider_allowlist: ["mistral", "openai"] } })).toMatchObject([
			200,
			{ model: expect.stringContaining("mistral") },
		]);
		expect(await providerOf({ compliance: { provider_allowlist: ["openai"] } })).toMatchObject([
			403,
			{ error: "compliance_blocked" },
		]);
		const wider = { compliance: { provider_allowlist: ["openai"] } };
		const child = await made(key.key, { brain_config: wider });
		expect(await read(chat(child.key, "hi", {}))).toMatchObject({ status: 403, body: { error: "compliance_blocked" } });
		expect(await change(key.key, key.key_id, { brain_config: wider })).toMatchObject({
			status: 403,
			body: { member: "brain_config" },
		});
	});

	it("decides what the request leaves open, patterns included", async () => {
		const rules = [{ name: "tickets", when: { matches: "ticket-\\d+" }, use: { model: "claude-haiku-5-5" } }];
		const key = await made(owner.key, { brain_config: { model: "gpt-5-nano", rules } });
		expect(await read(chat(key.key, "hi"))).toMatchObject({ body: { model: "gpt-5-nano" } });
		expect(await read(chat(key.key, "look at ticket-12"))).toMatchObject({ body: { model: "claude-haiku-5-5" } });
		expect(await read(chat(key.key, "hi", { model: "deepseek-flash" }))).toMatchObject({
			body: { model: "deepseek-flash" },
		});
		await change(owner.key, key.key_id, { brain_config: { model: "deepseek-flash" } });
		expect(await read(chat(key.key, "hi"))).toMatchObject({ body: { model: "deepseek-flash" } });
	});
});

describe("the trail of keys", () => {
	interface Event {
		event_type: string;
		actor: string;
		workspace_id: string | null;
		payload: Record<string, unknown>;
	}
	const events = async () =>
		(await read<{ data: Event[] }>(callWithKey(owner.key, "/v1/audit/events"))).body.data.toReversed();
	const byOwner = () => `key:${owner.key_id}`;

	it("says who made, changed and revoked which key, and how, without the key", async () => {
		owner = await newKey("pro", `trail-${crypto.randomUUID()}`);
		const key = await made(owner.key, { name: "CI", rpm: 9, models: ["budget"] });
		await change(owner.key, key.key_id, { rpm: null, name: "CI" });
		await change(owner.key, key.key_id, { name: "CI" });
		const rotated = await rotate(owner.key, key.key_id);
		const again = await rotate(owner.key, rotated.body.key_id, { overlap_seconds: 60 });
		await remove(owner.key, again.body.key_id);
		await operator("POST", `/internal/keys/${rotated.body.key_id}/revoke`);
		const trail = await events();
		const { key_id: first } = key;
		const [second, third] = [rotated.body.key_id, again.body.key_id];
		const expected: [string, string, object][] = [
			["key_created", "operator", { key_id: owner.key_id, role: "owner" }],
			["key_created", byOwner(), { key_id: first, name: "CI", rpm: 9, models: ["budget"], rotated_from: null }],
			["key_changed", byOwner(), { key_id: first, before: { rpm: 9 }, after: { rpm: null } }],
			["key_created", byOwner(), { key_id: second, rotated_from: first }],
			["key_revoked", byOwner(), { key_id: first, replaced_by: second }],
			["key_created", byOwner(), { key_id: third, rotated_from: second }],
			[
				"key_changed",
				byOwner(),
				{ key_id: second, before: { expires_at: null }, after: { expires_at: again.body.previous_ends_at } },
			],
			["key_revoked", byOwner(), { key_id: third, replaced_by: null }],
			["key_revoked", "operator", { key_id: second, replaced_by: null }],
		];
		// The two events of a rotation may have one time, and stand in any order.
		expect(trail).toHaveLength(expected.length);
		for (const [event_type, actor, payload] of expected)
			expect(trail).toContainEqual(
				expect.objectContaining({ event_type, actor, workspace_id: null, payload: expect.objectContaining(payload) }),
			);
		expect(trail[2]?.payload["after"]).toEqual({ rpm: null });
		expect(JSON.stringify(trail)).not.toContain(key.key);
	});

	it("has one event for each change that happened, and none for one that was refused", async () => {
		const second = await made(owner.key);
		await Promise.all(Array.from({ length: 30 }, (_, i) => change(owner.key, second.key_id, { rpm: 50 + i })));
		await Promise.all([1, 2, 3].map(() => remove(owner.key, second.key_id)));
		await remove(owner.key, owner.key_id);
		await change(owner.key, owner.key_id, { role: "agent" });
		const changed = (await events()).filter(({ event_type }) => event_type === "key_changed");
		expect(changed).toHaveLength(30);
		expect((await events()).filter(({ event_type }) => event_type === "key_revoked")).toHaveLength(1);
		// Each change starts from what the one before it left.
		const before = changed.map(({ payload }) => (payload["before"] as { rpm: number | null }).rpm);
		const after = changed.map(({ payload }) => (payload["after"] as { rpm: number | null }).rpm);
		expect(before.filter((rpm) => rpm !== null && !after.includes(rpm))).toEqual([]);
		expect(new Set(before).size).toBe(30);
		expect(new Set(after).size).toBe(30);
	});
});

// The operator's catalog through the front door: where it comes from, what is refused, and what happens while it cannot be read.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runSchema } from "../../src/agents/response.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { storeCatalog } from "../../src/load-settings.edge.ts";
import { expectAccounted, GOAL, postRun, readRun } from "../support/agents.ts";
import { WORKSPACE } from "../support/ledger.ts";
import { useService } from "../support/per-test.ts";
import { callWith, eventually, newKey, receiptOf, usageOf, withKey } from "../support/service.ts";
import { SANDBOX_ORIGIN, TEST_ADMIN_TOKEN } from "../support/variables.ts";

const { upstream, key: owner } = useService("corporate");
afterEach(async () => {
	vi.restoreAllMocks();
	await Promise.all([env.KV.delete("catalog:operator"), env.KV.delete("catalog:operator:last")]);
});

type Json = Record<string, unknown>;

/** A model of a server of the operator's own, which takes no key. */
const LOCAL = {
	providers: [{ id: "ollama", base_url: `${SANDBOX_ORIGIN}/ollama/v1` }],
	models: [
		{
			id: "tiny",
			provider: "ollama",
			upstream: "tiny:3b",
			tier: "budget",
			prices: { input: 0, output: 0 },
			limits: { context_window: 32_768, max_output_tokens: 4_096 },
		},
	],
};

const completion = {
	id: "chatcmpl-1",
	object: "chat.completion",
	choices: [{ index: 0, message: { role: "assistant", content: "from the local model" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
};

async function json(response: Response | Promise<Response>, status = 200): Promise<Json> {
	const settled = await response;
	const text = await settled.text();
	expect(settled.status, text).toBe(status);
	return JSON.parse(text);
}

/** KV that keeps what is written; each call of `isolate` stands for a new isolate. */
function kvStore(entries: Record<string, string>) {
	let isDown = false;
	const answer = async <T>(value: () => T) => {
		if (isDown) throw new Error("KV GET failed: 503");
		return value();
	};
	const isolate = (variables: Record<string, string> = {}): Partial<Env> => ({
		KV: {
			get: (name: string) => answer(() => entries[name] ?? null),
			put: (name: string, value: string) =>
				answer(() => {
					entries[name] = value;
				}),
		} as unknown as KVNamespace,
		...variables,
	});
	return {
		entries,
		isolate,
		fail: () => {
			isDown = true;
		},
	};
}

const stored = (document: unknown) => kvStore({ "catalog:operator": JSON.stringify(document) });

const withToken = (method: string, body?: unknown): RequestInit => ({
	method,
	headers: { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, "content-type": "application/json" },
	...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
});
const replace = (isolate: Partial<Env>, body: unknown) =>
	callWith(isolate, "/internal/catalog", withToken("PUT", body));
const show = (isolate: Partial<Env>) => callWith(isolate, "/internal/catalog", withToken("GET"));
const chat = (isolate: Partial<Env>, body: Json = {}) =>
	callWith(
		isolate,
		"/v1/chat/completions",
		withKey(owner.key, { model: "tiny", messages: [{ role: "user", content: "hi" }], ...body }),
	);
const health = async (isolate: Partial<Env>, status = 200) =>
	(await json(callWith(isolate, "/health"), status))["operator_catalog"];
const silenceErrors = () =>
	vi.spyOn(console, "error").mockImplementation((...a) => {
		console.log(...a);
	});

describe("the operator's catalog", () => {
	it("is that of KV: its model is listed as the operator's, called by its own name, and costs what the row says", async () => {
		const { isolate } = stored(LOCAL);
		upstream.replace(async ({ url }) => (url.includes("/ollama/") ? Response.json(completion) : undefined));
		const bindings = isolate();
		const answer = await chat(bindings);
		const id = answer.headers.get("x-request-id") ?? "";
		expect(await json(answer)).toMatchObject({
			model: "tiny",
			choices: [{ message: { content: "from the local model" } }],
			svc: { cost: { total_usd: 0 } },
		});
		const [sent] = upstream.requests;
		expect(sent?.url).toBe(`${SANDBOX_ORIGIN}/ollama/v1/chat/completions`);
		expect(sent?.body).toMatchObject({ model: "tiny:3b" });
		expect([...(sent?.headers.keys() ?? [])]).not.toContain("authorization");
		const receipt = await receiptOf(id);
		expect(receipt).toMatchObject({ cost_usd: 0 });
		expect(receipt["catalog_version"]).toMatch(new RegExp(`^${CATALOG.version}\\+[0-9a-f]{12}$`));
		const { data } = (await json(callWith(bindings, "/v1/models", withKey(owner.key)))) as { data: Json[] };
		expect(data.find((model) => model["id"] === "tiny")).toMatchObject({ provider: "ollama", source: "operator" });
		expect(await health(bindings)).toBe("valid");
	});

	it("is CATALOG where KV has none, and the shipped one where neither has", async () => {
		const setting = { CATALOG: JSON.stringify(LOCAL) };
		const none = kvStore({});
		expect(await json(show(none.isolate(setting)))).toMatchObject({ source: "variable", models: ["tiny"], faults: [] });
		expect(await json(show(none.isolate()))).toEqual({
			source: "none",
			catalog: null,
			faults: [],
			catalog_version: CATALOG.version,
			providers: [],
			models: [],
		});
		expect([await health(none.isolate(setting)), await health(none.isolate())]).toEqual(["valid", "none"]);
		const other = stored({ models: [{ ...LOCAL.models[0], id: "other", provider: "openai" }] });
		expect(await json(show(other.isolate(setting)))).toMatchObject({ source: "kv", models: ["other"] });
	});

	it("takes settings of its providers, and one that is wrong makes it unreadable", async () => {
		silenceErrors();
		const keyed = { ...LOCAL, providers: [{ ...LOCAL.providers[0], auth: "bearer" }] };
		upstream.replace(async ({ url }) => (url.includes("/elsewhere/") ? Response.json(completion) : undefined));
		const { isolate } = stored(keyed);
		const settings = { OLLAMA_API_KEY: "sk-own", OLLAMA_BASE_URL: `${SANDBOX_ORIGIN}/elsewhere/` };
		expect((await chat(isolate(settings))).status).toBe(200);
		expect(upstream.requests[0]?.headers.get("authorization")).toBe("Bearer sk-own");
		const wrong = isolate({ ...settings, OLLAMA_BASE_URL: "http://10.0.0.1/v1" });
		expect(await json(chat(wrong), 503)).toMatchObject({ error: "misconfigured" });
		expect((await json(show(wrong)))["faults"]).toEqual([
			"the catalog and the settings disagree: OLLAMA_BASE_URL is of this machine or a private network; UPSTREAM_HOSTS must list its host",
		]);
	});

	it("that is invalid, and the first, stops what needs models and nothing else; it is logged once, and told by /health", async () => {
		const errors = silenceErrors();
		for (const text of [JSON.stringify({ models: [{ id: `t-${crypto.randomUUID()}` }] }), "models: []", "[]"]) {
			errors.mockClear();
			const { isolate } = kvStore({ "catalog:operator": text });
			for (const body of [{}, { model: "auto" }, { model: CATALOG.models[0]?.id }])
				expect(await json(chat(isolate(), body), 503)).toMatchObject({ error: "misconfigured" });
			for (const path of ["/v1/models", "/v1/route"])
				expect(
					await json(
						callWith(isolate(), path, withKey(owner.key, path === "/v1/route" ? { prompt: "hi" } : undefined)),
						503,
					),
				).toMatchObject({ error: "misconfigured" });
			const events = errors.mock.calls.filter(([line]) => String(line).includes("invalid_operator_catalog"));
			expect(events).toHaveLength(1);
			expect((await callWith(isolate(), "/v1/audit/events", withKey(owner.key))).status).toBe(200);
			expect(await json(callWith(isolate(), "/health"), 503)).toMatchObject({
				status: "degraded",
				operator_catalog: "invalid",
				providers_configured: CATALOG.providers.length,
			});
		}
	});

	it("that is invalid leaves the last one in force that could be read, for new isolates too", async () => {
		silenceErrors();
		const store = stored(LOCAL);
		expect(await json(show(store.isolate()))).toMatchObject({ models: ["tiny"] });
		expect(await health(store.isolate())).toBe("valid");
		expect(store.entries["catalog:operator:last"]).toBe(JSON.stringify(LOCAL));
		for (const text of [
			"{",
			'{"models": 7}',
			JSON.stringify({ models: [{ ...LOCAL.models[0], prices: undefined }] }),
			// Readable, and larger than what PUT takes.
			`${JSON.stringify({ models: [] })}${" ".repeat(1_048_576)}`,
		]) {
			store.entries["catalog:operator"] = text;
			upstream.replace(async ({ url }) => (url.includes("/ollama/") ? Response.json(completion) : undefined));
			expect((await chat(store.isolate())).status).toBe(200);
			expect(await health(store.isolate(), 503)).toBe("invalid");
			const shown = await json(show(store.isolate()));
			expect(shown).toMatchObject({ models: ["tiny"] });
			expect(shown["faults"]).not.toEqual([]);
		}
		expect(store.entries["catalog:operator:last"]).toBe(JSON.stringify(LOCAL));
	});

	it("that KV does not give is 503 for what needs models; the ledger, keys and audit go on", async () => {
		silenceErrors();
		const store = stored(LOCAL);
		store.fail();
		for (const body of [{}, { model: "auto" }])
			expect(await json(chat(store.isolate(), body), 503)).toMatchObject({ error: "storage_unavailable" });
		for (const [path, body] of [
			["/v1/audit/events"],
			["/v1/keys"],
			["/v1/keys", { name: "second" }],
			["/v1/handoff", { workspace_id: WORKSPACE, objective: "Hand on" }],
		] as const)
			await json(callWith(store.isolate(), path, withKey(owner.key, body)));
		expect(await json(callWith(store.isolate(), "/health"), 503)).toMatchObject({ operator_catalog: "unknown" });
		expect(await json(show(store.isolate()), 503)).toMatchObject({ error: "storage_unavailable" });
		expect(await json(replace(store.isolate(), LOCAL), 503)).toMatchObject({ error: "storage_unavailable" });
	});

	it("that KV does not give in time is waited for once, and not by every request", async () => {
		silenceErrors();
		let reads = 0;
		const hanging = { KV: { get: () => new Promise(() => reads++) } as unknown as KVNamespace };
		const answers = [await chat(hanging), await chat(hanging), await callWith(hanging, "/v1/keys", withKey(owner.key))];
		expect(answers.map(({ status }) => status)).toEqual([503, 503, 200]);
		expect(reads).toBe(2);
	});

	it("goes on in an isolate that has it while KV is down", async () => {
		silenceErrors();
		vi.useFakeTimers({ toFake: ["Date"] });
		try {
			upstream.replace(async ({ url }) => (url.includes("/ollama/") ? Response.json(completion) : undefined));
			const store = stored(LOCAL);
			const isolate = store.isolate();
			expect((await chat(isolate)).status).toBe(200);
			store.fail();
			vi.advanceTimersByTime(61_000);
			expect((await chat(isolate)).status).toBe(200);
		} finally {
			vi.useRealTimers();
		}
	});
});

describe("PUT /internal/catalog", () => {
	it("stores a catalog, which holds at once, and nothing of one with a fault", async () => {
		const store = kvStore({});
		const isolate = store.isolate();
		expect(await json(replace(isolate, LOCAL))).toMatchObject({ providers: ["ollama"], models: ["tiny"] });
		const shown = await json(show(isolate));
		expect(shown).toMatchObject({ source: "kv", catalog: LOCAL, models: ["tiny"] });
		const wrong = {
			providers: [{ id: "vllm", base_url: "http://10.0.0.5:8000/v1" }],
			models: [{ id: "auto", provider: "vllm", tier: "best", limits: { context_window: 1 } }],
		};
		const { issues } = (await json(replace(isolate, wrong), 422)) as { issues: { path: string; message: string }[] };
		expect(issues.map(({ path }) => path)).toEqual([
			"providers.0.base_url",
			"models.0.id",
			"models.0.tier",
			"models.0.limits",
		]);
		expect(await json(show(isolate))).toEqual(shown);
		expect(await json(replace(isolate, {}))).toMatchObject({ catalog_version: CATALOG.version, models: [] });
	});

	it("refuses what is no mapping of lists, and more than a megabyte, with a word of it", async () => {
		const isolate = kvStore({}).isolate();
		expect(await json(replace(isolate, "{"), 400)).toMatchObject({ error: "invalid_json" });
		for (const body of ["[]", "7", JSON.stringify({ models: {} }), JSON.stringify({ modles: [] })])
			expect((await json(replace(isolate, body), 422))["message"]).toMatch(/\w/);
		const large = { models: [], providers: [{ id: "x", name: "y".repeat(1_048_576) }] };
		expect(await json(replace(isolate, large), 422)).toMatchObject({
			issues: [{ message: expect.stringContaining("may have 1048576") }],
		});
	});

	it("is the operator's alone", async () => {
		const isolate = kvStore({}).isolate();
		for (const init of [withKey(owner.key), {}, { headers: { authorization: "Bearer wrong-token-0123456789" } }])
			for (const method of ["GET", "PUT"])
				expect(
					(
						await callWith(isolate, "/internal/catalog", {
							...init,
							method,
							...(method === "PUT" ? { body: "{}" } : {}),
						})
					).status,
				).toBe(401);
		expect(
			(await callWith({ ...isolate, ADMIN_TOKEN: "" } as Partial<Env>, "/internal/catalog", withToken("GET"))).status,
		).toBe(404);
	});
});

describe("a server's config", () => {
	it("is read anew when the catalog knows other models", async () => {
		const store = kvStore({ "brain:default": "model: tiny\nblocked: [tiny]" });
		const isolate = store.isolate();
		upstream.replace(async ({ url }) => (url.includes("/ollama/") ? Response.json(completion) : undefined));
		expect((await chat(isolate, { model: "auto" })).status).toBe(200);
		await json(replace(isolate, LOCAL));
		expect(await json(chat(isolate, { model: "tiny" }), 403)).toMatchObject({ error: "model_blocked" });
	});
});

describe("an agent run", () => {
	it("waits while KV does not give the catalog, and goes on when it does", async () => {
		silenceErrors();
		const running = postRun(owner, { policy: "efficiency", goal: GOAL, background: true });
		const { run_id: runId } = runSchema.parse(await (await running).json());
		const object = env.AGENT_RUN.getByName(`run:${runId}`);
		let isDown = true;
		let refused = 0;
		await runInDurableObject(object, (instance) => {
			const bindings = (instance as unknown as { env: Env }).env;
			vi.spyOn(bindings.KV, "get").mockImplementation((async () => {
				if (!isDown) return null;
				refused++;
				throw new Error("KV GET failed: 503");
			}) as never);
		});
		await eventually(async () => refused > 0);
		expect((await readRun(owner, runId)).status).not.toBe("interrupted");
		isDown = false;
		await eventually(async () => (await readRun(owner, runId)).status === "complete");
		expect((await usageOf(owner)).total_requests).toBe(1);
	});

	it("goes on with other models when its own are gone from the catalog, and is settled with what each call was", async () => {
		const key = await newKey("corporate");
		const models = LOCAL.models.map((model) => ({
			...model,
			prices: { input: 0.01, output: 0.01 },
			quality: { general: 0.9 },
		}));
		await storeCatalog(env, JSON.stringify({ ...LOCAL, models }));
		let calls = 0;
		upstream.replace(async ({ url }) => {
			if (!url.includes("/ollama/")) return undefined;
			if (++calls === 2) await storeCatalog(env, "{}");
			return Response.json(completion);
		});
		const { run_id: runId } = runSchema.parse(
			await (await postRun(key, { policy: "efficiency", goal: GOAL, background: true })).json(),
		);
		await eventually(async () => (await readRun(key, runId)).status !== "running");
		const run = await readRun(key, runId);
		expect(run.status).toBe("complete");
		expect([...new Set(run.steps.map(({ model }) => model))]).toHaveLength(2);
		expect(run.steps[0]).toMatchObject({ model: "tiny", cost_usd: 0.00000026 });
		await expectAccounted(key, run);
		expect(Object.keys((await usageOf(key)).by_provider)).toContain("ollama");
		expect((await receiptOf(runId))["catalog_version"]).toBe(CATALOG.version);
	});
});

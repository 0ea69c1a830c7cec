// Models of the operator on every entrance: who may call them, where they show, what replaces what, and what they cost.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { storeCatalog } from "../../src/load-settings.edge.ts";
import { STRATEGIES } from "../../src/orchestration/strategies.ts";
import { hashObject } from "../../src/proof/hash.ts";
import { expectAccounted, GOAL, runAgent } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { callWith, callWithKey, newKey, proofOf, type TestKey, usageOf, withKey } from "../support/service.ts";
import { SANDBOX_ORIGIN } from "../support/variables.ts";

const { upstream, key: owner } = useService("corporate");

type Json = Record<string, unknown>;

const limits = { context_window: 131_072, max_output_tokens: 16_384 };
const supports = { tools: true, json_schema: true };
const quality = { general: 0.99 };
/** The shipped model whose place a row takes, and the one that is the default baseline of savings. */
const REPLACED = "gpt-5-nano";

const DOCUMENT = {
	providers: [
		{ id: "box", base_url: `${SANDBOX_ORIGIN}/box/v1`, auth: "none" },
		{ id: "veil", base_url: `${SANDBOX_ORIGIN}/veil/v1`, auth: "none" },
	],
	models: [
		// Nothing is better, nothing is cheaper: only what a row says of itself keeps it from every choice.
		{
			id: "shade",
			provider: "veil",
			tier: "budget",
			prices: { input: 0, output: 0 },
			limits,
			supports,
			quality,
			hidden: true,
		},
		{
			...{ id: "mist", provider: "box", tier: "premium", prices: { input: 0, output: 0 }, limits, supports, quality },
			...{ plans: ["pro", "corporate"], aliases: ["fog"] },
		},
		{
			replaces: REPLACED,
			id: "own-nano",
			provider: "box",
			prices: { input: 0, output: 0 },
			limits,
			quality: { general: 0.5 },
		},
	],
};
const SERVICE = { CATALOG: JSON.stringify(DOCUMENT) } as Partial<Env>;

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };

/** A completion of a model of the operator's, streamed as OpenRouter streams it. */
function answer(content: string, reported: Json | null = usage): Response {
	const chunk = (fields: Json) =>
		`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...fields })}\n\n`;
	const delta = (fields: Json, finish_reason: string | null = null) => ({
		choices: [{ index: 0, delta: fields, finish_reason }],
	});
	const body = [
		": OPENROUTER PROCESSING\n\n",
		chunk(delta({ role: "assistant", content: "" })),
		": OPENROUTER PROCESSING\n\n",
		chunk(delta({ content })),
		chunk(delta({}, "stop")),
		...(reported ? [chunk({ choices: [], usage: reported })] : []),
		"data: [DONE]\n\n",
	].join("");
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const isOwn = ({ url }: { url: string }) => /\/(?:box|veil)\/v1\/chat\/completions$/.test(url);

/** Answers the operator's models. @returns those that were called. */
function answerOwn(content = "from the box", reported: Json | null = usage): () => unknown[] {
	upstream.replace(async (request) => (isOwn(request) ? answer(content, reported) : undefined));
	return () => upstream.requests.filter(isOwn).map(({ body }) => (body as Json)["model"]);
}

const say = (content = "hi") => [{ role: "user", content }];
const send = (by: TestKey, path: string, body?: Json) => callWith(SERVICE, path, withKey(by.key, body));

async function json(response: Response | Promise<Response>): Promise<Json> {
	const settled = await response;
	const text = await settled.text();
	expect(settled.status, text).toBe(200);
	return JSON.parse(text);
}

/** A request that lets one model answer, on each entrance, and those that name it through a config. */
const ENTRANCES: Readonly<Record<string, (model: string) => [path: string, body: Json]>> = {
	chat: (model) => ["/v1/chat/completions", { model, messages: say() }],
	"chat, streamed": (model) => ["/v1/chat/completions", { model, messages: say(), stream: true }],
	responses: (model) => ["/v1/responses", { model, input: "hi" }],
	messages: (model) => ["/v1/messages", { model, messages: say(), max_tokens: 50 }],
	"a config's model": (model) => ["/v1/chat/completions", { messages: say(), brain_config: { model } }],
	"a config's rule": (model) => [
		"/v1/chat/completions",
		{ messages: say(), brain_config: { rules: [{ when: {}, use: { model } }] } },
	],
	"an MCP tool": (model) => [
		"/v1/mcp",
		{
			jsonrpc: "2.0",
			id: 1,
			method: "tools/call",
			params: { name: "create_chat_completion", arguments: { model, messages: say() } },
		},
	],
};

/** Requests that name no model: what they choose is the service's. */
const UNNAMED: Readonly<Record<string, [path: string, body: Json]>> = {
	...Object.fromEntries(Object.entries(ENTRANCES).map(([name, to]) => [name, to("auto")])),
	"an id that means nothing": ["/v1/chat/completions", { model: "nobody", messages: say() }],
	orchestration: ["/v2/orchestrate", { messages: say("What is 2+2?"), strategy: "ensemble_moa" }],
	code: ["/v2/code", { task: "Write a TypeScript function that turns a title into a slug" }],
	"a skill": [
		"/v1/skills/debugging/invoke",
		{ task: "Uploads fail for some customers since Monday: 413, but the files are small." },
	],
};

describe("a model outside the plan", () => {
	it.each(Object.entries(ENTRANCES))("is not called by %s", async (_, toRequest) => {
		const [free, called] = [await newKey("free"), answerOwn()];
		for (const id of ["mist", "fog"]) await (await send(free, ...toRequest(id))).text();
		expect(called()).not.toContain("mist");
		expect(upstream.requests).toHaveLength(2);
	});

	it.each(Object.entries(ENTRANCES))(
		"is called by %s where the plan has it, by its alias as well",
		async (_, toRequest) => {
			const called = answerOwn();
			for (const id of ["mist", "fog"])
				expect(await (await send(owner, ...toRequest(id))).text()).toContain("from the box");
			expect(called()).toEqual(["mist", "mist"]);
		},
	);

	it("is no fallback, and is shown as out of reach", async () => {
		const [free, called] = [await newKey("free"), answerOwn()];
		const route = await json(send(free, "/v1/route", { prompt: "hi", brain_config: { fallback: ["mist"] } }));
		expect(JSON.stringify(route["candidates"])).not.toContain("mist");
		const { data } = (await json(send(free, "/v1/models"))) as { data: Json[] };
		expect(data.find(({ id }) => id === "mist")).toMatchObject({ available: false });
		const { data: plans } = (await json(send(free, "/v1/plans"))) as { data: { id: string; model_access: Json }[] };
		expect(
			plans
				.filter(({ model_access }) => ((model_access["models"] ?? ["mist"]) as string[]).includes("mist"))
				.map(({ id }) => id),
		).toEqual(["pro", "corporate"]);
		expect(called()).toEqual([]);
	});
});

describe("a hidden model", () => {
	it.each(Object.entries(UNNAMED))("is not chosen by %s", async (_, [path, body]) => {
		// Without the other models of the operator's, which would be chosen.
		const service = { CATALOG: JSON.stringify({ ...DOCUMENT, models: [DOCUMENT.models[0]] }) } as Partial<Env>;
		const response = await callWith(service, path, withKey(owner.key, body));
		const text = await response.text();
		expect(response.status, text).toBe(200);
		expect(upstream.requests.filter(({ url }) => url.includes("/veil/"))).toEqual([]);
		expect(upstream.requests.length).toBeGreaterThan(0);
		expect(text).not.toContain("shade");
	});

	it("is in no list, suggestion or preview", async () => {
		for (const [path, body] of [
			["/v1/models"],
			["/v1/plans"],
			["/v1/skills"],
			["/v1/mcp/manifest"],
			["/v1/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
			["/v1/route", { prompt: "hi" }],
			["/v2/compliance/preview", { messages: say(), compliance: { require_zero_retention: true } }],
			["/v1/brain/validate", { brain_md: "model: shad\nblocked: [shad]" }],
			["/v1/savings?baseline=shad"],
			["/v1/models/shad"],
			["/openapi.json"],
		] as [string, Json?][]) {
			const response = await send(owner, path, body);
			expect([path, response.status < 500, /shade|veil"/.test(await response.text())]).toEqual([path, true, false]);
		}
		const refusing = { ...SERVICE, UNKNOWN_MODEL: "refuse" } as Partial<Env>;
		const unknown = await callWith(
			refusing,
			"/v1/chat/completions",
			withKey(owner.key, { model: "shad", messages: say() }),
		);
		expect([unknown.status, (await unknown.text()).includes("shade")]).toEqual([404, false]);
	});

	it.each(Object.entries(ENTRANCES))("answers %s that names it", async (_, toRequest) => {
		const called = answerOwn();
		expect(await (await send(owner, ...toRequest("shade"))).text()).toContain("from the box");
		expect(called()).toEqual(["shade"]);
	});
});

describe("the id of a model that a row replaces", () => {
	it.each(Object.entries(ENTRANCES))("means the row's model for %s", async (_, toRequest) => {
		const called = answerOwn();
		expect(await (await send(owner, ...toRequest(REPLACED))).text()).toContain("from the box");
		expect(called()).toEqual(["own-nano"]);
	});

	it("means it in look-ups, counts, configs and keys", async () => {
		expect(await json(send(owner, `/v1/models/${REPLACED}`))).toMatchObject({ id: "own-nano", provider: "box" });
		expect(await json(send(owner, "/v1/route", { prompt: "hi", model: REPLACED }))).toMatchObject({
			model: "own-nano",
		});
		expect(await json(send(owner, `/v1/savings?baseline=${REPLACED}`))).toMatchObject({ baseline_model: "own-nano" });
		expect(await json(send(owner, "/v1/messages/count_tokens", { model: REPLACED, messages: say() }))).toMatchObject({
			input_tokens: expect.any(Number),
		});
		expect(await json(send(owner, "/v1/brain/validate", { brain_md: `model: ${REPLACED}` }))).toMatchObject({
			valid: true,
		});
		const made = await json(send(owner, "/v1/keys", { name: "narrow", models: [REPLACED] }));
		const narrow = { ...owner, key: String(made["key"]) };
		const called = answerOwn();
		for (const model of [REPLACED, "own-nano", "auto"])
			expect(await json(send(narrow, "/v1/chat/completions", { model, messages: say() }))).toMatchObject({
				model: "own-nano",
			});
		expect(called()).toEqual(["own-nano", "own-nano", "own-nano"]);
	});
});

describe("a price of nothing", () => {
	it.each(Object.entries(ENTRANCES))(
		"is charged as nothing by %s, and every figure of it is a number",
		async (_, toRequest) => {
			answerOwn();
			await (await send(owner, ...toRequest("mist"))).text();
			const told = await usageOf(owner);
			expect(told).toMatchObject({
				total_requests: 1,
				total_tokens: 13,
				total_cost_usd: 0,
				by_model: { mist: { requests: 1, tokens: 13, cost_usd: 0 } },
				by_provider: { box: { requests: 1, tokens: 13, cost_usd: 0 } },
			});
			const [row] = told.recent;
			const { receipt, ...proof } = await proofOf(row?.request_id ?? "");
			expect([proof, receipt]).toMatchObject([
				{ valid: true, signed: true },
				{ cost_usd: 0, estimated: false },
			]);
			expect(await json(send(owner, "/v1/savings"))).toMatchObject({ actual_cost_usd: 0, saved_pct: 100 });
			expect(await json(send(owner, "/v1/savings?baseline=mist"))).toMatchObject({
				actual_cost_usd: 0,
				baseline_cost_usd: 0,
				saved_pct: 0,
			});
		},
	);

	it("leaves every budget as it is, and passes a limit of next to nothing", async () => {
		const made = await json(send(owner, "/v1/keys", { name: "poor", budget_usd: 0.000_001 }));
		const poor = { ...owner, key: String(made["key"]), key_id: String(made["id"]) };
		answerOwn();
		for (let count = 0; count < 3; count++)
			expect(
				await json(
					send(poor, "/v1/chat/completions", { model: "mist", messages: say(), brain_config: { max_cost: 1e-9 } }),
				),
			).toMatchObject({ svc: { cost: { total_usd: 0 } } });
		const { data } = (await json(send(owner, "/v1/keys"))) as { data: Json[] };
		expect(data.find(({ name }) => name === "poor")).toMatchObject({
			spent_usd: 0,
			held_usd: 0,
			cost_total_usd: 0,
			last_used_on: new Date().toISOString().slice(0, 10),
		});
		const tooDear = await send(poor, "/v1/chat/completions", { model: "gpt-5", messages: say() });
		expect(tooDear.status).toBeGreaterThanOrEqual(400);
	});

	it("is nothing without usage as well, marked as an estimate; at a price it is the bound", async () => {
		answerOwn("from the box", null);
		expect(await json(send(owner, "/v1/chat/completions", { model: "mist", messages: say() }))).toMatchObject({
			svc: { cost: { total_usd: 0 } },
		});
		const priced = {
			...DOCUMENT,
			models: [{ ...DOCUMENT.models[1], id: "priced", prices: { input: 100_000, output: 100_000 }, aliases: [] }],
		};
		const service = { CATALOG: JSON.stringify(priced) } as Partial<Env>;
		for (const reported of [null, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }]) {
			answerOwn("from the box", reported);
			const { svc, id } = (await json(
				callWith(
					service,
					"/v1/chat/completions",
					withKey(owner.key, { model: "priced", messages: say(), max_tokens: 5 }),
				),
			)) as { svc: { cost: Json }; id: string };
			// 13 tokens would be 1.3 USD. Each byte that was sent may be a token.
			expect(svc.cost["total_usd"]).toBeGreaterThan(10);
			expect((await usageOf(owner)).recent[0]).toMatchObject({ model: "priced", cost_usd: svc.cost["total_usd"] });
			expect((await proofOf(id)).receipt).toMatchObject({ estimated: true, cost_usd: svc.cost["total_usd"] });
		}
	});
});

describe("where every model has one price", () => {
	afterEach(async () => {
		await storeCatalog(env, "{}");
		await Promise.all([env.KV.delete("catalog:operator"), env.KV.delete("catalog:operator:last")]);
	});

	/** Puts a catalog in force, for objects as well, in which all shipped models cost so much. */
	const priceAll = (rate: number) =>
		storeCatalog(
			env,
			JSON.stringify({
				models: CATALOG.models.map(({ id }) => ({ replaces: id, prices: { input: rate, output: rate } })),
			}),
		);
	const oddNumbers = /\b(?:NaN|Infinity)\b|"(?:total_usd|cost_usd|consumed_share|confidence|spent_usd)":null/;

	it.each(["efficiency", "balanced", "depth"])(
		"nothing: a run under %s costs nothing and is accounted for",
		async (policy) => {
			await priceAll(0);
			const run = await runAgent(owner, { policy, goal: GOAL, max_cost_usd: 1e-9 });
			expect(run).toMatchObject({ status: "complete", cost_consumed_usd: 0 });
			expect(JSON.stringify(run)).not.toMatch(oddNumbers);
			await expectAccounted(owner, run);
		},
	);

	it("nothing: a run's step that failed after it was called is a step, as one that cost something", async () => {
		await priceAll(0);
		let calls = 0;
		const half = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "half" } }] })}\n\n`;
		upstream.replace(async ({ url }) =>
			url.includes("/chat/completions") && ++calls <= 3
				? new Response(half, { headers: { "content-type": "text/event-stream" } })
				: undefined,
		);
		const run = await runAgent(owner, { policy: "efficiency", goal: GOAL });
		expect(run).toMatchObject({ status: "complete", cost_consumed_usd: 0 });
		expect(calls).toBeGreaterThan(3);
		const tokens = run.steps.reduce((sum, step) => sum + (step.tokens ?? 0), 0);
		expect((await usageOf(owner)).total_tokens).toBe(tokens);
		await expectAccounted(owner, run);
	});

	it.each(STRATEGIES)("nothing: %s costs nothing", async (strategy) => {
		await priceAll(0);
		const body = { messages: say("What is 17 + 25?\n1. Work it out.\n2. Then say it."), strategy };
		const text = await (await callWithKey(owner.key, "/v2/orchestrate", body)).text();
		expect(JSON.parse(text)).toMatchObject({ strategy, svc: { cost: { total_usd: 0, bound_usd: 0 } } });
		expect(text).not.toMatch(oddNumbers);
		expect(await usageOf(owner)).toMatchObject({ total_requests: 1, total_cost_usd: 0 });
	});

	it("nothing: code costs nothing", async () => {
		await priceAll(0);
		const [path, body] = UNNAMED["code"] ?? ["", {}];
		const text = await (await callWithKey(owner.key, path, body)).text();
		expect(JSON.parse(text)).toMatchObject({ svc: { cost: { total_usd: 0 } } });
		expect(text).not.toMatch(oddNumbers);
	});

	it("a hundred thousand USD a million tokens: what has a limit is refused before a call, with its sums", async () => {
		await priceAll(100_000);
		for (const [path, body] of [
			["/v1/chat/completions", { messages: say(), brain_config: { max_cost: 1 } }],
			["/v1/chat/completions", { messages: say(), model: CATALOG.models[0]?.id, brain_config: { max_cost: 1 } }],
		] as const) {
			const response = await callWithKey(owner.key, path, body);
			const text = await response.text();
			expect([path, response.status], text).toEqual([path, 402]);
			expect(text).not.toMatch(/\b(?:NaN|Infinity)\b|e\+/);
		}
		expect(await runAgent(owner, { goal: GOAL })).toMatchObject({ status: "budget_exhausted", cost_consumed_usd: 0 });
		expect(upstream.requests).toEqual([]);
		const answered = await callWithKey(owner.key, "/v1/chat/completions", { messages: say(), max_tokens: 100 });
		const { svc } = (await json(answered)) as { svc: { cost: { total_usd: number } } };
		expect(svc.cost.total_usd).toBeGreaterThan(0.1);
		expect((await usageOf(owner)).total_cost_usd).toBe(svc.cost.total_usd);
	});
});

describe("what was done under a catalog", () => {
	it("stays as it was when its model gets another price or provider, or is gone", async () => {
		answerOwn();
		const priced = (prices: Json, provider = "box") =>
			({
				CATALOG: JSON.stringify({ ...DOCUMENT, models: [{ ...DOCUMENT.models[1], prices, provider }] }),
			}) as Partial<Env>;
		const before = priced({ input: 3, output: 5 });
		const first = await json(
			callWith(before, "/v1/chat/completions", withKey(owner.key, { model: "mist", messages: say() })),
		);
		const id = String(first["id"]);
		const read = async (service: Partial<Env>) => {
			const told = await json(callWith(service, "/v1/usage", withKey(owner.key)));
			const { receipt, ...proof } = (await json(callWith(service, `/v1/proof/${id}`, withKey(owner.key)))) as {
				receipt: Json;
			} & Json;
			const verified = await json(callWith(service, `/v1/requests/${id}`, withKey(owner.key)));
			return {
				usage: { by_model: told["by_model"], by_provider: told["by_provider"], recent: told["recent"] },
				receipt,
				proof,
				verified,
			};
		};
		const then = await read(before);
		expect(then.proof).toMatchObject({ valid: true, signed: true });
		expect(then.receipt).toMatchObject({ model: "mist", provider: "box", cost_usd: (9 * 3 + 4 * 5) / 1e6 });
		expect(String(then.receipt["catalog_version"])).toMatch(new RegExp(`^${CATALOG.version}\\+[0-9a-f]{12}$`));
		expect(hashObject({ type: "", ...then.receipt })).toBe(then.proof["proof_hash"]);
		for (const service of [priced({ input: 0, output: 0 }, "veil"), SERVICE, {}])
			expect(await read(service)).toEqual(then);
	});
});

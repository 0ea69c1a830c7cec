// Several keys of one provider: which one a call takes, what a refusal means for it, and that no tenant sees any of it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PLANS } from "../../src/catalog/plans.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { toInferenceRequest } from "../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../src/chat/request.ts";
import { billInterruptedCall } from "../../src/inference/accounting.ts";
import { CallRunner, callSetFor } from "../../src/inference/call-runner.edge.ts";
import { planCall } from "../../src/inference/plan.ts";
import { parseSettings } from "../../src/settings.ts";
import { modelOnWire } from "../support/models.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { callWith, newKey, newUnrecordedKey, receiptOf, usageOf, withKey } from "../support/service.ts";
import { SANDBOX_ORIGIN, TEST_ADMIN_TOKEN } from "../support/variables.ts";

const { upstream, key: owner } = useService("corporate");

type Json = Record<string, unknown>;

const model = modelOnWire("openai", ({ provider }) => provider === "openai");
const { provider } = model;
const sibling = CATALOG.models.find(({ id, provider: other }) => other === provider && id !== model.id);
const prefix = CATALOG.findProvider(provider)?.env_prefix ?? "";

interface Entry {
	name?: string;
	key: string;
	weight?: number;
	models?: string[];
	account?: string;
}

const bindings = (entries: readonly Entry[] | string): Partial<Env> =>
	({
		[`${prefix}_API_KEY`]: typeof entries === "string" ? entries : JSON.stringify(entries),
		UNKNOWN_MODEL: "refuse",
	}) as unknown as Partial<Env>;

const THREE: Entry[] = [
	{ name: "a", key: "secret-a", weight: 1 },
	{ name: "b", key: "secret-b", weight: 2 },
	{ name: "c", key: "secret-c", weight: 1 },
];

/** The provider's key that a request came with. */
const keyOf = (headers: Headers) => headers.get("authorization")?.replace("Bearer secret-", "") ?? "";
const keysUsed = () => upstream.requests.map(({ headers }) => keyOf(headers));

const ANSWER = {
	choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
};

type Refusal = { status: number; code?: string; message?: string; retryAfter?: number };

/** An upstream that refuses keys, and answers all others. Another provider of the same model's fallbacks never answers. */
function refuse(refusals: Record<string, Refusal | undefined>): void {
	upstream.replace(async ({ url, headers }) => {
		if (!url.includes(`/${provider}/`)) return new Response("{}", { status: 500 });
		const refused = refusals[keyOf(headers)];
		if (!refused) return Response.json(ANSWER);
		const { status, code = "refused", message = "refused", retryAfter } = refused;
		return Response.json(
			{ error: { message, code, type: code } },
			{ status, headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) } },
		);
	});
}

const chat = (env: Partial<Env>, body: Json = {}, { key } = owner) =>
	callWith(
		env,
		"/v1/chat/completions",
		withKey(key, { model: model.id, messages: [{ role: "user", content: "hi" }], max_tokens: 20, ...body }),
	);
const about = (content: string) => ({ messages: [{ role: "user", content }] });

async function json(response: Response | Promise<Response>, status = 200): Promise<Json> {
	const settled = await response;
	const text = await settled.text();
	expect(settled.status, text).toBe(status);
	return JSON.parse(text);
}

beforeEach(() => {
	vi.spyOn(console, "error").mockImplementation(() => undefined);
	vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
	vi.restoreAllMocks();
});

describe("200 calls over three keys of which one answers 429", () => {
	/** Keys are drawn by the user's id: of these users, they are always the same ones. */
	const FIRST_USER = "usr_01ARZ3NDEKTSV4RRFFQ69G5FA1";
	const SECOND_USER = "usr_01ARZ3NDEKTSV4RRFFQ69G5FA2";

	it("all succeed, in shares by weight, and each conversation stays on its key", async () => {
		refuse({ b: { status: 429 } });
		const env = bindings(THREE);
		const user = await newUnrecordedKey("corporate", FIRST_USER);
		const conversations = Array.from({ length: 100 }, (_, index) => `conversation ${index}`);
		const first = await Promise.all(conversations.map((name) => chat(env, about(name), user)));
		const second = await Promise.all(
			conversations.map((name) =>
				chat(
					env,
					{
						messages: [
							{ role: "user", content: name },
							{ role: "assistant", content: "yes" },
							{ role: "user", content: "and?" },
						],
					},
					user,
				),
			),
		);
		for (const response of [...first, ...second]) await json(response);
		const served = new Map<string, Set<string>>();
		const counts: Record<string, number> = { a: 0, c: 0 };
		for (const { headers, body, status } of upstream.requests) {
			if (status !== 200) continue;
			const [{ content } = { content: "" }] = (body as { messages: { content: string }[] }).messages;
			served.set(content, (served.get(content) ?? new Set()).add(keyOf(headers)));
			counts[keyOf(headers)] = (counts[keyOf(headers)] ?? 0) + 1;
		}
		expect(Object.keys(counts)).toEqual(["a", "c"]);
		expect([...served.values()].every((keys) => keys.size === 1)).toBe(true);
		expect(Math.abs((counts["a"] ?? 0) / 200 - 1 / 2)).toBeLessThan(0.1);
		const { total_requests, total_cost_usd } = await usageOf(user);
		expect(total_requests).toBe(200);
		expect(total_cost_usd).toBeGreaterThan(0);
	});

	it("use all three by weight while all are healthy", async () => {
		refuse({});
		const env = bindings(THREE);
		const user = await newUnrecordedKey("corporate", SECOND_USER);
		await Promise.all(Array.from({ length: 200 }, (_, index) => chat(env, about(`talk ${index}`), user)));
		const used = keysUsed();
		for (const { name, weight } of THREE)
			expect(Math.abs(used.filter((key) => key === name).length / 200 - (weight ?? 1) / 4)).toBeLessThan(0.1);
	});
});

describe("a key that is refused", () => {
	/** The order in which a conversation of its own takes the keys. */
	async function order(env: Partial<Env>, content: string): Promise<string[]> {
		const all = Object.fromEntries(THREE.map(({ name = "" }) => [name, { status: 429, retryAfter: 3_600 }]));
		refuse(all);
		await chat(env, { ...about(content), fallback: [] });
		return keysUsed().slice(0, 3);
	}

	it.each([
		["401", { status: 401, code: "invalid_api_key" }, "whole"],
		["402", { status: 402, code: "insufficient_balance" }, "whole"],
		["a used-up quota", { status: 429, code: "insufficient_quota" }, "whole"],
		[
			"a 403 of the account",
			{ status: 403, code: "permission_error", message: "your account lacks permission" },
			"model",
		],
		["a model that it is not served", { status: 404, code: "model_not_found" }, "model"],
		["a 429", { status: 429, retryAfter: 600 }, "model"],
	] as const)("with %s gives way to another key of the same model, and is left alone", async (_, refusal, scope) => {
		const env = bindings(THREE);
		const [first = "", second = ""] = await order(env, "one talk");
		refuse({ [first]: refusal });
		const answer = await chat(env, about("one talk"));
		expect(await json(answer)).toMatchObject({ model: model.id });
		await json(chat(env, about("one talk")));
		expect(keysUsed()).toEqual([first, second, second]);
		const cost = (await receiptOf(answer.headers.get("x-request-id") ?? ""))["cost_usd"] as number;
		expect(nano((await usageOf(owner)).total_cost_usd)).toBe(2 * nano(cost));
		if (!sibling) throw new Error("the provider has one model only");
		for (let talk = 0; talk < 60; talk++) await json(chat(env, { ...about(`other ${talk}`), model: sibling.id }));
		const others = upstream.requests.slice(3).map(({ headers }) => keyOf(headers));
		expect(others.includes(first)).toBe(scope === "model");
	});

	it("is passed over by streams, too", async () => {
		const env = bindings(THREE);
		const [first = "", second = ""] = await order(env, "streamed");
		refuse({ [first]: { status: 402 } });
		upstream.replace(async ({ headers }) =>
			keyOf(headers) === first
				? Response.json({ error: { message: "no balance" } }, { status: 402 })
				: new Response(
						`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "yes" }, finish_reason: "stop" }], usage: ANSWER.usage })}\n\ndata: [DONE]\n\n`,
						{ headers: { "content-type": "text/event-stream" } },
					),
		);
		const response = await chat(env, { ...about("streamed"), stream: true });
		expect([response.status, (await response.text()).includes("yes")]).toEqual([200, true]);
		expect(keysUsed()).toEqual([first, second]);
	});

	it("is asked again when its time is over, and counts as another when the operator changes it", async () => {
		const env = bindings(THREE);
		const [first = "", second = ""] = await order(env, "later");
		vi.useFakeTimers({ toFake: ["Date"] });
		try {
			refuse({ [first]: { status: 402 } });
			await json(chat(env, about("later")));
			refuse({});
			vi.setSystemTime(Date.now() + 10);
			// health is forgotten with the upstream: it is refused once more.
			refuse({ [first]: { status: 402 } });
			await json(chat(env, about("later")));
			vi.advanceTimersByTime(3_500_000);
			await json(chat(env, about("later")));
			vi.advanceTimersByTime(200_000);
			await json(chat(env, about("later")));
			expect(keysUsed()).toEqual([first, second, second, first, second]);
		} finally {
			vi.useRealTimers();
		}
		refuse({ [first]: { status: 401 } });
		await json(chat(env, about("later")));
		await json(chat(env, about("later")));
		const changed = THREE.map((entry) => (entry.name === first ? { ...entry, key: "secret-new" } : entry));
		await json(chat(bindings(changed), about("later")));
		expect(keysUsed()).toEqual([first, second, second, "new"]);
	});

	it("leaves the earliest wait in the answer when all of them are", async () => {
		const env = bindings(THREE);
		refuse({
			a: { status: 429, retryAfter: 40 },
			b: { status: 429, retryAfter: 20 },
			c: { status: 429, retryAfter: 60 },
		});
		const only = { ...about("all"), brain_config: { model: model.id, fallback: [], allowlist: undefined } };
		const response = await chat(env, { ...only, brain_config: { blocked: others(model.id) } });
		expect(response.headers.get("retry-after")).toBe("20");
		expect(await json(response, 502)).toMatchObject({ error: "all_models_failed" });
		expect(keysUsed().toSorted()).toEqual(["a", "b", "c"]);
		const again = await chat(env, { ...only, brain_config: { blocked: others(model.id) } });
		expect(again.status).toBe(502);
		expect(keysUsed()[3]).toBe("b");
		expect(Number(again.headers.get("retry-after"))).toBeLessThanOrEqual(20);
	});

	it("names at most a week", async () => {
		refuse(Object.fromEntries(["a", "b", "c"].map((name) => [name, { status: 429, retryAfter: 1e30 }])));
		const response = await chat(bindings(THREE), { ...about("slip"), brain_config: { blocked: others(model.id) } });
		expect([response.status, response.headers.get("retry-after")]).toEqual([502, "604800"]);
	});
});

/** All models but one. */
function others(id: string): string[] {
	return CATALOG.models.filter((other) => other.id !== id).map((other) => other.id);
}

describe("the tries", () => {
	it("leave one for the fallback, and are three in all", async () => {
		const env = bindings(THREE);
		const all = Object.fromEntries(THREE.map(({ name = "" }) => [name, { status: 429, retryAfter: 60 }]));
		refuse(all);
		await chat(env, about("tries"));
		expect(upstream.requests).toHaveLength(3);
		const urls = upstream.requests.map(({ url, body }) => [url.includes(`/${provider}/`), (body as Json)["model"]]);
		expect(urls.slice(0, 2)).toEqual([
			[true, model.upstream_model],
			[true, model.upstream_model],
		]);
		expect(urls[2]?.[1]).not.toBe(model.upstream_model);
	});

	it("stay with the conversation's key where a model that was named is tried once more", async () => {
		const env = bindings(THREE);
		let calls = 0;
		upstream.replace(async () => {
			calls++;
			return calls % 2 === 1 ? new Response("{}", { status: 503 }) : Response.json(ANSWER);
		});
		for (let talk = 0; talk < 4; talk++) await json(chat(env, about(`once more ${talk}`)));
		const used = keysUsed();
		expect(used).toHaveLength(8);
		for (let talk = 0; talk < 4; talk++) expect(used[2 * talk + 1]).toBe(used[2 * talk]);
	});

	it("take no other key for a failure that is not the key's", async () => {
		const env = bindings(THREE);
		refuse({ a: { status: 400 }, b: { status: 400 }, c: { status: 400 } });
		expect((await chat(env, about("bad"))).status).toBe(400);
		expect(upstream.requests).toHaveLength(1);
	});
});

describe("a failure of which every try was a refused key", () => {
	it("ends an agent's tries only when no key is left", async () => {
		const keys = ["a", "b", "c", "d"];
		refuse(Object.fromEntries(keys.map((name) => [name, { status: 401 }])));
		const settings = parseSettings({
			KEY_PEPPER: "a long enough pepper",
			UPSTREAM_HOSTS: new URL(SANDBOX_ORIGIN).host,
			[`${prefix}_API_KEY`]: JSON.stringify(keys.map((name) => ({ name, key: `secret-${name}` }))),
			[`${prefix}_BASE_URL`]: `${SANDBOX_ORIGIN}/${provider}`,
		});
		const body = chatRequestSchema.parse({ model: model.id, ...about("hi"), max_tokens: 20 });
		const attempt = async () => {
			const plan = planCall(toInferenceRequest(body, CATALOG, null), PLANS.corporate, settings, Date.now());
			if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
			const account = { userId: owner.user_id, plan: PLANS.corporate };
			const set = callSetFor(plan.value, { account });
			const runner = new CallRunner({
				userId: owner.user_id,
				settings,
				signal: new AbortController().signal,
				boundNanoUsd: set.boundNanoUsd,
				arrivedAtMs: Date.now(),
				endsAtMs: Date.now() + 60_000,
				billInterrupted: billInterruptedCall,
			});
			const result = await runner.complete(set);
			return !result.ok && result.failure.reason === "all_models_failed" && (result.failure.isFinal ?? false);
		};
		expect([await attempt(), await attempt()]).toEqual([false, true]);
		expect(keysUsed().toSorted().slice(0, 4)).toEqual(keys);
	});
});

describe("a key for some models", () => {
	it("is used for those alone", async () => {
		refuse({});
		const env = bindings([
			{ name: "a", key: "secret-a", models: [model.id] },
			{ name: "b", key: "secret-b", models: ["*"] },
		]);
		if (!sibling) throw new Error("the provider has one model only");
		for (let talk = 0; talk < 20; talk++) {
			await json(chat(env, about(`mine ${talk}`)));
			await json(chat(env, { ...about(`sibling ${talk}`), model: sibling.id }));
		}
		const by = (id: string) =>
			new Set(
				upstream.requests.filter(({ body }) => (body as Json)["model"] === id).map(({ headers }) => keyOf(headers)),
			);
		expect([...by(model.upstream_model)].toSorted()).toEqual(["a", "b"]);
		expect([...by(sibling.upstream_model)]).toEqual(["b"]);
	});
});

describe("two users", () => {
	it("pass over the key that one of them met as refused, each in conversations of their own", async () => {
		const stranger = await newKey("corporate");
		const env = bindings(THREE);
		refuse({ b: { status: 402 } });
		for (let talk = 0; talk < 24; talk++) await json(chat(env, about(`same words ${talk}`)));
		const asked = keysUsed();
		expect(asked.filter((key) => key === "b")).toHaveLength(1);
		for (let talk = 0; talk < 24; talk++) await json(chat(env, about(`same words ${talk}`), stranger));
		const own = asked.filter((key) => key !== "b");
		const others = keysUsed().slice(asked.length);
		expect(others).not.toContain("b");
		// The user is part of the conversation: which key the same words take tells nothing of another user.
		expect(others).not.toEqual(own);
		expect([(await usageOf(owner)).total_requests, (await usageOf(stranger)).total_requests]).toEqual([24, 24]);
	});
});

it("a provider whose keys are for other models is not said to have none", async () => {
	if (!sibling) throw new Error("the provider has one model only");
	const env = bindings([{ name: "a", key: "secret-a", models: [model.id] }]);
	const { excluded } = await json(callWith(env, "/v1/route", withKey(owner.key, { prompt: "hi" })));
	const reasons = excluded as Record<string, string[]>;
	expect(reasons[sibling.id]).toEqual([`no key is configured for it at ${provider}`]);
	expect(reasons[model.id]).toBeUndefined();
});

describe("the name of a key", () => {
	it("stands in the log, the request's detail and /health for the operator, and in nothing else", async () => {
		const lines: string[] = [];
		vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
		refuse({ "": undefined });
		const env = bindings([
			{ name: "name-of-one", key: "secret-1" },
			{ name: "name-of-two", key: "secret-2" },
		]);
		refuse({ "1": { status: 402 }, "2": undefined });
		let answer = await chat(env, about("named 0"));
		for (let talk = 1; talk < 24; talk++) answer = await chat(env, about(`named ${talk}`));
		const id = answer.headers.get("x-request-id") ?? "";
		const text = await answer.text();
		expect(text).not.toContain("name-of-");
		expect(JSON.stringify([...answer.headers])).not.toContain("name-of-");
		expect(JSON.stringify(await receiptOf(id))).not.toContain("name-of-");
		expect(lines.some((line) => line.includes(id) && line.includes('"provider_key":"name-of-two"'))).toBe(true);
		expect(JSON.stringify(lines)).not.toContain("secret-");
		const detail = await json(callWith(env, `/v1/requests/${id}`, withKey(owner.key)));
		expect(JSON.stringify(detail)).toContain('"provider_key":"name-of-two"');
		const seen = await json(callWith(env, "/health"));
		expect(JSON.stringify(seen)).not.toContain("name-of-");
		const operators = await json(
			callWith(env, "/health", { headers: { authorization: `Bearer ${TEST_ADMIN_TOKEN}` } }),
		);
		expect(operators["providers"]).toMatchObject({
			keys: { [provider]: { "name-of-one": { refused_ms: expect.any(Number) } } },
		});
		const stranger = await newKey("corporate");
		for (const path of ["/v1/models", "/v1/usage"])
			expect(JSON.stringify(await json(callWith(env, path, withKey(stranger.key))))).not.toContain("name-of-");
	});
});

describe("the log of a call that another provider answers", () => {
	it("names none of the keys that were refused before", async () => {
		const lines: string[] = [];
		vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
		upstream.replace(async ({ url }) =>
			url.includes(`/${provider}/`) ? Response.json({ error: { message: "slow down" } }, { status: 429 }) : undefined,
		);
		const siblings = CATALOG.models.filter((other) => other.provider === provider && other.id !== model.id);
		const blocked = siblings.map(({ id }) => id);
		const answer = await chat(bindings(THREE), { ...about("elsewhere"), brain_config: { blocked } });
		const id = answer.headers.get("x-request-id") ?? "";
		const served = await json(answer);
		const line = lines.find((each) => each.includes(id) && each.includes('"status":200')) ?? "";
		expect(line).toContain(`"model":"${served["model"]}"`);
		expect(line).not.toContain("provider_key");
	});
});

describe("reasoning", () => {
	const SIGNATURE = "c2lnbmF0dXJl";
	const keysOf = (prefixes: string[], account: string) =>
		Object.fromEntries(
			prefixes.map((name) => [
				`${name}_API_KEY`,
				JSON.stringify([
					{ name: "first", key: "secret-first", account },
					{ name: "second", key: "secret-second", account },
				]),
			]),
		) as unknown as Partial<Env>;
	const forResponses = {
		thinker: modelOnWire("anthropic", ({ reasoning }) => reasoning !== null),
		answer: {
			type: "message",
			content: [
				{ type: "thinking", thinking: "let me see", signature: SIGNATURE },
				{ type: "text", text: "yes" },
			],
			stop_reason: "end_turn",
			usage: { input_tokens: 9, output_tokens: 30 },
		},
		path: "/v1/responses",
		toBody: (input: Json[]) => ({
			input,
			store: false,
			reasoning: { effort: "low" },
			include: ["reasoning.encrypted_content"],
		}),
		toTurn: ({ output }: Json) => output as Json[],
	};
	const forMessages = {
		thinker: modelOnWire("google", ({ reasoning }) => reasoning !== null),
		answer: {
			candidates: [{ content: { parts: [{ text: "yes", thoughtSignature: SIGNATURE }] }, finishReason: "STOP" }],
			usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
		},
		path: "/v1/messages",
		toBody: (messages: Json[]) => ({
			messages,
			max_tokens: 3_000,
			thinking: { type: "enabled", budget_tokens: 1_024 },
		}),
		toTurn: ({ content }: Json) => [{ role: "assistant", content }],
	};

	it.each([forResponses, forMessages])(
		"that was sealed at $path goes back under its account, and to no key of another",
		async ({ thinker, answer, path, toBody, toTurn }) => {
			upstream.replace(async () => Response.json(answer));
			const ask = (account: string, turns: Json[]) =>
				json(
					callWith(
						keysOf(["ANTHROPIC", "GEMINI"], account),
						path,
						withKey(owner.key, { model: thinker.id, ...toBody(turns) }),
					),
				);
			const question = { role: "user", content: "is it?" };
			const again = [question, ...toTurn(await ask("one", [question])), { role: "user", content: "sure?" }];
			await ask("one", again);
			const { svc } = await ask("two", again);
			const sent = upstream.requests.map(({ body }) => JSON.stringify(body).includes(SIGNATURE));
			expect(sent).toEqual([false, true, false]);
			expect(svc).toMatchObject({
				warnings: expect.arrayContaining([
					expect.objectContaining({ code: "input_dropped", message: expect.stringContaining("account") }),
				]),
			});
			expect((svc as { cost: { total_usd: number } }).cost.total_usd).toBeGreaterThan(0);
		},
	);
});

describe("the list of models", () => {
	it("tells an owner how all keys of a provider stand together, and nobody which they are", async () => {
		const env = bindings(THREE);
		const made = await callWith(env, "/v1/keys", withKey(owner.key, { name: "agent", role: "agent" }));
		const agent = (await made.json()) as { key: string };
		const list = async (key: string | null) => {
			const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
			const text = await (await callWith(env, "/v1/models", { headers })).text();
			expect(text).not.toContain("secret-");
			const { data } = JSON.parse(text) as {
				data: { id: string; key_state?: { state: string; until: string | null } }[];
			};
			return data.find(({ id }) => id === model.id)?.key_state;
		};
		refuse({ b: { status: 429, retryAfter: 30 } });
		for (let talk = 0; talk < 12; talk++) await json(chat(env, about(`some ${talk}`)));
		expect(await list(owner.key)).toEqual({ state: "ok", until: null });
		const throttled = { status: 429, retryAfter: 30 };
		refuse({ a: throttled, b: throttled, c: throttled });
		for (let talk = 0; talk < 6; talk++) await (await chat(env, about(`none ${talk}`))).text();
		const state = await list(owner.key);
		expect(state?.state).toBe("throttled");
		expect(Date.parse(state?.until ?? "")).toBeGreaterThan(Date.now());
		expect(await list(agent.key)).toBeUndefined();
		expect(await list(null)).toBeUndefined();
	});
});

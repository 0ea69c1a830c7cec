// What the Responses and Messages entrances share through the front door: the output limit as a ceiling, prompts that are too long,
// aliases of models, keys in either header, and errors in the form of their path.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelWhere } from "../support/catalog.ts";
import { modelOnWire, sentLimitOf } from "../support/models.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { call, callWith, callWithKey, newKey, receiptOf, withKey } from "../support/service.ts";

type Json = Record<string, unknown>;

const { upstream, key: pro } = useService("pro");

/** One question through each entrance; `limit` is the client's output limit. */
const ENTRANCES = {
	messages: {
		path: "/v1/messages",
		ask: (text: string, limit: number | null, more: Json) => ({
			messages: [{ role: "user", content: text }],
			...(limit === null ? {} : { max_tokens: limit }),
			...more,
		}),
	},
	responses: {
		path: "/v1/responses",
		ask: (text: string, limit: number | null, more: Json) => ({
			input: text,
			...(limit === null ? {} : { max_output_tokens: limit }),
			...more,
		}),
	},
} as const;
const NAMES = ["messages", "responses"] as const;

interface Answered {
	svc: {
		fallback: boolean;
		fallback_from: string | null;
		routing: { reason: string; observed: { conversation_model?: string } };
		proof: { request_id: string; model: string };
		warnings: { code: string; param: string | null; message: string }[];
	};
}

type Name = (typeof NAMES)[number];

function send(name: Name, text: string, limit: number | null, more: Json = {}, key = pro.key): Promise<Response> {
	const { path, ask } = ENTRANCES[name];
	return callWithKey(key, path, ask(text, limit, more));
}

async function answered(...args: Parameters<typeof send>): Promise<Answered> {
	const response = await send(...args);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** The output limit that the last upstream was sent. */
function sentLimit(): number {
	return sentLimitOf(upstream.requests.at(-1)?.body);
}

const WIRES = [modelOnWire("openai"), modelOnWire("anthropic"), modelOnWire("google")];

async function budgetKey(usd: number) {
	const response = await callWithKey(pro.key, "/v1/keys", { budget_usd: usd, budget_period: "total" });
	return (await response.json()) as { key: string };
}

describe.each(NAMES)("an output limit of %s", (name) => {
	it.each(WIRES)("is lowered to what $id writes, and is 32,000 where none is named", async (model) => {
		const huge = await answered(name, "hi", 2_000_000, { model: model.id });
		const most = model.limits.max_output_tokens;
		expect(sentLimit()).toBe(most);
		expect(huge.svc.warnings).toContainEqual(
			expect.objectContaining({
				message: `the output limit was lowered from 2000000 to ${most}, the most that ${model.id} writes`,
			}),
		);
		const none = await answered(name, "hi", null, { model: model.id });
		expect(sentLimit()).toBe(Math.min(32_000, most));
		expect(none.svc.warnings).toContainEqual(
			expect.objectContaining({ message: expect.stringContaining("no output limit was set") }),
		);
		const few = await answered(name, "hi", 500, { model: model.id });
		expect(sentLimit()).toBe(500);
		expect(few.svc.warnings.filter(({ message }) => message.includes("output limit"))).toEqual([]);
	});

	it.each(["claude-opus-5-5", "gpt-6-sol"])("is lowered to what is left of a key's budget with %s", async (model) => {
		const key = await budgetKey(0.2);
		const answer = await answered(name, "hi", 100_000, { model }, key.key);
		expect(sentLimit()).toBeLessThan(100_000);
		expect(sentLimit()).toBeGreaterThanOrEqual(1_024);
		const warning = answer.svc.warnings.find(({ message }) => message.includes("left of the API key's budget"));
		expect(warning?.message).toContain(`lowered from 100000 to ${sentLimit()}`);
		const { bound_usd } = await receiptOf(answer.svc.proof.request_id);
		expect(nano(Number(bound_usd))).toBeLessThanOrEqual(nano(0.2));
	});

	it("is refused where not even the least is affordable", async () => {
		const key = await budgetKey(0.001);
		const response = await send(name, "hi", 100_000, { model: "claude-opus-5-5" }, key.key);
		const type = name === "messages" ? "billing_error" : "invalid_request_error";
		expect([response.status, await response.json()]).toMatchObject([
			402,
			{ error: { type, code: "key_budget_exceeded" } },
		]);
	});

	it("is lowered to max_cost, and what is reserved is what is sent", async () => {
		const answer = await answered(name, "hi", 100_000, { model: "gpt-6-sol", brain_config: { max_cost: 0.05 } });
		expect(sentLimit()).toBeLessThan(6_000);
		const { bound_usd } = await receiptOf(answer.svc.proof.request_id);
		const output = nano((sentLimit() * 10) / 1e6);
		expect(nano(Number(bound_usd))).toBeGreaterThanOrEqual(output);
		expect(nano(Number(bound_usd))).toBeLessThanOrEqual(nano(0.05));
	});
});

describe("a prompt that is too long", () => {
	const small = modelWhere(CATALOG, ({ limits }) => limits.context_window < 200_000);
	const long = "word ".repeat(200_000);

	it("is refused by this service in the words that agents know", async () => {
		const message = await send("messages", long, 1_000, { model: small.id });
		expect([message.status, await message.json()]).toMatchObject([
			400,
			{
				type: "error",
				error: {
					type: "invalid_request_error",
					message: expect.stringMatching(/^prompt is too long: \d+ tokens > \d+ maximum$/),
				},
			},
		]);
		const response = await send("responses", long, 1_000, { model: small.id });
		expect([response.status, await response.json()]).toMatchObject([
			400,
			{
				error: {
					type: "invalid_request_error",
					code: "context_length_exceeded",
					param: "input",
					message: expect.stringMatching(/^Your input exceeds the context window of this model/),
				},
			},
		]);
		expect(upstream.requests).toEqual([]);
	});

	it("is refused alike by an upstream, whose own words stay", async () => {
		const words = "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.";
		upstream.replace(async () =>
			Response.json({ error: { message: words, type: "invalid_request_error" } }, { status: 400 }),
		);
		const model = modelOnWire("openai").id;
		const message = await send("messages", "hi", 1_000, { model });
		expect(await message.json()).toMatchObject({
			error: { message: "prompt is too long: 140000 tokens > 131072 maximum" },
		});
		const response = await send("responses", "hi", 1_000, { model });
		expect([response.status, await response.json()]).toMatchObject([
			400,
			{ error: { code: "context_length_exceeded" } },
		]);
		const chat = await callWithKey(pro.key, "/v1/chat/completions", {
			model,
			messages: [{ role: "user", content: "hi" }],
		});
		expect([chat.status, await chat.json()]).toMatchObject([400, { error: "upstream_rejected", message: words }]);
	});
});

const SINGLE_ANSWERS = {
	chat: ["/v1/chat/completions", "max_tokens", (text: string) => ({ messages: [{ role: "user", content: text }] })],
	skill: ["/v1/skills/editing/invoke", "max_tokens", (task: string) => ({ task })],
	messages: ["/v1/messages", "max_tokens", (text: string) => ({ messages: [{ role: "user", content: text }] })],
	responses: ["/v1/responses", "max_output_tokens", (input: string) => ({ input })],
} as const;
const EVERY = ["chat", "skill", "messages", "responses"] as const;
const PRICE = "at $2 a million tokens of input and $10 of output";
const REFUSING = { UNKNOWN_MODEL: "refuse" } as unknown as Partial<Env>;

describe.each(EVERY)("a model named to %s", (name) => {
	const [path, , ask] = SINGLE_ANSWERS[name];
	const named = async (model: string) => {
		const response = await callWithKey(pro.key, path, { ...ask("hi"), model });
		expect(response.status, await response.clone().text()).toBe(200);
		return ((await response.json()) as Answered).svc;
	};
	const replaced = ({ warnings }: Answered["svc"]) => warnings.filter(({ code }) => code === "model_replaced");

	it("is itself behind its provider", async () => {
		const svc = await named("openai/gpt-6-sol");
		expect(svc).toMatchObject({ fallback: false, fallback_from: null, proof: { model: "gpt-6-sol" } });
		expect(replaced(svc)).toEqual([]);
	});

	it("may be a family, a snapshot or another version, and the answer says which model stands for it at what price", async () => {
		for (const [id, model] of [
			["claude-opus-4-5-20251101", "claude-opus-5-5"],
			["anthropic/claude-sonnet-4.5", "claude-sonnet-5-5"],
			["gpt-4o", "gpt-6-sol"],
			["gpt-5-pro", "gpt-6-sol"],
		] as const) {
			const svc = await named(id);
			expect(svc).toMatchObject({ fallback: true, fallback_from: id, proof: { model } });
			expect(svc.routing.reason).toContain(`is the nearest model to ${id}`);
			const price = model === "claude-opus-5-5" ? "$4 a million tokens of input and $20 of output" : PRICE;
			expect(replaced(svc)).toEqual([
				{ code: "model_replaced", param: "model", message: expect.stringContaining(price) },
			]);
		}
	});

	it("that nobody knows is the cheapest budget model, with a warning", async () => {
		const svc = await named("nope-1");
		expect(svc).toMatchObject({ fallback: true, fallback_from: "nope-1" });
		expect(svc.routing.reason).toContain("cheapest available budget model");
		expect(replaced(svc)).toMatchObject([{ message: expect.stringContaining('"nope-1" means no model here') }]);
	});

	it("is named in the last event of a stream too", async () => {
		const response = await callWithKey(pro.key, path, { ...ask("hi"), model: "nope-1", stream: true });
		expect(await response.text()).toContain('\\"nope-1\\" means no model here');
	});
});

describe("an id that means nothing, where the operator refuses those", () => {
	const refused = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
		const init = withKey(pro.key, body);
		const response = await callWith(REFUSING, path, { ...init, headers: { ...init.headers, ...headers } });
		return [response.status, await response.json()] as const;
	};
	const message = 'no model is called "nope-1"; GET /v1/models lists them all';
	const chat = { messages: [{ role: "user", content: "hi" }] };

	it.each([
		["/v1/chat/completions", { ...chat, model: "nope-1" }],
		["/v1/chat/completions", { ...chat, model: "nope-1", stream: true }],
		["/v1/route", { ...chat, model: "nope-1" }],
		["/v1/skills/editing/invoke", { task: "hi", model: "nope-1" }],
		["/v2/orchestrate", { ...chat, judge_model: "nope-1" }],
		["/v2/code", { task: "Add two numbers", coder_model: "nope-1" }],
		["/v2/code", { task: "Add two numbers", reviewer_model: "nope-1" }],
	])("is 404 of %s", async (path, body) => {
		expect(await refused(path, body)).toEqual([404, expect.objectContaining({ error: "model_not_found", message })]);
		expect(upstream.requests).toEqual([]);
	});

	it("is 404 in the words of each dialect", async () => {
		const openai = { error: { code: "model_not_found", message } };
		expect(await refused("/v1/responses", { input: "hi", model: "nope-1" })).toMatchObject([404, openai]);
		const body = { ...chat, model: "nope-1" };
		const sdk = { "x-stainless-lang": "js" };
		expect(await refused("/v1/chat/completions", body, sdk)).toMatchObject([404, openai]);
		expect(await refused("/v1/messages", { ...body, max_tokens: 9 })).toMatchObject([
			404,
			{ type: "error", error: { type: "not_found_error", message } },
		]);
	});

	it("is no id that is known", async () => {
		for (const model of ["auto", "gpt-4o", "openai/gpt-6-sol"])
			expect(await refused("/v1/chat/completions", { ...chat, model })).toMatchObject([200, {}]);
	});
});

it("a workflow's preferred model may be named by any known id, and one that means nothing is ignored with a warning", async () => {
	const body = { messages: [{ role: "user", content: "Name a river" }], strategy: "rank_fuse" };
	const asked = async (judge_model: string) => {
		const response = await callWithKey(pro.key, "/v2/orchestrate", { ...body, judge_model });
		const { svc } = (await response.json()) as { svc: { warnings: Json[]; orchestration: { models_used: string[] } } };
		return svc;
	};
	const exact = await asked("openai/gpt-6-astra");
	expect([exact.orchestration.models_used, exact.warnings]).toEqual([expect.arrayContaining(["gpt-6-astra"]), []]);
	expect((await asked("gpt-4o")).warnings).toMatchObject([{ code: "model_replaced", param: "judge_model" }]);
	expect((await asked("nope-1")).warnings).toMatchObject([{ code: "parameter_dropped", param: "judge_model" }]);
});

describe.each(EVERY)("an answer of %s that ends at a limit which nobody named", (name) => {
	const [path, member, ask] = SINGLE_ANSWERS[name];
	const cutOf = async (key: string, body: Json) => {
		const response = await callWithKey(key, path, { ...ask("[[long 900]]"), model: "gpt-6-luna", ...body });
		const { svc } = (await response.json()) as Answered;
		return svc.warnings.filter(({ code }) => code === "truncated");
	};

	it("says so with the member to set, whole and streamed; one that the client named says nothing", async () => {
		const made = await callWithKey(pro.key, "/v1/keys", { default_max_tokens: 40 });
		const { key } = (await made.json()) as { key: string };
		const message = `the answer was cut at 40 tokens, the default: set ${member}`;
		expect(await cutOf(key, {})).toEqual([{ code: "truncated", param: member, message }]);
		expect(sentLimit()).toBe(40);
		expect(await cutOf(key, { [member]: 20 })).toEqual([]);
		const body = { ...ask("[[long 900]]"), model: "gpt-6-luna", stream: true };
		expect(await (await callWithKey(key, path, body)).text()).toContain(message);
	});
});

it("a chat without any limit says that it was cut at 1,000 tokens", async () => {
	const messages = [{ role: "user", content: "[[long 3000]]" }];
	const response = await callWithKey(pro.key, "/v1/chat/completions", { messages, model: "gpt-6-luna" });
	expect(((await response.json()) as Answered).svc.warnings).toEqual([
		{
			code: "truncated",
			param: "max_tokens",
			message: "the answer was cut at 1000 tokens, the default: set max_tokens",
		},
	]);
});

describe("a default output limit", () => {
	const keyWith = async (options: Json) => {
		const made = await callWithKey(pro.key, "/v1/keys", options);
		expect(made.status, await made.clone().text()).toBe(200);
		return (await made.json()) as { key: string; key_id: string; default_max_tokens: number | null };
	};
	const limitOf = async (key: string, more: Json = {}) => {
		const messages = [{ role: "user", content: "hi" }];
		await callWithKey(key, "/v1/chat/completions", { messages, model: "gpt-6-luna", ...more });
		return sentLimit();
	};

	it("is the request's, then its config's, then the key's, then the key's config's", async () => {
		const both = await keyWith({ default_max_tokens: 70, brain_config: { default_max_tokens: 60 } });
		const config = await keyWith({ brain_config: { default_max_tokens: 60 } });
		const brain_config = { default_max_tokens: 80 };
		expect(await limitOf(both.key, { max_tokens: 90, brain_config })).toBe(90);
		expect(await limitOf(both.key, { brain_config })).toBe(80);
		expect(await limitOf(both.key)).toBe(70);
		expect(await limitOf(config.key)).toBe(60);
		expect(await limitOf(pro.key)).toBe(1_000);
	});

	it("of a key is shown, changed, removed, and had by the keys that it makes", async () => {
		const { key, key_id, default_max_tokens } = await keyWith({ default_max_tokens: 70 });
		expect(default_max_tokens).toBe(70);
		const made = await callWithKey(key, "/v1/keys", {});
		expect(await made.json()).toMatchObject({ default_max_tokens: 70 });
		const change = async (value: unknown) => {
			const init = { ...withKey(pro.key, { default_max_tokens: value }), method: "PATCH" };
			const response = await call(`/v1/keys/${key_id}`, init);
			return [response.status, await response.json()] as const;
		};
		expect(await change(50)).toMatchObject([200, { default_max_tokens: 50 }]);
		expect(await limitOf(key)).toBe(50);
		expect(await change(0)).toMatchObject([422, { issues: [{ path: "default_max_tokens" }] }]);
		expect(await change(null)).toMatchObject([200, { default_max_tokens: null }]);
		expect(await limitOf(key)).toBe(1_000);
		const listed = (await (await callWithKey(pro.key, "/v1/keys")).json()) as { data: Json[] };
		expect(listed.data.find((item) => item["key_id"] === key_id)).toMatchObject({ default_max_tokens: null });
	});

	it("holds for each call of workflows, and where it is too dear their own does", async () => {
		const { key } = await keyWith({ default_max_tokens: 300 });
		const messages = [{ role: "user", content: "Name a river" }];
		for (const [path, body] of [
			["/v2/orchestrate", { messages, policy: "efficiency" }],
			["/v2/code", { task: "Add two numbers", review: false }],
			["/v1/agent/run", { goal: "Name a river", max_steps: 1 }],
		] as const) {
			await callWithKey(key, path, body);
			// Where a model reasons, there is room for that besides.
			expect(sentLimit(), path).toBeGreaterThanOrEqual(300);
			expect(sentLimit(), path).toBeLessThanOrEqual(600);
		}
		const tight = await callWithKey(pro.key, "/v2/orchestrate", {
			messages,
			brain_config: { default_max_tokens: 16_000, max_cost: 0.000_2 },
		});
		expect([tight.status, sentLimit()]).toEqual([200, 1_024]);
	});
});

it("a conversation that the client names keeps to its model from the first request on, for its user alone", async () => {
	const named = { model: "auto", prompt_cache_key: "thread-1" };
	const first = await answered("responses", "Write a sorting function in Rust", 500, named);
	const { model } = first.svc.proof;
	const second = await answered("responses", "And what is the capital of France?", 500, named);
	expect(second.svc.routing.observed.conversation_model).toBe(model);
	const other = await newKey("pro");
	const stranger = await answered("responses", "What is the capital of France?", 500, named, other.key);
	expect(stranger.svc.routing.observed.conversation_model).toBeUndefined();
});

describe("a key", () => {
	const WRONG = `svc_sk_${"a".repeat(46)}`;
	const post = (path: string, headers: Record<string, string>) =>
		call(path, {
			method: "POST",
			headers: { "content-type": "application/json", ...headers },
			body: JSON.stringify({ ...ENTRANCES.messages.ask("hi", 100, {}), input: "hi" }),
		});

	it.each(["/v1/messages", "/v1/messages/count_tokens"])("may stand in x-api-key for %s", async (path) => {
		const bearer = { authorization: `Bearer ${pro.key}` };
		expect((await post(path, { "x-api-key": pro.key })).status).toBe(200);
		expect((await post(path, { "x-api-key": pro.key, ...bearer })).status).toBe(200);
		const refused = await post(path, { "x-api-key": WRONG, ...bearer });
		expect([refused.status, await refused.json()]).toMatchObject([
			401,
			{ type: "error", error: { type: "authentication_error" } },
		]);
	});

	it("stands in Authorization for /v1/responses", async () => {
		expect((await post("/v1/responses", { "x-api-key": pro.key })).status).toBe(401);
	});
});

describe.each([
	["/v1/messages", { type: "error", error: { type: expect.any(String), message: expect.any(String) } }],
	["/v1/responses", { error: { message: expect.any(String), type: expect.any(String), code: expect.any(String) } }],
])("an error of %s", (path, shape) => {
	it.each([
		["a missing key", path, { method: "POST", body: "{}" }, 401],
		["another method", path, { method: "PATCH" }, 405],
		["an unknown path below", `${path}/nope/nope/nope`, { method: "GET" }, 404],
		["no JSON", path, { method: "POST", body: "{", key: true }, 400],
		[
			"a wrong body",
			path,
			{ method: "POST", body: '{"messages":[{"role":"user","content":"hi"}],"input":"hi","model":7}', key: true },
			422,
		],
		["a body that is too large", path, { method: "POST", body: `"${"x".repeat(17_000_000)}"`, key: true }, 413],
		["headers that are too large", path, { method: "POST", headers: { "x-long": "x".repeat(40_000) } }, 431],
	] as const)(
		"is in its form before there is an answer: %s",
		async (_, at, { key, ...init }: RequestInit & { key?: boolean }, status) => {
			const headers = key ? { ...withKey(pro.key).headers, "content-type": "application/json" } : {};
			const response = await call(at, { ...init, headers: { ...headers, ...init.headers } });
			expect([response.status, await response.json()]).toMatchObject([status, shape]);
		},
	);
});

// What the Responses and Messages entrances share through the front door: the output limit as a ceiling, prompts that are too long,
// aliases of models, keys in either header, and errors in the form of their path.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelWhere } from "../support/catalog.ts";
import { modelOnWire, sentLimitOf } from "../support/models.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, newKey, receiptOf, withKey } from "../support/service.ts";

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

describe.each(NAMES)("a model named to %s", (name) => {
	it("may be a snapshot or another version of a family, and the answer says which model stands for it", async () => {
		for (const [id, model] of [
			["claude-opus-4-5-20251101", "claude-opus-5-5"],
			["gpt-5.2-2025-12-11", "gpt-6-sol"],
		] as const) {
			const { svc } = await answered(name, "hi", 500, { model: id });
			expect(svc).toMatchObject({ fallback: true, fallback_from: id, proof: { model } });
			expect(svc.routing.reason).toContain(`is the nearest model to ${id}`);
		}
	});

	it("that nobody knows is the cheapest budget model", async () => {
		const { svc } = await answered(name, "hi", 500, { model: "nope-1" });
		expect(svc).toMatchObject({ fallback: true, fallback_from: "nope-1" });
		expect(svc.routing.reason).toContain("cheapest available budget model");
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

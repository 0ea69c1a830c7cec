// What holds for a chat holds through every entrance: limits, keys, configs, compliance, and one usage row and one receipt for
// whatever was called, however it ended.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelWhere } from "../support/catalog.ts";
import { answerIn, ask, ENTRANCES, endOf, type SpokenConversation, sentence } from "../support/entrances.ts";
import { always, faultyD1, faultyNamespace, onlyFor } from "../support/faults.ts";
import { canBeSilent, modelOnWire } from "../support/models.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { DONE, event, finish, pause, providerOf, ROLE, says, scripted, status, word } from "../support/scripted.ts";
import { canonical, saltedHash } from "../support/second-ledger.ts";
import {
	callWith,
	callWithKey,
	eventually,
	meterOf,
	newKey,
	ORIGIN,
	operator,
	receiptOf,
	requestsInD1,
	saltOf,
	settledCount,
	type TestKey,
	usageOf,
	withKey,
} from "../support/service.ts";

type Json = Record<string, unknown>;

const pinned = modelOnWire("openai", canBeSilent);
const frontier = modelWhere(CATALOG, ({ tier }) => tier === "frontier");
const MAIL = "ada.lovelace@analytical.org";
/** About 100,000 tokens. */
const LONG = "one two three ".repeat(30_000);

const { upstream, key: owner } = useService("corporate");

/** A key of the owner's with these options. */
async function keyWith(options: Json): Promise<TestKey> {
	const response = await callWithKey(owner.key, "/v1/keys", options);
	expect(response.status, await response.clone().text()).toBe(200);
	return { ...owner, ...(await response.json<{ key: string; key_id: string }>()) };
}

/** Answers of the pinned model's provider instead of the sandbox's. */
function pinnedSays(answer: () => Response): void {
	upstream.replace(async (request) => (providerOf(request) === pinned.provider ? answer() : undefined));
}

describe.each(ENTRANCES)("through $name", (entrance) => {
	const asks = (key: TestKey, conversation: SpokenConversation = sentence("Say hello"), more: Json = {}) =>
		ask(entrance, key.key, conversation, more);

	/** A refusal with this status and code, before any model is called. */
	async function expectRefusal(response: Response, statusCode: number, code: string): Promise<Json> {
		const text = await response.text();
		expect(response.status, text).toBe(statusCode);
		const body = JSON.parse(text) as Json;
		expect(entrance.errorCode(body), text).toBe(code);
		return body;
	}

	it("a plan's requests per minute are exact, and its day is counted", async () => {
		const free = await newKey("free");
		const answers = await Promise.all(Array.from({ length: 20 }, () => asks(free)));
		const served = answers.filter((answer) => answer.status === 200);
		expect(served).toHaveLength(10);
		const refused = answers.find((answer) => answer.status !== 200) ?? expect.fail("none was refused");
		expect(refused.headers.get("retry-after")).not.toBeNull();
		await expectRefusal(refused, 429, "rate_limit_exceeded");
		const row = await env.ACCOUNT_METER.getByName(free.user_id).snapshot("free");
		expect(row.quota.usedToday).toBe(10);
		expect(upstream.answered).toBe(10);
	});

	it("a key's requests a day and a minute hold", async () => {
		const daily = await keyWith({ daily_requests: 2 });
		for (let i = 0; i < 2; i++) expect((await asks(daily)).status).toBe(200);
		await expectRefusal(await asks(daily), 429, "daily_limit_exceeded");
		const slow = await keyWith({ rpm: 1 });
		expect((await asks(slow)).status).toBe(200);
		await expectRefusal(await asks(slow), 429, "rate_limit_exceeded");
	});

	it("a key's budget is never passed by parallel requests", async () => {
		const conversation = sentence("Say hello", { model: pinned.id });
		const first = await asks(owner, conversation);
		const { bound_usd, cost_usd } = await receiptOf(first.headers.get("x-request-id") ?? "");
		const budget = 3 * nano(Number(bound_usd)) + 1;
		const key = await keyWith({ budget_usd: budget / 1e9, budget_period: "total" });
		const answers = await Promise.all(Array.from({ length: 60 }, () => asks(key, conversation)));
		const served = answers.filter((answer) => answer.status === 200).length;
		expect(served).toBeGreaterThanOrEqual(3);
		expect(served * nano(Number(cost_usd))).toBeLessThanOrEqual(budget);
		expect(answers.every((answer) => answer.status === 200 || answer.status === 402)).toBe(true);
		const refused = answers.find((answer) => answer.status === 402) ?? expect.fail("none was refused");
		await expectRefusal(refused, 402, "key_budget_exceeded");
	});

	it("a plan's envelope and max_cost are 402 before anything is called", async () => {
		const personal = await newKey("personal");
		await expectRefusal(await asks(personal, sentence(LONG, { model: frontier.id })), 402, "cost_limit_exceeded");
		const least = { brain_config: { max_cost: 1e-9 } };
		await expectRefusal(await asks(owner, sentence("hi"), least), 402, "cost_limit_exceeded");
		expect(upstream.requests).toEqual([]);
	});

	it("blocked providers and models that a key may not call are not called", async () => {
		const conversation = sentence("hi", { model: pinned.id });
		const blocked = { brain_config: { blocked: [pinned.provider] } };
		const other = CATALOG.models.find(({ provider, tier }) => provider !== pinned.provider && tier === "budget");
		const key = await keyWith({ models: [other?.id] });
		for (const response of [await asks(owner, conversation, blocked), await asks(key, conversation)]) {
			const text = await response.text();
			expect([200, 403, 422], text).toContain(response.status);
			expect(text).not.toContain(`"model":"${pinned.id}"`);
		}
		const heard = entrance.hear(await answerIn(await asks(key)));
		expect(heard.model).toBe(other?.id);
		const providers = new Set(upstream.requests.map(providerOf));
		expect(providers).not.toContain(pinned.provider);
	});

	it("an agent's key may ask; an expired, deleted or revoked one may not", async () => {
		const agent = await keyWith({ role: "agent" });
		expect((await asks(agent)).status).toBe(200);
		const revoked = await newKey("pro");
		expect((await asks(revoked)).status).toBe(200);
		expect((await operator("POST", `/internal/keys/${revoked.key_id}/revoke`)).status).toBe(200);
		await expectRefusal(await asks(revoked), 401, "invalid_api_key");
		const ending = await keyWith({ expires_at: new Date(Date.now() + 300).toISOString() });
		await pause(350);
		await expectRefusal(await asks(ending), 401, "invalid_api_key");
		await expectRefusal(await asks({ ...owner, key: "svc_sk_none" }), 401, "invalid_api_key");
	});

	it("compliance refuses with the place under the client's name, and the audit log has it", async () => {
		const compliance = { block_data_classes: ["PII"], provider_allowlist: ["zai"] };
		const refused = await expectRefusal(
			await asks(owner, sentence(`Write to ${MAIL}`), { compliance }),
			403,
			"compliance_blocked",
		);
		expect(JSON.stringify(refused)).toContain(`"path":"${entrance.firstPlace}"`);
		expect(upstream.requests).toEqual([]);
		const events = await callWithKey(owner.key, "/v1/audit/events?event_type=compliance_blocked");
		const { data } = await events.json<{ data: { payload: Json }[] }>();
		expect(data).toMatchObject([
			{ payload: { endpoint: entrance.endpoint, places: [{ path: entrance.firstPlace, kinds: ["email"] }] } },
		]);
	});

	it("masks keep values from the upstream and give them back, whole and streamed", async () => {
		const compliance = { mask_data_classes: ["PII"] };
		const conversation = sentence(`Repeat ${MAIL}`, { model: pinned.id });
		const heard = entrance.hear(await answerIn(await asks(owner, conversation, { compliance })));
		expect(heard.text).toContain(MAIL);
		const streamed = await endOf(entrance, await asks(owner, conversation, { compliance, stream: true }));
		expect([streamed.isWhole, streamed.text]).toEqual([true, heard.text]);
		expect(upstream.requests).toHaveLength(2);
		for (const { body } of upstream.requests) {
			expect(JSON.stringify(body)).not.toContain(MAIL);
			expect(JSON.stringify(body)).toContain("[EMAIL_1]");
		}
	});

	it("zero retention leaves only who keeps nothing, and stores nothing", async () => {
		const compliance = { require_zero_retention: true };
		const response = await asks(owner, sentence("hi"), { compliance, store: true });
		const answer = await answerIn(response);
		const id = response.headers.get("x-request-id") ?? "";
		expect(await receiptOf(id)).toMatchObject({ compliance: { type: "svc.attestation.v1" } });
		const stored = await callWithKey(owner.key, `/v1/responses/${id.replace("svc-", "resp_")}`);
		expect(stored.status).toBe(404);
		if (entrance.name === "responses") expect(answer["store"]).toBe(false);
	});

	it("the server's own config is in force", async () => {
		const body = withKey(owner.key, entrance.toBody(sentence("hi")));
		const kv = { get: async () => null } as unknown as KVNamespace;
		const server = (BRAIN_MD: string) => ({ KV: kv, BRAIN_MD }) as unknown as Partial<Env>;
		const budget = modelWhere(CATALOG, ({ tier, provider }) => tier === "budget" && provider !== pinned.provider);
		const answer = await answerIn(await callWith(server(`model: ${budget.id}`), entrance.path, body));
		expect(entrance.hear(answer).model).toBe(budget.id);
	});

	/** The one request of a new user left one usage row and a receipt that verifies, over the body as it was received. */
	async function expectAccounted(key: TestKey, id: string, body: Json, outcome: string): Promise<Json> {
		await eventually(async () => (await usageOf(key)).total_requests === 1);
		const receipt = await receiptOf(id);
		const salt = await saltOf(key, id);
		expect(receipt).toMatchObject({ outcome, input_hash: saltedHash(salt, canonical(entrance.hashedInput(body))) });
		const { recent, total_cost_usd } = await usageOf(key);
		expect(recent).toMatchObject([{ request_id: id, cost_usd: receipt["cost_usd"] }]);
		expect(total_cost_usd).toBe(receipt["cost_usd"]);
		await meterOf(key).flushNow();
		expect([await settledCount(key), await requestsInD1(key)]).toEqual([1, 1]);
		return receipt;
	}

	const ask1 = sentence("hi", { model: pinned.id, system: "Be kind. ß😀" });

	/** A streamed request of a new user. */
	async function stream(bindings: Json = {}) {
		const key = await newKey("pro");
		const body = { ...entrance.toBody(ask1), stream: true };
		const response = await callWith(bindings as Partial<Env>, entrance.path, withKey(key.key, body));
		return { key, body, response, id: response.headers.get("x-request-id") ?? "" };
	}

	it.each([false, true])(
		"an answer is accounted for, under the hash of what was sent (stream: %s)",
		async (isStream) => {
			const key = await newKey("pro");
			const body = { ...entrance.toBody(ask1), ...(isStream ? { stream: true } : {}) };
			const response = await callWithKey(key.key, entrance.path, body);
			const answer = await response.text();
			const id = response.headers.get("x-request-id") ?? "";
			await expectAccounted(key, id, body, "complete");
			expect(answer).toContain(`"salt":"${await saltOf(key, id)}"`);
		},
	);

	it.each([
		["that is cut", () => says(ROLE, word("Hel"), word("lo")), "upstream_cut"],
		[
			"that fails after its first delta",
			() => says(ROLE, word("Hello"), event({ error: { message: "no", code: "server_overloaded" } })),
			"server_overloaded",
		],
		[
			"that falls silent",
			() =>
				scripted(async function* () {
					yield ROLE + word("Hello");
					await pause(1_500);
				}),
			"upstream_timeout",
		],
	])("an upstream %s ends the stream with an error, accounted for", async (_, answer, code) => {
		pinnedSays(answer);
		const { key, body, response, id } = await stream({ UPSTREAM_IDLE_TIMEOUT_MS: "60" });
		const end = await endOf(entrance, response);
		expect(end).toMatchObject({ isWhole: false, code, text: "Hello" });
		const receipt = await expectAccounted(key, id, body, "cut");
		if (end.svc) expect(end.svc.cost.total_usd).toBe(receipt["cost_usd"]);
	});

	it.each([false, true])("an upstream that fails before its first delta is not seen (stream: %s)", async (isStream) => {
		pinnedSays(() => status(503));
		const key = await newKey("pro");
		const body = { ...entrance.toBody(ask1), ...(isStream ? { stream: true } : {}) };
		const response = await callWithKey(key.key, entrance.path, body);
		const id = response.headers.get("x-request-id") ?? "";
		const svc = isStream ? (await endOf(entrance, response)).svc : entrance.hear(await answerIn(response)).svc;
		expect(svc).toMatchObject({ fallback_from: pinned.id });
		await expectAccounted(key, id, body, "complete");
	});

	it.each([false, true])("of no model at all is an error, and costs nothing (stream: %s)", async (isStream) => {
		upstream.replace(async () => status(503));
		const key = await newKey("pro");
		await expectRefusal(await asks(key, ask1, isStream ? { stream: true } : {}), 502, "all_models_failed");
		expect(await usageOf(key)).toMatchObject({ total_requests: 0, total_cost_usd: 0, held_usd: 0 });
	});

	it("an answer that cannot be accounted for is withheld; a stream ends with an error", async () => {
		const key = await newKey("pro");
		// The key is looked up before, so that only settling needs D1.
		await answerIn(await asks(key, ask1));
		const without = {
			ACCOUNT_METER: faultyNamespace(env.ACCOUNT_METER, onlyFor(["settle"], always("fail"))),
			DB: faultyD1(env.DB, always("fail")),
		};
		const body = entrance.toBody(ask1);
		const whole = await callWith(without, entrance.path, withKey(key.key, body));
		expect(whole.headers.get("x-should-retry")).toBe("false");
		await expectRefusal(whole, 503, "receipt_unavailable");
		const streamed = await callWith(without, entrance.path, withKey(key.key, { ...body, stream: true }));
		expect(await endOf(entrance, streamed)).toMatchObject({ isWhole: false, code: "receipt_unavailable", svc: null });
	});

	it("a client that leaves stops the upstream, and pays for what came", async () => {
		let isCancelled = false;
		const song = async function* () {
			for (;;) {
				await pause(5);
				yield word("la ");
			}
		};
		pinnedSays(() => scripted(song, { onCancel: () => (isCancelled = true) }));
		const key = await newKey("pro");
		const body = { ...entrance.toBody(ask1), stream: true };
		const request = new Request(`${ORIGIN}${entrance.path}`, withKey(key.key, body));
		const response = await app.fetch(request, env, createExecutionContext());
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.cancel();
		await expectAccounted(key, response.headers.get("x-request-id") ?? "", body, "client_closed");
		expect(isCancelled).toBe(true);
	});

	it("hints that a provider does not take are left out without a word; fields that nobody knows are named", async () => {
		const hints = { prompt_cache_key: "thread-1", safety_identifier: "someone" };
		const anthropic = modelOnWire("anthropic");
		pinnedSays(() => says(ROLE, word("Fine."), finish(), DONE));
		if (entrance.name !== "messages") {
			const quiet = entrance.hear(await answerIn(await asks(owner, sentence("hi", { model: anthropic.id }), hints)));
			expect(quiet.svc.warnings).toEqual([]);
			expect(JSON.stringify(upstream.requests.at(-1)?.body)).not.toContain("thread-1");
			await answerIn(await asks(owner, sentence("hi", { model: pinned.id }), hints));
			expect(upstream.requests.at(-1)?.body).toMatchObject(hints);
		}
		const loud = entrance.hear(await answerIn(await asks(owner, sentence("hi", { model: anthropic.id }), { odd: 1 })));
		expect(loud.svc.warnings).toMatchObject([{ code: "parameter_dropped", param: "odd" }]);
	});
});

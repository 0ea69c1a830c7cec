// Skills through the front door: read by everybody, invoked as chat is, receipted as what they are.
import { describe, expect, it } from "vitest";
import { INTENSITIES } from "../../src/catalog/catalog.ts";
import { PLANS } from "../../src/catalog/plans.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { canonicalJson } from "../../src/proof/canonical.ts";
import { hashText } from "../../src/proof/hash.ts";
import { modelWhere } from "../support/catalog.ts";
import { currentPrice, hasOnePrice, modelOnWire, providersBut, sentLimitOf } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import { canonical, saltedHash } from "../support/second-ledger.ts";
import {
	call,
	callWithKey,
	meterOf,
	newKey,
	proofOf,
	receiptOf,
	requestsInD1,
	type TestKey,
	usageOf,
} from "../support/service.ts";
import { readStream } from "../support/sse.ts";

interface SkillAnswer {
	id: string;
	model: string;
	choices: [{ message: { content: string } }];
	usage: { total_tokens: number };
	svc: {
		routing: { model: string; mode: string; tier: string };
		proof: { salt: string };
		cost: { total_usd: number };
		skill: { id: string; name: string; source: string };
		fallback_from: string | null;
		warnings: { param: string }[];
	};
}

interface Skill {
	id: string;
	name: string;
	description: string;
	raw: string;
	source: string;
}

const { upstream, key: pro } = useService("pro");

const skillOf = async (id: string): Promise<Skill> => (await call(`/v1/skills/${id}`)).json();

function invoke({ key }: TestKey, body: Record<string, unknown>, id = "debugging"): Promise<Response> {
	return callWithKey(key, `/v1/skills/${id}/invoke`, body);
}

async function answered(response: Response): Promise<SkillAnswer> {
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** Status and code of a refusal; nothing may have been sent for it. */
async function refusal(response: Response) {
	const body = (await response.json()) as Record<string, unknown> & { error: string };
	expect(upstream.requests).toEqual([]);
	return { ...body, status: response.status };
}

/** What the model was sent as its output limit, whatever its format calls it. */
function limitSent(): number {
	return sentLimitOf(upstream.requests.at(-1)?.body);
}

const task = "My loop prints 8 items instead of 9.";

describe("the skills", () => {
	it("are listed with id, name and description for everybody, 23 of them", async () => {
		const list = (await (await call("/v1/skills")).json()) as { data: Skill[]; source: string };
		expect(list).toMatchObject({ object: "list", count: 23 });
		expect(new Set(list.data.map(({ id }) => id)).size).toBe(23);
		expect(Object.keys(list.data[0] ?? {})).toEqual(["id", "name", "description"]);
	});

	it("are each served with their body and the list's source", async () => {
		const list = (await (await call("/v1/skills")).json()) as { data: Skill[]; source: string };
		for (const entry of list.data) {
			const skill = await skillOf(entry.id);
			expect(skill).toEqual({ ...entry, source: list.source, raw: skill.raw });
			expect(skill.raw).toMatch(/^# .+\n/);
		}
	});

	it.each(["nope", "Debugging", "constructor", "__proto__", "..%2Fdebugging", "%00"])(
		"have none called %s",
		async (id) => {
			const response = await call(`/v1/skills/${id}`);
			expect([response.status, await response.json()]).toMatchObject([404, { error: "skill_not_found" }]);
			expect(await refusal(await invoke(pro, { task }, id))).toMatchObject({ status: 404, error: "skill_not_found" });
		},
	);
});

describe("an invocation", () => {
	it("sends the skill's body as the system prompt and the task as the user's message", async () => {
		const { raw } = await skillOf("debugging");
		const { id } = modelOnWire("openai");
		await answered(await invoke(pro, { task, model: id }));
		expect(upstream.requests[0]?.body["messages"]).toEqual([
			{ role: "system", content: raw },
			{ role: "user", content: task },
		]);
	});

	it("is no trivial matter, however few words its task has, unless somebody says so", async () => {
		expect((await answered(await invoke(pro, { task: "Hi" }))).svc.routing.mode).toBe("balanced");
		expect((await answered(await invoke(pro, { task: "Hi", routing_mode: "agility" }))).svc.routing.mode).toBe(
			"agility",
		);
	});

	it("says in its svc block which skill answered and which model", async () => {
		const { name, source } = await skillOf("debugging");
		const answer = await answered(await invoke(pro, { task }));
		expect(answer.svc.skill).toEqual({ id: "debugging", name, source });
		expect(answer.svc.routing.model).toBe(answer.model);
		expect(answer.choices[0].message.content).toContain(task);
	});

	it("has a receipt of kind skill over the two messages", async () => {
		const { raw } = await skillOf("debugging");
		const answer = await answered(await invoke(pro, { task, temperature: 0 }));
		expect(await receiptOf(answer.id)).toMatchObject({
			kind: "skill",
			skill_id: "debugging",
			model: answer.model,
			cost_usd: answer.svc.cost.total_usd,
			input_hash: saltedHash(
				answer.svc.proof.salt,
				canonical({
					type: "svc.input.v1",
					messages: [
						{ role: "system", content: raw },
						{ role: "user", content: task },
					],
				}),
			),
			output_hash: saltedHash(answer.svc.proof.salt, answer.choices[0].message.content),
		});
		const { proof_hash, receipt } = await proofOf(answer.id);
		expect(hashText(canonicalJson(receipt))).toBe(proof_hash);
	});

	it("is a usage row of kind skill, counted once", async () => {
		const { id, svc, usage } = await answered(await invoke(pro, { task }));
		expect(await usageOf(pro)).toMatchObject({
			total_requests: 1,
			total_tokens: usage.total_tokens,
			total_cost_usd: svc.cost.total_usd,
			recent: [{ request_id: id, kind: "skill" }],
		});
		await meterOf(pro).flushNow();
		expect(await requestsInD1(pro)).toBe(1);
		expect((await usageOf(pro)).total_requests).toBe(1);
	});

	it("streams, with the skill on the last chunk", async () => {
		const { name, source } = await skillOf("editing");
		for (const stream_options of [undefined, { include_usage: true }]) {
			const response = await invoke(pro, { task: "Say hello", stream: true, stream_options }, "editing");
			expect(response.headers.get("content-type")).toContain("text/event-stream");
			const { chunks, done, text } = await readStream(response);
			expect([done, text]).toEqual([true, expect.stringContaining("Say hello")]);
			const last = chunks.at(-1);
			expect(last?.svc).toMatchObject({ skill: { id: "editing", name, source }, routing: { model: last?.model } });
			expect(chunks.slice(0, -1).every(({ svc }) => svc === undefined)).toBe(true);
			expect(await receiptOf(last?.id ?? "")).toMatchObject({ kind: "skill", skill_id: "editing" });
		}
	});

	it("takes what chat takes besides, and says what went no further", async () => {
		const body = { task, response_format: { type: "json_object" }, stop: "END", tool_choice: "none", hue: 1 };
		const answer = await answered(await invoke(pro, { ...body, model: modelOnWire("openai").id }));
		expect(upstream.requests[0]?.body).toMatchObject({ response_format: { type: "json_object" }, stop: ["END"] });
		expect(answer.svc.warnings.map(({ param }) => param)).toEqual(["hue"]);
	});

	it.each(["messages", "tools"])("with %s is 422: there is one task and one turn", async (member) => {
		expect(await refusal(await invoke(pro, { task, [member]: [] }))).toMatchObject({
			status: 422,
			issues: [{ path: member, message: expect.stringContaining("chat takes this") }],
		});
		await answered(await invoke(pro, { task, [member]: null }));
	});

	it.each([{}, { task: "" }, { task: " \n\t\u00a0" }, { task: null }])("of %j is 400 no_task", async (body) => {
		expect(await refusal(await invoke(pro, body))).toMatchObject({ status: 400, error: "no_task" });
	});

	it("takes a task of 256 KiB, refuses a larger one by name, and answers 413 to more than 16 MiB", async () => {
		const most = "word ".repeat(52_428);
		expect((await invoke(pro, { task: most })).status).toBe(200);
		upstream.requests.length = 0;
		expect(await refusal(await invoke(pro, { task: `${most}12345` }))).toMatchObject({
			status: 422,
			error: "invalid_request",
			issues: [{ path: "task", message: expect.stringContaining("262144 bytes") }],
		});
		const longer = await refusal(await invoke(pro, { task: "x".repeat(16_777_216) }));
		expect(longer).toMatchObject({ status: 413, error: "request_too_large", limit_bytes: 16_777_216 });
	});

	it("names the task where a prompt is too long for the model", async () => {
		const model = modelWhere(CATALOG, ({ limits }) => limits.context_window < 200_000);
		const response = await invoke(pro, { task: "\u{1f9ff}".repeat(65_536), model: model.id });
		expect(await refusal(response)).toMatchObject({
			status: 422,
			issues: [{ path: "task", message: expect.stringContaining("tokens") }],
		});
	});
});

describe("the model of an invocation", () => {
	it.each(Object.entries(INTENSITIES))("is of its tier with %s", async (model, { tiers }) => {
		const answer = await answered(await invoke(pro, { task, model }));
		expect(tiers).toContain(answer.svc.routing.tier);
	});

	it("is the one named, or else as the routing mode says", async () => {
		const { id } = modelOnWire("anthropic");
		const pinned = await answered(await invoke(pro, { task, model: id }));
		expect([pinned.model, pinned.svc.routing.mode]).toEqual([id, "direct"]);
		expect((await answered(await invoke(pro, { task, routing_mode: "agility" }))).svc.routing.mode).toBe("agility");
	});

	it("is one of the Free plan's three for a Free key, whatever is asked for", async () => {
		for (const model of ["auto", "laser-1", "halo-1", "foton-1", modelOnWire("anthropic").id, "nope"]) {
			const free = await newKey("free");
			const answer = await answered(await invoke(free, { task, model }));
			expect(CATALOG.freeModels, model).toContain(answer.model);
		}
	});

	it("is none that the routing config blocks, whose digest the receipt has", async () => {
		const only = modelWhere(CATALOG, ({ tier }) => tier === "premium");
		const brain_config = { blocked: providersBut(only) };
		const answer = await answered(await invoke(pro, { task, brain_config }));
		expect(CATALOG.findModel(answer.model)?.provider).toBe(only.provider);
		expect((await receiptOf(answer.id))["config_digest"]).toMatch(/^sha256:/);
		upstream.requests.length = 0;
		const blocked = await refusal(await invoke(pro, { task, brain_config: { blocked: ["*"] } }));
		expect(blocked).toMatchObject({ status: 403, error: "model_blocked" });
		const invalid = await refusal(await invoke(pro, { task, brain_config: { max_cots: 1 } }));
		expect(invalid).toMatchObject({ status: 422, error: "invalid_brain_config" });
	});

	it("is one that the compliance policy allows, and the receipt attests it", async () => {
		const [provider] = CATALOG.providers;
		const answer = await answered(await invoke(pro, { task, compliance: { provider_allowlist: [provider?.id] } }));
		expect(CATALOG.findModel(answer.model)?.provider).toBe(provider?.id);
		expect((await receiptOf(answer.id))["compliance"]).toMatchObject({ providers: [provider?.id] });
	});
});

describe("an answer without max_tokens", () => {
	/** At one price, so that a worst case is easily told; its context has room for its longest answer. */
	const model = modelOnWire(
		"openai",
		(one) => hasOnePrice(one) && one.tier === "premium" && one.limits.context_window > 2 * one.limits.max_output_tokens,
	);

	it("may be as long as the model's limit, and the whole of it is reserved", async () => {
		const answer = await answered(
			await invoke(pro, { task, model: model.id, brain_config: { blocked: providersBut(model) } }),
		);
		expect(limitSent()).toBe(model.limits.max_output_tokens);
		const outputUsd = (model.limits.max_output_tokens * currentPrice(model).output) / 1e6;
		expect((await receiptOf(answer.id))["bound_usd"]).toBeGreaterThan(outputUsd);
	});

	it("is as long as a guarded plan's envelope affords", async () => {
		const personal = await newKey("personal");
		const answer = await answered(await invoke(personal, { task, model: model.id }));
		const envelopeUsd = PLANS.personal.envelopeNanoUsd / 1e9;
		const { bound_usd } = await receiptOf(answer.id);
		expect(bound_usd).toBeLessThanOrEqual(envelopeUsd);
		expect(bound_usd).toBeGreaterThan(0.99 * envelopeUsd);
		expect(limitSent()).toBeGreaterThan(1_000);
		expect(limitSent()).toBeLessThan(model.limits.max_output_tokens);
	});

	it("is as long as the config's max_cost affords, and 402 where that is less than 1,000 tokens", async () => {
		const affordable = (max_cost: number) => invoke(pro, { task, model: model.id, brain_config: { max_cost } });
		await answered(await affordable(0.2));
		expect(limitSent()).toBeGreaterThan(1_000);
		expect(limitSent()).toBeLessThan((0.2 * 1e6) / currentPrice(model).output);
		upstream.requests.length = 0;
		const refused = await affordable((1_000 * currentPrice(model).output) / 1e6);
		expect(refused.headers.get("x-should-retry")).toBe("false");
		expect(await refusal(refused)).toMatchObject({
			status: 402,
			error: "cost_limit_exceeded",
			scope: "max_cost",
			message: expect.stringContaining("set max_tokens"),
		});
	});

	it("lets a stand-in answer within what a broken call has left of the ceiling", async () => {
		let calls = 0;
		upstream.replace(async () => {
			if (calls++ > 0) return undefined;
			// A head and nothing more: the request was sent, so it is billed, and the answer is lost.
			return new Response("data: {", { headers: { "content-type": "text/event-stream" } });
		});
		const personal = await newKey("personal");
		const answer = await answered(await invoke(personal, { task, routing_mode: "quality" }));
		expect(answer.svc.fallback_from).not.toBeNull();
		const { cost_usd, bound_usd } = await receiptOf(answer.id);
		expect(cost_usd).toBeLessThanOrEqual(bound_usd as number);
		expect(bound_usd).toBeLessThanOrEqual(PLANS.personal.envelopeNanoUsd / 1e9);
	});

	it("is as long as asked where max_tokens is set", async () => {
		await answered(await invoke(pro, { task, model: model.id, max_tokens: 77 }));
		expect(limitSent()).toBe(77);
		await answered(await invoke(pro, { task, model: model.id, max_tokens: 77, max_completion_tokens: 88 }));
		expect(limitSent()).toBe(88);
	});
});

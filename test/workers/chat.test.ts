// Chat through the front door: routed, priced, receipted, accounted for, and refused for a reason.
import { createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { chatCompletionSchema } from "../../src/chat/completion.ts";
import { canonicalJson } from "../../src/proof/canonical.ts";
import { hashText } from "../../src/proof/hash.ts";
import { hashSalted } from "../../src/proof/salted.ts";
import { currentPrice, hasOnePrice, modelOnWire, providersBut } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, chat, meterOf, proofOf, requestsInD1, usageOf } from "../support/service.ts";

/** The only model of its provider, so that blocking the others leaves one. */
const alone = modelOnWire(
	"openai",
	({ provider, reasoning }) =>
		reasoning !== null && CATALOG.models.filter((model) => model.provider === provider).length === 1,
);

const { upstream, key: pro } = useService("pro");

async function completion(response: Response) {
	expect(response.status, await response.clone().text()).toBe(200);
	return chatCompletionSchema.parse(await response.json());
}

describe("a chat answer", () => {
	it("is routed, priced and receipted under one id", async () => {
		const response = await chat(pro.key, "Say hello");
		const answer = await completion(response);
		expect(answer.id).toMatch(/^svc-[0-9A-HJKMNP-TV-Z]{26}$/);
		expect(response.headers.get("x-request-id")).toBe(answer.id);
		expect(response.headers.get("x-svc-sandbox")).toBe("1");
		expect(answer.svc.proof.request_id).toBe(answer.id);
		expect(answer.choices[0].message.content).toContain("Say hello");
		const { prompt_tokens, completion_tokens, total_tokens } = answer.usage;
		expect(total_tokens).toBe(prompt_tokens + completion_tokens);
		const { input_usd, output_usd, total_usd } = answer.svc.cost;
		expect(Math.round(total_usd * 1e9)).toBe(Math.round(input_usd * 1e9) + Math.round(output_usd * 1e9));
	});

	it("has a receipt that a stranger can check with a hash and a key", async () => {
		const messages = [{ role: "user", content: "Prove it", unknown_member: [1, "ü"] }];
		const answer = await completion(await callWithKey(pro.key, "/v1/chat/completions", { messages, model: alone.id }));
		const proof = await proofOf(answer.id);
		expect(proof).toMatchObject({ valid: true, signed: true, proof_hash: answer.svc.proof.proof_hash });
		expect(proof.receipt).toMatchObject({
			type: "svc.receipt.v2",
			kind: "chat",
			outcome: "complete",
			estimated: false,
			model: alone.id,
			provider: alone.provider,
			upstream_host: "sandbox.test",
			mode: "direct",
			compliance: null,
			config_digest: null,
			skill_id: null,
			fallback_from: null,
			cost_usd: answer.svc.cost.total_usd,
			input_hash: hashSalted(answer.svc.proof.salt, canonicalJson({ type: "svc.input.v1", messages })),
			output_hash: hashSalted(answer.svc.proof.salt, answer.choices[0].message.content ?? ""),
		});
		expect(JSON.stringify(proof)).not.toContain(answer.svc.proof.salt);
		expect(proof.receipt["cost_usd"]).toBeLessThanOrEqual(proof.receipt["bound_usd"] as number);
		expect(hashText(canonicalJson(proof.receipt))).toBe(proof.proof_hash);
		const keys = (await (await call("/v1/proof/pubkey")).json()) as {
			keys: { pem: string; key_id: string }[];
			current: string;
		};
		expect(keys.keys[0]?.key_id).toBe(keys.current);
		const signature = Buffer.from(proof.signature, "base64");
		expect(verify(null, Buffer.from(proof.proof_hash), createPublicKey(keys.keys[0]?.pem ?? ""), signature)).toBe(true);
		expect(verify(null, Buffer.from(`${proof.proof_hash} `), createPublicKey(keys.keys[0]?.pem ?? ""), signature)).toBe(
			false,
		);
	});

	it("holds no text in its receipt, and the log none either", async () => {
		const lines: string[] = [];
		const original = console.log;
		console.log = (line: string) => lines.push(line);
		const answer = await completion(
			await chat(pro.key, "my secret word is xyzzy").finally(() => (console.log = original)),
		);
		expect(JSON.stringify((await proofOf(answer.id)).receipt)).not.toContain("xyzzy");
		expect(lines.length).toBe(1);
		expect(lines.join()).not.toMatch(/xyzzy|svc_sk_/);
		expect(JSON.parse(lines[0] ?? "")).toMatchObject({
			event: "request",
			request_id: answer.id,
			endpoint: "create_chat_completion",
			status: 200,
			user_id: pro.user_id,
		});
	});

	it("is in the user's usage once, before and after its sums went to D1", async () => {
		const answer = await completion(await chat(pro.key, "count me"));
		const before = await usageOf(pro);
		expect(before).toMatchObject({
			total_requests: 1,
			total_tokens: answer.usage.total_tokens,
			total_cost_usd: answer.svc.cost.total_usd,
		});
		await meterOf(pro).flushNow();
		expect(await requestsInD1(pro)).toBe(1);
		expect(await usageOf(pro)).toEqual(before);
		expect(before.recent.map(({ request_id }) => request_id)).toEqual([answer.id]);
	});

	it("carries tools over two turns", async () => {
		const tools = [
			{
				type: "function",
				function: {
					name: "get_weather",
					description: "Weather of a city",
					parameters: { type: "object", properties: { city: { type: "string" } } },
				},
			},
		];
		const question = { role: "user", content: "What is the weather in Paris?" };
		const first = await completion(await callWithKey(pro.key, "/v1/chat/completions", { messages: [question], tools }));
		expect(first.choices[0].finish_reason).toBe("tool_calls");
		const [toolCall] = first.choices[0].message.tool_calls ?? [];
		expect(JSON.parse(toolCall?.function.arguments ?? "")).toEqual({ city: "Paris" });
		const { content, tool_calls } = first.choices[0].message;
		expect((await proofOf(first.id)).receipt["output_hash"]).toBe(
			hashSalted(first.svc.proof.salt, canonicalJson({ type: "svc.output.v1", content, tool_calls })),
		);
		const messages = [
			question,
			first.choices[0].message,
			{ role: "tool", tool_call_id: toolCall?.id, content: "rain" },
		];
		const second = await completion(await callWithKey(pro.key, "/v1/chat/completions", { messages, tools }));
		expect(second.choices[0].message.content).toContain("rain");
	});

	it("names what was left out in svc.warnings", async () => {
		const { id } = modelOnWire("openai", ({ request }) =>
			["temperature", "top_p"].every((knob) => request.rejects.includes(knob)),
		);
		const answer = await completion(await chat(pro.key, "hi", { model: id, temperature: 0.1, top_p: 0.5 }));
		expect(answer.svc.warnings.map(({ code, param }) => [code, param])).toEqual([
			["parameter_dropped", "temperature"],
			["parameter_dropped", "top_p"],
		]);
	});

	it("says when a fallback served the call", async () => {
		const answer = await completion(await chat(pro.key, "hi", { model: "gpt-4o" }));
		expect(answer.svc).toMatchObject({ fallback: true, fallback_from: "gpt-4o", fallback_to: answer.model });
		expect((await proofOf(answer.id)).receipt["fallback_from"]).toBe("gpt-4o");
	});
});

/** Leaves one candidate, so that the request's bound is that of its one call. */
const only = { model: alone.id, brain_config: { blocked: providersBut(alone) } };

describe("an upstream that misbehaves", () => {
	it("without usage is settled at the bound, never at zero", async () => {
		const answer = await completion(await chat(pro.key, "[[no usage]]", only));
		const { receipt } = await proofOf(answer.id);
		expect(receipt).toMatchObject({ estimated: true, cost_usd: receipt["bound_usd"] });
		expect(answer.svc.cost).toMatchObject({ estimated: true, total_usd: receipt["bound_usd"] });
	});

	it("that reports more than it was allowed is charged at the bound, with a warning", async () => {
		const answer = await completion(await chat(pro.key, "[[overrun]]", only));
		const { receipt } = await proofOf(answer.id);
		expect(receipt["cost_usd"]).toBe(receipt["bound_usd"]);
		expect(answer.svc.warnings).toMatchObject([{ code: "provider_overrun" }]);
	});

	it.each(["[[garbage]]", "[[empty]]", "[[cut]]"])("with %s is a 502 that is accounted for", async (word) => {
		const response = await chat(pro.key, word, only);
		const body = (await response.json()) as { error: string; attempts: string[]; cost_usd: number };
		expect([response.status, body.error, body.attempts.length]).toEqual([502, "all_models_failed", 1]);
		expect(body.cost_usd).toBeGreaterThan(0);
		expect((await usageOf(pro)).total_cost_usd).toBe(body.cost_usd);
		expect((await proofOf(response.headers.get("x-request-id") ?? "")).receipt).toMatchObject({
			outcome: "cut",
			cost_usd: body.cost_usd,
		});
	});

	it.each([401, 402, 404, 408, 429, 500, 503, 529])("with status %s is a 502 that costs nothing", async (status) => {
		const response = await chat(pro.key, `[[status ${status} retry-after 7]]`);
		expect([response.status, response.headers.get("retry-after")]).toEqual([502, "7"]);
		expect(await response.json()).toMatchObject({ error: "all_models_failed", cost_usd: 0 });
		expect((await usageOf(pro)).total_requests).toBe(0);
	});

	it.each([400, 403, 413, 422])("with status %s is the caller's 400, not to be tried again", async (status) => {
		const response = await chat(pro.key, `[[status ${status}]]`);
		expect([response.status, response.headers.get("x-should-retry")]).toEqual([400, "false"]);
		expect(await response.json()).toMatchObject({ error: "upstream_rejected", upstream_status: status });
		expect((await usageOf(pro)).total_requests).toBe(0);
	});

	it("that redirects is not followed, so that its key stays where it belongs", async () => {
		upstream.replace(async () => new Response(null, { status: 307, headers: { location: "https://evil.test/" } }));
		expect((await chat(pro.key, "hi", only)).status).toBe(502);
		expect(upstream.requests.length).toBe(1);
	});

	it("that breaks the connection before its answer may have billed it", async () => {
		upstream.replace(async () => Promise.reject(new Error("Network connection lost.")));
		const response = await chat(pro.key, "hi");
		expect(response.status).toBe(502);
		expect((await usageOf(pro)).total_requests).toBe(1);
	});
});

describe("the price", () => {
	it("is that of reported usage at the catalog's rates", async () => {
		const usage = {
			prompt_tokens: 100,
			completion_tokens: 50,
			total_tokens: 150,
			prompt_tokens_details: { cached_tokens: 40 },
		};
		upstream.replace(async () =>
			Response.json({ choices: [{ message: { content: "x" }, finish_reason: "stop" }], usage }),
		);
		// The reserved bound holds 1,000 output tokens and a few hundred bytes of request.
		const model = modelOnWire(
			"openai",
			(candidate) => hasOnePrice(candidate) && currentPrice(candidate).cached_input !== null,
		);
		const answer = await completion(await chat(pro.key, "a".repeat(200), { model: model.id }));
		const { input, cached_input, output } = currentPrice(model);
		/** Nano-USD of so many tokens, rounded up once the rates' own fractions are gone. */
		const nanoUsd = (...parts: [tokens: number, rate: number][]) =>
			Math.ceil(parts.reduce((sum, [tokens, rate]) => sum + tokens * Math.round(rate * 1e6), 0) / 1e3);
		expect(answer.svc.cost).toMatchObject({
			input_usd: nanoUsd([60, input], [40, cached_input ?? input]) / 1e9,
			output_usd: nanoUsd([50, output]) / 1e9,
			estimated: false,
		});
		expect(answer.usage.prompt_tokens_details.cached_tokens).toBe(40);
	});
});

describe("a routing preview", () => {
	it("shows every candidate and exclusion and calls nobody", async () => {
		const response = await callWithKey(pro.key, "/v1/route", { prompt: "Write a haiku" });
		const preview = (await response.json()) as {
			object: string;
			model: string;
			candidates: { model: string }[];
			excluded: Record<string, string[]>;
			matched_rule: null;
		};
		expect(preview).toMatchObject({ object: "route", matched_rule: null });
		expect(preview.candidates[0]?.model).toBe(preview.model);
		expect(preview.candidates.length + Object.keys(preview.excluded).length).toBe(CATALOG.models.length);
		expect(upstream.requests).toEqual([]);
	});

	it("keeps tools from providers that refuse their names", async () => {
		const route = async (name: string) => {
			const tools = [{ type: "function", function: { name } }];
			return (await callWithKey(pro.key, "/v1/route", { prompt: "Write a haiku", tools })).json();
		};
		const without = (name: string) => [`does not support a tool named ${name}`];
		expect(await route("2nd-look")).toMatchObject({ excluded: { [modelOnWire("google").id]: without("2nd-look") } });
		expect(await route("files.read")).toMatchObject({
			provider: modelOnWire("google").provider,
			excluded: {
				[modelOnWire("openai").id]: without("files.read"),
				[modelOnWire("anthropic").id]: without("files.read"),
			},
		});
		expect(await route("2.read")).toMatchObject({ error: "invalid_request", issues: [{ path: "tools" }] });
	});

	it("repeats the choice of an answer from what the answer shows as observed", async () => {
		const messages = [
			{ role: "user", content: "Tell me about the rivers of Europe" },
			{ role: "assistant", content: "Gladly." },
			{ role: "user", content: "And the Danube?" },
		];
		await completion(await chat(pro.key, "Tell me about the rivers of Europe", { routing_mode: "quality" }));
		const answered = await callWithKey(pro.key, "/v1/chat/completions", { messages });
		const { model, svc } = (await answered.json()) as {
			model: string;
			svc: { routing: { reason: string; observed: { at: string; conversation_model?: string } } };
		};
		const { observed, reason } = svc.routing;
		expect(observed.conversation_model).toBeDefined();
		const replay = (what: unknown) => callWithKey(pro.key, "/v1/route", { messages, observed: what });
		expect(await (await replay(observed)).json()).toMatchObject({ model, reason, observed });
		// Another day, another user: what was observed decides, not what is.
		const elsewhere = { at: observed.at, slowdown: { [model]: 8 }, failure_share: { [model]: 0.9 } };
		const other = (await (await replay(elsewhere)).json()) as { model: string };
		expect(other).toMatchObject({ observed: elsewhere });
		expect(other.model).not.toBe(model);
		const refused = await replay({ at: "yesterday" });
		expect([refused.status, await refused.json()]).toMatchObject([422, { issues: [{ path: "observed.at" }] }]);
	});

	it("shows how likely each intent is, as the answer and a stream's last chunk do", async () => {
		const content = "Write a Python function that reverses a list";
		const preview = (await (await callWithKey(pro.key, "/v1/route", { prompt: content })).json()) as {
			signals_detected: Record<string, boolean>;
			intents: Record<string, number>;
		};
		expect(preview.signals_detected).toMatchObject({ code: true, translation: false });
		expect(Object.keys(preview.intents)).toEqual([...INTENTS]);
		expect(Object.values(preview.intents).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 2);
		const { intents } = preview;
		expect((await completion(await chat(pro.key, content))).svc.routing).toMatchObject({ intents });
		const streamed = await (await chat(pro.key, content, { stream: true })).text();
		expect(streamed).toContain(`"intents":${JSON.stringify(intents)}`);
	});

	it("names the model that the same chat request then runs on", async () => {
		for (const body of [{}, { routing_mode: "quality" }, { model: "laser-1" }, { model: "gpt-4o" }]) {
			const preview = (await (
				await callWithKey(pro.key, "/v1/route", { prompt: "Write a haiku", ...body })
			).json()) as { model: string; reason: string };
			const answer = await completion(await chat(pro.key, "Write a haiku", body));
			expect([answer.model, answer.svc.routing.reason]).toEqual([preview.model, preview.reason]);
		}
	});
});

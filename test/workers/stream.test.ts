// Streams and failover through the front door: whole, priced and receipted like an unstreamed answer, and honest about how they ended.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { canBeSilent, modelOf, modelOnWire } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, chat, eventually, ORIGIN, receiptOf, usageOf } from "../support/service.ts";
import { readStream } from "../support/sse.ts";

/** The model that tests name where they make its provider fail. */
const pinned = modelOnWire("openai", canBeSilent);
/** One of the same format at another provider. */
const other = modelOnWire("openai", ({ provider }) => provider !== pinned.provider);

const { upstream, key: pro } = useService("pro");

function stream(content: string, more: Record<string, unknown> = {}): Promise<Response> {
	return chat(pro.key, content, { stream: true, ...more });
}

/** Answers of single providers instead of the sandbox's. */
function withProviders(answers: Record<string, () => Response>): void {
	upstream.replace(async (request) => answers[new URL(request.url).pathname.split("/")[1] ?? ""]?.());
}

/** An upstream stream of raw text. */
function sse(...events: string[]): Response {
	return new Response(events.map((data) => `data: ${data}\n\n`).join(""), {
		headers: { "content-type": "text/event-stream" },
	});
}

const word = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const finish = JSON.stringify({
	choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
	usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

describe("a stream", () => {
	it("ends with the finish reason, the svc block on it, and [DONE]", async () => {
		const response = await stream("Say hello");
		expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
		expect(response.headers.get("x-svc-sandbox")).toBe("1");
		expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("299");
		const { chunks, done, text } = await readStream(response);
		expect(done).toBe(true);
		expect(text).toContain("Say hello");
		const id = response.headers.get("x-request-id");
		expect(chunks.every((chunk) => chunk.id === id && !("usage" in chunk))).toBe(true);
		const last = chunks.at(-1);
		expect(last?.choices?.[0]?.finish_reason).toBe("stop");
		expect(chunks.filter(({ choices }) => choices?.[0]?.finish_reason).length).toBe(1);
		expect(last?.svc?.proof.request_id).toBe(id);
		expect((await receiptOf(id ?? ""))["cost_usd"]).toBe(last?.svc?.cost.total_usd);
	});

	it("has usage and the svc block on a last chunk without choices where usage was asked for", async () => {
		const { chunks, done } = await readStream(await stream("Say hello", { stream_options: { include_usage: true } }));
		expect(done).toBe(true);
		const last = chunks.at(-1);
		expect(last?.choices).toEqual([]);
		expect(last?.usage?.total_tokens).toBe((last?.usage?.prompt_tokens ?? 0) + (last?.usage?.completion_tokens ?? 0));
		expect(last?.svc?.cost.total_usd).toBeGreaterThan(0);
		expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null && !chunk.svc)).toBe(true);
	});

	it("costs what the same request costs unstreamed", async () => {
		for (const { id: model } of CATALOG.providers.map(({ id }) => modelOf(id))) {
			const whole = (await (await chat(pro.key, "Say hello", { model })).json()) as {
				svc: { cost: { total_usd: number } };
				choices: { message: { content: string } }[];
			};
			const { chunks, text } = await readStream(await stream("Say hello", { model }));
			expect(chunks.at(-1)?.svc?.cost, model).toEqual(whole.svc.cost);
			expect(text).toBe(whole.choices[0]?.message.content);
		}
	});

	it("carries tool calls by index, and the loop stays with its model", async () => {
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
		const { chunks } = await readStream(
			await callWithKey(pro.key, "/v1/chat/completions", {
				messages: [question],
				tools,
				stream: true,
				routing_mode: "quality",
			}),
		);
		const deltas = chunks.flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? []);
		const id = deltas[0]?.id ?? "";
		const args = deltas.map((delta) => delta.function.arguments ?? "").join("");
		expect(JSON.parse(args)).toEqual({ city: "Paris" });
		const model = chunks[0]?.model;
		const answer = {
			role: "assistant",
			content: null,
			tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: args } }],
		};
		const messages = [question, answer, { role: "tool", tool_call_id: id, content: "rain" }];
		const second = (await (
			await callWithKey(pro.key, "/v1/chat/completions", { messages, tools, routing_mode: "agility" })
		).json()) as { model: string; choices: { message: { content: string } }[] };
		expect(second.model).toBe(model);
		expect(second.choices[0]?.message.content).toContain("rain");
		const sent = upstream.requests.at(-1)?.body["messages"] as { tool_call_id?: string }[];
		expect(sent.at(-1)?.tool_call_id).not.toContain("~");
	});

	it("says so when the upstream breaks off: an error, no [DONE], and a receipt for what was delivered", async () => {
		withProviders({ [pinned.provider]: () => sse(word("Hel"), word("lo")) });
		const response = await stream("hi", { model: pinned.id });
		const { chunks, done, text } = await readStream(response);
		expect([response.status, done, text]).toEqual([200, false, "Hello"]);
		expect(chunks.at(-1)?.error).toMatchObject({ type: "upstream_error", code: "upstream_cut" });
		expect(chunks.some(({ choices }) => choices?.[0]?.finish_reason)).toBe(false);
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true });
		expect(chunks.at(-1)?.svc?.cost.total_usd).toBe(receipt["cost_usd"]);
		expect((await usageOf(pro)).total_cost_usd).toBe(receipt["cost_usd"]);
	});

	it("ends with the upstream's own error when that comes in the stream", async () => {
		withProviders({
			[pinned.provider]: () =>
				sse(word("Hel"), JSON.stringify({ error: { message: "overloaded", code: "server_overloaded" } })),
		});
		const { chunks, done } = await readStream(await stream("hi", { model: pinned.id }));
		expect(done).toBe(false);
		expect(chunks.at(-1)?.error).toMatchObject({ message: "overloaded", code: "server_overloaded" });
	});

	it("keeps a surrogate pair whole that the upstream splits over two events", async () => {
		withProviders({
			[pinned.provider]: () =>
				sse(
					`{"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}`,
					`{"choices":[{"index":0,"delta":{"content":"\\ude00b"}}]}`,
					finish,
					"[DONE]",
				),
		});
		const { text, raw } = await readStream(await stream("hi", { model: pinned.id }));
		expect(text).toBe("a😀b");
		expect(raw).not.toContain("\\ud83d");
	});

	it("that the client leaves stops the upstream and is still accounted for", async () => {
		let cancelled = false;
		withProviders({
			[pinned.provider]: () =>
				new Response(
					new ReadableStream({
						async pull(controller) {
							await new Promise((resolve) => setTimeout(resolve, 5));
							controller.enqueue(new TextEncoder().encode(`data: ${word("la ")}\n\n`));
						},
						cancel() {
							cancelled = true;
						},
					}),
				),
		});
		const headers = { authorization: `Bearer ${pro.key}` };
		const body = JSON.stringify({
			messages: [{ role: "user", content: "sing for ever" }],
			model: pinned.id,
			stream: true,
		});
		const request = new Request(`${ORIGIN}/v1/chat/completions`, { method: "POST", headers, body });
		const response = await app.fetch(request, env, createExecutionContext());
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.cancel();
		const id = response.headers.get("x-request-id") ?? "";
		await eventually(async () => (await usageOf(pro)).total_requests === 1);
		expect(await receiptOf(id)).toMatchObject({ outcome: "client_closed", estimated: true });
		expect(cancelled).toBe(true);
	});
});

describe("failover", () => {
	const status =
		(code: number, headers: Record<string, string> = {}) =>
		() =>
			new Response("{}", { status: code, headers });

	it.each([408, 429, 500, 503, 529])(
		"moves on to another provider after status %s, unseen by the client",
		async (code) => {
			withProviders({ [pinned.provider]: status(code) });
			for (const streamed of [false, true]) {
				const response = await chat(pro.key, "hi", { model: pinned.id, stream: streamed });
				expect(response.status).toBe(200);
				const svc = streamed
					? (await readStream(response)).chunks.at(-1)?.svc
					: ((await response.json()) as { svc: { fallback: boolean; fallback_from: string } }).svc;
				expect(svc).toMatchObject({ fallback: true, fallback_from: pinned.id });
			}
			expect((await usageOf(pro)).by_model[pinned.id]).toBeUndefined();
		},
	);

	it("moves on after a stream that ends before its first word, and pays for both", async () => {
		withProviders({ [pinned.provider]: () => sse("[DONE]") });
		const response = await stream("hi", { model: pinned.id });
		const { chunks, done } = await readStream(response);
		expect([done, chunks.at(-1)?.svc?.fallback_from]).toEqual([true, pinned.id]);
		const { total_requests, by_model } = await usageOf(pro);
		expect(total_requests).toBe(1);
		expect(by_model[pinned.id]?.requests).toBe(1);
		expect(Object.keys(by_model).length).toBe(2);
	});

	it("tries three at the most and then says what each did, with the shortest wait", async () => {
		const answers = Object.fromEntries(
			CATALOG.providers.map(({ id }, i) => [id, status(429, { "retry-after": String(20 - i) })]),
		);
		withProviders(answers);
		for (const streamed of [false, true]) {
			const before = upstream.requests.length;
			const response = await chat(pro.key, "hi", { stream: streamed });
			const body = (await response.json()) as { attempts: string[] };
			expect([response.status, body.attempts.length, upstream.requests.length - before]).toEqual([502, 3, 3]);
			expect(Number(response.headers.get("retry-after"))).toBeLessThan(20);
		}
		expect((await usageOf(pro)).total_requests).toBe(0);
	});

	it("ends at once when the request itself is refused", async () => {
		withProviders({ [pinned.provider]: status(400) });
		expect((await chat(pro.key, "hi", { model: pinned.id })).status).toBe(400);
		expect(upstream.requests.length).toBe(1);
	});

	it("leaves a provider alone after the operator's fault, and after five failures", async () => {
		withProviders({ [pinned.provider]: status(401) });
		expect((await chat(pro.key, "hi", { model: pinned.id })).status).toBe(200);
		const callsTo = (provider: string) => upstream.requests.filter(({ url }) => url.includes(`/${provider}/`)).length;
		expect(callsTo(pinned.provider)).toBe(1);
		expect((await chat(pro.key, "hi", { model: pinned.id })).status).toBe(200);
		expect(callsTo(pinned.provider)).toBe(1);

		withProviders({ [other.provider]: status(500) });
		// Failures of one user open it where they are of two prompts.
		for (let i = 0; i < 7; i++) expect((await chat(pro.key, `hi ${i}`, { model: other.id })).status).toBe(200);
		expect(callsTo(other.provider)).toBe(5);
	});

	it("never costs more than max_cost, whatever it takes", async () => {
		// Every provider of this format takes the money and says nothing.
		const silent = CATALOG.providers.filter(({ wire }) => wire === "openai");
		withProviders(Object.fromEntries(silent.map(({ id }) => [id, () => sse("[DONE]")])));
		const response = await stream("hi", { brain_config: { max_cost: 0.001 } });
		await response.text();
		expect((await usageOf(pro)).total_cost_usd).toBeLessThanOrEqual(0.001);
	});
});

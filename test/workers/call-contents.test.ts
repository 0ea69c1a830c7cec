// What goes into upstream calls and comes out of them, through the front door and every wire: ids of tool calls, fields that
// nobody knows, answers of nothing, refusals, conversations that the assistant began.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelOf, modelOnWire, providersBut } from "../support/models.ts";
import { DONE, event, finish, named, providerOf, ROLE, says, word } from "../support/scripted.ts";
import { callWithKey, chat, newKey, receiptOf, type TestKey, type Upstream, useSandbox } from "../support/service.ts";
import { type Chunk, readStream } from "../support/sse.ts";

let upstream: Upstream;
let pro: TestKey;

beforeAll(async () => {
	pro = await newKey("corporate");
});
beforeEach(() => {
	upstream = useSandbox();
});
afterEach(() => upstream.restore());

function respond(answer: () => Response): void {
	upstream.restore();
	upstream = useSandbox(async () => answer());
}

interface Message {
	role: string;
	content: string | null;
	refusal?: string | null;
	tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
}

interface Completion extends Record<string, unknown> {
	model: string;
	choices: { message: Message; finish_reason: string }[];
	usage: unknown;
	svc: NonNullable<Chunk["svc"]> & { warnings: { code: string; param: string; message: string }[] };
}

async function completion(response: Response): Promise<Completion> {
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

function post(body: Record<string, unknown>): Promise<Response> {
	return callWithKey(pro.key, "/v1/chat/completions", body);
}

/** A request of its fields alone, at one provider. */
function pinned(providerId: string, more: Record<string, unknown> = {}): Record<string, unknown> {
	const model = modelOf(providerId);
	return { model: model.id, brain_config: { blocked: providersBut(model) }, ...more };
}

/** The message that a stream's deltas make, as OpenAI's clients put it together. */
function accumulated(chunks: readonly Chunk[]): Message {
	const message: Message = { role: "assistant", content: null };
	const calls: NonNullable<Message["tool_calls"]> = [];
	for (const delta of chunks.flatMap(({ choices }) => choices?.[0]?.delta ?? [])) {
		if (delta.content) message.content = (message.content ?? "") + delta.content;
		for (const { index, id, function: piece } of delta.tool_calls ?? []) {
			calls[index] ??= { id: "", type: "function", function: { name: "", arguments: "" } };
			const call = calls[index];
			call.id += id ?? "";
			call.function.name += piece.name ?? "";
			call.function.arguments += piece.arguments ?? "";
		}
	}
	return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

const cityTool = (name: string, description: string) => ({
	type: "function",
	function: { name, description, parameters: { type: "object", properties: { city: { type: "string" } } } },
});
const tools = [cityTool("get_weather", "Weather of a city"), cityTool("get_hour", "Local hour in a city")];
const question = { role: "user", content: "What are the weather and the hour in Paris?" };

/** Providers with rules of their own for ids, and two of the common ones. */
const PROVIDERS = ["openai", "mistral", "anthropic", "google", "deepseek"];

describe.each(PROVIDERS)("parallel tool calls of %s", (providerId) => {
	it("come whole and streamed alike, at one price, with short ids of their own", async () => {
		const body = { ...pinned(providerId), messages: [question], tools };
		const whole = await completion(await post(body));
		const { chunks, done } = await readStream(await post({ ...body, stream: true }));
		expect(done).toBe(true);
		const calls = whole.choices[0]?.message.tool_calls ?? [];
		expect(calls.map(({ function: { name } }) => name)).toEqual(["get_weather", "get_hour"]);
		for (const call of calls) expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris" });
		expect(accumulated(chunks).tool_calls).toEqual(
			calls.map(({ id, type, function: called }) => ({ id, type, function: called })),
		);
		expect(chunks.at(-1)?.svc?.cost).toEqual(whole.svc.cost);
		for (const { id } of calls) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
	});

	it("find their results at every provider, each under ids of its own form", async () => {
		const first = await completion(await post({ ...pinned(providerId), messages: [question], tools }));
		const message = first.choices[0]?.message;
		const results = (message?.tool_calls ?? []).map(({ id }, i) => ({
			role: "tool",
			tool_call_id: id,
			content: ["rain", "noon"][i],
		}));
		const messages = [question, message, ...results];
		for (const other of PROVIDERS) {
			const second = await completion(await post({ ...pinned(other), messages, tools }));
			expect(second.choices[0]?.message.content, other).toContain("rain; noon");
		}
		// Left to the service, the loop goes on where it began.
		const own = await completion(await post({ messages, tools }));
		expect(own.model).toBe(first.model);
	});
});

describe("ids of tool calls that another made", () => {
	const ids = ["call_1", "toolu_01AbCdEfGhIjKlMnOpQrStUv", "functions.get_weather:0", "x".repeat(256), "a|b/c+d=~-"];

	it.each(PROVIDERS)("are taken back by %s, apart from each other", async (providerId) => {
		const tool_calls = ids.map((id) => ({ id, type: "function", function: { name: "get_weather", arguments: "{}" } }));
		const results = ids.map((id, i) => ({ role: "tool", tool_call_id: id, content: `result ${i}` }));
		const messages = [question, { role: "assistant", content: null, tool_calls }, ...results];
		const { choices } = await completion(await post({ ...pinned(providerId), messages, tools }));
		expect(choices[0]?.message.content).toContain(ids.map((_, i) => `result ${i}`).join("; "));
	});

	it.each([
		["beyond 256 characters", "x".repeat(257)],
		["with room for a sentence", "a b"],
		["in other letters", "ä€😀"],
		["over lines", "a\n"],
	])("are refused %s", async (_, id) => {
		const tool_calls = [{ id, type: "function", function: { name: "get_weather", arguments: "{}" } }];
		const messages = [
			question,
			{ role: "assistant", content: null, tool_calls },
			{ role: "tool", tool_call_id: id, content: "" },
		];
		expect((await post({ messages, tools })).status).toBe(422);
	});

	it("are in the form of whoever is asked first and second, though others were weighed before", async () => {
		// A ceiling makes every eligible model's exact request known before one is chosen.
		const blocked = CATALOG.providers.map(({ id }) => id).filter((id) => id !== "mistral" && id !== "deepinfra");
		const brain_config = { max_cost: 1, blocked };
		const call = { id: "call_of_another", type: "function", function: { name: "get_weather", arguments: "{}" } };
		const messages = [
			question,
			{ role: "assistant", content: null, tool_calls: [call] },
			{ role: "tool", tool_call_id: call.id, content: "rain" },
			question,
		];
		const { model } = await completion(await post({ messages, model: modelOf("mistral").id, brain_config }));
		expect(model).toBe(modelOf("mistral").id);
		const sent = upstream.requests[0]?.body["messages"] as { tool_call_id?: string }[];
		expect(sent.find(({ tool_call_id }) => tool_call_id)?.tool_call_id).toMatch(/^[A-Za-z0-9]{9}$/);
	});
});

describe("request fields that this service does not know", () => {
	const unknown = { verbosity: "low", safe_prompt: true, store: true, enrichment: { deep: [1] }, absent: null };
	const messages = [{ role: "user", content: "hi" }];

	it.each([
		["openai", ["verbosity"]],
		["mistral", ["safe_prompt"]],
		["xai", []],
		["anthropic", []],
		["google", []],
	])("reach %s as far as its row lists them: %j; each of the others is named", async (providerId, passed) => {
		const { svc } = await completion(await post({ ...pinned(providerId), messages, ...unknown }));
		const sent = upstream.requests[0]?.body ?? {};
		const named = Object.keys(unknown).filter((name) => name !== "absent" && !passed.includes(name));
		expect(Object.keys(unknown).filter((name) => name in sent)).toEqual(passed);
		for (const name of passed) expect(sent[name]).toEqual(Reflect.get(unknown, name));
		const warnings = svc.warnings.filter(({ param }) => param !== null && param in unknown);
		expect(warnings.map(({ code, param }) => [code, param])).toEqual(named.map((name) => ["parameter_dropped", name]));
	});

	it("are named fifty at a time, and those beyond are counted, so that a thousand of them make no long answer", async () => {
		const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field_${i}`, i]));
		const response = await post({ ...pinned("openai"), messages, ...many, __proto__: null });
		const { svc } = await completion(response);
		const named = svc.warnings.filter(({ message }) => message.includes("not known"));
		expect(named).toHaveLength(51);
		expect(named[0]?.param).toBe("field_0");
		expect(named.at(-1)?.message).toContain("950 more");
		expect(Object.keys(upstream.requests[0]?.body ?? {}).filter((name) => name.startsWith("field_"))).toEqual([]);
	});

	it("are named inside of messages, tools and options too", async () => {
		const content = [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }];
		const body = {
			messages: [{ role: "user", content }],
			stream_options: { include_usage: true, include_obfuscation: false },
		};
		const { svc } = await completion(await post({ ...pinned("openai"), ...body }));
		const named = svc.warnings.filter(({ message }) => message.includes("not known"));
		expect(named.map(({ param }) => param)).toEqual([
			"messages[].content[].cache_control",
			"stream_options.include_obfuscation",
		]);
	});

	it("cannot put themselves in the place of ours", async () => {
		const fields = {
			thinking: { type: "enabled" },
			max_output_tokens: 9,
			service_tier: "priority",
			__proto__: { a: 1 },
		};
		await completion(await post({ ...pinned("deepseek"), messages, ...fields }));
		expect(upstream.requests[0]?.body).not.toMatchObject({ service_tier: "priority" });
		expect(upstream.requests[0]?.body["thinking"]).not.toEqual({ type: "enabled" });
	});
});

describe("answer fields that this service does not know", () => {
	const fields = { system_fingerprint: "fp_1", citations: ["https://a.test"], service_tier: "default" };
	const ours = { object: "theirs", id: "theirs", svc: { forged: true }, model: "theirs", created: 1 };

	it("pass beside the choices of a whole body, and never in the place of ours", async () => {
		const choice = { index: 0, message: { role: "assistant", content: "x", mood: "fine" }, finish_reason: "stop" };
		respond(() =>
			Response.json({
				...fields,
				...ours,
				nothing: null,
				choices: [choice],
				usage: { prompt_tokens: 1, completion_tokens: 1 },
			}),
		);
		const answer = await completion(await post({ ...pinned("openai"), messages: [question] }));
		expect(answer).toMatchObject({ ...fields, object: "chat.completion", model: modelOf("openai").id });
		expect(answer).not.toHaveProperty("nothing");
		expect(answer).not.toHaveProperty("svc.forged");
		expect(answer.choices[0]?.message).toMatchObject({ content: "x", mood: "fine" });
	});

	it("pass in a stream once, though they stand on every chunk, and in the whole answer that is made of one", async () => {
		const chunk = (content: string, more = {}) =>
			event({ ...fields, ...ours, ...more, choices: [{ index: 0, delta: { content } }], obfuscation: "xyz" });
		const stream = [chunk("a"), chunk("b"), chunk("c", { citations: ["https://b.test"] }), finish(), DONE];
		respond(() => says(...stream));
		const { chunks, text, raw } = await readStream(
			await post({ ...pinned("openai"), messages: [question], stream: true }),
		);
		expect(text).toBe("abc");
		const shown = chunks.map((each) => each as unknown as Record<string, unknown>);
		expect(shown.filter((each) => "system_fingerprint" in each)).toHaveLength(1);
		expect(shown.flatMap((each) => each["citations"] ?? [])).toEqual(["https://a.test", "https://b.test"]);
		expect(raw).not.toMatch(/theirs|forged|obfuscation/);
		const whole = await completion(await post({ ...pinned("openai"), messages: [question] }));
		expect(whole).toMatchObject({ ...fields, citations: ["https://b.test"] });
	});
});

describe("an answer of nothing", () => {
	const anthropicEnd = (stop_reason: string) => () =>
		says(
			named({ type: "message_start", message: { content: [], usage: { input_tokens: 5, output_tokens: 1 } } }),
			named({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } }),
			named({ type: "message_stop" }),
		);
	const ends: [string, string, () => Response][] = [
		["openai", "stop", () => says(ROLE, finish(), DONE)],
		["anthropic", "end_turn", anthropicEnd("end_turn")],
		[
			"google",
			"STOP",
			() => says(event({ candidates: [{ finishReason: "STOP" }], usageMetadata: { promptTokenCount: 5 } })),
		],
	];

	it.each(ends)("of %s that ends with %s is no answer, and another model stands in", async (providerId, _, end) => {
		upstream.restore();
		upstream = useSandbox(async (request) => (providerOf(request) === providerId ? end() : undefined));
		const answer = await completion(await post({ model: modelOf(providerId).id, messages: [question] }));
		expect(answer.svc.fallback_from).toBe(modelOf(providerId).id);
	});

	it.each([
		["openai", () => says(ROLE, finish(), DONE)],
		["anthropic", anthropicEnd("stop_sequence")],
		["google", ends[2]?.[2] ?? (() => says())],
	])("of %s is one where a stop sequence may have matched at once", async (providerId, end) => {
		respond(end);
		const body = { ...pinned(providerId), messages: [question], stop: ["What"] };
		const { choices, svc } = await completion(await post(body));
		expect([choices[0]?.finish_reason, svc.fallback]).toEqual(["stop", false]);
		const { done, text } = await readStream(await post({ ...body, stream: true }));
		expect([done, text]).toEqual([true, ""]);
	});

	it("is one when it was cut by its limit, filtered, or is a block of the provider's own", async () => {
		respond(() => says(ROLE, finish("length"), DONE));
		expect(
			(await completion(await post({ ...pinned("openai"), messages: [question] }))).choices[0]?.finish_reason,
		).toBe("length");
		respond(() => says(ROLE, finish("content_filter"), DONE));
		expect(
			(await completion(await post({ ...pinned("openai"), messages: [question] }))).choices[0]?.finish_reason,
		).toBe("content_filter");
		respond(() =>
			says(
				named({ type: "message_start", message: { content: [], usage: { input_tokens: 5, output_tokens: 1 } } }),
				named({
					type: "content_block_start",
					index: 0,
					content_block: { type: "server_tool_use", id: "s", name: "search" },
				}),
				named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
				named({ type: "message_stop" }),
			),
		);
		expect((await completion(await post({ ...pinned("anthropic"), messages: [question] }))).svc.fallback).toBe(false);
	});
});

describe("Anthropic", () => {
	it("says why it refused, as a refusal, whole and streamed", async () => {
		const explanation = "I would rather not.";
		respond(() =>
			says(
				named({ type: "message_start", message: { content: [], usage: { input_tokens: 5, output_tokens: 1 } } }),
				named({
					type: "message_delta",
					delta: { stop_reason: "refusal", stop_details: { type: "refusal", explanation } },
					usage: { output_tokens: 2 },
				}),
				named({ type: "message_stop" }),
			),
		);
		const body = { ...pinned("anthropic"), messages: [question] };
		const { choices } = await completion(await post(body));
		expect(choices[0]).toMatchObject({ finish_reason: "content_filter", message: { refusal: explanation } });
		const { raw, done } = await readStream(await post({ ...body, stream: true }));
		expect(done).toBe(true);
		expect(raw).toContain(`"refusal":"${explanation}"`);
	});

	it("is sent a conversation that the assistant began with a user's words before it", async () => {
		const messages = [
			{ role: "assistant", content: "Welcome! What shall we do?" },
			{ role: "user", content: "Sing" },
		];
		const { choices, svc } = await completion(await post({ ...pinned("anthropic"), messages }));
		expect(choices[0]?.message.content).toContain("Sing");
		const sent = upstream.requests[0]?.body["messages"] as { role: string }[];
		expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
		expect(svc.fallback).toBe(false);
	});
});

describe("a stream that breaks off", () => {
	it.each(["openai", "anthropic", "google"])("is never a success, wherever it does (%s)", async (providerId) => {
		upstream.restore();
		upstream = useSandbox();
		await (await chat(pro.key, "Say it", { ...pinned(providerId), stream: true })).text();
		const [request] = upstream.requests;
		const headers = Object.fromEntries(request?.headers ?? []);
		const path = new URL(request?.url ?? "");
		const { createSandbox } = await import("../../src/sandbox/app.ts");
		const init = { method: "POST", headers, body: JSON.stringify(request?.body) };
		const raw = await (await createSandbox().request(path.pathname + path.search, init)).text();
		const events = raw.split(/(?<=\r?\n\r?\n)/);
		expect(events.length).toBeGreaterThan(6);
		for (const kept of [1, 2, 3, Math.floor(events.length / 2), events.length - 2, events.length - 1]) {
			respond(() => says(...events.slice(0, kept)));
			const response = await chat(pro.key, "Say it", { ...pinned(providerId), stream: true });
			const { done, chunks } = await readStream(response.clone());
			// Of OpenAI's format usage ends a stream as well as `[DONE]`, Google's ends with its reason.
			const isWhole = kept === events.length - 1 && providerId === "openai";
			expect(done, `${kept} of ${events.length}`).toBe(isWhole);
			if (response.status === 200 && !isWhole) {
				expect(chunks.at(-1)?.error).toBeDefined();
				const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
				expect(receipt["outcome"]).toBe("cut");
			}
		}
	});

	it("within an event is none either", async () => {
		respond(() => says(ROLE, word("Hello"), finish().slice(0, -20)));
		const { done, chunks } = await readStream(await chat(pro.key, "hi", { ...pinned("openai"), stream: true }));
		expect([done, chunks.at(-1)?.error === undefined]).toEqual([false, false]);
	});
});

describe("the same answer", () => {
	it.each(["openai", "anthropic", "google"])("costs the same from %s whole or in pieces", async (providerId) => {
		const whole: Record<string, () => Response> = {
			openai: () =>
				Response.json({
					choices: [{ index: 0, message: { content: "Fine." }, finish_reason: "stop" }],
					usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
				}),
			anthropic: () =>
				Response.json({
					content: [{ type: "text", text: "Fine." }],
					stop_reason: "end_turn",
					usage: { input_tokens: 5, output_tokens: 7 },
				}),
			google: () =>
				Response.json({
					candidates: [{ content: { parts: [{ text: "Fine." }] }, finishReason: "STOP" }],
					usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
				}),
		};
		const pieces: Record<string, () => Response> = {
			openai: () => says(ROLE, word("Fine."), finish(), DONE),
			anthropic: () =>
				says(
					named({ type: "message_start", message: { content: [], usage: { input_tokens: 5, output_tokens: 1 } } }),
					named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Fine." } }),
					named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } }),
					named({ type: "message_stop" }),
				),
			google: () =>
				says(
					event({
						candidates: [{ content: { parts: [{ text: "Fi" }] } }],
						usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3 },
					}),
					event({
						candidates: [{ content: { parts: [{ text: "ne." }] }, finishReason: "STOP" }],
						usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
					}),
				),
		};
		const costs: unknown[] = [];
		for (const answer of [whole[providerId], pieces[providerId]]) {
			for (const stream of [false, true]) {
				respond(answer ?? (() => says()));
				const response = await post({ ...pinned(providerId), messages: [question], stream });
				if (stream) {
					const { chunks, text } = await readStream(response);
					costs.push([text, chunks.at(-1)?.svc?.cost]);
				} else {
					const { choices, svc } = await completion(response);
					costs.push([choices[0]?.message.content, svc.cost]);
				}
			}
		}
		expect(costs[0]).toEqual(["Fine.", expect.objectContaining({ estimated: false })]);
		expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1);
	});
});

describe("a prompt in Chinese", () => {
	it("is weighed against a context window by its tokens, not at four characters a token", async () => {
		const model = modelOnWire("openai", ({ limits }) => limits.context_window < 150_000);
		const messages = [{ role: "user", content: "汉".repeat(model.limits.context_window) }];
		const response = await post({ model: model.id, messages, brain_config: { blocked: providersBut(model) } });
		expect([response.status, upstream.requests.length]).toEqual([422, 0]);
		expect(await response.json()).toMatchObject({ issues: [{ path: "messages" }] });
		const latin = [{ role: "user", content: "a".repeat(model.limits.context_window) }];
		expect(
			(await post({ model: model.id, messages: latin, brain_config: { blocked: providersBut(model) } })).status,
		).toBe(200);
	});
});

// The Messages entrance through the front door: what chat promises, in Anthropic's form, whichever wire answers.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { markedCallId } from "../../src/inference/tool-call-ids.ts";
import type { AnsweredMessage } from "../../src/messages/message.ts";
import { type MessageStreamRead, readMessageStream } from "../support/message-stream.ts";
import { canBeSilent, modelOf, modelOnWire } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import { DONE, event, finish, named, ROLE, says, scripted, word } from "../support/scripted.ts";
import { saltedHash } from "../support/second-ledger.ts";
import { call, callWithKey, eventually, receiptOf, saltOf, usageOf } from "../support/service.ts";

type Json = Record<string, unknown>;

const openai = modelOnWire("openai", canBeSilent);
const anthropic = modelOnWire("anthropic");
const google = modelOnWire("google");
const WIRES = [openai, anthropic, google].map(({ id }) => id);

const { upstream, key: pro } = useService("pro");

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });

function send(body: Json, headers: Record<string, string> = {}): Promise<Response> {
	return call("/v1/messages?beta=true", {
		method: "POST",
		headers: { authorization: `Bearer ${pro.key}`, "content-type": "application/json", ...headers },
		body: JSON.stringify({ max_tokens: 1_000, messages: [user("Say hello")], ...body }),
	});
}

async function whole(body: Json): Promise<AnsweredMessage> {
	const response = await send(body);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function streamed(body: Json): Promise<MessageStreamRead> {
	const response = await send({ ...body, stream: true });
	expect(response.status, await response.clone().text()).toBe(200);
	return readMessageStream(await response.text());
}

/** Answers of single providers instead of the sandbox's; one for all of them under `*`. */
function withProviders(answers: Record<string, () => Response>): void {
	upstream.replace(async (request) => {
		const provider = new URL(request.url).pathname.split("/")[1] ?? "";
		return (answers[provider] ?? answers["*"])?.();
	});
}

/** An answer of each wire, for turns that the sandbox would refuse: the signatures of these tests are not its own. */
const FINE: Readonly<Record<string, () => Response>> = {
	"*": () => says(ROLE, word("Fine."), finish(), DONE),
	[anthropic.provider]: () =>
		says(ANTHROPIC_START, anthropicBlock(0, { type: "text", text: "Fine." }), anthropicEnd("end_turn")),
	[google.provider]: () => says(googleChunk([{ text: "Fine." }], "STOP")),
};

/** The conversation as the last upstream was sent it. */
function lastSent(): Json {
	return upstream.requests.at(-1)?.body ?? {};
}

const ANTHROPIC_START = named({
	type: "message_start",
	message: { content: [], usage: { input_tokens: 9, output_tokens: 1 } },
});

function anthropicEnd(stop_reason: string, more: Json = {}): string {
	const usage = { input_tokens: 9, output_tokens: 7 };
	return named({ type: "message_delta", delta: { stop_reason, ...more }, usage }) + named({ type: "message_stop" });
}

/** The events of one whole block. */
function anthropicBlock(index: number, content_block: Json, ...deltas: Json[]): string {
	return [
		named({ type: "content_block_start", index, content_block }),
		...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
		named({ type: "content_block_stop", index }),
	].join("");
}

function googleChunk(parts: Json[], finishReason?: string): string {
	const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 7 };
	return event({ candidates: [{ content: { parts }, ...(finishReason ? { finishReason } : {}) }], usageMetadata });
}

/** "Hel" and "lo" by each wire, without an end. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
	[openai.id]: [ROLE, word("Hel"), word("lo")],
	[anthropic.id]: [
		ANTHROPIC_START,
		named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Hel" } }),
		named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } }),
	],
	[google.id]: [googleChunk([{ text: "Hel" }]), googleChunk([{ text: "lo" }])],
};

const TOOLS = [
	{
		name: "get_weather",
		description: "Weather of a city",
		input_schema: { type: "object", properties: { city: { type: "string" } } },
	},
];
const WEATHER = user("What is the weather in Paris?");

describe("a message", () => {
	it.each(WIRES)("of %s says who answered, what it used and what it cost", async (model) => {
		const response = await send({ model });
		const message = (await response.json()) as AnsweredMessage;
		const id = response.headers.get("x-request-id") ?? "";
		expect(response.headers.get("request-id")).toBe(id);
		expect(response.headers.get("x-svc-sandbox")).toBe("1");
		expect(message).toMatchObject({
			id: id.replace("svc-", "msg_"),
			type: "message",
			role: "assistant",
			model,
			stop_reason: "end_turn",
			svc: { proof: { request_id: id, model }, fallback: false },
		});
		expect(message.content.at(-1)).toMatchObject({ type: "text", text: expect.stringContaining("Say hello") });
		const receipt = await receiptOf(id);
		expect(receipt).toMatchObject({ outcome: "complete", cost_usd: message.svc.cost.total_usd });
		const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = message.usage;
		expect(input_tokens + cache_read_input_tokens + cache_creation_input_tokens).toBe(receipt["prompt_tokens"]);
		expect(output_tokens).toBe(receipt["completion_tokens"]);
		const { recent, total_cost_usd } = await usageOf(pro);
		expect(recent[0]).toMatchObject({ request_id: id, model });
		expect(total_cost_usd).toBe(receipt["cost_usd"]);
	});

	it("is the same streamed, for the same price, whichever provider answers", async () => {
		for (const { id: model } of CATALOG.providers.map(({ id }) => modelOf(id))) {
			const unstreamed = await whole({ model });
			const { start, content, delta, pings } = await streamed({ model });
			expect(content, model).toEqual(unstreamed.content);
			expect(start).toMatchObject({ model, content: [] });
			expect(delta).toMatchObject({
				delta: { stop_reason: unstreamed.stop_reason, stop_sequence: null },
				usage: unstreamed.usage,
				svc: { cost: unstreamed.svc.cost },
			});
			expect(pings).toBe(1);
		}
	});

	it("is streamed under an id of its own, and its receipt is that of what was delivered", async () => {
		const response = await send({ stream: true });
		expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
		const id = response.headers.get("x-request-id") ?? "";
		const { start, content } = readMessageStream(await response.text());
		expect(start).toMatchObject({ id: id.replace("svc-", "msg_") });
		expect(await receiptOf(id)).toMatchObject({
			outcome: "complete",
			output_hash: saltedHash(await saltOf(pro, id), content.map(({ text }) => text).join("")),
		});
	});

	it("takes its key in x-api-key as well", async () => {
		const body = JSON.stringify({ max_tokens: 64, messages: [user("hi")] });
		const headers = { "x-api-key": pro.key };
		expect((await call("/v1/messages", { method: "POST", headers, body })).status).toBe(200);
		expect((await send({}, { "x-api-key": `${pro.key}x` })).status).toBe(401);
	});

	it("needs messages, and no version of the interface", async () => {
		for (const version of ["2023-06-01", "?"]) {
			expect((await send({}, { "anthropic-version": version })).status).toBe(200);
			expect((await send({ messages: [] }, { "anthropic-version": version })).status).toBe(400);
		}
		const response = await send({ messages: [] });
		const id = response.headers.get("x-request-id");
		expect(response.headers.get("request-id")).toBe(id);
		expect(await response.json()).toMatchObject({
			type: "error",
			error: { type: "invalid_request_error", message: expect.stringContaining("messages") },
			request_id: id,
		});
		expect((await usageOf(pro)).total_requests).toBe(2);
	});
});

describe("tools", () => {
	it.each(WIRES)("are called by %s, and the loop stays with the model that called them", async (model) => {
		for (const read of [whole, streamed]) {
			const { content } = await read({ model, messages: [WEATHER], tools: TOOLS });
			const use = content.find(({ type }) => type === "tool_use") as Json;
			expect(use).toMatchObject({ name: "get_weather", input: { city: "Paris" } });
			const result = { type: "tool_result", tool_use_id: use["id"], content: "rain" };
			const messages = [WEATHER, assistant(content), user([result])];
			const last = await whole({ messages, tools: TOOLS, routing_mode: "agility" });
			expect(last.model).toBe(model);
			expect(JSON.stringify(last.content)).toContain("rain");
			expect(JSON.stringify(lastSent())).not.toContain(String(use["id"]));
		}
	});

	it("that write their arguments at once come one after another", async () => {
		const delta = (...tool_calls: Json[]) =>
			event({ choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }] });
		withProviders({
			[openai.provider]: () =>
				says(
					ROLE,
					delta({ index: 0, id: "call_a", function: { name: "a", arguments: '{"x' } }),
					delta({ index: 1, id: "call_b", function: { name: "b", arguments: '{"y":' } }),
					delta({ index: 0, function: { arguments: '":"}"}' } }, { index: 1, function: { arguments: "2" } }),
					delta({ index: 1, function: { arguments: "}" } }),
					finish("tool_calls"),
					DONE,
				),
		});
		const { content, delta: ending } = await streamed({ model: openai.id, tools: [{ ...TOOLS[0], name: "a" }] });
		expect(content).toMatchObject([
			{ type: "tool_use", id: markedCallId("call_a", openai.id), name: "a", input: { x: "}" } },
			{ type: "tool_use", id: markedCallId("call_b", openai.id), name: "b", input: { y: 2 } },
		]);
		expect(ending).toMatchObject({ delta: { stop_reason: "tool_use" } });
	});
});

describe("a thread", () => {
	it("is not kept: its continuation is refused by the code that makes clients send the whole conversation", async () => {
		const thread = { type: "continue", previous_message_id: "msg_1" };
		const response = await send({ thread });
		expect(response.status).toBe(404);
		const error = { type: "not_found_error", code: "thread_not_found", details: { error_code: "thread_not_found" } };
		expect(await response.json()).toMatchObject({ type: "error", error });
		const { svc } = await whole({ thread: { type: "create" } });
		expect(svc.warnings).toMatchObject([{ code: "parameter_dropped", param: "thread" }]);
	});
});

describe("what a client sends back", () => {
	const result = (id: unknown) => user([{ type: "tool_result", tool_use_id: id, content: "rain" }]);
	const useOf = (content: readonly Json[]) => content.find(({ type }) => type === "tool_use") ?? {};

	it("is Anthropic's signed and redacted thinking, unchanged", async () => {
		const answer = () =>
			says(
				ANTHROPIC_START,
				anthropicBlock(
					0,
					{ type: "thinking", thinking: "", signature: "" },
					{ type: "thinking_delta", thinking: "It asks " },
					{ type: "thinking_delta", thinking: "for rain." },
					{ type: "signature_delta", signature: "c2ln" },
				),
				anthropicBlock(1, { type: "redacted_thinking", data: "b3duIGRhdGE=" }),
				anthropicBlock(
					2,
					{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
					{ type: "input_json_delta", partial_json: '{"city":"Paris"}' },
				),
				anthropicEnd("tool_use"),
			);
		for (const read of [whole, streamed]) {
			withProviders({ [anthropic.provider]: answer });
			const { content } = await read({ model: anthropic.id, messages: [WEATHER], tools: TOOLS });
			const signed = { type: "thinking", thinking: "It asks for rain.", signature: "c2ln" };
			const redacted = { type: "redacted_thinking", data: "b3duIGRhdGE=" };
			expect(content).toMatchObject([signed, redacted, { type: "tool_use", input: { city: "Paris" } }]);
			withProviders(FINE);
			await whole({ messages: [WEATHER, assistant(content), result(useOf(content)["id"])], tools: TOOLS });
			const sent = lastSent()["messages"] as { content: Json[] }[];
			expect(sent[1]?.content.slice(0, 2)).toEqual([signed, redacted]);
			expect(sent[1]?.content[2]).toMatchObject({ type: "tool_use", id: "toolu_1", name: "get_weather" });
		}
	});

	it("is Gemini's signature, sealed, in front of its call", async () => {
		const call = { functionCall: { name: "get_weather", args: { city: "Paris" } }, thoughtSignature: "R2VtaW5p" };
		for (const read of [whole, streamed]) {
			withProviders({ [google.provider]: () => says(googleChunk([call], "STOP")) });
			const { content } = await read({ model: google.id, messages: [WEATHER], tools: TOOLS });
			expect(content.map(({ type }) => type)).toEqual(["redacted_thinking", "tool_use"]);
			expect(JSON.stringify(content)).not.toContain("R2VtaW5p");
			withProviders(FINE);
			await whole({ messages: [WEATHER, assistant(content), result(useOf(content)["id"])], tools: TOOLS });
			const sent = lastSent()["contents"] as { parts: Json[] }[];
			expect(sent[1]?.parts[0]).toMatchObject({ thoughtSignature: "R2VtaW5p", functionCall: call.functionCall });
		}
	});

	it("is refused where a seal comes back changed", async () => {
		const call = { functionCall: { name: "get_weather", args: {} }, thoughtSignature: "R2VtaW5p" };
		withProviders({ [google.provider]: () => says(googleChunk([call], "STOP")) });
		const { content } = await whole({ model: google.id, messages: [WEATHER], tools: TOOLS });
		const [sealed, ...others] = content as Json[];
		const data = String(sealed?.["data"]);
		const changed = [{ ...sealed, data: `${data.slice(0, -6)}AAAAA=` }, ...others];
		const response = await send({
			messages: [WEATHER, assistant(changed), result(useOf(content)["id"])],
			tools: TOOLS,
		});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
	});

	it("is an image, as its bytes", async () => {
		const data = "iVBORw0KGgo=";
		const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
		for (const model of WIRES) {
			await whole({ model, messages: [user([image, { type: "text", text: "What is it?" }])] });
			expect(JSON.stringify(lastSent()), model).toContain(data);
		}
	});
});

describe("thinking", () => {
	const reasons = (delta: string) =>
		event({ choices: [{ index: 0, delta: { reasoning_content: delta }, finish_reason: null }] });
	const answer = () => says(ROLE, reasons("hm "), reasons("yes"), word("Fine."), finish(), DONE);

	it("of other models has no signature", async () => {
		withProviders({ [openai.provider]: answer });
		for (const read of [whole, streamed])
			expect((await read({ model: openai.id })).content).toEqual([
				{ type: "thinking", thinking: "hm yes", signature: "" },
				{ type: "text", text: "Fine." },
			]);
	});

	it.each([{ type: "adaptive", display: "omitted" }, { type: "disabled" }])(
		"is not shown where the client says %j",
		async (thinking) => {
			withProviders({ [openai.provider]: answer });
			for (const read of [whole, streamed])
				expect((await read({ model: openai.id, thinking })).content).toEqual([{ type: "text", text: "Fine." }]);
		},
	);

	it("that a provider wants back returns to it unread", async () => {
		const returning = modelOnWire("openai", (model) => CATALOG.providerFor(model).returns_reasoning);
		const calls = { tool_calls: [{ index: 0, id: "call_1", function: { name: "get_weather", arguments: "{}" } }] };
		const use = event({ choices: [{ index: 0, delta: calls, finish_reason: null }] });
		withProviders({ [returning.provider]: () => says(ROLE, reasons("hm yes"), use, finish("tool_calls"), DONE) });
		const omitted = { model: returning.id, tools: TOOLS, thinking: { type: "adaptive", display: "omitted" } };
		const { content } = await streamed({ ...omitted, messages: [WEATHER] });
		expect(content.map(({ type }) => type)).toEqual(["redacted_thinking", "tool_use"]);
		upstream.replace();
		const results = user([{ type: "tool_result", tool_use_id: content[1]?.["id"], content: "rain" }]);
		await whole({ ...omitted, messages: [WEATHER, assistant(content), results] });
		expect(lastSent()["messages"]).toMatchObject([{}, { role: "assistant", reasoning_content: "hm yes" }, {}]);
	});
});

describe("why an answer ends", () => {
	it("is the stop sequence that Anthropic found", async () => {
		const text = anthropicBlock(0, { type: "text", text: "a" });
		const answer = () => says(ANTHROPIC_START, text, anthropicEnd("stop_sequence", { stop_sequence: "END" }));
		withProviders({ [anthropic.provider]: answer });
		const body = { model: anthropic.id, stop_sequences: ["X", "END"] };
		const ending = { stop_reason: "stop_sequence", stop_sequence: "END" };
		expect(await whole(body)).toMatchObject(ending);
		expect((await streamed(body)).delta).toMatchObject({ delta: ending });
	});

	it("is a refusal, with its words", async () => {
		const refusal = event({ choices: [{ index: 0, delta: { refusal: "I won't." }, finish_reason: null }] });
		withProviders({ [openai.provider]: () => says(ROLE, refusal, finish(), DONE) });
		const ending = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: "I won't." } };
		expect(await whole({ model: openai.id })).toMatchObject({ ...ending, content: [{ text: "I won't." }] });
		expect((await streamed({ model: openai.id })).delta).toMatchObject({ delta: ending });
	});

	it("is the limit of its length", async () => {
		withProviders({ [openai.provider]: () => says(ROLE, word("a"), finish("length"), DONE) });
		expect(await whole({ model: openai.id })).toMatchObject({ stop_reason: "max_tokens" });
	});
});

describe("a stream that breaks off", () => {
	it.each(WIRES)("after the first word of %s ends with an error, a receipt and no message_stop", async (model) => {
		const { provider } = CATALOG.findModel(model) ?? openai;
		withProviders({ [provider]: () => says(...(BEGINNINGS[model] ?? [])) });
		const response = await send({ model, stream: true });
		const { error, open, delta } = readMessageStream(await response.text());
		expect([open, delta]).toEqual([["text"], null]);
		expect(error).toMatchObject({ error: { type: "api_error", code: "upstream_cut" } });
		const id = response.headers.get("x-request-id") ?? "";
		const receipt = await receiptOf(id);
		const output_hash = saltedHash(await saltOf(pro, id), "Hello");
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true, output_hash });
		expect(error).toMatchObject({ svc: { cost: { total_usd: receipt["cost_usd"] } } });
	});

	it("has the type of the upstream's own error", async () => {
		const overloaded = named({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
		withProviders({ [anthropic.provider]: () => says(...(BEGINNINGS[anthropic.id] ?? []), overloaded) });
		const { error } = await streamed({ model: anthropic.id });
		expect(error).toMatchObject({ error: { type: "overloaded_error", message: "Overloaded" } });
	});

	it("before its first word is another model's answer, and names no other", async () => {
		withProviders({ [openai.provider]: () => says(ROLE) });
		const response = await send({ model: openai.id, stream: true });
		const text = await response.text();
		const { start, delta } = readMessageStream(text);
		expect(start?.["model"]).not.toBe(openai.id);
		expect(delta).toMatchObject({ svc: { fallback: true, fallback_from: openai.id } });
		expect(text.slice(0, text.indexOf('"model"'))).not.toContain(openai.id);
	});

	it("because the client has left is settled all the same", async () => {
		withProviders({
			[openai.provider]: () =>
				scripted(async function* () {
					yield ROLE;
					for (;;) {
						await new Promise((resolve) => setTimeout(resolve, 5));
						yield word("la ");
					}
				}),
		});
		const response = await send({ model: openai.id, stream: true });
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.cancel();
		await eventually(async () => (await usageOf(pro)).total_requests === 1);
		expect(await receiptOf(response.headers.get("x-request-id") ?? "")).toMatchObject({ outcome: "client_closed" });
	});
});

describe("an error", () => {
	it("of the upstream before the first word keeps its text", async () => {
		const refused = { type: "error", error: { type: "invalid_request_error", message: "tools.0: too odd" } };
		withProviders({ [anthropic.provider]: () => Response.json(refused, { status: 400 }) });
		for (const stream of [false, true]) {
			const response = await send({ model: anthropic.id, stream });
			expect(response.status).toBe(400);
			expect(await response.json()).toMatchObject({
				type: "error",
				error: { type: "invalid_request_error", message: expect.stringContaining("tools.0: too odd") },
			});
		}
	});

	it("of every model is overloaded_error, which a retry may cure", async () => {
		withProviders({ "*": () => Response.json({}, { status: 503 }) });
		for (const stream of [false, true]) {
			const response = await send({ stream });
			expect(response.status).toBeGreaterThanOrEqual(500);
			expect(await response.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
		}
		expect((await usageOf(pro)).total_requests).toBe(0);
	});

	it("after the head is an event", async () => {
		let release = () => {};
		const waits = new Promise<void>((resolve) => {
			release = resolve;
		});
		withProviders({
			"*": () =>
				scripted(async function* () {
					await waits;
					yield DONE;
				}),
		});
		const response = await send({ stream: true });
		const reading = response.text();
		release();
		const { error, names } = readMessageStream(await reading);
		expect(names).toEqual(["error"]);
		expect(error).toMatchObject({ error: { type: "overloaded_error", code: "all_models_failed" } });
	});

	it("of money is billing_error, where not even the least answer is affordable", async () => {
		const response = await send({ brain_config: { max_cost: 0.000001 } });
		expect(response.status).toBe(402);
		expect(await response.json()).toMatchObject({ error: { type: "billing_error", code: "cost_limit_exceeded" } });
	});

	it("names fields as Anthropic's clients know them", async () => {
		const response = await send({ messages: [{ role: "user", content: [{ type: "nope" }] }] });
		expect(response.status).toBe(422);
		expect(await response.json()).toMatchObject({
			error: { type: "invalid_request_error", message: expect.stringContaining("nope") },
		});
	});
});

describe("the rules of chat", () => {
	const MAIL = "ada.lovelace@analytical.org";
	const NO_PII = { block_data_classes: ["PII"], provider_allowlist: ["zai"] };

	it("lower an output limit that nobody could afford, and say so", async () => {
		const message = await whole({ model: openai.id, max_tokens: 100_000_000 });
		expect(message.svc.warnings).toMatchObject([{ code: "parameter_changed", param: "max_tokens" }]);
		expect(lastSent()).not.toMatchObject({ max_tokens: 100_000_000 });
	});

	it("warn of what is left out, under the client's names", async () => {
		const message = await whole({ model: anthropic.id, container: "c", thinking: { type: "adaptive" } });
		expect(message.svc.warnings.map(({ param }) => param)).toContain("container");
	});

	it("block by compliance, and name the client's own message", async () => {
		const response = await send({
			system: "Be kind.",
			messages: [user("hi"), assistant("hello"), user(`I am ${MAIL}`)],
			compliance: NO_PII,
		});
		expect(response.status).toBe(403);
		const body = (await response.json()) as { error: Json };
		expect(body.error).toMatchObject({
			type: "permission_error",
			code: "compliance_blocked",
			places: [{ path: "messages[2]", message: 2, kinds: ["email"] }],
		});
		const listed = await callWithKey(pro.key, "/v1/audit/events?event_type=compliance_blocked");
		expect(await listed.json()).toMatchObject({ data: [{ payload: { endpoint: "create_message", refusals: 1 } }] });
	});

	it("block what stands in the system's text under its name", async () => {
		const response = await send({ system: `Ask ${MAIL}.`, compliance: NO_PII });
		expect(await response.json()).toMatchObject({ error: { places: [{ path: "system", message: null }] } });
	});

	it("mask, and restore texts, arguments and thinking, whole and streamed", async () => {
		const block = { type: "thinking", thinking: "", signature: "" };
		const answer = () =>
			says(
				ANTHROPIC_START,
				anthropicBlock(
					0,
					block,
					{ type: "thinking_delta", thinking: "Write to [EMA" },
					{ type: "thinking_delta", thinking: "IL_1]" },
					{ type: "signature_delta", signature: "c2ln" },
				),
				anthropicBlock(1, { type: "text", text: "To [EMAIL_1]" }),
				anthropicBlock(
					2,
					{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
					{ type: "input_json_delta", partial_json: '{"city":"[EMAIL_1]"}' },
				),
				anthropicEnd("tool_use"),
			);
		const question = user(`I am ${MAIL}`);
		const body = { model: anthropic.id, tools: TOOLS, compliance: { mask_data_classes: ["PII"] } };
		for (const read of [whole, streamed]) {
			withProviders({ [anthropic.provider]: answer });
			const { content } = await read({ ...body, messages: [question] });
			expect(content).toMatchObject([
				{ type: "thinking", thinking: `Write to ${MAIL}`, signature: "" },
				{ type: "redacted_thinking" },
				{ type: "text", text: `To ${MAIL}` },
				{ type: "tool_use", input: { city: MAIL } },
			]);
			// The signed block goes back as the model wrote it.
			withProviders(FINE);
			const result = { type: "tool_result", tool_use_id: (content[3] as Json)["id"], content: "rain" };
			await whole({ ...body, messages: [question, assistant(content), user([result])] });
			const sent = lastSent()["messages"] as { content: Json[] }[];
			expect(sent[1]?.content[0]).toEqual({ type: "thinking", thinking: "Write to [EMAIL_1]", signature: "c2ln" });
			expect(JSON.stringify(upstream.requests.map((request) => request.body))).not.toContain(MAIL);
		}
	});
});

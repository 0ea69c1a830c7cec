// Responses through the front door: the same answer whole and streamed, priced and receipted as a chat is, and honest about how it
// ended.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { type FaultPlan, onlyFor, useFaults, writes } from "../support/faults.ts";
import { canBeSilent, modelOf, modelOnWire } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import {
	DONE,
	event,
	finish,
	named,
	pause,
	providerOf,
	ROLE,
	says,
	scripted,
	status,
	word,
} from "../support/scripted.ts";
import { canonical, saltedHash } from "../support/second-ledger.ts";
import { callWith, callWithKey, receiptOf, usageOf, withKey } from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

type Json = Record<string, unknown>;

interface Item extends Json {
	type: string;
	id: string;
	status?: string;
	content?: { type: string; text?: string; refusal?: string }[];
	encrypted_content?: string | null;
}

interface Answer extends Json {
	id: string;
	status: string;
	model: string;
	output: Item[];
	usage: { input_tokens: number; output_tokens: number; total_tokens: number };
	error: { code: string; message: string } | null;
	store: boolean;
	svc: {
		cost: { total_usd: number; estimated: boolean };
		proof: { request_id: string; proof_hash: string; salt: string };
		warnings: { code: string; param: string | null; message: string }[];
		fallback_from: string | null;
	};
}

const PATH = "/v1/responses";
/** The model that tests name where they make its provider fail. */
const pinned = modelOnWire("openai", canBeSilent);
const anthropic = modelOnWire("anthropic");

const { upstream, key: pro } = useService("pro");

function create(body: Json): Promise<Response> {
	return callWithKey(pro.key, PATH, body);
}

/** The answer to a body that is answered. */
async function answerTo(body: Json): Promise<Answer> {
	const response = await create(body);
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return response.json();
}

interface Streamed {
	events: { event: string; data: Json & { response?: Answer; item?: Item; delta?: string } }[];
	/** The Response of the last event. */
	last: Answer;
	response: Response;
}

async function readEvents(response: Response): Promise<Streamed> {
	const events = eventsOf(await response.text()).map(({ event, data }) => ({ event, data: JSON.parse(data) as Json }));
	const last = events.at(-1)?.data["response"] as Answer;
	return { events, last, response };
}

async function streamTo(body: Json): Promise<Streamed> {
	return readEvents(await create({ ...body, stream: true }));
}

function outputText({ output }: Answer): string {
	return output
		.flatMap(({ type, content = [] }) => (type === "message" ? content : []))
		.map(({ text = "" }) => text)
		.join("");
}

/** Answers of the pinned model's provider instead of the sandbox's. */
function pinnedSays(answer: (request: Request) => Response | Promise<Response>, provider = pinned.provider): void {
	upstream.replace(async (request) => (providerOf(request) === provider ? answer(request) : undefined));
}

function errorOf(response: Response): Promise<{ error: Json & { code: string; param: string | null } }> {
	return response.json();
}

/** A chunk with one delta. */
function delta(members: Json): string {
	return event({ choices: [{ index: 0, delta: members, finish_reason: null }] });
}

/** A chunk of a tool call. */
function toolDelta(index: number, members: Json, id?: string): string {
	return delta({ tool_calls: [{ index, ...(id ? { id, type: "function" } : {}), function: members }] });
}

const EXEC = { type: "custom", name: "exec", description: "Runs a command" };
const WEATHER = {
	type: "function",
	name: "get_weather",
	description: "Weather of a city",
	parameters: { type: "object", properties: { city: { type: "string" } } },
	strict: false,
};

describe("a Response", () => {
	it("has OpenAI's members, the svc block, and the request's ULID as its id", async () => {
		const body = { input: "Say hello", instructions: "Be kind.", model: pinned.id, store: false };
		const response = await create(body);
		expect([response.status, response.headers.get("x-svc-sandbox")]).toEqual([200, "1"]);
		const answer = (await response.json()) as Answer;
		const id = response.headers.get("x-request-id") ?? "";
		expect(answer).toMatchObject({
			id: id.replace("svc-", "resp_"),
			object: "response",
			status: "completed",
			error: null,
			incomplete_details: null,
			instructions: "Be kind.",
			output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text" }] }],
			store: false,
			svc: { proof: { request_id: id }, fallback_from: null },
		});
		expect(outputText(answer)).toContain("Say hello");
		expect(answer.usage.total_tokens).toBe(answer.usage.input_tokens + answer.usage.output_tokens);
		expect(answer.output[0]?.id).toMatch(/^msg_/);
	});

	it("has a receipt over the body as received that a stranger verifies, and a usage row", async () => {
		const body = { input: [{ role: "user", content: "Say hello" }], instructions: "Be kind." };
		const answer = await answerTo(body);
		const { request_id: id, salt } = answer.svc.proof;
		const receipt = await receiptOf(id);
		expect(receipt).toMatchObject({
			kind: "chat",
			outcome: "complete",
			cost_usd: answer.svc.cost.total_usd,
			input_hash: saltedHash(salt, canonical({ type: "svc.input.v2", entrance: "responses", body })),
		});
		const { recent, total_cost_usd } = await usageOf(pro);
		expect(recent).toMatchObject([{ request_id: id, model: answer.model, cost_usd: receipt["cost_usd"] }]);
		expect(total_cost_usd).toBe(receipt["cost_usd"]);
	});

	it("costs the same whole and streamed, at every provider", async () => {
		for (const { id: model } of CATALOG.providers.map(({ id }) => modelOf(id))) {
			const whole = await answerTo({ input: "Say hello", model, store: false });
			const { last } = await streamTo({ input: "Say hello", model, store: false });
			expect([last.svc.cost, last.usage, outputText(last)], model).toEqual([
				whole.svc.cost,
				whole.usage,
				outputText(whole),
			]);
			expect(last.model).toBe(whole.model);
		}
	});

	it("continues a tool loop with the model that began it", async () => {
		const question = { role: "user", content: "What is the weather in Paris?" };
		const first = await answerTo({ input: [question], tools: [WEATHER], routing_mode: "quality", store: false });
		const called = first.output.find(({ type }) => type === "function_call");
		expect(called).toMatchObject({ name: "get_weather", arguments: '{"city":"Paris"}', status: "completed" });
		const output = { type: "function_call_output", call_id: called?.["call_id"], output: "rain" };
		const input = [question, ...first.output, output];
		const second = await answerTo({ input, tools: [WEATHER], routing_mode: "agility", store: false });
		expect(second.model).toBe(first.model);
		expect(outputText(second)).toContain("rain");
	});

	it("gives a custom tool of a namespace its text, in pieces as they come", async () => {
		pinnedSays(() =>
			says(
				ROLE,
				toolDelta(0, { name: "functions__exec", arguments: "" }, "call_1"),
				...['{"inp', 'ut":"ls', " -l\\", 'n"', "}"].map((text) => toolDelta(0, { arguments: text })),
				finish("tool_calls"),
				DONE,
			),
		);
		const tools = [{ type: "namespace", name: "functions", description: "", tools: [EXEC] }];
		const body = { input: "List", model: pinned.id, tools, store: false };
		const { events, last } = await streamTo(body);
		const deltas = events.filter(({ event }) => event === "response.custom_tool_call_input.delta");
		expect(deltas.map(({ data }) => data.delta)).toEqual(["ls", " -l", "\n"]);
		const item = { type: "custom_tool_call", name: "exec", namespace: "functions", input: "ls -l\n" };
		expect(last.output).toMatchObject([item]);
		const call_id = last.output[0]?.["call_id"];
		pinnedSays(() => says(ROLE, word("Done."), finish(), DONE));
		const output = { type: "custom_tool_call_output", call_id, output: "a.txt" };
		const second = await answerTo({ ...body, input: [{ role: "user", content: "List" }, ...last.output, output] });
		expect(outputText(second)).toBe("Done.");
		expect(upstream.requests.at(-1)?.body["messages"]).toMatchObject([
			{ role: "user" },
			{ tool_calls: [{ id: "call_1", type: "custom", custom: { name: "functions__exec", input: "ls -l\n" } }] },
			{ role: "tool", tool_call_id: "call_1", content: "a.txt" },
		]);
	});

	it("gives a custom tool its text where the provider has such tools", async () => {
		const customDelta = (custom: Json) => delta({ tool_calls: [{ index: 0, id: "call_1", type: "custom", custom }] });
		pinnedSays(() =>
			says(
				ROLE,
				customDelta({ name: "exec", input: 'a "' }),
				customDelta({ input: 'b"\n' }),
				finish("tool_calls"),
				DONE,
			),
		);
		const { events, last } = await streamTo({ input: "List", model: pinned.id, tools: [EXEC], store: false });
		expect(last.output).toMatchObject([{ type: "custom_tool_call", name: "exec", input: 'a "b"\n' }]);
		const deltas = events.filter(({ event }) => event === "response.custom_tool_call_input.delta");
		expect(deltas.map(({ data }) => data.delta)).toEqual(['a "', 'b"\n']);
	});

	it("keeps parallel calls apart whose arguments come in turns", async () => {
		pinnedSays(() =>
			says(
				ROLE,
				toolDelta(0, { name: "get_weather", arguments: '{"city"' }, "call_a"),
				toolDelta(1, { name: "get_weather", arguments: '{"city":' }, "call_b"),
				toolDelta(0, { arguments: ':"Rome"}' }),
				toolDelta(1, { arguments: '"Oslo"}' }),
				finish("tool_calls"),
				DONE,
			),
		);
		const { events, last } = await streamTo({ input: "Weather?", model: pinned.id, tools: [WEATHER], store: false });
		expect(last.output).toMatchObject([{ arguments: '{"city":"Rome"}' }, { arguments: '{"city":"Oslo"}' }]);
		const order = events.flatMap(({ event, data }) =>
			event.startsWith("response.output_item") ? [`${event.slice(21)} ${data["output_index"]}`] : [],
		);
		expect(order).toEqual([".added 0", ".done 0", ".added 1", ".done 1"].map((text) => text.slice(1)));
	});

	it("shows a refusal as such, and an answer that was cut by its limit as incomplete", async () => {
		pinnedSays(() => says(ROLE, delta({ refusal: "I will " }), delta({ refusal: "not." }), finish(), DONE));
		const refused = await streamTo({ input: "hi", model: pinned.id, store: false });
		expect(refused.last.output).toMatchObject([{ content: [{ type: "refusal", refusal: "I will not." }] }]);
		pinnedSays(() => says(ROLE, word("Once"), finish("length"), DONE));
		const { events, last } = await streamTo({ input: "hi", model: pinned.id, store: false });
		expect(events.at(-1)?.event).toBe("response.incomplete");
		expect(last).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
		expect(await answerTo({ input: "hi", model: pinned.id, store: false })).toMatchObject({ status: "incomplete" });
	});

	it("names what it left out, under the client's names", async () => {
		const tools = [{ type: "web_search" }, WEATHER];
		const body = { input: "hi", model: anthropic.id, tools, top_p: 0.5, temperature: 0.9, store: false };
		const { svc } = await answerTo(body);
		expect(svc.warnings).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ param: "tools[0]", message: expect.stringContaining("web_search") }),
			]),
		);
	});

	it.each([
		[{}, "input"],
		[{ input: [] }, "input"],
		[{ input: "hi", background: true }, "background"],
		[{ input: "hi", conversation: "conv_1" }, "conversation"],
		[{ input: [{ type: "painting" }] }, "input.0"],
		[{ input: "hi", tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } }, "tool_choice"],
	])("is refused with 422 in OpenAI's form: %j", async (body, param) => {
		const response = await create(body);
		expect(response.status).toBe(422);
		const { error } = await errorOf(response);
		expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_request" });
		expect(error.param).toContain(param);
	});
});

describe("a stream", () => {
	it("begins with the first delta, and ends with the Response", async () => {
		const { events, last, response } = await streamTo({ input: "Say hello", store: false });
		expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
		expect(events.slice(0, 2).map(({ event }) => event)).toEqual(["response.created", "response.in_progress"]);
		expect(events[0]?.data.response).toMatchObject({ status: "in_progress", output: [], usage: null });
		expect(events.at(-1)?.event).toBe("response.completed");
		expect(events.map(({ data }) => data["sequence_number"])).toEqual(events.map((_, position) => position));
		const id = response.headers.get("x-request-id") ?? "";
		expect(last.svc.proof.request_id).toBe(id);
		expect((await receiptOf(id))["cost_usd"]).toBe(last.svc.cost.total_usd);
	});

	it("that the upstream breaks off ends in response.failed, with a receipt for what was delivered", async () => {
		pinnedSays(() => says(ROLE, word("Hel"), word("lo")));
		const { events, last, response } = await streamTo({ input: "hi", model: pinned.id });
		expect(events.at(-1)?.event).toBe("response.failed");
		expect(last).toMatchObject({ status: "failed", error: { code: "upstream_cut" }, store: false });
		expect(outputText(last)).toBe("Hello");
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true, cost_usd: last.svc.cost.total_usd });
		expect((await usageOf(pro)).total_cost_usd).toBe(receipt["cost_usd"]);
		expect((await callWithKey(pro.key, `${PATH}/${last.id}`)).status).toBe(404);
	});

	it.each([
		[
			"an error of its own",
			event({ error: { message: "overloaded", code: "server_overloaded" } }),
			"server_overloaded",
		],
		["garbage", "data: {nonsense\n\n", "upstream_cut"],
	])("in which the upstream sends %s ends in response.failed", async (_, sent, code) => {
		pinnedSays(() => says(ROLE, word("Hel"), sent));
		const { events, last } = await streamTo({ input: "hi", model: pinned.id, store: false });
		expect([events.at(-1)?.event, last.error?.code]).toEqual(["response.failed", code]);
	});

	it("that falls silent ends in response.failed when the upstream's time is up", async () => {
		pinnedSays(() =>
			scripted(async function* () {
				yield ROLE + word("Hel");
				await pause(2_000);
				yield word("lo");
			}),
		);
		const settings = { UPSTREAM_IDLE_TIMEOUT_MS: "50" } as unknown as Partial<Env>;
		const body = { input: "hi", model: pinned.id, stream: true, store: false };
		const { events, last } = await readEvents(await callWith(settings, PATH, withKey(pro.key, body)));
		expect([events.at(-1)?.event, last.error?.code]).toEqual(["response.failed", "upstream_timeout"]);
	});

	it("fails over unseen before its first delta, and says who stood in", async () => {
		pinnedSays(() => status(503));
		const { events, last } = await streamTo({ input: "hi", model: pinned.id, store: false });
		expect(events.filter(({ event }) => event === "response.created")).toHaveLength(1);
		expect(last).toMatchObject({ status: "completed", svc: { fallback_from: pinned.id } });
		expect(events[0]?.data.response?.model).toBe(last.model);
	});

	it("that no model begins is an ordinary error", async () => {
		upstream.replace(async () => status(503));
		for (const stream of [false, true]) {
			const response = await create({ input: "hi", stream, store: false });
			expect(response.status).toBe(502);
			expect((await errorOf(response)).error).toMatchObject({ type: "server_error", code: "all_models_failed" });
		}
	});

	it("with more usage than was allowed costs no more than that, and says so", async () => {
		const usage = { prompt_tokens: 5, completion_tokens: 900_000, total_tokens: 900_005 };
		pinnedSays(() => says(ROLE, word("Hi."), finish("stop", usage), DONE));
		const { last } = await streamTo({ input: "hi", model: pinned.id, max_output_tokens: 50, store: false });
		expect(last.svc.warnings.map(({ code }) => code)).toContain("provider_overrun");
		const receipt = await receiptOf(last.svc.proof.request_id);
		expect(receipt["cost_usd"]).toBe(last.svc.cost.total_usd);
		expect(last.svc.cost.total_usd).toBeLessThanOrEqual(Number(receipt["bound_usd"]));
		expect(last.usage.output_tokens).toBeLessThan(900_000);
	});
});

describe("an answer that cannot be accounted for", () => {
	it("is withheld, fails as a stream, and is not stored", async () => {
		const plan: FaultPlan = ({ target }) => (target === pro.user_id ? "fail" : "pass");
		const faults = useFaults({
			DB: (operation) => (writes(operation) ? "fail" : "pass"),
			ACCOUNT_METER: onlyFor(["settle"], plan),
		});
		try {
			const response = await create({ input: "hi" });
			expect([response.status, (await errorOf(response)).error.code]).toEqual([503, "receipt_unavailable"]);
			const { events, last } = await streamTo({ input: "hi" });
			expect([events.at(-1)?.event, last.error]).toMatchObject(["response.failed", { code: "receipt_unavailable" }]);
			expect((await callWithKey(pro.key, `${PATH}/${last.id}`)).status).toBe(404);
		} finally {
			faults.restore();
		}
	});
});

describe("limits and policies", () => {
	it("refuse what could cost too much, with 402", async () => {
		const response = await create({ input: "hi", brain_config: { max_cost: 0.000_000_001 } });
		expect(response.status).toBe(402);
		expect((await errorOf(response)).error.code).toBe("cost_limit_exceeded");
	});

	it("name the place in the client's body that compliance refuses", async () => {
		const mail = "ada.lovelace@analytical.org";
		const input = [
			{ role: "user", content: "hi" },
			{ type: "function_call", call_id: "call_1", name: "read", arguments: "{}" },
			{ type: "function_call_output", call_id: "call_1", output: `to ${mail}` },
		];
		const compliance = { block_data_classes: ["PII"], provider_allowlist: ["zai"] };
		const response = await create({ input, instructions: "Be kind.", compliance });
		expect(response.status).toBe(403);
		expect((await errorOf(response)).error).toMatchObject({
			code: "compliance_blocked",
			places: [{ path: "input[2]", place: "tool result", kinds: ["email"], message: null }],
		});
		const audit = await callWithKey(pro.key, "/v1/audit/events?event_type=compliance_blocked");
		expect(await audit.json()).toMatchObject({
			data: [{ payload: { endpoint: "create_response", places: [{ path: "input[2]" }] } }],
		});
		const inInstructions = await create({ input: "hi", instructions: `Write to ${mail}`, compliance });
		expect((await errorOf(inInstructions)).error).toMatchObject({ places: [{ path: "instructions" }] });
	});

	it("mask values upstream, and give them back in texts and custom inputs", async () => {
		const mail = "ada.lovelace@analytical.org";
		pinnedSays(() =>
			says(
				ROLE,
				...["To [EM", "AIL_1]."].map(word),
				toolDelta(0, { name: "exec", arguments: '{"input":"mail [EMA' }, "call_1"),
				toolDelta(0, { arguments: 'IL_1]"}' }),
				finish("tool_calls"),
				DONE,
			),
		);
		const compliance = { mask_data_classes: ["PII"] };
		const body = { input: `Write to ${mail}`, model: pinned.id, tools: [EXEC], compliance, store: false };
		const { last } = await streamTo(body);
		expect(outputText(last)).toBe(`To ${mail}.`);
		expect(last.output[1]).toMatchObject({ type: "custom_tool_call", input: `mail ${mail}` });
		expect(JSON.stringify(upstream.requests.at(-1)?.body)).not.toContain(mail);
	});
});

describe("encrypted reasoning", () => {
	const THINKING = [
		named({ type: "message_start", message: { content: [], usage: { input_tokens: 3, output_tokens: 1 } } }),
		named({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } }),
		named({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } }),
		named({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } }),
		named({ type: "content_block_stop", index: 0 }),
		named({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }),
		named({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Yes." } }),
		named({ type: "content_block_stop", index: 1 }),
		named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }),
		named({ type: "message_stop" }),
	];
	const include = ["reasoning.encrypted_content"];

	function ask(input: unknown, more: Json = {}): Promise<Streamed> {
		pinnedSays(() => says(...THINKING), anthropic.provider);
		return streamTo({ input, model: anthropic.id, include, store: false, ...more });
	}

	it("comes back to the provider that signed it, as it was", async () => {
		const { last, events } = await ask("Is it?");
		const [reasoning, message] = last.output;
		expect(reasoning).toMatchObject({ type: "reasoning", summary: [], content: [{ text: "Hm." }] });
		const done = events.find(({ event, data }) => event.endsWith("item.done") && data.item?.type === "reasoning");
		expect(done?.data.item?.encrypted_content).toBe(reasoning?.encrypted_content);
		await ask([{ role: "user", content: "Is it?" }, reasoning, message, { role: "user", content: "Sure?" }]);
		const sent = upstream.requests.at(-1)?.body["messages"] as { role: string; content: Json[] }[];
		expect(sent[1]?.content).toMatchObject([
			{ type: "thinking", thinking: "Hm.", signature: "c2ln" },
			{ type: "text", text: "Yes." },
		]);
	});

	it("is a summary where one is asked for", async () => {
		const { last } = await ask("Is it?", { reasoning: { summary: "auto" } });
		expect(last.output[0]).toMatchObject({ summary: [{ type: "summary_text", text: "Hm." }] });
		expect(last.output[0]).not.toHaveProperty("content");
	});

	it("that was changed, or sealed for another user, is refused with 400", async () => {
		const { last } = await ask("Is it?");
		const [reasoning] = last.output;
		const sealed = String(reasoning?.encrypted_content);
		const changed = `${sealed.slice(0, -8)}AAAAAAAA`;
		for (const encrypted_content of [changed, "gAAAAABother"]) {
			const response = await create({
				input: [
					{ role: "user", content: "hi" },
					{ ...reasoning, encrypted_content },
				],
			});
			expect(response.status).toBe(400);
			expect((await errorOf(response)).error).toMatchObject({
				code: "invalid_encrypted_content",
				param: "input[1].encrypted_content",
			});
		}
	});

	it("is stored all the same, and comes back with previous_response_id", async () => {
		const { last } = await ask("Is it?", { store: true, include: [] });
		expect(last.output[0]).not.toHaveProperty("encrypted_content");
		await ask("Sure?", { previous_response_id: last.id });
		const sent = upstream.requests.at(-1)?.body["messages"] as { content: Json[] }[];
		expect(sent).toHaveLength(3);
		expect(sent[1]?.content[0]).toMatchObject({ type: "thinking", signature: "c2ln" });
	});
});

describe("a stored answer", () => {
	it("is readable once its last event was read, and goes on from there", async () => {
		const { last } = await streamTo({ input: "Remember the word heliotrope." });
		expect(last.store).toBe(true);
		const read = await (await callWithKey(pro.key, `${PATH}/${last.id}`)).json<Answer>();
		expect([read.id, read.output, read.svc]).toEqual([last.id, last.output, last.svc]);
		const second = await answerTo({ input: "Which word?", previous_response_id: last.id });
		expect(second["previous_response_id"]).toBe(last.id);
		expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("heliotrope");
	});

	it("is none where the service stores no texts, and the Response says so", async () => {
		const settings = { STORE_RESPONSES: "off" } as unknown as Partial<Env>;
		const response = await callWith(settings, PATH, withKey(pro.key, { input: "hi" }));
		const answer = (await response.json()) as Answer;
		expect(answer.store).toBe(false);
		expect(answer.svc.warnings.map(({ param }) => param)).toContain("store");
		expect((await callWithKey(pro.key, `${PATH}/${answer.id}`)).status).toBe(404);
	});
});

describe("the count of input tokens", () => {
	it("is an estimate that calls no model, and counts towards the minute only", async () => {
		const response = await callWithKey(pro.key, `${PATH}/input_tokens`, { input: "four words, or so" });
		expect(await response.json()).toEqual({
			object: "response.input_tokens",
			input_tokens: expect.any(Number),
			svc: { estimated: true },
		});
		expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("299");
		expect(upstream.requests).toEqual([]);
		expect((await usageOf(pro)).total_requests).toBe(0);
	});

	it("grows with the conversation that the request goes on from", async () => {
		const { id } = await answerTo({ input: "a ".repeat(400) });
		const count = async (body: Json) =>
			(await (await callWithKey(pro.key, `${PATH}/input_tokens`, body)).json<{ input_tokens: number }>()).input_tokens;
		const alone = await count({ input: "b" });
		expect(await count({ input: "b", previous_response_id: id })).toBeGreaterThan(alone + 150);
	});
});

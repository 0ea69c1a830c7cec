// Masks through the front door: no upstream sees a masked value, and the client gets each of them back.
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STRATEGIES } from "../../src/orchestration/strategies.ts";
import { hashObject } from "../../src/proof/hash.ts";
import { modelOnWire } from "../support/models.ts";
import { event, named, scripted, status } from "../support/scripted.ts";
import { canonical, saltedHash } from "../support/second-ledger.ts";
import {
	callWith,
	callWithKey,
	chat,
	newKey,
	receiptOf,
	saltOf,
	type TestKey,
	type Upstream,
	useSandbox,
	withKey,
} from "../support/service.ts";
import { readStream } from "../support/sse.ts";

type Json = Record<string, unknown>;

interface Completion {
	id: string;
	choices: { message: { content: string | null; tool_calls?: { function: { arguments: string } }[] } }[];
	svc: {
		proof: { salt: string };
		warnings: { code: string; param: string | null; message: string }[];
		fallback: boolean;
	};
}

const MAIL = "ada.lovelace@analytical.org";
const OTHER_MAIL = "grace@navy.example.com";
const CARD = "4111 1111 1111 1111";
const PROMPT = `My address is ${MAIL}, my card is ${CARD}. Say both.`;
const MASKED_PROMPT = "My address is [EMAIL_1], my card is [CREDIT_CARD_1]. Say both.";
const ORCHESTRATE = "/v2/orchestrate";
const CODE = "/v2/code";
const COMPLIANCE = { mask_data_classes: ["PII", "FINANCIAL"] };
const pinned = modelOnWire("openai");
const anthropic = modelOnWire("anthropic");

let upstream: Upstream;
let key: TestKey;

beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("corporate");
});
afterEach(() => upstream.restore());

/** Answers by a script instead of the sandbox's. */
function answerWith(respond: (request: Request) => Promise<Response | undefined>): void {
	upstream.restore();
	upstream = useSandbox(respond);
}

/** A whole or streamed answer in OpenAI's format, each character in an event of its own. */
function says(text: string, isStream: boolean, delta: (piece: string) => Json = (content) => ({ content })): Response {
	const finish = isStream ? { finish_reason: "stop" } : {};
	const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
	if (!isStream)
		return Response.json({
			choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
			usage,
		});
	return scripted(async function* () {
		for (const piece of text) yield event({ choices: [{ index: 0, delta: delta(piece), finish_reason: null }] });
		yield event({ choices: [{ index: 0, delta: {}, ...finish }], usage });
		yield event("[DONE]");
	});
}

/** Answers every call of a model with a text. */
function answerText(text: string): void {
	answerWith(async (request) => says(text, ((await request.json()) as { stream?: boolean }).stream === true));
}

async function json<T>(answer: Promise<Response>, expected = 200): Promise<T> {
	const response = await answer;
	expect(response.status, await response.clone().text()).toBe(expected);
	return response.json();
}

/** Everything that upstreams were sent. */
function sent(): string {
	return JSON.stringify(upstream.requests.map(({ url, headers, body }) => [url, [...headers], body]));
}

function expectNothingSent(): void {
	expect(upstream.requests.length).toBeGreaterThan(0);
	for (const value of [MAIL, OTHER_MAIL, CARD, "lovelace"]) expect(sent()).not.toContain(value);
}

describe("a chat", () => {
	it("sends placeholders, answers with the values, and says how many of each kind", async () => {
		answerText("It is [EMAIL_1] and [CREDIT_CARD_1].");
		const answer = await json<Completion>(chat(key.key, PROMPT, { model: pinned.id, compliance: COMPLIANCE }));
		expectNothingSent();
		expect(sent()).toContain(MASKED_PROMPT);
		const content = `It is ${MAIL} and ${CARD}.`;
		expect(answer.choices[0]?.message.content).toBe(content);
		expect(answer.svc.warnings).toEqual([]);
		const messages = [{ role: "user", content: PROMPT }];
		expect(await receiptOf(answer.id)).toMatchObject({
			input_hash: saltedHash(answer.svc.proof.salt, canonical({ type: "svc.input.v1", messages })),
			output_hash: saltedHash(answer.svc.proof.salt, content),
			compliance: { policy: COMPLIANCE, detected_classes: ["PII", "FINANCIAL"], masked: { credit_card: 1, email: 1 } },
		});
		const nothing = await json<Completion>(chat(key.key, "hi", { model: pinned.id, compliance: COMPLIANCE }));
		for (const { compliance, ...receipt } of [await receiptOf(answer.id), await receiptOf(nothing.id)]) {
			expect(receipt).not.toHaveProperty("masked");
			const { hash, type, ...claimed }: Json = Object(compliance);
			expect(hashObject({ ...claimed, type: String(type) })).toBe(hash);
		}
		expect((await receiptOf(nothing.id))["compliance"]).not.toHaveProperty("masked");
	});

	it("streams the values, whatever pieces the placeholders come in", async () => {
		answerText("Ää [EMAIL_1], [CREDIT_CARD_1], [EMAIL_9] [EMAIL_");
		const response = await chat(key.key, PROMPT, { model: pinned.id, compliance: COMPLIANCE, stream: true });
		const { text, done, chunks } = await readStream(response);
		expectNothingSent();
		expect(text).toBe(`Ää ${MAIL}, ${CARD}, [EMAIL_9] [EMAIL_`);
		expect(done).toBe(true);
		expect(JSON.stringify(chunks.at(-1)?.svc)).toContain("placeholder_not_restored");
		const id = chunks[0]?.id ?? "";
		expect(await receiptOf(id)).toMatchObject({ output_hash: saltedHash(await saltOf(key, id), text) });
	});

	it("streams tool arguments with the values, escaped", async () => {
		const name = 'Ann "The Hammer" Lee';
		const tools = [{ type: "function", function: { name: "send", parameters: { type: "object" } } }];
		const args = '{"to":"[EMAIL_1]","copy":["[EMAIL_1]"]}';
		answerWith(async () =>
			says(args, true, (piece) => ({
				tool_calls: [{ index: 0, id: "c1", function: { name: "send", arguments: piece } }],
			})),
		);
		const quoted = `"odd \\"name"@analytical.org`;
		const body = { model: pinned.id, compliance: COMPLIANCE, tools, stream: true };
		const { chunks } = await readStream(await chat(key.key, `${PROMPT} ${name} ${quoted}`, body));
		expectNothingSent();
		const pieces = chunks.flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? []);
		expect(JSON.parse(pieces.map((call) => call.function.arguments ?? "").join(""))).toEqual({
			to: MAIL,
			copy: [MAIL],
		});
	});

	it("masks a conversation with tool calls and results, and repeats its beginning byte for byte", async () => {
		const messages: Json[] = [
			{ role: "system", content: `Never write to ${OTHER_MAIL}.` },
			{ role: "user", content: PROMPT },
			{
				role: "assistant",
				content: null,
				tool_calls: [
					{
						id: "c1",
						type: "function",
						function: { name: "send", arguments: JSON.stringify({ to: MAIL, card: 4111111111111111 }) },
					},
				],
			},
			{ role: "tool", tool_call_id: "c1", content: JSON.stringify({ sent_to: MAIL }) },
		];
		const tools = [{ type: "function", function: { name: "send", parameters: { type: "object" } } }];
		for (const model of [pinned, anthropic]) {
			answerWith(async () =>
				model === pinned
					? says("Done, [EMAIL_2].", false)
					: scripted(async function* () {
							yield named({ type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } });
							yield named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
							yield named({
								type: "content_block_delta",
								index: 0,
								delta: { type: "text_delta", text: "Done, [EMAIL_2]." },
							});
							yield named({ type: "content_block_stop", index: 0 });
							yield named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } });
							yield named({ type: "message_stop" });
						}),
			);
			const request = (more: Json[]) =>
				json<Completion>(
					callWithKey(key.key, "/v1/chat/completions", {
						...{ model: model.id, tools, compliance: COMPLIANCE, stream: false },
						messages: [...messages, ...more],
					}),
				);
			const first = await request([]);
			expect(first.choices[0]?.message.content).toBe(`Done, ${MAIL}.`);
			await request([
				{ role: "assistant", content: first.choices[0]?.message.content },
				{ role: "user", content: "And to new.person@analytical.org, and [EMAIL_1]." },
			]);
			expectNothingSent();
			expect(sent()).not.toContain("new.person");
			expect(sent()).not.toContain("4111111111111111");
			const [before, after] = upstream.requests.map(({ body }) => JSON.stringify(body["messages"]).slice(0, -1));
			const shared = (before ?? "").replace(/,?"cache_control":\{[^}]*\}/g, "");
			expect((after ?? "").replace(/,?"cache_control":\{[^}]*\}/g, "").slice(0, shared.length)).toBe(shared);
		}
	});

	it("gives the value to no fallback either", async () => {
		answerWith(async (request) =>
			request.url.includes(pinned.provider)
				? status(500, {}, { error: { message: `bad: ${await request.text()}` } })
				: undefined,
		);
		const answer = await json<Completion>(chat(key.key, PROMPT, { model: pinned.id, compliance: COMPLIANCE }));
		expect(answer.svc.fallback).toBe(true);
		expect(new Set(upstream.requests.map(({ url }) => url.split("/")[3])).size).toBeGreaterThan(1);
		expectNothingSent();
		expect(answer.choices[0]?.message.content).toContain(MAIL);
	});

	it("restores values in JSON as JSON", async () => {
		const secret = 'correct horse \\"battery\\" staple';
		answerText('{"mail": "[EMAIL_1]", "card": [CREDIT_CARD_1]}');
		const body = { model: pinned.id, compliance: COMPLIANCE, response_format: { type: "json_object" } };
		const answer = await json<Completion>(chat(key.key, `${PROMPT} JSON. ${secret}`, body));
		expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ mail: MAIL, card: CARD });
	});

	it("refuses what stands where nothing is masked, and what a level above blocks as received", async () => {
		const masked = { ...COMPLIANCE, provider_allowlist: ["zai"] };
		const allowed = { compliance: { ...COMPLIANCE, block_data_classes: ["PII"] }, model: "auto" };
		await json(chat(key.key, PROMPT, allowed));
		expectNothingSent();
		const before = upstream.requests.length;
		const parameters = { type: "object", properties: { [MAIL]: { type: "string" } } };
		const tools = [{ type: "function", function: { name: "send", parameters } }];
		for (const compliance of [masked, COMPLIANCE, { ...masked, block_data_classes: ["PII"] }])
			for (const unmasked of [{ tools }, { service_note: { owner: MAIL } }])
				await json(chat(key.key, "hi", { compliance, ...unmasked }), 403);
		expect(upstream.requests.length).toBe(before);
	});

	it("masks definitions, stop sequences, the user and a speaker's name, and puts back what comes of them", async () => {
		const parameters = { type: "object", properties: { to: { type: "string", enum: [MAIL] } } };
		const tools = [{ type: "function", function: { name: "send", description: `Mails ${MAIL}`, parameters } }];
		const args = '{"to":"[EMAIL_1]"}';
		answerWith(async () =>
			says(args, true, (piece) => ({
				tool_calls: [{ index: 0, id: "c1", function: { name: "send", arguments: piece } }],
			})),
		);
		const body = {
			...{ model: pinned.id, compliance: COMPLIANCE, stream: true, tools, stop: [MAIL], user: MAIL },
			messages: [{ role: "user", name: MAIL, content: "Write." }],
		};
		const { chunks } = await readStream(await callWithKey(key.key, "/v1/chat/completions", body));
		expectNothingSent();
		expect(sent()).toContain("Mails [EMAIL_1]");
		expect(upstream.requests[0]?.body).toMatchObject({ stop: ["[EMAIL_1]"] });
		const pieces = chunks.flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? []);
		expect(JSON.parse(pieces.map((call) => call.function.arguments ?? "").join(""))).toEqual({ to: MAIL });
	});

	it("shows a failure as the provider wrote it, with placeholders", async () => {
		answerWith(async (request) => status(400, {}, { error: { message: `cannot read ${await request.text()}` } }));
		const failed = JSON.stringify(await json(chat(key.key, PROMPT, { model: pinned.id, compliance: COMPLIANCE }), 400));
		expect(failed).not.toContain(MAIL);
	});
});

describe("signed reasoning", () => {
	it("keeps its placeholders on the way out and on the way back", async () => {
		const thinking = "They gave [EMAIL_1].";
		answerWith(async () =>
			scripted(async function* () {
				yield named({ type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } });
				yield named({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } });
				yield named({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking } });
				yield named({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } });
				yield named({ type: "content_block_stop", index: 0 });
				yield named({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } });
				yield named({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hi [EMAIL_1]" } });
				yield named({ type: "content_block_stop", index: 1 });
				yield named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } });
				yield named({ type: "message_stop" });
			}),
		);
		const ask = (messages: Json[]) =>
			json<{ choices: { message: Json & { thinking_blocks?: Json[] } }[] }>(
				callWithKey(key.key, "/v1/chat/completions", { model: anthropic.id, messages, compliance: COMPLIANCE }),
			);
		const question = { role: "user", content: PROMPT };
		const message = (await ask([question])).choices[0]?.message ?? {};
		expect(message).toMatchObject({ content: `Hi ${MAIL}`, thinking_blocks: [{ thinking, signature: "c2ln" }] });
		await ask([question, message, { role: "user", content: "Again." }]);
		expectNothingSent();
		expect(JSON.stringify(upstream.requests[1]?.body)).toContain(thinking);
	});
});

describe("the levels of policies", () => {
	/** The server's config, in a binding of its own. */
	const server = (text: string): Partial<Env> => ({
		KV: { get: async (name: string) => (name === "brain:default" ? text : null) } as unknown as KVNamespace,
	});
	const ask = (bindings: Partial<Env>, compliance?: Json) =>
		callWith(
			bindings,
			"/v1/chat/completions",
			withKey(key.key, { messages: [{ role: "user", content: PROMPT }], compliance }),
		);

	it("let the operator's mask satisfy what the request blocks, and not the other way round", async () => {
		const allowlist = "provider_allowlist: [zai]";
		const mask = server(`compliance:\n  mask_data_classes: [PII, FINANCIAL]\n  ${allowlist}`);
		await json(ask(mask, { block_data_classes: ["PII", "FINANCIAL"] }));
		expectNothingSent();
		const before = upstream.requests.length;
		const block = server(`compliance:\n  block_data_classes: [PII]\n  ${allowlist}`);
		await json(ask(block, COMPLIANCE), 403);
		expect(upstream.requests.length).toBe(before);
	});
});

describe("a preview", () => {
	it("says how many values of each kind would be masked", async () => {
		const messages = [{ role: "user", content: `${PROMPT} Not ${OTHER_MAIL}.` }];
		const route = await json<Json>(callWithKey(key.key, "/v1/route", { messages, compliance: COMPLIANCE }));
		expect(route["masked"]).toEqual({ credit_card: 1, email: 2 });
		expect(await json<Json>(callWithKey(key.key, "/v1/route", { messages }))).not.toHaveProperty("masked");
		const preview = await json<Json>(
			callWithKey(key.key, "/v2/compliance/preview", { messages, compliance: COMPLIANCE }),
		);
		expect(preview).toMatchObject({ ok: true, masked: { credit_card: 1, email: 2 } });
	});

	it("shows the last user message as models read it, and nothing else", async () => {
		const preview = (body: Json) =>
			json<Json>(callWithKey(key.key, "/v2/compliance/preview", { compliance: COMPLIANCE, ...body }));
		expect(await preview({ prompt: PROMPT })).toMatchObject({ masked_text: MASKED_PROMPT });
		const messages = [
			{ role: "user", content: PROMPT },
			{ role: "assistant", content: OTHER_MAIL },
			{
				role: "user",
				content: [
					{ type: "text", text: `Not ${OTHER_MAIL}` },
					{ type: "text", text: "thanks" },
				],
			},
			{ role: "assistant", content: CARD },
		];
		expect(await preview({ messages, scope: "all" })).toMatchObject({ masked_text: "Not [EMAIL_2]\nthanks" });
		expect(await preview({ messages })).toMatchObject({ masked_text: "Not [EMAIL_1]\nthanks" });
		const long = await preview({ prompt: `${PROMPT} ${"word ".repeat(2_000)}` });
		expect(long["masked_text"]).toHaveLength(4_000);
		expect(await preview({ prompt: PROMPT, compliance: { block_data_classes: ["PII"] } })).not.toHaveProperty(
			"masked_text",
		);
	});
});

describe("a workflow", () => {
	it.each(STRATEGIES)("of the strategy %s sends placeholders only", async (strategy) => {
		const body = { messages: [{ role: "user", content: PROMPT }], strategy, compliance: COMPLIANCE };
		const answer = await json<Completion & { svc: Json }>(callWithKey(key.key, ORCHESTRATE, body));
		expectNothingSent();
		expect(JSON.stringify(answer)).not.toContain("[EMAIL_1]");
		expect(await receiptOf(answer.id)).toMatchObject({
			compliance: { masked: { credit_card: 1, email: 1 } },
			output_hash: saltedHash(await saltOf(key, answer.id), answer.choices[0]?.message.content ?? ""),
		});
	});

	it("streams its progress with the values", async () => {
		const body = {
			messages: [{ role: "user", content: PROMPT }],
			strategy: "decompose_and_route",
			compliance: COMPLIANCE,
			stream: true,
		};
		const text = await (await callWithKey(key.key, ORCHESTRATE, body)).text();
		expectNothingSent();
		expect(text).toContain("event: result");
		expect(text).not.toContain("[EMAIL_1]");
	});

	it("writes code with the values", async () => {
		const body = { task: `Write a Python script that mails ${MAIL}.`, compliance: COMPLIANCE };
		const answer = await json<{ id: string; task: string }>(callWithKey(key.key, CODE, body));
		expectNothingSent();
		expect(answer.task).toBe(body.task);
		expect(JSON.stringify(answer)).not.toContain("[EMAIL_1]");
		expect(await receiptOf(answer.id)).toMatchObject({
			compliance: { masked: { email: 1 } },
			input_hash: saltedHash(await saltOf(key, answer.id), body.task),
		});
	});
});

describe("a run", () => {
	it("sends placeholders at every step, and stores the values", async () => {
		const goal = `Write three letters: 1. to ${MAIL}, 2. to ${OTHER_MAIL}, 3. about the card ${CARD}.`;
		for (const policy of ["efficiency", "depth"]) {
			const run = await json<{ run_id: string; salt: string; output: string; plan: string[]; steps: Json[] }>(
				callWithKey(key.key, "/v1/agent/run", { goal, policy, compliance: COMPLIANCE }),
			);
			expectNothingSent();
			expect(JSON.stringify(run)).not.toMatch(/\[EMAIL_\d\]/);
			expect(JSON.stringify(run.plan)).toContain(MAIL);
			expect(await receiptOf(run.run_id)).toMatchObject({
				compliance: { masked: { credit_card: 1, email: 2 } },
				input_hash: saltedHash(run.salt, goal),
				output_hash: saltedHash(run.salt, run.output),
			});
		}
	});
});

describe("an interrupted run", () => {
	it("has the same mask when it is resumed elsewhere", async () => {
		let isDown = true;
		answerWith(async (request) =>
			isDown && (await request.text()).includes("Subtask 2 of 3") ? status(500) : undefined,
		);
		const goal = `Write a letter to ${MAIL}. Write a letter to ${OTHER_MAIL}. Put both letters in a table`;
		const body = { goal, policy: "efficiency", compliance: COMPLIANCE };
		const { run_id } = await json<{ run_id: string }>(callWithKey(key.key, "/v1/agent/run", body), 502);
		isDown = false;
		await evictDurableObject(env.AGENT_RUN.getByName(`run:${run_id}`) as unknown as DurableObjectStub<undefined>);
		const run = await json<{ salt: string; output: string; status: string }>(
			callWithKey(key.key, `/v1/agent/${run_id}/resume`, {}),
		);
		expectNothingSent();
		expect(run.status).toBe("complete");
		expect(JSON.stringify(run)).not.toMatch(/\[EMAIL_\d\]/);
		expect(await receiptOf(run_id)).toMatchObject({
			compliance: { masked: { email: 2 } },
			output_hash: saltedHash(run.salt, run.output),
		});
	});
});

describe("a resumed run", () => {
	it("masks what is inferred, also beside the server's policy of today", async () => {
		let isDown = true;
		answerWith(async (request) =>
			isDown && (await request.text()).includes("Subtask 2 of 2") ? status(500) : undefined,
		);
		const statement = "Mio nonno è in ospedale per uno scompenso cardiaco e siamo preoccupati.";
		const goal = `1. Write a letter: ${statement}\n2. Write a letter to the clinic\n3. Put both letters in a table`;
		const compliance = { mask_data_classes: ["PHI"], detect: "inferred" };
		const body = { goal, policy: "efficiency", compliance };
		const { run_id } = await json<{ run_id: string }>(callWithKey(key.key, "/v1/agent/run", body), 502);
		isDown = false;
		const floor = JSON.stringify({ compliance: { provider_denylist: ["zai"] } });
		const get = async (name: string) => (name === "brain:default" ? floor : null);
		const server: Partial<Env> = { KV: { get, put: async () => undefined } as unknown as KVNamespace };
		const run = await json<{ status: string }>(callWith(server, `/v1/agent/${run_id}/resume`, withKey(key.key, {})));
		expect(run.status).toBe("complete");
		expect(upstream.requests.length).toBeGreaterThan(2);
		expect(sent()).not.toContain("scompenso");
	});
});

describe("a tool of the MCP server", () => {
	it("masks as its endpoint does", async () => {
		const args = { messages: [{ role: "user", content: PROMPT }], compliance: COMPLIANCE };
		const params = { name: "create_chat_completion", arguments: args };
		const answer = await json<{ result: { structuredContent: Completion } }>(
			callWithKey(key.key, "/v1/mcp?tools=all", { jsonrpc: "2.0", id: 1, method: "tools/call", params }),
		);
		expectNothingSent();
		expect(answer.result.structuredContent.choices[0]?.message.content).toContain(MAIL);
	});
});

describe("a skill", () => {
	it("is asked with placeholders", async () => {
		const task = `${PROMPT} Make it sound friendly.`;
		const answer = await json<Completion>(
			callWithKey(key.key, "/v1/skills/editing/invoke", { task, compliance: COMPLIANCE }),
		);
		expectNothingSent();
		expect(answer.choices[0]?.message.content).toContain(MAIL);
		expect(await receiptOf(answer.id)).toMatchObject({ compliance: { masked: { credit_card: 1, email: 1 } } });
	});
});

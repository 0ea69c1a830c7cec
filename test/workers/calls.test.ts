// Upstream calls through the front door, with upstreams that are slow, silent, throttled or gone: what is waited for, who is
// tried again, who stands in and who is left alone for a while.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { reasonsHidden, timeToFirstTokenMs } from "../../src/routing/effort.ts";
import type { Observed } from "../../src/routing/observed.ts";
import { canBeSilent, modelOnWire, providersBut } from "../support/models.ts";
import {
	answers,
	DONE,
	event,
	finish,
	pause,
	providerOf,
	ROLE,
	says,
	scripted,
	status,
	word,
} from "../support/scripted.ts";
import {
	callWith,
	chat,
	eventually,
	newKey,
	receiptOf,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
	withKey,
} from "../support/service.ts";
import { type Chunk, readStream } from "../support/sse.ts";
import { TEST_ADMIN_TOKEN } from "../support/variables.ts";

/** Named by the tests; does not reason unless asked. */
const named = modelOnWire("openai", (model) => canBeSilent(model) && model.provider === "openai");
/** Reasons unseen, and is quick about it. */
const [unseen] = CATALOG.models
	.filter((model) => canBeSilent(model) && reasonsHidden(model, CATALOG.providerFor(model), "high"))
	.sort((a, b) => timeToFirstTokenMs(a, "high") - timeToFirstTokenMs(b, "high"));
if (!unseen) throw new Error("no model reasons unseen");
const unseenSilenceMs = 3 * timeToFirstTokenMs(unseen, "high");

const HEAD_MS = 300;
const IDLE_MS = 200;
const QUICK = { UPSTREAM_TIMEOUT_MS: String(HEAD_MS), UPSTREAM_IDLE_TIMEOUT_MS: String(IDLE_MS) };

let upstream: Upstream;
let pro: TestKey;

beforeAll(async () => {
	pro = await newKey("pro");
});
beforeEach(() => {
	upstream = useSandbox();
});
afterEach(() => {
	vi.useRealTimers();
	upstream.restore();
});

type Answers = (provider: string, place: number) => Response | Promise<Response> | undefined;

/** Answers of the test's own; the sandbox answers where there is none. `place` counts a provider's calls from 0. */
function respondWith(respond: Answers): void {
	upstream.restore();
	const calls = new Map<string, number>();
	upstream = useSandbox(async (request) => {
		const provider = providerOf(request);
		const place = calls.get(provider) ?? 0;
		calls.set(provider, place + 1);
		return respond(provider, place);
	});
}

/** What the model's own provider answers; the others are the sandbox. */
function respondAs(
	model: { provider: string },
	respond: (place: number) => Response | Promise<Response> | undefined,
): void {
	respondWith((provider, place) => (provider === model.provider ? respond(place) : undefined));
}

/** A chat request under short deadlines. */
function quickChat(
	body: Record<string, unknown>,
	settings: Record<string, string> = {},
	{ key }: TestKey = pro,
): Promise<Response> {
	const bindings: Record<string, string> = { ...QUICK, ...settings };
	const messages = [{ role: "user", content: "hi" }];
	return callWith(bindings as Partial<Env>, "/v1/chat/completions", withKey(key, { messages, ...body }));
}

function callsTo({ provider }: { provider: string }): number {
	return upstream.requests.filter((request) => providerOf(request) === provider).length;
}

interface Completion {
	model: string;
	choices: { message: { content: string | null }; finish_reason: string }[];
	svc: NonNullable<Chunk["svc"]> & { routing: { reason: string; observed: Observed } };
}

async function completion(response: Response): Promise<Completion> {
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** What a request came to, whole or streamed. */
async function outcome(response: Response): Promise<{ text: string; svc: Chunk["svc"]; error: string | null }> {
	if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
		const { text, chunks, done } = await readStream(response);
		return { text, svc: chunks.at(-1)?.svc, error: done ? null : (chunks.at(-1)?.error?.code ?? "no error") };
	}
	const { choices, svc } = await completion(response);
	return { text: choices[0]?.message.content ?? "", svc, error: null };
}

function saying(content: string) {
	return [{ role: "user", content }];
}

/** The model that a request asks for: in its body, or in its path. */
function askedModel({ url, body }: { url: string; body: Record<string, unknown> }): string {
	return typeof body["model"] === "string" ? body["model"] : (/\/models\/([^:]+):/.exec(url)?.[1] ?? "");
}

/** A refusal of these models, in a form that all three readers take. */
async function refuseUnserved(request: Request, unserved: ReadonlySet<string>): Promise<Response | undefined> {
	const model = askedModel({ url: request.url, body: (await request.json()) as Record<string, unknown> });
	const message = `The model \`${model}\` does not exist or you do not have access to it.`;
	return unserved.has(model) ? status(404, {}, { error: { message, type: "not_found_error" } }) : undefined;
}

const WORDS = Array.from({ length: 12 }, (_, i) => `word${i} `);

describe.each([false, true])("an upstream that is slow (client streams: %s)", (stream) => {
	it("may take longer than head and silence together, as long as it says something: one model is billed", async () => {
		respondAs(named, () =>
			scripted(async function* () {
				yield ROLE;
				for (const text of WORDS) {
					await pause(60);
					yield word(text);
				}
				yield finish() + DONE;
			}),
		);
		const key = await newKey("pro");
		const { text, svc, error } = await outcome(await quickChat({ model: named.id, stream }, {}, key));
		expect([text, svc?.fallback, error]).toEqual([WORDS.join(""), false, null]);
		expect(upstream.requests).toHaveLength(1);
		expect(upstream.requests[0]?.body["stream"]).toBe(true);
		expect(Object.keys((await usageOf(key)).by_model)).toEqual([named.id]);
	});

	it("may be silent before its first words for three times its catalog's time where it reasons unseen", async () => {
		respondAs(unseen, () =>
			scripted(async function* () {
				await pause(2 * IDLE_MS);
				yield ROLE + word("thought") + finish() + DONE;
			}),
		);
		expect(unseenSilenceMs).toBeGreaterThan(2 * IDLE_MS);
		const asked = await outcome(await quickChat({ model: unseen.id, reasoning_effort: "high", stream }));
		expect([asked.text, asked.svc?.fallback]).toEqual(["thought", false]);
		// It does not reason at this effort, so its silence is nothing but that.
		const unasked = await outcome(await quickChat({ model: unseen.id, reasoning_effort: "none", stream }));
		expect(unasked.svc?.fallback_from).toBe(unseen.id);
	});

	it("is given up when it is silent for longer even so, and another model stands in", async () => {
		let left = false;
		respondAs(unseen, () =>
			scripted(
				async function* () {
					yield ROLE;
					await pause(60_000);
				},
				{ onCancel: () => (left = true) },
			),
		);
		const { svc } = await outcome(await quickChat({ model: unseen.id, reasoning_effort: "high", stream }));
		expect(svc?.fallback_from).toBe(unseen.id);
		expect(left).toBe(true);
	});

	it("may not be silent for long once it has spoken, reasoning or not", async () => {
		respondAs(unseen, () =>
			scripted(async function* () {
				yield ROLE + word("Well");
				await pause(2 * IDLE_MS);
				yield word(", no.") + finish() + DONE;
			}),
		);
		const { text, svc, error } = await outcome(await quickChat({ model: unseen.id, reasoning_effort: "high", stream }));
		// A client that has heard the first words gets no others.
		if (stream) expect([text, error]).toEqual(["Well", "upstream_timeout"]);
		else expect(svc?.fallback_from).toBe(unseen.id);
	});

	it("is not silent while it pings, whatever the comment says", async () => {
		respondAs(named, () =>
			scripted(async function* () {
				for (let i = 0; i < 6; i++) {
					await pause(60);
					yield i % 2 ? ": queued\n\n" : event({ choices: [] });
				}
				yield word("at last") + finish() + DONE;
			}),
		);
		expect(await outcome(await quickChat({ model: named.id, stream }))).toMatchObject({ text: "at last", error: null });
		expect(upstream.requests).toHaveLength(1);
	});

	it("has so much time in all, which its pings do not lengthen: nobody else is asked then", async () => {
		let left = false;
		respondAs(named, () =>
			scripted(
				async function* () {
					for (;;) {
						await pause(20);
						yield ": still there\n\n";
					}
				},
				{ onCancel: () => (left = true) },
			),
		);
		const response = await quickChat({ model: named.id, stream }, { UPSTREAM_TOTAL_TIMEOUT_MS: "1500" });
		expect(response.status).toBe(502);
		const { attempts } = (await response.json()) as { attempts: string[] };
		expect(attempts).toEqual([expect.stringContaining("time of the request was up")]);
		expect([upstream.requests.length, left]).toEqual([1, true]);
	});

	it("whose head never comes is given up, and another model stands in", async () => {
		respondAs(named, () => new Promise(() => undefined));
		const { svc } = await outcome(await quickChat({ model: named.id, stream }));
		expect(svc).toMatchObject({ fallback: true, fallback_from: named.id });
		expect(callsTo(named)).toBe(1);
	});

	it("that answers with a whole body where a stream was asked for is read all the same", async () => {
		const message = { role: "assistant", content: "All at once." };
		const body = {
			choices: [{ index: 0, message, finish_reason: "stop" }],
			usage: { prompt_tokens: 5, completion_tokens: 7 },
		};
		const text = JSON.stringify(body);
		respondAs(named, (place) =>
			place === 0
				? answers("All at once.")
				: scripted(
						async function* () {
							for (const piece of text.match(/.{1,20}/g) ?? []) {
								await pause(60);
								yield piece;
							}
						},
						{ contentType: "application/json; charset=utf-8" },
					),
		);
		const streamed = await outcome(await quickChat({ model: named.id, stream }));
		const whole = await outcome(await quickChat({ model: named.id, stream }));
		expect([whole.text, whole.error]).toEqual(["All at once.", null]);
		expect(whole.svc?.cost).toEqual(streamed.svc?.cost);
	});
});

describe("a client that reads slowly", () => {
	/** Words without end, as fast as they are read. */
	function endless(onCancel: () => void): Response {
		return scripted(
			async function* () {
				yield ROLE;
				for (;;) yield word("la ".repeat(2_000));
			},
			{ onCancel },
		);
	}

	it("is not taken for a silent upstream", async () => {
		respondAs(named, () =>
			scripted(async function* () {
				yield ROLE;
				for (const text of WORDS) yield word(text);
				yield finish() + DONE;
			}),
		);
		const response = await quickChat({ model: named.id, stream: true });
		const reader = response.body?.getReader();
		const decoder = new TextDecoder();
		let text = "";
		for (let piece = await reader?.read(); !piece?.done; piece = await reader?.read()) {
			text += decoder.decode(piece?.value, { stream: true });
			if (text.length < 700) await pause(1.5 * IDLE_MS);
		}
		expect(text).toContain("word11");
		expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
	});

	it("does not keep an upstream beyond the time of the request, nor its own request from being settled", async () => {
		let left = false;
		respondAs(named, () => endless(() => (left = true)));
		const key = await newKey("pro");
		const response = await quickChat({ model: named.id, stream: true }, { UPSTREAM_TOTAL_TIMEOUT_MS: "300" }, key);
		const id = response.headers.get("x-request-id") ?? "";
		await eventually(async () => (await usageOf(key)).total_requests === 1);
		expect(left).toBe(true);
		expect(await receiptOf(id)).toMatchObject({ outcome: "cut", estimated: true });
		const { chunks, done } = await readStream(response);
		expect([done, chunks.at(-1)?.error?.code]).toEqual([false, "upstream_timeout"]);
		expect(chunks.at(-1)?.svc?.cost.total_usd).toBeGreaterThan(0);
	});
});

describe("a transient failure of a named model", () => {
	const failures: Record<string, () => Response> = {
		"a connection that breaks": () => {
			throw new Error("Network connection lost.");
		},
		"status 408": () => status(408),
		"status 429 with a wait of one second": () => status(429, { "retry-after": "1" }),
		"status 429 with a wait in ms": () => status(429, { "retry-after-ms": "10" }),
		"status 500": () => status(500),
		"status 529": () => status(529),
	};

	it.each(Object.keys(failures))("is tried once more there: %s", async (name) => {
		respondAs(named, (place) => (place === 0 ? failures[name]?.() : answers()));
		const { model, svc } = await completion(await quickChat({ model: named.id }));
		expect([model, svc.fallback, upstream.requests.length]).toEqual([named.id, false, 2]);
	});

	it("that goes on lets another stand in", async () => {
		respondAs(named, () => status(503));
		const { svc } = await completion(await quickChat({ model: named.id }));
		expect([svc.fallback_from, callsTo(named), upstream.requests.length]).toEqual([named.id, 2, 3]);
		expect(svc.routing.reason).toContain("it did not answer");
	});

	it("is not tried again where nobody named the model", async () => {
		let isFirst = true;
		respondWith(() => {
			const answer = isFirst ? status(503) : undefined;
			isFirst = false;
			return answer;
		});
		const { svc } = await completion(await quickChat({}));
		const providers = upstream.requests.map(providerOf);
		expect(svc.fallback).toBe(true);
		expect(new Set(providers).size).toBe(providers.length);
	});

	it.each([
		["a longer wait", () => status(503, { "retry-after": "3" })],
		["a key that is refused", () => status(401)],
		["a certificate that is not trusted", () => status(526)],
		["an answer that breaks off", () => says(ROLE)],
	])("is not what %s is: another stands in at once", async (_, respond) => {
		respondAs(named, respond);
		const { svc } = await completion(await quickChat({ model: named.id }));
		expect([svc.fallback_from, callsTo(named)]).toEqual([named.id, 1]);
	});

	it("does not outlive a client that leaves during the pause", async () => {
		const hangUp = new AbortController();
		const key = await newKey("pro");
		respondAs(named, () => status(429, { "retry-after": "2" }));
		const messages = [{ role: "user", content: "hi" }];
		const init = { ...withKey(key.key, { messages, model: named.id }), signal: hangUp.signal };
		const response = callWith({}, "/v1/chat/completions", init);
		await eventually(async () => upstream.requests[0]?.status === 429);
		hangUp.abort();
		await response;
		expect(upstream.requests).toHaveLength(1);
		expect((await usageOf(key)).total_requests).toBe(0);
	});
});

describe("a provider that answers 429", () => {
	/** Throttles a model, and the others never. */
	function throttle(headers: Record<string, string>): void {
		respondAs(named, (place) => (place === 0 ? status(429, headers) : answers()));
	}

	it.each([
		["three seconds", { "retry-after": "3" }],
		["no time", {}],
	])("for %s is left alone meanwhile by plans without priority, and the answer says so", async (_, headers) => {
		throttle(headers);
		const first = await completion(await quickChat({ model: named.id }));
		expect(first.svc.fallback_from).toBe(named.id);
		expect(first.svc.routing.reason).toContain("it did not answer");
		const second = await completion(await quickChat({ model: named.id }));
		expect([second.svc.fallback_from, callsTo(named)]).toEqual([named.id, 1]);
		expect(second.svc.routing.reason).toContain("it was not asked");
		expect((await receiptOf(second.svc.proof.request_id))["reason"]).toContain("it was not asked");
	});

	it("is called again after its wait", async () => {
		throttle({ "retry-after": "3" });
		await quickChat({ model: named.id });
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_000 });
		expect((await completion(await quickChat({ model: named.id }))).svc.fallback).toBe(false);
	});

	it("is called meanwhile by a plan with priority", async () => {
		throttle({ "retry-after": "3" });
		await quickChat({ model: named.id });
		const corporate = await newKey("corporate");
		const answer = await completion(await chat(corporate.key, "hi", { model: named.id }));
		expect([answer.svc.fallback, callsTo(named)]).toEqual([false, 2]);
	});

	it("is called as the last resort when all are scarce: the one that is so for the shortest time, once", async () => {
		const [a, b, c] = CATALOG.models.filter(({ provider, tier }) => provider === named.provider && tier !== "frontier");
		if (!a || !b || !c) throw new Error("three models of one provider are needed");
		const waits: Record<string, string> = {
			[a.upstream_model]: "20",
			[b.upstream_model]: "7",
			[c.upstream_model]: "12",
		};
		const config = {
			brain_config: {
				blocked: [
					...providersBut(named),
					...CATALOG.models
						.filter((model) => model.provider === named.provider && ![a, b, c].includes(model))
						.map(({ id }) => id),
				],
			},
		};
		let isThrottled = true;
		upstream.restore();
		upstream = useSandbox(async (request) => {
			const { model } = (await request.json()) as { model: string };
			return isThrottled ? status(429, { "retry-after": waits[model] ?? "30" }) : undefined;
		});
		const refused = await quickChat(config);
		expect([refused.status, refused.headers.get("retry-after"), upstream.requests.length]).toEqual([502, "7", 3]);
		isThrottled = false;
		const { model } = await completion(await quickChat(config));
		expect([model, upstream.requests.length]).toEqual([b.id, 4]);
	});
});

describe("a provider's breaker", () => {
	it("opens after five failures of its own in a short time, whatever goes well between them", async () => {
		respondAs(named, (place) => (place % 2 === 0 ? status(500) : answers()));
		const reasons: string[] = [];
		for (let i = 0; i < 6; i++) {
			const { svc } = await completion(await quickChat({ model: named.id, messages: saying(`hi ${i % 2}`) }));
			reasons.push(svc.fallback ? svc.routing.reason : "served");
		}
		// The fifth failure has no second try any more.
		expect(reasons).toEqual([
			...Array.from({ length: 4 }, () => "served"),
			expect.stringContaining("it did not answer"),
			expect.stringContaining("it was not asked"),
		]);
		expect(callsTo(named)).toBe(9);
	});

	it("and the failures behind it stand in the next answer as observed", async () => {
		respondAs(named, () => status(500));
		const before = await completion(await quickChat({ model: named.id }));
		expect(before.svc.routing.observed).toEqual({ at: expect.any(String) });
		await quickChat({ model: named.id });
		await quickChat({ model: named.id, messages: saying("something else") });
		const { svc } = await completion(await quickChat({ model: named.id }));
		expect(svc.routing.observed).toMatchObject({
			open_breakers: { [named.provider]: expect.any(Number) },
			failure_share: { [named.id]: expect.any(Number) },
		});
	});

	it("is not opened for others by all that one of several users meets, and shows them rounded figures only", async () => {
		const [quiet, loud] = await Promise.all([newKey("pro"), newKey("pro")]);
		await completion(await quickChat({ model: named.id }, {}, quiet));
		let isBad = true;
		respondAs(named, () => (isBad ? status(500) : answers()));
		// A new upstream forgets what was before.
		isBad = false;
		await completion(await quickChat({ model: named.id }, {}, quiet));
		isBad = true;
		for (let i = 0; i < 8; i++) await quickChat({ model: named.id, messages: saying(`prompt ${i}`) }, {}, loud);
		const shownTo = async ({ key }: TestKey) => {
			const response = await callWith({}, "/v1/route", withKey(key, { prompt: "hi" }));
			const { observed } = (await response.json()) as { observed: Observed };
			return observed;
		};
		expect(await shownTo(loud)).toMatchObject({ failure_share: { [named.id]: 0.44 } });
		expect(await shownTo(quiet)).toEqual({ at: expect.any(String) });
		expect(await shownTo(await newKey("pro"))).toMatchObject({ failure_share: { [named.id]: 0.25 } });
		isBad = false;
		expect((await completion(await quickChat({ model: named.id }, {}, quiet))).svc.fallback).toBe(false);
	});

	const harmless: Record<string, () => Response> = {
		"empty answers": () => says(ROLE, finish(), DONE),
		"answers that are cut": () => says(ROLE, word("Hel")),
		"answers that cannot be read": () => says("data: {\n\n"),
		"silence after the head": () =>
			scripted(async function* () {
				yield ROLE;
				await pause(60_000);
			}),
		"answers that take too long": () =>
			scripted(async function* () {
				for (;;) {
					await pause(20);
					yield word("la ");
				}
			}),
		"refused requests": () => status(400),
		"too much traffic": () => status(429, { "retry-after": "0" }),
	};

	it.each(Object.keys(harmless))("is not opened by what a prompt or a client can cause: %s", async (name) => {
		let isBad = true;
		respondAs(named, () => (isBad ? harmless[name]?.() : answers()));
		const settings = { UPSTREAM_IDLE_TIMEOUT_MS: "40", UPSTREAM_TOTAL_TIMEOUT_MS: "150" };
		await Promise.all(Array.from({ length: 7 }, () => quickChat({ model: named.id }, settings)));
		isBad = false;
		expect((await completion(await quickChat({ model: named.id }))).svc.fallback).toBe(false);
	});

	it("lets one of fifty requests probe when it is half open, and closes when that goes well", async () => {
		let isBad = true;
		const gate = Promise.withResolvers<void>();
		respondAs(named, async () => {
			if (isBad) return status(401);
			await gate.promise;
			return answers("I am back.");
		});
		await completion(await chat(pro.key, "hi", { model: named.id }));
		isBad = false;
		expect((await completion(await chat(pro.key, "hi", { model: named.id }))).svc.fallback).toBe(true);
		expect(callsTo(named)).toBe(1);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_001 });
		const fifty = await newKey("pro");
		const responses = Array.from({ length: 50 }, () => chat(fifty.key, "hi", { model: named.id }));
		await Promise.any(responses);
		await eventually(async () => upstream.requests.length === 53);
		expect(callsTo(named)).toBe(2);
		gate.resolve();
		const texts = await Promise.all(responses.map(async (response) => (await completion(await response)).svc.fallback));
		expect(texts.filter((isFallback) => !isFallback)).toHaveLength(1);
		expect((await completion(await chat(pro.key, "hi", { model: named.id }))).svc.fallback).toBe(false);
	});

	it("does not keep a request from the only provider there is", async () => {
		const only = { model: named.id, brain_config: { blocked: [...providersBut(named)] } };
		respondAs(named, (place) => (place === 0 ? status(401) : answers()));
		expect((await quickChat(only)).status).toBe(502);
		expect((await completion(await quickChat(only))).svc.fallback).toBe(false);
	});
});

describe("a provider that refuses a call", () => {
	const refusing = (word: string) => ({ model: named.id, messages: saying(`[[${word} @${named.provider}]] hi`) });

	it("because of the prompt ends it, in its words but for the account's ids, and is called by the next", async () => {
		respondAs(named, (place) =>
			place < 6
				? status(
						403,
						{},
						{
							code: "The caller does not have permission to execute the specified operation",
							error:
								"Content violates usage guidelines. Team: 00000000-0000-4000-8000-000000000000, API key ID: 11111111-1111-4111-8111-111111111111, Failed check: SAFETY",
						},
					)
				: undefined,
		);
		for (let i = 0; i < 6; i++) {
			const response = await quickChat({ model: named.id, messages: saying(`hi ${i}`) });
			expect([response.status, response.headers.get("x-should-retry")]).toEqual([400, "false"]);
			expect(await response.json()).toMatchObject({
				error: "upstream_rejected",
				upstream_status: 403,
				message: "Content violates usage guidelines. Team: …, API key ID: …, Failed check: SAFETY",
			});
		}
		expect(upstream.requests).toHaveLength(6);
		expect((await completion(await quickChat({ model: named.id }))).svc.fallback).toBe(false);
	});

	it("because it dislikes the prompt, of any format, is not shut off", async () => {
		for (const { id } of ["openai", "anthropic", "google"].map((wire) => modelOnWire(wire as "openai"))) {
			const refused = await quickChat({ model: id, messages: saying("[[disliked]] hi") });
			expect([refused.status, upstream.requests.length]).toEqual([400, 1]);
			expect((await completion(await quickChat({ model: id }))).svc.fallback).toBe(false);
			upstream.restore();
			upstream = useSandbox();
		}
	});

	it("because of the account is shut off at once, and another provider answers", async () => {
		const first = await completion(await quickChat(refusing("forbidden")));
		expect([first.svc.fallback_from, callsTo(named)]).toEqual([named.id, 1]);
		expect((await completion(await quickChat({ model: named.id }))).svc.routing.reason).toContain("it was not asked");
	});

	it.each([404, 405])("because nothing is at its base address (%i) is shut off, and said in the log", async (code) => {
		const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
		respondAs(named, () => new Response("<html>Not Found</html>", { status: code }));
		const first = await completion(await quickChat({ model: named.id }));
		expect([first.svc.fallback_from, callsTo(named)]).toEqual([named.id, 1]);
		await completion(await quickChat({ model: named.id }));
		expect(callsTo(named)).toBe(1);
		const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);
		warned.mockRestore();
		expect(lines).toMatchObject([
			{ level: "warning", event: "provider_refuses", provider: named.provider, status: code },
		]);
	});
});

describe("a model that its provider does not serve", () => {
	let unserved: Set<string>;
	let warned: string[];

	/** Refuses the models in `unserved` as a provider would; the sandbox answers for the others. */
	beforeEach(() => {
		unserved = new Set();
		warned = [];
		vi.spyOn(console, "warn").mockImplementation((line: string) => void warned.push(line));
		upstream.restore();
		upstream = useSandbox((request) => refuseUnserved(request, unserved));
	});
	afterEach(() => {
		vi.restoreAllMocks();
	});

	const asked = ({ upstream_model }: { upstream_model: string }) =>
		upstream.requests.filter((request) => askedModel(request) === upstream_model).length;

	const auto = async (stream = false) => {
		const { svc } = await outcome(await quickChat({ model: "auto", stream }));
		if (!svc) throw new Error("no svc block");
		return svc;
	};

	/** The model that auto chooses. */
	const chosen = async () => {
		const response = await callWith({}, "/v1/route", withKey(pro.key, { prompt: "hi" }));
		const { model } = (await response.json()) as { model: string };
		const found = CATALOG.findModel(model);
		if (!found) throw new Error(`no model ${model}`);
		return found;
	};

	it.each([false, true])("is replaced, and then passed by for ten minutes (stream: %s)", async (stream) => {
		const first = await chosen();
		unserved.add(first.upstream_model);
		expect(await auto(stream)).toMatchObject({ fallback: true, fallback_from: first.id });
		expect(asked(first)).toBe(1);
		const next = await auto(stream);
		expect([next.fallback, next.fallback_from, asked(first)]).toEqual([false, null, 1]);
		expect(next).toMatchObject({ routing: { observed: { not_served: { [first.id]: 60_000 } } } });
		expect((await chosen()).id).not.toBe(first.id);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_001 });
		expect((await chosen()).id).toBe(first.id);
		expect(await auto(stream)).toMatchObject({ fallback: true, fallback_from: first.id });
		expect(asked(first)).toBe(2);
	});

	it("is said in the log once, in /health for operators, and in the list of models", async () => {
		const first = await chosen();
		unserved.add(first.upstream_model);
		await auto();
		await auto();
		await quickChat({ model: first.id });
		const { id: model, provider, upstream_model } = first;
		expect(warned.map((line) => JSON.parse(line) as unknown)).toEqual([
			{
				level: "warning",
				event: "model_not_served",
				model,
				upstream_model,
				provider,
				status: 404,
				passed_by_ms: 600_000,
			},
		]);
		const health = async (token?: string) => {
			const response = await callWith({}, "/health", token ? { headers: { authorization: `Bearer ${token}` } } : {});
			return (await response.json()) as { providers?: { not_served: Record<string, unknown> } };
		};
		expect((await health(TEST_ADMIN_TOKEN)).providers).toMatchObject({
			open_breakers: {},
			not_served: { [model]: { provider, upstream_model, until: expect.any(String) } },
		});
		for (const token of [undefined, "wrong", pro.key]) expect(await health(token)).not.toHaveProperty("providers");
		const list = (await (await callWith({}, "/v1/models", {})).json()) as { data: { id: string; not_served?: true }[] };
		expect(list.data.filter(({ not_served }) => not_served).map(({ id }) => id)).toEqual([model]);
	});

	it("is asked again once a minute where a request names it, and is back when it answers", async () => {
		unserved.add(named.upstream_model);
		const first = await completion(await quickChat({ model: named.id }));
		expect(first.svc).toMatchObject({ fallback_from: named.id, routing: { mode: "direct" } });
		const second = await completion(await quickChat({ model: named.id }));
		expect([second.svc.fallback_from, asked(named)]).toEqual([named.id, 1]);
		expect(second.svc.routing.reason).toContain("lately said that it does not serve it");
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
		for (let i = 0; i < 3; i++) await completion(await quickChat({ model: named.id }));
		expect(asked(named)).toBe(2);
		unserved.clear();
		vi.setSystemTime(Date.now() + 60_000);
		for (let i = 0; i < 2; i++)
			expect((await completion(await quickChat({ model: named.id }))).svc.fallback).toBe(false);
	});

	it("is asked where nothing else may serve; the error says what the provider said", async () => {
		unserved.add(named.upstream_model);
		const only = {
			model: named.id,
			brain_config: { blocked: CATALOG.models.filter(({ id }) => id !== named.id).map(({ id }) => id) },
		};
		for (let i = 1; i <= 2; i++) {
			const response = await quickChat(only);
			expect([response.status, asked(named)]).toEqual([502, i]);
			const line = `${named.id} at ${named.provider}: the provider does not serve this model (status 404)`;
			expect(await response.json()).toMatchObject({ error: "all_models_failed", message: line, attempts: [line] });
		}
		unserved.clear();
		expect((await completion(await quickChat(only))).svc.fallback).toBe(false);
	});

	it("opens no breaker, whatever many users meet", async () => {
		unserved.add(named.upstream_model);
		const keys = await Promise.all(Array.from({ length: 6 }, () => newKey("pro")));
		await Promise.all(keys.map((key) => quickChat({ model: named.id }, {}, key)));
		const sibling = CATALOG.models.find(({ id, provider }) => provider === named.provider && id !== named.id);
		expect((await completion(await quickChat({ model: sibling?.id }))).svc.fallback).toBe(false);
	});

	it.each(["openai", "anthropic", "google"] as const)("is known by the words of the %s format", async (wire) => {
		const { id, provider } = modelOnWire(wire, ({ tier }) => tier !== "frontier");
		const { svc } = await completion(
			await quickChat({
				model: id,
				messages: saying(`[[unserved @${provider}]] hi`),
			}),
		);
		expect(svc.fallback_from).toBe(id);
		expect(warned).toHaveLength(1);
	});

	it.each(["single", "cascade", "ensemble_moa", "rank_fuse", "decompose_and_route", "self_consistency", "debate"])(
		"does not fail an orchestration, and is left out of the next (%s)",
		async (strategy) => {
			const ask = () =>
				callWith({}, "/v2/orchestrate", withKey(pro.key, { messages: saying("Describe a lighthouse."), strategy }));
			expect((await ask()).status).toBe(200);
			const first = upstream.requests.map(askedModel)[0] ?? "";
			unserved.add(first);
			const during = await ask();
			expect(during.status, await during.clone().text()).toBe(200);
			upstream.requests.length = 0;
			expect((await ask()).status).toBe(200);
			expect(upstream.requests.map(askedModel)).not.toContain(first);
		},
	);

	it.each([
		["/v2/code", { task: "Write a file that prints hi.", language: "python" }],
		["/v1/agent/run", { goal: "Name three rivers of France, and say where each begins." }],
	])("does not fail %s, and is left out of the next", async (path, body) => {
		const ask = () => callWith({}, path, withKey(pro.key, body));
		expect((await ask()).status).toBe(200);
		const first = upstream.requests.map(askedModel)[0] ?? "";
		unserved.add(first);
		const during = await ask();
		expect(during.status, await during.clone().text()).toBe(200);
		expect(await during.json()).not.toMatchObject({ status: "interrupted" });
		upstream.requests.length = 0;
		expect((await ask()).status).toBe(200);
		expect(upstream.requests.map(askedModel)).not.toContain(first);
	});
});

describe("a short answer that nobody reads along", () => {
	const [quick] = CATALOG.models
		.filter((model) => canBeSilent(model) && CATALOG.providerFor(model).wire === "openai")
		.sort((a, b) => a.speed.low_effort.ttft_s - b.speed.low_effort.ttft_s);
	if (!quick) throw new Error("no model can be silent");
	/** Long enough for the catalog's speed, and short enough to wait for. */
	const waitMs = Math.ceil(2 * timeToFirstTokenMs(quick, "none")) + 400;
	const PATIENT = { UPSTREAM_TIMEOUT_MS: String(waitMs), UPSTREAM_IDLE_TIMEOUT_MS: String(waitMs) };
	const COMPLETION = JSON.stringify({
		choices: [{ index: 0, message: { role: "assistant", content: "Fine. ".repeat(400) }, finish_reason: "stop" }],
		usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
	});
	const json = { contentType: "application/json" };
	const short = { model: quick.id, max_tokens: 8 };

	it("is requested whole; a longer one, and one that is streamed on, are not", async () => {
		await quickChat(short, PATIENT);
		await quickChat({ ...short, max_tokens: 257 }, PATIENT);
		await (await quickChat({ ...short, stream: true }, PATIENT)).text();
		expect(upstream.requests.map(({ body }) => body["stream"])).toEqual([undefined, true, true]);
		// Half of the deadlines is less than its catalog's time.
		await quickChat(short);
		expect(upstream.requests.at(-1)?.body["stream"]).toBe(true);
	});

	it("may come in pieces for longer than any silence may be", async () => {
		respondAs(quick, () =>
			scripted(async function* () {
				for (let at = 0; at < COMPLETION.length; at += 600) {
					await pause(waitMs / 3);
					yield COMPLETION.slice(at, at + 600);
				}
			}, json),
		);
		const { text, svc } = await outcome(await quickChat(short, PATIENT));
		expect([text, svc?.fallback]).toEqual(["Fine. ".repeat(400), false]);
	});

	it("is given up when it stalls after a kilobyte: it is billed at its whole output, and another model stands in", async () => {
		let left = false;
		respondAs(quick, () =>
			scripted(
				async function* () {
					yield COMPLETION.slice(0, 1_024);
					await pause(60_000);
				},
				{ ...json, onCancel: () => (left = true) },
			),
		);
		const key = await newKey("pro");
		const response = await quickChat(short, PATIENT, key);
		const { svc } = await completion(response);
		expect([svc.fallback_from, left]).toEqual([quick.id, true]);
		const { by_model } = await usageOf(key);
		const priced = (await receiptOf(svc.proof.request_id))["cost_usd"];
		expect(Object.keys(by_model)).toContain(quick.id);
		expect(priced).toBeGreaterThan(0);
	});
});

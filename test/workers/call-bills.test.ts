// What calls cost that do not end as they should, through the front door: nothing for what was not sent, the formula for what
// broke off or was left, the bound where nothing is known, and never more than that.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import type { Model } from "../../src/catalog/schema.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import type { WireName } from "../../src/catalog/vocabulary.ts";
import { billInterruptedCallAtBound, type RequestPurpose } from "../../src/inference/accounting.ts";
import { callSetFor } from "../../src/inference/call-runner.edge.ts";
import type { Caller } from "../../src/inference/caller.edge.ts";
import type { CallSet } from "../../src/inference/failover.ts";
import { planCall } from "../../src/inference/plan.ts";
import { ReceiptInput } from "../../src/inference/receipt-input.edge.ts";
import { hashText } from "../../src/proof/hash.ts";
import { health } from "../../src/providers/isolate-health.edge.ts";
import { reasonsHidden } from "../../src/routing/effort.ts";
import { inProcessCaller } from "../support/caller.ts";
import { reserveCalls } from "../support/calls.ts";
import { modelWhere } from "../support/catalog.ts";
import { onlyFor, useFaults } from "../support/faults.ts";
import { canBeSilent, currentPrice, hasOnePrice, modelOnWire, providersBut } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import {
	DONE,
	event,
	finish,
	named as namedEvent,
	pause,
	ROLE,
	type Script,
	says,
	scripted,
	word,
} from "../support/scripted.ts";
import { saltedHash } from "../support/second-ledger.ts";
import { call, callWith, eventually, ORIGIN, receiptOf, saltOf, usageOf, withKey } from "../support/service.ts";
import { readStream } from "../support/sse.ts";

/** A model of each wire that is alone at its price and does not reason. */
const plain = (wire: WireName) => modelOnWire(wire, (model) => hasOnePrice(model) && canBeSilent(model));
const openai = plain("openai");
const google = plain("google");
const anthropic = modelOnWire("anthropic", canBeSilent);
/** Reasons, and shows nothing of it. */
const unseen = modelWhere(
	CATALOG,
	(model) =>
		hasOnePrice(model) && reasonsHidden(model, CATALOG.providerFor(model), model.reasoning?.efforts[0] ?? null),
);

const { upstream, key } = useService("pro");
/** UTF-8 bytes of each request that was sent. */
let sentBytes: number[];

/** Every call is answered by a script, or as a response. */
function respond(answer: Script | (() => Response)): void {
	sentBytes = [];
	upstream.replace(async (request) => {
		sentBytes.push((await request.arrayBuffer()).byteLength);
		const made = answer();
		return made instanceof Response ? made : scripted(() => made);
	});
}

/** A request that leaves one candidate, so that its bound is that of its one call. */
function bodyFor(model: Model, more: Record<string, unknown> = {}): Record<string, unknown> {
	const rivals = CATALOG.models.filter(({ provider, id }) => provider === model.provider && id !== model.id);
	const blocked = [...providersBut(model), ...rivals.map(({ id }) => id)];
	return { messages: [{ role: "user", content: "Sing. 歌って" }], model: model.id, brain_config: { blocked }, ...more };
}

/** Too long to be requested whole. */
const LONG = { max_tokens: 5_000 };

function send(model: Model, more: Record<string, unknown> = {}): Promise<Response> {
	return callWith({}, "/v1/chat/completions", withKey(key.key, bodyFor(model, more)));
}

const utf8 = (text: string) => new TextEncoder().encode(text).byteLength;

/** USD of so many tokens, input and output rounded up apart. */
function costUsd(model: Model, inputTokens: number, outputTokens: number): number {
	const { input, output } = currentPrice(model);
	const nano = (tokens: number, rate: number) => Math.ceil((tokens * Math.round(rate * 1e6)) / 1e3);
	return (nano(inputTokens, input) + nano(outputTokens, output)) / 1e9;
}

/** The formula of docs/reference/models.md, "Failover": a token per three bytes sent and delivered, and 256 under way. */
function brokenUsd(model: Model, delivered: string): number {
	return costUsd(model, Math.ceil((sentBytes[0] ?? 0) / 3), Math.ceil(utf8(delivered) / 3) + 256);
}

/** A stream whose client leaves when it has read so many pieces and nothing else keeps it. */
async function leaveAfter(pieces: number, model: Model, keeps = Promise.resolve()): Promise<Record<string, unknown>> {
	const init = withKey(key.key, bodyFor(model, { stream: true }));
	const request = new Request(`${ORIGIN}/v1/chat/completions`, init);
	const response = await app.fetch(request, env, createExecutionContext());
	const reader = response.body?.getReader();
	for (let i = 0; i < pieces; i++) await reader?.read();
	await keeps;
	await reader?.cancel();
	await eventually(async () => (await usageOf(key)).total_requests === 1);
	return receiptOf(response.headers.get("x-request-id") ?? "");
}

/** What a request left behind: its receipt, which its usage and its svc block agree with. */
async function receiptFor(response: Response): Promise<Record<string, unknown>> {
	const { chunks } = await readStream(response);
	const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
	expect(chunks.at(-1)?.svc?.cost).toMatchObject({ total_usd: receipt["cost_usd"], estimated: receipt["estimated"] });
	expect((await usageOf(key)).total_cost_usd).toBe(receipt["cost_usd"]);
	return receipt;
}

async function nothingIsLeftOf(response: Response): Promise<void> {
	expect((await usageOf(key)).total_requests).toBe(0);
	const id = response.headers.get("x-request-id") ?? "";
	expect((await call(`/v1/proof/${id}`)).status).toBe(404);
}

describe("what was not sent", () => {
	it("costs nothing: the client had gone before the call was made", async () => {
		const faults = useFaults({ ACCOUNT_METER: onlyFor(["admit"], () => ({ slowMs: 50 })) });
		const hangUp = new AbortController();
		const init = { ...withKey(key.key, bodyFor(openai)), signal: hangUp.signal };
		const pending = callWith({}, "/v1/chat/completions", init);
		await pause(20);
		hangUp.abort();
		const response = await pending;
		faults.restore();
		expect(upstream.requests).toEqual([]);
		await nothingIsLeftOf(response);
	});

	it.each([false, true])("costs nothing: the connection was refused (client streams: %s)", async (stream) => {
		upstream.restore();
		const spy = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("Network connection lost."));
		const response = await send(openai, { stream });
		spy.mockRestore();
		expect(await response.json()).toMatchObject({
			error: "all_models_failed",
			cost_usd: 0,
			attempts: Array.from({ length: 2 }, () => expect.stringContaining("could not be reached")),
		});
		await nothingIsLeftOf(response);
		health.reset();
	});

	it("costs nothing: the connection broke when all but the last byte had gone", async () => {
		upstream.restore();
		let read = "";
		const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
			const body = new Response(init?.body).body;
			read += new TextDecoder().decode((await body?.getReader().read())?.value);
			throw new Error("Network connection lost.");
		});
		const response = await send(openai);
		spy.mockRestore();
		expect(() => JSON.parse(read)).toThrow();
		await nothingIsLeftOf(response);
		health.reset();
	});

	it("is told from what was: a connection that broke after the request may have been billed", async () => {
		respond(() => {
			throw new Error("Network connection lost.");
		});
		const response = await send(openai, LONG);
		expect(await response.json()).toMatchObject({ cost_usd: brokenUsd(openai, "") });
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true, cost_usd: brokenUsd(openai, "") });
	});
});

const SONG = "La la la, 歌, la. ";

async function* song(): AsyncGenerator<string, void> {
	yield ROLE;
	for (let i = 0; i < 5; i++) yield word(SONG);
}

describe("a stream that breaks off", () => {
	it("costs a token per three bytes sent and delivered and 256 under way, where nothing was reported", async () => {
		respond(song);
		const response = await send(openai, { stream: true });
		const receipt = await receiptFor(response);
		expect(receipt).toMatchObject({
			outcome: "cut",
			estimated: true,
			cost_usd: brokenUsd(openai, SONG.repeat(5)),
			output_hash: saltedHash(await saltOf(key, String(receipt["request_id"])), SONG.repeat(5)),
		});
		// The tokens that the cost was computed from, within what the call may write.
		expect(receipt["completion_tokens"]).toBe(Math.ceil(utf8(SONG.repeat(5)) / 3) + 256);
	});

	it("costs the same when nobody asked for a stream, and nobody got a word of it", async () => {
		respond(song);
		const response = await send(openai, LONG);
		expect(await response.json()).toMatchObject({
			error: "all_models_failed",
			cost_usd: brokenUsd(openai, SONG.repeat(5)),
		});
	});

	it("costs its bound where the answer was requested whole and may have been longer than what counts as under way", async () => {
		const requested: unknown[] = [];
		upstream.replace(async (request) => {
			requested.push(((await request.clone().json()) as { stream?: unknown }).stream);
			throw new Error("Network connection lost.");
		});
		const response = await send(openai, { max_tokens: 300 });
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(requested).toEqual([undefined]);
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true, completion_tokens: 300 });
		expect(receipt["cost_usd"]).toBe(receipt["bound_usd"]);
		const { prompt_tokens } = receipt as { prompt_tokens: number };
		expect(receipt["cost_usd"]).toBe(costUsd(openai, prompt_tokens, 300));
	});

	it("counts reasoning and arguments of tools as what was delivered", async () => {
		const delta = (fields: Record<string, unknown>) => event({ choices: [{ index: 0, delta: fields }] });
		respond(async function* () {
			yield delta({ reasoning_content: "Think." });
			yield delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "sing", arguments: '{"song":' } }] });
		});
		const tools = [{ type: "function", function: { name: "sing" } }];
		const receipt = await receiptFor(await send(openai, { stream: true, tools }));
		expect(receipt["cost_usd"]).toBe(brokenUsd(openai, 'Think.{"song":'));
	});

	it("never costs more than its bound", async () => {
		respond(song);
		const receipt = await receiptFor(await send(openai, { stream: true, max_tokens: 20 }));
		expect(receipt["cost_usd"]).toBe(costUsd(openai, Math.ceil((sentBytes[0] ?? 0) / 3), 20));
		expect(receipt["cost_usd"]).toBeLessThanOrEqual(receipt["bound_usd"] as number);
		expect(receipt["completion_tokens"]).toBe(20);
	});

	it("costs the whole allowance of a model that reasons unseen", async () => {
		respond(song);
		const receipt = await receiptFor(await send(unseen, { stream: true, max_tokens: 3_000 }));
		expect(receipt["cost_usd"]).toBe(costUsd(unseen, Math.ceil((sentBytes[0] ?? 0) / 3), 3_000));
	});

	it("costs the input that was reported, and the larger of output reported and delivered (Anthropic)", async () => {
		respond(async function* () {
			const usage = { input_tokens: 40, output_tokens: 1 };
			yield namedEvent({ type: "message_start", message: { id: "m", content: [], usage } });
			yield namedEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
			yield namedEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: SONG } });
		});
		const receipt = await receiptFor(await send(anthropic, { stream: true }));
		expect(receipt).toMatchObject({
			cost_usd: costUsd(anthropic, 40, Math.ceil(utf8(SONG) / 3) + 256),
			prompt_tokens: 40,
		});
	});

	it("costs the input and output that were reported so far (Google)", async () => {
		respond(async function* () {
			const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 500, totalTokenCount: 540 };
			yield event({ candidates: [{ content: { role: "model", parts: [{ text: "La" }] } }], usageMetadata });
		});
		const receipt = await receiptFor(await send(google, { stream: true }));
		expect(receipt).toMatchObject({
			cost_usd: costUsd(google, 40, 500 + 256),
			completion_tokens: 500 + 256,
			estimated: true,
		});
	});

	it("costs exactly what was counted at its end, where only the end mark is missing", async () => {
		respond(async function* () {
			const usage = { input_tokens: 40, output_tokens: 1 };
			yield namedEvent({ type: "message_start", message: { id: "m", content: [], usage } });
			yield namedEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: SONG } });
			yield namedEvent({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 30 } });
		});
		const receipt = await receiptFor(await send(anthropic, { stream: true }));
		expect(receipt).toMatchObject({ outcome: "cut", estimated: false, cost_usd: costUsd(anthropic, 40, 30) });
	});
});

describe("a client that leaves", () => {
	it("in the middle pays by the same formula for what it was sent, and stops the upstream", async () => {
		let left = false;
		respond(() =>
			scripted(
				async function* () {
					yield ROLE;
					for (;;) {
						await pause(5);
						yield word("la ");
					}
				},
				{ onCancel: () => (left = true) },
			),
		);
		const receipt = await leaveAfter(4, openai);
		expect(receipt).toMatchObject({ outcome: "client_closed", estimated: true });
		const most = brokenUsd(openai, "la ".repeat(4));
		expect(receipt["cost_usd"]).toBeGreaterThanOrEqual(brokenUsd(openai, ""));
		expect(receipt["cost_usd"]).toBeLessThanOrEqual(most);
		await eventually(async () => left);
	});

	it("before the head of the upstream pays for the request and what may have been under way", async () => {
		sentBytes = [];
		upstream.replace(async (request) => {
			sentBytes.push((await request.arrayBuffer()).byteLength);
			return new Promise((_, reject) => {
				request.signal.addEventListener("abort", () => reject(new Error("aborted")));
			});
		});
		const hangUp = new AbortController();
		const init = { ...withKey(key.key, bodyFor(openai, LONG)), signal: hangUp.signal };
		const pending = callWith({}, "/v1/chat/completions", init);
		await eventually(async () => sentBytes.length === 1);
		hangUp.abort();
		const receipt = await receiptOf((await pending).headers.get("x-request-id") ?? "");
		expect(receipt).toMatchObject({ outcome: "client_closed", cost_usd: brokenUsd(openai, "") });
	});

	it("when the usage has been reported pays that and no more", async () => {
		const reported = Promise.withResolvers<void>();
		respond(async function* () {
			yield ROLE + word("Fin");
			yield finish("stop", { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 });
			reported.resolve();
			await pause(60_000);
		});
		const receipt = await leaveAfter(2, openai, reported.promise);
		expect(receipt).toMatchObject({ outcome: "client_closed", estimated: false, cost_usd: costUsd(openai, 40, 9) });
	});
});

describe("an answer that is whole", () => {
	it.each([false, true])("and reports no usage costs its bound (client streams: %s)", async (stream) => {
		respond(() => says(ROLE, word("Fine."), finish("stop", null), DONE));
		const response = await send(openai, { stream });
		await response.text();
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(receipt).toMatchObject({ outcome: "complete", estimated: true, cost_usd: receipt["bound_usd"] });
	});

	it("and empty costs what it reports, else its bound", async () => {
		respond(() => says(ROLE, finish("stop", { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 }), DONE));
		expect(await (await send(openai)).json()).toMatchObject({ cost_usd: costUsd(openai, 40, 0) });
		respond(() => says(ROLE, finish("stop", null), DONE));
		const response = await send(openai);
		const { bound_usd } = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(await response.json()).toMatchObject({ cost_usd: bound_usd });
	});

	it("and cannot be read costs what was sent, and not its bound", async () => {
		respond(() => Response.json({ message: "gateway on holiday" }));
		expect(await (await send(openai, LONG)).json()).toMatchObject({ cost_usd: brokenUsd(openai, "") });
	});

	it("and reports more than was allowed costs its bound, and shows the tokens of that", async () => {
		const usage = {
			prompt_tokens: 9_000_000,
			completion_tokens: 8_000_000,
			total_tokens: 17_000_000,
			prompt_tokens_details: { cached_tokens: 8_500_000 },
			completion_tokens_details: { reasoning_tokens: 7_000_000 },
		};
		respond(() => says(ROLE, word("Fine."), finish("stop", usage), DONE));
		const answer = (await (await send(openai, { max_tokens: 50 })).json()) as {
			usage: Record<string, unknown> & { prompt_tokens: number };
			svc: { warnings: unknown; cost: { total_usd: number }; proof: { request_id: string } };
		};
		const receipt = await receiptOf(answer.svc.proof.request_id);
		expect(answer.svc.cost.total_usd).toBe(receipt["bound_usd"]);
		const { prompt_tokens } = answer.usage;
		expect(prompt_tokens).toBeLessThanOrEqual(sentBytes[0] ?? 0);
		expect(answer.usage).toEqual({
			prompt_tokens,
			completion_tokens: 50,
			total_tokens: prompt_tokens + 50,
			prompt_tokens_details: { cached_tokens: prompt_tokens },
			completion_tokens_details: { reasoning_tokens: 50 },
		});
		expect([receipt["prompt_tokens"], receipt["completion_tokens"]]).toEqual([prompt_tokens, 50]);
		expect(answer.svc.warnings).toMatchObject([{ code: "provider_overrun" }]);
	});
});

describe("calls in the process", () => {
	const purpose: RequestPurpose = {
		get input() {
			return new ReceiptInput("goal");
		},
		configDigest: null,
		gate: null,
		describe: () => ({
			receipt: {
				kind: "agent",
				status: "failed",
				policy: "balanced",
				strategy: "single",
				trajectory_proof: hashText("trajectory"),
				n_steps: 1,
				max_cost_usd: 0.5,
			},
			usage: { model: openai.id, provider: openai.provider, mode: "balanced", fallback: false },
		}),
	};

	/** The one call that a plan of the caller's makes. */
	function callOf(caller: Caller): CallSet {
		const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }];
		const output = { type: "text" as const };
		const modelCall = { messages, tools: [], output, maxTokens: 900, stop: [], sampling: {}, unknownFields: {} };
		const options = { model: openai.id, mode: null, config: null, gate: null };
		const plan = planCall({ call: modelCall, options }, caller.account.plan, caller.settings, caller.startedAtMs);
		if (!plan.ok) throw new Error("no plan");
		const { calls } = callSetFor(plan.value, caller);
		return { calls: [calls[0]], boundNanoUsd: calls[0].attempt.worstCase.totalNanoUsd };
	}

	it("cost their bound when they break off, where a cap must hold", async () => {
		respond(song);
		const caller = await inProcessCaller(key);
		const set = callOf(caller);
		const { calls, settlement } = await reserveCalls(caller, purpose, [set], billInterruptedCallAtBound);
		expect((await calls.complete(set)).ok).toBe(false);
		expect(calls.budget.spentNanoUsd).toBe(set.boundNanoUsd);
		await settlement.settle("cut", hashText(""));
	});

	it("leave nothing behind on a signal that outlives them, however they end", async () => {
		const ends = [
			() => says(ROLE, word("Fine."), finish(), DONE),
			() => says(ROLE),
			() => new Response("{}", { status: 500 }),
		];
		respond(() => ends[(sentBytes.length - 1) % ends.length]?.() ?? says());
		const { signal } = new AbortController();
		const listeners = { added: 0, removed: 0 };
		vi.spyOn(signal, "addEventListener").mockImplementation(() => void listeners.added++);
		vi.spyOn(signal, "removeEventListener").mockImplementation(() => void listeners.removed++);
		const caller = { ...(await inProcessCaller(key)), signal };
		const sets = ends.map(() => callOf(caller)) as [CallSet, ...CallSet[]];
		const { calls, settlement } = await reserveCalls(caller, purpose, sets);
		for (const set of sets) await calls.complete(set);
		expect(listeners.added).toBeGreaterThanOrEqual(ends.length);
		expect(listeners.removed).toBeGreaterThanOrEqual(listeners.added);
		await settlement.settle("cut", hashText(""));
	});
});

describe("a stream that never begins", () => {
	it.each(["fail", "failAfter"] as const)(
		"leaves no timer running, nor a reservation (admission: %s)",
		async (fault) => {
			const running = new Set<unknown>();
			const [set, clear] = [setInterval, clearInterval];
			const begun = vi.spyOn(globalThis, "setInterval").mockImplementation(((...args: Parameters<typeof set>) => {
				const id = set(...args);
				running.add(id);
				return id;
			}) as typeof setInterval);
			const ended = vi.spyOn(globalThis, "clearInterval").mockImplementation((id) => {
				running.delete(id);
				clear(id);
			});
			const faults = useFaults({ ACCOUNT_METER: onlyFor(["admit"], () => fault) });
			const response = await send(openai, { stream: true });
			faults.restore();
			expect(response.status).toBe(503);
			expect(begun).toHaveBeenCalled();
			expect(running.size).toBe(0);
			begun.mockRestore();
			ended.mockRestore();
			expect(upstream.requests).toEqual([]);
		},
	);
});

describe("a stream whose delivery comes to grief", () => {
	it("ends with an error event and no [DONE], and what was delivered is accounted for", async () => {
		const [before, boom, after] = [ROLE + word("Well, "), word("boom"), finish() + DONE];
		respond(async function* () {
			yield before;
			yield boom;
			yield after;
		});
		const stringify = JSON.stringify;
		const errors: string[] = [];
		const log = vi.spyOn(console, "error").mockImplementation((line: string) => void errors.push(line));
		// A bug of ours that one piece of an answer finds.
		const bug = vi.spyOn(JSON, "stringify").mockImplementation((...args: Parameters<typeof stringify>) => {
			const [value] = args as [{ content?: unknown } | undefined];
			if (value?.content === "boom") throw new Error("boom");
			return stringify(...args);
		});
		const response = await send(openai, { stream: true });
		const { chunks, text, done } = await readStream(response);
		bug.mockRestore();
		log.mockRestore();
		expect([response.status, text, done]).toEqual([200, "Well, ", false]);
		expect(chunks.at(-1)?.error).toMatchObject({ type: "server_error", code: "internal_error" });
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(receipt).toMatchObject({ outcome: "cut", cost_usd: chunks.at(-1)?.svc?.cost.total_usd });
		expect(errors.join()).toContain("stream_failed");
	});
});

describe("a stream that fails after its head and before its first words", () => {
	it("says in its error event what it cost, since it is charged and has a receipt", async () => {
		const open = Promise.withResolvers<void>();
		respond(() =>
			scripted(async function* () {
				yield ROLE;
				await open.promise;
			}),
		);
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		const pending = send(openai, { stream: true });
		await vi.waitFor(() => expect(upstream.requests).toHaveLength(1), { timeout: 20_000, interval: 1 });
		await vi.advanceTimersByTimeAsync(10_000);
		const response = await pending;
		vi.useRealTimers();
		expect(response.status).toBe(200);
		open.resolve();
		const { chunks, done, raw } = await readStream(response);
		expect(raw.startsWith(": waiting")).toBe(true);
		expect([done, chunks.length]).toEqual([false, 1]);
		expect(chunks[0]?.error?.code).toBe("all_models_failed");
		const receipt = await receiptOf(response.headers.get("x-request-id") ?? "");
		expect(chunks[0]?.svc?.cost.total_usd).toBe(receipt["cost_usd"]);
		expect(receipt["cost_usd"]).toBe(brokenUsd(openai, ""));
	});
});

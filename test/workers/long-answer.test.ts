// Work that takes long: a connection that stays alive, one place to look for how it ended, and a client that may leave.
import { createParser } from "eventsource-parser";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type Failure, fail, ok } from "../../src/failure.ts";
import type { RequestContext } from "../../src/http/context.ts";
import { callerDialect, type ErrorDialect } from "../../src/http/dialects.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { type LongAnswerOptions, type LongWork, longAnswer } from "../../src/http/long-answer.edge.ts";
import { mount } from "../../src/http/mount.edge.ts";
import { type RequestState, respondToException } from "../../src/http/respond.edge.ts";
import { Timings } from "../../src/http/timings.ts";

const FAILED: Failure = { reason: "no_provider_available", message: "no provider has a key" };

interface Served {
	response: Promise<Response>;
	context: RequestContext;
	hangUp(): void;
	/** What the runtime was asked to wait for. */
	kept: Promise<unknown>[];
}

/** Serves one request whose handler does `work`. */
function serve(
	work: LongWork<{ answer: number }>,
	options: LongAnswerOptions = { stream: false },
	{ headers = {}, errorDialect }: { headers?: Record<string, string>; errorDialect?: ErrorDialect } = {},
): Served {
	const client = new AbortController();
	const kept: Promise<unknown>[] = [];
	const context: RequestContext = {
		requestId: "svc-test",
		startedAtMs: 0,
		env: {} as Env,
		bodyLimits: { default: 1_000, chat: 1_000 },
		signal: client.signal,
		address: "unknown",
		origin: "https://svc.test",
		waitUntil: (promise) => void kept.push(promise),
		trail: { sentStatus: null, failure: null },
		log: { endpoint: "unmatched" },
		timings: new Timings(0, () => 0),
	};
	const app = new Hono<RequestState>();
	app.onError(respondToException);
	app.use(async (c, next) => {
		c.set("errorDialect", callerDialect(c.req.raw.headers));
		c.set("context", context);
		await next();
	});
	const endpoint = {
		id: "long",
		method: "POST",
		path: "/long",
		access: "public",
		toolGroup: null,
		summary: "Takes long.",
		result: z.object({ answer: z.number() }),
		...(errorDialect ? { errorDialect } : {}),
		handle: () => longAnswer(context, options, work),
	} as Endpoint;
	mount(app, [endpoint], { public: { stage: () => (_, next) => next() } });
	const response = Promise.resolve(app.request("/long", { method: "POST", headers }));
	return { response, context, kept, hangUp: () => client.abort() };
}

const elapse = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The events of a stream: name and data. */
function eventsOf(text: string): [string | undefined, unknown][] {
	const events: [string | undefined, unknown][] = [];
	createParser({ onEvent: ({ event, data }) => events.push([event, JSON.parse(data)]) }).feed(text);
	return events;
}

function contentType(response: Response): string | null {
	return response.headers.get("content-type");
}

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
});
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

describe("work that ends within 30 s", () => {
	it("is an ordinary answer with its own headers", async () => {
		const { response, context } = serve(async () => {
			await elapse(29_000);
			return { ok: true, value: { answer: 42 }, headers: { "x-svc-sandbox": "1" } };
		});
		await vi.advanceTimersByTimeAsync(29_000);
		const { status, headers } = await response;
		expect([status, headers.get("x-svc-sandbox"), context.finished]).toEqual([200, "1", undefined]);
		expect(await (await response).text()).toBe('{"answer":42}');
	});

	it("fails as an ordinary error with its own status and headers", async () => {
		const { response, context } = serve(async () => fail(FAILED));
		expect([(await response).status, (await response).headers.get("retry-after")]).toEqual([503, "2"]);
		expect(await (await response).json()).toEqual({ error: FAILED.reason, message: "no provider has a key" });
		expect(context.log.error).toBe(FAILED.reason);
	});

	it("that throws is logged, and is an internal error under the request's id", async () => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		const { response } = serve(async () => {
			throw new Error("a bug");
		});
		expect((await response).status).toBe(500);
		expect(await (await response).json()).toMatchObject({ error: "internal_error", request_id: "svc-test" });
		expect(String(log.mock.calls[0]?.[0])).toContain("a bug");
	});
});

describe("work that takes longer", () => {
	const lasting = async (ms: number, more: Partial<LongAnswerOptions> = {}) => {
		const served = serve(
			async () => {
				await elapse(ms);
				return ok({ answer: 42 });
			},
			{ stream: false, ...more },
		);
		await vi.advanceTimersByTimeAsync(30_000);
		return { ...served, reader: (await served.response).body?.getReader(), head: await served.response };
	};

	it("has its head at 30 s, white space every 15 s, and then its body", async () => {
		const { reader, head, context } = await lasting(65_000, { headers: () => ({ "x-svc-sandbox": "1" }) });
		expect([head.status, contentType(head), head.headers.get("x-svc-sandbox")]).toEqual([200, "application/json", "1"]);
		// Compressed, white space would wait for more.
		expect(head.headers.get("content-encoding")).toBe("identity");
		const read = async () => new TextDecoder().decode((await reader?.read())?.value);
		const pieces = [await read()];
		for (const ms of [15_000, 15_000, 5_000]) {
			await vi.advanceTimersByTimeAsync(ms);
			pieces.push(await read());
		}
		expect(pieces).toEqual(["\n", "\n", "\n", '{"answer":42}']);
		expect((await reader?.read())?.done).toBe(true);
		await context.finished;
	});

	it.each<[string, Parameters<typeof serve>[2], unknown]>([
		["the service's own", {}, { error: "no_provider_available" }],
		["OpenAI's", { headers: { "x-stainless-lang": "js" } }, { error: { code: "no_provider_available" } }],
		["Anthropic's", { errorDialect: "anthropic" }, { type: "error", error: { type: "overloaded_error" } }],
	])("and fails has the same error object in %s form, with its status as a member", async (_, caller, shape) => {
		const slow: LongWork<{ answer: number }> = async () => {
			await elapse(31_000);
			return fail(FAILED);
		};
		const early = await serve(async () => fail(FAILED), { stream: false }, caller).response;
		const { response, context } = serve(slow, { stream: false }, caller);
		await vi.advanceTimersByTimeAsync(30_000);
		expect((await response).status).toBe(200);
		const text = (await response).text();
		await vi.advanceTimersByTimeAsync(1_000);
		const body = JSON.parse(await text) as Record<string, unknown>;
		expect(body).toEqual({ ...((await early.json()) as object), status: 503 });
		expect(body).toMatchObject(shape as object);
		await context.finished;
		expect(context.log.error).toBe("no_provider_available");
	});

	it("and throws is logged, and says so in its body", async () => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		const { response } = serve(async () => {
			await elapse(31_000);
			throw new Error("a late bug");
		});
		await vi.advanceTimersByTimeAsync(30_000);
		const text = (await response).text();
		await vi.advanceTimersByTimeAsync(1_000);
		expect(JSON.parse(await text)).toMatchObject({ error: "internal_error", request_id: "svc-test", status: 500 });
		expect(String(log.mock.calls[0]?.[0])).toContain("a late bug");
	});
});

describe("a client that leaves", () => {
	it.each([
		["before the head", false, 0],
		["before the head of a stream", true, 0],
		["while it waits for the body", false, 30_000],
		["while it reads events", true, 10_000],
	])("%s is told to the work, which is awaited all the same", async (_, stream, headMs) => {
		let heard = false;
		let ended = false;
		const { response, hangUp, kept, context } = serve(
			async (_progress, signal) => {
				await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
				heard = true;
				await elapse(5_000);
				ended = true;
				return ok({ answer: 42 });
			},
			{ stream },
		);
		if (headMs > 0) {
			await vi.advanceTimersByTimeAsync(headMs);
			const reader = (await response).body?.getReader();
			await reader?.read();
			await reader?.cancel();
		} else hangUp();
		await vi.waitFor(() => expect(heard).toBe(true));
		await vi.advanceTimersByTimeAsync(5_000);
		await Promise.all(kept);
		await context.finished;
		expect(ended).toBe(true);
	});
});

describe("a stream", () => {
	it("has its head with the first progress, and ends with the result", async () => {
		const { response, context } = serve(
			async (progress) => {
				progress({ stage: "plan", text: "two\nlines" });
				await elapse(1_000);
				progress({ stage: "generate:0" });
				return ok({ answer: 42 });
			},
			{ stream: true, headers: () => ({ "x-svc-sandbox": "1" }) },
		);
		const head = await response;
		expect([head.status, contentType(head)]).toEqual([200, "text/event-stream; charset=utf-8"]);
		expect(head.headers.get("x-svc-sandbox")).toBe("1");
		const text = head.text();
		await vi.advanceTimersByTimeAsync(1_000);
		expect(eventsOf(await text)).toEqual([
			["progress", { stage: "plan", text: "two\nlines" }],
			["progress", { stage: "generate:0" }],
			["result", { answer: 42 }],
		]);
		await context.finished;
	});

	it("of work without progress is its result, with the headers of its answer", async () => {
		const headers = { "x-svc-sandbox": "1" };
		const { response } = serve(async () => ({ ok: true, value: { answer: 42 }, headers }), { stream: true });
		expect((await response).headers.get("x-svc-sandbox")).toBe("1");
		expect(await (await response).text()).toBe('event: result\ndata: {"answer":42}\n\n');
	});

	it("that fails before its head is an ordinary error", async () => {
		const { response } = serve(async () => fail(FAILED), { stream: true });
		expect([(await response).status, contentType(await response)]).toEqual([503, "application/json"]);
	});

	it("that fails after its head ends with an error event that has the status", async () => {
		const { response, context } = serve(
			async (progress) => {
				progress({ stage: "plan" });
				return fail(FAILED);
			},
			{ stream: true },
			{ headers: { "x-stainless-lang": "js" } },
		);
		expect((await response).status).toBe(200);
		const events = eventsOf(await (await response).text());
		expect(events.map(([name]) => name)).toEqual(["progress", "error"]);
		expect(events[1]?.[1]).toMatchObject({ error: { code: "no_provider_available" }, status: 503 });
		await context.finished;
		expect(context.log.error).toBe("no_provider_available");
	});

	it("has its head after 10 s at the latest, and a comment in every 2 s of silence", async () => {
		const { response } = serve(
			async (progress) => {
				await elapse(15_000);
				progress({ stage: "plan" });
				await elapse(3_000);
				return ok({ answer: 42 });
			},
			{ stream: true },
		);
		await vi.advanceTimersByTimeAsync(10_000);
		const text = (await response).text();
		await vi.advanceTimersByTimeAsync(8_000);
		// Silent from 10 to 15 s and from 15 to 18 s.
		expect(await text).toBe(
			': working\n\n: keep-alive\n\n: keep-alive\n\nevent: progress\ndata: {"stage":"plan"}\n\n: keep-alive\n\nevent: result\ndata: {"answer":42}\n\n',
		);
	});

	it("keeps a bounded number of events for a reader who does not read, and says how many it left out", async () => {
		const done = Promise.withResolvers<void>();
		const { response } = serve(
			async (progress) => {
				for (let index = 0; index < 1_000; index++) progress({ index });
				await done.promise;
				progress({ index: 1_000 });
				return ok({ answer: 42 });
			},
			{ stream: true },
		);
		const reader = (await response).body?.pipeThrough(new TextDecoderStream()).getReader();
		let text = "";
		while (!text.includes('"index":255')) text += (await reader?.read())?.value;
		done.resolve();
		for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) text += read.value;
		const events = eventsOf(text);
		expect(events.length).toBe(258);
		expect(events[256]).toEqual(["progress", { index: 1_000, skipped_events: 744 }]);
	});
});

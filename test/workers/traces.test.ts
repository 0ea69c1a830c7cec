// Traces of requests: what the collector gets and when, and that no request waits for it, fails with it, or tells more than it is to.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_BATCH_SPANS } from "../../src/telemetry/span-buffer.ts";
import { aCollector, type Collector, useCollector, useTelemetry } from "../support/collector.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, chat, inMeter, meterAlarm, meterOf, usageOf, withKey } from "../support/service.ts";
import { aRequestId, reservationFor, TEST_KEY_ID, UNLIMITED_KEY } from "../support/settlements.ts";

const { key, upstream } = useService("corporate");
let telemetry: { restore(): void };
let collector: Collector;

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";

/** Has spans sent as soon as they are there. */
async function collect(answer?: Parameters<typeof useCollector>[0], more: Parameters<typeof useTelemetry>[0] = {}) {
	telemetry = await useTelemetry({ otlp: aCollector(), ...more });
	collector = useCollector(answer);
}

beforeEach(() => {
	// The first span of a batch waits for others, and so does a batch whose collector is away.
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true, advanceTimeDelta: 20 });
});
afterEach(() => {
	collector.restore();
	telemetry.restore();
	vi.useRealTimers();
});

/** Lets the time of a batch pass. */
async function pass(ms = 6_000): Promise<void> {
	await vi.advanceTimersByTimeAsync(ms);
}

// biome-ignore lint/suspicious/noExplicitAny: a span of the protocol.
type WireSpan = any;

/** Spans that arrived, once there are so many. */
async function spans(count: number): Promise<WireSpan[]> {
	await vi.waitFor(async () => {
		await pass();
		expect(collector.spans().length).toBeGreaterThanOrEqual(count);
	});
	return collector.spans();
}

function attributesOf(span: WireSpan): Record<string, unknown> {
	return Object.fromEntries(
		span.attributes.map(({ key: name, value }: { key: string; value: Record<string, unknown> }) => [
			name,
			Object.values(value)[0],
		]),
	);
}

const traced = (content: string, headers: Record<string, string>, body: object = {}) => {
	const init = withKey(key.key, { messages: [{ role: "user", content }], ...body });
	return call("/v1/chat/completions", { ...init, headers: { ...init.headers, ...headers } });
};

describe("a trace", () => {
	it("has a request's span with one for each attempt, under ids that go upstream", async () => {
		await collect();
		const response = await chat(key.key, "hi [[fail openai]]");
		expect(response.status).toBe(200);
		const id = response.headers.get("x-request-id");
		const all = await spans(1 + upstream.requests.length);
		const [request, ...attempts] = all;
		expect(attempts.length).toBe(upstream.requests.length);
		expect(attributesOf(request)).toMatchObject({
			"svc.request.id": id,
			"gen_ai.operation.name": "chat",
			"http.route": "/v1/chat/completions",
			"http.request.method": "POST",
			"svc.user.id": key.user_id,
		});
		const sent = upstream.requests.map(({ headers }) => headers.get("traceparent"));
		expect(sent).toEqual(attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
		expect(new Set(sent).size).toBe(sent.length);
		for (const attempt of attempts)
			expect(attempt).toMatchObject({ traceId: request.traceId, parentSpanId: request.spanId });
		expect(collector.received[0]?.headers.get("x-scope")).toBe("tests");
	});

	it("goes on from its client's span, and carries its state upstream", async () => {
		await collect();
		await traced("hi", { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: "vendor=a, other=b" });
		const [request, attempt] = await spans(2);
		expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID, traceState: "vendor=a,other=b" });
		const [sent] = upstream.requests;
		expect(sent?.headers.get("traceparent")).toBe(`00-${TRACE_ID}-${attempt.spanId}-01`);
		expect(sent?.headers.get("tracestate")).toBe("vendor=a,other=b");
	});

	it("that its client does not record is passed on, and not sent", async () => {
		await collect();
		await traced("hi", { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` });
		await chat(key.key, "hello");
		const all = await spans(2);
		expect(all.map(({ traceId }) => traceId)).not.toContain(TRACE_ID);
		expect(upstream.requests[0]?.headers.get("traceparent")).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
	});

	it("begins here where its client's is malformed", async () => {
		await collect();
		await traced("hi", { traceparent: `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`, tracestate: "a=b" });
		const [request] = await spans(2);
		expect(request.traceId).not.toBe(TRACE_ID);
		expect(request.parentSpanId ?? "").toBe("");
		expect(upstream.requests[0]?.headers.has("tracestate")).toBe(false);
	});

	it("of an embedding is named by its operation, with each of its calls and none of its texts", async () => {
		await collect(undefined, { hasContent: true });
		const body = { model: "text-embedding-3-small", input: ["the magic word", "is xyzzy"], dimensions: 8 };
		const response = await callWithKey(key.key, "/v1/embeddings", body);
		expect(response.status).toBe(200);
		const { svc } = await response.json<{ svc: { cost: { total_usd: number }; proof: { request_id: string } } }>();
		const [request, attempt] = await spans(2);
		for (const span of [request, attempt]) {
			expect(span.name).toBe("embeddings text-embedding-3-small");
			expect(attributesOf(span)).toMatchObject({
				"gen_ai.operation.name": "embeddings",
				"gen_ai.request.model": "text-embedding-3-small",
				"gen_ai.provider.name": "openai",
			});
		}
		expect(attributesOf(request)).toMatchObject({
			"svc.request.id": svc.proof.request_id,
			"http.route": "/v1/embeddings",
			"svc.cost.total_usd": svc.cost.total_usd,
		});
		// The conventions have messages of chats, and none of embeddings.
		expect(JSON.stringify(collector.received)).not.toContain("xyzzy");
	});

	it("tells no text unless that is on", async () => {
		await collect();
		await chat(key.key, "the magic word is xyzzy");
		await spans(2);
		expect(JSON.stringify(collector.received)).not.toContain("xyzzy");
	});

	it("tells texts after masking where that is on", async () => {
		await collect(undefined, { hasContent: true });
		const compliance = { mask_data_classes: ["PII"] };
		const response = await chat(key.key, "xyzzy for ada@example.com", { compliance });
		expect(response.status).toBe(200);
		const [request] = await spans(2);
		const input = String(attributesOf(request)["gen_ai.input.messages"]);
		expect(input).toContain("xyzzy");
		expect(JSON.stringify(collector.received)).not.toContain("ada@example.com");
		expect(attributesOf(request)["gen_ai.output.messages"]).toBeDefined();
	});

	it("tells no text of a request that no provider may keep", async () => {
		await collect(undefined, { hasContent: true });
		const response = await chat(key.key, "the magic word is xyzzy", { compliance: { require_zero_retention: true } });
		expect(response.status).toBe(200);
		await spans(2);
		expect(JSON.stringify(collector.received)).not.toContain("xyzzy");
	});

	it("of a stream has its first chunk, and its end", async () => {
		await collect();
		const response = await traced("hi [[drip 50]]", {}, { stream: true });
		await response.text();
		const [request] = await spans(2);
		expect(attributesOf(request)).toMatchObject({ "gen_ai.request.stream": true, "svc.request.outcome": "complete" });
	});

	it("of an orchestration has its stages, and its calls under ids of their own", async () => {
		await collect();
		const task = {
			strategy: "self_consistency",
			messages: [{ role: "user", content: "How many legs have 17 sheep?" }],
		};
		expect((await callWithKey(key.key, "/v2/orchestrate", task)).status).toBe(200);
		const all = await spans(1 + upstream.requests.length);
		const [request] = all;
		expect(request.name).toBe("invoke_workflow self_consistency");
		expect(all.filter(({ parentSpanId }) => parentSpanId === request.spanId).length).toBeGreaterThan(1);
		const sent = upstream.requests.map(({ headers }) => headers.get("traceparent")?.split("-")[2]);
		expect(all.map(({ spanId }) => spanId)).toEqual(expect.arrayContaining(sent));
	});

	it("has each call of a workflow in the stage that made it", async () => {
		await collect();
		const task = { strategy: "debate", messages: [{ role: "user", content: "Compare two sorting algorithms" }] };
		expect((await callWithKey(key.key, "/v2/orchestrate", task)).status).toBe(200);
		const all = await spans(1 + upstream.requests.length);
		const stages = all.filter((span) => attributesOf(span)["svc.stage.name"] !== undefined);
		expect(stages.length).toBeGreaterThan(1);
		const [request] = all;
		for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of stages) {
			expect(parentSpanId).toBe(request.spanId);
			expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
			expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(request.endTimeUnixNano));
		}
		const attempts = all.filter((span) => attributesOf(span)["svc.attempt.index"] !== undefined);
		expect(attempts.length).toBe(upstream.requests.length);
		const stageIds = stages.map(({ spanId }) => spanId);
		for (const { parentSpanId } of attempts) expect(stageIds).toContain(parentSpanId);
	});

	it.each([
		[
			"/v2/orchestrate",
			{ messages: [{ role: "user", content: "xyzzy for ada@example.com" }], strategy: "self_consistency" },
		],
		["/v1/agent/run", { goal: "Say xyzzy for ada@example.com", max_steps: 1, max_cost_usd: 0.05 }],
	])("tells texts of a workflow's parts after masking where that is on: %s", async (path, body) => {
		vi.useRealTimers();
		await collect(undefined, { hasContent: true });
		const response = await callWithKey(key.key, path, { ...body, compliance: { mask_data_classes: ["PII"] } });
		expect(response.status, await response.clone().text()).toBe(200);
		await vi.waitFor(() => expect(collector.spans().length).toBeGreaterThan(2), { timeout: 15_000, interval: 100 });
		const [request, ...inner] = collector.spans();
		expect(String(attributesOf(request)["gen_ai.input.messages"])).toContain("xyzzy");
		expect(attributesOf(request)["gen_ai.output.messages"]).toBeDefined();
		expect(inner.some((span) => attributesOf(span)["gen_ai.output.messages"] !== undefined)).toBe(true);
		expect(JSON.stringify(collector.received)).toContain("[EMAIL_1]");
		expect(JSON.stringify(collector.received)).not.toContain("ada@example.com");
	});

	it.each([
		["/v2/orchestrate", { messages: [{ role: "user", content: "xyzzy" }], strategy: "self_consistency" }],
		["/v1/agent/run", { goal: "Say xyzzy", max_steps: 1, max_cost_usd: 0.05 }],
	])("tells no text of a workflow that no provider may keep: %s", async (path, body) => {
		vi.useRealTimers();
		await collect(undefined, { hasContent: true });
		const response = await callWithKey(key.key, path, { ...body, compliance: { require_zero_retention: true } });
		expect(response.status, await response.clone().text()).toBe(200);
		await vi.waitFor(() => expect(collector.spans().length).toBeGreaterThan(2), { timeout: 15_000, interval: 100 });
		expect(JSON.stringify(collector.received)).not.toContain("xyzzy");
		expect(JSON.stringify(collector.received)).not.toContain("output.messages");
	});

	it("of a stored response names the one that it goes on with", async () => {
		await collect();
		const first = await (await callWithKey(key.key, "/v1/responses", { input: "hi" })).json<{ id: string }>();
		await callWithKey(key.key, "/v1/responses", { input: "and?", previous_response_id: first.id });
		const all = await spans(4);
		expect(all.map((span) => attributesOf(span)["gen_ai.request.previous_response.id"])).toContain(first.id);
	});

	it("of a request whose process died has its span, in its client's trace, once its meter has settled it", async () => {
		// The meter sends it, in its own time.
		vi.useRealTimers();
		await collect();
		const meter = meterOf(key);
		const [died, left] = [aRequestId(), aRequestId()];
		const unsampled = { traceId: TRACE_ID, spanId: PARENT_ID, flags: 0, state: null };
		for (const [requestId, parent] of [
			[died, { ...unsampled, flags: 1, state: "a=b" }],
			[left, unsampled],
		] as const) {
			const reservation = { ...reservationFor(key.user_id, requestId, 7, Date.now() + 50), parent };
			const admission = {
				requestId,
				keyId: TEST_KEY_ID,
				...UNLIMITED_KEY,
				plan: "corporate" as const,
				countsTowardsDay: false,
			};
			expect((await meter.admit({ ...admission, reservation })).admitted).toBe(true);
		}
		await new Promise((resolve) => setTimeout(resolve, 100));
		await meterAlarm(key);
		await vi.waitFor(() => expect(collector.spans().length).toBeGreaterThan(0));
		const all = collector.spans();
		const ids = all.map((span) => attributesOf(span)["svc.request.id"]);
		expect(ids).toEqual([died]);
		expect(all[0]).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID, traceState: "a=b" });
		expect(attributesOf(all[0])).toMatchObject({
			"error.type": "not_settled",
			"svc.cost.total_usd": expect.anything(),
		});
		expect(attributesOf(all[0])).not.toHaveProperty(["http.response.status_code"]);
		await vi.waitFor(async () => {
			const kept = await inMeter(key, (sql) => [...sql.exec("SELECT id FROM requests WHERE trace_parent IS NOT NULL")]);
			expect(kept).toEqual([]);
		});
	});

	it("of a run has its steps, under its client's span, and goes on upstream", async () => {
		// A run goes on by alarms, and sends its spans when it ends.
		vi.useRealTimers();
		await collect();
		const init = withKey(key.key, { goal: "1. Name three rivers\n2. Say where each begins", max_cost_usd: 0.05 });
		const headers = { ...init.headers, traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` };
		const response = await call("/v1/agent/run", { ...init, headers });
		expect(response.status).toBe(200);
		const { run_id } = (await response.json()) as { run_id: string };
		await vi.waitFor(() => expect(collector.spans().length).toBeGreaterThan(2));
		const all = collector.spans();
		const [run] = all;
		expect(attributesOf(run)).toMatchObject({
			"gen_ai.operation.name": "invoke_agent",
			"svc.request.id": run_id,
			"http.route": "/v1/agent/run",
		});
		expect(run).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID });
		expect(all.filter((span) => attributesOf(span)["svc.step.index"] !== undefined).length).toBeGreaterThan(1);
		const sent = upstream.requests.map(({ headers: own }) => own.get("traceparent")?.split("-").slice(1, 3));
		expect(new Set(sent.map((parts) => parts?.[0]))).toEqual(new Set([TRACE_ID]));
		expect(all.map(({ spanId }) => spanId)).toEqual(expect.arrayContaining(sent.map((parts) => parts?.[1])));
	});

	it("of a request that was refused, or that failed, has its error; many that are alike are few spans", async () => {
		await collect();
		const refused = await callWithKey(key.key, "/v1/chat/completions", { messages: "xyzzy" });
		expect(refused.status).toBe(422);
		const failed = await chat(key.key, "hi [[status 500]]");
		expect(failed.status).toBe(502);
		const all = await spans(2 + upstream.requests.length);
		const byId = (response: Response) =>
			all.find((span) => attributesOf(span)["svc.request.id"] === response.headers.get("x-request-id"));
		expect(attributesOf(byId(refused))).toMatchObject({
			"svc.request.outcome": "refused",
			"http.response.status_code": "422",
			"http.route": "/v1/chat/completions",
		});
		expect(attributesOf(byId(failed))).toMatchObject({ "svc.request.outcome": "failed" });
		expect(all.filter(({ parentSpanId }) => parentSpanId === byId(failed).spanId).length).toBe(
			upstream.requests.length,
		);
		expect(JSON.stringify(collector.received)).not.toContain("xyzzy");
		const before = all.length;
		for (let nth = 0; nth < 30; nth++) await callWithKey(key.key, "/v1/chat/completions", { messages: "xyzzy" });
		await pass(30_000);
		expect(collector.spans().length).toBeLessThan(before + 4);
	});

	it("has a span for each decision of the policy, without its command", async () => {
		await collect();
		const check = { workspace_id: "order-service", action: "Roll out", commands: ["git push --force xyzzy"] };
		expect((await callWithKey(key.key, "/v1/policy/check", check)).status).toBe(200);
		const [span] = await spans(1);
		expect(attributesOf(span)).toMatchObject({ "svc.user.id": key.user_id });
		expect(JSON.stringify(collector.received)).not.toContain("xyzzy");
	});
});

describe("without an address for traces", () => {
	it("nothing is added to what providers are sent, whatever the client's headers say", async () => {
		await collect(undefined, { otlp: null });
		const plain = await chat(key.key, "hi");
		const asked = await traced("hi", { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: "a=b" });
		expect([plain.status, asked.status]).toEqual([200, 200]);
		const [first, second] = upstream.requests.map(({ url, headers, body }) => ({ url, body, headers: [...headers] }));
		expect(second).toEqual(first);
		expect(first?.headers.map(([name]) => name).filter((name) => name.startsWith("trace"))).toEqual([]);
		await pass(60_000);
		expect(collector.received).toEqual([]);
	});
});

describe("a collector", () => {
	it("that is away keeps no request waiting, and gets the same spans later", async () => {
		await collect((nth) => {
			if (nth === 0) throw new TypeError("connection refused");
			return nth === 1 ? new Response("busy", { status: 429, headers: { "retry-after": "2" } }) : new Response("{}");
		});
		expect((await chat(key.key, "hi")).status).toBe(200);
		const all = await spans(2);
		expect(all.length).toBe(2);
		const bodies = collector.received.map(({ body }) => JSON.stringify(body));
		expect(new Set(bodies).size).toBe(1);
		expect(bodies.length).toBe(3);
	});

	it("that never answers keeps no request waiting", async () => {
		await collect(
			(_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
		);
		expect((await chat(key.key, "hi")).status).toBe(200);
		await pass();
		expect((await chat(key.key, "hello")).status).toBe(200);
		expect((await usageOf(key)).total_requests).toBe(2);
		// The try ends, and with it what its request may do. The next one goes on.
		await pass(20_000);
		expect((await chat(key.key, "again")).status).toBe(200);
		await vi.waitFor(async () => {
			await pass();
			expect(collector.received.length).toBeGreaterThan(1);
		});
	});

	it("that refuses spans is not sent them again", async () => {
		await collect((nth) => (nth === 0 ? new Response("no", { status: 400 }) : new Response("{}")));
		await chat(key.key, "hi");
		await vi.waitFor(async () => {
			await pass();
			expect(collector.received.length).toBe(1);
		});
		await chat(key.key, "hello");
		expect((await spans(2)).length).toBe(2);
	});

	it("that leads elsewhere is not followed, since its headers are for it alone", async () => {
		await collect(() => new Response(null, { status: 307, headers: { location: "https://elsewhere.example.com/" } }));
		await chat(key.key, "hi");
		await vi.waitFor(async () => {
			await pass();
			expect(collector.received.length).toBe(1);
		});
		expect(upstream.requests.every(({ url }) => !url.includes("elsewhere"))).toBe(true);
	});

	it("that keeps a part, or answers without an end, is sent nothing twice and is not listened to for long", async () => {
		let pulled = 0;
		await collect((nth) =>
			nth === 0
				? Response.json({ partialSuccess: { rejectedSpans: "1", errorMessage: "too large" } })
				: new Response(
						new ReadableStream({
							pull(controller) {
								pulled++;
								controller.enqueue(new Uint8Array(65_536));
							},
						}),
					),
		);
		await chat(key.key, "hi");
		await vi.waitFor(async () => {
			await pass();
			expect(collector.received.length).toBe(1);
		});
		await chat(key.key, "hello");
		await vi.waitFor(async () => {
			await pass();
			expect(collector.received.length).toBe(2);
		});
		await pass(20_000);
		expect(collector.received.length).toBe(2);
		expect(pulled).toBeLessThan(10);
	});

	it("gets 512 spans at once, without a wait", async () => {
		await collect();
		vi.useRealTimers();
		for (let sent = 0; sent < MAX_BATCH_SPANS; sent += 2) await chat(key.key, "hi");
		await vi.waitFor(() => expect(collector.received.length).toBe(1));
		expect(collector.spans().length).toBe(MAX_BATCH_SPANS);
	});
});

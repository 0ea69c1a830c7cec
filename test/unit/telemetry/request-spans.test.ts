// Spans of requests: names and attributes of the table and no others, texts only where they are given, each token once.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../../src/telemetry/error-class.ts";
import { toPolicySpans } from "../../../src/telemetry/policy-spans.ts";
import { toRequestSpans } from "../../../src/telemetry/request-spans.ts";
import type { ExchangedContent, RequestTelemetry } from "../../../src/telemetry/request-telemetry.ts";
import type { AttributeValue, Span } from "../../../src/telemetry/span.ts";
import { toSpanId, toTraceId } from "../../../src/telemetry/span-ids.ts";
import {
	ATTRIBUTES,
	type AttributeName,
	METADATA_PREFIX,
	SPAN_EVENTS,
	SPANS,
	type SpanType,
} from "../../../src/telemetry/span-table.ts";
import {
	attemptTelemetry,
	checkTelemetry,
	refusedTelemetry,
	requestTelemetry,
	usageTelemetry,
} from "../../support/telemetry.ts";

const PARENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", flags: 1, state: "a=b" };
const TEXT = "a text that nobody else should read";

const LONG_EXCHANGE: ExchangedContent = {
	input: [{ role: "user", parts: [{ type: "text", content: TEXT }] }],
	output: [{ role: "assistant", parts: [{ type: "text", content: TEXT.repeat(1_000) }] }],
};

/** A request with a value for everything. */
const WHOLE = requestTelemetry({
	kind: "agent",
	outcome: "failed",
	status: 502,
	error: { code: "all_models_failed", message: "no model could answer" },
	count: 2,
	asked: {
		model: "auto",
		maxTokens: 500,
		temperature: 0.2,
		topP: 0.9,
		effort: "high",
		previousResponseId: "resp_0",
	},
	fallbackFrom: "gpt-5.4",
	isEstimated: true,
	workflow: "panel",
	tokens: { input: 120, output: 30, cacheRead: 100, cacheWrite: 10, reasoning: 5 },
	usage: [
		usageTelemetry({ tokens: { input: 100, output: 20, cacheRead: 100, cacheWrite: 10, reasoning: 5 } }),
		usageTelemetry({ model: "gone", tokens: { input: 20, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 } }),
	],
	attempts: [
		attemptTelemetry({ status: 429, error: "status", ms: 30, firstTokenMs: null }),
		attemptTelemetry({ status: null, error: "no_head", ms: 30, startedMs: 50, firstTokenMs: null }),
		attemptTelemetry({ startedMs: 210, ms: 400, firstTokenMs: 30 }),
	],
	stages: [
		{
			name: "plan",
			startedMs: 0,
			ms: 100,
			calls: 2,
			served: 0,
			costNanoUsd: 1,
			content: { ...LONG_EXCHANGE, input: [] },
		},
		{ name: "all", startedMs: null, ms: null, calls: 3, served: 1, costNanoUsd: 2, content: null },
	],
	steps: [
		{
			index: 0,
			role: "work",
			model: "gpt-5.4",
			provider: "openai",
			startedMs: 200,
			ms: 500,
			inputTokens: 100,
			outputTokens: 20,
			costNanoUsd: 5,
			error: "internal_error",
			content: LONG_EXCHANGE,
		},
	],
	tools: [
		{
			name: "search",
			callId: "call_1",
			type: "extension",
			startedMs: 620,
			ms: 20,
			error: "internal_error",
			arguments: JSON.stringify({ q: TEXT }),
			result: JSON.stringify(TEXT.repeat(1_000)),
			decision: "confirm",
			decidedBy: "person",
		},
		{
			name: "Bash",
			callId: "call_2",
			type: "function",
			startedMs: null,
			ms: null,
			error: null,
			arguments: null,
			result: null,
		},
	],
	sessionId: "session-1",
	endUser: "customer-7",
	metadata: { team: "search" },
	parent: PARENT,
	content: {
		system: [{ type: "text", content: TEXT }],
		input: [{ role: "user", parts: [{ type: "text", content: TEXT.repeat(1_000) }] }],
		output: [{ role: "assistant", parts: [{ type: "text", content: TEXT }], finish_reason: "stop" }],
	},
});

/** What a span is of, by its name and kind. */
function typeOf({ name, kind }: Span): SpanType {
	if (kind === "server") return "request";
	if (kind === "client") return "attempt";
	if (name.startsWith("stage ")) return "stage";
	if (name.startsWith("step ")) return "step";
	return name === "policy_check" ? "policy_check" : "tool";
}

function typeOfValue(value: AttributeValue): string {
	if (typeof value !== "number") return typeof value === "object" ? "string[]" : typeof value;
	return "number";
}

/** The faults of a span by the table. */
function faultsOf(span: Span): string[] {
	const type = typeOf(span);
	const wrong = Object.entries(span.attributes).flatMap(([name, value]) => {
		if (name.startsWith(METADATA_PREFIX)) return type === "request" ? [] : [`${type} has ${name}`];
		if (!Object.hasOwn(ATTRIBUTES, name)) return [`${name} is not in the table`];
		const row = ATTRIBUTES[name as AttributeName];
		if (!(row.on as readonly SpanType[]).includes(type)) return [`${type} has ${name}`];
		const expected = row.type === "int" || row.type === "double" ? "number" : row.type;
		if (typeOfValue(value) !== expected) return [`${name} is no ${row.type}`];
		return row.type === "int" && !Number.isInteger(value) ? [`${name} is no int`] : [];
	});
	const events = span.events.flatMap(({ name, attributes }) => {
		const row = SPAN_EVENTS[name as keyof typeof SPAN_EVENTS];
		const unknown = Object.keys(attributes).filter((key) => !(row.attributes as readonly string[]).includes(key));
		return [
			...((row.on as readonly SpanType[]).includes(type) ? [] : [`${type} has ${name}`]),
			...unknown.map((key) => `${name} has ${key}`),
		];
	});
	return [...wrong, ...events, ...(span.kind === SPANS[type].kind ? [] : [`${type} is ${span.kind}`])];
}

function rootOf(members: Partial<RequestTelemetry> = {}): Span {
	const [root] = toRequestSpans(requestTelemetry(members));
	expect.assert(root);
	return root;
}

function named(spans: readonly Span[], name: string): Span {
	const span = spans.find((one) => one.name === name);
	expect.assert(span, name);
	return span;
}

describe("the table of spans", () => {
	it("holds everything that spans say, and spans say everything that it holds", () => {
		const spans = [
			...toRequestSpans(WHOLE),
			...toRequestSpans({ ...WHOLE, kind: "chat" }),
			...toRequestSpans(refusedTelemetry()),
			...toPolicySpans(checkTelemetry({ parent: PARENT })),
		];
		expect(spans.flatMap(faultsOf)).toEqual([]);
		const said = new Set(
			spans.flatMap((span) => Object.keys(span.attributes).map((name) => `${typeOf(span)} ${name}`)),
		);
		const held = Object.entries(ATTRIBUTES).flatMap(([name, { on }]) => on.map((type) => `${type} ${name}`));
		expect(held.filter((name) => !said.has(name))).toEqual([]);
		const events = new Set(spans.flatMap((span) => span.events.map(({ name }) => name)));
		expect([...events].sort()).toEqual(Object.keys(SPAN_EVENTS).sort());
	});

	it("has no cost and nothing of ours under gen_ai", () => {
		const names = Object.keys(ATTRIBUTES);
		expect(names.filter((name) => name.startsWith("gen_ai.") && /cost|usd|price/.test(name))).toEqual([]);
		expect(names.filter((name) => /usd/.test(name)).every((name) => name.startsWith("svc.cost."))).toBe(true);
	});
});

describe("names", () => {
	it.each([
		["chat gpt-5.4", {}],
		["chat gpt-5.4", { kind: "skill" }],
		["chat claude-opus", { asked: { ...WHOLE.asked, model: "claude-opus" } }],
		["chat gpt-5.4", { fallbackFrom: "gpt-5.4", model: "other" }],
		["embeddings gpt-5.4", { kind: "embedding" }],
		["invoke_workflow panel", { kind: "orchestration", workflow: "panel" }],
		["invoke_workflow code", { kind: "code", workflow: "code" }],
		["invoke_agent", { kind: "agent", workflow: "panel" }],
		["chat", { model: null }],
	] as [string, Partial<RequestTelemetry>][])("%s", (name, members) => {
		expect(rootOf(members).name).toBe(name);
	});

	it("are those of the parts", () => {
		expect(toRequestSpans(WHOLE).map(({ name }) => name)).toEqual([
			"invoke_agent",
			"stage plan",
			"stage all",
			"step work",
			"chat gpt-5.4",
			"chat gpt-5.4",
			"chat gpt-5.4",
			"execute_tool search",
		]);
	});

	it("of providers are the conventions' where they have one", () => {
		const providerOf = (provider: string) => rootOf({ provider }).attributes["gen_ai.provider.name"];
		expect(["google", "mistral", "xai", "moonshot", "openai", "zai", "own"].map(providerOf)).toEqual([
			"gcp.gemini",
			"mistral_ai",
			"x_ai",
			"moonshot_ai",
			"openai",
			"zai",
			"own",
		]);
		const clouds = ["bedrock-eu-west-1", "vertex-claude-global", "azure-openai-acme", "azure-openai-deployments-x"];
		expect(clouds.map(providerOf)).toEqual(["aws.bedrock", "gcp.vertex_ai", "azure.ai.openai", "azure.ai.openai"]);
	});
});

describe("a trace", () => {
	it("goes on from the caller's span, with its flags and its state", () => {
		for (const [i, span] of toRequestSpans(WHOLE).entries()) {
			expect(span).toMatchObject({ traceId: PARENT.traceId, flags: 1, traceState: "a=b", isParentRemote: i === 0 });
			expect(span.parentSpanId).not.toBeNull();
		}
		expect(toRequestSpans(WHOLE)[0]?.parentSpanId).toBe(PARENT.spanId);
	});

	it("begins with the request where the caller has none", () => {
		expect(rootOf()).toMatchObject({
			traceId: toTraceId("req_01JD0000000000000000000001"),
			spanId: toSpanId("req_01JD0000000000000000000001", "request"),
			parentSpanId: null,
			isParentRemote: false,
			flags: 1,
			traceState: null,
		});
	});

	it("that its caller does not record is not recorded here", () => {
		expect(toRequestSpans(requestTelemetry({ parent: { ...PARENT, flags: 0 } }))).toEqual([]);
		expect(toPolicySpans(checkTelemetry({ parent: { ...PARENT, flags: 0 } }))).toEqual([]);
	});

	it("has each part within the step or the stage around its beginning, and all of them below the request", () => {
		const spans = toRequestSpans(WHOLE);
		const [root] = spans;
		const [stage, step] = [named(spans, "stage plan"), named(spans, "step work")];
		expect(spans.filter(({ name }) => name === "chat gpt-5.4").map(({ parentSpanId }) => parentSpanId)).toEqual([
			stage.spanId,
			stage.spanId,
			step.spanId,
		]);
		expect(named(spans, "execute_tool search").parentSpanId).toBe(step.spanId);
		expect(stage.parentSpanId).toBe(root?.spanId);
		expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
	});

	it("has a tool that began when its step had no call under way below that step", () => {
		const tools = WHOLE.tools.map((tool) => ({ ...tool, startedMs: tool.startedMs && 750 }));
		const spans = toRequestSpans({ ...WHOLE, tools });
		expect(named(spans, "execute_tool search").parentSpanId).toBe(named(spans, "step work").spanId);
	});

	it("has an attempt under the id that went upstream, where one did", () => {
		const attempts = [attemptTelemetry({ spanId: "00000000000000ab" }), attemptTelemetry({ startedMs: 40 })];
		const [, first, second] = toRequestSpans(requestTelemetry({ attempts }));
		expect(first?.spanId).toBe("00000000000000ab");
		expect(second?.spanId).toBe(toSpanId("req_01JD0000000000000000000001", "attempt 1"));
	});

	it("is the same however often it is made: sent twice it is one", () => {
		expect(toRequestSpans(WHOLE)).toEqual(toRequestSpans(structuredClone(WHOLE)));
	});

	it("has times in which no span ends before it begins", () => {
		for (const span of [...toRequestSpans(WHOLE), ...toPolicySpans(checkTelemetry())])
			expect(span.endedAtMs).toBeGreaterThanOrEqual(span.startedAtMs);
		const [root, stage] = toRequestSpans(WHOLE);
		expect(root?.startedAtMs).toBe(WHOLE.startedAtMs);
		expect(root?.endedAtMs).toBe(WHOLE.startedAtMs + WHOLE.latencyMs);
		expect(stage?.endedAtMs).toBe(WHOLE.startedAtMs + 100);
	});
});

describe("tokens", () => {
	const total = (spans: readonly Span[], name: string) =>
		spans.reduce((sum, { attributes }) => sum + Number(attributes[name] ?? 0), 0);

	it("stand on the request where it called one model, cached ones within the input", () => {
		const [root, attempt] = toRequestSpans(requestTelemetry());
		expect(root?.attributes).toMatchObject({
			"gen_ai.usage.input_tokens": 1_200,
			"gen_ai.usage.cache_read.input_tokens": 1_000,
			"gen_ai.usage.output_tokens": 300,
			"gen_ai.usage.reasoning.output_tokens": 120,
			"svc.cost.total_usd": 0.00425,
		});
		expect(root?.attributes).not.toHaveProperty(["gen_ai.usage.cache_write.input_tokens"]);
		expect(Object.keys(attempt?.attributes ?? {}).filter((name) => name.startsWith("gen_ai.usage"))).toEqual([]);
	});

	it("stand under the model that used them where there were several, and what has no attempt on the request", () => {
		const spans = toRequestSpans(WHOLE);
		const served = spans.findLast(({ kind }) => kind === "client");
		expect(served?.attributes["gen_ai.usage.input_tokens"]).toBe(100);
		expect(spans[0]?.attributes["gen_ai.usage.input_tokens"]).toBe(20);
	});

	it("are counted once in a trace, whatever was called", () => {
		const models = fc.constantFrom("a", "b", "c");
		const arbitrary = fc.record({
			kind: fc.constantFrom("chat", "orchestration", "agent", "code"),
			usage: fc.uniqueArray(fc.record({ model: models, input: fc.nat(1_000) }), { selector: ({ model }) => model }),
			attempts: fc.array(fc.record({ model: models, isServed: fc.boolean() }), { maxLength: 6 }),
		});
		fc.assert(
			fc.property(arbitrary, ({ kind, usage, attempts }) => {
				const input = usage.reduce((sum, part) => sum + part.input, 0);
				const none = { output: 0, cacheRead: null, cacheWrite: null, reasoning: null };
				const spans = toRequestSpans(
					requestTelemetry({
						kind: kind as RequestTelemetry["kind"],
						tokens: { input, ...none },
						usage: usage.map((part) => usageTelemetry({ model: part.model, tokens: { input: part.input, ...none } })),
						attempts: attempts.map(({ model, isServed }, i) =>
							attemptTelemetry({ model, error: isServed ? null : "timeout", startedMs: i }),
						),
					}),
				);
				expect(total(spans, "gen_ai.usage.input_tokens")).toBe(input);
				expect(total(spans, "svc.cost.total_usd")).toBe(0.00425);
			}),
		);
	});

	it("are not said of a request that nothing answered", () => {
		const [root] = toRequestSpans(refusedTelemetry());
		expect(Object.keys(root?.attributes ?? {}).filter((name) => /usage|cost|response\./.test(name))).toEqual([
			"http.response.status_code",
		]);
	});
});

describe("errors", () => {
	it("are codes of the closed list", () => {
		for (const code of ERROR_CODES)
			expect(toRequestSpans(refusedTelemetry({ error: { code, message: "m" } }))[0]?.attributes["error.type"]).toBe(
				code,
			);
		const other = refusedTelemetry({ error: { code: "never heard of", message: "m" } });
		expect(toRequestSpans(other)[0]?.attributes["error.type"]).toBe("_OTHER");
	});

	it("of attempts are the upstream's status, or why none came", () => {
		const attempts = toRequestSpans(WHOLE).filter(({ kind }) => kind === "client");
		expect(attempts.map(({ attributes }) => attributes["error.type"])).toEqual(["429", "no_head", undefined]);
		expect(attempts.map(({ error }) => error !== undefined)).toEqual([true, true, false]);
		expect(attempts.map(({ attributes }) => attributes["http.response.status_code"])).toEqual([429, undefined, 200]);
	});

	it("have the code and the message of the request's row", () => {
		expect(toRequestSpans(refusedTelemetry())[0]?.error).toEqual({ message: "too many requests in a minute" });
		expect(toRequestSpans(WHOLE)[0]?.error).toEqual({ message: "no model could answer" });
	});

	it("are none of an answer that came, even one that was cut", () => {
		expect(rootOf().error).toBeUndefined();
		const cut = rootOf({ outcome: "cut", finishReasons: [] });
		expect(cut.attributes["gen_ai.response.finish_reasons"]).toEqual(["error"]);
	});
});

describe("reasons", () => {
	it("are events of the request", () => {
		const request = requestTelemetry({
			model: "claude-sonnet-5",
			provider: "anthropic",
			fallbackFrom: "gpt-5.4",
			attempts: [
				attemptTelemetry({ status: 503, error: "status", ms: 30 }),
				attemptTelemetry({ model: "claude-sonnet-5", provider: "anthropic", startedMs: 60 }),
			],
		});
		expect(toRequestSpans(request)[0]?.events).toEqual([
			{
				name: "svc.choice",
				atMs: request.startedAtMs + 12,
				attributes: {
					"svc.choice.mode": "balanced",
					"svc.choice.model": "claude-sonnet-5",
					"svc.choice.provider": "anthropic",
					"svc.choice.reason": "the best expected quality for its price",
				},
			},
			{
				name: "svc.fallback",
				atMs: request.startedAtMs + 60,
				attributes: {
					"svc.fallback.from": "gpt-5.4",
					"svc.fallback.to": "claude-sonnet-5",
					"svc.fallback.reason": "status",
				},
			},
			{ name: "svc.first_token", atMs: request.startedAtMs + 252, attributes: {} },
		]);
	});
});

describe("texts", () => {
	const contentNames = Object.entries(ATTRIBUTES)
		.filter(([, row]) => "isContent" in row)
		.map(([name]) => name);

	it("are in no span while content is off", () => {
		const off = {
			...WHOLE,
			content: null,
			stages: WHOLE.stages.map((stage) => ({ ...stage, content: null })),
			steps: WHOLE.steps.map((step) => ({ ...step, content: null })),
			tools: WHOLE.tools.map((tool) => ({ ...tool, arguments: null, result: null })),
		};
		const spans = toRequestSpans(off);
		expect(JSON.stringify(spans)).not.toContain(TEXT);
		expect(
			spans.flatMap(({ attributes }) => Object.keys(attributes).filter((name) => contentNames.includes(name))),
		).toEqual([]);
	});

	it("are in the conventions' form while it is on", () => {
		const root = rootOf({
			content: { ...WHOLE.content, input: [{ role: "user", parts: [{ type: "text", content: "hi" }] }] } as never,
		});
		expect(JSON.parse(String(root.attributes["gen_ai.input.messages"]))).toEqual([
			{ role: "user", parts: [{ type: "text", content: "hi" }] },
		]);
		expect(JSON.parse(String(root.attributes["gen_ai.output.messages"]))).toEqual([
			{ role: "assistant", parts: [{ type: "text", content: TEXT }], finish_reason: "stop" },
		]);
		expect(JSON.parse(String(root.attributes["gen_ai.system_instructions"]))).toEqual([
			{ type: "text", content: TEXT },
		]);
		expect(root.attributes).not.toHaveProperty(["svc.content.clipped"]);
	});

	it("are bounded and stay JSON: the first and the last messages are kept, and the span says that some are missing", () => {
		const message = fc.record({
			role: fc.constantFrom("user", "assistant", "tool"),
			parts: fc.array(
				fc.oneof(
					fc.record({
						type: fc.constant("text"),
						content: fc.string({ unit: "binary", maxLength: 40_000, size: "max" }),
					}),
					fc.record({
						type: fc.constant("tool_call"),
						id: fc.constant("c"),
						name: fc.string(),
						arguments: fc.record({ text: fc.string({ maxLength: 20_000, size: "max" }) }),
					}),
					fc.record({ type: fc.constant("tool_call_response"), id: fc.constant("c"), response: fc.string() }),
				),
				{ maxLength: 3 },
			),
		});
		fc.assert(
			fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), (input) => {
				const root = rootOf({ content: { system: [], input: input as never, output: [] } });
				const text = String(root.attributes["gen_ai.input.messages"]);
				expect(text.length).toBeLessThanOrEqual(65_536);
				const kept = JSON.parse(text) as typeof input;
				expect(kept.length).toBeLessThanOrEqual(input.length);
				const isWhole = text === JSON.stringify(input);
				expect(root.attributes["svc.content.clipped"] ?? false).toBe(!isWhole);
				if (JSON.stringify(input).length < 10_000) expect(isWhole).toBe(true);
			}),
			{ numRuns: 60 },
		);
	});

	it("keep no picture, only that there was one", () => {
		const root = rootOf({
			content: {
				system: [],
				input: [
					{
						role: "user",
						parts: [{ type: "uri", modality: "image", uri: `data:image/png;base64,${"A".repeat(5_000)}` }],
					},
				],
				output: [],
			},
		});
		expect(JSON.parse(String(root.attributes["gen_ai.input.messages"]))).toEqual([
			{ role: "user", parts: [{ type: "uri", modality: "image", uri: "data:image/png;base64," }] },
		]);
		expect(root.attributes["svc.content.clipped"]).toBe(true);
	});
});

describe("a policy check", () => {
	it("is a span with its decision and without what it is about", () => {
		const [span] = toPolicySpans(checkTelemetry());
		expect(span).toMatchObject({
			name: "policy_check",
			kind: "internal",
			startedAtMs: 1_790_000_000_496,
			endedAtMs: 1_790_000_000_500,
			attributes: {
				"gen_ai.conversation.id": "session-1",
				"svc.policy.decision": "deny",
				"svc.policy.factors": ["destructive_command"],
			},
		});
	});
});

// Sums of metrics: nothing counts twice, nothing gets lost on the way, whatever the order; and the number of series is bounded.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ERROR_CLASSES, ERROR_CODES, errorClass } from "../../../src/telemetry/error-class.ts";
import { METRIC_GROUPS, vectorLength } from "../../../src/telemetry/metric-groups.ts";
import { type MetricPoint, toMetricPoints } from "../../../src/telemetry/metric-points.ts";
import { type CountedRequest, MetricSums, parseSeriesKey } from "../../../src/telemetry/metric-sums.ts";
import type { MetricName } from "../../../src/telemetry/metric-table.ts";
import {
	attemptTelemetry,
	checkTelemetry,
	countedToolCall,
	refusedTelemetry,
	requestTelemetry,
	usageTelemetry,
} from "../../support/telemetry.ts";

function pointsOf(sums: MetricSums, metric: MetricName): MetricPoint[] {
	return toMetricPoints(sums, [], true).filter((point) => point.metric === metric);
}

/** Values by labels, as JSON. */
function valuesOf(sums: MetricSums, metric: MetricName): Record<string, number> {
	return Object.fromEntries(
		pointsOf(sums, metric).map((point) => [
			JSON.stringify(point.labels),
			point.kind === "histogram" ? point.counts.reduce((total, count) => total + count, 0) : point.value,
		]),
	);
}

function count(...requests: readonly CountedRequest[]): MetricSums {
	const sums = new MetricSums();
	for (const request of requests) sums.addRequest(request);
	return sums;
}

const GEN_AI = {
	"gen_ai.operation.name": "chat",
	"gen_ai.provider.name": "openai",
	"gen_ai.request.model": "gpt-5.4",
};
const TOKENS = JSON.stringify({ ...GEN_AI, "gen_ai.token.modality": "unknown" });

describe("what a request adds", () => {
	it("is tokens and cost by model, as usage has them", () => {
		const sums = count(requestTelemetry(), requestTelemetry());
		expect(valuesOf(sums, "gen_ai.client.inference.usage.input_tokens")).toEqual({ [TOKENS]: 2_400 });
		expect(valuesOf(sums, "gen_ai.client.inference.usage.output_tokens")).toEqual({ [TOKENS]: 600 });
		expect(valuesOf(sums, "gen_ai.client.inference.usage.cache_read.input_tokens")).toEqual({ [TOKENS]: 2_000 });
		expect(valuesOf(sums, "gen_ai.client.inference.usage.cache_write.input_tokens")).toEqual({ [TOKENS]: 0 });
		expect(valuesOf(sums, "gen_ai.client.inference.usage.reasoning.output_tokens")).toEqual({ [TOKENS]: 240 });
		expect(valuesOf(sums, "svc.cost")).toEqual({ '{"model":"gpt-5.4","provider":"openai"}': 8_500_000 });
		expect(valuesOf(sums, "svc.tokens")).toEqual({
			'{"model":"gpt-5.4","provider":"openai","direction":"input"}': 2_400,
			'{"model":"gpt-5.4","provider":"openai","direction":"output"}': 600,
		});
	});

	it("adds up the regions of a cloud where the conventions name it, and tells them apart in the service's own metrics", () => {
		const regions = ["bedrock-eu-west-1", "bedrock-us-east-1"];
		const sums = count(...regions.map((provider) => requestTelemetry({ usage: [{ ...usageTelemetry(), provider }] })));
		const named = TOKENS.replace('"openai"', '"aws.bedrock"');
		expect(valuesOf(sums, "gen_ai.client.inference.usage.input_tokens")).toEqual({ [named]: 2_400 });
		expect(Object.keys(valuesOf(sums, "svc.cost"))).toEqual(
			regions.map((provider) => JSON.stringify({ model: "gpt-5.4", provider })),
		);
	});

	it("counts each model of a request for itself, and what no model's entry has for the model that served", () => {
		const sums = count(
			requestTelemetry({
				tokens: { input: 150, output: 30, cacheRead: 40, cacheWrite: null, reasoning: null },
				costNanoUsd: 900,
				usage: [
					usageTelemetry({
						tokens: { input: 100, output: 20, cacheRead: null, cacheWrite: null, reasoning: null },
						costNanoUsd: 600,
					}),
					usageTelemetry({
						model: "claude-sonnet-5",
						provider: "anthropic",
						tokens: { input: 50, output: 10, cacheRead: null, cacheWrite: null, reasoning: null },
						costNanoUsd: 300,
					}),
				],
			}),
		);
		expect(valuesOf(sums, "svc.cost")).toEqual({
			'{"model":"gpt-5.4","provider":"openai"}': 600,
			'{"model":"claude-sonnet-5","provider":"anthropic"}': 300,
		});
		const cached = valuesOf(sums, "gen_ai.client.inference.usage.cache_read.input_tokens");
		expect(cached[TOKENS]).toBe(40);
		expect(Object.values(valuesOf(sums, "svc.tokens")).reduce((total, value) => total + value)).toBe(180);
		// Two calls, two sizes: what was left over is no third.
		expect(Object.values(valuesOf(sums, "gen_ai.client.token.usage")).reduce((a, b) => a + b)).toBe(4);
	});

	it("is one attempt for each call, with its error and status", () => {
		const sums = count(
			requestTelemetry({
				attempts: [
					attemptTelemetry({ status: 429, error: "status", firstTokenMs: null }),
					attemptTelemetry({ status: null, error: "no_head", firstTokenMs: null }),
					attemptTelemetry(),
				],
			}),
		);
		expect(valuesOf(sums, "svc.attempts")).toEqual({
			'{"model":"gpt-5.4","provider":"openai","error":"status","status":"429"}': 1,
			'{"model":"gpt-5.4","provider":"openai","error":"no_head"}': 1,
			'{"model":"gpt-5.4","provider":"openai","status":"200"}': 1,
		});
		expect(valuesOf(sums, "gen_ai.client.inference.duration")).toEqual({
			[JSON.stringify({ ...GEN_AI, "error.type": "429" })]: 1,
			[JSON.stringify({ ...GEN_AI, "error.type": "no_head" })]: 1,
			[JSON.stringify(GEN_AI)]: 1,
		});
		expect(valuesOf(sums, "gen_ai.client.inference.time_to_first_chunk")).toEqual({ [JSON.stringify(GEN_AI)]: 1 });
	});

	it("has a time to the first chunk only where the answer was streamed", () => {
		const sums = count(requestTelemetry({ isStream: false, firstTokenMs: null }));
		expect(valuesOf(sums, "gen_ai.client.inference.time_to_first_chunk")).toEqual({});
		expect(valuesOf(sums, "svc.request.first_token")).toEqual({});
	});

	it("is a refusal as often as its row stands for, with class and code", () => {
		const sums = count(refusedTelemetry({ count: 41 }));
		expect(valuesOf(sums, "svc.requests")).toEqual({ '{"kind":"chat","outcome":"refused"}': 41 });
		expect(valuesOf(sums, "svc.request.errors")).toEqual({
			'{"kind":"chat","class":"limit","code":"rate_limit_exceeded"}': 41,
		});
		expect(valuesOf(sums, "svc.request.duration")).toEqual({ '{"kind":"chat","outcome":"refused"}': 41 });
		expect(valuesOf(sums, "svc.cost")).toEqual({});
	});

	it("is a hit or a miss of a cache only where the provider reports one", () => {
		const tokens = { input: 10, output: 1, cacheWrite: null, reasoning: null };
		const sums = count(
			requestTelemetry(),
			requestTelemetry({ tokens: { ...tokens, cacheRead: 0 } }),
			requestTelemetry({ tokens: { ...tokens, cacheRead: null } }),
			refusedTelemetry({
				model: "gpt-5.4",
				provider: "openai",
				outcome: "client_closed",
				tokens: { ...tokens, input: 0, cacheRead: 0 },
			}),
		);
		expect(valuesOf(sums, "svc.cache.requests")).toEqual({
			'{"model":"gpt-5.4","provider":"openai","result":"hit"}': 1,
			'{"model":"gpt-5.4","provider":"openai","result":"miss"}': 1,
		});
	});

	it("puts each duration into the bucket of the first bound that is not below it", () => {
		const [point] = pointsOf(
			count(...[50, 51, 100, 1_800_000, 1_800_001].map((latencyMs) => requestTelemetry({ latencyMs }))),
			"svc.request.duration",
		);
		expect.assert(point?.kind === "histogram");
		expect(point.counts).toEqual([1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
		expect(point.counts).toHaveLength(point.bounds.length + 1);
		expect(point.sum).toBe(50 + 51 + 100 + 1_800_000 + 1_800_001);
	});

	it("names users and keys only where the operator lists them", () => {
		const labelsOf = (sums: MetricSums) => toMetricPoints(sums, [], true).map(({ labels }) => Object.keys(labels));
		expect(labelsOf(count(requestTelemetry())).flat()).not.toContain("user");
		const sums = new MetricSums(["key"]);
		sums.addRequest(requestTelemetry());
		expect(valuesOf(sums, "svc.cost")).toEqual({ '{"model":"gpt-5.4","provider":"openai","key":"key_1"}': 4_250_000 });
		expect(labelsOf(sums).flat()).not.toContain("user");
	});

	it("has histograms without users and keys: they are sums over them", () => {
		const sums = new MetricSums(["user", "key"]);
		for (const userId of ["user_1", "user_2"]) sums.addRequest(requestTelemetry({ userId }));
		const labels = '{"kind":"chat","model":"gpt-5.4","provider":"openai","outcome":"complete"}';
		expect(valuesOf(sums, "svc.request.duration")).toEqual({ [labels]: 2 });
		expect(Object.values(valuesOf(sums, "svc.requests"))).toEqual([1, 1]);
	});

	it("counts decisions and spans", () => {
		const sums = new MetricSums();
		sums.addCheck(checkTelemetry());
		sums.addCheck(checkTelemetry({ decision: "allow", tier: "auto" }));
		sums.addSpans("sent", 512);
		sums.addSpans("dropped", 3);
		expect(valuesOf(sums, "svc.policy.checks")).toEqual({
			'{"decision":"deny","tier":"block"}': 1,
			'{"decision":"allow","tier":"auto"}': 1,
		});
		expect(valuesOf(sums, "svc.telemetry.spans")).toEqual({ '{"result":"sent"}': 512, '{"result":"dropped"}': 3 });
	});

	it("counts tool calls by how they ended, the decisions that stood, and the time of those that ran", () => {
		const sums = new MetricSums();
		sums.addToolCall(countedToolCall());
		sums.addToolCall(countedToolCall({ kind: "compute", ms: 0 }));
		sums.addToolCall(countedToolCall({ decision: "approved", by: "person" }));
		sums.addToolCall(countedToolCall({ outcome: "rejected", decision: null, by: null, ms: null }));
		expect(valuesOf(sums, "svc.agent.tool_calls")).toEqual({
			'{"kind":"function","outcome":"done"}': 2,
			'{"kind":"compute","outcome":"done"}': 1,
			'{"kind":"function","outcome":"rejected"}': 1,
		});
		expect(valuesOf(sums, "svc.agent.decisions")).toEqual({
			'{"decision":"allowed","by":"policy"}': 2,
			'{"decision":"approved","by":"person"}': 1,
		});
		expect(valuesOf(sums, "svc.agent.tool_call.duration")).toEqual({
			'{"kind":"function"}': 2,
			'{"kind":"compute"}': 1,
		});
	});
});

const request: fc.Arbitrary<CountedRequest> = fc
	.record({
		model: fc.constantFrom("a", "b", "c"),
		kind: fc.constantFrom("chat", "agent", "embedding"),
		latencyMs: fc.nat(100_000),
		costNanoUsd: fc.nat(1e9),
		input: fc.nat(1e6),
		isRefused: fc.boolean(),
	})
	.map(({ model, kind, latencyMs, costNanoUsd, input, isRefused }) => {
		if (isRefused) return refusedTelemetry({ kind, latencyMs });
		const tokens = { input, output: 3, cacheRead: null, cacheWrite: null, reasoning: null };
		return requestTelemetry({
			kind,
			model,
			latencyMs,
			costNanoUsd,
			tokens,
			usage: [usageTelemetry({ model, tokens, costNanoUsd })],
			attempts: [attemptTelemetry({ model, ms: latencyMs })],
		});
	});

function sorted(sums: MetricSums) {
	return Object.fromEntries(Object.entries(sums.toJSON()).sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe("deltas", () => {
	it("add up to what one place would have counted, in any grouping and order", () => {
		fc.assert(
			fc.property(fc.array(fc.array(request, { maxLength: 6 }), { maxLength: 5 }), (groups) => {
				const total = new MetricSums();
				for (const group of groups.toReversed()) total.merge(JSON.parse(JSON.stringify(count(...group))));
				expect(sorted(total)).toEqual(sorted(count(...groups.flat())));
			}),
		);
	});

	it("count once however often they arrive", () => {
		fc.assert(
			fc.property(
				fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
				fc.array(fc.nat(3), { maxLength: 12 }),
				(groups, repeats) => {
					const total = new MetricSums();
					let taken = 0;
					const batches = groups.map((group, i) => ({
						source: "user_1",
						number: i + 1,
						deltas: count(...group).toJSON(),
					}));
					// A source sends its oldest batch until it is taken; any earlier one may arrive again at any time.
					for (const batch of batches) {
						for (const again of [batch, ...repeats.flatMap((i) => batches[i] ?? [])]) {
							if (again.number > taken + 1) continue;
							const changed = total.take(again, taken);
							expect(changed === null).toBe(again.number <= taken);
							if (changed) taken = again.number;
						}
					}
					expect(taken).toBe(batches.length);
					expect(sorted(total)).toEqual(sorted(count(...groups.flat())));
				},
			),
		);
	});

	it("say which series changed, and are the same after they were stored and read", () => {
		const total = count(requestTelemetry());
		const changed = total.merge(count(requestTelemetry({ model: "b", usage: [] })).toJSON());
		expect(changed.length).toBeGreaterThan(0);
		const stored = JSON.parse(JSON.stringify(total.toJSON()));
		for (const key of changed) expect(total.vector(key)).toEqual(stored[key]);
		const read = new MetricSums();
		read.merge(stored);
		expect(read.toJSON()).toEqual(total.toJSON());
		expect(toMetricPoints(read, [], true)).toEqual(toMetricPoints(total, [], true));
	});

	it("never make a counter smaller", () => {
		fc.assert(
			fc.property(fc.array(request, { minLength: 1, maxLength: 8 }), (requests) => {
				const total = new MetricSums();
				let before: Record<string, readonly number[]> = {};
				for (const one of requests) {
					total.merge(count(one).toJSON());
					const after = total.toJSON();
					for (const [key, vector] of Object.entries(before))
						for (const [i, value] of vector.entries()) expect(after[key]?.[i]).toBeGreaterThanOrEqual(value);
					before = after;
				}
			}),
		);
	});

	it.each([
		["no JSON", { "{": [1] }],
		["another group", { '["other","a"]': [1] }],
		["too many labels", { '["check","deny","block","x"]': [1] }],
		["a label that is no text", { '["check",1]': [1] }],
		["a number below zero", { '["check","deny"]': [-1] }],
		["a fraction", { '["check","deny"]': [0.5] }],
		["no number", { '["check","deny"]': [Number.NaN] }],
		["too many numbers", { '["check","deny"]': [1, 1] }],
		["no numbers", { '["check","deny"]': [] }],
	])("of another version or with faults are left out: %s", (_, deltas) => {
		const sums = new MetricSums();
		expect(sums.merge(deltas)).toEqual([]);
		expect(sums.isEmpty).toBe(true);
	});

	it("of a version with fewer slots are added to those that it had", () => {
		const sums = new MetricSums();
		sums.merge({ '["request","chat"]': [5] });
		expect(sums.vector('["request","chat"]')).toHaveLength(vectorLength("request"));
		expect(valuesOf(sums, "svc.requests")).toEqual({ '{"kind":"chat"}': 5 });
	});

	it("are gone after they were sent", () => {
		const sums = count(requestTelemetry());
		sums.clear();
		expect(sums.isEmpty).toBe(true);
		expect(sums.toJSON()).toEqual({});
	});
});

describe("the number of series", () => {
	const many = (size: number) =>
		Array.from({ length: size }, (_, i) => checkTelemetry({ decision: `decision ${i}`, tier: "block" }));

	it("is bounded: one series takes all others, and no count is lost", () => {
		const sums = new MetricSums([], 10);
		for (const check of many(25)) sums.addCheck(check);
		const values = valuesOf(sums, "svc.policy.checks");
		expect(Object.keys(values)).toHaveLength(11);
		expect(values['{"otel.metric.overflow":"true"}']).toBe(15);
		expect(Object.values(values).reduce((a, b) => a + b)).toBe(25);
	});

	it("is bounded when deltas are merged and when sums are read again, and a known series goes on", () => {
		const delta = new MetricSums();
		for (const check of many(25)) delta.addCheck(check);
		const total = new MetricSums([], 10);
		total.merge(delta.toJSON());
		const changed = total.merge(delta.toJSON());
		expect(changed).toHaveLength(11);
		const again = new MetricSums([], 10);
		again.merge(total.toJSON());
		expect(again.toJSON()).toEqual(total.toJSON());
		expect(valuesOf(again, "svc.policy.checks")['{"decision":"decision 3","tier":"block"}']).toBe(2);
	});

	it("is that of a group: the others are not touched", () => {
		const sums = new MetricSums([], 1);
		for (const check of many(2)) sums.addCheck(check);
		sums.addRequest(requestTelemetry());
		expect(valuesOf(sums, "svc.requests")).toEqual({
			'{"kind":"chat","model":"gpt-5.4","provider":"openai","outcome":"complete"}': 1,
		});
	});

	it("does not grow by what clients write: only the service's own words are labels", () => {
		const [known, odd] = [
			requestTelemetry(),
			requestTelemetry({
				requestId: "req_2",
				sessionId: "s",
				endUser: "u",
				metadata: { a: "b" },
				asked: {
					model: "anything",
					maxTokens: 1,
					temperature: null,
					topP: null,
					effort: null,
					previousResponseId: null,
				},
			}),
		];
		expect(Object.keys(count(known, odd).toJSON())).toEqual(Object.keys(count(known).toJSON()));
	});
});

describe("keys of series", () => {
	it("are read as they were made, whatever the labels hold", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 128 }), fc.string({ maxLength: 128 }), (decision, tier) => {
				const sums = new MetricSums();
				sums.addCheck({ decision, tier });
				const [key] = Object.keys(sums.toJSON());
				const labels = { ...(decision === "" ? {} : { decision }), ...(tier === "" ? {} : { tier }) };
				expect(parseSeriesKey(key ?? "")).toEqual({ group: "check", labels });
			}),
		);
	});

	it("belong to groups with whole layouts", () => {
		for (const group of Object.keys(METRIC_GROUPS)) expect(vectorLength(group)).toBeGreaterThan(0);
		expect(vectorLength("other")).toBe(0);
	});
});

describe("classes of errors", () => {
	it("are known for each code, and each class has codes", () => {
		expect(new Set(ERROR_CODES.map(errorClass))).toEqual(new Set(ERROR_CLASSES));
		expect(errorClass("never_heard_of")).toBe("service");
	});
});

// What this service writes is what OpenTelemetry's own serializers write for the same spans and metrics.
import { type HrTime, type AttributeValue as SdkValue, SpanKind, SpanStatusCode, ValueType } from "@opentelemetry/api";
import { JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
	AggregationTemporality,
	AggregationType,
	InMemoryMetricExporter,
	MeterProvider,
	PeriodicExportingMetricReader,
	type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MetricPoint, toMetricPoints } from "../../../src/telemetry/metric-points.ts";
import { MetricSums } from "../../../src/telemetry/metric-sums.ts";
import { METRIC_TABLE, type MetricName } from "../../../src/telemetry/metric-table.ts";
import { encodeMetrics, encodeSpan, encodeSpans } from "../../../src/telemetry/otlp-json.ts";
import { toPolicySpans } from "../../../src/telemetry/policy-spans.ts";
import { toRequestSpans } from "../../../src/telemetry/request-spans.ts";
import type { Attributes, Span } from "../../../src/telemetry/span.ts";
import {
	attemptTelemetry,
	checkTelemetry,
	countedToolCall,
	refusedTelemetry,
	requestTelemetry,
	usageTelemetry,
} from "../../support/telemetry.ts";

const RESOURCE = { attributes: { "service.name": "svc", "service.version": "0.1.0", cold: true, shards: 3 } };
const SCOPE = { name: "svc", version: "0.1.0" };

/** 64-bit integers of the protocol, which proto3's JSON writes as text and the SDK as numbers: readers take both. */
const WIDE = new Set(["intValue", "asInt", "count", "bucketCounts"]);

function widen(value: unknown, isWide = false): unknown {
	if (Array.isArray(value)) return value.map((entry) => widen(entry, isWide));
	if (typeof value === "object" && value !== null)
		return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, widen(member, WIDE.has(key))]));
	return isWide && typeof value === "number" ? String(value) : value;
}

function parseSdk(bytes: Uint8Array | undefined): unknown {
	return widen(JSON.parse(new TextDecoder().decode(bytes)));
}

/** As the SDK's own clock does it. */
function toHrTime(ms: number): HrTime {
	const seconds = Math.trunc(ms / 1000);
	return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function copy(attributes: Attributes): Record<string, SdkValue> {
	return Object.fromEntries(
		Object.entries(attributes).map(([key, value]) => [key, typeof value === "object" ? [...value] : value]),
	);
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };
const SDK_RESOURCE = resourceFromAttributes(RESOURCE.attributes);

/** The same span as the SDK holds it. */
function toSdkSpan(span: Span): ReadableSpan {
	const { traceId, spanId, flags, traceState } = span;
	const state = traceState === null ? undefined : { serialize: () => traceState };
	const context = { traceId, spanId, traceFlags: flags, ...(state ? { traceState: state as never } : {}) };
	const error = span.error;
	return {
		name: span.name,
		kind: KINDS[span.kind],
		spanContext: () => context,
		...(span.parentSpanId === null
			? {}
			: {
					parentSpanContext: {
						traceId,
						spanId: span.parentSpanId,
						traceFlags: flags,
						isRemote: span.isParentRemote,
					},
				}),
		startTime: toHrTime(span.startedAtMs),
		endTime: toHrTime(span.endedAtMs),
		status: error
			? { code: SpanStatusCode.ERROR, ...(error.message === null ? {} : { message: error.message }) }
			: { code: SpanStatusCode.UNSET },
		attributes: copy(span.attributes),
		links: [],
		events: span.events.map(({ name, atMs, attributes }) => ({
			name,
			time: toHrTime(atMs),
			attributes: copy(attributes),
		})),
		duration: toHrTime(span.endedAtMs - span.startedAtMs),
		ended: true,
		resource: SDK_RESOURCE,
		instrumentationScope: SCOPE,
		droppedAttributesCount: 0,
		droppedEventsCount: 0,
		droppedLinksCount: 0,
	};
}

function expectSameSpans(spans: readonly Span[]): void {
	const ours = JSON.parse(encodeSpans(RESOURCE, SCOPE, spans.map(encodeSpan)));
	expect(ours).toEqual(parseSdk(JsonTraceSerializer.serializeRequest(spans.map(toSdkSpan))));
}

const hex = (length: number) =>
	fc
		.array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
		.map((digits) => digits.join(""))
		.filter((digits) => !/^0+$/.test(digits));
const time = fc.double({ min: 1.6e12, max: 1.9e12, noNaN: true }).map((ms) => Math.round(ms * 1e3) / 1e3);
const attributes = fc.dictionary(
	fc.string({ minLength: 1, maxLength: 20 }),
	fc.oneof(
		fc.string(),
		fc.boolean(),
		fc.integer(),
		fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
		fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
		fc.array(fc.string()),
	),
	{ noNullPrototype: true },
);
const span: fc.Arbitrary<Span> = fc
	.record({
		traceId: hex(32),
		spanId: hex(16),
		parentSpanId: fc.option(hex(16)),
		isParentRemote: fc.boolean(),
		flags: fc.integer({ min: 0, max: 255 }),
		traceState: fc.option(fc.string({ minLength: 1 })),
		name: fc.string(),
		kind: fc.constantFrom("internal", "server", "client"),
		startedAtMs: time,
		endedAtMs: time,
		attributes,
		events: fc.array(fc.record({ name: fc.string(), atMs: time, attributes }), { maxLength: 3 }),
		error: fc.option(fc.record({ message: fc.option(fc.string()) }), { nil: undefined }),
	})
	.map(({ error, ...rest }) => ({
		...rest,
		// The SDK knows no remote parent without a parent.
		isParentRemote: rest.parentSpanId !== null && rest.isParentRemote,
		...(error ? { error } : {}),
	}));

describe("spans as OTLP/JSON", () => {
	it("are those of the SDK's serializer for a request with all its parts", () => {
		const request = requestTelemetry({
			attempts: [
				attemptTelemetry({ status: 429, error: "status", ms: 30, firstTokenMs: null }),
				attemptTelemetry({ startedMs: 60.25 }),
			],
			fallbackFrom: "gpt-5.4",
			sessionId: "session-1",
			metadata: { team: "search" },
			parent: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", flags: 1, state: "a=b" },
			stages: [{ name: "panel", startedMs: 1, ms: 40, calls: 3, served: 2, costNanoUsd: 12, content: null }],
			content: {
				system: [],
				input: [{ role: "user", parts: [{ type: "text", content: "Grüße “quoted” \u2028" }] }],
				output: [],
			},
		});
		expectSameSpans([
			...toRequestSpans(request),
			...toRequestSpans(refusedTelemetry()),
			...toPolicySpans(checkTelemetry()),
		]);
	});

	it("are those of the SDK's serializer for any spans", () => {
		fc.assert(fc.property(fc.array(span, { minLength: 1, maxLength: 5 }), expectSameSpans), { numRuns: 300 });
	});

	it("write ids, times and whole numbers as the protocol's JSON asks", () => {
		const [root] = toRequestSpans(requestTelemetry());
		expect.assert(root);
		const sent = JSON.parse(encodeSpan(root));
		expect(sent.traceId).toMatch(/^[0-9a-f]{32}$/);
		expect(sent.spanId).toMatch(/^[0-9a-f]{16}$/);
		expect(sent.startTimeUnixNano).toBe("1790000000123000000");
		expect(sent.kind).toBe(2);
		expect(sent.attributes).toContainEqual({ key: "gen_ai.usage.input_tokens", value: { intValue: "1200" } });
		expect(sent.attributes).toContainEqual({ key: "svc.cost.total_usd", value: { doubleValue: 0.00425 } });
	});
});

const STARTED = 1_790_000_000_000;
const READ = 1_790_000_060_000;

/** The same points as the SDK holds them. */
function toSdkMetrics(points: readonly MetricPoint[]): ResourceMetrics {
	const times = { startTime: toHrTime(STARTED), endTime: toHrTime(READ) };
	const metrics = [...Map.groupBy(points, ({ metric }) => metric)].map(([name, same]) => {
		const { description, unit, divisor, kind } = METRIC_TABLE[name];
		const descriptor = {
			name,
			description,
			unit,
			valueType: divisor === 1 ? ValueType.INT : ValueType.DOUBLE,
		};
		const dataPoints = same.map((point) => ({
			...times,
			attributes: { ...point.labels },
			value:
				point.kind === "histogram"
					? {
							buckets: {
								boundaries: point.bounds.map((bound) => bound / divisor),
								counts: [...point.counts],
							},
							count: point.counts.reduce((sum, count) => sum + count, 0),
							sum: point.sum / divisor,
						}
					: point.value / divisor,
		}));
		const types = { counter: 3, gauge: 2, histogram: 0 };
		return {
			descriptor,
			aggregationTemporality: AggregationTemporality.CUMULATIVE,
			dataPointType: types[kind],
			...(kind === "counter" ? { isMonotonic: true } : {}),
			dataPoints,
		};
	});
	return { resource: SDK_RESOURCE, scopeMetrics: [{ scope: SCOPE, metrics: metrics as never }] };
}

function expectSameMetrics(points: readonly MetricPoint[]): void {
	const ours = JSON.parse(
		encodeMetrics({ resource: RESOURCE, scope: SCOPE, points, startedAtMs: STARTED, atMs: READ }),
	);
	const bytes = JsonMetricsSerializer.serializeRequest(toSdkMetrics(points));
	const { resourceMetrics } = parseSdk(bytes) as { resourceMetrics: unknown };
	expect(ours).toEqual({ resourceMetrics });
}

const KEY_GAUGE: MetricPoint = {
	metric: "svc.provider.keys",
	kind: "gauge",
	labels: { provider: "openai", key: "main", state: "ready" },
	value: 1,
};

const names = Object.keys(METRIC_TABLE) as MetricName[];
const point: fc.Arbitrary<MetricPoint> = fc
	.tuple(
		fc.constantFrom(...names),
		fc.dictionary(fc.constantFrom("model", "provider", "kind", "a.b"), fc.string(), { noNullPrototype: true }),
		fc.array(fc.nat(1e9), { minLength: 15, maxLength: 15 }),
		fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
	)
	.map(([metric, labels, counts, value]) => {
		const { kind } = METRIC_TABLE[metric];
		if (kind !== "histogram") return { metric, kind, labels, value };
		return { metric, kind, labels, bounds: Array.from({ length: 14 }, (_, i) => 10 * 2 ** i), counts, sum: value };
	});

describe("metrics as OTLP/JSON", () => {
	it("are those of the SDK's serializer for what was counted", () => {
		const sums = new MetricSums(["user"]);
		sums.addRequest(requestTelemetry());
		sums.addRequest(refusedTelemetry({ count: 7 }));
		sums.addRequest(requestTelemetry({ usage: [usageTelemetry(), usageTelemetry({ model: "o4" })] }));
		sums.addCheck(checkTelemetry());
		sums.addToolCall(countedToolCall());
		sums.addSpans("sent", 12);
		expectSameMetrics(toMetricPoints(sums, [KEY_GAUGE as never], true));
	});

	it("are those of the SDK's serializer for any points", () => {
		fc.assert(fc.property(fc.array(point, { minLength: 1, maxLength: 8 }), expectSameMetrics), { numRuns: 300 });
	});

	it("are what the SDK itself counts and sends for the same requests", async () => {
		const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
		const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
		const names = ["gen_ai.client.inference.duration", "svc.requests"] as const;
		const { description, unit } = METRIC_TABLE["gen_ai.client.inference.duration"];
		const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
		const provider = new MeterProvider({
			resource: SDK_RESOURCE,
			readers: [reader],
			views: [
				{
					instrumentName: names[0],
					aggregation: {
						type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
						options: { boundaries: seconds, recordMinMax: false },
					},
				},
			],
		});
		const meter = provider.getMeter(SCOPE.name, SCOPE.version);
		const durations = meter.createHistogram(names[0], { description, unit });
		const requests = meter.createCounter(names[1], {
			description: METRIC_TABLE[names[1]].description,
			unit: METRIC_TABLE[names[1]].unit,
			valueType: ValueType.INT,
		});
		const sums = new MetricSums();
		for (const ms of [10, 11, 640, 900, 81_920, 90_000]) {
			sums.addRequest(requestTelemetry({ attempts: [attemptTelemetry({ ms })] }));
			durations.record(ms / 1000, {
				"gen_ai.operation.name": "chat",
				"gen_ai.provider.name": "openai",
				"gen_ai.request.model": "gpt-5.4",
			});
			requests.add(1, { kind: "chat", model: "gpt-5.4", provider: "openai", outcome: "complete" });
		}
		await provider.forceFlush();
		const [collected] = exporter.getMetrics();
		await provider.shutdown();
		expect.assert(collected);
		const points = toMetricPoints(sums, [], false).filter(({ metric }) =>
			(names as readonly string[]).includes(metric),
		);
		const ours = JSON.parse(
			encodeMetrics({ resource: RESOURCE, scope: SCOPE, points, startedAtMs: STARTED, atMs: READ }),
		);
		const theirs = parseSdk(JsonMetricsSerializer.serializeRequest(collected)) as typeof ours;
		const points_ = (sent: typeof ours) =>
			Object.fromEntries(
				sent.resourceMetrics[0].scopeMetrics[0].metrics.map((metric: { name: string }) => [metric.name, metric]),
			);
		for (const sent of [ours, theirs])
			for (const metric of sent.resourceMetrics[0].scopeMetrics[0].metrics)
				for (const one of (metric.sum ?? metric.histogram).dataPoints) {
					delete one.startTimeUnixNano;
					delete one.timeUnixNano;
					if (one.sum !== undefined) one.sum = Math.round(one.sum * 1e9) / 1e9;
				}
		expect(points_(ours)).toEqual(points_(theirs));
		expect(Object.keys(points_(ours)).sort()).toEqual([...names].sort());
	});
});

// Spans and metrics as OTLP/JSON (https://opentelemetry.io/docs/specs/otlp/, "JSON Protobuf Encoding"): ids as lower-case hex, 64-bit
// integers and times as decimal strings, enums as numbers. Member by member what `@opentelemetry/otlp-transformer` writes, but that its
// JSON has 64-bit integers as numbers. Pure.
import type { MetricBatch, MetricPoint } from "./metric-points.ts";
import { METRIC_TABLE, type MetricDefinition, type MetricName } from "./metric-table.ts";
import {
	type Attributes,
	type AttributeValue,
	SPAN_KINDS,
	type Span,
	type SpanEvent,
	type TelemetryResource,
	type TelemetryScope,
} from "./span.ts";

/** `SpanFlags`: whether it is known that the parent is remote, and whether it is. */
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
/** `Status.code`. A span that did not fail leaves it unset: it is for others to call a request good. */
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
/** `AggregationTemporality`. */
const CUMULATIVE = 2;

/** Unix time in ns, as text: doubles do not hold it. */
function toUnixNano(ms: number): string {
	const seconds = Math.trunc(ms / 1000);
	const nanos = Math.round((ms - seconds * 1000) * 1e6);
	return nanos === 1e9 ? `${seconds + 1}000000000` : `${seconds}${String(nanos).padStart(9, "0")}`;
}

function toAnyValue(value: AttributeValue): Record<string, unknown> {
	if (typeof value === "string") return { stringValue: value };
	if (typeof value === "boolean") return { boolValue: value };
	if (typeof value === "number") return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
	return { arrayValue: { values: value.map(toAnyValue) } };
}

function toKeyValues(attributes: Attributes) {
	return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toResource({ attributes }: TelemetryResource) {
	return { attributes: toKeyValues(attributes), droppedAttributesCount: 0 };
}

function toScope({ name, version }: TelemetryScope) {
	return { name, version };
}

function toOtlpEvent({ name, atMs, attributes }: SpanEvent) {
	return {
		attributes: toKeyValues(attributes),
		name,
		timeUnixNano: toUnixNano(atMs),
		droppedAttributesCount: 0,
	};
}

function toStatus({ error }: Span) {
	if (!error) return { code: STATUS_UNSET };
	return { code: STATUS_ERROR, ...(error.message === null ? {} : { message: error.message }) };
}

function toOtlpSpan(span: Span) {
	const { traceId, spanId, parentSpanId, traceState } = span;
	return {
		traceId,
		spanId,
		...(parentSpanId === null ? {} : { parentSpanId }),
		...(traceState === null ? {} : { traceState }),
		name: span.name,
		kind: SPAN_KINDS.indexOf(span.kind) + 1,
		startTimeUnixNano: toUnixNano(span.startedAtMs),
		endTimeUnixNano: toUnixNano(span.endedAtMs),
		attributes: toKeyValues(span.attributes),
		droppedAttributesCount: 0,
		events: span.events.map(toOtlpEvent),
		droppedEventsCount: 0,
		status: toStatus(span),
		links: [],
		droppedLinksCount: 0,
		flags: (span.flags & 0xff) | HAS_IS_REMOTE | (span.isParentRemote ? IS_REMOTE : 0),
	};
}

/** One span, as a part of a body. */
export function encodeSpan(span: Span): string {
	return JSON.stringify(toOtlpSpan(span));
}

/** The body of `POST /v1/traces`. @param spans that were encoded. */
export function encodeSpans(resource: TelemetryResource, scope: TelemetryScope, spans: readonly string[]): string {
	const [from, by] = [toResource(resource), toScope(scope)].map((part) => JSON.stringify(part));
	return `{"resourceSpans":[{"resource":${from},"scopeSpans":[{"scope":${by},"spans":[${spans.join(",")}]}]}]}`;
}

/** Whether a metric's values are whole numbers in the unit that is sent. */
function isWhole({ divisor }: MetricDefinition): boolean {
	return divisor === 1;
}

function toNumberPoint(point: Exclude<MetricPoint, { kind: "histogram" }>, definition: MetricDefinition) {
	return isWhole(definition) ? { asInt: `${point.value}` } : { asDouble: point.value / definition.divisor };
}

function toHistogramPoint(
	{ counts, bounds, sum }: Extract<MetricPoint, { kind: "histogram" }>,
	{ divisor }: MetricDefinition,
) {
	return {
		bucketCounts: counts.map(String),
		explicitBounds: bounds.map((bound) => bound / divisor),
		count: `${counts.reduce((total, count) => total + count, 0)}`,
		sum: sum / divisor,
	};
}

function toMetric(name: MetricName, points: readonly MetricPoint[], times: Record<string, string>) {
	const definition = METRIC_TABLE[name];
	const dataPoints = points.map((point) => ({
		attributes: toKeyValues(point.labels),
		...times,
		...(point.kind === "histogram" ? toHistogramPoint(point, definition) : toNumberPoint(point, definition)),
	}));
	const { description, unit, kind } = definition;
	const head = { name, description, unit };
	if (kind === "gauge") return { ...head, gauge: { dataPoints } };
	if (kind === "histogram") return { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
	return { ...head, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

/** The body of `POST /v1/metrics`: cumulative sums. */
export function encodeMetrics({ resource, scope, points, startedAtMs, atMs }: MetricBatch): string {
	const times = { startTimeUnixNano: toUnixNano(startedAtMs), timeUnixNano: toUnixNano(atMs) };
	const byName = Map.groupBy(points, ({ metric }) => metric);
	const metrics = [...byName].map(([name, same]) => toMetric(name, same, times));
	const scopeMetrics = [{ scope: toScope(scope), metrics }];
	return JSON.stringify({ resourceMetrics: [{ resource: toResource(resource), scopeMetrics }] });
}

// Telemetry: a module of its own beside the bundle, loaded when an endpoint for traces or the metrics are set. Without them it costs nothing.

import type { MetricOptions, MetricsDelta, SeriesDelta } from "./metric-deltas.ts";
import type { MetricBatch, MetricPoint } from "./metric-point.ts";
import type { PolicyCheckTelemetry, RequestTelemetry } from "./request-telemetry.ts";
import type { Attributes, Span, SpanBatch } from "./span.ts";
import type { TraceParent } from "./trace-context.ts";

/** What the module exports. */
export interface Telemetry {
	/** Reads `traceparent` and `tracestate`; null where there is none that counts. */
	parseTraceParent(header: string | null, stateHeader: string | null): TraceParent | null;
	/** The span of a request as the parent of the calls that it makes; its headers go upstream. */
	toUpstreamParent(requestId: string, parent: TraceParent | null): TraceParent;
	formatTraceParent(parent: Omit<TraceParent, "state">): string;
	/** The spans of one request: its own, its attempts', stages', steps', tools'. Empty where the caller does not record its trace. */
	toRequestSpans(telemetry: RequestTelemetry, common?: Attributes): Span[];
	toPolicySpan(telemetry: PolicyCheckTelemetry): Span[];
	/** The bodies of `POST /v1/traces` and `POST /v1/metrics`: JSON. */
	encodeSpans(batch: SpanBatch): string;
	encodeMetrics(batch: MetricBatch): string;
	/** The text of `GET /metrics`, format 0.0.4. */
	renderPrometheus(points: readonly MetricPoint[]): string;
	/** What a request or a check adds to the metrics. Sum them up with `sumSeries` and send them as a delta. */
	countRequest(telemetry: RequestTelemetry, options: MetricOptions): SeriesDelta[];
	countPolicyCheck(telemetry: PolicyCheckTelemetry): SeriesDelta[];
	/** One entry for each series. */
	sumSeries(deltas: Iterable<SeriesDelta>): SeriesDelta[];
	/** Whether a delta is to be added, is known, or leaves a gap. @param through the highest number that was added of its source; 0 for none. */
	judgeDelta(delta: MetricsDelta, through: number): "new" | "known" | "apart";
}

// Telemetry: a module of its own beside the bundle, loaded when an address for traces or the metrics are set. Without them it costs nothing.
import type { toMetricPoints } from "./metric-points.ts";
import type { MetricSums } from "./metric-sums.ts";
import type { encodeMetrics, encodeSpan, encodeSpans } from "./otlp-json.ts";
import type { toPolicySpans } from "./policy-spans.ts";
import type { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from "./prometheus.ts";
import type { toRequestSpans } from "./request-spans.ts";
import type { toUpstreamParent } from "./span-ids.ts";
import type { formatTraceParent, parseTraceParent } from "./trace-context.ts";

export { toMetricPoints } from "./metric-points.ts";
export { MetricSums } from "./metric-sums.ts";
export { encodeMetrics, encodeSpan, encodeSpans } from "./otlp-json.ts";
export { toPolicySpans } from "./policy-spans.ts";
export { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from "./prometheus.ts";
export { toRequestSpans } from "./request-spans.ts";
export { toUpstreamParent } from "./span-ids.ts";
export { formatTraceParent, parseTraceParent } from "./trace-context.ts";

/** What the module exports. */
export interface Telemetry {
	parseTraceParent: typeof parseTraceParent;
	formatTraceParent: typeof formatTraceParent;
	toUpstreamParent: typeof toUpstreamParent;
	toRequestSpans: typeof toRequestSpans;
	toPolicySpans: typeof toPolicySpans;
	encodeSpan: typeof encodeSpan;
	encodeSpans: typeof encodeSpans;
	encodeMetrics: typeof encodeMetrics;
	MetricSums: typeof MetricSums;
	toMetricPoints: typeof toMetricPoints;
	renderPrometheus: typeof renderPrometheus;
	PROMETHEUS_CONTENT_TYPE: typeof PROMETHEUS_CONTENT_TYPE;
}

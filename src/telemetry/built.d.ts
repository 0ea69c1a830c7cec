// Telemetry as `npm run modules` builds it: a module beside the bundle.
declare module "*/telemetry/built/telemetry.js" {
	type Telemetry = import("./module.ts").Telemetry;
	export const parseTraceParent: Telemetry["parseTraceParent"];
	export const formatTraceParent: Telemetry["formatTraceParent"];
	export const toUpstreamParent: Telemetry["toUpstreamParent"];
	export const toRequestSpans: Telemetry["toRequestSpans"];
	export const toPolicySpans: Telemetry["toPolicySpans"];
	export const encodeSpan: Telemetry["encodeSpan"];
	export const encodeSpans: Telemetry["encodeSpans"];
	export const encodeMetrics: Telemetry["encodeMetrics"];
	export const MetricSums: Telemetry["MetricSums"];
	export const toMetricPoints: Telemetry["toMetricPoints"];
	export const renderPrometheus: Telemetry["renderPrometheus"];
	export const PROMETHEUS_CONTENT_TYPE: Telemetry["PROMETHEUS_CONTENT_TYPE"];
}

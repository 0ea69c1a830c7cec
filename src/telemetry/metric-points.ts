// Metric points: sums read by the table of metrics, as both forms send them. Pure.
import { attemptErrorType, errorClass } from "./error-class.ts";
import { LISTED_LABELS, slotPlace } from "./metric-groups.ts";
import type { MetricSums, SeriesName } from "./metric-sums.ts";
import { METRIC_TABLE, type MetricDefinition, type MetricName } from "./metric-table.ts";
import { toProviderName } from "./provider-names.ts";
import type { TelemetryResource, TelemetryScope } from "./span.ts";

/** In the order of the table. Labels without a value are left out. */
export type MetricLabels = Readonly<Record<string, string>>;

interface SeriesOf {
	metric: MetricName;
	labels: MetricLabels;
}

/** Since counting began; in the stored unit. */
export interface CounterPoint extends SeriesOf {
	kind: "counter";
	value: number;
}

/** What holds now. */
export interface GaugePoint extends SeriesOf {
	kind: "gauge";
	value: number;
}

/** Since counting began; in the stored unit. */
export interface HistogramPoint extends SeriesOf {
	kind: "histogram";
	bounds: readonly number[];
	/** How many values were at most each bound, and above the one before it; the last is of those above all. */
	counts: readonly number[];
	sum: number;
}

export type MetricPoint = CounterPoint | GaugePoint | HistogramPoint;

export interface MetricBatch {
	resource: TelemetryResource;
	scope: TelemetryScope;
	points: readonly MetricPoint[];
	/** When counting began, and when this was read; Unix time in ms. */
	startedAtMs: number;
	atMs: number;
}

/** What OpenTelemetry's SDKs call the series of all that is beyond the bound. */
export const OVERFLOW_LABEL = "otel.metric.overflow";

type Summed = Exclude<MetricDefinition, { kind: "gauge" }>;

/** What is made of a label's value. */
const WORDINGS = {
	provider: toProviderName,
	class: errorClass,
	"attempt error": (error: string, { status }: Readonly<Record<string, string>>) =>
		attemptErrorType(error, status ?? null) ?? error,
} as const;

/** The labels of a metric for a series of its group. */
function toLabels(definition: Summed, { labels }: SeriesName, own: MetricLabels): MetricLabels {
	if (labels === null) return { ...own, [OVERFLOW_LABEL]: "true" };
	const named: Record<string, string> = {};
	for (const [name, { from, as }] of Object.entries(definition.labels)) {
		const value = labels[from];
		if (value === undefined) continue;
		named[name] = as ? WORDINGS[as](value, labels) : value;
	}
	for (const name of definition.takesListed ? LISTED_LABELS : [])
		if (labels[name] !== undefined) named[name] = labels[name];
	return { ...named, ...own };
}

/** Adds up the series of a group that have the same labels in one metric. */
function readMetric(metric: MetricName, definition: Summed, series: readonly ReadSeries[]): MetricPoint[] {
	const points = new Map<string, { labels: MetricLabels; bounds: readonly number[] | null; sums: number[] }>();
	for (const part of definition.parts) {
		const { start, bounds } = slotPlace(definition.group, part.slot);
		const length = bounds ? bounds.length + 2 : 1;
		for (const one of series) {
			if (definition.needs && one.labels !== null && one.labels[definition.needs] === undefined) continue;
			const labels = toLabels(definition, one, part.labels ?? {});
			const key = JSON.stringify(labels);
			const point = points.get(key) ?? { labels, bounds, sums: new Array<number>(length).fill(0) };
			for (let i = 0; i < length; i++) point.sums[i] = (point.sums[i] ?? 0) + (one.vector[start + i] ?? 0);
			points.set(key, point);
		}
	}
	return [...points.values()].flatMap(({ labels, bounds, sums }): MetricPoint[] => {
		if (!bounds) return [{ metric, kind: "counter", labels, value: sums[0] ?? 0 }];
		const counts = sums.slice(0, -1);
		if (counts.every((count) => count === 0)) return [];
		return [{ metric, kind: "histogram", labels, bounds, counts, sum: sums.at(-1) ?? 0 }];
	});
}

type ReadSeries = SeriesName & { vector: readonly number[] };

/**
 * Everything that was counted, and the gauges.
 * @param withFormer also the metrics that the conventions had before.
 */
export function toMetricPoints(sums: MetricSums, gauges: readonly GaugePoint[], withFormer: boolean): MetricPoint[] {
	const series = Map.groupBy(sums.series(), ({ group }) => group);
	return (Object.entries(METRIC_TABLE) as [MetricName, MetricDefinition][]).flatMap(([metric, definition]) => {
		if (definition.isFormer && !withFormer) return [];
		if (definition.kind === "gauge") return gauges.filter((gauge) => gauge.metric === metric);
		return readMetric(metric, definition, series.get(definition.group) ?? []);
	});
}

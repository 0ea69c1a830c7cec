// Metric points: what has been counted of one metric under one set of labels. Pure.

import type { MetricName } from "./metric-table.ts";
import type { TelemetryResource, TelemetryScope } from "./span.ts";

/** By the labels' names in the table of metrics. Absent ones do not apply. */
export type MetricLabels = Readonly<Record<string, string>>;

interface SeriesOf {
	metric: MetricName;
	labels: MetricLabels;
}

/** Since the beginning; in the unit that is stored: whole tokens, nano-USD, ms. */
export interface CounterPoint extends SeriesOf {
	kind: "counter";
	value: number;
}

/** What holds now. */
export interface GaugePoint extends SeriesOf {
	kind: "gauge";
	value: number;
}

/** Since the beginning, in the unit that is stored. */
export interface HistogramPoint extends SeriesOf {
	kind: "histogram";
	/** How many values fell at or below each bound of the metric, and above the one before; the last is of those above all bounds. */
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

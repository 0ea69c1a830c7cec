// Metric points in Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). Names follow OpenTelemetry's
// rules for Prometheus: dots become underscores, seconds and USD are named, counters end with `_total`. Pure.
import type { MetricLabels, MetricPoint } from "./metric-points.ts";
import { METRIC_TABLE, type MetricName } from "./metric-table.ts";

export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function toName(text: string): string {
	return text.replace(/[^a-zA-Z0-9_]/g, "_");
}

/** The name of a metric's family: a histogram's series have `_bucket`, `_sum`, `_count` behind it. */
export function prometheusName(metric: MetricName): string {
	const { kind, unit } = METRIC_TABLE[metric];
	const words = { s: "_seconds", USD: "_usd" } as const;
	const named = unit === "s" || unit === "USD" ? words[unit] : "";
	return `${toName(metric)}${named}${kind === "counter" ? "_total" : ""}`;
}

/** The name of a label. */
export function prometheusLabel(label: string): string {
	return toName(label);
}

function escapeHelp(text: string): string {
	return text.replace(/[\\\n]/g, (character) => (character === "\n" ? "\\n" : "\\\\"));
}

/** Line feeds, quotes and backslashes are escaped. A lone half of a surrogate pair would not be UTF-8. */
function escapeValue(text: string): string {
	return text.toWellFormed().replace(/[\\\n"]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

function renderLabels(labels: MetricLabels): string {
	const pairs = Object.entries(labels).map(([name, value]) => `${prometheusLabel(name)}="${escapeValue(value)}"`);
	return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

/** Lines of one point. Buckets count what is at most their bound, so each holds those before it. */
function renderPoint(name: string, point: MetricPoint, divisor: number): string[] {
	const line = (suffix: string, labels: MetricLabels, value: number) =>
		`${name}${suffix}${renderLabels(labels)} ${value}`;
	if (point.kind !== "histogram") return [line("", point.labels, point.value / divisor)];
	const { labels, bounds, counts, sum } = point;
	let total = 0;
	const buckets = counts.map((count, i) => {
		total += count;
		const bound = bounds[i];
		return line("_bucket", { ...labels, le: bound === undefined ? "+Inf" : `${bound / divisor}` }, total);
	});
	return [...buckets, line("_sum", labels, sum / divisor), line("_count", labels, total)];
}

/** The text of a scrape. A family's lines stand together. */
export function renderPrometheus(points: readonly MetricPoint[]): string {
	const families = [...Map.groupBy(points, ({ metric }) => metric)].map(([metric, same]) => {
		const { kind, description, divisor } = METRIC_TABLE[metric];
		const name = prometheusName(metric);
		return [
			`# HELP ${name} ${escapeHelp(description)}`,
			`# TYPE ${name} ${kind}`,
			...same.flatMap((point) => renderPoint(name, point, divisor)),
		];
	});
	return families
		.flat()
		.map((line) => `${line}\n`)
		.join("");
}

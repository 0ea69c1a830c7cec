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

/** Labels without their braces. */
function renderLabels(labels: MetricLabels): string {
	return Object.entries(labels)
		.map(([name, value]) => `${prometheusLabel(name)}="${escapeValue(value)}"`)
		.join(",");
}

/** The lines of one point. Buckets count what is at most their bound, so each holds those before it. */
function renderPoint(name: string, point: MetricPoint, divisor: number): string {
	const labels = renderLabels(point.labels);
	const inBraces = labels === "" ? "" : `{${labels}}`;
	if (point.kind !== "histogram") return `${name}${inBraces} ${point.value / divisor}\n`;
	const { bounds, counts, sum } = point;
	const before = `${name}_bucket{${labels}${labels === "" ? "" : ","}le="`;
	let total = 0;
	let text = "";
	for (const [i, count] of counts.entries()) {
		total += count;
		const bound = bounds[i];
		text += `${before}${bound === undefined ? "+Inf" : bound / divisor}"} ${total}\n`;
	}
	return `${text}${name}_sum${inBraces} ${sum / divisor}\n${name}_count${inBraces} ${total}\n`;
}

/** The text of a scrape. A family's lines stand together. */
export function renderPrometheus(points: readonly MetricPoint[]): string {
	const families = [...Map.groupBy(points, ({ metric }) => metric)].map(([metric, same]) => {
		const { kind, description, divisor } = METRIC_TABLE[metric];
		const name = prometheusName(metric);
		const head = `# HELP ${name} ${escapeHelp(description)}\n# TYPE ${name} ${kind}\n`;
		return head + same.map((point) => renderPoint(name, point, divisor)).join("");
	});
	return families.join("");
}
